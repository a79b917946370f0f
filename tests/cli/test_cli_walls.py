#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_cli_walls.py VKSIM [NAME...]: walls, food and maps of Physarum: what is refused or has no
effect, states and outputs. See suite.py."""

import json
import struct
import sys

sys.dont_write_bytecode = True
from suite import (FILE, SMALL, USAGE, array, floats, main, npy, npz, npz_members,  # noqa: E402
                   pixels, png, values)

NONE = [*SMALL, "--steps", 1, "--out", "none"]
WIDTH, HEIGHT = 32, 24


def grey(rows):
    """A PNG of grey pixels, from rows of brightness."""
    return png(len(rows[0]), len(rows), [bytes(v for pixel in row for v in (pixel,) * 3)
                                         for row in rows])


def write_images(suite):
    """half.png: the left half is white; white.png; black.png; ramp.png."""
    half = [[255 if x < WIDTH // 2 else 0 for x in range(WIDTH)]] * HEIGHT
    suite.write("half.png", grey(half))
    suite.write("white.png", grey([[255, 255]] * 2))
    suite.write("black.png", grey([[0, 0]] * 2))
    suite.write("ramp.png", grey([[8 * x for x in range(WIDTH)]] * HEIGHT))
    suite.write("text.png", "no image\n")


def test_refused(suite):
    """Values that no run can have, with and without --dry-run."""
    write_images(suite)
    many = "points:" + "/".join(["0.5,0.5"] * 4097)
    usage = [
        ("unknown walls", "--walls", ["--walls", "moat"]),
        ("nearly a frame", "--walls", ["--walls", "frames"]),
        ("walls of an image without image:", "--walls", ["--walls", "half.png"]),
        ("walls of no image", "--walls", ["--walls", "image:"]),
        ("walls of a state", "--walls", ["--walls", "given"]),
        ("a level over 1", "--walls-level", ["--walls", "frame", "--walls-level", 1.5]),
        ("an unknown meeting", "--at-wall", ["--walls", "frame", "--at-wall", "bounce"]),
        ("an unknown sight", "--wall-sight", ["--walls", "frame", "--wall-sight", "clear"]),
        ("walls and large squares", "--walls", ["--walls", "frame", "--diffuse-size", 5]),
        ("walls and joined steps", "--variant", ["--walls", "frame", "--variant", "joined"]),
        ("walls and steps together", "--variant", ["--walls", "disc", "--variant", "together-4"]),
        ("unknown food", "--food", ["--food", "sugar"]),
        ("food of no image", "--food", ["--food", "image:"]),
        ("food of a state", "--food", ["--food", "given"]),
        ("no points", "--food", ["--food", "points:"]),
        ("a point with one number", "--food", ["--food", "points:0.5"]),
        ("a point with three", "--food", ["--food", "points:0.5,0.5,0.5"]),
        ("a point with a word", "--food", ["--food", "points:0.5,x"]),
        ("a point outside", "--food", ["--food", "points:0.5,0.5/1.01,0.5"]),
        ("a point above", "--food", ["--food", "points:0.5,-0.1"]),
        ("a point of NaN", "--food", ["--food", "points:nan,0.5"]),
        ("points that end in a slash", "--food", ["--food", "points:0.5,0.5/"]),
        ("4097 points", "--food", ["--food", many]),
        ("a strength below 0", "--food-strength",
         ["--food", "points:0,0", "--food-strength", -1]),
        ("a radius over 1000", "--food-radius", ["--food", "points:0,0", "--food-radius", 1001]),
        ("food that is eaten backwards", "--food-eaten",
         ["--food", "points:0,0", "--food-eaten", -1]),
        ("an attraction over 1", "--food-attraction",
         ["--species", 2, "--food", "points:0,0", "--food-attraction", 1.5]),
        ("three attractions of two", "--food-attraction",
         ["--species", 2, "--food", "points:0,0", "--food-attraction", "1,0,1"]),
        ("food and joined steps", "--variant",
         ["--food", "points:0,0", "--variant", "joined"]),
        ("a map of an unknown option", "--maps", ["--maps", "agents=ramp.png:0:1"]),
        ("nearly a map's option", "--maps", ["--maps", "decai=ramp.png:0:1"]),
        ("two maps of an option", "--maps",
         ["--maps", "decay=ramp.png:0:1,decay=half.png:0:1"]),
        ("a factor below 0", "--maps", ["--maps", "decay=ramp.png:-1:1"]),
        ("a factor over 16", "--maps", ["--maps", "decay=ramp.png:0:16.5"]),
        ("one factor", "--maps", ["--maps", "decay=ramp.png:1"]),
        ("three factors", "--maps", ["--maps", "decay=ramp.png:0:1:2:x"]),
        ("a factor that is a word", "--maps", ["--maps", "decay=ramp.png:0:one"]),
        ("a factor that is not finite", "--maps", ["--maps", "decay=ramp.png:0:inf"]),
        ("a map without an image", "--maps", ["--maps", "decay=:0:1"]),
        ("a map without =", "--maps", ["--maps", "ramp.png:0:1"]),
        ("maps that end in a comma", "--maps", ["--maps", "decay=ramp.png:0:1,"]),
        ("maps and joined steps", "--variant",
         ["--maps", "decay=ramp.png:0:1", "--variant", "joined"]),
    ]
    files = [
        ("walls of a missing image", "missing.png", ["--walls", "image:missing.png"]),
        ("walls of a text", "text.png", ["--walls", "image:text.png"]),
        ("food of a missing image", "missing.png", ["--food", "image:missing.png"]),
        ("food of a text", "text.png", ["--food", "image:text.png"]),
        ("a map of a missing image", "missing.png",
         ["--maps", "decay=ramp.png:0:1,jitter=missing.png:0:1"]),
        ("a map of a text", "text.png", ["--maps", "decay=text.png:0:1"]),
    ]
    for status, rows in ((USAGE, usage), (FILE, files)):
        for name, subject, arguments in rows:
            suite.fails(name, status, subject, *NONE, *arguments)
            got = suite.run(*NONE, *arguments, "--dry-run")
            suite.check(got == suite.run(*NONE, *arguments) and got[0] == status,
                        f"{name}: --dry-run says the same", got)
    most = "points:" + "/".join(["0.5,0.5"] * 4096)
    suite.succeeds("4096 points", *NONE, "--food", most)
    suite.succeeds("a name with colons", *NONE, "--maps",
                   f"decay={suite.write('a:1:2.png', suite.read('ramp.png'))}:0:1")


def test_closed(suite):
    """Walls without an open cell."""
    write_images(suite)
    rows = [
        ("a black image", FILE, "black.png", ["--walls", "image:black.png"]),
        ("a dark image", FILE, "ramp.png", ["--walls", "image:ramp.png", "--walls-level", 1]),
        ("a frame of two rows", USAGE, "--walls", ["--walls", "frame", "--size", "9x2"]),
        ("a frame of one cell", USAGE, "--walls", ["--walls", "frame", "--size", "1x1"]),
    ]
    for name, status, subject, arguments in rows:
        suite.fails(name, status, subject, *NONE, *arguments)
    suite.succeeds("a white image", *NONE, "--walls", "image:white.png", "--walls-level", 1)
    suite.succeeds("a disc of one cell", *NONE, "--walls", "disc", "--size", "1x1")


def test_overwriting(suite):
    """No output replaces an image that the run reads."""
    write_images(suite)
    for option, value in (("--walls", "image:half.png"), ("--food", "image:half.png"),
                          ("--maps", "decay=ramp.png:0:1,jitter=half.png:0:1")):
        suite.fails(f"an output onto an image of {option}", USAGE, "--out", *SMALL, "--steps", 1,
                    option, value, "--out", "half.png", "--overwrite")
        suite.fails(f"a sheet's output onto an image of {option}", USAGE, "--out", *SMALL,
                    "--steps", 1, option, value, "--vary", "decay=0.1,0.2", "--out", "./half.png",
                    "--overwrite")
    suite.check(suite.read("half.png")[:4] == b"\x89PNG", "the image is still there")


def test_no_effect(suite):
    write_images(suite)
    picture = [*SMALL, "--steps", 1, "--out", "a.png", "--overwrite"]
    food = ["--food", "points:0.5,0.5"]
    rows = [
        ("no walls", [*picture, "--walls-level", 0.3, "--at-wall", "turn", "--wall-sight", "open"],
         [f"--{name} has no effect without --walls"
          for name in ("walls-level", "at-wall", "wall-sight")]),
        ("walls that are none", [*picture, "--walls", "none", "--at-wall", "turn"],
         ["--at-wall has no effect without --walls"]),
        ("walls", [*picture, "--walls", "image:half.png", "--walls-level", 0.3, "--at-wall",
                   "turn"], []),
        ("no food", [*picture, "--food-strength", 2, "--food-radius", 4, "--food-eaten", 0.1],
         [f"--{name} has no effect without --food"
          for name in ("food-strength", "food-radius", "food-eaten")]),
        ("food of one species", [*picture, *food, "--food-attraction", 0.5],
         ["--food-attraction has no effect without --species"]),
        ("food of two species", [*picture, "--species", 2, *food, "--food-attraction", "1,0.5"],
         []),
        ("food that is none", [*picture, "--food", "none", "--food-eaten", 4],
         ["--food-eaten has no effect without --food"]),
        ("images that are fitted", [*picture, "--maps", "decay=ramp.png:0:1", "--init-fit",
                                    "cover"], []),
    ]
    for name, arguments, expected in rows:
        status, out, err = suite.run(*arguments)
        found = [line[7:] for line in err.splitlines() if "no effect" in line]
        suite.check(status == 0 and len(found) == len(expected) and
                    all(line.startswith(words) for line, words in zip(found, expected)),
                    f"{name}: {len(expected)} warnings", err, out)
    for step, warned in (16, False), (17, True):
        err = suite.run(*picture, "--walls", "frame", "--step-size", step)[2]
        suite.check(("jump over walls" in err) == warned, f"steps of {step} cells", err)


def test_scenes(suite):
    """A scene repeats a run with surroundings."""
    write_images(suite)
    run = [*SMALL, "--walls", "image:half.png", "--walls-level", 0.25, "--at-wall", "turn",
           "--wall-sight", "open", "--food", "points:0.1,0.2/0.3,0.9", "--food-strength", 0.5,
           "--food-radius", 2, "--food-eaten", 0.01, "--species", 2, "--food-attraction",
           "1,-0.25", "--maps", "decay=ramp.png:0.5:2,jitter=half.png:0:1", "--jitter", 20,
           "--steps", 9]
    frames = suite.digests(*run, "--out", "a.png", "--save-scene", "s.json")
    scene = json.loads(suite.read("s.json"))
    wanted = {"walls": "image:half.png", "walls-level": 0.25, "at-wall": "turn",
              "wall-sight": "open", "food": "points:0.1,0.2/0.3,0.9", "food-strength": 0.5,
              "food-radius": 2, "food-eaten": 0.01, "food-attraction": [1, -0.25],
              "maps": "decay=ramp.png:0.5:2,jitter=half.png:0:1"}
    suite.check({name: scene.get(name) for name in wanted} == wanted, "a scene has the options",
                scene)
    suite.check(suite.digests("--headless", "--scene", "s.json", "--out", "b.png") == frames,
                "the scene repeats the run")
    suite.succeeds("walls of a --vary", *SMALL, "--steps", 3, "--out", "sheet.png", "--vary",
                   "walls=none,frame,disc", "--vary-rows", "food=none;points:0.5,0.5")


def words_of(member, count):
    """The last words of a .npy file."""
    return struct.unpack(f"<{count}I", member[-4 * count:])


def unpack_walls(member, width=WIDTH, height=HEIGHT):
    count = (width + 31) // 32
    words = words_of(member, height * count)
    return [[words[y * count + x // 32] >> x % 32 & 1 for x in range(width)]
            for y in range(height)]


def test_states(suite):
    """Walls and food from NumPy, of many types and shapes."""
    run = ["--headless", "--preset", "plain", "--steps", 2, "--out", "none", "--load-state"]
    save = ["--headless", "--preset", "plain", "--steps", 0, "--out", "none", "--overwrite",
            "--save-state", "t.npz", "--load-state"]
    # Column 20 is a wall, except in row 5.
    mask = [[int(x == 20 and y != 5) for x in range(WIDTH)] for y in range(HEIGHT)]
    cells = [cell for row in mask for cell in row]
    bare = {
        "trail": npy("<f4", (HEIGHT, WIDTH), floats([0.5] * 768)),
        "position": npy("<f8", (60, 2), floats([1.5, 7.25] * 60, "d")),
        "heading": npy("<f8", (60,), floats([0.5] * 60, "d")),
    }

    def state(name, **changed):
        npz(suite.path(name), {key: data for key, data in {**bare, **changed}.items() if data})
        return name

    def loaded(**changed):
        suite.succeeds("save", *save, state("a.npz", **changed))
        return npz_members(suite.path("t.npz"))

    words = npy("<u4", (HEIGHT, 1), struct.pack("<24I", *[0 if y == 5 else 1 << 20
                                                         for y in range(HEIGHT)]))
    wanted = loaded(walls=words)
    suite.check(unpack_walls(wanted["walls.npy"]) == mask, "walls as words")
    shape, data = array(wanted["trail.npy"])
    trail = struct.unpack("<768f", data)
    suite.check(shape == (HEIGHT, WIDTH) and
                all(value == (0 if wall else 0.5) for value, wall in zip(trail, cells)),
                "the trail in walls is 0", trail)
    for kind, code in (("|b1", "B"), ("|u1", "B"), ("|i1", "b"), ("<i2", "h"), ("<u4", "I"),
                       ("<i8", "q"), ("<f4", "f"), ("<f8", "d")):
        # Any number but 0 is a wall.
        value = 1 if kind == "|b1" else 2 if code in "BIbhq" else -0.25
        data = struct.pack(f"<768{code}", *[value if cell else 0 for cell in cells])
        got = loaded(walls=npy(kind, (HEIGHT, WIDTH), data))
        suite.check(got["walls.npy"] == wanted["walls.npy"] and
                    got["trail.npy"] == wanted["trail.npy"], f"walls of type {kind}")
    moved = loaded(walls=words, position=npy("<f8", (60, 2), floats([3.5, 20.5] * 60, "d")))
    position = words_of(moved["position.npy"], 120)
    places = [(y * HEIGHT >> 32, x * WIDTH >> 32)
              for y, x in zip(position[::2], position[1::2])]
    suite.check(not any(mask[y][x] for y, x in places) and len(set(places)) > 40,
                "agents in walls are placed at random", places)
    food = loaded(food=npy("<f8", (HEIGHT, WIDTH), floats([0.25 * cell for cell in cells], "d")))
    suite.check(struct.unpack("<768f", array(food["food.npy"])[1]) ==
                tuple(0.25 * cell for cell in cells), "food as float64")

    closed = struct.pack("<24I", *[0xffffffff] * HEIGHT)
    nan = floats([0.5] * 700 + [float("nan")] + [0.5] * 67)
    rows = [
        ("walls everywhere in words", {"walls": npy("<u4", (HEIGHT, 1), closed)}, "walls"),
        ("walls everywhere in cells", {"walls": npy("|b1", (HEIGHT, WIDTH), b"\1" * 768)},
         "walls"),
        ("walls of another field", {"walls": npy("|b1", (HEIGHT, WIDTH - 1), bytes(744))},
         "'walls'"),
        ("walls on their side", {"walls": npy("|b1", (WIDTH, HEIGHT), bytes(768))}, "'walls'"),
        ("walls in one row", {"walls": npy("|b1", (768,), bytes(768))}, "'walls'"),
        ("walls of three axes", {"walls": npy("|b1", (1, HEIGHT, WIDTH), bytes(768))}, "'walls'"),
        ("words of int64", {"walls": npy("<i8", (HEIGHT, 1), bytes(192))}, "'walls'"),
        ("words of float32", {"walls": npy("<f4", (HEIGHT, 1), bytes(96))}, "'walls'"),
        ("words of float64", {"walls": npy("<f8", (HEIGHT, 1), bytes(192))}, "'walls'"),
        ("words of bool", {"walls": npy("|b1", (HEIGHT, 1), bytes(24))}, "'walls'"),
        ("food of NaN", {"food": npy("<f4", (HEIGHT, WIDTH), nan)}, "element 700"),
        ("food below 0", {"food": npy("<f4", (HEIGHT, WIDTH), floats([-1] * 768))}, "element 0"),
        ("infinite food", {"food": npy("<f4", (HEIGHT, WIDTH),
                                       floats([0] * 767 + [float("inf")]))}, "element 767"),
        ("food of another field", {"food": npy("<f4", (HEIGHT, 31), floats([0] * 744))},
         "'food'"),
        ("food of integers", {"food": npy("<i4", (HEIGHT, WIDTH), bytes(3072))}, "'food'"),
    ]
    for name, changed, subject in rows:
        suite.fails(name, FILE, subject, *run, state("b.npz", **changed))
    suite.fails("large squares and walls of a state", USAGE, "walls", *run,
                state("b.npz", walls=words), "--diffuse-size", 5)
    # Fields that are one cell wide or high: words and cells have the same shape.
    thin = {"trail": npy("<f4", (5, 1), floats([0.5] * 5)),
            "position": npy("<f8", (3, 2), floats([1.5, 0.25] * 3, "d")),
            "heading": npy("<f8", (3,), floats([0.5] * 3, "d"))}
    column = [0, 0, 1, 0, 1]
    for kind, code in (("<u4", "I"), ("|b1", "B"), ("<f8", "d")):
        npz(suite.path("c.npz"), {**thin, "walls": npy(kind, (5, 1),
                                                       struct.pack(f"<5{code}", *column))})
        suite.succeeds("save", *save, "c.npz")
        got = unpack_walls(npz_members(suite.path("t.npz"))["walls.npy"], 1, 5)
        suite.check([row[0] for row in got] == column, f"one column of type {kind}", got)


@values
def test_continued(suite):
    """A run that is saved and loaded continues as if it had not been; also on another driver."""
    write_images(suite)
    run = ["--headless", "--preset", "plain", "--size", "45x33", "--agents", 333, "--seed", 7,
           "--walls", "image:half.png", "--food", "points:0.1,0.2/0.3,0.9", "--food-eaten", 0.01,
           "--species", 2, "--food-attraction", "1,-0.25", "--decay", 0.1, "--normalize", "frame",
           "--maps", "step-size=ramp.png:0.5:2,decay=half.png:1:2", "--lifetime", 20]
    whole = suite.digests(*run, "--steps", 20, "--out", "a.png")["state"]
    drawn = pixels(suite.path("a.png"))
    first = suite.digests(*run, "--steps", 9, "--out", "none", "--save-state", "s.npz")
    members = npz_members(suite.path("s.npz"))
    suite.check(sorted(members) == ["food.npy", "food_trail.npy", "heading.npy", "position.npy",
                                    "species.npy", "trail.npy", "vksim.json", "walls.npy"],
                "the state has walls, food and its trail", members.keys())
    food = struct.unpack("<1485f", array(members["food.npy"])[1])
    suite.check(0 < min(value for value in food if value) < 1, "food was eaten", food)
    # The images of walls and food are not read again; those of maps are.
    suite.write("half.png", suite.read("half.png"))
    for variant in ("unsorted", "sorted-3-bytes", "sorted-2-words"):
        state = suite.digests("--headless", "--load-state", "s.npz", "--steps", 11, "--variant",
                              variant, "--out", "b.png", "--overwrite")["state"]
        suite.check(state == whole and pixels(suite.path("b.png")) == drawn,
                    f"9 and 11 steps are 20 steps, {variant}")
    suite.check(suite.digests("--headless", "--load-state", "s.npz", "--steps", 0, "--out", "none",
                              "--save-state", "t.npz")["state"] == first["state"] and
                suite.read("s.npz") == suite.read("t.npz"), "loaded and saved is the same file")
    env = suite.environment("swiftshader")
    suite.check(suite.digests(*run, "--steps", 9, "--out", "none", "--save-state", "u.npz",
                              env=env)["state"] == first["state"] and
                suite.read("s.npz") == suite.read("u.npz"), "another driver saves the same file")
    repeat = ["--headless", "--load-state", "s.npz", "--steps", 11]
    suite.check(suite.state(*repeat, "--walls", "image:half.png", "--food",
                            "points:0.1,0.2/0.3,0.9") == whole, "options of the state, repeated")
    for option, value in (("--walls", "frame"), ("--walls", "none"), ("--food", "none"),
                          ("--food", "points:0.1,0.2")):
        suite.fails(f"a state with another {option}, {value}", FILE, option[2:], *repeat, option,
                    value, "--out", "none")
    suite.fails("a state and missing maps", FILE, "missing.png", *repeat, "--maps",
                "decay=missing.png:0:1", "--out", "none")


def test_outputs(suite):
    """Food as values, walls in pictures of values, and scalars."""
    write_images(suite)
    run = [*SMALL, "--walls", "image:half.png", "--food", "image:half.png", "--food-strength", 0.5]
    suite.succeeds("food as an array", *run, "--steps", 3, "--view", "food", "--out", "a.npy")
    shape, data = array(suite.read("a.npy"))
    food = struct.unpack(f"<{len(data) // 4}f", data)
    suite.check(shape[1:] == (HEIGHT, WIDTH) and
                food == tuple(0.5 if i % WIDTH < WIDTH // 2 else 0 for i in range(len(food))),
                "food that no one eats stays", shape, food[:WIDTH], food[-WIDTH:])
    suite.succeeds("a picture of food", *run, "--steps", 3, "--view", "food", "--out", "a.png")
    suite.succeeds("the trail as an array", *run, "--steps", 9, "--out", "b.npy")
    trail = struct.unpack("<768f", array(suite.read("b.npy"))[1][-3072:])
    suite.check(all((value == 0) == (i % WIDTH >= WIDTH // 2) for i, value in enumerate(trail)),
                "walls have no trail, and food is everywhere else", trail)
    suite.succeeds("a trail from an image", *SMALL, "--walls", "image:half.png", "--init",
                   "image:white.png", "--steps", 0, "--out", "c.npy")
    trail = struct.unpack("<768f", array(suite.read("c.npy"))[1][:3072])
    suite.check(trail == tuple(3 if i % WIDTH < WIDTH // 2 else 0 for i in range(768)),
                "the trail of an image ends at walls", trail[:WIDTH])


@values
def test_maze(suite):
    """A strand joins the food in two corners of a maze."""
    side, corner = 168, 40
    suite.succeeds("a maze", "--headless", "--preset", "maze", "--size", f"{side}x{side}",
                   "--agents", 6500, "--steps", 400, "--out", "none", "--save-state", "m.npz")
    trail = struct.unpack(f"<{side * side}f", array(npz_members(
        suite.path("m.npz"))["trail.npy"])[1])
    reached = {y * side + x for y in range(corner) for x in range(corner)
               if trail[y * side + x] >= 1}
    edge = list(reached)
    while edge:
        here = edge.pop()
        near = [here + step for step in (1, -1, side, -side)]  # the frame keeps these inside
        new = [at for at in near if trail[at] >= 1 and at not in reached]
        reached.update(new)
        edge += new
    suite.check(any(at // side >= side - corner and at % side >= side - corner for at in reached),
                "a strand joins both foods", len(reached))


if __name__ == "__main__":
    sys.exit(main(globals()))

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_cli_runs.py VKSIM [NAME...]: runs, their pictures and states. See suite.py."""

import json
import os
import re
import struct
import sys
import zipfile

sys.dont_write_bytecode = True
from suite import (FILE, OK, SMALL, USAGE, find, floats, main, npy, npz, npz_members,  # noqa: E402
                   picture, png, report, values)


def test_steps_and_frames(suite):
    for arguments, steps, frames in (
            (["--frames", 5], 4, 5), (["--steps", 4], 4, 5), (["--frames", 1], 0, 1),
            (["--steps", 0], 0, 1), (["--frames", 5, "--steps-per-frame", 3], 12, 5),
            (["--steps", 12, "--steps-per-frame", 3], 12, 5),
            (["--steps", 10, "--steps-per-frame", 4], 10, 4),
            (["--steps", 3, "--steps-per-frame", 100], 3, 2),
            (["--duration", "0.1s"], 5, 6), (["--duration", "0:02", "--fps", "2.5"], 4, 5),
            (["--duration", "1s", "--fps", "30000/1001", "--steps-per-frame", 2], 58, 30),
            (["--steps", "1k", "--steps-per-frame", "0.5k"], 1000, 3)):
        name = " ".join(map(str, arguments))
        got = report(suite, *SMALL, *arguments, "--out", "steps.y4m", "--overwrite")
        suite.check((got["steps"], got["frames"]) == (steps, frames),
                    f"{name}: {steps} steps, {frames} frames", got)
        count = suite.read("steps.y4m").count(b"FRAME\n")
        suite.check(count == frames, f"{name}: the file has {frames}", count)
    got = report(suite, *SMALL, "--steps", 7, "--out", "none")
    suite.check((got["steps"], got["frames"]) == (7, 0), "--out none draws no frames", got)
    by_frames = suite.digests(*SMALL, "--frames", 5, "--out", "a.png", "--overwrite")
    by_steps = suite.digests(*SMALL, "--steps", 4, "--out", "a.png", "--overwrite")
    suite.check(by_frames == by_steps and len(by_frames) == 2, "--frames 5 is --steps 4", by_frames,
                by_steps)
    suite.check(suite.state(*SMALL, "--frames", 500) == suite.state(*SMALL),
                "500 frames by default")
    whole = suite.state(*SMALL, "--steps", 100)
    for per_frame in (1, 7, 33, 1000):
        got = suite.digests(*SMALL, "--steps", 100, "--steps-per-frame", per_frame, "--out",
                            "a.y4m", "--overwrite")["state"]
        suite.check(got == whole, f"{per_frame} steps per frame give the same state", got)


def test_digests(suite):
    run = ["--headless", "--preset", "plain", "--size", "96x64", "--agents", 500, "--steps", 30,
           "--jitter", 5, "--steering", "jones"]
    one = suite.digests(*run, "--out", "a.mp4", "--overwrite")
    for out in ("a.y4m", "a.png", "b_%05d.png"):
        suite.check(suite.digests(*run, "--out", out) == one, f"the same digests to {out}", one)
    status, out, err = suite.run(*run, "--out", "-", "--digest", binary=True)
    suite.check(status == OK and one["state"] in err and one["frames"] in err and
                b"digest" not in out, "digests with a video on standard output", err)
    suite.check(suite.digests(*run, "--out", "d.y4m")["state"] !=
                suite.state(*run, "--seed", 2), "another seed, another run")
    suite.check(suite.state(*run, "--seed", 1) == one["state"], "seed 1 by default")
    for seed in (0, 4294967295):
        suite.succeeds(f"seed {seed}", *run, "--out", "none", "--seed", seed)
    # The order of options does not matter; the last value of each counts.
    suite.check(suite.state(*run, "--seed", 3, "--seed", 1) == one["state"],
                "the last value counts")
    suite.check(suite.state("--steering=jones", "--jitter=5", "--steps=30", "--agents=500",
                            "--size=96x64", "--preset=plain", "--headless", "physarum") ==
                one["state"], "any order, NAME=VALUE, and the simulation's name last")


@values
def test_drivers(suite):
    """Digests, videos and states are the same on both drivers, and one continues the other's."""
    run = ["--headless", "--preset", "plain", "--size", "96x64", "--agents", 500, "--jitter", 5,
           "--steering", "jones"]
    swiftshader = suite.environment("swiftshader")
    found = [suite.digests(*run, "--steps", 9, "--out", f"{name}.y4m", "--save-state",
                           f"{name}.npz", env=env)
             for name, env in (("one", suite.environment()), ("two", swiftshader))]
    suite.check(found[0] == found[1] and "frames" in found[0], "the same digests", found)
    for kind in ("y4m", "npz"):
        suite.check(suite.read(f"one.{kind}") == suite.read(f"two.{kind}"), f"the same .{kind}")
    suite.check(suite.state("--headless", "--load-state", "one.npz", "--steps", 5,
                            env=swiftshader) == suite.state(*run, "--steps", 14),
                "a state continues on another driver")


@values
def test_looks(suite):
    """Sizes, crops and looks: identical on another driver; invalid values."""
    run = ["--headless", "--preset", "plain", "--size", "60x44", "--agents", 400, "--steps", 9]
    looks = (["--crop", "7,5,31x21"], ["--output-size", "25x0"], ["--output-size", "0x99"],
             ["--output-size", "81x23"], ["--crop", "7,5,31x21", "--output-size", "64x64", "--fit",
                                          "crop"], ["--invert"], ["--hillshade", 2],
             ["--hillshade", 2, "--light", "90,20", "--gloss", 0.5], ["--normalize", "symmetric"],
             ["--bloom", 1], ["--background", "#204060"],
             ["--hillshade", 1, "--bloom", 1, "--background", "ground.png", "--output-size",
              "77x51"])
    suite.write("ground.png", png(3, 2, [bytes(range(9)), bytes(range(200, 209))]))
    env = suite.environment("swiftshader")
    plain = suite.digests(*run, "--out", "a.y4m", "--overwrite")
    seen = {plain["frames"]}
    for index, look in enumerate(looks):
        name = " ".join(map(str, look))
        one = suite.digests(*run, *look, "--out", "a.y4m", "--overwrite")
        suite.check(one["state"] == plain["state"] and one["frames"] not in seen,
                    f"{name}: the same state, another picture", one)
        seen.add(one["frames"])
        if index % 5 == 4:  # a size with a part, and all at once
            two = suite.digests(*run, *look, "--out", "b.y4m", "--overwrite", env=env)
            suite.check(one == two and suite.read("a.y4m") == suite.read("b.y4m"),
                        f"{name}: the same on another driver", one, two)
    for look, width, height in ((["--output-size", "25x0"], 25, 18), (["--crop", "1,2,3x5"], 3, 5),
                                (["--output-size", "1x1"], 1, 1)):
        suite.succeeds(f"{look} to a picture", *run, *look, "--out", "a.png", "--overwrite")
        head = struct.unpack(">II", suite.read("a.png")[16:24])
        suite.check(head == (width, height), f"{look} is {width} x {height}", head)
    suite.succeeds("a scene of a look", *run, "--crop", "1,2,30x20", "--output-size", "0x33",
                   "--bloom", 1, "--invert", "--background", "#204060", "--out", "a.y4m",
                   "--overwrite", "--save-scene", "look.json")
    suite.succeeds("repeats it", "--headless", "--scene", "look.json", "--out", "b.y4m",
                   "--overwrite")
    suite.check(suite.read("a.y4m") == suite.read("b.y4m"), "to the byte")
    whole = suite.digests(*run, "--crop", "0,0,60x44", "--output-size", "60x44", "--out", "a.y4m",
                          "--overwrite")
    suite.check(whole == plain, "the whole field in its own size is the plain picture")
    for arguments, status, subject in (
            (["--crop", "50,0,11x5"], USAGE, "--crop"),
            (["--crop", "5"], USAGE, "--crop"),
            (["--output-size", "0x0"], USAGE, "--output-size"),
            (["--output-size", "20000x20000"], USAGE, "--output-size"),
            (["--fit", "pad"], USAGE, "--fit"),
            (["--hillshade", -1], USAGE, "--hillshade"),
            (["--bloom", 9], USAGE, "--bloom"),
            (["--bloom", 1, "--bloom-radius", 0.3], USAGE, "--bloom-radius"),
            (["--hillshade", 1, "--light", "315"], USAGE, "--light"),
            (["--hillshade", 1, "--light", "315,4"], USAGE, "--light"),
            (["--hillshade", 1, "--gloss", 2], USAGE, "--gloss"),
            (["--normalize", "symmetric:0"], USAGE, "--normalize"),
            (["--background", "#12"], USAGE, "--background"),
            (["--background", "transparent"], USAGE, "--background"),
            (["--background", "none.png"], FILE, "--background"),
            (["--background", "a.y4m"], FILE, "a.y4m")):
        suite.fails(f"{' '.join(map(str, arguments))} is refused", status, subject, *run,
                    *arguments, "--out", "c.y4m")
    for out in ("c.gif", "c.mp4"):
        suite.fails(f"a transparent background in {out} is refused", USAGE, "no transparency",
                    *run, "--fps", 50, "--background", "transparent", "--out", out)
    suite.succeeds("a transparent background in a picture", *run, "--background", "transparent",
                   "--out", "clear.png")
    suite.check(suite.read("clear.png")[24:26] == b"\x08\x06", "has alpha")
    suite.fails("a background is no output", USAGE, "--out", *run, "--background", "ground.png",
                "--out", "ground.png", "--overwrite")
    suite.check(not os.path.exists(suite.path("c.y4m")) and not suite.left_over(),
                "nothing is left behind", os.listdir(suite.folder))


@values
def test_views(suite):
    """No byte of the state depends on the picture options, nor the picture on the order of agents
    in memory."""
    size = ["--headless", "--size", "60x44", "--frames", 9, "--out", "a.y4m", "--overwrite"]
    swiftshader = suite.environment("swiftshader")
    for run, views in ((["--preset", "plain", "--agents", 900], ["trail", "agents"]),
                       (["gray-scott", "--preset", "theta-a"], ["v", "u"])):
        plain = suite.digests(*run, *size)
        frames = set()
        for view in views:
            for tone in ("linear", "log"):
                look = ["--view", view, "--tone", tone]
                one = suite.digests(*run, *size, *look)
                frames.add(one["frames"])
                suite.check(one["state"] == plain["state"], f"{view}, {tone}: the same state", one)
                if look == ["--view", views[0], "--tone", "linear"]:
                    suite.check(one == plain, f"{view} is the default", one, plain)
                if tone == "log":
                    two = suite.digests(*run, *size, *look, env=swiftshader)
                    suite.check(one == two, f"{view}, {tone}: the same on another driver", one, two)
        suite.check(len(frames) == 4, f"{views}: all differ", frames)
    run = ["--preset", "plain", "--agents", 900, "--view", "agents", "--tone", "log"]
    one = suite.digests(*run, *size, "--variant", "unsorted")
    suite.check(one == suite.digests(*run, *size, "--variant", "sorted-3-words"),
                "agents in another order", one)
    suite.succeeds("a scene of a view", *run, *size, "--save-scene", "view.json")
    suite.succeeds("repeats it", "--headless", "--scene", "view.json", "--out", "b.y4m",
                   "--overwrite")
    suite.check(suite.read("a.y4m") == suite.read("b.y4m"), "to the byte")
    suite.succeeds("a state of a view", *run, *size, "--save-state", "view.npz")
    again = ["--headless", "--load-state", "view.npz", "--frames", 1, "--out", "a.y4m",
             "--overwrite"]
    one = suite.digests(*again)
    suite.check(one == suite.digests(*again, "--view", "agents") != suite.digests(*again, "--view",
                                                                                  "trail"),
                "has it", one)
    few = ["--headless", "--size", "40x24", "--agents", 300, "--frames", 15, "--variant",
           "sorted-2-words"]
    suite.succeeds("all views side by side", *few, "--preset", "plain", "--vary", "view=all",
                   "--vary-rows", "tone=all", "--out", "g.png", "--timings=json")
    sheet = picture(suite.path("g.png"))
    for view in ("trail", "agents"):
        for tone in ("linear", "log"):
            suite.succeeds(view, *few, "--preset", "plain", "--view", view, "--tone", tone, "--out",
                           "one.png", "--overwrite")
            found = find(sheet, picture(suite.path("one.png")))
            suite.check(len(found) == 1, f"{view}, {tone} as alone", found)
    got = report(suite, *few, "--vary", "view=agents,trail,agents", "--out", "g.png", "--overwrite")
    calls = {row["name"]: row["calls"] for row in got["passes"]}
    suite.check(calls["agents"] == 14 and calls["count agents"] == 2 and calls["colour"] == 3,
                "one set of steps, a view each", calls)


@values
def test_presets(suite):
    small = ["--headless", "--size", "48x48", "--agents", 300, "--steps", 10]
    by_default = suite.state(*small)
    suite.check(suite.state(*small, "--preset", "default") == by_default, "default by default")
    suite.check(suite.state(*small, "--preset", "plain") != by_default, "plain is another")
    before = suite.state("--preset", "default", *small, "--decay", "0.2")
    after = suite.state("--decay", "0.2", *small, "--preset", "default")
    suite.check(before == after != by_default, "options given with a preset win, in any order")
    suite.write("preset.json", '{"preset": "plain", "size": "48x48", "agents": 300, "steps": 10}')
    suite.check(suite.state("--headless", "--scene", "preset.json") ==
                suite.state(*small, "--preset", "plain"), "a preset from a scene")
    suite.check(suite.state("--headless", "--scene", "preset.json", "--preset", "default",
                            "--agents", 300) == by_default,
                "a preset of the command line replaces the scene's options")
    listed = suite.run("--list")[1]
    for model, few in (("physarum", ["--agents", 200]), ("gray-scott", [])):
        part = re.search(rf"^{model}: .*?(?=^\S|\Z)", listed, re.M | re.S).group()
        presets = part.split("  presets:\n")[1].split("  brushes:\n")[0]
        names = re.findall(r"^    (\S+) ", presets, re.M)
        suite.check(len(names) >= 2, f"presets of {model} are listed", names)
        seen = {suite.state(model, "--headless", "--size", "40x40", *few, "--steps", 3, "--preset",
                            name) for name in names}
        suite.check(len(seen) >= 2, f"all {len(names)} presets of {model} run", seen)


def test_scenes(suite):
    rich = ["--headless", "--size", "41x29", "--agents", 222, "--seed", 9, "--decay", "0.07",
            "--sensor-angle", "33.3", "--init", "ring", "--sampling", "bilinear", "--gamma", "0.7",
            "--colormap", "cyberpunk", "--normalize", "fixed:0:3", "--steps-per-frame", 3]
    one = suite.digests(*rich, "--frames", 5, "--fps", 24, "--out", "a.y4m", "--save-scene",
                        "s.json")
    scene = json.loads(suite.read("s.json"))
    suite.check(scene["agents"] == 222 and scene["size"] == "41x29" and scene["frames"] == 5 and
                scene["fps"] == 24 and scene["simulation"] == "physarum" and
                scene["sensor-angle"] == 33.3 and "steps" not in scene, "a scene has the options",
                scene)
    two = suite.digests("--headless", "--scene", "s.json", "--out", "b.y4m", "--save-scene",
                        "t.json")
    suite.check(one == two, "a scene repeats the run", one, two)
    suite.check(suite.read("a.y4m") == suite.read("b.y4m"), "to the byte")
    suite.check(suite.read("s.json") == suite.read("t.json"), "and so does the scene of the scene")
    named = suite.digests("physarum", "--headless", "--scene", "s.json", "--out", "c.y4m")
    suite.check(named == one, "the simulation may be named as well")
    other = suite.digests("--headless", "--scene", "s.json", "--out", "d.y4m", "--decay", "0.08")
    suite.check(other != one, "options given with a scene win")
    # The simulation is named only by the scene, or only by the state.
    spots = ["gray-scott", "--headless", "--size", "32x24", "--out", "none", "--seed", 4]
    suite.succeeds("a scene of another simulation", *spots, "--steps", 6, "--save-scene", "gs.json",
                   "--save-state", "gs.npz")
    suite.check(suite.state("--headless", "--scene", "gs.json", "--feed", "0.03") ==
                suite.state(*spots, "--steps", 6, "--feed", "0.03"),
                "an option of the scene's simulation")
    suite.check(suite.state("--headless", "--load-state", "gs.npz", "--out", "none", "--steps", 3,
                            "--feed", "0.03") ==
                suite.state("gray-scott", "--headless", "--load-state", "gs.npz", "--out", "none",
                            "--steps", 3, "--feed", "0.03"), "an option of the state's simulation")
    suite.succeeds("a value that is the name of a simulation", "--headless", "--out", "none",
                   "--steps", 1, "--save-scene", "gray-scott", "physarum", "--agents", 100)
    suite.check(json.loads(suite.read("gray-scott"))["simulation"] == "physarum",
                "is not the simulation")
    suite.fails("an option of another simulation", USAGE, "--feed", "--headless", "--feed", 1)
    got = report(suite, "--headless", "--scene", "s.json", "--steps", 4, "--out", "none")
    suite.check(got["steps"] == 4, "--steps with a scene that has frames", got)
    suite.digests(*rich, "--steps", 14, "--out", "none", "--save-scene", "u.json")
    scene = json.loads(suite.read("u.json"))
    suite.check(scene.get("steps") == 14 and "frames" not in scene, "a scene of steps", scene)
    suite.check(suite.state("--headless", "--scene", "u.json") == suite.state(*rich, "--steps", 14),
                "and its run")
    suite.run(*SMALL, "--steps", 2, "--out", "none", "--save-scene", "s.json", "--overwrite")
    suite.check(json.loads(suite.read("s.json"))["agents"] == 60, "a scene file is replaced")


def test_states(suite):
    run = ["--headless", "--preset", "plain", "--size", "40x56", "--agents", 333, "--seed", 7,
           "--jitter", 10, "--steering", "jones", "--diffuse-size", 5, "--gamma", "0.8"]
    whole = suite.state(*run, "--steps", 12)
    suite.succeeds("save after 7 steps", *run, "--steps", 7, "--out", "none", "--save-state",
                   "a.npz")
    suite.check(suite.state("--headless", "--load-state", "a.npz", "--steps", 5) == whole,
                "7 steps, save, load and 5 steps are 12 steps")
    status, out, _ = suite.run("--headless", "--load-state", "a.npz", "--steps", 0, "--out", "none",
                               "--digest", "--save-state", "b.npz")
    suite.check(status == OK and suite.read("a.npz") == suite.read("b.npz"),
                "loaded and saved is the same file")
    suite.check(f"digest state {suite.state(*run, '--steps', 7)}\n" in out, "with the same digest")
    suite.check(json.loads(npz_members(suite.path("b.npz"))["vksim.json"])["steps"] == 7,
                "the steps go on counting")
    suite.succeeds("a preset with a state keeps its size and count", "--headless", "--load-state",
                   "a.npz", "--preset", "foam", "--steps", 1, "--out", "none")
    other = suite.state("--headless", "--load-state", "a.npz", "--steps", 5, "--decay", "0.5")
    suite.check(other != whole, "options given with a state win")
    # A scene that names a state.
    suite.succeeds("a scene of a state", "--headless", "--load-state", "a.npz", "--steps", 5,
                   "--out", "none", "--save-scene", "s.json")
    suite.check(suite.state("--headless", "--scene", "s.json") == whole, "repeats the run")
    # A long run split into three parts.
    for k, steps in enumerate((3, 0, 9)):
        load = ["--load-state", f"p{k}.npz"] if k else run[1:]
        suite.run("--headless", *load, "--steps", steps, "--out", "none", "--save-state",
                  f"p{k + 1}.npz")
    suite.check(suite.state("--headless", "--load-state", "p3.npz", "--steps", 0) == whole,
                "in three pieces")
    suite.run("--headless", "--load-state", "a.npz", "--steps", 1, "--out", "none", "--save-state",
              "a.npz")
    suite.check(json.loads(npz_members(suite.path("a.npz"))["vksim.json"])["steps"] == 8,
                "a state may replace the one it came from")


def test_numpy_states(suite):
    """Hand-made files: floats, no header, other types."""
    height, width, count = 6, 10, 4
    cells = [(0.0, 0.0), (5.5, 9.25), (2.0, 3.0), (-1.0, 12.5)]
    turns = [0.0, 0.25, 0.5, -0.125]
    trail = [0.25 * k for k in range(height * width)]
    exact = {
        "trail": npy("<f4", (height, width), floats(trail)),
        "position": npy("<u4", (count, 2), struct.pack(
            "<8I", *(-(-int(c % side * 2 ** 32) // side) % 2 ** 32
                     for yx in cells for c, side in zip(yx, (height, width))))),
        "heading": npy("<u4", (count,), struct.pack("<4I", *(int(t % 1 * 2 ** 32) for t in turns))),
    }
    radians = [6.283185307179586 * t for t in turns]
    flat = [c for yx in cells for c in yx]
    run = ["--headless", "--steps", 0, "--load-state"]
    npz(suite.path("exact.npz"), exact)
    wanted = suite.state(*run, "exact.npz")
    status, _, err = suite.run(*run, "exact.npz", "--out", "none", "--save-state", "back.npz")
    back = npz_members(suite.path("back.npz")) if status == OK else {}
    payload = {"trail": 240, "position": 32, "heading": 16}
    suite.check(all(back.get(f"{name}.npy", b"")[-size:] == exact[name][-size:]
                    for name, size in payload.items()),
                "a file without a header is taken as it is", err)
    variants = {
        "float32": ("f", "<f4"), "float64": ("d", "<f8"),
    }
    for name, (code, descr) in variants.items():
        npz(suite.path("made.npz"), {
            "trail": npy(descr, (height, width), floats(trail, code)),
            "position": npy(descr, (count, 2), floats(flat, code)),
            "heading": npy(descr, (count,), floats(radians, code)),
        })
        suite.succeeds(f"{name} arrays", *run, "made.npz", "--out", "none", "--save-state",
                       "made-back.npz", "--overwrite")
        made = npz_members(suite.path("made-back.npz"))
        places = struct.unpack("<8I", made["position.npy"][-32:])
        close = all(abs(place / 2 ** 32 * side - c % side) < 1e-5
                    for place, c, side in zip(places, flat, (height, width) * count))
        same_cells = all(place * side >> 32 == int(c % side)
                         for place, c, side in zip(places, flat, (height, width) * count))
        angles = struct.unpack("<4I", made["heading.npy"][-16:])
        near = all(min((a - t * 2 ** 32) % 2 ** 32, (t * 2 ** 32 - a) % 2 ** 32) < 2 ** 32 * 1e-6
                   for a, t in zip(angles, turns))
        suite.check(close and same_cells, f"{name} positions in cells", places)
        suite.check(near, f"{name} headings in radians", angles)
        suite.check(made["trail.npy"][-240:] == floats(trail), f"{name} trail")
        header = json.loads(made["vksim.json"])
        suite.check(header["options"]["size"] == f"{width}x{height}" and
                    header["options"]["agents"] == count, f"{name}: size and count are the arrays'",
                    header)
    # Only some of the fields: the others get their initial conditions.
    npz(suite.path("trail.npz"), {"trail": npy("<f8", (height, width), floats(trail, "d"))})
    suite.check(suite.state(*run, "trail.npz", "--agents", 50) not in
                (wanted, suite.state(*SMALL, "--steps", 0)), "only a trail")
    with zipfile.ZipFile(suite.path("deflated.npz"), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in exact.items():
            archive.writestr(name + ".npy", data)
    suite.check(suite.state(*run, "deflated.npz") == wanted, "numpy.savez_compressed")
    suite.succeeds("it runs", "--headless", "--load-state", "exact.npz", "--steps", 20, "--out",
                   "none")
    suite.fails("a size that is not the arrays'", FILE, "exact.npz", "--headless", "--load-state",
                "exact.npz", "--size", "12x12", "--out", "none")


if __name__ == "__main__":
    sys.exit(main(globals()))

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_cli_photos.py VKSIM [NAME...]: runs that start from images, fields in arrays, colours and
numbers as a person writes them. See suite.py."""

import json
import struct
import sys
import zlib

sys.dont_write_bytecode = True
from suite import (FILE, SMALL, USAGE, array, floats, main, npy, npz, npz_members,  # noqa: E402
                   pixels, png, png_size)


def noise(width, height):
    """Rows of RGB bytes."""
    state = 1
    rows = []
    for _ in range(height):
        row = bytearray()
        for _ in range(width):
            state = (state * 1664525 + 1013904223) % 2 ** 32
            row += bytes([state >> 24]) * 3
        rows.append(bytes(row))
    return rows


def turned(rows):
    """The rows turned by 90 degrees, clockwise."""
    width = len(rows[0]) // 3
    return [b"".join(row[3 * x:3 * x + 3] for row in reversed(rows)) for x in range(width)]


def with_exif(data, orientation):
    """A PNG with Exif data that have this orientation."""
    exif = b"MM\0*" + struct.pack(">IHHHIHHI", 8, 1, 0x112, 3, 1, orientation, 0, 0)
    body = b"eXIf" + exif
    return data[:33] + struct.pack(">I", len(exif)) + body + struct.pack(
        ">I", zlib.crc32(body)) + data[33:]


def test_orientation(suite):
    """A photo that the camera stored sideways is turned upright."""
    rows = noise(12, 20)
    suite.write("plain.png", png(12, 20, rows))
    suite.write("turned.png", png(20, 12, turned(rows)))
    suite.write("six.png", with_exif(png(12, 20, rows), 6))
    run = [*SMALL, "--steps", 2]
    states = {name: suite.state(*run, "--init", f"image:{name}.png")
              for name in ("plain", "turned", "six")}
    suite.check(states["six"] == states["turned"] != states["plain"], "a start", states)
    run = ["gray-scott", "--headless", "--size", "40x24", "--steps", 3, "--preset", "plain"]
    states = {name: suite.state(*run, "--feed-map", f"{name}.png")
              for name in ("plain", "turned", "six")}
    suite.check(states["six"] == states["turned"] != states["plain"], "a map", states)
    frames = {name: suite.digests(*run, "--background", f"{name}.png", "--out", "a.png",
                                  "--overwrite")["frames"] for name in ("plain", "turned", "six")}
    suite.check(frames["six"] == frames["turned"] != frames["plain"], "a background", frames)


def test_older_files(suite):
    """State files and scenes from before --init-fit keep images stretched."""
    suite.write("tall.png", png(12, 20, noise(12, 20)))
    run = ["gray-scott", "--headless", "--size", "40x24", "--preset", "plain", "--feed-map",
           "tall.png", "--out", "none"]
    suite.succeeds("a state", *run, "--steps", 3, "--init-fit", "stretch", "--save-state",
                   "new.npz", "--save-scene", "new.json")
    members = npz_members(suite.path("new.npz"))
    header = json.loads(members["vksim.json"])
    suite.check(header["options"].pop("init-fit") == "stretch", "which names the fit", header)
    npz(suite.path("old.npz"), {**members, "vksim.json": json.dumps(header)})
    scene = json.loads(suite.read("new.json"))
    del scene["init-fit"]
    suite.write("old.json", json.dumps(scene))
    del scene["vksim"]
    suite.write("hand.json", json.dumps(scene))
    more = ["--headless", "--out", "none", "--steps", 3]
    states = {name: suite.state(*more, "--scene" if "json" in name else "--load-state", name)
              for name in ("new.npz", "old.npz", "new.json", "old.json", "hand.json")}
    suite.check(states["new.npz"] == states["old.npz"], "a state file", states)
    suite.check(states["new.json"] == states["old.json"] != states["hand.json"], "a scene", states)


def size_of(suite, *arguments):
    """The size of a run without steps."""
    suite.succeeds(" ".join(map(str, arguments)), *arguments, "--headless", "--steps", 0, "--out",
                   "none", "--save-scene", "size.json", "--overwrite")
    return json.loads(suite.read("size.json"))["size"]


def test_aspect(suite):
    """Unless a size is given, a run takes the aspect ratio of the image that it starts from."""
    suite.write("portrait.png", png(30, 40, noise(30, 40)))
    suite.write("six.png", with_exif(png(30, 40, noise(30, 40)), 6))
    suite.write("square.png", png(7, 7, noise(7, 7)))
    suite.write("long.png", png(4000, 1, noise(4000, 1)))
    few = ["--preset", "plain", "--agents", 50]
    for name, size in (("portrait", "888x1184"), ("six", "1184x888"), ("square", "1024x1024"),
                       ("long", "64760x16")):
        got = size_of(suite, *few, "--init", f"image:{name}.png")
        suite.check(got == size, f"{name}: {size}", got)
    got = size_of(suite, "gray-scott", "--init", "image:portrait.png")
    suite.check(got == "888x1184", "another simulation", got)
    image = ["--init", "image:portrait.png"]
    got = size_of(suite, *few, *image, "--size", "1024x1024")
    suite.check(got == "1024x1024", "a given size wins, also the default one", got)
    got = size_of(suite, "gray-scott", "--feed-map", "portrait.png")
    suite.check(got == "1024x1024", "a map is not a start", got)
    suite.write("small.json", json.dumps({"size": "40x30", "agents": 50}))
    got = size_of(suite, "--scene", "small.json", *image)
    suite.check(got == "40x30", "a scene's size wins", got)
    suite.write("free.json", json.dumps({"init": "image:portrait.png", "agents": 50}))
    got = size_of(suite, "--scene", "free.json")
    suite.check(got == "888x1184", "a scene without one takes the image's", got)
    suite.succeeds("a state", *SMALL, "--steps", 0, "--out", "none", "--save-state", "s.npz")
    got = size_of(suite, "--load-state", "s.npz", *image)
    suite.check(got == "32x24", "a state's size wins", got)
    suite.succeeds("a sheet", *few, *image, "--headless", "--steps", 0, "--vary", "gamma=1,2",
                   "--out", "sheet.png", "--output-size", "30x0")
    suite.check(png_size(suite.read("sheet.png")) > (60, 40), "of such cells",
                png_size(suite.read("sheet.png")))
    suite.fails("a missing image", FILE, "none.png", *few, "--headless", "--init",
                "image:none.png", "--out", "none")


def trail(suite, *arguments):
    """The trail at the start."""
    suite.succeeds(" ".join(map(str, arguments)), *arguments, "--steps", 0, "--out", "none",
                   "--save-state", "fit.npz", "--overwrite")
    shape, values = array(npz_members(suite.path("fit.npz"))["trail.npy"])
    row = 4 * shape[1]
    return [values[row * y:row * (y + 1)] for y in range(shape[0])]


def test_fits(suite):
    """An image with another aspect ratio than the field."""
    rows = noise(20, 40)
    suite.write("tall.png", png(20, 40, rows))
    suite.write("middle.png", png(20, 20, rows[10:30]))
    run = ["--headless", "--preset", "plain", "--size", "20x20", "--agents", 60]
    tall = [*run, "--init", "image:tall.png"]
    cover = trail(suite, *tall)
    suite.check(cover == trail(suite, *tall, "--init-fit", "cover"), "cover is the default")
    suite.check(cover == trail(suite, *run, "--init", "image:middle.png"), "shows the middle")
    stretch = trail(suite, *tall, "--init-fit", "stretch")
    contain = trail(suite, *tall, "--init-fit", "contain")
    suite.check(all(row[:20] == bytes(20) == row[-20:] and row[20:-20] != bytes(40)
                    for row in contain), "contain has black around the image", contain)
    half = trail(suite, *run, "--size", "10x20", "--init", "image:tall.png")
    suite.check([row[20:-20] for row in contain] == half, "and all of the image")
    suite.check(len({tuple(cover), tuple(contain), tuple(stretch)}) == 3, "all differ")
    suite.fails("another fit", USAGE, "--init-fit", *tall, "--init-fit", "crop", "--out", "none")
    run = ["gray-scott", "--headless", "--size", "20x20", "--steps", 2, "--preset", "plain"]
    states = {fit: suite.state(*run, "--kill-map", "tall.png", "--init-fit", fit)
              for fit in ("cover", "contain", "stretch")}
    suite.check(len(set(states.values())) == 3, "maps, too", states)
    suite.check(states["cover"] == suite.state(*run, "--kill-map", "middle.png"), "of the middle")


def test_one_field(suite):
    """An array has one field in all frames, while pictures of Gray-Scott show u while v is
    uniform."""
    width, height, frames = 24, 16, 5
    cells = width * height
    u = floats([0.25 + 0.5 * k / cells for k in range(cells)])
    v = floats([2e-6 if k == 40 else 0 for k in range(cells)])  # decays to less than a range
    npz(suite.path("faint.npz"), {"u": npy("<f4", (height, width), u),
                                  "v": npy("<f4", (height, width), v)})
    npz(suite.path("no-v.npz"), {"u": npy("<f4", (height, width), u),
                                 "v": npy("<f4", (height, width), bytes(4 * cells))})
    run = ["gray-scott", "--headless", "--preset", "plain", "--load-state"]
    steps = ["--steps", frames - 1, "--steps-per-frame", 1]
    states = []
    for step in range(frames):
        suite.succeeds(f"step {step}", *run, "faint.npz", "--steps", step, "--out", "none",
                       "--save-state", "now.npz", "--overwrite")
        members = npz_members(suite.path("now.npz"))
        states.append({name: array(members[f"{name}.npy"])[1] for name in "uv"})
    for view, field in (([], "v"), (["--view", "v"], "v"), (["--view", "u"], "u")):
        wanted = b"".join(state[field] for state in states)
        name = " ".join(view) or "no view"
        suite.succeeds(f"{name}: an array", *run, "faint.npz", *steps, *view, "--out", "a.npy",
                       "--overwrite")
        shape, values = array(suite.read("a.npy"))
        suite.check(shape == (frames, height, width) and values == wanted, f"{name}: is {field}")
        suite.succeeds(f"{name}: numbered", *run, "faint.npz", *steps, *view, "--out",
                       "a_%02d.npy", "--overwrite")
        parts = [array(suite.read(f"a_{k:02}.npy"))[1] for k in range(frames)]
        suite.check(b"".join(parts) == wanted, f"{name}: the same, numbered")
        suite.succeeds(f"{name}: a larger array", *run, "faint.npz", *steps, *view, "--crop",
                       "2,3,4x5", "--out", "c.npy", "--overwrite")
        rows = [state[field][4 * (width * y + 2):4 * (width * y + 6)]
                for state in states for y in range(3, 8)]
        suite.check(array(suite.read("c.npy"))[1] == b"".join(rows), f"{name}: a part of it")
        suite.succeeds(f"{name}: a field", *run, "faint.npz", *steps, *view, "--out", "a.vti",
                       "--overwrite")
        suite.check(states[-1][field] in suite.read("a.vti"), f"{name}: is {field}, too")
    seen = {}
    look = ["--frames", 1, "--colormap", "grey", "--normalize", "frame"]  # views differ in theirs
    for view in ([], ["--view", "v"], ["--view", "u"]):
        suite.succeeds(f"a picture of {view}", *run, "no-v.npz", *look, *view, "--out",
                       "a.png", "--overwrite")
        seen[" ".join(view)] = pixels(suite.path("a.png"))
    suite.check(seen[""] == seen["--view u"] != seen["--view v"], "pictures show u instead")
    suite.check(len(set(zip(*[iter(seen["--view v"])] * 3))) == 1, "unless v was chosen")
    suite.succeeds("with its values", *run, "no-v.npz", *look, "--out", "a.exr")
    suite.succeeds("of u", *run, "no-v.npz", *look, "--view", "u", "--out", "u.exr")
    suite.check(pixels(suite.path("a.exr"), "gbrpf32le") == pixels(suite.path("u.exr"), "gbrpf32le")
                and suite.read("a.exr") != suite.read("u.exr"),
                "an .exr has the values of v, and a picture of u")


def test_colours(suite):
    run = ["gray-scott", "--headless", "--preset", "plain", "--size", "32x24", "--steps", 2,
           "--overwrite", "--out", "a.png"]
    for colour, same in (("white", "#ffffff"), ("#fff", "#FFFFFF"), ("Navy", "#000080"),
                         ("grey", "gray"), ("#19c", "#1199cc")):
        one = suite.digests(*run, "--background", colour)
        suite.check(one == suite.digests(*run, "--background", same) !=
                    suite.digests(*run, "--background", "#123456"), f"{colour} is {same}", one)
    suite.fails("a colour with a slip", FILE, "whte", *run, "--background", "whte")
    suite.fails("a colour with alpha", USAGE, "#ffff", *run, "--background", "#ffff")
    suite.write("white", png(2, 2, [bytes(6), bytes(6)]))
    suite.check(suite.digests(*run, "--background", "./white") ==
                suite.digests(*run, "--background", "black"), "a file is named with its folder")


def test_words(suite):
    suite.fails("an image without its prefix", USAGE, "image:me.jpg", *SMALL, "--init", "me.jpg")
    run = [*SMALL, "--steps", 2, "--jitter", "0.1", "--decay", "0.30000000000000004"]
    digests = suite.digests(*run, "--out", "a.y4m", "--save-scene", "a.json")
    text = suite.read("a.json").decode()
    suite.check('"jitter": 0.1,' in text and '"decay": 0.30000000000000004,' in text and
                "999999" not in text, "a scene's numbers are short", text)
    again = ["--headless", "--scene", "b.json", "--out", "b.y4m", "--overwrite"]
    suite.write("b.json", b"\xef\xbb\xbf" + text.encode())
    suite.check(suite.digests(*again) == digests, "a scene with a byte order mark is the same run")
    suite.write("b.json", b"\xef\xbb\xbf[1]")
    suite.fails("and may be wrong", USAGE, "b.json", *again)


if __name__ == "__main__":
    sys.exit(main(globals()))

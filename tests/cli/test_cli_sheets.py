#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_cli_sheets.py VKSIM [NAME...]: grids and contact sheets. See suite.py."""

import json
import os
import re
import signal
import sys

sys.dont_write_bytecode = True
from suite import (DEVICE, FILE, INTERRUPTED, OK, SMALL, USAGE, find, interrupted,  # noqa: E402
                   main, picture, png_size, probe, report, values)


def lettered(sheet, left, top, right, bottom):
    """Counts the pixels in a part of a picture that are lighter than its background."""
    width, _, data = sheet
    return sum(data[(y * width + x) * 3] > 60 for y in range(top, bottom)
               for x in range(left, right))


def grid_digests(suite, *arguments, **more):
    """([digests of states], [captions], digest of frames) of a run that must succeed."""
    status, out, err = suite.run(*arguments, "--digest", "--overwrite", **more)
    found = re.findall(r"^digest state ([0-9a-f]{32}) (.*)$", out, re.M)
    frames = re.findall(r"^digest frames ([0-9a-f]{32})$", out, re.M)
    if status != OK or not found:
        raise AssertionError(f"{arguments}: status {status}: {err}{out}")
    return [digest for digest, _ in found], [words for _, words in found], frames


def test_fit(suite):
    """Small pictures of a grid show the middle of the field with one pixel per cell."""
    run = [*SMALL, "--size", "64x48", "--agents", 300, "--steps", 8]
    small = ["--output-size", "20x16"]
    suite.succeeds("a grid", *run, *small, "--vary", "seed=1,2", "--out", "g.png")
    suite.succeeds("the middle", *run, "--crop", "22,16,20x16", "--out", "m.png")
    suite.succeeds("all of it", *run, *small, "--out", "s.png")
    sheet = picture(suite.path("g.png"))
    suite.check(find(sheet, picture(suite.path("m.png"))) and
                not find(sheet, picture(suite.path("s.png"))), "it shows the middle")
    suite.succeeds("--fit stretch", *run, *small, "--vary", "seed=1,2", "--fit", "stretch",
                   "--out", "f.png")
    suite.check(find(picture(suite.path("f.png")), picture(suite.path("s.png"))),
                "--fit stretch shows all of it")
    run = ["--headless", "--size", "64x48", "--agents", 300, "--frames", 3]
    suite.succeeds("presets", *run, *small, "--vary", "preset=worms,frost", "--out", "p.png")
    suite.succeeds("one of them", *run, "--preset", "worms", "--crop", "22,16,20x16", "--out",
                   "w.png")
    suite.check(find(picture(suite.path("p.png")), picture(suite.path("w.png"))),
                "those of presets do, too")


def test_grid(suite):
    for size in ("32x24", "33x17", "1x1", "257x3"):
        run = ["--headless", "--size", size, "--agents", 60, "--frames", 6, "--out", "g.png",
               "--vary", "preset=worms,frost,network"]
        states, words, frames = grid_digests(suite, *run)
        suite.check(words == ["worms", "frost", "network"], f"{size}: a line per cell", words)
        for preset, steps, state in zip(words, (5, 10, 5), states):
            alone = suite.state("--headless", "--size", size, "--agents", 60, "--preset", preset,
                                "--frames", 6)
            suite.check(alone == state, f"{size}: {preset} is in the state of its run alone")
    states, words, _ = grid_digests(suite, *SMALL, "--grid", "3x2", "--vary",
                                    "sensor-angle=10..30", "--vary-rows", "decay=0.1,0.2",
                                    "--steps", 3, "--out", "none")
    suite.check(words == [f"sensor angle {a} decay {d}" for d in ("0.1", "0.2")
                          for a in (10, 20, 30)] and len(set(states)) == 6, "two options", words)
    got = report(suite, *SMALL, "--vary", "seed=1,2", "--vary-rows", "gamma=0.5,1", "--steps", 6,
                 "--out", "none")
    calls = {row["name"]: row["calls"] for row in got["passes"]}
    suite.check(got["steps"] == 12 and calls.get("agents") == 12 and calls.get("composite") == 0,
                "the report counts all cells, and shared states once", got["steps"], calls)
    for out in ("v.mp4", "v.y4m"):
        suite.succeeds(out, *SMALL, "--size", "35x27", "--vary", "seed=1,2,3", "--frames", 4,
                       "--out", out)
        err, stream = probe(suite.path(out))
        suite.check(not err and stream.get("nb_read_frames") == "4" and
                    int(stream["width"]) > 3 * 35 and int(stream["height"]) > 27,
                    f"{out} has all cells", err, stream)


def test_cells_alone(suite):
    """Each cell equals the picture of its run alone, pixel for pixel, with a caption below."""
    run = ["--headless", "--size", "47x33", "--agents", 200, "--frames", 12]
    suite.succeeds("a grid", *run, "--vary", "preset=worms,frost,dahlia,net,silk", "--out", "g.png")
    sheet = picture(suite.path("g.png"))
    places = []
    for preset in ("worms", "frost", "dahlia", "net", "silk"):
        suite.succeeds(preset, *run, "--preset", preset, "--out", "one.png", "--overwrite")
        one = picture(suite.path("one.png"))
        found = find(sheet, one)
        suite.check(len(found) == 1, f"{preset} is on the sheet once", found)
        places += found
        x, y = found[0] if found else (0, 0)
        suite.check(lettered(sheet, x, y + 33, x + 47, y + 33 + 14) > 20,
                    f"{preset} has a caption")
    suite.check(len(set(x for x, _ in places)) == 3 and len(set(y for _, y in places)) == 2 and
                places == sorted(places, key=lambda place: (place[1], place[0])),
                "three columns, two rows, in reading order", places)


def test_tall_cells(suite):
    """More rows in all than 65535 workgroups of eight, the limit of a device along one axis."""
    run = ["--headless", "--size", "16x65536", "--agents", 9, "--steps", 0, "--preset", "plain"]
    colours = ",".join(["grey", "gold"] * 4 + ["ink"])
    suite.succeeds("tall cells", *run, "--vary", f"colormap={colours}", "--grid", "9x1", "--out",
                   "g.png")
    suite.succeeds("one of them", *run, "--colormap", "ink", "--out", "one.png")
    found = find(picture(suite.path("g.png")), picture(suite.path("one.png")))
    suite.check(len(found) == 1, "the last one is as alone", found)


def test_shared_states(suite):
    """Cells that differ only in their look share their steps. Their pictures are as if each had run
    alone, also with a range that depends on earlier frames."""
    run = ["--headless", "--size", "40x24", "--agents", 300, "--frames", 15]
    values = ["smooth", "frame", "fixed:0:3"]
    suite.succeeds("looks", *run, "--preset", "plain", "--vary", "normalize=" + ",".join(values),
                   "--vary-rows", "colormap=abyss,gold", "--out", "g.png", "--timings=json")
    sheet = picture(suite.path("g.png"))
    for value in values:
        for colours in ("abyss", "gold"):
            suite.succeeds(value, *run, "--preset", "plain", "--normalize", value, "--colormap",
                           colours, "--out", "one.png", "--overwrite")
            found = find(sheet, picture(suite.path("one.png")))
            suite.check(len(found) == 1, f"{value}, {colours} as alone", found)
    got = report(suite, *run, "--preset", "plain", "--vary", "colormap=all", "--out", "g.png",
                 "--overwrite")
    calls = {row["name"]: row["calls"] for row in got["passes"]}
    suite.check(calls["agents"] == 14 and calls["colour"] > 100 and calls["composite"] == 15,
                "one set of steps, many pictures", calls)
    states = grid_digests(suite, *run, "--vary", "colormap=grey,gold", "--out", "none")[0]
    suite.check(states[0] == states[1], "their states are one", states)
    suite.run(*SMALL, "--steps", 9, "--out", "none", "--save-state", "s.npz")
    states = grid_digests(suite, "--headless", "--load-state", "s.npz", "--vary", "decay=0.1,0.2",
                          "--vary-rows", "gamma=1,2", "--steps", 4, "--out", "none")[0]
    alone = [suite.state("--headless", "--load-state", "s.npz", "--decay", decay, "--steps", 4)
             for decay in ("0.1", "0.2")]
    suite.check(states == alone * 2, "cells go on from a state file", states, alone)


@values
def test_grid_looks(suite):
    """Effects beyond colours, in cells of which two each share a state."""
    run = ["--headless", "--agents", 300, "--frames", 12, "--normalize", "frame", "--overwrite"]
    for option, values in (("bloom", "0;1.3"), ("hillshade", "0;4"), ("invert", "true;false"),
                           ("crop", "0,0,20x12;9,5,20x12"), ("background", "#102030;none"),
                           ("fit", "stretch;crop")):
        cells = [*run, "--size", "40x24", "--output-size", "31x37"]
        suite.succeeds(f"{option} varies", *cells, "--vary", f"{option}={values}", "--vary-rows",
                       "seed=1,2", "--out", "g.png")
        sheet = picture(suite.path("g.png"))
        for value in values.split(";"):
            suite.succeeds(value, *cells, f"--{option}={value}", "--seed", 2, "--out", "one.png")
            found = find(sheet, picture(suite.path("one.png")))
            suite.check(len(found) == 1, f"--{option} {value} as alone", found)
    box = ["gas", "--preset", "plain", "--headless", "--size", "8x8x8", "--particles", 900,
           "--frames", 12, "--view", "points", "--output-size", "51x43", "--overwrite"]
    suite.succeeds("spins vary", *box, "--vary", "spin=0.5,-7", "--vary-rows", "seed=1,2", "--out",
                   "g.png")
    suite.succeeds("one of them", *box, "--spin", -7, "--seed", 2, "--out", "one.png")
    suite.check(len(find(picture(suite.path("g.png")), picture(suite.path("one.png")))) == 1,
                "a box turns as alone in a cell that shares its steps")
    suite.succeeds("fields of several sizes", *run, "--vary", "size=30x30,41x23", "--output-size",
                   "24x24", "--out", "g.png")
    suite.succeeds("one of them", *run, "--size", "41x23", "--output-size", "24x24", "--out",
                   "one.png")
    suite.check(len(find(picture(suite.path("g.png")), picture(suite.path("one.png")))) == 1,
                "pictures of one size are enough")
    suite.fails("a hole in a video", USAGE, "--background", *run, "--size", "40x24", "--vary",
                "background=none,transparent", "--out", "v.mp4")


def test_grid_scenes(suite):
    first = ["--headless", "--size", "32x24", "--agents", 60, "--decay", "0.3", "--frames", 4,
             "--vary", "preset=silk,dots", "--vary-rows", "gamma=0.4..0.8", "--grid", "2x3"]
    one = grid_digests(suite, *first, "--out", "a.png", "--save-scene", "s.json")
    scene = json.loads(suite.read("s.json"))
    suite.check(scene["vary"] == "preset=silk,dots" and scene["vary-rows"] == "gamma=0.4..0.8" and
                scene["grid"] == "2x3" and scene["decay"] == 0.3 and "sensor-angle" not in scene,
                "a scene has what was given, not what presets set", scene)
    two = grid_digests(suite, "--headless", "--scene", "s.json", "--out", "b.png", "--save-scene",
                       "t.json")
    suite.check(one == two and suite.read("a.png") == suite.read("b.png"), "a scene repeats it")
    suite.check(suite.read("s.json") == suite.read("t.json"), "and so does the scene of the scene")
    plain = grid_digests(suite, *SMALL, "--sensor-angle", 40, "--vary", "decay=0.1,0.2", "--frames",
                         3, "--out", "a.png", "--collage", "2x1", "--save-scene", "u.json")
    again = grid_digests(suite, "--headless", "--scene", "u.json", "--out", "c.png")
    suite.check(plain == again and suite.read("a.png") == suite.read("c.png"),
                "other options too, and a collage")
    # turn-angle depends on the varied option, also in the scene's cells.
    plain = grid_digests(suite, *SMALL, "--vary", "sensor-angle=20,70", "--frames", 30, "--out",
                         "d.png", "--save-scene", "v.json")
    again = grid_digests(suite, "--headless", "--scene", "v.json", "--out", "e.png")
    suite.check(plain == again and len(set(plain[0])) == 2 and
                json.loads(suite.read("v.json"))["turn-angle"] == "sensor-angle",
                "what follows a varied option does so in the scene", plain, again)
    other = grid_digests(suite, "--headless", "--scene", "u.json", "--vary", "preset=net,foam",
                         "--out", "none")
    alone = suite.state("--headless", "--size", "32x24", "--preset", "net", "--frames", 3)
    suite.check(other[1] == ["net", "foam"] and other[0][0] == alone,
                "--vary preset wins over a scene, as --preset does", other)
    suite.write("w.json", json.dumps({"vary": "preset=net,foam", "grid": 3}))
    suite.fails("a grid that is none in a scene", USAGE, "grid '3'", "--headless", "--scene",
                "w.json")


def test_grid_refused(suite):
    small = [*SMALL, "--steps", 2, "--out", "none"]
    for name, subject, arguments in [
            ("a grid of nothing", "--grid", ["--grid", "2x2"]),
            ("too few values", "2x2 has 4 cells", ["--grid", "2x2", "--vary", "decay=0.1,0.2"]),
            ("too many values", "1x1 has 1 cell,", ["--grid", "1x1", "--vary", "decay=0.1,0.2"]),
            ("no size", "--grid", ["--grid", "4", "--vary", "seed=1,2,3,4"]),
            ("an unknown option", "decai", ["--vary", "decai=1,2"]),
            ("the tool's option", "out", ["--vary", "out=a.png,b.png"]),
            ("a wrong value", "x", ["--vary", "decay=0.1,x"]),
            ("a wrong range", "decay must be from 0 to 1, not 2", ["--vary", "decay=0.1..2",
                                                                   "--grid", "2x1"]),
            ("a range without a grid", "LOW..HIGH/N", ["--vary", "decay=0.1..0.2"]),
            ("given and varied", "--agents", ["--vary", "agents=10,20"]),
            ("--save-state", "--save-state", ["--vary", "decay=0.1,0.2", "--save-state", "s.npz"])]:
        suite.fails(name, USAGE, subject, *small, *arguments)
    unstable = ["gray-scott", "--headless", "--size", "16x16", "--steps", 1, "--out", "none",
                "--du", 1, "--dv", 0.5]
    suite.fails("an unstable cell", USAGE, "--dt", *unstable, "--vary", "dt=0.1,0.5")
    suite.succeeds("stable cells of settings that are not", *unstable, "--vary", "dt=0.1,0.2")
    suite.fails("different sizes", USAGE, "one size", "--headless", "--agents", 5, "--vary",
                "size=8x8,9x8", "--steps", 1, "--out", "none")
    suite.fails("an unknown preset", USAGE, "wurms", "--headless", "--vary", "preset=net,wurms",
                "--out", "none")
    suite.fails("--preset and --vary preset", USAGE, "--preset", *small, "--vary",
                "preset=net,silk")
    suite.fails("--steps with different speeds", USAGE, "--steps", "--headless", "--size", "32x24",
                "--vary", "preset=net,dots", "--steps", 5, "--out", "none")
    # SwiftShader has 2 GiB on every machine.
    suite.fails("cells beyond memory", USAGE, "--size", "--headless", "--size", "2896x2896",
                "--agents", 9, "--grid", "6x5", "--vary", "seed=1..30", "--steps", 1, "--out",
                "none", env=suite.environment("swiftshader"))
    suite.write("map.csv", "\n".join(f"{i},{i},{i}" for i in range(256)))
    suite.fails("a cell's own file", USAGE, "--save-scene", *small, "--vary",
                "colormap=gold,map.csv", "--save-scene", "map.csv", "--overwrite")
    suite.check(suite.read("map.csv").startswith(b"0,0,0"), "it is untouched")
    suite.fails("pictures beyond a buffer", USAGE, "cells", "--headless", "--size", "4096x2048",
                "--agents", 9, "--vary", "colormap=grey,gold,ember,abyss,ink", "--steps", 1,
                "--out", "none", "--quiet")
    suite.check(not suite.left_over(), "nothing is left behind", suite.left_over())


@values
def test_drivers(suite):
    """Grids and contact sheets are the same on both drivers."""
    envs = [suite.environment(driver) for driver in ("lavapipe", "swiftshader")]
    grid = ["--headless", "--size", "33x17", "--agents", 60, "--frames", 6, "--out", "g.png",
            "--vary", "preset=worms,frost,network"]
    found = [grid_digests(suite, *grid, env=env) for env in envs]
    suite.check(found[0] == found[1], "the same grid", found)
    for name, env in zip(("a.png", "b.png"), envs):
        suite.succeeds(f"a sheet, {name}", *SMALL, "--size", "45x31", "--frames", 9,
                       "--steps-per-frame", 50, "--collage", "4x2", "--out", name, env=env)
    suite.check(suite.read("a.png") == suite.read("b.png"), "the same sheet")


def test_collage(suite):
    run = [*SMALL, "--size", "45x31", "--frames", 31, "--steps-per-frame", 50]
    suite.succeeds("stills", *run, "--out", "s%02d.png")
    suite.succeeds("a contact sheet", *run, "--collage", "4x2", "--out", "c.png")
    sheet = picture(suite.path("c.png"))
    expected = [0, 4, 9, 13, 17, 21, 26, 30]
    places = []
    for frame in expected[1:]:
        found = find(sheet, picture(suite.path(f"s{frame:02}.png")))
        suite.check(len(found) == 1, f"frame {frame} is on it", found)
        places += found
        if found:
            x, y = found[0]
            suite.check(lettered(sheet, x, y + 31, x + 45, y + 31 + 14) > 20, "and captioned")
    suite.check(places == sorted(places, key=lambda place: (place[1], place[0])),
                "in reading order", places)
    status, _, err = suite.run(*run, "--collage", "4x2", "--out", "v.mp4")
    suite.check(status == OK and "wrote v.mp4 (31 frames" in err and
                "wrote v-sheet.png (8 frames" in err, "next to a video", err)
    suite.check(suite.read("v-sheet.png") == suite.read("c.png"), "the same sheet")
    suite.succeeds("of a grid", *SMALL, "--vary", "seed=1,2", "--frames", 3, "--collage", "2x1",
                   "--out", "g.png")
    suite.succeeds("the grid", *SMALL, "--vary", "seed=1,2", "--frames", 3, "--out", "last.png")
    suite.check(len(find(picture(suite.path("g.png")), picture(suite.path("last.png")))) == 1,
                "a grid's frames on a contact sheet")
    status, seconds, err = interrupted(suite, ["--frames", "1000000", "--collage", "2x2", "--out",
                                               "i.png"], [signal.SIGINT])
    suite.check(status == INTERRUPTED and png_size(suite.read("i.png"))[0] > 64,
                "Ctrl-C keeps what there is", status, err)
    suite.check(not suite.left_over(), "nothing is left behind", suite.left_over())


def test_collage_refused(suite):
    for name, subject, arguments in [
            ("more places than frames", "3x2 shows 6 frames", ["--collage", "3x2", "--frames", 5,
                                                               "--out", "x.png"]),
            ("no file", "--collage", ["--collage", "1x1", "--frames", 5, "--out", "none"]),
            ("standard output", "--collage", ["--collage", "1x1", "--frames", 5, "--out", "-"]),
            ("numbered stills", "--collage", ["--collage", "1x1", "--frames", 5, "--out",
                                              "x%d.png"]),
            ("no size", "--collage", ["--collage", "0x2", "--frames", 5, "--out", "x.png"])]:
        suite.fails(name, USAGE, subject, *SMALL, *arguments)
    suite.fails("a window", USAGE, "--collage", "--collage", "2x2")
    suite.write("c.json", json.dumps({"collage": "2x2", "frames": 4}))
    suite.fails("a scene's is left out there: only the display lacks", DEVICE, "--headless",
                "--scene", "c.json", env=suite.environment(SDL_VIDEODRIVER="nothing"))
    suite.succeeds("and without any output", *SMALL, "--scene", "c.json", "--out", "none")
    suite.fails("one name for two", USAGE, "--save-scene", *SMALL, "--collage", "1x1", "--frames",
                2, "--out", "v.mp4", "--save-scene", "v-sheet.png")
    suite.write("x.png", b"mine")
    suite.write("y-sheet.png", b"mine")
    for out in ("x.png", "y.mp4"):
        suite.fails(f"{out}: the sheet exists", FILE, "--overwrite", *SMALL, "--collage", "2x2",
                    "--frames", 5, "--out", out)
    suite.check(suite.read("x.png") == suite.read("y-sheet.png") == b"mine" and
                not os.path.exists(suite.path("y.mp4")), "nothing was touched")
    suite.fails("a folder that is not there", FILE, "no/x.png", *SMALL, "--collage", "2x2",
                "--frames", 5, "--out", "no/x.png")
    status, _, err = suite.run(*SMALL, "--collage", "2x2", "--frames", 5, "--out", "x.png",
                               "--overwrite")
    suite.check(status == OK and suite.read("x.png") != b"mine", "--overwrite replaces it", err)
    suite.check(not suite.left_over(), "nothing is left behind", suite.left_over())


if __name__ == "__main__":
    sys.exit(main(globals()))

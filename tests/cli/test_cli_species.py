#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_cli_species.py VKSIM [NAME...]: several species of Physarum: lists of values, what is
refused or has no effect, scenes, states and outputs. See suite.py."""

import json
import re
import struct
import sys

sys.dont_write_bytecode = True
from suite import (FILE, SMALL, USAGE, array, floats, main, npy, npz, npz_members,  # noqa: E402
                   pixels, png, read_table, report, values)

NONE = [*SMALL, "--steps", 1, "--out", "none"]
# All options of species, lists among them.
FULL = ["--species", 3, "--species-shares", "3,1,1", "--init", "disc", "--species-start", "wedges",
        "--attraction", "1,0.5,-0.25/0,1,0/0,0.25,1", "--infection", "any", "--infection-factor",
        0.5, "--infection-time", 2, "--infection-trail", 0.2, "--sensor-distance", "9,7,12",
        "--sensor-distance-gain", "1,0,2", "--jitter", "1,2,3", "--diffuse", "0.1,0.2,0.3",
        "--species-colors", "#ff0000,#0f0,viridis", "--species-mix", "max"]


def test_refused(suite):
    """Values that do not fit the number of species, or each other."""
    two, three = ["--species", 2], ["--species", 3]
    rows = [
        ("nine species", "--species", ["--species", 9]),
        ("no species", "--species", ["--species", 0]),
        ("a list without species", "--sensor-distance", ["--sensor-distance", "9,7"]),
        ("a list that is too short", "--jitter", [*three, "--jitter", "9,7"]),
        ("a list that is too long", "--decay", [*two, "--decay", "0.1,0.2,0.3"]),
        ("a list of nine", "--decay", [*two, "--decay", "0,0,0,0,0,0,0,0,0"]),
        ("a list with a gap", "--decay", [*two, "--decay", "0.1,"]),
        ("a list with a word", "--decay", [*two, "--decay", "0.1,x"]),
        ("a list with a value out of range", "--decay", [*two, "--decay", "0.1,1.1"]),
        ("a list for an option of all species", "--trail-ahead", [*two, "--trail-ahead", "1,2"]),
        ("a list of counts", "--lifetime", [*two, "--lifetime", "9,20"]),
        ("a list that another option follows", "--sensor-angle",
         [*three, "--sensor-angle", "20,30"]),
        ("a share too few", "--species-shares", [*three, "--species-shares", "1,2"]),
        ("nine shares", "--species-shares", [*two, "--species-shares", "1,1,1,1,1,1,1,1,1"]),
        ("shares without agents", "--species-shares", [*two, "--species-shares", "0,0"]),
        ("a negative share", "--species-shares", [*two, "--species-shares", "1,-1"]),
        ("a share that is too large", "--species-shares", [*two, "--species-shares", "1,1e7"]),
        ("shares that end in a comma", "--species-shares", [*two, "--species-shares", "1,2,"]),
        ("an attraction below -1", "--attraction", [*two, "--attraction", "1,-0.5/-1.5,1"]),
        ("an attraction over 1", "--attraction", [*two, "--attraction", "1.01,0/0,1"]),
        ("an attraction of one row", "--attraction", [*two, "--attraction", "1,-0.5"]),
        ("an attraction of three rows", "--attraction", [*two, "--attraction", "1,0/0,1/1,0"]),
        ("an attraction of nine rows", "--attraction",
         ["--species", 8, "--attraction", "/".join(["1,1,1,1,1,1,1,1"] * 9)]),
        ("a row of one", "--attraction", [*two, "--attraction", "1,0/1"]),
        ("a row of three", "--attraction", [*two, "--attraction", "1,0,0/0,1"]),
        ("a row of nine", "--attraction", [*two, "--attraction", "1,1,1,1,1,1,1,1,1/1"]),
        ("rows that end in a slash", "--attraction", [*two, "--attraction", "1,-0.5/-0.5,1/"]),
        ("rows with a blank", "--attraction", [*two, "--attraction", "1, 0/0,1"]),
        ("rows with a word", "--attraction", [*two, "--attraction", "1,nan/0,1"]),
        ("nearly a name", "--attraction", [*two, "--attraction", "folow"]),
        ("an unknown infection", "--infection", [*two, "--infection", "some"]),
        ("an unknown mix", "--species-mix", [*two, "--species-mix", "mean"]),
        ("an unknown start", "--species-start", [*two, "--species-start", "wedge"]),
        ("wedges of the whole field", "--species-start", [*two, "--species-start", "wedges"]),
        ("wedges of a point", "--species-start",
         [*two, "--species-start", "wedges", "--init", "point"]),
        ("wedges of an image", "--species-start",
         [*two, "--species-start", "wedges", "--init", "image:good.png"]),
        ("a view of a species too many", "--species-view", [*two, "--species-view", 3]),
        ("a view of the second of one", "--species-view", ["--species-view", 2]),
        ("one colour", "--species-colors", [*two, "--species-colors", "#ff0000"]),
        ("nine colours", "--species-colors", [*two, "--species-colors", "a,b,c,d,e,f,g,h,i"]),
        ("colours with a gap", "--species-colors", [*two, "--species-colors", "#ff0000,"]),
        ("a colour of five digits", "--species-colors",
         [*two, "--species-colors", "#ff0000,#12345"]),
        ("nearly a colour map", "--species-colors", [*two, "--species-colors", "#ff0000,virids"]),
        ("steps in one pass", "--variant", [*two, "--variant", "joined"]),
    ]
    suite.write("good.png", png(2, 1, [b"\0\0\0\xff\xff\xff"]))
    for name, subject, arguments in rows:
        suite.fails(name, USAGE, subject, *NONE, *arguments)
    for name, text in (("missing.csv", None), ("bad.csv", "1,2,3\n")):
        if text:
            suite.write(name, text)
        suite.fails(f"colours from {name}", FILE, name, *NONE, *two, "--species-colors",
                    f"grey,{name}")
    suite.fails("an output onto a colour map", USAGE, "--out", *SMALL, *two, "--steps", 1,
                "--species-colors", "grey,good.png", "--out", "good.png", "--overwrite")
    suite.fails("more cells than can be", USAGE, "--species", "--headless", "--size",
                "40000x40000", "--species", 8, "--out", "none")


def test_headings(suite):
    """The view headings shows one of several species as it shows a run of that species alone."""
    def frames(*options):
        return suite.digests(*SMALL, "--steps", 20, "--out", "a.y4m", "--overwrite", "--view",
                             "headings", *options)["frames"]

    first = ["--species", 2, "--species-shares", "1,0", "--attraction", "ignore"]
    second = ["--species", 2, "--species-shares", "0,1", "--attraction", "ignore"]
    alone = frames()
    for name, options in (("all species", first), ("the first", [*first, "--species-view", 1]),
                          ("the second", [*second, "--species-view", 2])):
        found = frames(*options)
        suite.check(found == alone, f"headings of {name}", (alone, found))
    suite.check(frames(*second, "--species-view", 1) != alone,
                "headings of a species without agents", alone)


def test_second_points(suite):
    """Files of --blend-to have lists as scenes have them."""
    def fails(name, status, subject, text):
        suite.write("second.json", text)
        suite.fails(name, status, subject, *NONE, "--species", 2, "--blend-to", "second.json")

    fails("lists of three", USAGE, "--blend-to", '{"sensor-distance": [9, 7, 12]}')
    fails("a text with three", USAGE, "--blend-to", '{"sensor-distance": "9,7,12"}')
    fails("a list with a word", FILE, "second.json", '{"sensor-distance": [9, "a"]}')
    fails("a list of nine", FILE, "second.json", '{"jitter": [1, 1, 1, 1, 1, 1, 1, 1, 1]}')
    fails("a list out of range", FILE, "second.json", '{"jitter": [1, 1e9]}')
    fails("an empty list", FILE, "second.json", '{"jitter": []}')
    fails("no value", FILE, "second.json", '{"jitter": null}')
    fails("a list for all species", FILE, "second.json", '{"trail-ahead": [1, 2]}')
    fails("an unknown preset", FILE, "second.json", '{"preset": "wurms"}')

    def state(text):
        suite.write("second.json", text)
        return suite.state(*SMALL, "--steps", 9, "--species", 2, "--blend-to", "second.json",
                           "--blend", 1)

    lists = state('{"sensor-distance": [9, 3], "turn-angle": [20, 60], "species": 5}')
    suite.check(state('{"sensor-distance": "9,3", "turn-angle": "20,60"}') == lists,
                "an array is the same as a text, and others are ignored")
    suite.check(state('{"sensor-distance": [9, 4], "turn-angle": [20, 60]}') != lists,
                "the second value acts")
    suite.check(state('{"sensor-distance": [9, 9]}') == state('{"sensor-distance": 9}'),
                "one value is that of all species")


def test_no_effect(suite):
    picture = [*SMALL, "--steps", 1, "--out", "a.png", "--overwrite"]
    two = ["--species", 2]
    rows = [
        ("options of one species", [*picture, "--attraction", "chase", "--infection", "any",
                                    "--species-mix", "max", "--species-start", "bands"],
         [f"--{name} has no effect without --species"
          for name in ("attraction", "infection", "species-mix", "species-start")]),
        ("shares of one species", [*picture, "--species-shares", 5],
         ["--species-shares has no effect without --species"]),
        ("the colour of one species", [*picture, "--species-colors", "#ff0000"],
         ["--species-colors has no effect without --species"]),
        ("the view of one species", [*picture, "--species-view", 1],
         ["--species-view has no effect without --species"]),
        ("no infection", [*picture, *two, "--infection-factor", 3, "--infection-time", 3,
                          "--infection-trail", 3],
         [f"--infection-{name} has no effect with --infection none, only with any, rising or cycle"
          for name in ("factor", "time", "trail")]),
        ("infection", [*picture, *two, "--infection", "any", "--infection-factor", 3], []),
        ("species in some pictures", [*picture, "--vary", "species=1,2", "--attraction", "chase"],
         []),
        ("a colour map", [*picture, *two, "--colormap", "viridis"],
         ["--colormap has no effect on this view"]),
        ("a colour map of agents", [*picture, *two, "--view", "agents", "--colormap", "viridis"],
         []),
        ("colours of values", [*SMALL, "--steps", 1, "--out", "a.npy", "--overwrite", *two,
                               "--species-colors", "grey,grey"],
         ["--species-colors has no effect on an output of values"]),
    ]
    for name, arguments, expected in rows:
        status, out, err = suite.run(*arguments)
        found = [line[7:] for line in err.splitlines() if "no effect" in line]
        suite.check(status == 0 and len(found) == len(expected) and
                    all(line.startswith(words) for line, words in zip(found, expected)),
                    f"{name}: {len(expected)} warnings", err, out)


def test_scenes(suite):
    """Lists are arrays in scenes and in the headers of states."""
    run = [*SMALL, *FULL, "--steps", 9]
    frames = suite.digests(*run, "--out", "a.png", "--save-scene", "s.json", "--save-state",
                           "s.npz")
    scene = json.loads(suite.read("s.json"))
    wanted = {"species": 3, "species-shares": "3,1,1", "species-start": "wedges",
              "attraction": "1,0.5,-0.25/0,1,0/0,0.25,1", "infection": "any",
              "infection-factor": 0.5, "infection-time": 2, "infection-trail": 0.2,
              "sensor-distance": [9, 7, 12], "sensor-distance-gain": [1, 0, 2],
              "jitter": [1, 2, 3], "diffuse": [0.1, 0.2, 0.3], "decay": 0.01, "species-view": 0,
              "species-colors": "#ff0000,#0f0,viridis", "species-mix": "max"}
    suite.check({name: scene.get(name) for name in wanted} == wanted, "a scene has the options",
                scene)
    header = json.loads(npz_members(suite.path("s.npz"))["vksim.json"])["options"]
    suite.check({name: header.get(name) for name in wanted} == wanted, "and a state", header)
    again = suite.digests("--headless", "--scene", "s.json", "--out", "b.png", "--save-scene",
                          "t.json")
    suite.check(again == frames, "the scene repeats the run", frames, again)
    suite.check(suite.read("s.json") == suite.read("t.json"), "and is saved as it was")
    text = suite.succeeds("--show-options", "--headless", "--scene", "s.json", "--show-options")
    shown = dict(re.findall(r"^  ([a-z-]+) +(\S+)", text, re.M))
    suite.check((shown["jitter"], shown["species"], shown["attraction"], shown["deposit"]) ==
                ("1,2,3", "3", "1,0.5,-0.25/0,1,0/0,0.25,1", "1"), "prints lists", text)
    suite.fails("fewer species than the scene has", USAGE, "species is 2", "--headless", "--scene",
                "s.json", "--species", 2, "--out", "none")
    for name, value, subject in (("two", [1, 2], "species is 3"), ("nine", [1] * 9, "jitter"),
                                 ("no numbers", ["1", 2, 3], "jitter"), ("nothing", [], "jitter"),
                                 ("lists", [[1], 2, 3], "jitter")):
        suite.write("bad.json", json.dumps({**scene, "jitter": value}))
        suite.fails(f"a list of {name}", USAGE, subject, "--headless", "--scene", "bad.json",
                    "--out", "none")
    suite.write("bad.json", json.dumps({**scene, "agents": [60, 50]}))
    suite.fails("a list of counts", USAGE, "agents", "--headless", "--scene", "bad.json", "--out",
                "none")
    suite.write("one.json", json.dumps({**scene, "jitter": [2]}))
    suite.check(suite.state("--headless", "--scene", "one.json") ==
                suite.state(*run, "--jitter", 2), "a list of one is a value for all")


def test_sheets(suite):
    sheet = [*SMALL, "--species", 2, "--steps", 3, "--out", "sheet.png", "--overwrite"]
    suite.succeeds("lists of a --vary", *sheet, "--vary", "sensor-angle=20,30;40,50",
                   "--vary-rows", "attraction=1,0/0,1;chase")
    suite.succeeds("colours of a --vary", *sheet, "--vary", "species-colors=#f00,#00f;magma,grey",
                   "--vary-rows", "species-mix=add,max")
    numbers = [*SMALL, "--steps", 3, "--out", "sheet.png", "--overwrite"]
    suite.succeeds("numbers of species", *numbers, "--vary", "species=1,2,8")
    suite.fails("a list that does not fit", USAGE, "sensor-angle", *sheet, "--vary",
                "sensor-angle=20,30;40,50,60")
    suite.fails("a number of species that does not fit", USAGE, "jitter", *numbers, "--jitter",
                "1,2", "--vary", "species=2,3")


def test_states(suite):
    run = ["--headless", "--preset", "plain", "--steps", 2, "--out", "none", "--load-state"]
    loads = [word for word in run if word not in ("--out", "none")]
    suite.succeeds("save", *SMALL, *FULL, "--steps", 5, "--out", "none", "--save-state", "s.npz")
    members = npz_members(suite.path("s.npz"))
    suite.check(sorted(members) == ["heading.npy", "position.npy", "species.npy", "trail.npy",
                                    "vksim.json"] and
                array(members["trail.npy"])[0] == (3, 24, 32), "the trail has planes")
    suite.fails("another number of species", FILE, "s.npz", *run, "s.npz", "--species", 2)
    words = struct.unpack("<60I", members["species.npy"][-240:])
    suite.check(max(word & 255 for word in words) == 2 and max(words) > 255,
                "species and exposures", words)
    suite.succeeds("a table", *SMALL, *FULL, "--steps", 5, "--out", "none", "--watch", "t.csv")
    names, rows = read_table(suite.read("t.csv"))
    suite.check(names[-3:] == ["agents_1", "agents_2", "agents_3"] and
                rows[-1][-3:] == [sum(word & 255 == i for word in words) for i in range(3)] and
                all(sum(row[-3:]) == 60 for row in rows), "the table counts the agents", rows)
    lacking = {name: data for name, data in members.items() if name != "species.npy"}
    npz(suite.path("lacking.npz"), lacking)
    suite.fails("a state without species", FILE, "species", *run, "lacking.npz")

    bare = {
        "trail": npy("<f4", (3, 24, 32), floats([0.5] * 2304)),
        "position": npy("<f8", (60, 2), floats([1.5, 7.25] * 60, "d")),
        "heading": npy("<f8", (60,), floats([0.5] * 60, "d")),
        "species": npy("<i8", (60,), struct.pack("<60q", *[0, 1, 2] * 20)),
    }

    def bare_state(name, **changed):
        npz(suite.path(name), {key: data for key, data in {**bare, **changed}.items() if data})
        return name

    def species(code, kind, numbers):
        return npy(kind, (60,), struct.pack(f"<60{code}", *numbers))

    fit = [0, 1, 2] * 20
    wanted = suite.state(*loads, bare_state("a.npz"))
    for code, kind in (("b", "|i1"), ("B", "|u1"), ("h", "<i2"), ("H", "<u2"), ("i", "<i4"),
                       ("I", "<u4"), ("Q", "<u8")):
        suite.check(suite.state(*loads, bare_state(
            "b.npz", species=species(code, kind, fit))) == wanted, f"species of type {kind}")
    suite.check(suite.state(*loads, "a.npz", "--species", 3, "--jitter", "0,0,0",
                            "--species-shares", "1,2,3") == wanted,
                "options may be lists for the species of the file")
    suite.check(suite.state(*loads, bare_state("b.npz", species=None)) != wanted,
                "without its species it has those of a start")
    wrong = fit[:7] + [3] + fit[8:]
    rows = [
        ("a fourth species", {"species": species("q", "<i8", wrong)}, "element 7"),
        ("a fourth species in words", {"species": species("I", "<u4", wrong)}, "element 7"),
        ("species -1", {"species": species("b", "|i1", [-1] + fit[1:])}, "element 0"),
        ("a species of 2^64 - 1", {"species": species("Q", "<u8", fit[:-1] + [2 ** 64 - 1])},
         "element 59"),
        ("fractions", {"species": species("d", "<f8", fit)}, "'species'"),
        ("too few species", {"species": npy("|u1", (59,), bytes(59))}, "'species'"),
        ("species of a table", {"species": npy("|u1", (60, 1), bytes(60))}, "'species'"),
        ("nine trails", {"trail": npy("<f4", (9, 24, 32), bytes(27648))}, "'trail'"),
        ("no trails", {"trail": npy("<f4", (0, 24, 32), b"")}, "'trail'"),
        ("a trail of NaN", {"trail": npy("<f4", (3, 24, 32), floats([0] * 2303 +
                                                                    [float("nan")]))},
         "element 2303"),
    ]
    for name, changed, subject in rows:
        suite.fails(name, FILE, subject, *run, bare_state("b.npz", **changed))
    suite.fails("another number than trails", FILE, "a.npz", *run, "a.npz", "--species", 2)
    suite.fails("a list that does not fit the trails", USAGE, "--jitter", *run, "a.npz",
                "--jitter", "1,2")


@values
def test_continued(suite):
    """A run that is saved and loaded continues as if it had not been; also on another driver."""
    run = ["--headless", "--preset", "plain", "--size", "40x56", "--agents", 333, "--seed", 7,
           "--attraction", "random", "--species-colors", "#f00,#0f0,viridis", *FULL[:6],
           "--infection", "any", "--infection-factor", 0.3, "--infection-time", 4,
           "--infection-trail", 0.1, "--sensor-distance", "9,7,12", "--decay", 0.1,
           "--normalize", "frame"]
    whole = suite.digests(*run, "--steps", 20, "--out", "a.png")["state"]
    drawn = pixels(suite.path("a.png"))
    first = suite.digests(*run, "--steps", 9, "--out", "none", "--save-state", "s.npz")
    words = struct.unpack("<333I", npz_members(suite.path("s.npz"))["species.npy"][-1332:])
    suite.check(any(word > 255 for word in words), "agents are exposed when it is saved")
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
    state = suite.digests("--headless", "--load-state", "s.npz", "--steps", 11, "--out", "c.png",
                          env=env)["state"]
    suite.check(state == whole and pixels(suite.path("c.png")) == drawn, "and continues the run")


def test_outputs(suite):
    run = [*SMALL, *FULL]
    suite.succeeds("--watch", *run, "--frames", 5, "--out", "a.npy", "--watch", "w.csv")
    names, rows = read_table(suite.read("w.csv"))
    shape, data = array(suite.read("a.npy"))
    cells = struct.unpack(f"<{len(data) // 4}f", data)
    frames = [cells[2304 * k:2304 * (k + 1)] for k in range(5)]
    suite.check(shape == (5, 3, 24, 32), "an array has the planes", shape)
    suite.check(names[:5] == ["frame", "step", "trail", "trail_min", "trail_max"] and
                all(row[3:5] == [min(frame), max(frame)] and
                    abs(row[2] - sum(frame) / 2304) < 1e-5 for row, frame in zip(rows, frames)),
                "scalars are those of all planes", rows)
    done = report(suite, *run, "--frames", 3, "--out", "none")
    passes = {entry["name"] for entry in done["passes"]}
    suite.check({"start", "agents", "field"} <= passes, "--timings", passes)
    suite.succeeds("--trace and --report", *run, "--frames", 3, "--out", "a.y4m", "--trace",
                   "t.json", "--report", "r.html")
    names = {event.get("name") for event in json.loads(suite.read("t.json"))["traceEvents"]}
    suite.check({"agents", "field"} <= names, "a trace has the passes", names)
    page, _ = suite.read_page("r.html")
    suite.check({"agents", "field"} <= {entry["name"] for entry in page["passes"]},
                "and so has a report", page["passes"])


if __name__ == "__main__":
    sys.exit(main(globals()))

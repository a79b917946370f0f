#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_cli_events.py VKSIM [NAME...]: scenes with events, which are done to a running simulation,
and their recording. See suite.py."""

import json
import re
import sys

sys.dont_write_bytecode = True
from suite import SMALL, USAGE, main, values  # noqa: E402

# What is done to each simulation: options of its own, of the start and of the look, and restarts.
SESSIONS = {
    "physarum": [
        {"step": 0, "set": {"decay": 0.2}},
        {"step": 3, "set": {"sensor-angle": 20, "turn-angle": "sensor-angle"}},
        {"step": 7, "set": {"start-radius": 0.4, "colormap": "abyss_r"}},
        {"step": 7, "restart": 5},
        {"step": 9, "paint": [{"brush": "attract", "x": 9000, "y": 20000, "x2": 40000,
                               "radius": 6000, "soft": 30000}]},
        {"step": 16, "set": {"jitter": 90}},
        {"step": 16, "set": {"bloom": 0.5}},
        {"step": 24, "restart": 1},
    ],
    "physarum-3d": [
        {"step": 2, "set": {"deposit": 3, "project": "max"}},
        {"step": 9, "restart": 4294967295},
        {"step": 20, "set": {"decay": 0.3, "project": "column", "camera": "30,20"}},
    ],
    "gray-scott": [
        {"step": 5, "set": {"feed": 0.03, "kill": 0.055}},
        {"step": 11, "set": {"view": "u"}},
        {"step": 12, "restart": 3},
        {"step": 14, "paint": [{"brush": "seed", "x": 1000, "y": 60000, "radius": 9000},
                               {"brush": "seed", "x": 30000, "y": 30000, "radius": 4000,
                                "inverse": 1}]},
        {"step": 25, "set": {"feed": 0.05}},
    ],
    "gas": [
        {"step": 1, "set": {"gravity": 0}},
        {"step": 4, "restart": 7},
        {"step": 6, "set": {"view": "density", "annotate": True}},
    ],
}
SIZES = {"physarum": ["48x40", "--agents", 500], "physarum-3d": ["16x12x8", "--agents", 300],
         "gray-scott": ["40x36"], "gas": ["12x10x8", "--preset", "plain"]}


def scene(suite, name, simulation, events, **more):
    return suite.write(name, json.dumps({"simulation": simulation, "events": events, **more}))


@values
def test_replay(suite):
    """A session gives the same states at every step, at every frame rate and on both drivers, and
    records itself."""
    for simulation, events in SESSIONS.items():
        scene(suite, "s.json", simulation, events)
        run = ["--headless", "--scene", "s.json", "--size", *SIZES[simulation]]
        wanted = {}
        for steps in sorted({event["step"] for event in events} | {27}):
            wanted[steps] = suite.state(*run, "--steps", steps)
        suite.check(len(set(wanted.values())) > len(wanted) // 2, f"{simulation}: the events act",
                    wanted)
        for per_frame in (1, 4, 50):
            frames = suite.digests(*run, "--steps", 27, "--steps-per-frame", per_frame, "--out",
                                   "f.y4m", "--overwrite", "--record-events", "r.json")
            suite.check(frames["state"] == wanted[27], f"{simulation}: a frame every {per_frame}",
                        frames)
        suite.check(suite.state(*run, "--steps", 27, env=suite.environment("swiftshader")) ==
                    wanted[27], f"{simulation}: SwiftShader agrees")
        suite.check(suite.state("--headless", "--scene", "r.json") == wanted[27],
                    f"{simulation}: what was recorded is the same")
        again = suite.state("--headless", "--scene", "r.json", "--record-events", "q.json",
                            "--overwrite")
        suite.check(again == wanted[27] and suite.read("q.json") == suite.read("r.json"),
                    f"{simulation}: and records itself")
        got = json.loads(suite.read("r.json"))
        suite.check(got["steps"] == 27 and "frames" not in got and
                    [event["step"] for event in got["events"]] ==
                    [event["step"] for event in events], f"{simulation}: as long as it was", got)


@values
def test_meaning(suite):
    """An event acts after the steps before it: a change at step 0 is an option, and a restart is a
    run of its own."""
    run = ["--headless", "--scene", "s.json", "--size", "40x36"]
    scene(suite, "s.json", "gray-scott", [{"step": 0, "set": {"feed": 0.03}}])
    suite.check(suite.state(*run, "--steps", 9) == suite.state(
        "gray-scott", "--headless", "--size", "40x36", "--feed", 0.03, "--steps", 9),
        "at step 0 a value is that of the option")
    scene(suite, "s.json", "gray-scott", [{"step": 9, "restart": 6}])
    suite.check(suite.state(*run, "--steps", 20) == suite.state(
        "gray-scott", "--headless", "--size", "40x36", "--seed", 6, "--steps", 11),
        "a restart begins again with its seed")
    scene(suite, "s.json", "gray-scott", [{"step": 9, "set": {"feed": 0.03}}])
    suite.check(suite.state(*run, "--steps", 8, "--save-state", "s.npz") == suite.state(
        "gray-scott", "--headless", "--size", "40x36", "--steps", 8), "before it nothing changes")
    cells = re.findall("digest state ([0-9a-f]+)", suite.succeeds(
        "a grid of cells", *run, "--steps", 12, "--vary", "kill=0.06,0.062", "--out", "g.png",
        "--digest"))
    suite.check(cells == [suite.state(*run, "--steps", 12, "--kill", kill)
                          for kill in (0.06, 0.062)], "events are done to every cell", cells)


def test_kept(suite):
    """Scenes, pictures and videos keep the events of the run."""
    events = SESSIONS["gray-scott"]
    scene(suite, "s.json", "gray-scott", events, size="40x36", steps=40)
    wanted = suite.digests("--scene", "s.json", "--out", "a.mp4", "--out", "last.png",
                           "--save-scene", "t.json")["state"]
    for name in ("t.json", "a.mp4", "last.png"):
        suite.check(suite.state("--headless", "--scene", name, "--steps", 40) == wanted,
                    f"{name} has the events")
    suite.check(json.loads(suite.read("t.json"))["events"] == events, "as they were written")
    suite.succeeds("a scene without events has none", *SMALL, "--steps", 3, "--out", "none",
                   "--record-events", "none.json")
    suite.check("events" not in json.loads(suite.read("none.json")), "not even an empty list")


def test_ignored(suite):
    """An event that is impossible is ignored with a warning, and the run goes on."""
    scene(suite, "s.json", "gray-scott", [
        {"step": 1, "set": {"sead": 3}}, {"step": 2, "set": {"size": "32x32"}},
        {"step": 3, "set": {"output-size": "10x10"}}, {"step": 4, "set": {"feed": 9}},
        {"step": 5, "set": {"precision": "float16"}},
        {"step": 6, "set": {"background": "transparent"}}, {"step": 7, "set": {"kill": [1]}},
        {"step": 8, "set": {"init": "image:missing.png"}},
        {"step": 9, "paint": [{"brush": "sead", "radius": 9}]},
        {"step": 9, "paint": [{"brush": "seed", "radius": 99999}]}])
    run = ["--scene", "s.json", "--size", "40x36", "--steps", 20, "--overwrite"]
    status, out, err = suite.run(*run, "--out", "a.y4m", "--digest", "--record-events", "r.json")
    got = re.findall(r"^vksim: the event at step (\d+) is ignored: .*$", err, re.M)
    suite.check(status == 0 and got == list("1234567899"), "each is one warning", err)
    for number, words in enumerate(("sead", "size", "output-size", "feed", "precision",
                                    "background", "kill", "missing.png", "sead"), 1):
        line = next((line for line in err.splitlines() if f"step {number} " in line), "")
        suite.check(words in line, f"which names {words}", err)
    suite.check(suite.state("gray-scott", "--headless", "--size", "40x36", "--steps", 20) in out,
                "none changes the state", out)
    suite.check("events" not in json.loads(suite.read("r.json")), "none is recorded")
    scene(suite, "p.json", "gray-scott", [
        {"step": 2, "paint": [{"brush": "seed", "radius": 9000}]}])
    _, out, _ = suite.run("--scene", "p.json", "--size", "40x36", "--steps", 9, "--out", "none",
                          "--timings")
    suite.check("paint u" in out, "passes of brushes are among the timings", out)
    # Each is possible in the first cell and impossible in the second.
    cells = ["--preset", "plain", "--size", "40x36", "--steps", 9, "--vary", "du=0.1,0.2",
             "--vary-rows",
             "rates=painted,unpainted", "--out", "g.y4m", "--overwrite"]
    scene(suite, "s.json", "gray-scott", [])
    _, calm, _ = suite.run("--scene", "s.json", *cells, "--digest")
    scene(suite, "s.json", "gray-scott", [
        {"step": 3, "set": {"dt": 1.3}},
        {"step": 5, "paint": [{"brush": "rates", "radius": 9000, "values": [0.1, 0.05]}]}])
    _, out, err = suite.run("--scene", "s.json", *cells, "--digest")
    suite.check(calm == out and err.count("is ignored") == 2, "by all cells of a grid", err)
    scene(suite, "s.json", "gas", [{"step": 1, "set": {"view": "density"}}])
    _, _, err = suite.run("--scene", "s.json", "--size", "8x8x8", "--preset", "plain", "--view",
                          "temperature", "--steps", 3, "--out", "a.vti")
    suite.check("ignored" in err and "arrays" in err, "files keep the arrays that they hold", err)


def test_refused(suite):
    """A list that is not one of events is refused before the run."""
    for name, events in (
            ("no list", {"step": 1}), ("no object", [3]), ("no step", [{"restart": 1}]),
            ("a negative step", [{"step": -1, "restart": 1}]),
            ("half a step", [{"step": 1.5, "restart": 1}]),
            ("nothing to do", [{"step": 1}]), ("no values", [{"step": 1, "set": {}}]),
            ("a list of values", [{"step": 1, "set": ["feed"]}]),
            ("no seed", [{"step": 1, "restart": True}]),
            ("a large seed", [{"step": 1, "restart": 1 << 32}]),
            ("an unknown key", [{"step": 1, "restart": 1, "print": 1}]),
            ("two things", [{"step": 1, "restart": 1, "set": {"feed": 0.1}}]),
            ("no strokes", [{"step": 1, "paint": []}]),
            ("too many strokes", [{"step": 1, "paint": [{"brush": "seed"}] * 65}]),
            ("no brush", [{"step": 1, "paint": [{"x": 1}]}]),
            ("half a place", [{"step": 1, "paint": [{"brush": "seed", "x": 0.5}]}]),
            ("an unknown part", [{"step": 1, "paint": [{"brush": "seed", "size": 3}]}]),
            ("out of order", [{"step": 2, "restart": 1}, {"step": 1, "restart": 1}])):
        scene(suite, "bad.json", "gray-scott", events)
        suite.fails(name, USAGE, "bad.json", *SMALL[:1], "--scene", "bad.json", "--out", "none")
    scene(suite, "gas.json", "gas", [{"step": 1, "restart": 1}])
    suite.fails("a restart in a run by time", USAGE, "gas.json", "--scene", "gas.json", "--preset",
                "plain", "--size", "8x8x8", "--end-time", 0.01, "--out", "none")
    for name in ("r.png", "r.mp4", "-"):
        suite.fails(f"events in {name}", USAGE, "--record-events", *SMALL, "--out", "none",
                    "--record-events", name)
    suite.write("mine.json", "mine")
    suite.check(suite.run(*SMALL, "--out", "none", "--record-events", "mine.json")[0] != 0 and
                suite.read("mine.json") == b"mine", "another file is not replaced")


if __name__ == "__main__":
    sys.exit(main(globals()))

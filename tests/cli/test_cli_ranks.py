#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_cli_ranks.py VKSIM [NAME...]: runs on several ranks. See suite.py."""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
import zipfile

sys.dont_write_bytecode = True
from suite import (FILE, GPU, INTERRUPTED, OK, USAGE, default_signals,  # noqa: E402
                   interrupted_at, main, png, values)

QUIET = ["--headless", "--out", "none", "--quiet"]
RUN = ["gray-scott", "--size", "72x101", "--steps", 60, *QUIET]
ENDLESS = ["--steps", 10 ** 12, "--headless", "--out", "none"]


def both_drivers(suite):
    """The environment of a run that may use both drivers, as devices 0 and 1."""
    both = ":".join(suite.drivers.values())
    return {**suite.environment(), "VK_ICD_FILENAMES": both, "VK_DRIVER_FILES": both}


def shared(process=None):
    """Names of shared memory of this run, or of those that have ended."""
    names = {name: name.split("-")[1] for name in os.listdir("/dev/shm")
             if re.match(r"vksim-\d+-", name)}
    return [name for name, owner in names.items() if (
        owner == str(process) if process else not os.path.exists(f"/proc/{owner}"))]


@values
def test_states(suite):
    """The state has the bytes of one rank."""
    dice = random.Random(5)
    rows = [bytes(dice.randrange(256) for _ in range(3 * 40)) for _ in range(30)]
    suite.write("map.png", png(40, 30, rows))
    runs = [[], ["--boundary", "no-flux", "--init", "noise"], ["--stencil", "nine-point"],
            ["--precision", "float16", "--init", "spots"], ["--init", "image:map.png"],
            ["--feed-map", "map.png", "--kill-map", "map.png", "--init", "ring"],
            ["--preset", "parameter-map"], ["--variant", "march-4-64x4", "--boundary", "no-flux"]]
    for at, options in enumerate(runs):
        one = suite.state(*RUN, *options)
        for ranks in (2, 3, 4):
            every = [[], ["--exchange-every", 1], ["--exchange-every", 3],
                     ["--exchange-every", 8]][(at + ranks) % 4]
            got = suite.state(*RUN, *options, "--ranks", ranks, *every)
            suite.check(got == one, f"{options} {every} on {ranks} ranks", got, one)
    one = suite.state(*RUN)
    got = suite.state(*RUN, "--ranks", 3, "--devices", "0,1", env=both_drivers(suite))
    suite.check(got == one, "two drivers in one run", got, one)
    events = [{"step": 20, "set": {"feed": 0.05}}, {"step": 41, "restart": 9}]
    suite.write("e.json", json.dumps({"simulation": "gray-scott", "size": "72x101",
                                      "events": events}))
    scene = ["--scene", "e.json", "--steps", 60, *QUIET]
    one, got = suite.state(*scene), suite.state(*scene, "--ranks", 2)
    suite.check(got == one, "events", got, one)


@values
def test_agents(suite):
    """Agents move from rank to rank. Where they crowd, ranks get more room."""
    run = ["physarum", "--size", "96x168", "--agents", 4000, "--steps", 40, *QUIET]
    crowd = ["--agents", 60000, "--init"]
    for at, options in enumerate((
            ["--jitter", 10], ["--sampling", "bilinear", "--variant", "software-5"],
            ["--diffuse-size", 9, "--steering", "jones"], ["--turn-angle-gain", 50],
            ["--food", "points:0.3,0.5", "--food-eaten", "0.01"], [*crowd, "disc"],
            ["--diffuse-size", 1, "--step-size", 0, "--sensor-distance", 0],
            [*crowd, "point"], ["--deposit-power", "0.5", "--size", "97x171"])):
        one = suite.state(*run, *options)
        for ranks in (2, 3):
            every = [[], ["--exchange-every", 1]][(at + ranks) % 2]
            got = suite.state(*run, *options, "--ranks", ranks, *every)
            suite.check(got == one, f"{options} {every} on {ranks} ranks", got, one)
    got = suite.state(*run, "--ranks", 3, "--devices", "0,1", env=both_drivers(suite))
    one = suite.state(*run)
    suite.check(got == one, "two drivers in one run", got, one)
    status, out, err = mpirun(suite, 3, *run, *crowd, "point", "--digest", "--save-state",
                              "m.npz")
    one = suite.state(*run, *crowd, "point", "--save-state", "o.npz")
    suite.check(status == OK and out == f"digest state {one}\n" and
                suite.read("m.npz") == suite.read("o.npz"), "mpirun", status, out, err)
    more = ["physarum", "--steps", 9, *QUIET, "--load-state", "m.npz"]
    one = suite.state(*more)
    for ranks in (2, 3):  # the first of which has most of the agents
        got = suite.state(*more, "--ranks", ranks)
        suite.check(got == one, f"{ranks} ranks go on", got, one)
    run = [*run[:3], "--agents", 50000, "--frames", 4, "--steps-per-frame", 7, "--headless",
           "--out", "a-%03d.png", "--overwrite", "--output-size", "60x105", "--view"]
    for view in ("agents", "trail", "headings"):
        one = suite.digests(*run, view)
        got = suite.digests(*run, view, "--ranks", 3)
        suite.check(got == one and "frames" in one, view, got, one)


def table(suite):
    """The table w.csv of the last run; None: it wrote none."""
    if not os.path.exists(suite.path("w.csv")):
        return None
    found = suite.read("w.csv")
    os.remove(suite.path("w.csv"))
    return found


@values
def test_species(suite):
    """Several trails, each with rows of its own, and agents that change their species."""
    run = ["physarum", "--size", "61x203", "--agents", 5000, "--species", 3, "--headless"]
    steps = [*run, "--steps", 40, "--out", "none", "--quiet"]
    for at, options in enumerate((
            ["--attraction", "chase", "--sensor-distance", "2,4.5,3"],
            ["--infection", "rising", "--infection-time", 2, "--variant", "sorted-5-bytes"],
            ["--food", "points:0.3,0.5", "--food-eaten", "0.01", "--diffuse-size", 5],
            # More agents than a rank has room for.
            ["--size", "61x603", "--agents", 60000, "--infection", "any", "--init", "random"],
            ["--size", "64x203", "--species-start", "bands", "--step-size", "1,2,0.5"])):
        one = suite.state(*steps, *options)
        for ranks in ((2, 4), (3,))[at % 2]:
            got = suite.state(*steps, *options, "--ranks", ranks, "--exchange-every",
                              1 + (at + ranks) % 3)
            suite.check(got == one, f"{options} on {ranks} ranks", got, one)
    got = suite.state(*steps, *options, "--ranks", 3, "--devices", "0,1", env=both_drivers(suite))
    suite.check(got == one, "two drivers in one run", got, one)
    for ranks in (1, 3):
        suite.succeeds(f"{ranks} ranks save", *steps, "--ranks", ranks, "--save-state",
                       f"s{ranks}.npz")
    suite.check(suite.read("s1.npz") == suite.read("s3.npz"), "the files are equal")
    more = ["physarum", "--steps", 9, *QUIET, "--load-state", "s3.npz"]
    one, got = suite.state(*more), suite.state(*more, "--ranks", 2)
    suite.check(got == one, "two ranks go on", got, one)
    frames = [*run, "--frames", 3, "--steps-per-frame", 7, "--out", "s-%03d.png", "--overwrite"]
    for options in (["--output-size", "40x100"], ["--view", "agents", "--species-view", 2],
                    ["--watch", "w.csv", "--species-view", 1]):
        one = suite.digests(*frames, *options), table(suite)
        got = suite.digests(*frames, *options, "--ranks", 3), table(suite)
        suite.check(got == one and "frames" in one[0], f"{options}", got, one)


def write_rooms(suite):
    """rooms.png, whose dark parts are walls, some of them at the edges."""
    dice = random.Random(8)
    suite.write("rooms.png", png(20, 40, [bytes(255 * (dice.random() < 0.8) for _ in range(3 * 20))
                                          for _ in range(40)]))


@values
def test_walls(suite):
    """Each rank has all walls. Agents that start in one go to places of any rank."""
    run = ["physarum", "--size", "61x203", "--agents", 5000, "--headless"]
    steps = [*run, "--steps", 40, *QUIET[1:], "--walls"]
    write_rooms(suite)
    for at, options in enumerate((
            ["frame", "--start-radius", 2, "--init", "disc"],
            ["maze:2", "--at-wall", "turn", "--variant", "sorted-5-bytes"],
            ["image:rooms.png", "--wall-sight", "open", "--size", "64x203", "--step-size", 3],
            ["maze:4", "--turn-angle-gain", 40, "--food", "points:0.5,0.5"],
            ["disc", "--species", 2, "--init", "point"])):
        one = suite.state(*steps, *options)
        for ranks in ((2, 4), (3,))[at % 2]:
            got = suite.state(*steps, *options, "--ranks", ranks, "--exchange-every",
                              1 + (at + ranks) % 2)
            suite.check(got == one, f"{options} on {ranks} ranks", got, one)
    got = suite.state(*steps, *options, "--ranks", 3, "--devices", "0,1", env=both_drivers(suite))
    suite.check(got == one, "two drivers in one run", got, one)
    frames = [*run, "--walls", "maze:3", "--frames", 3, "--steps-per-frame", 7, "--out",
              "s-%03d.png", "--overwrite"]
    for options in (["--output-size", "40x100"], ["--output-size", "120x250"],
                    ["--view", "headings"], ["--watch", "w.csv"]):
        one = suite.digests(*frames, *options), table(suite)
        got = suite.digests(*frames, *options, "--ranks", 3), table(suite)
        suite.check(got == one and "frames" in one[0], f"{options}", got, one)


@values
def test_boundary(suite):
    """The trail beyond the first row and the last is 0, but agents pass from one to the other."""
    run = ["physarum", "--agents", 5000, "--steps", 40, *QUIET, "--sensor-distance", "1.9",
           "--step-size", "0.9", "--boundary", "zero", "--init", "random", "--size"]
    write_rooms(suite)
    for at, options in enumerate((
            ["64x331"], ["61x331"], ["60x331", "--variant", "sorted-5-bytes"],
            ["61x331", "--diffuse-size", 7], ["64x331", "--diffuse-size", 5],
            ["60x331", "--species", 2, "--walls", "image:rooms.png"],
            ["61x331", "--species", 3, "--walls", "image:rooms.png", "--food",
             "points:0.5,0.99"])):
        one = suite.state(*run, *options)
        for ranks in ((2, 4), (3,))[at % 2]:
            got = suite.state(*run, *options, "--ranks", ranks, "--exchange-every",
                              (1, 3, 4)[(at + ranks) % 3])
            suite.check(got == one, f"{options} on {ranks} ranks", got, one)
    got = suite.state(*run, *options, "--ranks", 2, "--exchange-every", 8)
    suite.check(got == one, "eight steps between exchanges", got, one)
    got = suite.state(*run, *options, "--ranks", 3, "--devices", "0,1", env=both_drivers(suite))
    suite.check(got == one, "two drivers in one run", got, one)
    for ranks in (1, 3):
        suite.succeeds(f"{ranks} ranks save", *run, *options, "--ranks", ranks, "--save-state",
                       f"s{ranks}.npz")
    suite.check(suite.read("s1.npz") == suite.read("s3.npz"), "the files are equal")
    more = ["physarum", "--steps", 9, *QUIET, "--load-state", "s3.npz"]
    one, got = suite.state(*more), suite.state(*more, "--ranks", 2)
    suite.check(got == one, "two ranks go on", got, one)


@values
def test_gas(suite):
    """Particles move from rank to rank, and ranks meet within each step."""
    run = ["gas", "--steps", 12, *QUIET, "--size"]
    still = ["--gravity", 0]
    for ranks, options in (
            (3, ["24x41", *still, "--init", "blast", "--end-time", "0.01"]),
            (2, ["16x8x32", "--conductivity", "0.01", "--particles", 30000]),
            (4, ["24x41", *still, "--method", "grid", "--init", "shear", "--variant", "runs-3"]),
            (3, ["8x16x64", "--method", "grid", "--conductivity", "0.01"])):
        one = suite.state(*run, *options)
        got = suite.state(*run, *options, "--ranks", ranks)
        suite.check(got == one, f"{options} on {ranks} ranks", got, one)
    got = suite.state(*run, *options, "--ranks", 3, "--devices", "0,1", env=both_drivers(suite))
    suite.check(got == one, "two drivers in one run", got, one)
    for size in (["16x16x16"], ["24x41", *still]):  # places along z, or along y
        status, out, err = mpirun(suite, 2, *run, *size, "--digest", "--save-state", "m.npz",
                                  "--overwrite")
        one = suite.state(*run, *size, "--save-state", "o.npz", "--overwrite")
        suite.check(status == OK and out == f"digest state {one}\n" and
                    suite.read("m.npz") == suite.read("o.npz"), "mpirun", status, out, err)
        more = ["gas", "--steps", 2, *QUIET, "--load-state", "m.npz"]
        one, got = suite.state(*more), suite.state(*more, "--ranks", 3)
        suite.check(got == one, "three ranks go on", got, one)
    frames = ["gas", "--frames", 2, "--steps-per-frame", 4, "--headless", "--overwrite", "--out",
              "g-%03d.png", "--size"]
    for at, options in enumerate((
            ["24x41", *still, "--view", "vorticity", "--output-size", "15x22"],
            ["24x41", *still, "--method", "grid", "--view", "temperature"],
            ["16x8x16", "--view", "density"],
            ["16x8x16", "--preset", "web", "--particles", 3000, "--output-size", "64x48"])):
        one = suite.digests(*frames, *options)
        got = suite.digests(*frames, *options, "--ranks", 2 + at % 2)
        suite.check(got == one and "frames" in one, f"{options}", got, one)


@values
def test_changes(suite):
    """Events in a run whose ranks meet within steps, one that rank 0 alone can refuse, and more
    room for particles while a table is written."""
    events = [{"step": 4, "set": {"dt": 0.003, "view": "points"}},
              {"step": 6, "set": {"view": "vorticity"}}, {"step": 8, "restart": 7}]
    suite.write("gas.json", json.dumps({"simulation": "gas", "size": "24x41", "events": events}))
    events = [{"step": 4, "set": {"feed": 0.06, "background": "transparent"}}]
    suite.write("grey.json", json.dumps({"simulation": "gray-scott", "size": "40x61",
                                         "events": events}))
    for run in (["--scene", "gas.json", "--gravity", 0, "--out", "e-%d.png"],
                ["--scene", "grey.json", "--out", "e.y4m"]):
        run = [*run, "--frames", 6, "--steps-per-frame", 2, "--headless", "--overwrite"]
        one, got = suite.digests(*run), suite.digests(*run, "--ranks", 3)
        suite.check(one == got and "frames" in one, f"{run[1]}", got, one)
    crowd = ["gas", "--size", "8x128", "--particles", 60000, "--init", "cloud", "--radius", "0.33",
             "--ratio", 50, "--gravity", 100, "--temperature", "0.001", "--waves", 0, "--headless",
             "--frames", 16, "--steps-per-frame", 1, "--out", "none", "--verbose"]
    suite.succeeds("one rank", *crowd, "--watch", "one.csv")
    err = suite.run(*crowd, "--watch", "four.csv", "--ranks", 4)[2]
    suite.check("room for " in err and suite.read("one.csv") == suite.read("four.csv"),
                "more room while a table is written", err)


@values
def test_tables(suite):
    """Tables of scalars, which ranks combine, with pictures and without, and arrays, which rank 0
    makes of the state of all."""
    agents = ["physarum", "--size", "24x339", "--agents", 4000, "--sensor-distance", "1.9",
              "--step-size", "0.9"]
    runs = ((1, ["gas", "--size", "16x8x16", "--particles", 3000, "--out", "none"]),
            (2, ["gas", "--size", "24x41", "--gravity", 0, "--method", "grid", "--out", "c.vti"]),
            (2, ["gray-scott", "--size", "40x61", "--out", "c.vti"]),
            (4, ["gas", "--size", "16x8x16", "--out", "c-%d.vtp"]),
            (1, ["gas", "--size", "16x64", "--method", "grid", "--out", "none"]),
            (4, ["gas", "--size", "24x41", "--gravity", 0, "--view", "vorticity", "--out",
                 "c-%d.png"]),
            (1, [*agents, "--out", "none"]),
            (4, [*agents, "--view", "food", "--out", "c-%d.png"]))
    for at, (count, run) in enumerate(runs):
        files = []
        for ranks in (1, 2 + at % 3):
            suite.succeeds(f"{run[0]} on {ranks} ranks", *run, "--frames", 3, "--steps-per-frame",
                           4, "--headless", "--watch", "w.csv", "--ranks", ranks)
            written = [name for name in os.listdir(suite.folder) if name[0] in "wc" and
                       "." in name]
            files.append({name: suite.read(name) for name in written})
            for name in written:
                os.remove(suite.path(name))
        suite.check(files[0] == files[1] and len(files[0]) == count, "the files are equal",
                    [list(each) for each in files])


@values
def test_pictures(suite):
    """So have the pictures, which rank 0 draws from the values of all."""
    run = ["gray-scott", "--size", "90x124", "--headless", "--frames", 4, "--steps-per-frame", 17,
           "--init", "spots", "--overwrite"]
    suite.write("back.png", png(9, 12, [bytes(range(27))] * 12))
    for at, options in enumerate((
            ["--out", "p-%05d.png"], ["--out", "p.y4m", "--output-size", "40x55"],
            ["--out", "p.png", "--crop", "20,30,50x61", "--output-size", "50x31"],
            ["--out", "p.png", "--precision", "float16", "--view", "u", "--normalize", "frame"],
            ["--out", "p.mp4", "--bloom", "1", "--hillshade", "0.5", "--annotate"],
            ["--out", "p.webp", "--output-size", "30x124", "--normalize", "smooth"],
            ["--out", "p.png", "--boundary", "no-flux", "--output-size", "12x9"],
            ["--out", "p.exr", "--background", "back.png"],
            ["--out", "p.png", "--heights", "--output-size", "45x124"],
            ["--out", "p.npy"],
            ["--out", "p-%05d.png", "--output-size", "117x141"],
            ["--out", "p-%05d.png", "--output-size", "117x141", "--kill", "0.5", "--warmup", 150],
            # The second field, once the first is the same everywhere.
            ["--out", "p-%05d.png", "--kill", "0.5", "--warmup", 150, "--output-size", "60x70"],
            ["--out", "p.npy", "--kill", "0.5", "--warmup", 150, "--output-size", "60x70"])):
        one = suite.digests(*run, *options)
        got = suite.digests(*run, *options, "--ranks", 2 + at % 3)
        suite.check(got == one and "frames" in one, f"{options}", got, one)
    events = [{"step": 20, "set": {"colormap": "ink"}}, {"step": 40, "set": {"view": "u"}}]
    suite.write("v.json", json.dumps({"simulation": "gray-scott", "size": "90x124",
                                      "steps-per-frame": 17, "events": events}))
    scene = ["--scene", "v.json", "--frames", 4, "--out", "v-%05d.png", "--overwrite"]
    one, got = suite.digests(*scene), suite.digests(*scene, "--ranks", 3)
    suite.check(got == one, "a view that changes", got, one)
    suite.write("b.json", json.dumps({"simulation": "gray-scott", "size": "90x124", "events": [
        {"step": 20, "set": {"boundary": "no-flux"}}]}))
    out, err = suite.run("--scene", "b.json", "--steps", 60, *QUIET[:-1], "--ranks", 3)[1:]
    suite.check("needs a new simulation" in err and "is ignored" in err,
                "another boundary is refused", out, err)
    suite.succeeds("a still of one rank", *run, "--out", "one.png")
    suite.succeeds("a still of two", *run, "--out", "two.png", "--ranks", 2)
    suite.check(suite.read("one.png") == suite.read("two.png"), "the files are equal")


def test_files(suite):
    """What three ranks save, two load, and the file is that of one rank."""
    for ranks in (1, 3):
        suite.succeeds(f"{ranks} ranks save", *RUN, "--ranks", ranks, "--save-state",
                       f"s{ranks}.npz", env=suite.environment(leaks=True))
    suite.check(suite.read("s1.npz") == suite.read("s3.npz"), "the files are equal")
    more = ["gray-scott", "--steps", 30, *QUIET, "--load-state"]
    digests = [suite.state(*more, name, "--ranks", ranks)
               for name, ranks in (("s3.npz", 1), ("s3.npz", 2), ("s1.npz", 3))]
    suite.check(len(set(digests)) == 1, "states that were loaded go on alike", digests)
    suite.fails("a state that exists", FILE, "s3.npz", *RUN[:-1], "--ranks", 2, "--save-state",
                "s3.npz")
    suite.write("damaged.npz", suite.read("s1.npz")[:-400])
    suite.fails("a damaged state", FILE, "damaged.npz", "gray-scott", "--steps", 3, *QUIET,
                "--ranks", 2, "--load-state", "damaged.npz")
    suite.succeeds("a scene", *RUN, "--ranks", 2, "--save-scene", "s.json", "--timings=json",
                   "--timings-out", "t.json")
    scene = json.loads(suite.read("s.json"))
    suite.check("ranks" not in json.dumps(scene) and json.loads(suite.read("t.json"))["passes"],
                "the scene does not say on how many ranks it ran; rank 0 has timings", scene)
    out = suite.succeeds("a dry run", *RUN, "--ranks", 3, "--exchange-every", 5, "--dry-run")
    suite.check("\nranks          3, of some 32 rows each, and 5 of each neighbour\n" in out and
                "\nframes         none\n" in out, "the plan", out)
    for size, count in (("64x64", 1), ("64x40000", 2)):  # two devices of the same kind
        out = suite.run("gray-scott", "--size", size, *QUIET, "--ranks", "auto", "--dry-run",
                        "--steps", 9, env=both_drivers(suite))[1]
        suite.check(("\nranks " in out) == (count > 1), f"{count} of --ranks auto", out)
    for own in (["--device", "0"], ["--exchange-every", 30000]):  # which auto falls back for
        out = suite.run("gray-scott", "--size", "64x40000", *QUIET, "--ranks", "auto",
                        "--dry-run", "--steps", 9, *own, env=both_drivers(suite))[1]
        suite.check("\nranks " not in out and "\nsize " in out, f"{own}", out)
    suite.check(not suite.left_over() and not shared(), "nothing is left", os.listdir("/dev/shm"))


def plan_line(out, name):
    """The line of a dry run that begins with the name; "": there is none."""
    return (re.search(rf"^{name} +(.*)$", out, re.M) or ["", ""])[1]


def test_bench(suite):
    """Exchanges are measured and kept, and plans predict with them."""
    plan = [*RUN, "--exchange-every", 5, "--dry-run", "--ranks"]
    both = both_drivers(suite)
    hint = "5.6 KiB from each rank every 5 steps; vksim bench ranks --ranks 2"
    for env, devices in ((suite.environment(), []), (suite.environment("swiftshader"), []),
                         (both, ["--devices", "1,0"])):
        same = " with the same --devices" if devices else ""
        out = suite.succeeds("a plan without a measurement", *plan, 2, *devices, env=env)
        suite.check(plan_line(out, "exchanges") == f"{hint}{same} measures their time" and
                    not plan_line(out, "speed-up"), "says what measures it", out)
        found = json.loads(suite.succeeds("exchanges as JSON", "bench", "ranks", "--json",
                                          *devices, env=env))
        fixed, bandwidth = found["ceilings"]
        uuids = [device["uuid"] for device in found["devices"]]
        suite.check((fixed["name"], fixed["unit"], bandwidth["name"], bandwidth["unit"]) ==
                    ("exchange-fixed", "s", "exchange-bandwidth", "B/s") and
                    fixed["samples"] == 9 and 1e-6 < fixed["median"] < 1 and
                    1e6 < bandwidth["median"] < 1e13 and found["options"] == {"ranks": 2} and
                    [point["buffer_bytes"] for point in fixed["points"]] ==
                    [4 ** k << 14 for k in range(7)] and
                    fixed["points"][-1]["median"] > fixed["points"][0]["median"] and
                    len(set(uuids)) == (2 if devices else 1), "both, and times by size", found)
        for edge, halos in (("periodic", 10), ("no-flux", 5)):  # rows, of 576 bytes
            out = suite.succeeds("a plan", *plan, 2, *devices, "--boundary", edge, env=env)
            each = 1e6 * (fixed["median"] + halos * 576 / bandwidth["median"])
            part = (48 + halos) / 48 / 2
            suite.check(
                plan_line(out, "recomputed") ==
                f"{100 * halos / (48 + halos):.1f} % of the rows that a rank computes" and
                plan_line(out, "exchanges").endswith(
                    f"every 5 steps; {each:.2f} us each, {each / 5:.2f} us per step") and
                plan_line(out, "speed-up") ==
                f"t / ({part:.3f} t + {each / 5:.2f} us) of a step that takes t on one device: "
                f"over 1 from t = {each / 5 / (1 - part):.2f} us on, at most {1 / part:.2f}",
                f"{edge}: the time of its bytes", out, found)
    suite.write("ranks.json", json.dumps(found))
    compare = os.path.join(os.path.dirname(__file__), "..", "..", "tools", "bench-compare")
    done = subprocess.run([sys.executable, compare, *[suite.path("ranks.json")] * 2],
                          capture_output=True, text=True, check=False)
    suite.check(done.returncode == 0 and "exchange-bandwidth" in done.stdout,
                "tools/bench-compare reads it", done.stdout, done.stderr)
    table = suite.succeeds("a table of three", "bench", "ranks", "--ranks", 3)
    suite.check("exchanges between 3 ranks, medians of 9 repeats\n" in table and
                "rank 2   llvmpipe" in table and
                re.search(r"^64\.0 MiB .* us .* GB/s$", table, re.M) and
                re.search(r"^exchange-fixed .* us ", table, re.M) and
                re.search(r"^exchange-bandwidth .* GB/s ", table, re.M), "as text", table)
    status, out, err = mpirun(suite, 2, *plan[:-1])
    suite.check(status == OK and "us per step" not in out and
                plan_line(out, "exchanges").endswith("their time is not known under MPI"),
                "processes of mpirun may be on other machines", status, out, err)
    out = suite.succeeds("three ranks", *plan, 3)
    suite.check("us per step" in plan_line(out, "exchanges"), "have their own time", out)
    out = suite.succeeds("four ranks", *plan, 4)
    suite.check("bench ranks --ranks 4 measures" in plan_line(out, "exchanges"), "have none", out)
    thin = ["gray-scott", "--size", "64x64", *QUIET, "--dry-run", "--ranks", 2, "--exchange-every"]
    out = suite.succeeds("halos that are too wide", *thin, 32)
    suite.check(plan_line(out, "speed-up").endswith("on one device: below 1"), "do not pay", out)
    for run in (["gas", "--size", "16x8x16"], ["gas", "--size", "24x41", "--method", "grid",
                                               "--gravity", 0]):
        out = suite.succeeds("the gas", *run, *QUIET, "--dry-run", "--ranks", 2)
        suite.check(plan_line(out, "exchanges").startswith("several within each step") and
                    not plan_line(out, "speed-up"), "is not predicted", out)
    agents = ["physarum", "--size", "96x168", "--agents", 1680, *QUIET, "--dry-run", "--ranks", 2,
              "--exchange-every", 1]
    out = suite.succeeds("agents", *agents)
    rows = int(re.search(r"and (\d+) of each neighbour", out)[1])
    suite.check(plan_line(out, "exchanges").startswith(
        f"{2 * rows * (96 * 4 + 10 * 16) / 1024:.1f} KiB"), "move with their rows", out)
    for path in os.listdir(suite.path("cache")):
        if path.startswith("ranks-"):
            suite.write(f"cache/{path}", suite.read(f"cache/{path}").replace(b'"s"', b'"m"'))
    out = suite.succeeds("a damaged measurement", *plan, 2)
    suite.check(plan_line(out, "exchanges").startswith(hint), "is ignored", out)


def test_bench_refused(suite):
    for name, subject, *options in (
            ("one rank", "--ranks", "--ranks", 1), ("65 ranks", "--ranks", "--ranks", 65),
            ("a word", "--ranks", "--ranks", "auto"), ("a plot", "--plot", "--plot", "a.svg"),
            ("earlier values", "--fresh", "--fresh"), ("sizes", "--sizes", "--sizes", 9),
            ("a name", "'copy'", "copy"), ("an empty device", "--devices", "--devices", "0,,0"),
            ("two options", "--devices", "--devices", "0", "--device", "0"),
            ("an unknown option", "--rank", "--rank", 2)):
        suite.fails(name, USAGE, subject, "bench", "ranks", *options)
    suite.fails("ranks of ceilings", USAGE, "--ranks", "bench", "ceilings", "--ranks", 2)
    suite.fails("devices of a kernel", USAGE, "--devices", "bench", "copy", "--devices", "0")
    suite.fails("a device that is not there", GPU, "'7'", "bench", "ranks", "--devices", "0,7",
                "--quiet")
    suite.succeeds("with validation", "bench", "ranks", "--validate")
    status, out, err = interrupted_at(suite, "measuring exchanges of 1.0 MiB", "bench", "ranks")
    kept = [name for name in os.listdir(suite.path("cache")) if name.startswith("ranks-")]
    suite.check(status == INTERRUPTED and not out and not kept and not shared(),
                "validation and an interruption keep nothing", status, out, err, kept)


def test_refused(suite):
    small = ["gray-scott", "--size", "64x64", "--steps", 3]
    two = [*small, "--ranks", 2]
    suite.fails("a window", USAGE, "--ranks", *two)
    suite.fails("no ranks", USAGE, "--ranks", *small, *QUIET, "--ranks", 0)
    suite.fails("a word", USAGE, "--ranks", *small, *QUIET, "--ranks", "all")
    suite.fails("65 ranks", USAGE, "--ranks", *small, *QUIET, "--ranks", 65)
    suite.fails("too many", USAGE, "17 ranks", *small, *QUIET, "--ranks", 17)
    suite.fails("a halo that is too wide", USAGE, "--exchange-every", *two, *QUIET,
                "--exchange-every", 33)
    suite.fails("no exchange", USAGE, "physarum-3d does not run", "physarum-3d", "--size",
                "16x16x16", *QUIET, "--ranks", 2)
    gas = ["gas", "--size", "24x32", "--gravity", 0, *QUIET, "--steps", 3, "--ranks", 2]
    suite.fails("tracers", USAGE, "several ranks exclude", *gas, "--method", "grid", "--particles",
                9)
    suite.fails("unsorted particles", USAGE, "ranks sort particles", *gas, "--variant", "unsorted")
    suite.fails("several steps", USAGE, "particles move to other ranks", *gas,
                "--exchange-every", 2)
    suite.fails("a potential", USAGE, "potential and several ranks", "gas", "--size", "16x16x16",
                *QUIET, "--steps", 3, "--ranks", 2, "--view", "potential")
    suite.fails("too few rows", USAGE, "at least 3 rows", "gas", "--size", "24x5",
                "--gravity", 0, *QUIET, "--steps", 3, "--ranks", 2)
    for option, value in (("lifetime", 100), ("variant", "joined")):
        suite.fails(option, USAGE, f"--{option}", "physarum", "--size", "128x128", "--agents", 999,
                    *QUIET, "--steps", 3, "--ranks", 2, f"--{option}", value)
    suite.fails("halos that overlap", USAGE, "overlap", "physarum", "--size", "64x64", *QUIET,
                "--steps", 3, "--ranks", 2, "--exchange-every", 2)
    suite.fails("devices of one rank", USAGE, "--devices", *small, *QUIET, "--devices", "0,1")
    suite.fails("exchanges of one rank", USAGE, "--exchange-every", *small, *QUIET,
                "--exchange-every", 4)
    suite.fails("two options for devices", USAGE, "--devices", *two, *QUIET, "--devices", "0",
                "--device", "0")
    suite.fails("an empty device", USAGE, "--devices", *two, *QUIET, "--devices", "0,,0")
    suite.fails("a device that is not there", GPU, "'7'", *two, *QUIET, "--devices", "0,7")
    for option, *value in (["vary", "feed=0.03,0.04"], ["retries", 2],
                           ["report", "r.html"], ["trace", "t.json"], ["capture", "1:2"],
                           ["record-events", "e.json"], ["collage", "2x2"]):
        suite.fails(option, USAGE, f"--{option}", *two, *QUIET, f"--{option}", *value)
    suite.write("p.json", json.dumps({"simulation": "gray-scott", "size": "64x64", "events": [
        {"step": 1, "paint": [{"brush": "seed", "x": 9, "y": 9, "x2": 20, "y2": 9,
                               "radius": 3}]}]}))
    suite.fails("strokes", USAGE, "p.json", "--scene", "p.json", "--steps", 3, *QUIET, "--ranks",
                2)
    suite.check(not shared() and not suite.left_over() and
                set(os.listdir(suite.folder)) <= {"p.json", "cache"},
                "nothing is left", shared(), os.listdir(suite.folder))


def mpirun(suite, count, *arguments, vksim=None):
    """As suite.run(), of processes that mpirun starts. Containers may forbid Open MPI to read the
    memory of another process."""
    env = suite.environment(OMPI_MCA_btl_vader_single_copy_mechanism="none")
    done = subprocess.run(["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(count),
                           vksim or suite.vksim, *map(str, arguments)], cwd=suite.folder,
                          env=env, stdin=subprocess.DEVNULL, timeout=120, capture_output=True,
                          text=True, check=False)
    return done.returncode, done.stdout, done.stderr


@values
def test_mpi(suite):
    """The same with processes that mpirun starts."""
    for options in ([], ["--boundary", "no-flux", "--init", "noise"]):
        one = suite.state(*RUN, *options)
        for count in (2, 3):
            status, out, err = mpirun(suite, count, *RUN, *options, "--digest", "--save-state",
                                      "m.npz", "--overwrite")
            suite.check(status == OK and out == f"digest state {one}\n",
                        f"{options}, {count} processes", status, out, err)
    suite.succeeds("one process", *RUN, *options, "--save-state", "one.npz")
    suite.check(suite.read("m.npz") == suite.read("one.npz"), "the state files are equal")
    status, out, err = mpirun(suite, 2, "gray-scott", "--steps", 9, *QUIET, "--load-state",
                              "m.npz")
    suite.check(status == OK, "a state is loaded", status, out, err)
    for name, words, arguments in (
            ("a window", "--ranks needs --headless", ["gray-scott"]),
            ("ranks of its own", "--ranks starts processes of its own, and mpirun has started 2",
             [*RUN, "--ranks", 2]),
            ("another command", "vksim scale runs in one process, and mpirun has started 2",
             ["scale"]),
            ("another device", "'9' is not a Vulkan device", [*RUN, "--device", "9"])):
        status, out, err = mpirun(suite, 2, *arguments)
        own = name == "another device"  # each rank says so, until one of them ends the others
        suite.check(status == (GPU if own else USAGE) and
                    (own and words in err or err.count(words) == 1), name, status, out, err)
    one = suite.state(*RUN[:3], "--steps", 80, *QUIET)
    for count, run in ((3, [*RUN, "--checkpoint", "c", "--checkpoint-every", "7steps"]),
                       (2, ["--resume", "c", "--steps", 70]),
                       (1, ["--resume", "c", "--steps", 75, "--ranks", 3]),
                       (2, ["--resume", "c", "--steps", 80])):  # without the three ranks
        status, out, err = mpirun(suite, count, *run, "--digest") if count > 1 else \
            suite.run(*run)
        suite.check(status == OK and out.count("digest") == 1 and
                    not os.path.exists(suite.path("c.lock")), f"{count} processes, {run}", status,
                    out, err)
    suite.check(out == f"digest state {one}\n", "checkpoints go on alike", out, one)
    status, out, err = mpirun(suite, 2, "--resume", "c")
    suite.check(status == OK and out == "" and err == "", "a complete run", status, out, err)
    os.mkdir(suite.path("elsewhere"))
    run = [*RUN, "--steps", 90, "--resume-or-start", "c"]
    own = [":", "-n", "1", "--wdir", suite.path("elsewhere"), os.path.abspath(suite.vksim), *run]
    status, out, err = mpirun(suite, 1, *run, *own)
    suite.check(status != OK and "rank 1 failed: this rank has found checkpoint 0 of 'c'" in err,
                "a folder that is not shared", status, out, err)
    os.mkdir(suite.path("alone"))
    shutil.copy(suite.vksim, suite.path("alone"))
    status, out, err = mpirun(suite, 2, *RUN, vksim="alone/vksim")
    words = ("rank 0 of 2 by mpirun, but this vksim has no MPI module; build it with "
             "-Dmpi=enabled, or use --ranks")
    suite.check(status == USAGE and err.count(words) == 1, "no module", status, out, err)


def started(suite, *options, run=("gray-scott", "--size", "64x64")):
    """A run on three ranks, once all of them compute; their process numbers."""
    process = subprocess.Popen([suite.vksim, *run, *map(str, ENDLESS), "--ranks", "3", *options],
                               env=suite.environment(), cwd=suite.folder,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, preexec_fn=default_signals)
    children = f"/proc/{process.pid}/task/{process.pid}/children"
    until = time.monotonic() + 60
    ranks = []
    while time.monotonic() < until and (len(ranks) < 2 or shared(process.pid)):
        time.sleep(0.05)
        with open(children, encoding="ascii") as file:
            ranks = file.read().split()
    time.sleep(0.3)
    return process, [process.pid, *map(int, ranks)]


def ended(process):
    """Its status, what it said, and the seconds that took."""
    begun = time.monotonic()
    _, err = process.communicate(timeout=60)
    return process.returncode, err, time.monotonic() - begun


def are_gone(ranks):
    until = time.monotonic() + 10
    while time.monotonic() < until and any(os.path.exists(f"/proc/{rank}") for rank in ranks):
        time.sleep(0.05)
    return not any(os.path.exists(f"/proc/{rank}") for rank in ranks)


def test_stops(suite):
    """Ctrl-C stops all ranks at the same step; a rank that is killed ends the others."""
    for number, whom in ((signal.SIGINT, "all"), (signal.SIGTERM, "the first")):
        process, ranks = started(suite, "--save-state", "i.npz", "--overwrite")
        for rank in ranks if whom == "all" else ranks[:1]:
            os.kill(rank, number)
        status, err, seconds = ended(process)
        with zipfile.ZipFile(suite.path("i.npz")) as file:
            steps = json.loads(file.read("vksim.json"))["steps"]
        again = ["gray-scott", *QUIET, "--steps"]
        got = suite.state(*again, 0, "--load-state", "i.npz")
        one = suite.state(*again, steps, "--size", "64x64")
        suite.check(status == INTERRUPTED and seconds < 10 and are_gone(ranks) and steps > 0 and
                    got == one, f"a signal to {whom} of them", status, seconds, steps, err)
    for victim in range(6):  # the gas: within steps, too
        gas = {"run": ("gas", "--size", "8x8x16")} if victim > 2 else {}
        process, ranks = started(suite, **gas)
        victim %= 3
        os.kill(ranks[victim], signal.SIGKILL)
        status, err, seconds = ended(process)
        told = status == -signal.SIGKILL if victim == 0 else (
            status == GPU and f"rank {victim} was killed" in err)
        suite.check(told and seconds < 5 and are_gone(ranks), f"rank {victim} is killed", status,
                    seconds, err)
    process, ranks = started(suite)
    os.kill(ranks[1], signal.SIGSTOP)
    process.send_signal(signal.SIGINT)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    status, err, seconds = ended(process)
    os.kill(ranks[1], signal.SIGCONT)
    suite.check(status == INTERRUPTED and "stopped" in err and are_gone(ranks),
                "a rank that hangs, and two signals", status, seconds, err)
    process, ranks = started(suite, "--gpu-timeout", "3")
    os.kill(ranks[2], signal.SIGSTOP)
    status, err, seconds = ended(process)
    suite.check(status == GPU and "rank 2 has been silent for 3 seconds" in err,
                "a rank that is silent", status, seconds, err)
    suite.check(are_gone(ranks) and not suite.left_over() and not shared(), "nothing is left",
                shared())


if __name__ == "__main__":
    main(globals())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_cli_scale.py VKSIM [NAME...]: `vksim scale`. See suite.py."""

import json
import os
import re
import signal
import sys
from xml.etree import ElementTree

sys.dont_write_bytecode = True
from suite import (DEVICE, FILE, INTERRUPTED, OK, USAGE, interrupted, interrupted_at,  # noqa: E402
                   main)

SCALE = ["scale", "--repeats", "5", "--agents", "100"]
SWEEP = [*SCALE, "--preset", "plain", "--over"]


def test_scale(suite):
    out = suite.succeeds("scale --json", *SCALE, "--over", "size=8,16,24,32", "--over",
                         "agents=1k,2k", "--over", "steps=1:2", "--size", "24x16", "--json",
                         "--plot", "s.svg", "--report", "s.html")
    got = json.loads(out)
    report, plots = suite.read_page("s.html")
    drawn = [ElementTree.fromstring(plot) for plot in plots]
    suite.check(report == got and len(drawn) == 3 and "agents=1k,2k" in got["command"],
                "the page has this JSON, and a plot per sweep", len(drawn), report)
    suite.check(got["simulation"] == "physarum" and got["repeats"] == 5 and
                got["copy_bytes_per_s"] > 0 and got["options"]["agents"] == 100 and
                got["device"]["name"].startswith("llvmpipe"), "what was run", got)
    sweeps = {sweep["quantity"]: sweep for sweep in got["scaling"]}
    points = {name: sweep["points"] for name, sweep in sweeps.items()}
    suite.check([point["x"] for point in points["size"]] == [8, 16, 24, 32] and
                [point["cells"] for point in points["size"]] == [64, 256, 576, 1024] and
                [point["cells"] for point in points["agents"]] == [384, 384] and
                [point["name"] for point in points["steps"]] == ["steps=1", "steps=2"] and
                [point["steps"] for point in points["steps"]] == [1, 2], "the points", points)
    every = [point for rows in points.values() for point in rows]
    suite.check(all(0 < point["min"] <= point["low_quartile"] <= point["median"] <=
                    point["high_quartile"] <= point["max"] and point["samples"] == 5 and
                    point["unit"] == "s" and point["startup_s"] > 0 and
                    point["host"]["median"] >= 0.5 * point["median"] for point in every),
                "each with its spread and the host's time", every)
    # Per step: agents read three sensors and move, cells are read and written.
    suite.check(all(point["bytes"] > 8 * point["cells"] and
                    abs(point["share_of_copy"] - point["bytes"] / point["median"] /
                        got["copy_bytes_per_s"]) < 1e-9 for point in every), "bytes of a step",
                every)
    fit = sweeps["size"]["fit"]
    suite.check(fit["points"] == 4 and (fit["from"], fit["to"]) == (8, 32) and
                fit["p"]["value"] > 0 and fit["a_s"]["value"] >= 0 and
                sweeps["agents"]["fit"] is None, "a fit of four points, none of two", fit)
    plot = ElementTree.fromstring(suite.read("s.svg"))
    name = "{http://www.w3.org/2000/svg}"
    words = [text.text for text in plot.iter(f"{name}text")]
    markers = [path for path in plot.iter(f"{name}path") if "marker" in path.get("class")]
    suite.check(plot.tag == f"{name}svg" and "physarum: GPU time per step against agents" in words
                and len(markers) == len(every) + 3 and
                any("fit: " in (text or "") for text in words) and
                sum("limit: bytes" in (text or "") for text in words) == 3,
                "the plots: every point, and one of each legend", words)
    suite.fails("a plot that exists", FILE, "--overwrite", *SCALE, "--over", "size=16", "--plot",
                "s.svg")
    status, out, err = suite.run(*SCALE, "--over", "size=16,32,48,64,60000", "--plot", "s.svg",
                                 "--overwrite")
    rows = [line.split() for line in out.splitlines()]
    suite.check(status == OK and [row[0] for row in rows[2:6]] == ["16", "32", "48", "64"] and
                re.search(r"^left out: 60000: .*need.*iB", out, re.M) and
                re.search(r"^fit, size \d+ to 64 \(4 points\)", out, re.M) and
                re.search(r"^  p = \d\.\d{3} \+- ", out, re.M) and
                re.search("the GPU (is|may not be|is not) full", out),
                "the table; a size that does not fit is left out", status, out, err)
    suite.check("vksim: size 64: " in err and "60000 is left out" in err, "progress", err)
    out = suite.succeeds("another simulation", "scale", "gray-scott", "--repeats", 5, "--over",
                         "size=16", "--quiet")
    suite.check(out.startswith("gray-scott over size on llvmpipe") and "no fit: it needs" in out,
                "one point", out)
    suite.fails("scale without timestamps", DEVICE, "llvmpipe", *SCALE, "--over", "size=16",
                "--plot", "n.svg", env={**suite.scarce_memory(),
                                        "MEMORY_LAYER_TIMESTAMP_BITS": "0"})
    suite.check(not os.path.exists(suite.path("n.svg")), "nothing is drawn then")
    suite.fails("scale with timestamps of one bit", DEVICE, "have not advanced", *SCALE, "--over",
                "size=16", env={**suite.scarce_memory(), "MEMORY_LAYER_TIMESTAMP_BITS": "1"},
                timeout=30)
    for words in ("size=16/3", "size=16:32:64", "size=16,32:64"):
        suite.fails(words, USAGE, "--over", *SCALE, "--over", words)
    for values in ("steps=1000000000", "size=16:4096"):
        status, seconds, err = interrupted(
            suite, ["--over", values, "--plot", "i.svg"], [signal.SIGINT],
            command=["scale", "--agents", "100", "--preset", "plain"])
        suite.check(status == INTERRUPTED and seconds < 10 and not suite.left_over() and
                    (values.startswith("size") or not os.path.exists(suite.path("i.svg"))),
                    f"Ctrl-C ends {values}", status, seconds, err)


def test_scale_refused(suite):
    rows = [
        ("nothing to vary", "--over", []),
        ("no values", "size=", ["--over", "size="]),
        ("no quantity", "16", ["--over", "16"]),
        ("an unknown quantity", "wind=1:2", ["--over", "wind=1:2"]),
        ("a text", "x", ["--over", "size=16,x"]),
        ("a reversed range", "size=64:16", ["--over", "size=64:16"]),
        ("a huge range", "1e30", ["--over", "steps=1:1e30"]),
        ("a side over the limit", "70000", ["--over", "size=64:70000"]),
        ("too many cells", "65536", ["--over", "size=65536"]),
        ("a second that is wrong", "agents=0", ["--over", "size=16", "--over", "agents=0"]),
        ("a page that is the plot", "--plot", ["--over", "size=16", "--plot", "p.svg", "--report",
                                               "./p.svg"]),
        ("no picture", "p.gif", ["--over", "size=16", "--plot", "p.gif"]),
        ("too few repeats", "--repeats", ["--over", "size=16", "--repeats", 1]),
        ("an unknown preset", "nope", ["--over", "size=16", "--preset", "nope"]),
        ("an option of another simulation", "--feed", ["physarum", "--over", "size=16", "--feed",
                                                       0.03]),
        ("an option of a run", "--frames", ["--over", "size=16", "--frames", 3]),
    ]
    for name, subject, arguments in rows:
        suite.fails(f"scale: {name}", USAGE, subject, "scale", *arguments)
    suite.fails("scale: a folder that is not there", FILE, "nowhere", "scale", "--over", "size=16",
                "--plot", "nowhere/p.svg")


SIZES = "size=" + ",".join(str(16 * (i + 1)) for i in range(20))


def test_scale_interrupted(suite):
    suite.succeeds("a ceiling", *SWEEP, "size=16")  # is kept
    status, out, err = interrupted_at(suite, "size 48: ", *SWEEP, SIZES, "--over", "agents=10,20",
                                      "--plot", "s.svg", "--report", "s.html")
    said = re.search(r"interrupted after (\d+) of 22 values$", err, re.M)
    done = int(said[1]) if said else 0
    rows = [line.split() for line in out.splitlines() if re.match(r" +\d+ ", line)]
    suite.check(status == INTERRUPTED and 3 <= done < 20, "Ctrl-C ends the sweep", status, err)
    suite.check([row[0] for row in rows[:3]] == ["16", "32", "48"] and len(rows) == done and
                f"INTERRUPTED: {22 - done} more values were not measured" in out and
                "over agents" not in out, "the points up to there are printed", out)
    report, plots = suite.read_page("s.html")
    suite.check(report["interrupted"] is True and report["left"] == 22 - done and
                len(report["scaling"]) == len(plots) == 1 and
                len(report["scaling"][0]["points"]) == done and
                b"llvmpipe" in suite.read("s.svg"), "and are on the page", report)
    status, out, err = interrupted_at(suite, "agents 10: ", *SWEEP, "size=16,32", "--over",
                                      "agents=10,20,30,40,50,60,70,80", "--json")
    found = json.loads(out)
    suite.check(status == INTERRUPTED and found["interrupted"] is True and found["left"] > 0 and
                len(found["scaling"][0]["points"]) == 2 and
                1 <= len(found["scaling"][1]["points"]) < 8, "in JSON", out, err)


def test_scale_left_out(suite):
    scarce = {**suite.scarce_memory(), "MEMORY_LAYER_HEAP": str(3 << 20)}
    status, out, err = suite.run(*SWEEP, "size=2048,4096", env=scarce)
    suite.check(status == USAGE and "no value of size could be measured; the first: " in err and
                "left out: 2048: " in out, "a sweep without a point is an error", status, out, err)
    status, out, err = suite.run(*SWEEP, "size=16,4096", env=scarce)
    suite.check(status == OK and "left out: 4096: " in out, "with one, it is not", status, out, err)


if __name__ == "__main__":
    sys.exit(main(globals()))

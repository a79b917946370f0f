#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_cli_sensitivity.py VKSIM [NAME...]: `vksim sensitivity`. See suite.py."""

import csv
import json
import math
import os
import sys
from xml.etree import ElementTree

sys.dont_write_bytecode = True
from suite import (FILE, INTERRUPTED, OK, USAGE, interrupted_at, main, picture,
                   values)  # noqa: E402

SMALL = ["sensitivity", "--size", "48x40", "--agents", "820", "--init", "disc"]
SHORT = [*SMALL, "--spin-up", "40", "--steps", "80", "--shrink", "6"]
NAMES = ["agents", "apart", "position_y", "position_x", "heading", "trail", "trail_total"]


def rows_of(suite, name):
    return list(csv.DictReader(suite.read(name).decode().splitlines()))


def grows_as(seed, shrink):
    """The seed's rate, from its cycles: the first is left out."""
    rest = seed["cycles"][1:]
    if not rest:
        return seed["rate"] is None
    return abs(seed["rate"] - shrink * math.log(2) * len(rest) / sum(rest)) < 1e-12


def test_sensitivity(suite):
    got = json.loads(suite.succeeds("twins", *SHORT, "--seeds", 3, "--seed", 7, "--json", "--curve",
                                    "c.csv", "--plot", "p.svg", "--report", "r.html"))
    seeds = got["seeds"]
    suite.check(got["simulation"] == "physarum" and got["size"] == "48x40" and
                got["perturbation"] == "headings:0.001" and got["spin_up"] == 40 and
                got["steps"] == 80 and got["every"] == 1 and got["shrink"] == 6 and
                got["limit"] == 50 and got["field"] == "trail" and
                got["distances"] == [1 / 50 / 64, 1 / 50] and got["options"]["agents"] == 820 and
                got["device"]["name"].startswith("llvmpipe") and "820" in got["command"],
                "what was run", got)
    suite.check([seed["seed"] for seed in seeds] == [7, 8, 9] and
                all(grows_as(seed, 6) and sum(seed["cycles"]) <= 80 and seed["rate"] > 0.1
                    for seed in seeds), "rates follow from the cycles", seeds)
    rates = [seed["rate"] for seed in seeds]
    mean = sum(rates) / 3
    error = math.sqrt(sum((rate - mean) ** 2 for rate in rates) / 2 / 3)
    suite.check(abs(got["rate"]["mean"] - mean) < 1e-12 and got["rate"]["seeds"] == 3 and
                abs(got["rate"]["standard_error"] - error) < 1e-12 and
                abs(got["rate"]["doubling_steps"] - math.log(2) / mean) < 1e-9,
                "their mean and standard error", got["rate"])
    rows = rows_of(suite, "c.csv")
    by_seed = {seed: [row for row in rows if row["seed"] == str(seed)] for seed in (7, 8, 9)}
    suite.check(list(rows[0]) == ["seed", "step", *NAMES, "relative"] and
                all([int(row["step"]) for row in by_seed[seed]] == list(range(81))
                    for seed in by_seed), "a row per seed and step", rows[:2])
    first, last = by_seed[7][0], by_seed[7][-1]
    suite.check([int(first[name]) for name in NAMES[:4]] == [820, 0, 0, 0] and
                int(first["heading"]) == 820 * round(1e-3 * 2 ** 32) and
                int(first["trail"]) == 0, "at first only headings differ", first)
    suite.check({name: int(last[name]) for name in NAMES} == seeds[0]["free"]["end"] and
                all(abs(float(row["relative"]) * int(row["trail_total"]) - int(row["trail"])) < 1
                    for row in rows), "the last row is in the JSON", last, seeds[0])
    far = next(int(row["step"]) for row in by_seed[7] if float(row["relative"]) > 1 / 50)
    suite.check(seeds[0]["cycles"][0] == far, "the first cycle is that of the free twin", far)
    svg = ElementTree.fromstring(suite.read("p.svg"))
    name = "{http://www.w3.org/2000/svg}"
    words = [text.text for text in svg.iter(f"{name}text")]
    suite.check("physarum: distance of a perturbed twin" in words and "seed 9" in words and
                "limit, 1/50" in words and "distance relative to the trail" in words and
                len([line for line in svg.iter(f"{name}line") if line.get("class") == "s2"]) > 70,
                "the plot has a line per seed", words)
    report, plots = suite.read_page("r.html")
    suite.check(report == got and len(plots) == 1, "the page has this JSON and the plot")
    out = suite.succeeds("the table", *SHORT, "--seeds", 3, "--seed", 7)
    suite.check(f"finite-size exponent: {mean:.4f} +- {error:.4f} per step" in out and
                "for distances from 0.031 % to 2 % of the total trail" in out and
                f"doubling time: {math.log(2) / mean:.3g} steps" in out and
                [line.split()[0] for line in out.splitlines()[3:6]] == ["7", "8", "9"],
                "says the same", out)


def test_sensitivity_growth(suite):
    got = json.loads(suite.succeeds("every fourth step", *SHORT, "--seeds", 1, "--every", 4,
                                    "--json"))
    cycles = got["seeds"][0]["cycles"]
    suite.check(cycles and all(length % 4 == 0 for length in cycles) and
                got["rate"]["standard_error"] is None, "cycles are multiples of it", got)
    calm = [*SHORT, "--turn-angle", 0, "--perturb", "trail:0.5", "--seeds", 2]
    out = suite.succeeds("without growth", *calm)
    suite.check("no growth to 2 % of the total trail within 80 steps: the largest distance of the "
                "twins is " in out and "exponent" not in out, "a plain statement", out)
    got = json.loads(suite.succeeds("without growth", *calm, "--json"))
    suite.check(got["rate"] == {"mean": None, "standard_error": None, "seeds": 0,
                                "doubling_steps": None} and
                all(seed["cycles"] == [] and seed["rate"] is None and
                    0 <= seed["largest_distance"] < 0.02 and seed["free"]["end"]["agents"] == 0
                    for seed in got["seeds"]), "and null in JSON", got)
    got = json.loads(suite.succeeds("Gray-Scott", "sensitivity", "gray-scott", "--size", "32x24",
                                    "--steps", 20, "--seeds", 1, "--json"))
    suite.check(got["field"] == "v" and got["perturbation"] == "all-v:0.001" and
                list(got["seeds"][0]["free"]["end"]) == ["u", "u_total", "v", "v_total"],
                "fields only", got)


def test_sensitivity_map(suite):
    run = [*SHORT, "--seeds", 2, "--perturb", "position:1.5", "--over", "turn-angle=0,6",
           "--over-rows", "decay=0.05,0.1,0.2", "--map-out", "m.png"]
    got = json.loads(suite.succeeds("a map", *run, "--json", "--colormap", "magma"))["map"]
    suite.check(got["columns"] == {"option": "turn-angle", "values": ["0", "6"]} and
                got["rows"] == {"option": "decay", "values": ["0.05", "0.1", "0.2"]} and
                len(got["cells"]) == 6, "its axes", got)
    still = [cell["mean"] for cell in got["cells"][0::2]]
    grows = [cell["mean"] for cell in got["cells"][1::2]]
    suite.check(still == [None] * 3 and all(rate and rate > 0.05 for rate in grows),
                "growth needs steering", got["cells"])
    rows = rows_of(suite, "m.csv")
    suite.check(list(rows[0]) == ["turn-angle", "decay", "rate", "standard_error", "seeds",
                                  "cycles"] and
                [(row["turn-angle"], row["decay"]) for row in rows] ==
                [(x, y) for y in ("0.05", "0.1", "0.2") for x in ("0", "6")] and
                [float(row["rate"]) if row["rate"] else None for row in rows] ==
                [cell["mean"] for cell in got["cells"]] and
                all((int(row["cycles"]) > 0) == bool(row["rate"]) for row in rows),
                "the numbers beside it", rows)
    width, height, data = picture(suite.path("m.png"))
    grey = sum(data[at:at + 3] == b"\xa4\xa9\xae" for at in range(0, len(data), 3))
    suite.check(width > 150 and height > 200 and 3 * 3500 < grey < 3 * 64 * 64,
                "cells without growth are grey", width, height, grey)
    suite.check(len({data[at:at + 3] for at in range(0, len(data), 3)}) > 60, "a colour bar")
    suite.fails("an existing map", FILE, "m.png", *run)
    os.remove(suite.path("m.png"))
    suite.fails("an existing table", FILE, "m.csv", *run)
    out = suite.succeeds("one row", *SHORT, "--seeds", 1, "--over", "jitter=10..30", "--grid",
                         "3x1", "--map-out", "row.png")
    suite.check("rows: -, columns: jitter" in out and out.splitlines()[3].split() ==
                ["10", "20", "30"] and len(rows_of(suite, "row.csv")) == 3, "a range", out)
    suite.succeeds("presets", *SHORT, "--seeds", 1, "--over", "preset=plain,silk")


@values
def test_sensitivity_drivers(suite):
    run = [*SHORT, "--seeds", 1, "--json"]
    got = [json.loads(suite.succeeds(driver, *run, env=suite.environment(driver)))["seeds"]
           for driver in ("lavapipe", "swiftshader")]
    suite.check(got[0] == got[1], "both drivers measure the same", got)


def test_sensitivity_refused(suite):
    rows = [
        ("an unknown perturbation", "--perturb", ["--perturb", "food:1"]),
        ("no amount", "--perturb", ["--perturb", "headings"]),
        ("less than a unit", "2^-32 turns", ["--perturb", "headings:1e-10"]),
        ("less than a unit of the width", "2^-32 of the width", ["--perturb", "position:1e-9"]),
        ("less than a unit of a value", "2^-23", ["--perturb", "trail:1e-8"]),
        ("a negative amount", "--perturb", ["--perturb", "heading:-1"]),
        ("more than half a turn", "half a turn", ["--perturb", "heading:0.7"]),
        ("a heading of Gray-Scott", "u, all-u, v, all-v", ["--simulation-of", "gray-scott",
                                                           "--perturb", "heading:1"]),
        ("the gas", "no distance is defined", ["--simulation-of", "gas"]),
        ("halves", "float32", ["--simulation-of", "gray-scott", "--precision", "float16"]),
        ("no steps", "--steps", ["--steps", 0]),
        ("no seeds", "--seeds", ["--seeds", 0]),
        ("seeds past the last", "--seeds", ["--seed", 4294967295, "--seeds", 2]),
        ("more steps between measurements than steps", "--every", ["--steps", 3, "--every", 4]),
        ("a huge contraction", "--shrink", ["--shrink", 21]),
        ("a limit of everything", "--limit", ["--limit", 1]),
        ("a map of nothing", "--over", ["--map-out", "m.png"]),
        ("rows alone", "--over", ["--over-rows", "jitter=1,2"]),
        ("a curve of a map", "--curve", ["--over", "jitter=1,2", "--curve", "c.csv"]),
        ("a plot of a map", "--plot", ["--over", "jitter=1,2", "--plot", "p.svg"]),
        ("a map over seeds", "--over", ["--over", "seed=1,2"]),
        ("a map over an unknown option", "jiter", ["--over", "jiter=1,2"]),
        ("a range without a grid", "LOW..HIGH/N", ["--over", "jitter=1..2"]),
        ("one option twice", "--over-rows", ["--over", "jitter=1,2", "--over-rows", "jitter=3"]),
        ("a map that is no PNG", "m.svg", ["--over", "jitter=1,2", "--map-out", "m.svg"]),
        ("a plot that is no picture", "p.gif", ["--plot", "p.gif"]),
        ("a curve that is no CSV", "c.txt", ["--curve", "c.txt"]),
        ("one file for two", "--map-out", ["--over", "jitter=1,2", "--map-out", "m.png", "--report",
                                         "./m.csv"]),
        ("an unknown preset", "nope", ["--preset", "nope"]),
        ("an option of a run", "--frames", ["--frames", 3]),
    ]
    for name, subject, arguments in rows:
        of = ["physarum"]
        if arguments[0] == "--simulation-of":
            of, arguments = [arguments[1]], arguments[2:]
        suite.fails(name, USAGE, subject, "sensitivity", *of, *arguments)
    suite.fails("a variant that sorts", USAGE, "--variant", "sensitivity", "--size", "32x32",
                "--agents", 50, "--variant", "sorted-16-words")
    for option, name in (("--curve", "c.csv"), ("--plot", "p.svg"), ("--report", "r.html")):
        suite.fails(f"no folder of {option}", FILE, "nowhere", "sensitivity", option,
                    f"nowhere/{name}")
    suite.fails("values that are not valid", USAGE, "--perturb", "sensitivity", "gray-scott",
                "--size", "32x24", "--spin-up", 0, "--steps", 1, "--perturb", "all-u:0.5")
    suite.check(not suite.left_over(), "nothing is left")


def test_sensitivity_interrupted(suite):
    status, out, err = interrupted_at(suite, "seed 2: ", *SHORT, "--seeds", "500", "--json",
                                      "--curve", "c.csv")
    got = json.loads(out)
    suite.check(status == INTERRUPTED and got["interrupted"] is True and
                2 <= len(got["seeds"]) < 500 and
                {row["seed"] for row in rows_of(suite, "c.csv")} ==
                {str(seed["seed"]) for seed in got["seeds"]}, "seeds up to there", status, err)
    values = ",".join(map(str, range(2, 150)))
    status, out, err = interrupted_at(suite, "jitter 4: ", *SHORT, "--seeds", "1", "--over",
                                      f"jitter={values}", "--map-out", "m.png")
    suite.check(status == INTERRUPTED and "INTERRUPTED" in out and
                3 <= len(rows_of(suite, "m.csv")) < 148 and picture(suite.path("m.png")) and
                not suite.left_over(), "cells up to there", status, err)
    status, out, err = interrupted_at(suite, "variant", *SMALL, "--spin-up", "1000000000")
    suite.check(status == INTERRUPTED and not out, "in the spin-up", status, out, err)


if __name__ == "__main__":
    sys.exit(main(globals()))

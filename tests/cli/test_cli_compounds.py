#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_cli_compounds.py VKSIM [NAME...]: simulations of other simulations from a file: what they
are, what holds them, and what is refused. See suite.py."""

import copy
import json
import os
import sys

sys.dont_write_bytecode = True
from suite import USAGE, main, values  # noqa: E402

SPREAD = {
    "formula": 1, "name": "spread", "fields": {"u": {"help": "amount"}},
    "parameters": {"d": [0.1, 0, 0.2]}, "rates": {"u": "d*lap(u)"},
    "init": {"noise": {"u": "random()"}, "ramp": {"u": "x"}}}
MODEL = {
    "compound": 1, "name": "garden", "summary": "a mould and its soil",
    "parts": {"mould": "physarum", "soil": "gray-scott", "rain": "spread"},
    "parameters": {"rich": [0.04, 0, 0.1, "F at most"]},
    "let": {"wet": "min(rain.u, 1)"},
    "inputs": {"soil.feed": "rich*wet", "mould.food": "2*soil.v"},
    "presets": {"default": {"view": "soil-v", "mould-agents": 200, "soil-init": "spots"},
                "poor": {"summary": "little to eat", "rich": 0.02}}}
RUN = ["--headless", "--size", "24x16", "--frames", 2, "--steps-per-frame", 5]


def model(suite, change=None, name="garden.json"):
    """Writes the compound, changed by a function of it, and the formula beside it."""
    suite.write("spread.json", json.dumps(SPREAD))
    data = copy.deepcopy(MODEL)
    if change:
        change(data)
    return suite.write(name, json.dumps(data))


def test_simulation(suite):
    """A file is a simulation with the options, views and brushes of its parts."""
    model(suite)
    listed = suite.succeeds("--list", "garden.json", "--list")
    suite.check(all(word in listed for word in ("a mould and its soil", "mould-trail", "soil-v",
                                                "rain-u", "little to eat")), "--list", listed)
    told = suite.succeeds("--help", "garden.json", "--help", "all")
    suite.check(all(word in told for word in ("--rich X", "--mould-decay X", "--soil-kill X",
                                              "--rain-d X", "--rain-init NAME", "mould-attract",
                                              "soil-seed")), "--help", told)
    suite.check(not any(word in told for word in ("--soil-feed ", "--mould-food ",
                                                "--soil-map ")),
                "without what inputs replace", told)
    shown = suite.succeeds("--show-shader", "garden.json", "--show-shader")
    suite.check("inputs of mould" in shown and "inputs of soil" in shown, "the shaders", shown)
    start = suite.state("garden.json", *RUN)
    for words in (["--preset", "poor"], ["--mould-decay", 0.5], ["--rain-init", "ramp"],
                  ["--soil-boundary", "no-flux"], ["--rain-d", 0.2], ["--seed", 2],
                  ["--mould-agents", 0, "--mould-density", 0.9], ["--mould-walls", "frame"]):
        suite.check(suite.state("garden.json", *RUN, *words) != start, " ".join(map(str, words)))
    _, _, err = suite.run("garden.json", *RUN, "--out", "none", "--mould-wall-sight", "open")
    suite.check("--mould-wall-sight has no effect" in err, "a warning", err)


@values
def test_held(suite):
    """Scenes and states hold the compound with its formulas, so that no file is needed."""
    model(suite)
    whole = suite.state("garden.json", *RUN, "--rich", 0.05)
    suite.succeeds("what holds it", "garden.json", *RUN, "--rich", 0.05, "--out", "a.png",
                   "--save-scene", "t.json", "--record-events", "s.json")
    suite.succeeds("half of it", "garden.json", *RUN[:3], "--steps", 3, "--out", "none", "--rich",
                   0.05, "--save-state", "s.npz")
    for name in ("garden.json", "spread.json"):
        os.rename(suite.path(name), suite.path(name + ".moved"))
    for name, words in (("a scene", ["t.json"]), ("a recording", ["s.json"]),
                        ("a picture", ["a.png", "--steps", 5])):
        suite.check(suite.state("--headless", "--scene", *words) == whole, name)
    suite.check(suite.state("--load-state", "s.npz", "--headless", "--steps", 2) == whole,
                "a state")


@values
def test_strokes(suite):
    """Brushes of the parts, by effects and by passes of their own."""
    model(suite)
    start = suite.state("garden.json", *RUN)
    for brush in ("mould-attract", "mould-agents", "soil-seed"):
        suite.write("e.json", json.dumps({
            "simulation": "garden", "events": [
                {"step": 2, "paint": [{"brush": brush, "x": 20000, "y": 30000, "radius": 9000}]}]}))
        suite.check(suite.state("garden.json", "--scene", "e.json", *RUN) != start, brush)


def test_changes(suite):
    """Options of the compound and of parts change a running simulation, and back."""
    model(suite)
    start = suite.state("garden.json", *RUN)
    for option, value in (("rich", 0.03), ("soil-dt", 0.5), ("mould-decay", 0.2), ("rain-d", 0)):
        suite.write("e.json", json.dumps({
            "simulation": "garden", "events": [{"step": 2, "set": {option: value}}]}))
        suite.check(suite.state("garden.json", "--scene", "e.json", *RUN) != start, option)


def refused(suite, name, subject, change):
    model(suite, change)
    suite.fails(name, USAGE, subject, "garden.json", *RUN, "--out", "none")


def test_refused(suite):
    """What is wrong in the file."""
    def put(key, value):
        return lambda data: data.update({key: value})

    def inputs(key, value):
        return lambda data: data["inputs"].update({key: value})

    def parts(**more):
        return lambda data: data["parts"].update(more)

    shaders = {"shaders": 1, "name": "s"}
    for name, subject, change in (
            ("a version", "compound", put("compound", 2)), ("a key", "input", put("input", {})),
            ("one part", "parts", put("parts", {"a": "physarum"})),
            ("five parts", "parts", parts(a="gas", b="gas")),
            ("an unknown part", "physarun", parts(mould="physarun")),
            ("a part's name", "'Soil'", put("parts", {"Soil": "gray-scott", "b": "physarum"})),
            ("a reserved name", "'x'", put("parts", {"x": "gray-scott", "b": "physarum"})),
            ("no model", "'mould'", parts(mould=1)), ("a compound", "'rain'", parts(rain=MODEL)),
            ("itself", "compound", parts(rain="garden")),
            ("shaders", "'rain'", parts(rain=shaders)),
            ("a formula with a mistake", "'rain'",
             parts(rain={**SPREAD, "rates": {"u": "lpa(u)"}})),
            ("an image at the start", "'rain'", parts(rain="cipher")),
            ("an input of nothing", "'feed'", inputs("feed", "1")),
            ("an unknown input", "soil.fed", inputs("soil.fed", "1")),
            ("a part without inputs", "rain.u", lambda data: data.update(
                parts={**data["parts"], "rain": "gas"}, inputs={"rain.u": "1"}, let={})),
            ("an unknown field", "'trial'", inputs("soil.kill", "mould.trial")),
            ("a field of nothing", "sun.u", inputs("soil.kill", "sun.u")),
            ("a field of agents", "'heading'", inputs("soil.kill", "mould.heading")),
            ("no fields", "soil.kill", lambda data: (data["parts"].update(rain="gas"), data.update(
                let={}, inputs={"soil.kill": "rain.u"}))),
            ("an input as a field", "'food'", inputs("soil.kill", "mould.food")),
            ("an unknown name", "inputs.soil.kill", inputs("soil.kill", "rich + w")),
            ("no expression", "soil.kill", inputs("soil.kill", [1])),
            ("nesting", "inputs.soil.kill", inputs("soil.kill", "(" * 100 + "1")),
            ("options of one name", "'soil-kill'", put("parameters", {"rich": 1, "soil_kill": 1})),
            ("an unknown option", "soil-feed", put("presets", {"default": {"soil-feed": 0.1}})),
            ("many inputs of a part", "'soil' has more", lambda data: data.update(
                parts={"soil": {**SPREAD, "rates": {"u": "0"},
                                "parameters": {f"p{i}": 1 for i in range(9)}},
                       "mould": "physarum"}, let={},
                inputs={f"soil.p{i}": "1" for i in range(9)})),
            ("many inputs", "'inputs' are", lambda data: data.update(
                parts={name: {**SPREAD, "rates": {"u": "0"}, "parameters": {
                    f"p{i}": 1 for i in range(8)}}
                       for name in "abc"}, let={}, presets={},
                inputs={f"{name}.p{i}": "1" for name in "abc" for i in range(8)})),
            ("many fields", "read more than 12", lambda data: data.update(
                parts={"a": {**SPREAD, "fields": {f"u{i}": {} for i in range(8)},
                             "rates": {f"u{i}": "0" for i in range(8)},
                             "init": {"zero": {f"u{i}": "0" for i in range(8)}}},
                       "b": {**SPREAD, "fields": {f"u{i}": {} for i in range(8)},
                             "rates": {f"u{i}": "0" for i in range(8)},
                             "init": {"zero": {f"u{i}": "0" for i in range(8)}}}},
                let={}, presets={},
                inputs={"b.d": "+".join(f"{p}.u{i}" for p in "ab" for i in range(8))})),
            ("no object", "inputs", put("inputs", []))):
        refused(suite, name, subject, change)
    model(suite)
    for name, subject, words in (
            ("a value of a part", "soil-kill", ["--soil-kill", 2]),
            ("options that exclude each other", "soil-dt", ["--soil-dt", 9]),
            ("a field in planes", "mould.trail", ["--mould-species", 2]),
            ("a volume", "size", ["--size", "8x8x8"]),
            ("a variant", "variant", ["--variant", "together-4"])):
        change = inputs("soil.feed", "mould.trail") if "planes" in name else None
        model(suite, change)
        suite.fails(name, USAGE, subject, "garden.json", *RUN, *words, "--out", "none")


sys.exit(main(globals()))

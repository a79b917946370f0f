#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_cli_shaders.py VKSIM [NAME...]: simulations from folders of shaders: fields, passes, items
and primitives that model.json declares, and what is refused. See suite.py."""

import json
import math
import os
import shutil
import struct
import sys

sys.dont_write_bytecode = True
from suite import FILE, STOPPED, USAGE, array, main, npz_members, png, values  # noqa: E402

RIPPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "models", "ripples")
RUN = ["--headless", "--size", "24x16", "--steps", 10, "--out", "none"]

HEAD = """#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/grid.glsl"
#include "lib/exact.glsl"
#include "constants.glsl"
"""
CELL = """
void main()
{
    uvec3 size = uvec3(constants.width, constants.height, 1u);
    uvec3 cell = vks_cell(size);
    if (!vks_inside(cell, size)) {
        return;
    }
    uint i = vks_index(cell, size);
"""
SIZE = {"width": "width", "height": "height"}

# What every kind of declaration does, in cells and in items.
NUMBERS = {
    "shaders": 1, "name": "numbers",
    "parameters": {"scale": [2, 0, 10], "mode": {"choices": ["up", "down"], "help": "direction"}},
    "images": {"mask": {}},
    "fields": {
        "f": {}, "g": {"help": "f, scaled by its range"}, "phi": {"help": "its potential"},
        "whole": {"element": "uint32", "help": "in order"},
        "before": {"element": "uint32", "help": "sums of those before"},
        "painted": {"image": "mask"},
        "status": {"element": "uint32", "shape": [1], "watch": {"status": ["f is high"]}},
    },
    "passes": [
        {"pass": "start", "shader": "start.comp", "when": "start",
         "uses": {"f": "write", "whole": "write", "painted": "read"},
         "constants": {**SIZE, "seed": "seed"}, "specializations": {"down": "mode"}},
        {"range": "f", "result": "limits"},
        {"sum": "f", "result": "total", "exponent": 20},
        {"scan": "whole", "result": "sums"},
        {"pass": "scale", "shader": "scale.comp",
         "uses": {"f": "read-write", "limits": "read", "sums": "read", "g": "write",
                  "before": "write", "status": "atomic"},
         "constants": {**SIZE, "scale": {"float": "scale/2 + 1"}}},
        {"fft": "g", "result": "solver", "into": "phi", "factor": -1},
        {"mean": "g", "result": "mean of g", "max": 100},
    ],
    "views": {"g": {"field": "g", "help": "scaled"}, "phi": {"field": "phi", "unit": "V"}},
}
START = HEAD + """
layout(constant_id = 0) const uint down = 0u;
layout(std430, set = 0, binding = 0) writeonly buffer f
{
    float fs[];
};
layout(std430, set = 0, binding = 1) writeonly buffer whole
{
    uint wholes[];
};
layout(std430, set = 0, binding = 2) readonly buffer painted
{
    float pictures[];
};
""" + CELL + """
    uvec4 words = vks_random(constants.seed, i, 0u, 0u);
    precise float value = float(words.x >> 8) * 5.96046448e-8f + pictures[i];
    fs[i] = down == 1u ? -value : value;
    wholes[i] = words.y >> 24;
}
"""
SCALE = HEAD + """
layout(std430, set = 0, binding = 0) buffer f
{
    float fs[];
};
layout(std430, set = 0, binding = 1) readonly buffer limits
{
    float bounds[];
};
layout(std430, set = 0, binding = 2) readonly buffer sums
{
    uint totals[];
};
layout(std430, set = 0, binding = 3) writeonly buffer g
{
    float gs[];
};
layout(std430, set = 0, binding = 4) writeonly buffer before
{
    uint befores[];
};
layout(std430, set = 0, binding = 5) buffer status
{
    uint word;
};
""" + CELL + """
    precise float above = fs[i] - bounds[0];
    precise float scaled = above * constants.scale;
    gs[i] = vks_flush(scaled);
    befores[i] = totals[i];
    if (fs[i] > 1.5f) {
        atomicMax(word, 1u);
    }
    fs[i] = fs[i];
}
"""

WALKERS = {
    "shaders": 1, "name": "walkers",
    "parameters": {"walkers": {"count": [50, 1, 1000], "change": "never"},
                   "share": [0.3, 0, 1, "of walkers that step"]},
    "items": {"walker": "walkers"},
    "fields": {
        "place": {"element": "uint32", "items": "walker", "state": True, "help": "cell"},
        "visits": {"element": "uint32", "help": "walkers that have been here"},
        "shown": {"state": False},
    },
    "passes": [
        {"pass": "start", "shader": "begin.comp", "when": "start", "uses": {"place": "write"},
         "constants": {"walkers": "walkers", "cells": "width*height"}, "items": ["walkers"]},
        {"sort": "walker", "key": "place_key", "bins": "width*height", "every": 3},
        {"pass": "walk", "shader": "walk.comp",
         "uses": {"place": "read-write", "walker_number": "read", "visits": "atomic"},
         "constants": {**SIZE, "walkers": "walkers", "seed": "seed",
                       "threshold": "share*4294967295"},
         "items": ["walkers"]},
        {"pass": "show", "shader": "show.comp", "when": "frame",
         "uses": {"visits": "read", "shown": "write"}, "constants": SIZE},
    ],
    "views": {"visits": {"field": "shown"}},
}
BEGIN = HEAD + """
layout(std430, set = 0, binding = 0) writeonly buffer place
{
    uint places[];
};

void main()
{
    uint i = vks_item();
    if (i < constants.walkers) {
        places[i] = i * 7u % constants.cells;
    }
}
"""
WALK = HEAD + """
VKS_CLOCK;
layout(std430, set = 0, binding = 0) buffer place
{
    uint places[];
};
layout(std430, set = 0, binding = 1) readonly buffer walker_number
{
    uint numbers[];
};
layout(std430, set = 0, binding = 2) buffer visits
{
    uint counts[];
};

void main()
{
    uint i = vks_item();
    if (i >= constants.walkers) {
        return;
    }
    uvec4 words = vks_random(constants.seed, numbers[i], first_step + step_in_batch, 1u);
    uint cell = places[i];
    if (words.x <= constants.threshold) {
        cell = (cell + (words.y & 1u) + constants.width * (words.z & 1u)) %
               (constants.width * constants.height);
    }
    places[i] = cell;
    atomicAdd(counts[cell], 1u);
}
"""
SHOW = HEAD + """
layout(std430, set = 0, binding = 0) readonly buffer visits
{
    uint counts[];
};
layout(std430, set = 0, binding = 1) writeonly buffer shown
{
    float shares[];
};
""" + CELL + """
    shares[i] = float(counts[i]);
}
"""


def write(suite, model, **shaders):
    os.makedirs(suite.path(model["name"]), exist_ok=True)
    suite.write(f"{model['name']}/model.json", json.dumps(model))
    for name, text in shaders.items():
        suite.write(f"{model['name']}/{name}.comp", text)


def numbers(suite):
    write(suite, NUMBERS, start=START, scale=SCALE)


@values
def test_ripples(suite):
    """The model that comes with vksim: presets, live options, states, scenes, both drivers."""
    run = [RIPPLES, *RUN]
    whole = suite.state(*run)
    suite.check(whole == suite.state(*run, env=suite.environment("swiftshader")), "both drivers")
    others = [("--preset", "ring"), ("--speed", 0.4), ("--drops", 3), ("--seed", 2)]
    suite.check(len({whole, *(suite.state(*run, *other) for other in others)}) == 5, "options")
    suite.succeeds("a state", RIPPLES, *RUN[:4], 6, "--out", "none", "--save-state", "s.npz")
    suite.check(suite.state(RIPPLES, "--load-state", "s.npz", "--headless", "--steps", 4) == whole,
                "from a state")
    suite.write("s.json", json.dumps({"simulation": "ripples",
                                      "events": [{"step": 5, "set": {"speed": 0.2}}]}))
    suite.check(suite.state(RIPPLES, "--scene", "s.json", *RUN) != whole, "a live option")
    told = suite.succeeds("--help", RIPPLES, "--help")
    suite.check("--drop-size N" in told and "(1 to 1000; default 24)" in told, "--help", told)
    listed = suite.succeeds("--list", RIPPLES, "--list")
    suite.check("one drop in the middle" in listed and "velocity" in listed, "--list", listed)


@values
def test_numbers(suite):
    """Ranges, sums, scans, the FFT, images, choices and a status word."""
    numbers(suite)
    run = ["numbers", "--headless", "--size", "16x8", "--steps", 2, "--out", "none"]
    digest = suite.state(*run)
    suite.check(digest == suite.state(*run, env=suite.environment("swiftshader")), "both drivers")
    suite.succeeds("a state", *run, "--save-state", "s.npz", "--scale", 6)
    held = npz_members(suite.path("s.npz"))
    f, g, phi = (struct.unpack("<128f", array(held[f"{name}.npy"])[1])
                 for name in ("f", "g", "phi"))
    suite.check(all(abs(b - 4 * (a - min(f))) < 1e-5 for a, b in zip(f, g)), "the range", f, g)
    mean = sum(g) / 128
    curved = [sum(phi[(y + dy) % 8 * 16 + (x + dx) % 16] * weight for dx, dy, weight in spectral())
              for y in range(8) for x in range(16)]
    suite.check(all(abs(a - (b - mean)) < 1e-3 for a, b in zip(curved, g)), "the FFT", curved, g)
    words = [struct.unpack("<128I", held[f"{name}.npy"][-512:]) for name in ("whole", "before")]
    suite.check(all(sum(words[0][:i]) == words[1][i] for i in range(128)), "the scan", words)
    suite.check(suite.state(*run, "--mode", "down") != digest, "a choice")
    suite.write("mask.png", png(16, 8, [bytes(48)] * 4 + [bytes([200] * 48)] * 4))
    suite.fails("a status word", STOPPED, "f is high", *run, "--mask", "mask.png")


def spectral():
    """The Laplacian whose factors are the squared wave numbers, as weights of neighbours."""
    def second(side, d):
        return sum((2 * math.pi * min(k, side - k) / side)**2 * math.cos(2 * math.pi * k * d / side)
                   for k in range(side)) / side
    return [(d, 0, -second(16, d)) for d in range(16)] + [(0, d, -second(8, d)) for d in range(8)]


@values
def test_walkers(suite):
    """Items, which a sort moves in memory, and a view made by a pass of frames."""
    model = json.loads(json.dumps(WALKERS))
    model["fields"]["place_key"] = {"element": "uint32", "shape": ["walkers"]}
    model["passes"].insert(1, {"pass": "key", "shader": "key.comp", "items": ["walkers"],
                               "uses": {"place": "read", "place_key": "write"},
                               "constants": {"walkers": "walkers"}})
    key = BEGIN.replace("writeonly buffer place", "readonly buffer place").replace(
        "\nvoid main", "layout(std430, set = 0, binding = 1) writeonly buffer place_key\n{\n"
        "    uint keys[];\n};\n\nvoid main").replace("places[i] = i * 7u % constants.cells",
                                                     "keys[i] = places[i]")
    write(suite, model, begin=BEGIN, walk=WALK, show=SHOW, key=key)
    run = ["walkers", *RUN]
    digest = suite.state(*run)
    suite.check(digest == suite.state(*run, env=suite.environment("swiftshader")), "both drivers")
    model["passes"][2]["every"] = 1
    write(suite, model)
    suite.check(suite.state(*run) == digest, "sorted in every step")
    del model["passes"][1:3]
    model["passes"][1]["uses"].pop("walker_number")
    write(suite, model, walk=WALK.replace("numbers[i]", "i").replace(
        WALK[WALK.index("layout(std430, set = 0, binding = 1)"):
             WALK.index("layout(std430, set = 0, binding = 2)")], ""))
    suite.check(suite.state(*run) == digest, "never sorted")
    suite.succeeds("a picture", "walkers", "--headless", "--size", "24x16", "--frames", 3, "--out",
                   "w.png")


def test_places(suite):
    """A folder by its path, by the path of its file, and by name on the search path."""
    shutil.copytree(RIPPLES, suite.path("own/pool"))
    env = suite.environment(VKSIM_MODEL_PATH=suite.path("own"))
    for name, word in (("a folder", "own/pool"), ("with a slash", "own/pool/"),
                       ("its file", "own/pool/model.json"), ("a name", "pool")):
        suite.succeeds(name, word, *RUN, env=env)
    suite.fails("without it", USAGE, "pool", "pool", *RUN)


@values
def test_versions(suite):
    """States and scenes of another version of a folder are refused, unless that is allowed."""
    def change(name, text, with_):
        path = suite.path(f"pool/{name}")
        with open(path, encoding="utf-8") as file:
            before = file.read()
        assert text in before
        with open(path, "w", encoding="utf-8") as file:
            file.write(before.replace(text, with_))

    shutil.copytree(RIPPLES, suite.path("pool"))
    change("drop.glsl", '#include "constants.glsl"', '#include "part.glsl"\n'
           '#include "constants.glsl"')
    suite.write("pool/part.glsl", "const uint part = 1u;\n")
    suite.succeeds("a state and a scene", "pool", *RUN, "--save-state", "s.npz",
                   "--record-events", "s.json")
    held = json.loads(npz_members(suite.path("s.npz"))["vksim.json"])
    suite.check(len(held["shaders"]) == 32, "the digest in a state", held)
    more = ["--headless", "--steps", 1, "--out", "none"]
    for name, text, with_ in (("step.comp", "One step", "A step"), ("part.glsl", "1u", "2u"),
                              ("model.json", "rings", "circles")):
        suite.succeeds("of the same one", "pool", "--load-state", "s.npz", *more)
        change(name, text, with_)
        for option, file in (("--load-state", "s.npz"), ("--scene", "s.json")):
            suite.fails(f"{option} after a change of {name}", USAGE, file, "pool", option, file,
                        *more)
            suite.succeeds("if it is allowed", "pool", option, file, *more,
                           "--allow-model-change")
        change(name, with_, text)
    suite.write("s.json", json.dumps({"simulation": "ripples", "shaders": 1}))
    suite.fails("no digest", USAGE, "s.json", "pool", "--scene", "s.json", *more)
    suite.write("s.json", json.dumps({"simulation": "gray-scott", "shaders": "0"}))
    suite.fails("of no folder", USAGE, "gray-scott", "--scene", "s.json", *more)


def refused(suite, name, subject, change, status=USAGE, model=None, run=RUN):
    """Runs the model `numbers` after a change of its files."""
    shutil.rmtree(suite.path("numbers"), ignore_errors=True)
    numbers(suite)
    data = json.loads(json.dumps(model or NUMBERS))
    change(data)
    suite.write("numbers/model.json", json.dumps(data))
    suite.fails(name, status, subject, "numbers", *run)


def test_shaders(suite):
    """What is wrong in a shader is said with its file and line."""
    def shader(text, with_):
        def change(_):
            suite.write("numbers/scale.comp", SCALE.replace(text, with_))
        return change

    for name, subject, change in (
            ("not exact", "scale.comp:",
             shader("vks_flush(scaled)", "exp(scaled)")),
            ("a mistake", "scale.comp:", shader("float above =", "float above ==")),
            ("no such constant", "scale.comp:", shader("constants.scale", "constants.size")),
            ("an unknown buffer", "befores", shader("buffer before", "buffer befores")),
            ("another access", "readonly", shader("readonly buffer limits", "buffer limits"))):
        refused(suite, name, subject if name != "another access" else "limits", change)
    refused(suite, "no shader", "scale.comp", lambda _: os.remove(suite.path("numbers/scale.comp")),
            FILE)
    refused(suite, "no file to include", "part.glsl", shader("lib/exact.glsl", "part.glsl"), FILE)
    suite.fails("shaders in a scene", USAGE, "shaders", "--scene", suite.write(
        "s.json", json.dumps({"simulation": "numbers", "formula": json.dumps(NUMBERS)})), *RUN)


def test_keys(suite):
    """What is wrong in model.json."""
    def put(*path):
        *keys, value = path

        def change(data):
            for key in keys[:-1]:
                data = data[key]
            data[keys[-1]] = value
        return change

    for name, subject, change in (
            ("a version", "shaders", put("shaders", 2)),
            ("an unknown key", "rates", put("rates", 1)),
            ("no passes", "passes", put("passes", [])), ("no fields", "fields", put("fields", {})),
            ("an element", "element", put("fields", "f", {"element": "float64"})),
            ("a shape", "shape", put("fields", "f", {"shape": [1, 2, 3, 4]})),
            ("a shape of cells", "f.shape", put("fields", "f", {"shape": ["x"]})),
            ("unknown items", "items", put("fields", "f", {"items": "walker"})),
            ("an unknown image", "image", put("fields", "f", {"image": "photo"})),
            ("a flag", "state", put("fields", "f", {"state": 1})),
            ("messages", "status", put("fields", "status", "watch", {"status": "high"})),
            ("an access", "uses.f", put("passes", 0, "uses", {"f": "reed"})),
            ("no uses", "start.uses", put("passes", 0, "uses", None)),
            ("an unknown field", "'h'", put("passes", 0, "uses", "h", "read")),
            ("a time", "when", put("passes", 0, "when", "often")),
            ("every", "every", put("passes", 4, "every", 0)),
            ("an expression", "scale.constants.scale",
             put("passes", 4, "constants", "scale", {"float": "scal"})),
            ("a value of cells", "scale.constants.scale",
             put("passes", 4, "constants", "scale", {"float": "x"})),
            ("a bad constant", "constants", put("passes", 4, "constants", "2x", 1)),
            ("no kind", "passes", put("passes", 1, {"rnge": "f"})),
            ("a group", "group", put("passes", 4, "group", [0])),
            ("an exponent", "exponent", put("passes", 2, "exponent", 200)),
            ("a field of pictures", "picture", put("fields", "picture", {})),
            ("a view", "'h'", put("views", "g", {"field": "h"})),
            ("points", "points", put("views", "g", {"points": ["f"]})),
            ("a count", "count", put("parameters", "scale", {"count": [1, 2, 3]})),
            ("choices", "choices", put("parameters", "mode", {"choices": ["up"]})),
            ("neither", "mode", put("parameters", "mode", {"help": "x"})),
            ("an option's name", "gamma", put("parameters", "gamma", 1)),
            ("init", "init", put("init", [])), ("a simulation's name", "gas", put("name", "gas")),
            ("a preset", "nonsense", put("presets", {"default": {"nonsense": 1}}))):
        refused(suite, name, subject, change)


sys.exit(main(globals()))

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_models.py VKSIM [--all | --digests | --renew]: the models that come with vksim, on the
driver of the environment: their states after 50 steps have the digests of models.golden; every
preset runs within the ranges of its fields; and they do what their equations are known for.
--digests leaves it at the first; --renew records the digests."""

import hashlib
import json
import math
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
from reference import check, end, read_npz  # noqa: E402

VKSIM = os.path.abspath(sys.argv[1])
WAYS = sys.argv[2:]
MODELS = os.path.join(HERE, "..", "..", "models")
GOLDEN = os.path.join(HERE, "models.golden")
NAMES = sorted(name[:-5] for name in os.listdir(MODELS) if name.endswith(".json"))


def run(model, *words):
    """read_npz() of a headless run, or None."""
    with tempfile.TemporaryDirectory(prefix="vksim-models-") as folder:
        state = os.path.join(folder, "state.npz")
        path = os.path.join(MODELS, f"{model}.json")
        done = subprocess.run(
            [VKSIM, path if os.path.exists(path) else model, "--headless", "--quiet", "--out",
             "none", "--save-state", state, *map(str, words)],
            stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            check(False, f"{model} {' '.join(map(str, words))} runs", done.returncode, done.stderr)
            return None
        return read_npz(state)


def field(state, name):
    """The rows of a field."""
    _, shape, data = state[name]
    values = memoryview(data).cast("f")
    width = shape[-1]
    return [list(values[at:at + width]) for at in range(0, len(values), width)]


def after(model, name, size, steps, *words):
    return field(run(model, "--size", size, "--steps", steps, *words), name)


def near(name, got, expected, share):
    check(abs(got - expected) <= share * abs(expected), name, f"{got}, expected {expected}")


def crossing(row, level):
    """Where a row first falls or rises through the level, in cells."""
    for at, (a, b) in enumerate(zip(row, row[1:])):
        if (a - level) * (b - level) <= 0 and a != b:
            return at + (level - a) / (b - a)
    return math.nan


def test_digests():
    found = {}
    for name in NAMES:
        state = run(name, "--size", "64x64", "--steps", 50)
        digest = hashlib.sha256()
        for key, (kind, shape, data) in sorted((state or {}).items()):
            digest.update(f"{key} {kind} {shape} ".encode() + data)
        found[name] = digest.hexdigest()[:32]
    if "--renew" in WAYS:
        with open(GOLDEN, "w", encoding="utf-8") as file:
            file.write(json.dumps(found, indent=1) + "\n")
    with open(GOLDEN, encoding="utf-8") as file:
        golden = json.load(file)
    check(sorted(golden) == NAMES, "models.golden has every model", sorted(golden))
    for name in NAMES:
        check(found[name] == golden.get(name), f"{name}: digest", found[name])


def test_texts():
    for name in NAMES:
        with open(os.path.join(MODELS, f"{name}.json"), encoding="utf-8") as file:
            model = json.load(file)
        check(model["name"] == name and model.get("source") and model.get("summary"),
              f"{name}: its name, source and summary")
        check(all(len(value) == 4 for value in model.get("parameters", {}).values()),
              f"{name}: parameters have limits and help")
        check(all(preset.get("summary") for preset in model["presets"].values()),
              f"{name}: presets have summaries")


def test_presets():
    """A field that leaves its range ends the run."""
    for name in NAMES:
        with open(os.path.join(MODELS, f"{name}.json"), encoding="utf-8") as file:
            presets = json.load(file)["presets"]
        for preset in presets:
            if preset != "default":
                check(run(name, "--preset", preset, "--size", "48x48", "--steps", 100) is not None,
                      f"{name}, {preset}: runs")


def test_heat():
    """A cosine decays as exp(-d k^2 t); between walls the temperature becomes a straight line."""
    row = after("heat", "u", "64x4", 1000, "--init", "cosine", "--heater", 0, "--cooling", 0)[1]
    decay = math.exp(-(2 * math.pi / 64)**2 * 100)
    near("heat: decay of a cosine", row[0] / math.cos(math.pi / 64), decay, 0.002)
    row = after("heat", "u", "16x4", 5000, "--preset", "walls", "--insulation", 0)[1]
    for at in (0, 7, 15):
        near(f"heat: cell {at} between walls", row[at], 1 - (at + 0.5) / 16, 0.01)


def test_allen_cahn():
    """The area of a disc falls by 2 pi per unit of time, since r^2 = r0^2 - 2 t."""
    def area(steps):
        rows = after("allen-cahn", "u", "128x128", steps, "--preset", "disc",
                     "--width", 2)
        return sum(1 + value for row in rows for value in row) / 2
    near("allen-cahn: a disc shrinks", area(500) - area(1500), 2 * math.pi * 100, 0.03)


def test_sine_gordon():
    """A kink keeps its speed and its height."""
    def kink(steps):
        return after("sine-gordon", "u", "192x4", steps, "--preset", "kink")[1]
    start, end_ = kink(0), kink(400)
    near("sine-gordon: speed of a kink", (crossing(end_, math.pi) - crossing(start, math.pi)) * 0.5,
         0.5 * 40, 0.02)
    near("sine-gordon: its height", abs(end_[-1] - end_[0]), 2 * math.pi, 0.01)


def test_schroedinger():
    """The norm stays."""
    def norm(steps):
        state = run("schroedinger", "--size", "64x64", "--steps", steps)
        return sum(value * value for name in ("re", "im") for row in field(state, name)
                   for value in row)
    near("schroedinger: norm", norm(300), norm(0), 0.01)


def test_burgers():
    """A shock from 1 to 0 moves at 1/2; the momentum stays."""
    def step(steps):
        return after("burgers", "u", "256x2", steps, "--preset", "step")[0]
    start, end_ = step(0), step(600)
    near("burgers: momentum", sum(end_), sum(start), 1e-4)
    near("burgers: speed of a shock", crossing(end_[::-1], 0.5) - crossing(start[::-1], 0.5),
         -0.5 * 60, 0.02)


def test_brusselator():
    """The wave number at the onset is (a^2 / (du dv))^(1/4)."""
    row = after("brusselator", "u", "256x1", 20000, "--b", 8.8)[0]
    peaks = sum(row[at - 1] < row[at] >= row[(at + 1) % 256] for at in range(256))
    near("brusselator: wave number", 2 * math.pi * peaks / 256, (9 / 60)**0.25, 0.08)


def test_waves():
    """The front of a drop moves at the speed c."""
    def front(steps):
        row = after("wave", "u", "256x256", steps, "--c", 1)[153]
        return max(range(128, 256), key=lambda at: row[at])
    check(abs(front(300) - front(150) - 45) <= 1, "wave: speed of a front",
          front(300) - front(150))


def test_klausmeier():
    """On level ground without spreading water, plants reach an equilibrium if it rains more than
    twice their loss, and die if less."""
    level = ["--slope", 0, "--loss", 0.4]
    moist = after("klausmeier", "plants", "32x32", 6000, *level, "--rain", 1)
    dry = after("klausmeier", "plants", "32x32", 9000, *level, "--rain", 0.7)
    near("klausmeier: plants in equilibrium", sum(map(sum, moist)) / 1024, 2, 0.001)
    check(max(map(max, dry)) < 0.02, "klausmeier: too dry", max(map(max, dry)))


def test_life():
    """A step of B3/S23, counted here."""
    before, got = (after("life", "alive", "32x32", steps) for steps in (1, 2))
    around = [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if (a, b) != (0, 0)]
    expected = [[float(sum(before[(y + b) % 32][(x + a) % 32] for a, b in around) in
                       ((2, 3) if before[y][x] else (3,))) for x in range(32)] for y in range(32)]
    check(got == expected and any(map(any, got)), "life: B3/S23")


def test_gray_scott():
    """As the built-in one, which rounds coefficients otherwise."""
    words = ["--feed", 0.037, "--kill", 0.06, "--du", 0.2, "--dv", 0.1, "--dt", 1, "--init",
             "square", "--boundary", "periodic"]
    own = after("gray-scott-formula", "v", "64x64", 1500, *words, "--grain", 0)
    built_in = after("gray-scott", "v", "64x64", 1500, *words, "--preset", "plain")
    difference = sum(abs(a - b) for rows in zip(own, built_in) for a, b in zip(*rows)) / 64**2
    check(max(map(max, own)) > 0.2 and difference < 1e-4, "gray-scott-formula: as the built-in",
          difference)


test_digests()
if WAYS in ([], ["--all"]):
    for test in (test_texts, test_presets, test_heat, test_allen_cahn, test_sine_gordon,
                 test_schroedinger, test_burgers, test_brusselator, test_waves, test_klausmeier,
                 test_life, test_gray_scott):
        test()
end()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_compounds.py VKSIM [--all|--share]: compounds against their parts run alone and against
formula_reference.py, bit for bit, on the driver of the environment. --all: also all variants and
sizes."""

import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import formula_reference  # noqa: E402
from pictures import png  # noqa: E402
from reference import check, compare, end, floats, read_npz  # noqa: E402

VKSIM = os.path.abspath(sys.argv[1])
ALL = "--all" in sys.argv[2:]
FOLDER = tempfile.TemporaryDirectory(prefix="vksim-compounds-")
SPREAD = {
    "formula": 1, "name": "spread", "fields": {"u": {}, "v": {}},
    "parameters": {"d": [0.1, 0, 0.2], "gain": [0.5, -2, 2]},
    "images": {"place": {}},
    "rates": {"u": "d*lap(u) + gain*v", "v": "d*lap(v) - u + place"},
    "dt": 0.25, "boundary": "no-flux",
    "init": {"noise": {"u": "random()", "v": "x - random()"}, "ramp": {"u": "y", "v": "0"}}}


def write(name, data):
    path = os.path.join(FOLDER.name, name)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(data, file)
    return path


def halves(name, size, left, right):
    """An image with two greys."""
    path = os.path.join(FOLDER.name, name)
    row = bytes(grey for x in range(size[0])
                for grey in 3 * [left if 2 * x + 1 < size[0] else right])
    with open(path, "wb") as file:
        file.write(png(*size, [row] * size[1]))
    return path


def run(model, *words):
    """read_npz() of a headless run; {} after a failure."""
    state = os.path.join(FOLDER.name, "state.npz")
    done = subprocess.run(
        [VKSIM, model, "--headless", "--quiet", "--out", "none", "--save-state", state,
         "--overwrite", *map(str, words)], stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        check(False, f"{model} {' '.join(map(str, words))} runs", done.returncode, done.stderr)
        return {}
    return read_npz(state)


def of_part(state, part):
    return {name[len(part) + 1:]: data for name, (_, _, data) in state.items()
            if name.startswith(part + ".")}


def same(name, compound, part, alone):
    """A part has the state of the simulation alone."""
    found = of_part(compound, part)
    check(set(found) == set(alone) - {"vksim"}, f"fields of {part} {name}", found.keys(),
          alone.keys())
    compare({field: (part, "", data) for field, data in found.items()},
            {field: alone[field][2] for field in found if field in alone}, f"of {part} {name}")


def test_alone():
    """Parts without inputs do what they do alone."""
    pair = write("pair.json", {"compound": 1, "parts": {
        "a": "physarum", "b": "gray-scott", "c": "physarum", "d": SPREAD}})
    spread = write("spread.json", SPREAD)
    for size in ("48x40", "33x21") if ALL else ("33x21",):
        common = ["--size", size, "--steps", 12, "--seed", 3]
        both = run(pair, *common, "--a-lifetime", 5, "--a-walls", "frame", "--b-init", "spots",
                   "--b-kill", 0.062, "--c-species", 2, "--c-agents", 300, "--d-init", "ramp",
                   "--d-gain", -1)
        same("alone", both, "a", run("physarum", *common, "--preset", "plain", "--lifetime", 5,
                                     "--walls", "frame"))
        same("alone", both, "b", run("gray-scott", *common, "--preset", "plain", "--init", "spots",
                                     "--kill", 0.062))
        same("alone", both, "c", run("physarum", *common, "--preset", "plain", "--species", 2,
                                     "--agents", 300))
        same("alone", both, "d", run(spread, *common, "--init", "ramp", "--gain", -1))


def test_constant():
    """Inputs that do not change are what options and images give."""
    size = (40, 24)
    common = ["--size", "40x24", "--steps", 15]
    both = run(write("constant.json", {
        "compound": 1, "parts": {"soil": "gray-scott", "mould": "physarum"},
        "parameters": {"left": [0.03, 0, 1]},
        "inputs": {"soil.feed": "x < 0.5 ? left : 0.05", "soil.kill": 0.0625,
                   "mould.food": "x < 0.5 ? 0 : 2", "mould.decay": "x < 0.5 ? 2 : 0.5"}}),
        *common, "--soil-dt", 0.5)
    feed = halves("feed.png", size, 0, 255)
    same("given", both, "soil", run(
        "gray-scott", *common, "--preset", "plain", "--dt", 0.5, "--feed-map", feed, "--feed-range",
        "0.03:0.05", "--kill", 0.0625))
    same("given", both, "mould", run(
        "physarum", *common, "--preset", "plain", "--food", f"image:{feed}", "--food-strength", 2,
        "--maps", f"decay={halves('decay.png', size, 255, 0)}:0.5:2"))


def values(data):
    return list(memoryview(data).cast("f"))


def evaluate(expression, fields, size, step=0, parameters=None):
    """The values of an expression of fields, whose names have '_' for '.'."""
    model = {"formula": 1, "fields": {**{name: {} for name in fields}, "out": {}},
             "parameters": parameters or {}, "next": {**{name: name for name in fields},
                                                      "out": expression},
             "init": {"zero": {**{name: "0" for name in fields}, "out": "0"}}}
    reference = formula_reference.Run(formula_reference.Model(model), size, 0, "zero")
    reference.fields[:len(fields)] = [list(cells) for cells in fields.values()]
    reference.step = step
    reference.advance()
    return reference.fields[len(fields)]


def test_food():
    """The food of a mould is the expression of the state before the step."""
    size = (21, 12)
    path = write("food.json", {
        "compound": 1, "parts": {"mould": "physarum", "soil": "gray-scott"},
        "parameters": {"hunger": [3, 0, 9]},
        "let": {"near": "mean(soil.v, 1) + soil.u[1,0]"},
        "inputs": {"mould.food": "hunger*near - lap(mould.trail)/8 + step"}})
    before, after = (run(path, "--size", "21x12", "--steps", steps) for steps in (7, 8))
    fields = {name.replace(".", "_"): values(before[name][2])
              for name in ("soil.u", "soil.v", "mould.trail")}
    expected = evaluate("max(hunger*(mean(soil_v, 1) + soil_u[1,0]) - lap(mould_trail)/8 + step, "
                        "0)", fields, size, 7, {"hunger": [3, 0, 9]})
    compare(after, {"mould.food": floats(expected)}, "by an expression")
    check(any(expected) and after["mould.trail"][2] != before["mould.trail"][2], "and not 0")


def test_formulas():
    """Two formulas that drive each other, against the reference: a part sees the new values of
    those before it, and the old ones of those after it."""
    size = (9, 6)
    driven = {"d.gain": "second.v - 1", "second.d": "0.3*d.u",
              "second.place": "d.u + x"}
    path = write("formulas.json", {"compound": 1, "parts": {"d": SPREAD, "second": SPREAD},
                                   "inputs": driven})
    got = run(path, "--size", "9x6", "--steps", 6, "--seed", 5, "--second-init", "ramp")
    models = {}
    for part, inputs in (("d", {"maps": {"gain": [0.0] * 54}}),
                         ("second", {"images": {"place": [0.0] * 54},
                                     "maps": {"d": [0.0] * 54}})):
        models[part] = formula_reference.Run(
            formula_reference.Model(SPREAD, inputs.get("images"), inputs["maps"]), size, 5,
            {"d": "noise", "second": "ramp"}[part])

    def now():
        return {f"{part}_{field}": models[part].fields[i] for part in models
                for i, field in enumerate("uv")}

    for step in range(6):
        gain = evaluate("min(max(second_v - 1, -2), 2)", now(), size, step)
        models["d"].model.maps["gain"] = gain
        models["d"].advance()
        models["second"].model.maps["d"] = evaluate("min(max(0.3*d_u, 0), 0.2)", now(), size,
                                                    step)
        models["second"].model.images["place"] = evaluate("min(max(d_u + x, 0), 1)", now(),
                                                          size, step)
        models["second"].advance()
    compare(got, {f"{part}.{field}": floats(models[part].fields[i]) for part in models
                  for i, field in enumerate("uv")}, "of formulas")


GARDEN = {"compound": 1, "name": "garden",
          "parts": {"mould": "physarum", "soil": "gray-scott"},
          "parameters": {"hunger": [2, 0, 10]},
          "inputs": {"soil.feed": "0.02 + 0.03*min(mould.trail/20, 1)",
                     "mould.food": "hunger*soil.v", "mould.deposit": "1 + soil.u"},
          "presets": {"default": {"soil-init": "spots", "mould-agents": 500}}}


def test_runs():
    """However a run is cut, and in every variant, the bytes are the same."""
    path = write("garden.json", GARDEN)
    for size in ("64x48", "37x19") if ALL else ("37x19",):
        words = ["--size", size]
        whole = run(path, *words, "--steps", 70)
        start = os.path.join(FOLDER.name, "part.npz")
        subprocess.run([VKSIM, path, "--headless", "--quiet", "--out", "none", "--steps", "23",
                        "--save-state", start, "--overwrite", *words], check=True)
        rest = run(path, "--load-state", start, "--steps", 47)
        check({n: d[2] for n, d in rest.items() if "." in n} ==
              {n: d[2] for n, d in whole.items() if "." in n}, f"saved and loaded, {size}")
        frames = run(path, *words, "--frames", 36, "--steps-per-frame", 2)
        check(of_part(frames, "mould") == of_part(whole, "mould"), f"in frames, {size}")
        for variant in ("software-3", "sorted-4-words", "sorted-2-bytes") if ALL else ():
            other = run(path, *words, "--steps", 70, "--variant", variant)
            check(of_part(other, "mould") == of_part(whole, "mould") and
                  of_part(other, "soil") == of_part(whole, "soil"), f"{variant}, {size}")


def test_views():
    """Pictures of each part, and the columns of tables."""
    path = write("garden.json", GARDEN)
    table = os.path.join(FOLDER.name, "table.csv")
    digests = set()
    for view in ("mould-trail", "mould-agents", "mould-headings", "mould-food", "soil-v", "soil-u"):
        done = subprocess.run(
            [VKSIM, path, "--headless", "--quiet", "--size", "40x24", "--frames", "2",
             "--steps-per-frame", "10", "--view", view, "--out",
             os.path.join(FOLDER.name, "frame-%d.png"), "--digest", "--watch", table,
             "--overwrite"], capture_output=True, text=True, check=False)
        check(done.returncode == 0, f"view {view}", done.stderr)
        digests.add(done.stdout)
    check(len(digests) == 6, "pictures of all views differ", digests)
    with open(table, encoding="utf-8") as file:
        columns = file.readline().strip().split(",")
    check({"mould.trail", "mould.trail_max", "soil.u", "soil.v"} <= set(columns), "columns",
          columns)


def main():
    for test in (test_alone, test_constant, test_food, test_formulas, test_runs, test_views):
        test()
    end()


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_formulas.py VKSIM [EVERY [TREES]]: models of formulas against formula_reference.py, bit for
bit, on the driver of the environment: every function, operator, scheme and boundary, and random
trees; or one in EVERY models."""

import json
import os
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import formula_reference  # noqa: E402
from pictures import png  # noqa: E402
from reference import check, compare, end, f32, floats, flush, read_npz  # noqa: E402

VKSIM = os.path.abspath(sys.argv[1])
EVERY = int(sys.argv[2]) if len(sys.argv) > 2 else 1
BATCH = 8  # fields of a model

# Values of all sizes, of both signs, and 0.
INIT = {
    "u": "(random() - 0.5) * 4",
    "v": "(random() - 0.5) * (random() < 0.5 ? 1e-17 : 1e-9)",
    "w": "(random() - 0.5) * (random() < 0.5 ? 2e9 : 40)",
    "s": "random() < 0.3 ? 0 : floor(8 * random()) - 3",
}
UNARY = ["abs", "floor", "sign", "sqrt", "exp", "log", "sin", "cos", "tanh", "sigmoid", "-", "!"]
BINARY = ["+", "-", "*", "/", "<", "<=", ">", ">=", "==", "!=", "&&", "||"]
OPERATORS = ["lap(A)", "lap9(A)", "bilap(A)", "dx(A)", "dy(A)", "dxx(A)", "dyy(A)", "dxy(A)",
             "grad2(A)", "div(A, B)", "upwind(A, B)", "upwind_y(A, B)", "sum8(A)", "mean(A, 1)",
             "mean(A, 4)", "trilap(A)"]
EXPRESSIONS = [
    "u", "-u^2 + 3*u", "u^16", "s^-3", "u**0.5", "abs(w)^s", "2^-s", "u < v ? w : s",
    "u ? v : w ? s : 1", "!u + !s", "min(u, max(v, w))", "clamp(w, -1, u)", "u[1,0] - u[-4,3]",
    "x + 10*y + z", "t + step", "random() + u*normal()",
    "p + q/3 - p*q", "sqrt(q) + exp(p) + sin(p*q)", "q < p ? u : v", "lap(random())", "dx(x)*dy(y)",
    "u/0", "u/(s - s)", "w*w*w*w*w", "v*v*v", "v*v*v*w*w*w", "1/(v*v)", "pi*u", "k*u + k", "m*m",
    "(w*w)*(w*w)*(w*w)*(w*w) + (w*w)*(w*w)*(w*w)*(w*w)", "1e-18*v*1e-18", "u - u*(1 + 1e-7)",
]


def write(folder, model):
    path = os.path.join(folder, "model.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(model, file)
    return path


def write_png(folder, name, size, greys):
    path = os.path.join(folder, f"{name}.png")
    with open(path, "wb") as file:
        file.write(png(*size, [bytes(grey for grey in greys[row * size[0]:(row + 1) * size[0]]
                                    for _ in range(3)) for row in range(size[1])]))
    return path


def run(name, model, size=(8, 5), steps=2, seed=5, init="noise", images=(), maps=(), boundary=None):
    """One run of vksim and of the reference; images and maps: {name: greys}, {name: (greys, low,
    high)}."""
    run.count += 1
    if run.count % EVERY:
        return
    with tempfile.TemporaryDirectory(prefix="vksim-formula-") as folder:
        state = os.path.join(folder, "state.npz")
        options = ["--boundary", boundary] if boundary else []
        for image, greys in dict(images).items():
            options += [f"--{image}", write_png(folder, image, size, greys)]
        if maps:
            options += ["--maps", ",".join(
                f"{parameter}={write_png(folder, parameter, size, greys)}:{low}:{high}"
                for parameter, (greys, low, high) in maps.items())]
        done = subprocess.run(
            [VKSIM, write(folder, model), "--headless", "--out", "none", "--save-state", state,
             "--size", "x".join(map(str, size)), "--seed", str(seed), "--init", init,
             "--frames", "2", "--steps-per-frame", str(steps), "--quiet", *options],
            stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            check(False, f"{name} runs", done.returncode, done.stderr)
            return
        got = read_npz(state)
    values = {image: [f32(grey / 255) for grey in greys] for image, greys in dict(images).items()}
    levels = {parameter: [flush(f32(low + (high - low) * f32(grey / 255))) for grey in greys]
              for parameter, (greys, low, high) in dict(maps).items()}
    reference = formula_reference.Run(formula_reference.Model(model, values, levels), size, seed,
                                      init, boundary)
    while reference.step < steps:
        reference.advance()
    compare(got, {field: floats(values) for field, values
                  in zip(reference.model.fields, reference.fields)}, name)


run.count = 0


def model_of(expressions, **more):
    """A map of up to eight fields: four that stay and are read, and the new values."""
    fields = list(INIT) + [f"e{i}" for i in range(len(expressions))]
    return {"formula": 1, "name": "test", "fields": {field: {} for field in fields},
            "parameters": {"p": [0.7, -2, 2], "q": [3, 1e-6, 1e6]},
            "let": {"k": "p*q + 1", "m": "u + v"},
            "next": {**{field: field for field in INIT},
                     **{f"e{i}": f"clamp({text}, -1e9, 1e9)"
                        for i, text in enumerate(expressions)}},
            "init": {"noise": {**INIT, **{f"e{i}": "0" for i in range(len(expressions))}}}, **more}


def batches(items, size):
    return [items[at:at + size] for at in range(0, len(items), size)]


def run_expressions(name, expressions, steps=1, **more):
    for at, batch in enumerate(batches(expressions, BATCH - len(INIT))):
        run(f"{name} {at}: {'; '.join(batch)[:200]}", model_of(batch, **more), steps=steps)


def test_functions():
    names = list(INIT)
    cases = []
    for at, name in enumerate(UNARY):
        a = names[at % 3]
        cases.append(f"{name}{a}" if name in "-!" else f"{name}({a})")
    cases += [f"{a} {sign} {b}" for sign, a, b in zip(BINARY, "uvwsuvwsuvws", "vwsuwsuvsuvw")]
    run_expressions("functions", cases + EXPRESSIONS)
    # Constants with lower limits, and of numbers that alone would be flushed.
    run_expressions("constants", [
        "w*w*w*w*(1e-30*1e15*1e18)*(0*q)", "u*(q*1e-8)", "v/(1e-25*q)*1e-9", "u*v*(p*q)",
        "(u - w)*(1/q^2)", "u*(0*q)", "u*(1e-12/q)*(q/1e12)", "u*q*v*q"])


def test_operators():
    for boundary in ("periodic", "no-flux"):
        cases = [text.replace("A", "uwv"[at % 3]).replace("B", "s")
                 for at, text in enumerate(OPERATORS)]
        run_expressions(boundary, cases + ["lap(u^3 - u - p*lap(u))", "dx(u*x)", "u[-3,2]"],
                        boundary=boundary)


def test_sizes():
    model = model_of(["lap(u)", "u[-4,4] + random()", "x*y", "mean(w, 4)"],
                     boundary="no-flux")
    for size in ((16, 5), (4, 3), (3, 7), (1, 1), (8, 1), (2, 2)):
        run(f"size {size}", model, size=size)


def test_volumes():
    run("volumes", {**model_of(["lap(u) + dz(v)", "lap9(w)", "div(u, s) + grad2(u)",
                                "upwind_z(s, u) + z + dzz(u)"]), "volumes": True}, size=(6, 5, 4))


def test_schemes():
    for scheme in ("euler", "heun", "rk4", "symplectic"):
        run(scheme, {"formula": 1, "name": "test", "fields": {"u": {"range": [-4, 4]}, "v": {}},
                     "parameters": {"a": 0.3}, "dt": 0.05, "dx": 1.5, "scheme": scheme,
                     "rates": {"u": "lap(u) + u - u^3 - v + a*sin(t)", "v": "lap(v) + 0.1*(u - v)"},
                     "init": {"noise": {"u": "random() - 0.5", "v": "0.1*normal()"}}}, steps=4)


def test_eight():
    """As many fields as there can be: passes have at most 24 buffers, or 27 (heun)."""
    names = [f"u{i}" for i in range(8)]
    for scheme in ("euler", "heun", "rk4", "symplectic"):
        run(f"eight fields, {scheme}", {
            "formula": 1, "name": "test", "fields": dict.fromkeys(names, {}), "dt": 0.1,
            "parameters": {"d": 0.1}, "scheme": scheme,
            "rates": {name: f"d*lap({name}) + 0.01*({' + '.join(names)})" for name in names},
            "init": {"noise": dict.fromkeys(names, "random()")}}, steps=3)


EDGES = {"left": {"value": "p*sin(9*y) + t"}, "right": {"slope": "x + 0.1*t - 1"},
         "top": {"robin": ["1 + x", "q", "t - y"]}, "bottom": {"value": "20*x"}}


def test_edges():
    for scheme in ("euler", "heun", "rk4", "symplectic"):
        model = {"formula": 1, "name": "test", "scheme": scheme, "dt": 0.05, "dx": 1.5,
                 "fields": {"u": {"range": [-9, 99]},
                            "v": {"boundary": {"left": "no-flux", "right": {"value": 1e-18},
                                               "top": {"slope": "dx(x)"}}}},
                 "parameters": {"p": [0.3, 0, 2], "q": [2, 0, 9]}, "boundary": EDGES,
                 "rates": {"u": "0.1*lap9(u) - 1e-3*v*bilap(v)",
                           "v": "0.01*(div(u, v) + dxy(u) + u[-4,3])"},
                 "init": {"noise": {"u": "random() - 0.5", "v": "0.1*normal()"}}}
        for size in ((7, 6), (3, 2)) if scheme in ("euler", "rk4") else ((8, 5),):
            run(f"edges, {scheme}, {size}", model, size=size, steps=3)
    run("edges that are not used", model, boundary="periodic")
    channel = {"left": {"value": "t"}, "right": {"slope": 0.1}, "top": "periodic",
               "bottom": "periodic"}
    model = {**model, "boundary": channel, "fields": {"u": {}, "v": {"boundary": channel}}}
    run("a channel", model, size=(8, 6))
    walls = {"left": {"value": "p"}, "right": {"slope": 0.1}, "top": {"robin": ["q", 1, "p*q"]}}
    run("walls of constants", {**model, "boundary": walls, "fields": {"u": {}, "v": {}}},
        size=(8, 6))
    model = {**model, "fields": {"u": {}, "v": {"boundary": {
        "front": {"robin": [1, "x", "z"]}, "back": {"value": "z + y"}}}}, "volumes": True,
             "rates": {"u": "lap9(u) + v", "v": "lap(v) + u[0,0,-2]"}, "boundary": EDGES}
    run("edges of volumes", model, size=(4, 3, 5))
    run("edges of all magnitudes", model_of(
        ["clamp(lap(w), -1e9, 1e9)", "lap(v)", "dx(v*w)", "dy(s)"],
        boundary={"left": {"value": "1e9*y"}, "right": {"slope": "1e-18*p"},
                  "top": {"robin": ["1e-18", "1e-9*x", "q*1e15"]}, "bottom": {"value": 1e-18}}))


def test_images():
    source = random.Random(1)
    size = (8, 5)
    greys = [[source.randrange(256) for _ in range(size[0] * size[1])] for _ in range(4)]
    model = {"formula": 1, "name": "test", "fields": {"u": {}, "v": {}},
             "images": {"photo": {"help": "a photo", "value": "random()*x"}, "mask": {}},
             "parameters": {"p": [0.3, -1, 2], "q": [2, 1e-9, 9]},
             "let": {"k": "mask*photo"}, "boundary": "no-flux",
             "rates": {"u": "lap(photo*u) + p", "v": "q*v + k"},
             "init": {"noise": {"u": "photo + p", "v": "random() - mask"}}}
    pictures = {"photo": greys[0], "mask": greys[1]}
    maps = {"q": (greys[2], 1e-9, 8.5), "p": (greys[3], 2, -1)}
    run("no images", model)
    run("images", model, images=pictures)
    model["rates"]["v"] = "div(q, v) + k - p*q + p^3"
    run("an image and a map", model, images={"mask": greys[1]}, maps={"p": maps["p"]})
    run("maps", model, maps=maps)
    run("images and maps, scheme rk4", {**model, "scheme": "rk4"}, images=pictures, maps=maps)


def tree(source, depth):
    """A random expression."""
    kind = source.random()
    if depth == 0 or kind < 0.1:
        return source.choice(["u", "v", "w", "s", "p", "q", "k", "x", "2", "1e-9", "3e8", "0.1",
                              "u[1,0]", "w[-1,2]"])
    a, b = tree(source, depth - 1), tree(source, depth - 1)
    if kind < 0.6:
        return f"({a} {source.choice(BINARY[:4] + BINARY[:3] + BINARY)} {b})"
    if kind < 0.7:
        return f"{source.choice(UNARY)}({a})"
    if kind < 0.8:
        return f"({a})^{source.choice(['2', '3', '5', '-1', '-2', '0.5', 's'])}"
    if kind < 0.9:
        return source.choice(OPERATORS[:13]).replace("A", a).replace("B", b)
    return f"({a} < {b} ? {b} : {tree(source, depth - 1)})"


def test_trees(count):
    source = random.Random(count)
    run_expressions("trees", [tree(source, 4) for _ in range(count)])


def main():
    for test in (test_functions, test_operators, test_sizes, test_volumes, test_schemes, test_edges,
                 test_images, test_eight):
        test()
    test_trees(int(sys.argv[3]) if len(sys.argv) > 3 else 40)
    return end()


if __name__ == "__main__":
    sys.exit(main())

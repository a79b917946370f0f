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
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import formula_reference  # noqa: E402
from reference import check, compare, end, floats, read_npz  # noqa: E402

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


def run(name, model, size=(8, 5), steps=2, seed=5, init="noise"):
    """One run of vksim and of the reference."""
    run.count += 1
    if run.count % EVERY:
        return
    with tempfile.TemporaryDirectory(prefix="vksim-formula-") as folder:
        state = os.path.join(folder, "state.npz")
        done = subprocess.run(
            [VKSIM, write(folder, model), "--headless", "--out", "none", "--save-state", state,
             "--size", "x".join(map(str, size)), "--seed", str(seed), "--init", init,
             "--frames", "2", "--steps-per-frame", str(steps), "--quiet"],
            stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            check(False, f"{name} runs", done.returncode, done.stderr)
            return
        got = read_npz(state)
    reference = formula_reference.Run(formula_reference.Model(model), size, seed, init)
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
    for test in (test_functions, test_operators, test_sizes, test_volumes, test_schemes):
        test()
    test_trees(int(sys.argv[3]) if len(sys.argv) > 3 else 40)
    return end()


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_cli_formulas.py VKSIM [NAME...]: simulations from files of formulas: where they are found,
what they are as simulations, and what is refused. See suite.py."""

import copy
import json
import os
import shutil
import struct
import subprocess
import sys

sys.dont_write_bytecode = True
from suite import FILE, GPU, STOPPED, USAGE, array, main, npz_members, png, values  # noqa: E402

MODEL = {
    "formula": 1, "name": "spread", "summary": "spreads",
    "fields": {"u": {"help": "amount", "range": [-100, 100]}},
    "parameters": {"d": [0.2, 0, 1, "diffusion"]},
    "rates": {"u": "d*lap(u)"},
    "init": {"noise": {"u": "random()"}, "ramp": {"u": "x"}},
    "presets": {"default": {"normalize": "fixed:0:1"}, "slow": {"d": 0.01, "summary": "slowly"}},
}
RUN = ["--headless", "--size", "24x16", "--frames", 2, "--steps-per-frame", 5]


def model(suite, change=None, name="spread.json"):
    """Writes the model, changed by a function of it."""
    data = copy.deepcopy(MODEL)
    if change:
        change(data)
    return suite.write(name, json.dumps(data))


def test_simulation(suite):
    """A file is a simulation with options, presets, initial conditions and views."""
    model(suite)
    listed = suite.succeeds("--list", "spread.json", "--list")
    suite.check(all(word in listed for word in ("spread: spreads", "noise, ramp", "amount",
                                                "slow", "slowly")), "--list has it", listed)
    told = suite.succeeds("--help", "spread.json", "--help")
    suite.check("--d X" in told and "diffusion (0 to 1; default 0.2)" in told, "--help has it",
                told)
    shown = suite.succeeds("--show-shader", "spread.json", "--show-shader")
    suite.check("void main()" in shown and "VKS_FIELD" in shown, "the shader", shown)
    start = suite.state("spread.json", *RUN)
    suite.check(suite.state("spread.json", *RUN, "--preset", "slow") != start, "a preset")
    suite.check(suite.state("spread.json", *RUN, "--init", "ramp") != start, "--init")
    suite.check(suite.state("spread.json", *RUN, "--boundary", "no-flux") != start, "--boundary")
    suite.check(suite.state("spread.json", *RUN, "--dx", 2) != start, "--dx")
    suite.check(suite.state("spread.json", *RUN, "--seed", 2) != start, "--seed")


def test_places(suite):
    """By name, in the folders of VKSIM_MODEL_PATH and in the user's."""
    os.makedirs(suite.path("a/b"))
    os.makedirs(suite.path(".local/share/vksim/models"))
    model(suite, name="a/b/spread.json")
    model(suite, lambda m: m.pop("name"), name=".local/share/vksim/models/own.json")
    env = suite.environment(VKSIM_MODEL_PATH=f"nowhere:{suite.path('a/b')}")
    suite.succeeds("a folder of VKSIM_MODEL_PATH", "spread", *RUN, "--out", "none", env=env)
    suite.succeeds("the user's folder, named after the file", "own", *RUN, "--out", "none")
    suite.fails("without it", USAGE, "spread", "spread", *RUN, "--out", "none")
    suite.succeeds("those of the source, in a build", "barkley", *RUN, "--out", "none")


def test_installed(suite):
    """The models of an installation, after those of the user; --list has each name once."""
    for folder in ("bin", "share/vksim/models", "mine"):
        os.makedirs(suite.path(f"tree/{folder}"))
    shutil.copy(suite.vksim, suite.path("tree/bin/vksim"))
    model(suite, name="tree/share/vksim/models/spread.json")
    model(suite, lambda m: m.update(summary="another"), name="tree/mine/spread.json")
    for mine, summary in (("", "spreads"), (suite.path("tree/mine"), "another")):
        done = subprocess.run(
            [suite.path("tree/bin/vksim"), "--list"], check=False, capture_output=True, text=True,
            env={**suite.environment(), "VKSIM_MODEL_PATH": mine})
        listed = done.stdout.split("models (")[-1].split("colour maps")[0]
        suite.check([line.split() for line in listed.splitlines()[1:]] == [["spread", summary]],
                    f"--list has it: {summary}", done.returncode, done.stdout, done.stderr)


@values
def test_state(suite):
    """Runs continue from states, on any driver; live options act at their step; shaders are
    compiled once."""
    model(suite)
    whole = suite.state("spread.json", *RUN)
    suite.check(suite.state("spread.json", *RUN, env=suite.environment("swiftshader")) == whole,
                "both drivers")
    kept = os.listdir(suite.path("cache/shaders"))
    suite.check(len(kept) == 2 and all(name.endswith(".spv") for name in kept), "kept", kept)
    suite.state("spread.json", *RUN)
    suite.check(os.listdir(suite.path("cache/shaders")) == kept, "and used again")
    for name in kept:
        suite.write(f"cache/shaders/{name}", b"damaged")
    suite.check(suite.state("spread.json", *RUN) == whole, "a damaged cache is replaced")
    half = ["--headless", "--size", "24x16", "--steps", 3, "--out", "none"]
    suite.succeeds("three steps", "spread.json", *half, "--save-state", "s.npz")
    suite.check(suite.state("spread.json", "--load-state", "s.npz", "--headless", "--steps", 2)
                == whole, "from a state")
    scene = {"simulation": "spread", "events": [{"step": 2, "set": {"d": 0.4}}]}
    suite.write("s.json", json.dumps(scene))
    suite.check(suite.state("spread.json", "--scene", "s.json", *RUN) != whole, "events")


@values
def test_held(suite):
    """Scenes, pictures, states and presets hold the formula, so that no file of it is needed."""
    model(suite, lambda m: m.update(
        fields={"w": {"range": [-100, 100]}, "u": {"range": [-100, 100]}},
        rates={"w": "u - w", "u": "d*lap(u) - w"}, scheme="symplectic",
        init={"noise": {"w": "0", "u": "random()"}}))
    whole = suite.state("spread.json", *RUN, "--d", 0.3)
    suite.succeeds("what holds it", "spread.json", *RUN, "--d", 0.3, "--out", "a.png",
                   "--record-events", "s.json", "--save-scene", "t.json")
    half = [*RUN[:3], "--steps", 3, "--out", "none", "--d", 0.3]
    suite.succeeds("half of it", "spread.json", *half, "--save-state", "s.npz")
    os.rename(suite.path("spread.json"), suite.path("moved"))
    for name, words in (("a recording", ["s.json"]), ("a scene", ["t.json"]),
                        ("a picture", ["a.png", "--steps", 5])):
        suite.check(suite.state("--headless", "--scene", *words) == whole, name)
    with open(suite.path("s.json"), "rb") as file:
        suite.check(suite.state("--headless", "--scene", "/dev/stdin", stdin=file) == whole,
                    "a scene of a background rendering")
    suite.check(suite.state("--scene=s.json", "--headless", "--d", 0.2) != whole, "its options")
    suite.check(suite.state("--load-state", "s.npz", "--headless", "--steps", 2) == whole,
                "a state")
    with open(suite.path("s.json"), encoding="utf-8") as file:
        scene = json.load(file)
    os.makedirs(suite.path(".config/vksim/presets"))
    suite.write(".config/vksim/presets/mine.json", json.dumps(
        {key: scene[key] for key in ("simulation", "formula", "d")}))
    suite.check(suite.state("--preset", "mine", *RUN) == whole, "a preset of one's own")


def test_versions(suite):
    """States and scenes of another version of a formula are refused, unless that is allowed."""
    path = model(suite)
    run = [*RUN, "--out", "none"]
    suite.succeeds("a state and a scene", path, *run, "--save-state", "s.npz", "--record-events",
                   "s.json", "--overwrite")
    model(suite, rate("d*lap(u) - 0.01*u"), name="other.json")
    more = ["--headless", "--steps", 2, "--out", "none"]
    for option, held in (("--load-state", "s.npz"), ("--scene", "s.json")):
        suite.fails(f"{option} of another version", USAGE, held, "other.json", option, held, *more)
        suite.succeeds("if it is allowed", "other.json", option, held, *more,
                       "--allow-model-change")
        suite.succeeds("of the same one", path, option, held, *more)
    with open(suite.path("s.json"), encoding="utf-8") as file:
        scene = json.load(file)
    for name, changed in (
            ("no text", {"formula": 1}), ("no JSON", {"formula": "{"}),
            ("a path", {"formula": path}), ("an offence", {"formula": scene["formula"].replace(
                "d*lap(u)", "d*lpa(u)")}),
            ("an option of that name", {"formula": scene["formula"].replace('"d"', '"size"')}),
            ("another simulation", {"simulation": "gray-scott"}),
            ("the path of a simulation", {"formula": None, "simulation": "spread.json"})):
        data = {key: value for key, value in {"simulation": "spread", "formula": scene["formula"],
                                              **changed}.items() if value is not None}
        suite.write("bad.json", json.dumps(data))
        suite.fails(f"a scene with {name}", USAGE, "spread.json" if "path of" in name
                    else "bad.json", "--scene", "bad.json", *more)


def test_many(suite):
    """As many parameters as there can be, with the longest numbers, and presets of all of them."""
    names = [f"p_{i}" for i in range(62)]

    def change(data):
        data["parameters"] = {name: [-1.2345678901234567e-305, -1, 1] for name in names}
        data["rates"]["u"] = "0.1*lap(u) + " + " + ".join(names)
        data["presets"] = {f"preset-{i}": dict.fromkeys(names, 1e-3 * i) for i in range(60)}

    model(suite, change)
    suite.check(suite.state("spread.json", *RUN, "--preset", "preset-59") ==
                suite.state("spread.json", *RUN, *(word for name in names for word in
                                                   ("--" + name.replace("_", "-"), 0.059))),
                "a preset sets every parameter")
    suite.check(suite.state("spread.json", *RUN, "--p-61", 0.1) !=
                suite.state("spread.json", *RUN), "and so does an option")


@values
def test_buffers(suite):
    """The floor of 24 storage buffers is enough for eight fields, except with heun's scheme."""
    names = [f"u{i}" for i in range(8)]
    env = {**suite.scarce_memory(), "MEMORY_LAYER_BUFFERS": "24"}
    for scheme in ("euler", "rk4", "symplectic", "heun"):
        model(suite, lambda m: m.update(
            fields=dict.fromkeys(names, {}), scheme=scheme, init={"noise": dict.fromkeys(
                names, "random()")}, rates={name: f"d*lap({name}) + 0.01*({' + '.join(names)})"
                                            for name in names}))
        if scheme == "heun":
            suite.fails(scheme, GPU, "needs 27 storage buffers", "spread.json", *RUN, "--out",
                        "none", "--quiet", env=env)
        else:
            suite.check(suite.state("spread.json", *RUN, env=env) ==
                        suite.state("spread.json", *RUN), scheme)


def test_warnings(suite):
    """A parameter that is not used, and a time step that is too long for diffusion or a flow."""
    model(suite, lambda m: m["parameters"].update(idle=1))
    status, _, err = suite.run("spread.json", *RUN, "--out", "none")
    suite.check(status == 0 and "'idle'" in err, "a parameter", err)
    for text, dt, limit in (("d*lap(u)", 1.3, "1.25"), ("1 - u - -(lap(u)/d)", 0.1, "0.05"),
                            ("u - d*bilap(u)", 0.2, "0.156"), ("lap(u) + d*lap(u)", 0.3, "0.25"),
                            ("d*lap(u) - 2*dx(u)", 0.12, "0.1; write upwind"),
                            ("d*lap(u) - 2*dx(u)", 0.09, None),
                            ("lap(u)/5 + dy(u)/d", 0.1, "0.016; write upwind_y"),
                            ("3 - dx(u)", 0.1, "0; write upwind"), ("x*dx(u)", 0.1, None),
                            ("x*lap(u) + d*lap(u)", 1.2, None), ("d*lap(u)", 1.2, None)):
        model(suite, rate(text))
        _, _, err = suite.run("spread.json", "--headless", "--size", "24x16", "--frames", 1,
                              "--out", "none", "--dt", dt)
        suite.check(f"up to {limit}" in err if limit else "stable" not in err, f"dt of {text}", err)


def edges(boundary):
    return lambda data: data.update(boundary=boundary)


def test_edges(suite):
    """Edges with values of their own, by field and side, which an option turns off."""
    walls = {"left": {"value": 1}, "right": {"value": "-1"}}

    def channel(data):
        data["boundary"] = walls
        data["init"] = {"flat": {"u": "0"}}

    model(suite, channel)
    suite.succeeds("a channel", "spread.json", "--headless", "--size", "8x4", "--steps", 2000,
                   "--out", "none", "--save-state", "s.npz")
    field = struct.unpack("<32f", array(npz_members(suite.path("s.npz"))["u.npy"])[1])
    rows = [field[8 * row:8 * row + 8] for row in range(4)]
    suite.check(all(abs(value - (1 - (i + 0.5) / 4)) < 1e-4 for row in rows
                    for i, value in enumerate(row)), "it is linear between the walls", rows)
    flat = suite.state("spread.json", *RUN, "--boundary", "periodic")
    suite.check(flat == suite.state("spread.json", *RUN, "--boundary", "no-flux") !=
                suite.state("spread.json", *RUN), "--boundary")
    for name, subject, boundary in (
            ("an unknown side", "top", {"tpo": "no-flux"}),
            ("front without volumes", "front", {"front": "no-flux"}),
            ("an unknown word", "left", {"left": "open"}), ("a number", "left", {"left": 1}),
            ("no list", "robin", {"left": {"robin": 1}}),
            ("a short list", "robin", {"left": {"robin": [1, 2]}}),
            ("two kinds", "left", {"left": {"value": 1, "slope": 2}}),
            ("a field at an edge", "left", {"left": {"value": "u"}}),
            ("random numbers at an edge", "left", {"left": {"value": "random()"}}),
            ("half a torus", "right", {"left": "periodic"}), ("a list", "boundary", [])):
        refused(suite, name, subject, edges(boundary))
    refused(suite, "axes that differ", "'v'", lambda m: m.update(
        fields={"u": {}, "v": {"boundary": "no-flux"}}, rates={"u": "v", "v": "u"},
        init={"noise": {"u": "1", "v": "1"}}))


def with_image(data):
    data["images"] = {"mask": {"help": "where it spreads", "value": "0.5"}}
    data["rates"]["u"] = "d*mask*lap(u)"


def test_images(suite):
    """Images of formulas and maps of parameters, in runs, scenes and states."""
    model(suite, with_image)
    suite.write("half.png", png(24, 16, [bytes(10 * x for x in range(24) for _ in range(3))] * 16))
    without = suite.state("spread.json", *RUN)
    given = suite.state("spread.json", *RUN, "--mask", "half.png")
    suite.check(given != without, "an image")
    suite.check("--mask FILE" in suite.succeeds("--help", "spread.json", "--help"), "--help")
    mapped = suite.state("spread.json", *RUN, "--maps", "d=half.png:0:0.3")
    suite.check(mapped not in (given, without), "a map")
    suite.succeeds("a state", "spread.json", *RUN, "--mask", "half.png", "--steps-per-frame", 3,
                   "--out", "none", "--save-state", "s.npz")
    suite.check(suite.state("spread.json", "--load-state", "s.npz", "--headless", "--steps", 2)
                == given, "from a state")
    suite.fails("no file", FILE, "none.png", "spread.json", *RUN, "--mask", "none.png")
    for name, text in (("a strange map", "d"), ("no such parameter", "e=half.png:0:1"),
                       ("outside the limits", "d=half.png:0:2"), ("a constant", "dt=half.png:0:1"),
                       ("two maps of one", "d=half.png:0:1,d=half.png:0:1")):
        suite.fails(name, USAGE, "maps", "spread.json", *RUN, "--out", "none", "--maps", text)
    for name, subject, images in (
            ("no object", "images", []), ("no object of an image", "mask", {"mask": "x.png"}),
            ("an unknown key", "file", {"mask": {"file": "x.png"}}),
            ("an image's name", "'u'", {"u": {}}), ("a bad value", "images.mask",
                                                    {"mask": {"value": "1 +"}}),
            ("a field in its place", "mask", {"mask": {"value": "u"}}),
            ("the name of an option", "size", {"size": {}}),
            ("many", "images", {f"i{i}": {} for i in range(9)})):
        refused(suite, name, subject, lambda m, images=images: m.update(images=images))


def volume_of(data):
    data["volumes"] = True


def test_image_in_volume(suite):
    """An image is the same in all planes of a volume."""
    def painted(data):
        volume_of(data)
        data.update(images={"mask": {}}, next={"u": "mask"})
        del data["rates"]

    model(suite, painted)
    suite.write("half.png", png(4, 2, [bytes(60 * x for x in range(4) for _ in range(3))] * 2))
    suite.succeeds("a run", "spread.json", "--headless", "--size", "4x2x3", "--steps", 1, "--out",
                   "none", "--mask", "half.png", "--save-state", "s.npz")
    shape, data = array(npz_members(suite.path("s.npz"))["u.npy"])
    suite.check(shape == (3, 2, 4) and data == 3 * data[:32] and any(data), "all planes", shape,
                data)


def drawn(sides, places, radius):
    """The ones of points, as docs/formulas.md defines them."""
    width, height, depth = sides
    cells = [0.0] * (width * height * depth)
    for *place, own in places:
        centre = [part * side for part, side in zip(place + [0.5], sides)]
        inside = [min(int(part), side - 1) for part, side in zip(centre, sides)]
        reach = (radius if own is None else own) * min(width, height)
        for i in range(len(cells)):
            at = i % width, i // width % height, i // width // height
            if list(at) == inside or sum((a + 0.5 - c) ** 2 for a, c in zip(at, centre)) <= \
                    reach * reach:
                cells[i] = 1.0
    return struct.pack(f"<{len(cells)}f", *cells)


@values
def test_points(suite):
    """Points of the file and of a table, in flat models and in volumes, and what is refused."""
    def put(places, radius=0.0, volume=False):
        def change(data):
            data.update(points={"dots": {"at": places, "radius": radius}}, next={"u": "dots"},
                        init={"noise": {"u": "dots"}}, volumes=volume)
            del data["rates"]
        return change

    def run(*words):
        suite.succeeds("a run", "spread.json", "--headless", "--steps", 1, "--out", "none",
                       "--save-state", "s.npz", "--overwrite", *words)
        return array(npz_members(suite.path("s.npz"))["u.npy"])[1]

    flat = [(0.3, 0.25, None), (1, 1, 0.2), (0, 0.6, 0), (0.52, 0.48, 1 / 3)]
    model(suite, put([[part for part in row if part is not None] for row in flat], 0.15))
    suite.check(run("--size", "24x16") == drawn((24, 16, 1), flat, 0.15), "of the file")
    suite.write("p.csv", "x,y,radius\n0.9,0.1,0.25\n0.5,0.5,0\n")
    table = drawn((24, 16, 1), [(0.9, 0.1, 0.25), (0.5, 0.5, 0)], 0.15)
    suite.check(run("--size", "24x16", "--dots", "p.csv") == table, "of a table")
    suite.write("e.json", json.dumps({"simulation": "spread", "events": [
        {"step": 1, "set": {"dots": "p.csv"}}]}))
    suite.check(run("--scene", "e.json", "--size", "24x16", "--steps", 2) == table, "live")
    suite.succeeds("from a state", "--load-state", "s.npz", "--headless", "--steps", 2, "--out",
                   "none")
    suite.fails("no file", FILE, "none.csv", "spread.json", *RUN, "--dots", "none.csv")
    suite.write("far.csv", "0.5,0.5\n1.5,0.5\n")
    suite.fails("outside", FILE, "row 2", "spread.json", *RUN, "--dots", "far.csv")
    deep = [(0.5, 0.25, 0.75, None), (0.1, 0.9, 0.4, 0.3)]
    model(suite, put([[part for part in row if part is not None] for row in deep], 0.2, True))
    suite.check(run("--size", "8x7x6") == drawn((8, 7, 6), deep, 0.2), "in a volume")
    for name, points in (("a list", []), ("no object", {"p": [[0.5, 0.5]]}),
                         ("an unknown key", {"p": {"places": []}}),
                         ("no list", {"p": {"at": 0.5}}), ("a number", {"p": {"at": [0.5]}}),
                         ("one number", {"p": {"at": [[0.5]]}}),
                         ("another volume", {"p": {"at": [[0.5, 0.5, 0.5, 0.5]]}}),
                         ("outside", {"p": {"at": [[0.5, -0.1]]}}),
                         ("a radius", {"p": {"radius": 2}}), ("a field", {"u": {}}),
                         ("many", {f"p{i}": {} for i in range(9)})):
        refused(suite, f"points: {name}", "points" if name in ("a list", "many") else "'",
                lambda m, points=points: m.update(points=points))


def test_size(suite):
    """The size of a model, which presets and the command line may replace."""
    def put(size, **presets):
        return lambda data: data.update(size=size, presets=presets)

    def rows(*words):
        suite.succeeds("a run", *words, "--headless", "--steps", 0, "--out", "none",
                       "--save-state", "s.npz", "--overwrite")
        return array(npz_members(suite.path("s.npz"))["u.npy"])[0]

    model(suite, put([24, 16], large={"size": "32x8"}, slow={"d": 0.01}))
    for words, shape in (([], (16, 24)), (["--preset", "large"], (8, 32)),
                         (["--preset", "slow"], (16, 24)), (["--size", "8x4"], (4, 8))):
        suite.check(rows("spread.json", *words) == shape, f"the size with {words}")
    model(suite, lambda m: (volume_of(m), put([6, 5, 4])(m)))
    suite.check(rows("spread.json") == (4, 5, 6), "of a volume")
    for name, size in (("a number", 64), ("one side", [64]), ("a depth", [8, 8, 8]),
                       ("a fraction", [8.5, 8]), ("nothing", [0, 8]), ("many", [65537, 8])):
        refused(suite, f"a size: {name}", "size", put(size))


def test_stop(suite):
    """Conditions that end a run."""
    def stop(data):
        data["stop"] = {"u is large": "u > 90", "d is small": "step >= 0 && d < 0.1"}
        data["init"]["high"] = {"u": "95"}

    model(suite, stop)
    suite.fails("a condition", STOPPED, "d is small", "spread.json", *RUN, "--d", 0.05, "--out",
                "none")
    suite.fails("another", STOPPED, "u is large", "spread.json", *RUN, "--init", "high", "--out",
                "none")
    suite.succeeds("neither", "spread.json", *RUN, "--out", "none")
    for name, subject, value in (("a list", "stop", []), ("no message", "stop", {"": "u"}),
                                 ("a mistake", "stop.late", {"late": "lap("}),
                                 ("many", "stop", {f"{i}": "u" for i in range(9)})):
        refused(suite, name, subject, lambda m, value=value: m.update(stop=value))


def refused(suite, name, subject, change, status=USAGE):
    model(suite, change)
    suite.fails(name, status, subject, "spread.json", *RUN, "--out", "none")


def rate(text):
    def change(data):
        data["rates"]["u"] = text
    return change


def test_expressions(suite):
    """What is wrong in an expression is said with its place."""
    for name, text in (
            ("an unknown function", "lpa(u)"), ("an unknown name", "u + w"), ("an end", "u +"),
            ("no operator", "u u"), ("arguments", "lap(u, u)"), ("a parenthesis", "(u"),
            ("another parenthesis", "u)"), ("a hexadecimal number", "0x10*u"),
            ("an offset", "u[5,0]"), ("a fraction", "u[0.5,0]"), ("no offset", "u[1]"),
            ("two signs", "u[--1,0]"), ("a huge offset", "u[1-066666666666666,0]"),
            ("the reach of mean", "mean(u, 5)"), ("volumes only", "dz(u)"), ("a number", "1e30*u"),
            ("nesting", "(" * 100 + "u"), ("signs", "-" * 100 + "u"), ("choices", "u ? " * 100),
            ("a name of another program", "ln(u)"), ("its derivative", "d*u_xx"),
            ("no derivative", "u_xxx"), ("a Greek letter", "\u03b1*u"),
            ("no multiplication", "sin(2 u)"),
            ("length", "u+" * 3000 + "u"), ("a strange sign", "u # 2"), ("nothing", ""),
            ("a chain of operators", "trilap(" * 40 + "u" + ")" * 40)):
        refused(suite, name, "rates.u" if "chain" not in name else "formulas", rate(text))
    model(suite, rate("(u[1,0] - u[ -1 , 0 ])/max(2, (u))"))
    suite.succeeds("brackets that fit", "spread.json", *RUN, "--out", "none")
    refused(suite, "an expression of a start", "init.noise",
            lambda m: m["init"]["noise"].update(u="u + 1"))
    for text, lines in (("d*lap(u) + w - 1", ["    d*lap(u) + w - 1", "               ^"]),
                        ("u*(\u00e9", ["    u*(\u00e9", "       ^"]),
                        ("1 + lap((u) + 2", ["    1 + lap((u) + 2", "           ^"]),
                        ("max(u + u[0, 1, 2)", ["    max(u + u[0, 1, 2)", "                  ^"]),
                        ("max(u + u[0, 1 ", ["    max(u + u[0, 1 ", "             ^"]),
                        ("u + " * 20 + "w*u + " + "u*" * 20 + "u", [
                            "    ..." + "u + " * 10 + "w*u + " + "u*" * 14 + "u...",
                            "    " + 43 * " " + "^"])):
        model(suite, rate(text))
        got, _, err = suite.run("spread.json", *RUN, "--out", "none")
        suite.check(got == USAGE and err.splitlines()[-2:] == lines, f"the place in {text}", err)


def test_keys(suite):
    """What is wrong in the file."""
    def put(key, value):
        return lambda data: data.update({key: value})

    def drop(key):
        return lambda data: data.pop(key)

    for name, subject, change in (
            ("no version", "formula", drop("formula")), ("a version", "formula", put("formula", 2)),
            ("an unknown key", "rate", put("rate", 1)), ("no fields", "fields", drop("fields")),
            ("many fields", "fields", put("fields", {f"u{i}": {} for i in range(9)})),
            ("a name", "2u", put("fields", {"2u": {}})),
            ("a field of all formulas", "status", put("fields", {"status": {}})),
            ("a field of views", "view_range", put("fields", {"view_range": {}})),
            ("a field of pictures", "'palette'", put("fields", {"palette": {}})),
            ("a start's name", "init.image:x", put("init", {"image:x": {"u": "1"}})),
            ("a start without a name", "init.", put("init", {"": {"u": "1"}})),
            ("a preset's name", "presets.--help", put("presets", {"--help": {}})),
            ("an option of all", "gamma", put("parameters", {"d": 1, "gamma": 1})),
            ("an option of a command", "json", put("parameters", {"d": 1, "json": 1})),
            ("a flag of another", "reverse", put("parameters", {"d": 1, "reverse": 1})),
            ("two of an option", "--mean-c",
             put("parameters", {"d": 1, "mean_c": 1, "Mean_c": 1})),
            ("two of a view", "view u", put("fields", {"u": {}, "U": {}})),
            ("its own option", "--boundary", put("parameters", {"d": 1, "boundary": 1})),
            ("a command's name", "report", put("name", "report")),
            ("a reserved name", "'t'", put("parameters", {"t": 1})),
            ("two of a name", "'u'", put("parameters", {"u": 1})),
            ("a range", "range", put("fields", {"u": {"range": [1, 0]}})),
            ("a parameter's limits", "'d'", put("parameters", {"d": [2, 0, 1]})),
            ("a parameter", "'d'", put("parameters", {"d": "1"})),
            ("the name of an option", "size", put("parameters", {"d": 1, "size": 1})),
            ("no rates", "rates", drop("rates")), ("both", "next", put("next", {"u": "u"})),
            ("a rate of nothing", "'v'", put("rates", {"u": "u", "v": "u"})),
            ("no rate", "rates.u", put("rates", {})), ("a scheme", "scheme", put("scheme", "rk3")),
            ("a boundary", "boundary", put("boundary", "open")), ("no start", "init", drop("init")),
            ("dt", "dt", put("dt", 0)), ("volumes", "volumes", put("volumes", 1)),
            ("an option of a preset", "presets",
             put("presets", {"default": {"size": [1, 2]}})),
            ("no object of expressions", "let", put("let", [])),
            ("an unknown option", "nonsense", put("presets", {"default": {"nonsense": 1}})),
            ("a simulation's name", "physarum", put("name", "physarum")),
            ("a bad name", "A b", put("name", "A b"))):
        refused(suite, name, subject, change)


def test_names(suite):
    """Fields in capitals, whose views are not, and options and presets that others have, too."""
    model(suite, lambda m: m.update(
        fields={"A_1": {}, "B": {}}, rates={"A_1": "B", "B": "d*lap(A_1)"},
        init={"step": {"A_1": "x", "B": "0"}}))
    suite.succeeds("capitals", "spread.json", *RUN, "--view", "a-1", "--out", "a.png")
    path = model(suite, lambda m: m.update(parameters={"d": 0.1, "feed": 1}, presets={
        "plain": {"feed": 2}}), name="other.json")
    suite.succeeds("options and presets of others", path, *RUN, "--preset", "plain", "--feed", 3,
                   "--out", "b.png")


def test_files(suite):
    """Files that are no models, a missing compiler, and fields that leave their range."""
    suite.fails("no file", FILE, "none.json", "none.json", *RUN)
    suite.write("bad.json", "{")
    suite.fails("no JSON", FILE, "bad.json", "bad.json", *RUN)
    for text in ('{"a": 1,\n\n}', '[1,\n\n]'):
        suite.write("comma.json", '{"formula":\n' + text)
        suite.fails(f"a comma before {text[-1]}", FILE, "line 2", "comma.json", *RUN)
    suite.write("list.json", "[]")
    suite.fails("a list", USAGE, "list.json", "list.json", *RUN)
    suite.write("large.json", " " * (2 << 20))
    suite.fails("too large", FILE, "megabyte", "large.json", *RUN)
    os.mkdir(suite.path("folder.json"))
    suite.fails("a folder", FILE, "folder.json", "folder.json", *RUN)
    model(suite)
    suite.fails("no compiler", USAGE, "glslc", "spread.json", *RUN, "--out", "none",
                env=suite.without_compiler())
    for name, words in (("hot reload without a window", RUN), ("hot reload of several", [
            "--vary", "d=0.1,0.2"])):
        suite.fails(name, USAGE, "--hot-reload", "spread.json", *words, "--hot-reload",
                    "./spread.json")
    suite.fails("no formulas", USAGE, "show-shader", "gray-scott", "--show-shader")
    model(suite, rate("d*u^3 + 9"))
    suite.fails("a range is left", STOPPED, "u has left its range", "spread.json", *RUN, "--frames",
                20, "--out", "none")
    for scheme, advised in (("euler", True), ("rk4", False)):
        model(suite, lambda m, scheme=scheme: m.update(
            fields={"u": {"range": [-9, 9]}, "p": {}}, rates={"u": "p", "p": "9*lap(u) + 9"},
            init={"noise": {"u": "0", "p": "0"}}, scheme=scheme))
        got, _, err = suite.run("spread.json", *RUN, "--out", "none")
        suite.check(got == STOPPED and ("symplectic or rk4" in err) == advised,
                    f"an equation of second order in {scheme}", err)


def test_hints(suite):
    """Unknown options are compared with those of the file's simulation, and --help has its file."""
    model(suite, lambda m: m.update(parameters={"d": 1, "Dv": 1, "dump": 1}))
    for option, near in (("Dv", "dv"), ("DUMB", "dump"), ("deposit", "report"),
                         ("sensor-angl", None)):
        suite.fails(f"--{option}", USAGE, f"'--{near}'" if near else f"'--{option}';",
                    "spread.json", f"--{option}", 1)
    suite.write("s.json", json.dumps({"simulation": "spread", "formula": json.dumps(
        {**MODEL, "parameters": {"d": 1, "dump": 1}})}))
    suite.fails("in a scene", USAGE, "'--dump'", "--scene", "s.json", "--dumb", 1)
    told = suite.succeeds("--help", "spread.json", "--help")
    suite.check("Usage: vksim spread.json [OPTIONS]" in told, "names the file", told)


sys.exit(main(globals()))

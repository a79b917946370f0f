#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_cli_check.py VKSIM [NAME...]: vksim check of simulations and of shaders, and vksim new. See
suite.py. What check finds in faulty simulations is in tests/gpu/test_check.c."""

import json
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
from suite import FILE, OK, STOPPED, USAGE, main, picture, values  # noqa: E402

MODEL = {
    "formula": 1, "summary": "spreads", "fields": {"u": {}}, "parameters": {"d": [0.2, 0, 1]},
    "rates": {"u": "d*lap(u)"}, "init": {"noise": {"u": "random()"}},
    "presets": {"default": {}, "slow": {"d": 0.01}},
}
HEAD = "#version 460\n#extension GL_GOOGLE_include_directive : require\n"
EXACT = HEAD + """#include "lib/pass.glsl"
layout(std430, set = 0, binding = 0) buffer cells { float values[]; };
void main() { precise float v = values[vks_item()] * 2.0; values[vks_item()] = v; }
"""
INEXACT = EXACT.replace("v = ", "v = 1.0 + ").replace("* 2.0", "/ 3.0") + "\n"
EXPERIMENTS = ["workgroups of 64", "workgroups of 128", "workgroups of 256",
               "workgroups in reverse order", "batches of 64 steps", "fields in chunks",
               "snapshot, other steps, return", "save, load"]


def rows(text):
    """The tables: lists of (experiment, outcome), by the line above."""
    tables = {}
    for line in text.splitlines():
        if line.startswith("  "):
            name, outcome = re.fullmatch(r"  (.{34}) (.+)", line).groups()
            tables[head].append((name.rstrip(), outcome))
        else:
            head = line
            tables[head] = []
    return tables


def test_formula(suite):
    """A formula is the same in all experiments, at two sizes and in each of the presets."""
    suite.write("spread.json", json.dumps(MODEL))
    out = suite.succeeds("a formula", "check", "spread.json", "--preset", "default,slow",
                         "--steps", 20)
    *tables, last = rows(out).items()
    suite.check(len(tables) == 4 and
                [re.search(r", (\S+), preset (\w+), digest \w{32} after 20 steps$", head).groups()
                 for head, _ in tables] ==
                [("132x40", "default"), ("61x37", "default"), ("132x40", "slow"),
                 ("61x37", "slow")], "sizes and presets", out)
    suite.check(all(table[:8] == [(name, "same") for name in EXPERIMENTS]
                    for _, table in tables), "experiments", out)
    suite.check(tables[-1][1][8:] == [("validation layers", "silent")], "validation", out)
    suite.check(last[0] == "spread: the same bytes in all 33 experiments", "conclusion", out)


@values
def test_devices(suite):
    """All devices are compared with the first; --device restricts them."""
    suite.write("spread.json", json.dumps(MODEL))
    both = ":".join(suite.drivers.values())
    env = suite.environment() | {"VK_DRIVER_FILES": both, "VK_ICD_FILENAMES": both}
    out = json.loads(suite.succeeds("two devices", "check", "spread.json", "--json", "--steps", 9,
                                    "--size", "20x8", env=env))
    first, second = out["devices"]
    last = second["runs"][0]["experiments"][-1]
    suite.check(out["simulation"] == "spread" and out["steps"] == 9 and out["same"] and
                first["name"] != second["name"] and
                first["runs"][0]["digest"] == second["runs"][0]["digest"] and
                last == {"experiment": f"as on {first['name']}"[:63], "result": "same"} and
                first["validation"]["result"] == "same", "both agree", json.dumps(out))
    suite.check([(run["preset"], run["size"]) for run in first["runs"]] == [("default", "20x8")],
                "--size is the only size")
    digest = suite.state("spread.json", "--headless", "--size", "20x8", "--steps", 9)
    suite.check(digest == first["runs"][0]["digest"], "the digest is that of a run")
    one = json.loads(suite.succeeds("--device", "check", "spread.json", "--json", "--steps", 9,
                                    "--size", "20x8", "--device", 1, env=env))
    suite.check([device["name"] for device in one["devices"]] == [second["name"]], "one device")


def test_built_in(suite):
    """Variants are experiments, too; those that are not for the run are counted."""
    out = suite.succeeds("gray-scott", "check", "gray-scott", "--size", "61x20", "--steps", 6)
    (_, table), _ = rows(out).items()
    names = [name for name, _ in table]
    suite.check("variant plain" in names and "variant tile-2-4x4" in names and
                ("other variants", "left out: 30 that are not for this run") in table and
                not any(outcome.startswith("differs") for _, outcome in table), "variants", out)
    out = suite.succeeds("physarum", "check", "physarum", "--size", "40x24", "--steps", 6,
                         "--variant", "unsorted")
    suite.check("variant sorted-3-bytes" in out, "physarum's variants", out)


def test_layers(suite):
    """Without the validation layers, a line says so."""
    suite.write("spread.json", json.dumps(MODEL))
    env = suite.environment(VK_LAYER_PATH=suite.path("nowhere"))
    out = suite.succeeds("no layers", "check", "spread.json", "--steps", 4, "--size", "8x8",
                         env=env)
    suite.check("validation layers" in out and "left out: not installed" in out, "they are", out)


def test_shaders(suite):
    """One line per exact shader and per offence, with its file and line."""
    os.makedirs(suite.path("own"))
    suite.write("own/exact.comp", EXACT)
    suite.write("own/inexact.comp", INEXACT)
    out = suite.succeeds("exact", "check", "own/exact.comp")
    suite.check(out == "own/exact.comp: exact, 1 float operations\n", "one line", out)
    got, out, err = suite.run("check", "own/exact.comp", "own/inexact.comp")
    lines = out.splitlines()
    suite.check(got == STOPPED and len(lines) == 2 and
                re.match(r"own/inexact\.comp:5: .*OpFDiv", lines[1]) and
                "1 of 2 shaders is not exact" in err, "an offence", got, out, err)
    for name in ("exact", "inexact"):
        subprocess.run(["glslc", "--target-env=vulkan1.3", "-fshader-stage=compute", "-I",
                        os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../shaders"),
                        suite.path(f"own/{name}.comp"), "-o", suite.path(f"{name}.spv")],
                       check=True, timeout=60)
    out = suite.succeeds("a module", "check", "exact.spv")
    suite.check(out == "exact.spv: exact, 1 float operations\n", "exact", out)
    got, out, _ = suite.run("check", "inexact.spv", "exact.spv", "--json")
    first, second = json.loads(out)
    suite.check(got == STOPPED and not first["exact"] and "OpFDiv" in first["offences"][0] and
                second == {"file": "exact.spv", "exact": True, "float_operations": 1,
                           "offences": []}, "as JSON", out)


def test_wrong(suite):
    """Bad input."""
    suite.write("spread.json", json.dumps(MODEL))
    suite.write("text.spv", "not a module")
    suite.write("odd.spv", "odd bytes")
    suite.write("wrong.comp", HEAD + "void main() { x; }\n")
    suite.write("lost.comp", HEAD + '#include "lost.glsl"\nvoid main() {}\n')
    suite.write("bad.json", "{")
    suite.write("good.comp", EXACT)
    for name, status, subject, *arguments in [
            ("nothing", USAGE, "check needs"),
            ("unknown", USAGE, "gray-scot", "gray-scot"),
            ("missing model", FILE, "none.json", "none.json"),
            ("damaged model", FILE, "bad.json", "bad.json"),
            ("missing shader", FILE, "none.comp", "none.comp"),
            ("missing module", FILE, "none.spv", "none.spv"),
            ("no module", USAGE, "text.spv", "text.spv"),
            ("odd bytes", USAGE, "odd.spv", "odd.spv"),
            ("bad shader", USAGE, "wrong.comp", "wrong.comp"),
            ("missing include", FILE, "lost.glsl", "lost.comp"),
            ("both", USAGE, "spread.json", "text.spv", "spread.json"),
            ("two", USAGE, "text.spv", "spread.json", "text.spv"),
            ("preset", USAGE, "fast", "spread.json", "--preset", "slow,fast"),
            ("steps", USAGE, "--steps", "spread.json", "--steps", 1),
            ("value", USAGE, "--d", "spread.json", "--d", "x"),
            ("device", 3, "--device", "spread.json", "--device", "none"),
            ("no image", USAGE, "image", "cipher", "--key", "k")]:
        suite.fails(name, status, subject, "check", *arguments)
    suite.fails("no compiler", USAGE, "GLSL compiler", "check", "good.comp",
                env=suite.without_compiler())
    suite.write("ends.json", json.dumps(MODEL | {"stop": {"it is full": "step > 3"}}))
    suite.fails("ends by itself", STOPPED, "it is full", "check", "ends.json", "--size", "8x8")


@values
def test_new(suite):
    """The folder has a simulation that runs, and its test passes."""
    got, out, err = suite.run("new", "waves")
    suite.check(got == OK and not out and "waves/waves.json" in err, "made", out, err)
    suite.check(sorted(os.listdir(suite.path("waves"))) == ["README.md", "test", "waves.json"],
                "its files")
    suite.check(not any("NAME" in suite.read(f"waves/{name}").decode()
                        for name in os.listdir(suite.path("waves"))), "its name")
    env = suite.environment(VKSIM=suite.vksim)
    done = subprocess.run([suite.path("waves/test"), "--steps", "30"], env=env, timeout=120,
                          capture_output=True, check=False, cwd="/")
    suite.check(done.returncode == OK and b"the same bytes in all" in done.stdout, "its test",
                done.stdout, done.stderr)
    suite.succeeds("a picture", "waves", "--headless", "--size", "64x64", "--steps", 400,
                   "--steps-per-frame", 400, "--out", "end.png",
                   env=suite.environment(VKSIM_MODEL_PATH=suite.path("waves")))
    _, _, data = picture(suite.path("end.png"))
    suite.check(len(set(data)) > 100, "that shows something", len(set(data)))
    suite.succeeds("its other preset", "waves/waves.json", "--preset", "spots", "--init", "disc",
                   "--headless", "--size", "16x16", "--frames", 2, "--out", "none")
    suite.succeeds("--kind formula", "new", "more", "--kind", "formula")
    got, out, err = suite.run("new", "grains", "--kind", "shaders")
    suite.check(got == OK and not out and "vksim grains," in err, "a folder of shaders", out, err)
    done = subprocess.run([suite.path("grains/test"), "--steps", "30"], env=env, timeout=120,
                          capture_output=True, check=False, cwd="/")
    suite.check(done.returncode == OK and b"the same bytes in all" in done.stdout, "its test",
                done.stdout, done.stderr)
    suite.succeeds("its picture", "grains", "--headless", "--size", "64x64", "--frames", 30,
                   "--out", "grains.png")
    _, _, data = picture(suite.path("grains.png"))
    suite.check(len(set(data)) > 50, "that shows something, too", len(set(data)))


def test_new_wrong(suite):
    """Nothing on the disk is lost."""
    suite.write("taken", "text")
    os.makedirs(suite.path("folder"))
    for name, status, subject, *arguments in [
            ("nothing", USAGE, "new needs"), ("a file", FILE, "taken", "taken"),
            ("a folder", FILE, "folder", "folder"), ("capitals", USAGE, "Waves", "Waves"),
            ("a path", USAGE, "a/b", "a/b"), ("an empty name", USAGE, "''", ""),
            ("long", USAGE, "40 at most", "w" * 41), ("a simulation", USAGE, "gas", "gas"),
            ("a command", USAGE, "report", "report"), ("two", USAGE, "more", "waves", "more"),
            ("kind", USAGE, "--kind", "waves", "--kind", "plug")]:
        suite.fails(name, status, subject, "new", *arguments)
    suite.check(suite.read("taken") == b"text" and not os.listdir(suite.path("folder")) and
                not os.path.exists(suite.path("waves")), "as before")
    if os.geteuid() != 0:
        os.makedirs(suite.path("locked"))
        os.chmod(suite.path("locked"), 0o500)
        suite.fails("no permission", FILE, "waves", "new", "waves", cwd=suite.path("locked"))
    shutil.rmtree(suite.path("folder"))


sys.exit(main(globals()))

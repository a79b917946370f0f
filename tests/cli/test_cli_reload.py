#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_cli_reload.py VKSIM [NAME...]: --hot-reload, runs whose shaders change. See suite.py."""

import json
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True
from suite import FILE, INTERRUPTED, USAGE, main, values  # noqa: E402

SHADERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../shaders")
RUN = ["gray-scott", "--headless", "--size", "64x48"]
RIPPLES = os.path.join(SHADERS, "../models/ripples")
REACTION = "gray_scott/reaction.glsl"
REACTED = "precise LANES reacted = u * (v * v);"
SLOWER = "precise LANES reacted = 0.5f * (u * (v * v));"


class Folder:
    """A copy of the shaders, or of the folder of a model."""

    def __init__(self, suite, source=SHADERS):
        self.path = suite.path(os.path.basename(source))
        shutil.copytree(source, self.path)

    def replace(self, file, old, new, in_place=False):
        """As an editor does: in place, or by renaming a new file."""
        path = os.path.join(self.path, file)
        with open(path, encoding="utf-8") as source:
            text = source.read()
        assert text.count(old) == 1, (file, old)
        with open(path if in_place else path + "~", "w", encoding="utf-8") as target:
            target.write(text.replace(old, new))
        if not in_place:
            os.rename(path + "~", path)


class Live:
    """A run that goes on until it is interrupted."""

    def __init__(self, suite, folder, *arguments, driver="lavapipe", run=tuple(RUN)):
        self.process = subprocess.Popen(
            [suite.vksim, *run, "--hot-reload", folder.path, "--digest", *map(str, arguments)],
            cwd=suite.folder, env=suite.environment(driver), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.lines = queue.Queue()
        self.said = ""
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        self.slows = True
        self.pacer = threading.Thread(target=self.pace, daemon=True)
        self.pacer.start()

    def read(self):
        for line in self.process.stderr:
            self.lines.put(line)

    def pace(self):
        """It computes a fifth of the time, so that compilers have the rest."""
        while self.slows:
            self.process.send_signal(signal.SIGSTOP)
            time.sleep(0.08)
            self.process.send_signal(signal.SIGCONT)
            time.sleep(0.02)

    def run_freely(self):
        self.slows = False
        self.pacer.join()

    def wait_for(self, pattern, seconds=120):
        """The next line with the pattern."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and (self.process.poll() is None or not self.lines.empty()):
            try:
                line = self.lines.get(timeout=0.1)
            except queue.Empty:
                continue
            self.said += line
            if re.search(pattern, line):
                return line
        raise AssertionError(f"no line with '{pattern}', only: {self.said}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.run_freely()
        self.process.kill()
        self.process.wait()

    def stop(self):
        """What the run printed after it was interrupted."""
        self.run_freely()
        self.process.send_signal(signal.SIGINT)
        out = self.process.stdout.read()
        self.reader.join()
        self.process.stderr.close()
        self.process.stdout.close()
        return self.process.wait(), out


def changed(out):
    """The shaders that the digests name."""
    found = re.search(r"^digest changed-shaders (.*)$", out, re.M)
    return found[1].split() if found else []


def test_from_start(suite):
    """A run uses the folder's shaders from its start, so that it can be repeated on any driver, and
    says which differ; unchanged ones give the digests of a run without the option."""
    folder = Folder(suite)
    run = [*RUN, "--steps", 40, "--steps-per-frame", 8, "--overwrite", "--digest"]
    hot = [*run, "--hot-reload", folder.path]
    plain = suite.succeeds("the built-in shaders", *run, "--out", "a.png")
    same = suite.succeeds("a copy of them", *hot, "--out", "a.png")
    suite.check(same == plain, "gives the same digests without a mark", plain, same)
    folder.replace(REACTION, REACTED, SLOWER)
    other = suite.succeeds("another reaction", *hot, "--out", "b.png", "--record-events", "b.json")
    suite.check(other[:46] != plain[:46], "gives another state", plain, other)
    names = changed(other)
    suite.check(names and all(name.startswith("gray_scott/") for name in names),
                "and the digests name its shaders", other)
    wide = suite.succeeds("in a grid", *RUN, "--steps", 40, "--vary", "feed=0.03,0.04", "--out",
                          "none", "--digest", "--hot-reload", folder.path)
    suite.check(changed(wide), "it is named as well", wide)
    suite.check(json.loads(suite.read("b.json"))["changed-shaders"] == names,
                "so does the recorded scene")
    for name in ("b.json", "b.png"):
        _, out, err = suite.run("--scene", name, "--headless", "--steps", 40, "--out", "none",
                                "--digest")
        suite.check(out.split("\n")[0] == plain.split("\n")[0] and f"'{name}'" in err and
                    "changed shaders" in err, f"{name}: a run of it warns", out, err)
    report = json.loads(suite.succeeds("as JSON", *hot, "--out", "none", "--timings=json"))
    suite.check(report["digest"]["changed_shaders"] == names, "the report names them too")
    folder.replace("view/colour.glsl", "// Index into the palette.", "// No change of the code.")
    folder.replace(REACTION, SLOWER, REACTED)
    back = suite.succeeds("the original source", *hot, "--out", "a.png")
    suite.check(back == plain, "gives the original digests", plain, back)


# Name, file, old and new text, and what the run says about it.
EDITS = [
    ("a syntax error", REACTION, REACTED, REACTED.replace("* (", "* * ("),
     r"^vksim: gray_scott/reaction\.glsl:\d+: error: .*syntax error"),
    ("a division", REACTION, REACTED, "precise LANES reacted = u / (v + 1.0f);",
     r"^vksim: gray_scott/reaction\.glsl:\d+: in function react.*: OpFDiv is not exact"),
    ("push constants", "gray_scott/params.h", "    VKS_UINT margin_x, margin_y;",
     "    VKS_UINT margin_x, margin_y, more;",
     r"^vksim: gray_scott/\w+\.comp: its block of push constants 'vks_push' is not as"),
    ("a specialization constant", REACTION, "constant_id = 12", "constant_id = 99",
     r"^vksim: gray_scott/\w+\.comp: its specialization constant 'fed' is not as"),
    ("a binding", "view/colour.glsl", "binding = 1)", "binding = 9)",
     r"^vksim: view/\w+\.comp: its buffer '\w+' is not as"),
    ("too much shared memory", "core/reduce8.comp", "folded[8]", "folded[80000]",
     r"^vksim: shader core/reduce8 needs \d+ bytes of shared memory"),
    ("a missing file", REACTION, '#include "lib/exact.glsl"', '#include "lib/missing.glsl"',
     r"^vksim: gray_scott/reaction\.glsl:\d+: error: .*lib/missing\.glsl"),
]


def check_edits(suite, driver, edits):
    folder = Folder(suite)
    with Live(suite, folder, "--steps", 10**12, "--out", "none", driver=driver) as live:
        live.wait_for("^step ")
        for number, (name, file, old, new, error) in enumerate(edits):
            folder.replace(file, old, new, in_place=number % 2 == 1)
            live.wait_for(error)
            folder.replace(file, new, old)
            live.wait_for("the shaders have no errors any more")
            suite.check(True, f"{driver}: {name} is reported with its place, and its end")
        folder.replace(REACTION, REACTED, SLOWER, in_place=True)
        live.wait_for(r"step \d+: new shaders: gray_scott/")
        folder.replace(REACTION, SLOWER, REACTED)
        live.wait_for(r"step \d+: new shaders: gray_scott/")
        status, out = live.stop()
    suite.check(status == INTERRUPTED and changed(out), f"{driver}: a run that has had other "
                "shaders says so at its end", status, out)


def test_edits(suite):
    """A change is compiled and checked while the run goes on; what is wrong is reported with file
    and line, and the next good change mends it."""
    check_edits(suite, "lavapipe", EDITS)


def test_model(suite):
    """The shaders of a model's folder change while it runs, and go back to what they were."""
    folder = Folder(suite, RIPPLES)
    pull, slower = "constants.pull * curvature", "0.5f * (constants.pull * curvature)"
    run = ["ripples/", "--headless", "--size", "64x48"]
    with Live(suite, folder, "--steps", 10**12, "--out", "none", run=run) as live:
        live.wait_for("^step ")
        for file, old, new, error in (
                ("step.comp", pull, pull + " +", r"^vksim: step\.comp:\d+: error: .*syntax error"),
                ("drop.glsl", "min(d, side - d)", "uint(sqrt(float(d)))",
                 r"^vksim: drop\.glsl:\d+: in function apart.*Sqrt is not exact"),
                ("step.comp", "VKS_FIELD(1, , velocity",
                 "VKS_FIELD(5, , velocity", r"^vksim: ripples/step.*: its buffer 'velocity'"),
                ("step.comp", '"drop.glsl"', '"drops.glsl"',
                 r"^vksim: ripples/step: .*drops\.glsl")):
            folder.replace(file, old, new)
            live.wait_for(error)
            folder.replace(file, new, old, in_place=True)
            live.wait_for("the shaders have no errors any more")
        folder.replace("step.comp", pull, slower, in_place=True)
        live.wait_for(r"step \d+: new shaders: ripples/step$")
        status, out = live.stop()
    suite.check(status == INTERRUPTED and changed(out) == ["ripples/step"], "the run names it",
                status, out)
    plain = suite.succeeds("it differs for a new run", *run, "--steps", 9, "--out", "none",
                           "--digest", "--hot-reload", "ripples")
    suite.check(not changed(plain), "which begins with it", plain)
    suite.fails("another model's", FILE, "nor that", "gray-scott", *run[1:], "--hot-reload",
                "ripples")


@values
def test_drivers(suite):
    """Edited shaders give the same digests on both drivers."""
    folder = Folder(suite)
    folder.replace(REACTION, REACTED, SLOWER)
    outs = [suite.succeeds(driver, *RUN, "--steps", 40, "--out", "a.png", "--overwrite", "--digest",
                           "--hot-reload", folder.path, env=suite.environment(driver))
            for driver in ("lavapipe", "swiftshader")]
    digests = [re.findall("^digest (?:state|frames) .*$", out, re.M) for out in outs]
    suite.check(len(digests[0]) == 2 and digests[0] == digests[1] and changed(outs[1]),
                "the same digests", outs)


@values
def test_edits_on_swiftshader(suite):
    check_edits(suite, "swiftshader", EDITS[1:3])


def test_errors_at_start(suite):
    """A run begins with the built-in shaders while those of the folder have errors; a module that
    it does not use has no part in that."""
    folder = Folder(suite)
    folder.replace("physarum/start.glsl", "void main()", "void main(")
    run = [*RUN, "--steps", 8, "--out", "none", "--digest"]
    plain = suite.succeeds("the built-in shaders", *run)
    out = suite.succeeds("an error elsewhere", *run, "--hot-reload", folder.path)
    suite.check(out == plain, "does not matter", out)
    folder.replace(REACTION, REACTED, SLOWER + " +")
    status, out, err = suite.run(*run, "--hot-reload", folder.path)
    suite.check(status == 0 and out == plain and "gray_scott/reaction.glsl:" in err,
                "an error of its own is a warning", out, err)


def test_refused(suite):
    folder = Folder(suite)
    run = [*RUN, "--steps", 8, "--out", "none", "--hot-reload"]
    suite.fails("no folder", FILE, "nowhere", *run, "nowhere")
    suite.fails("another folder", FILE, "pass.glsl", *run, os.path.join(folder.path, "gas"))
    suite.fails("another folder, without a run", FILE, "pass.glsl", *run, suite.folder, "--dry-run")
    suite.fails("no compiler", FILE, "glslc", *run, folder.path, env=suite.without_compiler())
    os.makedirs(suite.path("bin"))
    os.symlink(shutil.which("glslc"), suite.path("bin/glslc"))
    suite.fails("no spirv-val", FILE, "spirv-tools", *run, folder.path,
                env=suite.environment(leaks=True) | {"PATH": suite.path("bin")})
    suite.fails("a scene before the run", USAGE, "--save-scene", *run, folder.path, "--save-scene",
                "a.json")
    suite.write("s.json", json.dumps({"simulation": "gray-scott", "changed-shaders": "all"}))
    suite.fails("a mark of another form", USAGE, "s.json", *RUN, "--scene", "s.json")


if __name__ == "__main__":
    sys.exit(main(globals()))

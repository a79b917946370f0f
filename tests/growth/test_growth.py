# SPDX-License-Identifier: MIT
"""test_growth.py SOURCE_ROOT BUILD: follows docs/adding-a-simulation.md to the letter. TAP output.

The document's blocks say with the words after their language what they are:

    ```c new=PATH         a new file; must equal tests/growth/PATH
    ```meson add=PATH     lines to add to a file: the first is there already, the others follow it
    ```console            what a person types: lines of vksim are run, without a window and video
    ```text error=PATH    the end of a build after `precise` has been left out of that shader
    ```glsl buffer=PATH   another way to declare that shader's buffer of the same name

A copy of the source tree gets exactly that, is built without video and window, with the shaders of
BUILD that are the same, and the new simulation is run on both software drivers, its own test too.
Then the model loses a member. A block of another kind is an error.
"""

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import check, end  # noqa: E402
from tree import copy, run, share_shaders  # noqa: E402

DOCUMENT = "docs/adding-a-simulation.md"
DRIVERS = ("lavapipe", "swiftshader")
# Unit tests of all models, and their programs.
GENERAL = ("change", "layers", "model", "panel", "settings")
PROGRAMS = ("test_change", "test_model", "test_panel", "test_settings")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def blocks(text):
    """(what, path, lines as one string) of all blocks; what is "" if it is not said."""
    found = re.findall(r"^```(\w*)(?: (\w+)=(\S+))?\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [("console" if language == "console" else what, path, body)
            for language, what, path, body in found]


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def add_lines(path, body):
    """Puts the lines after the first behind the line that equals the first."""
    first, *others = body.splitlines()
    lines = read(path).splitlines()
    if not others or lines.count(first) != 1:
        raise ValueError(f"{path} has the line '{first}' {lines.count(first)} times, not once")
    at = lines.index(first) + 1
    lines[at:at] = others
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def follow(root, tree):
    """Copies the tree and does what the document says. True if all of it could be done."""
    copy(root, tree)
    example = os.path.join(root, "tests", "growth")
    steps = blocks(read(os.path.join(root, DOCUMENT)))
    kept = {os.path.relpath(os.path.join(folder, name), example)
            for folder, _, names in os.walk(example) for name in names
            if folder != example and not name.endswith(".pyc")}
    shown = {path for what, path, _ in steps if what == "new"}
    good = check(kept == shown, "the document shows every file of the example",
                 f"only in tests/growth: {kept - shown}; only in the document: {shown - kept}")
    for what, path, body in steps:
        if what not in ("new", "add"):
            good &= check(what in ("console", "error", "buffer"), f"a block of the kind '{what}'",
                          body)
            continue
        target = os.path.join(tree, path)
        if what == "new":
            original = os.path.join(example, path)
            same = os.path.exists(original) and read(original) == body
            good &= check(same, f"{path} is in the document as it is in tests/growth")
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(target, "w", encoding="utf-8") as file:
                file.write(body)
        else:
            try:
                add_lines(target, body)
                good &= check(True, f"lines added to {path}")
            except ValueError as error:
                good &= check(False, f"lines added to {path}", error)
    return good


def build(tree):
    """Path of the program, or None."""
    folder = os.path.join(tree, "build")
    # Without optimization and debugging information, which take most of a compiler's time.
    code, text = run(["meson", "setup", folder, tree, "--buildtype=plain", "-Dwerror=true",
                      "-Dtests=enabled", "-Dvideo=disabled", "-Dwindow=disabled",
                      "-Dladder=disabled"])
    if not check(code == 0, "meson setup", text):
        return None
    code, text = run(["meson", "compile", "-C", folder, "vksim:executable", *PROGRAMS])
    if not check(code == 0, "meson compile", text[-4000:]):
        return None
    code, text = run(["meson", "introspect", "--targets", folder])
    for target in json.loads(text):
        if target["name"] == "vksim" and target["type"] == "executable":
            return target["filename"][0]
    return None


def driver_environment(driver):
    variable = f"VKSIM_TEST_{driver.upper()}_ICD"
    icd = os.environ.get(variable, "")
    environment = {name: value for name, value in os.environ.items() if name != "VKSIM_DEVICE"}
    environment.update(VK_ICD_FILENAMES=icd, VK_DRIVER_FILES=icd)
    return environment if os.path.isfile(icd) else None


def fall_dry(vksim, tree, driver, environment):
    """A status word ends a run: exit code 7, the model's sentence, and what was whole is kept."""
    video, table, state = (os.path.join(tree, f"{driver}-dry.{kind}")
                           for kind in ("y4m", "csv", "npz"))
    with open(state, "w", encoding="utf-8") as file:
        file.write("precious")
    pool = ["waves", "--headless", "--size", "64x48", "--drop-size", "6", "--frames", "5000"]
    code, text = run([vksim, *pool, "--ground", "0.45", "--out", video, "--watch", table,
                      "--save-state", state, "--overwrite"], env=environment)
    check(code == 7 and re.search(r"^vksim: the water has uncovered the ground; choose a larger "
                                  r"ground or fewer drops \(seen after step \d+\)$", text, re.M),
          f"a status word ends a run on {driver}", f"{code}: {text}")
    with open(video, "rb") as file:
        frames = file.read().split(b"FRAME\n")
    head, *rows = read(table).splitlines()
    rows = [[float(word) for word in row.split(",")] for row in rows]
    check(frames[0].startswith(b"YUV4MPEG2 ") and len({len(frame) for frame in frames[1:]}) == 1 and
          9 < len(frames) < 1000, f"the video plays up to there on {driver}", len(frames))
    # The check at step 16 is seen by the frame of step 18.
    check(head == "frame,step,dry,lowest,highest" and len(rows) == len(frames) - 1 and
          [row[:2] for row in rows] == [[i, 2 * i] for i in range(len(rows))] and
          [row[2] for row in rows[:10]] == [0] * 9 + [1] and rows[9][3] < -0.45 < 0 < rows[9][4],
          f"the table has its rows on {driver}", f"{head} {rows[:12]} {len(rows)}")
    check(read(state) == "precious", f"no state is written over another on {driver}")
    code, text = run([vksim, *pool, "--ground", "0.45", "--out", "none", "--quiet"],
                     env=environment)
    check(code == 7 and "has uncovered" in text, f"it ends without frames on {driver}", text)


def try_out(vksim, tree):
    for name in GENERAL:
        # Of all options of all models, those of the new one are enough.
        one = [os.path.join(tree, "build/tests/test_change"), "waves"]
        code, text = run(one if name == "change" else
                         ["meson", "test", "-C", os.path.join(tree, "build"), "--no-rebuild",
                          "--print-errorlogs", name])
        check(code == 0, f"the unit test {name}, with the new simulation", text[-4000:])
    digests = {}
    for driver in DRIVERS:
        environment = driver_environment(driver)
        if not check(environment is not None, f"{driver} is there",
                     f"VKSIM_TEST_{driver.upper()}_ICD is not a file; tools/test sets it"):
            continue
        picture = os.path.join(tree, f"{driver}.png")
        done = subprocess.run([vksim, "waves", "--headless", "--frames", "3", "--size", "320x200",
                               "--out", picture, "--digest"], env=environment, text=True,
                              capture_output=True, timeout=120)
        digests[driver] = done.stdout
        check(done.returncode == 0 and os.path.getsize(picture) > 1000 and
              re.fullmatch(r"digest state \w{32}\ndigest frames \w{32}\n", done.stdout),
              f"waves on {driver}", done.stdout + done.stderr)
        # The test that the document adds, by the lines that it adds to tests/meson.build.
        code, text = run(["meson", "test", "-C", os.path.join(tree, "build"), "--no-rebuild",
                          f"waves_fast_{driver}"])
        check(code == 0 and "4 subtests passed" in text,
              f"waves equals its reference on {driver}", text)
        fall_dry(vksim, tree, driver, environment)
        # In two halves through a state file: a model without accept() can do that, too.
        state = os.path.join(tree, f"{driver}.npz")
        shape = ["waves", "--headless", "--out", "none", "--quiet"]
        one = run([vksim, *shape, "--size", "64x48", "--steps", "9", "--digest"], env=environment)
        half = run([vksim, *shape, "--size", "64x48", "--steps", "5", "--save-state", state],
                   env=environment)
        two = run([vksim, *shape, "--load-state", state, "--steps", "4", "--digest"],
                  env=environment)
        check(half[0] == 0 and one == two and one[0] == 0,
              f"9 steps equal 5 and 4 through a state file on {driver}", f"{one} {half} {two}")
    check(len(set(digests.values())) == 1 and len(digests) == len(DRIVERS),
          "the same digests on both drivers", digests)


def type_lines(vksim, tree):
    """What the document lets a person type."""
    steps = blocks(read(os.path.join(tree, DOCUMENT)))
    lines = [line[2:] for what, _, body in steps if what == "console"
             for line in body.splitlines() if line.startswith("$ ")]
    environment = driver_environment(DRIVERS[0])
    runs = 0
    for line in lines:
        words = shlex.split(line, comments=True)
        if words[0] != "build/vksim":
            # The rest of this test does these: copies, builds, sets the driver, runs the test.
            check(words[0] in ("cp", "meson", "export"), f"a line to type: {line}")
            continue
        words = [vksim, *(re.sub(r"\.mp4$", ".y4m", word) for word in words[1:])]
        if "--headless" not in words:
            words += ["--headless", "--frames", "2", "--out", "none"]
        code, text = run(words, env=environment, cwd=tree)
        check(code == (7 if "ends by itself" in line else 0), f"typed: {line}", f"{code}: {text}")
        runs += 1
    check(runs > 2, f"{runs} runs are typed")
    code, text = run([vksim, "bench", "gemm"], env=environment, cwd=tree)
    check(code == 2 and "built without the ladder of kernels" in text,
          "a build without the ladder", f"{code}: {text}")


def change_shaders(vksim, tree):
    """The mistake whose message the document shows, and the buffer that may be in chunks."""
    folder = os.path.join(tree, "build")
    steps = blocks(read(os.path.join(tree, DOCUMENT)))
    pool = [vksim, "waves", "--headless", "--size", "64x48", "--drop-size", "6", "--steps", "64",
            "--out", "none", "--quiet", "--digest"]
    environment = driver_environment(DRIVERS[0])
    before = run(pool, env=environment)
    for what, path, body in steps:
        shader = os.path.join(tree, path)
        if what == "error":
            whole = read(shader)
            write(shader, whole.replace("precise float sum", "float sum"))
            wanted = re.sub(r"\d+", r"\\d+", re.escape(body.strip()))
            code, text = run(["meson", "compile", "-C", folder, "vksim:executable"])
            check(code != 0 and read(shader) != whole and re.search(wanted, text),
                  f"{path} without `precise`: the message is the document's", text[-2000:])
            write(shader, whole)
        elif what == "buffer":
            whole = read(shader)
            name = re.match(r"VKS_FIELD\(\d+, \w+, (\w+),", body)[1]
            buffer = re.compile(rf"^layout\([^)]*\) readonly buffer {name}\n\{{.*?^\}};\n",
                                re.MULTILINE | re.DOTALL)
            text = buffer.sub(lambda _: body, whole).replace("heights[vks_index(cell, size)]",
                                                             "height(vks_index(cell, size))")
            write(shader, text)
            code, text = run(["meson", "compile", "-C", folder, "vksim:executable"])
            check(code == 0 and read(shader).count("height(") == 2 and before[0] == 0 and
                  run(pool, env=environment) == before,
                  f"{path} with a buffer that may be in chunks: the same bytes", text[-2000:])
            write(shader, whole)


def spoil(vksim, tree):
    """A member that the model lacks: the program says so, and so does the build."""
    source = os.path.join(tree, "src/sim/waves/model.c")
    whole = read(source)
    with open(source, "w", encoding="utf-8") as file:
        file.write(re.sub(r"    \.views = VKS_VIEWS\(.*?\),\n", "", whole))
    wanted = "simulation 'waves': .views is missing"
    folder = os.path.join(tree, "build")
    code, text = run(["meson", "compile", "-C", folder, "vksim:executable"])
    check(code == 0 and read(source) != whole, "a model without .views compiles", text[-4000:])
    code, text = run([vksim, "--list"])
    check(code == 8 and text.startswith("vksim: " + wanted), "vksim names what is missing", text)
    code, text = run(["meson", "compile", "-C", folder, "vksim.1"])
    check(code != 0 and wanted in text, "the build fails, and says why", text[-4000:])


def main():
    root = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="vksim-growth-") as folder:
        os.environ["VKSIM_CACHE_DIR"] = os.path.join(folder, "cache")
        tree = os.path.join(folder, "tree")
        os.mkdir(tree)
        if follow(root, tree):
            share_shaders(root, os.path.abspath(sys.argv[2]), tree)
            vksim = build(tree)
            if check(vksim is not None and os.path.exists(vksim), "there is a vksim to run"):
                try_out(vksim, tree)
                type_lines(vksim, tree)
                change_shaders(vksim, tree)
                spoil(vksim, tree)
    return end()


sys.exit(main())

# SPDX-License-Identifier: MIT
"""test_wheel.py VKSIM SOURCE_ROOT BUILD_ROOT: `pip wheel` and `pip install` without a network. TAP
output.

A copy of the source, with the shaders of the build, becomes a wheel, which is installed in an
environment with nothing but pip, cffi and NumPy, and runs README.md's example.
"""

import glob
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

sys.dont_write_bytecode = True
TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [TESTS, os.path.join(TESTS, "growth")]
from tap import check, end  # noqa: E402
from tree import copy, run, share_shaders  # noqa: E402

tool, root, build = (os.path.abspath(path) for path in sys.argv[1:4])
STEPS = 100


def make(tree, folder):
    """Builds the wheel and returns its path, or None."""
    copy(root, tree)
    for name in ("LICENSE", "README.md", "pyproject.toml"):
        shutil.copy(os.path.join(root, name), tree)
    share_shaders(root, build, tree)
    status, text = run([sys.executable, "-m", "pip", "wheel", "--no-index", "--no-deps",
                        "--no-build-isolation", "--config-settings",
                        "setup-args=-Doptimization=0", "--wheel-dir", folder, tree], cwd=folder)
    wheels = glob.glob(os.path.join(folder, "*.whl"))
    return wheels[0] if check(status == 0 and len(wheels) == 1, "pip wheel", text[-4000:]) else None


def look_into(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    modules = {os.path.basename(path) for path in glob.glob(root + "/python/vksim/*.py*")}
    # meson-python 0.12, of Debian 12, knows the kind by the extension's name; see pyproject.toml.
    check(re.search(r"^vksim-[\d.]+-cp3\d+-(abi3|cp3\d+)-linux_", os.path.basename(wheel)),
          "its name", wheel)
    check({f"vksim/{name}" for name in modules - {"version.py.in"}} | {
        "vksim/_lib.abi3.so", "vksim/version.py", "vksim/py.typed", "vksim/models/barkley.json",
        "vksim/models/ripples/step.comp"} <= set(names), "it has the module and the models", names)
    check(all(name.startswith("vksim/") or ".dist-info/" in name for name in names),
          "and nothing else", names)
    with tempfile.TemporaryDirectory() as folder:
        library = zipfile.ZipFile(wheel).extract("vksim/_lib.abi3.so", folder)
        needed = subprocess.run(["readelf", "-d", library], text=True, capture_output=True,
                                check=True).stdout
    check("libzip" in needed and not re.search("libvulkan|libvksim|libav|libSDL", needed),
          "it contains the library, and loads Vulkan when it runs", needed)
    metadata = [name for name in names if name.endswith("/METADATA")]
    text = zipfile.ZipFile(wheel).read(metadata[0]).decode() if metadata else ""
    check("Author: The vksim authors" in text and "MIT" in text and "Requires-Dist: numpy" in text,
          "its metadata", text[:2000])


def use(wheel, folder):
    """Installs it and runs the example, whose digest is that of the tool."""
    env = os.path.join(folder, "env")
    status, text = run([sys.executable, "-m", "venv", "--system-site-packages", env])
    check(status == 0, "an empty environment", text)
    status, text = run([env + "/bin/pip", "install", "--no-index", wheel], cwd=folder)
    check(status == 0, "pip install", text)
    readme = pathlib.Path(root, "README.md").read_text(encoding="utf-8")
    example = re.search(r"^```python\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)[1]
    program = example.replace("run(1000)", f"run({STEPS})") + (
        "vksim.Simulation('barkley', size=(16, 16)).run(1)\n"
        "print(vksim.__file__, sim.digest())\n")
    status, text = run([env + "/bin/python", "-c", program], cwd=folder)
    _, wanted = run([tool, "gray-scott", "--preset", "mazes", "--size", "256x256", "--seed", "7",
                     "--headless", "--steps", str(STEPS), "--out", "none", "--digest"], cwd=folder)
    digest = re.search(r"state\s+([0-9a-f]{32})", wanted)
    check(digest and f"\n{env}/lib" in "\n" + text and text.endswith(f" {digest[1]}\n"),
          "the example has the tool's digest", status, text, wanted)


def main():
    os.environ.pop("PYTHONPATH", None)  # of the build's module
    with tempfile.TemporaryDirectory(prefix="vksim-wheel-") as folder:
        tree = os.path.join(folder, "tree")
        os.mkdir(tree)
        wheel = make(tree, folder)
        if wheel:
            look_into(wheel)
            use(wheel, folder)
    return end()


sys.exit(main())

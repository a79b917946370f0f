# SPDX-License-Identifier: MIT
"""test_package.py SOURCE_ROOT BUILD_ROOT: the types of the Python module, and what is installed.
TAP output.

mypy checks the module, and a program that uses it as a package with types.
"""

import glob
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import check, end  # noqa: E402

root, build = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
PROGRAM = """
import vksim
sim = vksim.Simulation(vksim.Formula(u="lap(u)"), size=(8, 8))
reveal_type(sim.image())
reveal_type(sim.run(1))
sim.run("1")
"""


def run(command, folder, **env):
    done = subprocess.run(command, text=True, capture_output=True, check=False, cwd=folder,
                          env={**os.environ, **env})
    return done.returncode, done.stdout + done.stderr


def main():
    with tempfile.TemporaryDirectory(prefix="vksim-package-") as folder:
        cache = os.path.join(folder, "cache")
        module = os.path.join(build, "python")
        mypy = ["mypy", "--cache-dir", cache, "--config-file", root + "/pyproject.toml"]
        status, text = run([*mypy, "-p", "vksim"], folder, MYPYPATH=module)
        check(status == 0, "mypy --strict", text)
        # The others have their annotations themselves.
        pathlib.Path(folder, "stub.ini").write_text("[mypy]\nfollow_imports = skip\n",
                                                    encoding="utf-8")
        status, text = run([sys.executable, "-m", "mypy.stubtest", "vksim._lib",
                            "--mypy-config-file", "stub.ini"], folder, PYTHONPATH=module,
                           MYPYPATH=module)
        check(status == 0, "stubtest of the one stub, _lib.pyi", text)
        status, text = run(["meson", "install", "-C", build, "--no-rebuild", "--quiet",
                            "--destdir", folder], folder)
        check(status == 0, "the build installs", text)
        (found,) = glob.glob(folder + "/**/vksim/__init__.py", recursive=True)
        (library,) = glob.glob(folder + "/**/libvksim.so.0", recursive=True)
        where = os.path.dirname(os.path.dirname(found))
        pathlib.Path(folder, "program.py").write_text(PROGRAM, encoding="utf-8")
        status, text = run([*mypy, "program.py"], folder, MYPYPATH=where)
        check(status == 1 and 'Revealed type is "numpy.ndarray' in text and
              '"None"' in text and 'incompatible type "str"; expected "int"' in text,
              "programs see the types", text)
        status, text = run([sys.executable, "-c", "import vksim; print(vksim.__version__)"],
                           folder, PYTHONPATH=where, LD_LIBRARY_PATH=os.path.dirname(library))
        version = re.search(r"version: '(.*)'", pathlib.Path(root, "meson.build").read_text(
            encoding="utf-8"))[1]
        check(status == 0 and text == version + "\n", "the installed module has its version", text)
        names = set(os.listdir(os.path.dirname(found)))
        sources = set(os.listdir(root + "/python/vksim")) - {"meson.build", "version.py.in",
                                                             "__pycache__"}
        check(names - {"__pycache__"} == sources | {"_lib.abi3.so", "version.py"},
              "all files are installed", sorted(names ^ sources))
    return end()


sys.exit(main())

# SPDX-License-Identifier: MIT
"""test_library.py SOURCE_ROOT BUILD_ROOT DRIVER CC [FLAG...]: the library as programs have it.

Installs the build into a folder, builds the programs of docs/library.md and tests/library/header.*
against it through pkg-config, runs them on a software driver, and compares what the documented
ones print with the document. With DRIVER `headers` it builds the headers only. TAP output.
"""

import glob
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import check, end  # noqa: E402

root, build, driver = (os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3])
compiler = sys.argv[4:]
STRICT = ["-Wall", "-Wextra", "-Werror", "-pedantic"]


def run(command, **options):
    done = subprocess.run(command, text=True, capture_output=True, check=False, **options)
    return done.returncode, done.stdout, done.stderr


def pkg_config(folder):
    """The flags to compile and link with, for the library under `folder`."""
    (path,) = glob.glob(folder + "/**/vksim.pc", recursive=True)
    with open(path, encoding="utf-8") as file:
        prefix = re.search(r"^prefix=(.*)$", file.read(), re.MULTILINE)[1]
    found = os.environ.get("PKG_CONFIG_PATH", "")
    status, flags, err = run(
        ["pkg-config", f"--define-variable=prefix={folder}{prefix}", "--cflags", "--libs", "vksim"],
        env={**os.environ, "PKG_CONFIG_PATH": f"{os.path.dirname(path)}:{found}"})
    check(status == 0, "pkg-config finds the installed library", err)
    return flags.split()


def check_plugin(folder, tool, env):
    """What vksim new writes is built with the installed files alone, and its checks pass."""
    (path,) = glob.glob(folder + "/**/vksim-model.pc", recursive=True)
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"^prefix=", f"prefix={folder}", file.read(), flags=re.MULTILINE)
    os.makedirs(folder + "/plugin")
    with open(folder + "/plugin/vksim-model.pc", "w", encoding="utf-8") as file:
        file.write(text)
    env = {**env, "PKG_CONFIG_PATH": folder + "/plugin"}
    for command in ([tool, "new", "sparks", "--kind", "plugin"],
                    ["meson", "setup", "sparks/build", "sparks", "--werror"],
                    ["meson", "compile", "-C", "sparks/build"],
                    [root + "/tests/on-driver.sh", driver, tool, "check",
                     "sparks/build/libsparks.so", "--steps", "10"]):
        status, out, err = run(command, env=env, cwd=folder)
        if not check(status == 0, f"a plug-in: {command[0]} {command[1]}", out, err):
            break


def main():
    with open(root + "/docs/library.md", encoding="utf-8") as file:
        text = file.read()
    programs = re.findall(r"```c\n(/\* (\w+)\.c \*/\n.*?)```\n\n```text\n(.*?)```", text, re.DOTALL)
    with tempfile.TemporaryDirectory(prefix="vksim-library-") as folder:
        status, _, err = run(["meson", "install", "-C", build, "--no-rebuild", "--quiet",
                              "--destdir", folder])
        check(status == 0, "the build installs", err)
        flags = pkg_config(folder)
        (library,) = glob.glob(folder + "/**/libvksim.so.0", recursive=True)
        env = {**os.environ, "LD_LIBRARY_PATH": os.path.dirname(library)}
        (tool,) = glob.glob(folder + "/**/bin/vksim", recursive=True)
        status, out, err = run([tool, "--list"], env=env)
        check(status == 0 and "  barkley " in out and "  ripples " in out,
              "the installed tool has its models", err)
        here = os.path.dirname(os.path.abspath(__file__))

        def builds(command, source, name):
            program = os.path.join(folder, name)
            status, _, err = run([*command, source, *flags, "-o", program])
            check(status == 0, f"{' '.join(command)}: {os.path.basename(source)}", err)
            return program if status == 0 else None

        languages = [(compiler, "c11", "c"), (compiler, "c17", "c"), (["g++"], "c++17", "cpp"),
                     (["clang++"], "c++17", "cpp")]
        for command, standard, suffix in languages if driver == "headers" else []:
            program = builds([*command, "-std=" + standard, *STRICT], f"{here}/header.{suffix}",
                             "header")
            check(program and run([program], env=env)[0] == 0, f"{command[0]} {standard}: runs")
            done = run([*command, "-std=" + standard, *STRICT, "-DVKS_PLUGIN", "-fsyntax-only",
                        f"{here}/header.{suffix}", *(flag for flag in flags if flag[:2] == "-I")])
            check(done[0] == 0, f"{command[0]} {standard}: for a plug-in", done[2])
        for source, name, expected in programs if driver != "headers" else []:
            path = os.path.join(folder, name + ".c")
            with open(path, "w", encoding="utf-8") as file:
                file.write(source)
            program = builds([*compiler, "-std=c11", *STRICT], path, name)
            if program:
                status, out, err = run([root + "/tests/on-driver.sh", driver, program], env=env,
                                       cwd=folder)
                check(status == 0 and out == expected, f"{name} prints what the document says",
                      status, out, err)
        if driver != "headers":
            check_plugin(folder, tool, env)
            check([name for _, name, _ in programs] == ["run", "change", "formula", "paint",
                                                        "branch", "fields"],
                  "the document has these programs")
            check(os.path.getsize(folder + "/branch.npz") > 2 * 128 * 128 * 4,
                  "the state has both fields")
            check(os.path.getsize(folder + "/cross.ppm") == 13 + 96 * 96 * 3,
                  "the picture has all its pixels")
            status, out, _ = run([root + "/tests/on-driver.sh", driver, folder + "/fields"],
                                 env=env, cwd=folder)
            check(status == 0 and "earlier run is kept" in out, "a state that exists is kept", out)
    return end()


sys.exit(main())

# SPDX-License-Identifier: MIT
"""Shared by the tests that build copies of the source tree: the copy, commands, TAP lines."""

import os
import shutil
import subprocess

NEEDED = ("docs", "include", "shaders", "src", "subprojects", "tests", "tools", "meson.build",
          "meson_options.txt")

count = 0
failures = 0


def check(good, name, why=""):
    global count, failures
    count += 1
    failures += 0 if good else 1
    print("ok" if good else "not ok", count, "-", name, flush=True)
    if not good:
        print("".join("# " + line + "\n" for line in str(why).splitlines()), end="", flush=True)
    return good


def end():
    """The plan; returns the exit status."""
    print(f"1..{count}")
    return 1 if failures else 0


def run(command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=280, check=False, **more)
    return done.returncode, done.stdout


def copy(root, tree):
    """Copies what a build needs. The outer build's sanitizers and preloads are not for this one."""
    for name in ("CFLAGS", "LDFLAGS", "LD_PRELOAD", "DESTDIR"):
        os.environ.pop(name, None)
    for name in NEEDED:
        source, target = os.path.join(root, name), os.path.join(tree, name)
        if os.path.isdir(source):
            shutil.copytree(source, target)
        else:
            shutil.copy(source, target)

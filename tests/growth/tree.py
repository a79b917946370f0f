# SPDX-License-Identifier: MIT
"""Shared by the tests that build copies of the source tree: the copy, commands."""

import os
import shutil
import subprocess

NEEDED = ("docs", "include", "shaders", "src", "subprojects", "tests", "tools", "meson.build",
          "meson_options.txt")

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

# SPDX-License-Identifier: MIT
"""Shared by the tests that build copies of the source tree: the copy, commands."""

import glob
import os
import shutil
import subprocess

NEEDED = ("docs", "include", "models", "python", "shaders", "src", "subprojects", "tests",
          "tools", "meson.build", "meson_options.txt")


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


def share_shaders(root, build, tree):
    """Puts the modules of a build of `root` where tools/build_shaders of the copy looks for those
    of other builds: it compiles what the copy has changed since."""
    folder = os.path.join(tree, "build-shared", "shaders")
    os.makedirs(folder)
    for path in glob.glob(os.path.join(build, "shaders", "*.spv")):
        shutil.copy2(path, folder)
    for path in glob.glob(os.path.join(build, "shaders", "*.made")):
        copied = os.path.join(folder, os.path.basename(path))
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(copied, "w", encoding="utf-8") as file:
            file.write(text.replace(root + "/", tree + "/"))
        shutil.copystat(path, copied)

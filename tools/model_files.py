#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lists the files of the simulations in src/sim/registry.def for the build, one per line:

    tools/model_files.py sources     sim/NAME/*.c, relative to src
    tools/model_files.py shaders     NAME/*, the *.comp files of shaders/NAME without the extension
    tools/model_files.py pictures    sim/NAME/presets.jpg, relative to src, where it exists

The build reads the registry at setup and whenever it changes. After adding a file to an existing
simulation, run `meson setup --reconfigure BUILD`.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def names():
    text = (ROOT / "src/sim/registry.def").read_text()
    return re.findall(r"^VKS_MODEL\((\w+)\)", text, re.MULTILINE)


def sources(name):
    return [f"sim/{name}/{path.name}" for path in sorted((ROOT / "src/sim" / name).glob("*.c"))]


def shaders(name):
    return [f"{name}/{path.stem}" for path in sorted((ROOT / "shaders" / name).glob("*.comp"))]


def pictures(name):
    path = f"sim/{name}/presets.jpg"
    return [path] if (ROOT / "src" / path).exists() else []


def main():
    kinds = {"sources": sources, "shaders": shaders, "pictures": pictures}
    if len(sys.argv) != 2 or sys.argv[1] not in kinds:
        sys.exit(f"usage: model_files.py {'|'.join(kinds)}")
    for name in names():
        files = kinds[sys.argv[1]](name)
        if not files and sys.argv[1] != "pictures":
            sys.exit(f"src/sim/registry.def names '{name}', and there are no files "
                     f"{'src/sim' if sys.argv[1] == 'sources' else 'shaders'}/{name}/*")
        print(*files, sep="\n", end="\n" if files else "")


if __name__ == "__main__":
    main()

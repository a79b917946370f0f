#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lists what belongs to the simulations of src/sim/registry.def, one line each, for the build:

    tools/model_files.py sources     sim/NAME/*.c, relative to src
    tools/model_files.py shaders     NAME/*, the *.comp files of shaders/NAME without their ending

The build reads the registry when it is set up, and again when the registry changes. After adding a
file to a simulation that is there already, run `meson setup --reconfigure BUILD`.
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


def main():
    kinds = {"sources": sources, "shaders": shaders}
    if len(sys.argv) != 2 or sys.argv[1] not in kinds:
        sys.exit(f"usage: model_files.py {'|'.join(kinds)}")
    for name in names():
        files = kinds[sys.argv[1]](name)
        if not files:
            sys.exit(f"src/sim/registry.def names '{name}', and there are no files "
                     f"{'src/sim' if sys.argv[1] == 'sources' else 'shaders'}/{name}/*")
        print("\n".join(files))


if __name__ == "__main__":
    main()

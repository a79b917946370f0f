#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lists files of the ladder for the build, one per line:

    tools/ladder_files.py sources    ladder/kernels/NAME.c for the rows of src/ladder/kernels.def
    tools/ladder_files.py shaders    ladder/NAME, the *.comp files of shaders/ladder
    tools/ladder_files.py float16    those of them that are also built with -DFLOAT16
    tools/ladder_files.py matrix     those that need GL_KHR_cooperative_matrix, not in `shaders`
    tools/ladder_files.py matrix2    those that also need GL_NV_cooperative_matrix2, likewise
    tools/ladder_files.py trace      those of `shaders` that have a tracing build

A shader that includes ladder/element.glsl has a build for float16, one that includes
ladder/access.glsl a tracing build (tools/trace_shaders.py). After adding a file, run
`meson setup --reconfigure BUILD`.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHADERS = ROOT / "shaders"


def sources():
    rows = re.findall(r"^VKS_KERNEL\((\w+)\)", (ROOT / "src/ladder/kernels.def").read_text(),
                      re.MULTILINE)
    return [f"ladder/kernels/{name}.c" for name in rows]


def includes(path, name):
    """True if the shader includes that file, directly or not."""
    files = re.findall(r'^#include "((?:bench|ladder)/\S+)"', path.read_text(), re.MULTILINE)
    return name in files or any(includes(SHADERS / file, name) for file in files)


def kind_of(path):
    """What a shader needs that not every compiler has."""
    return ("matrix2" if "#extension GL_NV_cooperative_matrix2" in path.read_text() else
            "matrix" if includes(path, "bench/matrix.glsl") else "shaders")


def shaders(kind="shaders", include=None):
    return [f"ladder/{path.stem}" for path in sorted((SHADERS / "ladder").glob("*.comp"))
            if kind_of(path) == kind and (include is None or includes(path, include))]


def main():
    kinds = {"sources": sources, "shaders": shaders,
             "float16": lambda: shaders(include="ladder/element.glsl"),
             "matrix": lambda: shaders("matrix"), "matrix2": lambda: shaders("matrix2"),
             "trace": lambda: shaders(include="ladder/access.glsl")}
    if len(sys.argv) != 2 or sys.argv[1] not in kinds:
        sys.exit(f"usage: ladder_files.py {'|'.join(kinds)}")
    print("\n".join(kinds[sys.argv[1]]()))


if __name__ == "__main__":
    main()

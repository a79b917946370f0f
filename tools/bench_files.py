#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lists files of the benchmarks for the build, one per line:

    tools/bench_files.py sources     bench/kernels/NAME.c for the rows of src/bench/kernels.def
    tools/bench_files.py shaders     bench/NAME, the *.comp files of shaders/bench
    tools/bench_files.py float16     those of them that are also built with -DFLOAT16
    tools/bench_files.py matrix      those that need GL_KHR_cooperative_matrix, not in `shaders`
    tools/bench_files.py matrix2     those that also need GL_NV_cooperative_matrix2, likewise
    tools/bench_files.py trace       those of `shaders` that are also built by tools/trace_glslc.py

A shader that includes bench/element.glsl has the build for float16, one that includes
bench/access.glsl the one that records its accesses. After adding a file, run
`meson setup --reconfigure BUILD`.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHADERS = ROOT / "shaders/bench"


def sources():
    rows = re.findall(r"^VKS_KERNEL\((\w+)\)", (ROOT / "src/bench/kernels.def").read_text(),
                      re.MULTILINE)
    return [f"bench/kernels/{name}.c" for name in rows]


def includes(path, name):
    """True if the shader includes that file of shaders/bench, directly or not."""
    files = re.findall(r'^#include "bench/(\S+)"', path.read_text(), re.MULTILINE)
    return name in files or any(includes(SHADERS / file, name) for file in files)


def kind_of(path):
    """What a shader needs that not every compiler has."""
    return ("matrix2" if "#extension GL_NV_cooperative_matrix2" in path.read_text() else
            "matrix" if includes(path, "matrix.glsl") else "shaders")


def shaders(kind="shaders", include=None):
    return [f"bench/{path.stem}" for path in sorted(SHADERS.glob("*.comp"))
            if kind_of(path) == kind and (include is None or includes(path, include))]


def main():
    kinds = {"sources": sources, "shaders": shaders,
             "float16": lambda: shaders(include="element.glsl"),
             "matrix": lambda: shaders("matrix"), "matrix2": lambda: shaders("matrix2"),
             "trace": lambda: shaders(include="access.glsl")}
    if len(sys.argv) != 2 or sys.argv[1] not in kinds:
        sys.exit(f"usage: bench_files.py {'|'.join(kinds)}")
    print("\n".join(kinds[sys.argv[1]]()))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lists files of the benchmarks for the build, one per line:

    tools/bench_files.py sources     bench/kernels/NAME.c for the rows of src/bench/kernels.def
    tools/bench_files.py shaders     bench/NAME, the *.comp files of shaders/bench
    tools/bench_files.py float16     those of them that are also built with -DFLOAT16
    tools/bench_files.py matrix      those that need GL_KHR_cooperative_matrix, not in `shaders`
    tools/bench_files.py matrix2     those that also need GL_NV_cooperative_matrix2, likewise

A shader that includes bench/element.glsl has the second build. After adding a file, run
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


def kind_of(text):
    """What a shader needs that not every compiler has."""
    return ("matrix2" if "#extension GL_NV_cooperative_matrix2" in text else
            "matrix" if '#include "bench/gemm_matrix.glsl"' in text else "shaders")


def shaders(kind="shaders", include=""):
    texts = {path.stem: path.read_text() for path in sorted(SHADERS.glob("*.comp"))}
    return [f"bench/{name}" for name, text in texts.items()
            if kind_of(text) == kind and include in text]


def main():
    kinds = {"sources": sources, "shaders": shaders,
             "float16": lambda: shaders(include='#include "bench/element.glsl"'),
             "matrix": lambda: shaders("matrix"), "matrix2": lambda: shaders("matrix2")}
    if len(sys.argv) != 2 or sys.argv[1] not in kinds:
        sys.exit(f"usage: bench_files.py {'|'.join(kinds)}")
    print("\n".join(kinds[sys.argv[1]]()))


if __name__ == "__main__":
    main()

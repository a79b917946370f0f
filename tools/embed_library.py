#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""embed_library.py OUT.c FILE...: the texts of shader libraries, in this order and without their
includes and comments, as C strings, one per line: what generated shaders begin with."""

import pathlib
import sys

sys.dont_write_bytecode = True
from embed_page import literal  # noqa: E402


def main():
    out, *names = map(pathlib.Path, sys.argv[1:])
    lines = []
    for path in names:
        for line in path.read_text(encoding="utf-8").splitlines():
            code = line.split("//")[0].rstrip()
            if code and not code.startswith("#include"):
                lines.append(f"    {literal((code + chr(10)).encode())},\n")
    out.write_text('/* Made by tools/embed_library.py. */\n#include "formula/shader.h"\n\n'
                   "const char *const vks_formula_library[] = {\n" + "".join(lines) +
                   "    NULL,\n};\n",
                   encoding="utf-8")


if __name__ == "__main__":
    main()

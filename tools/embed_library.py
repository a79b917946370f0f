#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""embed_library.py OUT.c FOLDER FILE...: the texts of shader libraries, which are in FOLDER/lib, as
C strings, one per line, without comments."""

import pathlib
import sys

sys.dont_write_bytecode = True
from embed_page import literal  # noqa: E402


def main():
    out, folder, *names = map(pathlib.Path, sys.argv[1:])
    texts = []
    for path in names:
        lines = [line.split("//")[0].rstrip()
                 for line in path.read_text(encoding="utf-8").splitlines()]
        texts.append((str(path.resolve().relative_to(folder.resolve())), lines))
    out.write_text('/* Made by tools/embed_library.py. */\n#include "formula/shader.h"\n\n'
                   + "".join(f"static const char *const text_{i}[] = {{\n"
                             + "".join(f"    {literal((line + chr(10)).encode())},\n"
                                       for line in lines) + "    NULL,\n};\n\n"
                             for i, (_, lines) in enumerate(texts))
                   + "const struct vks_shader_text vks_shader_texts[] = {\n"
                   + "".join(f'    {{"{name}", text_{i}}},\n'
                             for i, (name, _) in enumerate(texts)) + "    {NULL, NULL},\n};\n",
                   encoding="utf-8")


if __name__ == "__main__":
    main()

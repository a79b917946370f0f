#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""embed_text.py OUT.c FILE...: the texts of shaders of the ladder as C strings, one per line,
without the line of the licence (struct vks_ladder_text of src/ladder/access_internal.h)."""

import pathlib
import sys

sys.dont_write_bytecode = True
from embed_page import literal  # noqa: E402


def main():
    out, *names = map(pathlib.Path, sys.argv[1:])
    texts, rows = [], []
    for index, path in enumerate(names):
        lines = path.read_text(encoding="utf-8").splitlines()[1:]
        body = "".join(f"    {literal(line.encode())},\n" for line in lines)
        texts.append(f"static const char *const text_{index}[] = {{\n{body}    NULL,\n}};\n")
        rows.append(f'    {{"ladder/{path.stem}", text_{index}}},\n')
    out.write_text("/* Made by tools/embed_text.py. */\n#include \"ladder/access_internal.h\"\n\n" +
                   "".join(texts) + "\nconst struct vks_ladder_text vks_ladder_texts[] = {\n" +
                   "".join(rows) + "    {NULL, NULL},\n};\n", encoding="utf-8")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""embed_pictures.py OUT.c FILE...: src/sim/NAME/presets.jpg, made by tools/preset-pictures, as the
table of src/ui/pictures.h. The names of a file's presets are its comment."""

import pathlib
import struct
import sys


def comment(data):
    """The comment of a JPEG; its segments are in front of the compressed data."""
    at = 2
    while data[at + 1] != 0xDA:
        kind, size = data[at + 1], struct.unpack_from(">H", data, at + 2)[0]
        if kind == 0xFE:
            return data[at + 4:at + 2 + size].decode("ascii")
        at += 2 + size
    return ""


def main():
    out, *files = map(pathlib.Path, sys.argv[1:])
    data, rows = "", ""
    for path in files:
        name, names = path.parent.name, comment(path.read_bytes())
        if not names:
            sys.exit(f"embed_pictures.py: '{path}' has no comment with the names of its presets")
        start = f"vks_pictures_{name}"
        data += (f"extern const unsigned char {start}[], {start}_end[];\n"
                 f'__asm__(".section .rodata\\n.globl {start}, {start}_end\\n"\n'
                 f'        "{start}:\\n.incbin \\"{path.resolve()}\\"\\n{start}_end:\\n"\n'
                 f'        ".previous\\n");\n')
        rows += f'    {{"{name.replace("_", "-")}", " {names} ", {start}, {start}_end}},\n'
    out.write_text(f'/* Made by tools/embed_pictures.py. */\n#include "ui/pictures.h"\n\n{data}\n'
                   f"const struct vks_picture_sheet vks_picture_sheets[] = {{\n{rows}"
                   "    {NULL, NULL, NULL, NULL},\n};\n")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""embed_templates.py OUT.c FILE...: the files that vksim new writes, as C strings, one per line
(struct vks_template of src/tool/new.h)."""

import pathlib
import sys

sys.dont_write_bytecode = True
from embed_page import literal  # noqa: E402


def main():
    out, *names = map(pathlib.Path, sys.argv[1:])
    texts, rows = [], []
    for index, path in enumerate(names):
        lines = path.read_text(encoding="utf-8").splitlines()
        body = "".join(f"    {literal((line + chr(10)).encode())},\n" for line in lines)
        texts.append(f"static const char *const text_{index}[] = {{\n{body}    NULL,\n}};\n")
        rows.append(f'    {{"{path.parent.name}", "{path.name}", text_{index}}},\n')
    out.write_text('/* Made by tools/embed_templates.py. */\n#include "tool/new.h"\n\n' +
                   "".join(texts) + "\nconst struct vks_template vks_templates[] = {\n" +
                   "".join(rows) + "    {NULL, NULL, NULL},\n};\n", encoding="utf-8")


if __name__ == "__main__":
    main()

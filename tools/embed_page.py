#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""embed_page.py OUT.c page.html scaling.html ladder.html access.html head.html style.css
report.js licence.txt LIBRARY.js: the pages of HTML reports, of runs, vksim scale, vksim bench and
its access pictures, as C tables of pieces. head.html is the head of those without scripts.

{{>style}} and the like are replaced here; {{NAME}}, {{?NAME}} and {{/NAME}} become pieces, which
src/report/html.c, scaling_html.c, ladder_html.c and access_html.c fill. The hashes of the style and
of the scripts go into the Content Security Policy of the pages, so nothing else in them can run.
"""

import base64
import hashlib
import html
import pathlib
import re
import sys

CHUNK = 2000  # bytes of a string literal; C promises 4095
KINDS = {"": "VKS_PAGE_SLOT", "?": "VKS_PAGE_IF", "/": "VKS_PAGE_FI"}


def hash_of(text):
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def literal(data):
    """Bytes as a C string literal."""
    text = ""
    for byte in data:
        char = chr(byte)
        if char in '"\\?':
            text += "\\" + char
        elif 32 <= byte < 127:
            text += char
        else:
            text += f"\\{byte:03o}"
    return f'"{text}"'


def pieces(page):
    """(kind, text) of a template."""
    nested = []
    for text, sign, name in re.findall(r"(.*?)(?:\{\{([?/]?)([a-z]+)\}\}|\Z)", page, re.DOTALL):
        data = text.encode()
        for at in range(0, len(data), CHUNK):
            yield "VKS_PAGE_TEXT", data[at:at + CHUNK]
        if name:
            if sign == "?":
                nested.append(name)
            elif sign == "/" and (not nested or nested.pop() != name):
                sys.exit(f"embed_page.py: {{{{/{name}}}}} ends nothing")
            yield KINDS[sign], name.encode()
    if nested:
        sys.exit(f"embed_page.py: {{{{?{nested[-1]}}}}} has no end")


def main():
    out, *paths = map(pathlib.Path, sys.argv[1:])
    texts = [path.read_text(encoding="utf-8") for path in paths]
    pages = dict(zip(("vks_page", "vks_scaling_page", "vks_ladder_page", "vks_access_page"), texts))
    head, style, script, licence, library = texts[4:]
    for name, text, end in ((paths[5], style, "</style"), (paths[6], script, "</script"),
                            (paths[8], library, "</script")):
        if end in text.lower() or "<!--" in text or "{{" in text:
            sys.exit(f"embed_page.py: {name} cannot stand in a page: it has {end}, <!-- or {{{{")
    def fill(page):
        """Without the line of the licence, so that the doctype comes first."""
        return re.sub(r"\{\{>([a-z-]+)\}\}", lambda match: parts[match[1]], page.split("\n", 1)[1])

    parts = {
        "style": style, "script": script, "library": library, "licence": html.escape(licence),
        "style-hash": hash_of(style),
        "script-hashes": hash_of(library) + " " + hash_of(script),
    }
    parts["head"] = fill(head)
    with open(out, "w", encoding="ascii") as file:
        file.write("/* Made by tools/embed_page.py. */\n#include \"report/html_internal.h\"\n")
        for name, page in pages.items():
            file.write(f"\nconst struct vks_page_piece {name}[] = {{\n")
            for kind, data in pieces(fill(page)):
                file.write(f"    {{{kind}, {literal(data)}}},\n")
            file.write("    {VKS_PAGE_END, 0},\n};\n")


main()

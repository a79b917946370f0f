#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""embed_page.py OUT.c VERSION FILE...: the pages of src/report/html as C strings, before and after
the JSON document that vks_html_write() puts at {{data}}.

Pages are .html files with a <body>; parts of them, at {{>NAME}}, are the other .html files, the
style sheet, the licence, the chart library (.min.js) and the script, which is made of the other .js
files in their order. The hashes of the style and of the scripts go into the Content Security Policy
of the pages, so nothing else in them can run.
"""

import base64
import hashlib
import html
import pathlib
import re
import sys

CHUNK = 2000  # bytes of a string literal; C promises 4095


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


def read(path):
    """A file without the line of the licence where that would come before the doctype."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".html":
        return text.split("\n", 1)[1]
    for end in ("</style", "</script", "<!--", "{{"):
        if end in text.lower():
            sys.exit(f"embed_page.py: {path.name} cannot be part of a page: it has {end}")
    return text


def pieces(page, parts):
    """The texts of a page and those of its parts, in order."""
    for piece in re.split(r"(\{\{>[a-z-]+\}\})", page):
        if piece.startswith("{{>"):
            yield from pieces(parts[piece[3:-2]], parts)
        else:
            yield piece


def main():
    out, version, *paths = sys.argv[1:]
    texts = {path.name: read(path) for path in map(pathlib.Path, paths)}
    library = [name for name in texts if name.endswith(".min.js")]
    scripts = [name for name in texts if name.endswith(".js") and name not in library]
    parts = {
        "style": texts["style.css"], "licence": html.escape(texts["licence.txt"]),
        "library": "".join(texts[name] for name in library), "version": version,
        "script": "(() => {\n" + "".join(texts[name] for name in scripts) + "})();\n",
    }
    parts["style-hash"] = hash_of(parts["style"])
    files = {name.removesuffix(".html"): text for name, text in texts.items()
             if name.endswith(".html")}
    parts.update((name, text) for name, text in files.items() if "<body" not in text)
    chunks, pages = {}, {}  # the chunks of the style and of the script are in every page
    for name, page in files.items():
        if name in parts:
            continue
        run = ["library", "script"] if "{{>library}}" in page else ["script"]
        parts["script-hashes"] = " ".join(hash_of(parts[script]) for script in run)
        halves = pages[name] = [[]]
        for piece in pieces(page, parts):
            for i, text in enumerate(piece.split("{{data}}")):
                if i > 0:
                    halves.append([])
                data = text.encode()
                halves[-1] += [chunks.setdefault(data[at:at + CHUNK], f"c{len(chunks)}")
                               for at in range(0, len(data), CHUNK)]
    with open(out, "w", encoding="ascii") as file:
        file.write("/* Made by tools/embed_page.py. */\n#include \"report/html.h\"\n\n")
        for data, name in chunks.items():
            file.write(f"static const char {name}[] = {literal(data)};\n")
        for page, halves in pages.items():
            file.write(f"const struct vks_page vks_page_{page} = {{\n")
            for half in halves:
                file.write(f"    (const char *const[]){{{', '.join(half)}, 0}},\n")
            file.write("};\n")


if __name__ == "__main__":
    main()

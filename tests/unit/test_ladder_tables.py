#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_ladder_tables.py: tools/ladder-tables fills tables, and names the line of what it cannot
find. TAP output."""

import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import check, end  # noqa: E402

TOOL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/ladder-tables")


def rung(name, size, median):
    return {"rung": name, "size": size, "verified": True, "bytes_per_second": 1e9 / median,
            "over_first": 1.0, "of_ceiling": 0.5, "ceiling": "copy",
            "seconds": {"median": median, "low_quartile": median, "high_quartile": median,
                        "samples": 9}}


RESULT = {
    "device": {"name": "made up", "driver": "1.0"},
    "ceilings": [{"name": "copy", "median": 1e9}],
    "kernels": [
        {"kernel": "copy", "dtype": "uint32",
         "rungs": [rung("scalar", "64", 1.0), rung("scalar", "128", 2.0)]},
        {"kernel": "silu", "dtype": "float32", "rungs": [rung("scalar", "64", 3.0)]},
        {"kernel": "silu", "dtype": "float16", "rungs": [rung("scalar", "32", 4.0)]},
    ],
}


def run(folder, marker, *arguments, last="<!-- end -->"):
    """(status, stderr, the lesson afterwards) with that marker in line 3."""
    path = os.path.join(folder, "lesson.md")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"# A lesson\n\n{marker}\n{last}\n\nThe end.\n")
    done = subprocess.run([sys.executable, TOOL, *arguments, folder], text=True,
                          capture_output=True, check=False)
    with open(path, encoding="utf-8") as file:
        return done.returncode, done.stderr, file.read()


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "results"))
        with open(os.path.join(folder, "results", "made-up.json"), "w", encoding="utf-8") as file:
            json.dump(RESULT, file)
        for words, part in (("copy", "uint32, 128,"), ("copy 64", "uint32, 64,"),
                            ("copy uint32 64", "uint32, 64,"), ("silu", "float32, 64,"),
                            ("silu float16", "float16, 32,")):
            status, err, text = run(folder, f"<!-- figures: {words} -->")
            check(status == 0 and f"made up, 1.0: {part}" in text and "| `scalar` |" in text and
                  text.endswith("The end.\n"), f"a table of '{words}'", status, err, text)
        status, err, text = run(folder, "<!-- figures: copy -->", "--check")
        check(status != 0 and "lesson.md" in err and "| `scalar` |" not in text,
              "--check writes nothing", status, err)
        for words, part in (("cpoy", "kernel 'cpoy'"), ("copy 63", "'63' is neither"),
                            ("copy unit32", "'unit32' is neither"),
                            ("copy float16", "type float16"),
                            ("silu float16 64", "'64' is neither"),
                            ("silu float16 float32", "more than one type"),
                            ("copy 64 128", "one size"), ("", "no kernel")):
            status, err, text = run(folder, f"<!-- figures: {words} -->")
            check(status != 0 and f"lesson.md:3: <!-- figures: {words} -->: " in err and
                  part in err and "| `scalar` |" not in text, f"no table of '{words}'", status,
                  err)
        status, err, text = run(folder, "<!-- figures: copy -->", last="<!-- ned -->")
        check(status != 0 and "lesson.md:3:" in err and "<!-- end -->" in err,
              "a table without an end", status, err)
        status, err, text = run(folder, "<!-- figure: copy -->")
        check(status != 0 and "lesson.md:4:" in err and "ends no table" in err,
              "an end without a table", status, err)
        status, err, text = run(folder, "<!--figures copy-->")
        check(status == 0 and "| `scalar` |" in text, "spaces do not matter", status, err)
    return end()


sys.exit(main())

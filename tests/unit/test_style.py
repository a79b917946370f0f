# SPDX-License-Identifier: MIT
"""test_style.py SOURCE_ROOT: what every text file of the source keeps to. TAP output.

Lines of at most 100 columns, without tabs and trailing blanks; a licence line at the head, a
line break at the end. Documents and data are exempt.
"""

import os
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import check, end  # noqa: E402

FOLDERS = ("include", "src", "shaders", "python", "tests", "tools", "docs", ".ci")
COLUMNS = 100
LICENCE = "SPDX-License-Identifier: MIT"
DATA = {".abi", ".bin", ".csv", ".f32", ".f64", ".golden", ".ipynb", ".jpg", ".json", ".md", ".npy",
        ".npz", ".png", ".spv", ".svg", ".txt", ".u32"}


def files(root):
    yield from (root / name for name in ("meson.build", "meson_options.txt", ".clang-format"))
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            # What vksim new writes (src/tool/new) is its user's.
            if path.is_file() and path.suffix not in DATA and \
                    not {"__pycache__", "new"} & set(path.parts):
                yield path


def faults(path):
    """(line, what is wrong) of a file."""
    text = path.read_text(encoding="utf-8")
    lines = text.split("\n")
    if not any(LICENCE in line for line in lines[:2]):
        yield 1, f"'{LICENCE}' is missing in the first two lines"
    if not text.endswith("\n") or text.endswith("\n\n"):
        yield len(lines), "a file ends with one line break"
    for number, line in enumerate(lines, 1):
        if len(line) > COLUMNS:
            yield number, f"{len(line)} columns, over {COLUMNS}"
        if "\t" in line:
            yield number, "a tab"
        if line != line.rstrip():
            yield number, "trailing blanks"


def main():
    root = pathlib.Path(sys.argv[1])
    found = {}
    for path in files(root):
        folder = path.relative_to(root).parts[0] if path.parent != root else "."
        found.setdefault(folder, [])
        found[folder] += [f"{path.relative_to(root)}:{line}: {what}"
                          for line, what in faults(path)]
    check(set(found) == {".", *FOLDERS}, "every folder has files", sorted(found))
    for folder, wrong in found.items():
        check(not wrong, f"style of {folder}", *wrong)
    return end()


sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_layers.py SOURCE_ROOT: checks which folder of src includes what. TAP output.

The folders of the library precede those of the tool; each may include itself and those before it.
The headers that C shares with shaders belong to the folder of the same purpose.
"""

import os
import pathlib
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import check, end  # noqa: E402

LIBRARY = ["base", "gpu", "spirv", "ranks", "graph", "sim", "formula", "io", "view", "api"]
TOOL = ["frames", "bench", "report", "ladder", "runs", "reload", "check", "selftest",
        "onset", "ui", "tool"]
LAYERS = LIBRARY + TOOL
# Folders that may not include all the folders before them.
ONLY = {"spirv": {"gpu", "spirv"},
        "ranks": {"base", "ranks"},
        "bench": {"base", "gpu", "ranks", "graph", "bench"},
        "ladder": {"base", "gpu", "graph", "sim", "api", "bench", "report", "ladder"},
        "onset": {"base", "report", "onset"},
        "check": {"base", "gpu", "graph", "sim", "api", "check"},
        "selftest": {"base", "gpu", "graph", "sim", "api", "selftest"},
        "sim": {"base", "gpu", "graph", "sim"},
        "io": {"base", "io"}}
# Folders of shaders with headers for C, and the first folder of src that may include them. A
# simulation's headers are its own.
SHADERS = {"lib": "base", "core": "graph", "view": "view", "sheet": "runs", "bench": "bench",
           "ladder": "ladder", "selftest": "selftest"}
# Libraries that only one folder may include.
FOREIGN = {"SDL": "ui", "lib/libav": "frames", "libav": "frames", "zip.h": "io", "volk.h": "gpu"}


def layer_of(path):
    """("sim", "gas") for src/sim/gas/..., ("base", None) for src/base/..."""
    parts = path.parts
    return parts[0], parts[1] if parts[0] == "sim" and len(parts) > 2 else None


def problem_with(root, path, name):
    """The problem with an include of a file of src, or None."""
    folder, simulation = layer_of(path)
    if (root / "src" / name).is_file():
        other, of = layer_of(pathlib.Path(name))
        if of and of != simulation:
            return "belongs to a simulation"
        if other not in ONLY.get(folder, LAYERS[:LAYERS.index(folder) + 1]):
            return f"is in {other}, which {folder} does not see"
        return None
    if (root / "shaders" / name).is_file():
        owner = pathlib.Path(name).parts[0]
        if owner not in SHADERS:
            return None if owner == simulation else "belongs to a simulation"
        if LAYERS.index(folder) < LAYERS.index(SHADERS[owner]):
            return f"is for {SHADERS[owner]}, which {folder} does not see"
        return None
    return "is neither in src nor in shaders"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    count = 0
    folders = {path.name for path in (root / "src").iterdir() if path.is_dir()}
    check(folders == set(LAYERS), "every folder of src has its place", folders ^ set(LAYERS))
    for layer in LAYERS:
        wrong = []
        for path in sorted((root / "src" / layer).rglob("*.[ch]")):
            inside = path.relative_to(root / "src")
            if "new" in inside.parts:  # what vksim new writes is its user's
                continue
            for quoted, angled in re.findall(r'^\s*#\s*include\s+(?:"(.*?)"|<(.*?)>)',
                                             path.read_text(encoding="utf-8"), re.MULTILINE):
                count += 1
                problem = quoted and problem_with(root, inside, quoted)
                owners = [owner for prefix, owner in FOREIGN.items() if angled.startswith(prefix)]
                if owners and layer not in owners:
                    problem = f"is for {owners[0]} alone"
                if problem:
                    wrong.append(f"src/{inside}: {quoted or angled} {problem}")
        check(not wrong, f"src/{layer} includes what it may", *wrong)
    check(count > 300, f"{count} lines found")
    return end()


sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Rewrites shaders of the ladder for the tracing build (shaders/ladder/trace.glsl):

    tools/trace_shaders.py INCLUDES FOLDER OUT NAME...

writes FOLDER/NAME.comp to OUT/NAME.comp, where it defines the numbers of the arrays that the shader
names in LOAD, STORE and so on, its own and those of the files that it includes from INCLUDES. A
buffer is traced by the name of its block, a shared array by its own.
"""
import pathlib
import re
import sys

ACCESS = re.compile(r"\b(?:SHARED_)?(?:LOAD|STORE|ATOMIC)\(\s*([A-Za-z_]\w*)\s*,")
INCLUDE = re.compile(r'^\s*#include "([^"]+)"', re.MULTILINE)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
BLOCK = re.compile(r"\bbuffer\s+(\w+)\s*\{([^}]*)\}")
SHARED = re.compile(r"\bshared\s+(\w+)\s+([^;]+);")
NAME = re.compile(r"(\w+)\s*\[")
MEMBER = re.compile(r"\b(\w+)\s+(\w+)\s*\[")
# Types that only some shaders may name; others may be macros.
BYTES = {"float16_t": "2u", "f16vec2": "4u", "f16vec4": "8u"}
OWN = ("ladder/access.glsl", "ladder/trace.glsl")  # their macros are no accesses


def source_of(path, includes, seen):
    text = COMMENT.sub("", path.read_text())
    for name in INCLUDE.findall(text):
        file = includes / name
        if name not in OWN and file not in seen and file.exists():
            seen.add(file)
            text += source_of(file, includes, seen)
    return text


def arrays_of(text):
    """Array -> (name in the picture, type), of the arrays that the shader accesses. Arrays that are
    not declared are in a part of an included file that the preprocessor removes."""
    declared = {name: (name, kind) for kind, names in SHARED.findall(text)
                for name in NAME.findall(names)}
    for block, body in BLOCK.findall(text):
        declared |= {name: (block, kind) for kind, name in MEMBER.findall(body)}
    accessed = list(dict.fromkeys(ACCESS.findall(text)))
    return {name: declared[name] for name in accessed if name in declared}


def defines_of(arrays):
    shown = list(dict.fromkeys(name for name, _ in arrays.values()))
    lines = [f"#define TRACE_ARRAY_{array} {shown.index(name)}u"
             for array, (name, _) in arrays.items()]
    lines += [f"#define TRACE_BYTES_{array} {BYTES.get(kind, f'trace_bytes({kind}(0))')}"
              for array, (_, kind) in arrays.items()]
    constants = "".join(f" layout(constant_id = TRACE_FIRST_ARRAY + {i})"
                        f" const uint trace_array_{name} = {i}u;" for i, name in enumerate(shown))
    return "\n".join([*lines, f"#define TRACE_ARRAYS{constants}"])


def main():
    includes, folder, out = map(pathlib.Path, sys.argv[1:4])
    for name in sys.argv[4:]:
        path = folder / f"{name}.comp"
        text = path.read_text()
        defines = defines_of(arrays_of(source_of(path, includes, set())))
        head, version, rest = re.split(r"^(#version .*\n)", text, maxsplit=1, flags=re.MULTILINE)
        line = head.count("\n") + 2
        (out / f"{name}.comp").write_text(f"{head}{version}{defines}\n#line {line}\n{rest}")


if __name__ == "__main__":
    main()

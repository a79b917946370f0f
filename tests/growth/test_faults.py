# SPDX-License-Identifier: MIT
"""test_faults.py SOURCE_ROOT BUILD COMPILER...: what a build shows after a mistake. TAP output.

A copy of the source tree gets one mistake after another in a shader, and is built: the sentence
about it must be the last thing on the screen, but for ninja's own lines. Mistakes in C that only
some compilers take for errors must fail in every build.
"""

import json
import os
import re
import shlex
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import check, end  # noqa: E402
from tree import copy, run, share_shaders  # noqa: E402

SHADER = "shaders/core/reduce.comp"
ADDING = "shaders/gas/energies.comp"
# An instruction of floats on integers, which glslang takes as it stands.
INTRINSIC = """#extension GL_EXT_spirv_intrinsics : require
spirv_instruction (id = 129) float wrong(uint a, uint b);
"""

# (the mistake, file, texts there and what they become, target, what the last lines must be)
MISTAKES = [
    ("GLSL that does not compile", SHADER, {"void main()": "void main("}, "core_reduce.spv",
     r"core/reduce\.comp:\d+: error: .*syntax error.*\n1 error generated\."),
    ("SPIR-V that is not valid", ADDING,
     {'#include "gas/energy_sums.glsl"\n': INTRINSIC + '#include "gas/energy_sums.glsl"\n',
      "kinetic + heat": "wrong(vks_item(), 1u)"},
     "gas_energies.spv",
     r"shaders/gas/energies\.comp: error: line \d+: Expected .* FAdd.*\n .*= OpFAdd .*"),
    ("an addition that is not precise", ADDING, {"precise float sum": "float sum"},
     "gas_energies.spv", r"shaders/gas/energies\.comp:\d+: in function \w+: OpFAdd without "
     r"NoContraction; declare its result `precise`"),
    ("a function that is not exact", ADDING, {"kinetic + heat": "sqrt(heat)"}, "gas_energies.spv",
     r"shaders/gas/energies\.comp:\d+: in function \w+: GLSL\.std\.450 Sqrt is not exact; "
     r"see lib/exact\.glsl"),
    ("a buffer of another set", SHADER, {"set = 0, binding = 1": "set = 1, binding = 1"},
     "vks_shaders.c",
     r"shader core/reduce: its buffer 'partials' is in set 1; every buffer belongs in set 0"),
    ("two fields at one binding", SHADER, {"set = 0, binding = 1": "set = 0, binding = 0"},
     "vks_shaders.c",
     r"shader core/reduce: its buffers 'items' and 'partials' share binding 0; .*"),
    # The last, because most shaders are compiled again after it.
    ("an included file that is not precise", "shaders/lib/exact.glsl",
     {"precise float scaled = uintBitsToFloat((half": "float scaled = uintBitsToFloat((half"},
     "core_reduce.spv", r"shaders/lib/exact\.glsl:\d+: in function vks_from_half: OpFMul without "
     r"NoContraction; declare its result `precise`"),
]

# (the mistake, C that makes it)
MISTAKES_IN_C = [
    ("a function that is not declared", "float f(void);\nfloat f(void) { return vks_flush(1); }\n"),
    ("a number for a pointer", "const char *f(long n);\nconst char *f(long n) { return n; }\n"),
    ("a pointer for a number", "int f(const char *s);\nint f(const char *s) { return s; }\n"),
    ("a pointer to another type", "float *f(int *n);\nfloat *f(int *n) { return n; }\n"),
    ("a variable without a type", "static n = 1;\nint f(void);\nint f(void) { return n; }\n"),
]


def last_lines(text):
    """The end of a build's output without ninja's progress and last line."""
    lines = [line for line in text.splitlines()
             if line.strip() and not re.match(r"\[\d+/\d+\] |ninja: ", line)]
    return "\n".join(lines[-2:])


def make_mistakes(tree, folder):
    for name, path, changes, target, wanted in MISTAKES:
        path = os.path.join(tree, path)
        with open(path, encoding="utf-8") as file:
            right = wrong = file.read()
        for old, new in changes.items():
            check(wrong.count(old) == 1, f"{name}: there is one '{old.strip()}'")
            wrong = wrong.replace(old, new)
        with open(path, "w", encoding="utf-8") as file:
            file.write(wrong)
        code, text = run(["ninja", "-C", folder, "shaders/" + target])
        check(code != 0 and re.search(f"(^|\n).*{wanted}$", last_lines(text)), name, text)
        with open(path, "w", encoding="utf-8") as file:
            file.write(right)
        code, text = run(["ninja", "-C", folder, "shaders/" + target])
        check(code == 0, f"{name}, mended", text)


def make_mistakes_in_c(tree, folder):
    with open(os.path.join(folder, "compile_commands.json"), encoding="utf-8") as file:
        commands = json.load(file)
    command = next(c for c in commands if c["file"].endswith("src/sim/physarum/model.c"))
    words = shlex.split(command["command"])
    path = os.path.join(tree, "mistake.c")
    at = next(k for k, word in enumerate(words) if word.endswith("src/sim/physarum/model.c"))
    words[at] = path
    words.append("-fsyntax-only")
    for name, text in [("C without a mistake", "int f(void);\nint f(void) { return 1; }\n"),
                       *MISTAKES_IN_C]:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        code, output = run(words, cwd=command["directory"])
        check((code != 0) == (name != "C without a mistake") and "-Werror" not in words, name,
              f"{code}: {output}")


def main():
    root = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="vksim-faults-") as tree:
        copy(root, tree)
        share_shaders(root, os.path.abspath(sys.argv[2]), tree)
        os.environ["CC"] = " ".join(sys.argv[3:])
        folder = os.path.join(tree, "build")
        code, text = run(["meson", "setup", folder, tree, "-Dvideo=disabled",
                          "-Dwindow=disabled", "-Dladder=disabled"])
        if check(code == 0, "meson setup", text):
            make_mistakes(tree, folder)
            make_mistakes_in_c(tree, folder)
    return end()


sys.exit(main())

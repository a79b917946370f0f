#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_spv_exact.py SPV_EXACT GLSLC: checks the verdicts of src/spirv/exact.c.

Compiles small shaders with glslc, edits their SPIR-V word by word, and compares the exit status
(0 exact, 1 offence, 2 malformed) and the message. Prints TAP; fails if any verdict is wrong.
"""

import os
import random
import re
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import check, end  # noqa: E402

EXACT, OFFENCE, MALFORMED = 0, 1, 2

HEAD = """#version 450
{extensions}
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer A {{ float a[]; }};
layout(set = 0, binding = 1) buffer B {{ uint b[]; }};
layout(set = 0, binding = 2) buffer C {{ int c[]; }};
layout(set = 0, binding = 3) readonly buffer P {{ float p[]; }};
{globals}
void main() {{
    uint i = gl_GlobalInvocationID.x;
    float x = p[i];
    vec4 v = vec4(x, p[i + 1], p[i + 2], p[i + 3]);
    {body}
}}
"""

WORDS = ("layout(set = 0, binding = 4) readonly buffer W { uvec2 w[]; };"
         "layout(buffer_reference, std430) buffer R { uint at[]; };")
BY_ADDRESS = ("#extension GL_EXT_buffer_reference : require\n"
              "#extension GL_EXT_buffer_reference_uvec2 : require\n")
INT64 = "#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require\n"

# (name, verdict, part of the message, shader body, globals, extensions)
SHADERS = [
    ("adds, subtractions and products that are precise", EXACT, "all uncontracted",
     "precise float y = x * 2.5 + p[i + 1] * x - 1.0; a[i] = y;"),
    ("a shader without floats", EXACT, "exact: 0 float operations",
     "b[i] = i * 3u / (i + 1u) % 7u;"),
    ("allowed built-in functions", EXACT, "exact:",
     "precise float y = floor(x) + ceil(x) + trunc(x) + abs(x) + sign(x) + roundEven(x);"
     "y = y + min(x, 2.0) + max(x, 3.0) + clamp(x, 0.0, 1.0);"
     "b[i] = uint(findLSB(b[i]) + findMSB(b[i]) + findMSB(int(b[i]))) + min(i, 3u) + max(i, 4u)"
     " + uint(abs(int(i)) + sign(int(i))) + uint(clamp(int(i), 1, 2));"
     "a[i] = y;"),
    ("bits, conversions, comparisons", EXACT, "exact:",
     "uint u = floatBitsToUint(x) >> 3; int k = int(x); a[i] = x < 1.0 ? float(u) : -float(k);"
     "uint hi, lo; umulExtended(u, i, hi, lo); b[i] = hi ^ lo ^ bitfieldReverse(u) ^"
     " uint(bitCount(u)) ^ bitfieldExtract(u, 3, 4);"),
    ("a vector by a scalar, precise", EXACT, "exact:",
     "precise vec4 w = v * x; a[i] = w.x; a[i + 1] = w.w;"),
    ("a precise function, loop and shared memory", EXACT, "exact:",
     "s[gl_LocalInvocationID.x] = twice(x); barrier(); precise float t = 0.0;"
     "for (int k = 0; k < 4; k++) { t = t + s[k]; } a[i] = t;",
     "shared float s[64]; float twice(float f) { precise float g = f * 2.0; return g; }"),
    ("integer atomics and subgroup operations", EXACT, "exact:",
     "atomicAdd(b[i], 1u); atomicMax(b[i], 3u); uint q = subgroupAdd(i) + subgroupShuffle(i, 1u);"
     "a[i] = subgroupMin(subgroupShuffleXor(x, 1u)); b[i] = q + subgroupBallotBitCount("
     "subgroupBallot(i > 3u));", "",
     "#extension GL_KHR_shader_subgroup_arithmetic : require\n"
     "#extension GL_KHR_shader_subgroup_shuffle : require\n"
     "#extension GL_KHR_shader_subgroup_ballot : require"),
    ("unsigned specialization constants", EXACT, "exact:", "b[i] = N % 4u + N / 2u;",
     "layout(constant_id = 0) const uint N = 8u;"),

    ("an add without precise", OFFENCE, "OpFAdd without NoContraction", "a[i] = x + 1.0;"),
    ("a subtraction without precise", OFFENCE, "OpFSub without NoContraction", "a[i] = x - 1.5;"),
    ("a product without precise", OFFENCE, "OpFMul without NoContraction", "a[i] = x * 1.5;"),
    ("vector by scalar without precise", OFFENCE, "OpVectorTimesScalar without NoContraction",
     "vec4 w = v * x; a[i] = w.x; a[i + 1] = w.y;"),
    ("precise at the caller but not in the function", OFFENCE, "OpFMul without NoContraction",
     "precise float y = twice(x) + 1.0; a[i] = y;", "float twice(float f) { return f * 2.0; }"),
    ("precise forgotten in a function's argument", OFFENCE, "OpFAdd without NoContraction",
     "put_twice(i, x + 0.5);",
     "void put_twice(uint k, float f) { precise float g = f * 2.0; a[k] = g; }"),
    ("precise forgotten in an out parameter's source", OFFENCE, "OpFMul without NoContraction",
     "float t; half_of(x, t); precise float y = t + 1.0; a[i] = y;",
     "void half_of(float f, out float g) { g = f * 0.5; }"),
    ("a division", OFFENCE, "OpFDiv is not exact", "precise float y = x / 3.0; a[i] = y;"),
    ("a float modulo", OFFENCE, "OpFMod is not exact", "precise float y = mod(x, 3.0); a[i] = y;"),
    ("dot", OFFENCE, "OpDot is not exact", "precise float y = dot(v, v.wzyx); a[i] = y;"),
    ("matrix by vector", OFFENCE, "OpMatrixTimesVector is not exact",
     "precise vec4 w = mat4(v, v, v, v) * v; a[i] = w.x;"),
    ("vector by matrix", OFFENCE, "OpVectorTimesMatrix is not exact",
     "precise vec4 w = v * mat4(v, v, v, v); a[i] = w.x;"),
    ("matrix by matrix", OFFENCE, "OpMatrixTimesMatrix is not exact",
     "precise mat4 m = mat4(v, v, v, v) * mat4(v, v, v, v); a[i] = m[0].x;"),
    ("matrix by scalar", OFFENCE, "OpMatrixTimesScalar is not exact",
     "precise mat4 m = mat4(v, v, v, v) * x; a[i] = m[0].x;"),
    ("outer product", OFFENCE, "OpOuterProduct is not exact",
     "precise mat4 m = outerProduct(v, v); a[i] = m[0].x;"),
    ("signed modulo", OFFENCE, "OpSMod is not exact", "c[i] = c[i] % 5;"),
    ("isnan", OFFENCE, "OpIsNan is not exact", "b[i] = isnan(x) ? 1u : 0u;"),
    ("isinf", OFFENCE, "OpIsInf is not exact", "b[i] = isinf(x) ? 1u : 0u;"),
    ("a double", OFFENCE, "is float64",
     "precise double d = double(x); d = d + 1.0lf; a[i] = float(d);"),
    ("a half float", OFFENCE, "is float16",
     "precise float16_t h = float16_t(x); h = h + h; a[i] = float(h);", "",
     "#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require"),
    ("elements by addresses in pairs of uint", EXACT, "exact:",
     "R(w[i >> 4]).at[i & 15u] = b[i]; atomicAdd(R(w[0]).at[i], 1u);", WORDS, BY_ADDRESS),
    ("an address as numbers", OFFENCE, "OpBitcast of an address: an address differs",
     "b[i] = uvec2(R(w[i])).x;", WORDS, BY_ADDRESS),
    ("an address as a 64-bit number", OFFENCE, "OpConvertPtrToU is not exact: an address differs",
     "b[i] = uint(uint64_t(R(w[i])));", WORDS, BY_ADDRESS + INT64),
    ("an address made of a 64-bit number", OFFENCE, "OpConvertUToPtr is not exact: an address",
     "R(uint64_t(i)).at[0] = i;", WORDS, BY_ADDRESS + INT64),
    ("a 64-bit unsigned integer", OFFENCE, "is uint64",
     "uint64_t n = uint64_t(i) * 5ul; b[i] = uint(n >> 32);", "",
     "#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require"),
    ("a 64-bit signed integer", OFFENCE, "is int64", "int64_t n = int64_t(i) - 5l; c[i] = int(n);",
     "", "#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require"),
    ("the capability of 64-bit integers", OFFENCE, "capability Int64: only 32-bit numbers",
     "b[i] = uint(uint64_t(i) >> 3);", "",
     "#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require"),
    ("64-bit atomics", OFFENCE, "capability Int64Atomics", "atomicAdd(wide[i], 3ul);",
     "layout(set = 0, binding = 4) buffer W { uint64_t wide[]; };",
     "#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require\n"
     "#extension GL_EXT_shader_atomic_int64 : require"),
    ("a 16-bit integer", OFFENCE, "is uint16", "uint16_t n = uint16_t(i); b[i] = uint(n + n);", "",
     "#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require"),
    ("an 8-bit integer", OFFENCE, "is int8", "int8_t n = int8_t(i); c[i] = int(n + n);", "",
     "#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require"),
    ("bytes in a buffer", OFFENCE, "capability StorageBuffer8BitAccess",
     "b[i] = uint(bytes[i]);", "layout(set = 0, binding = 4) buffer W { uint8_t bytes[]; };",
     "#extension GL_EXT_shader_8bit_storage : require"),
    ("halves in a buffer", OFFENCE, "capability StorageBuffer16BitAccess",
     "b[i] = uint(words[i]);", "layout(set = 0, binding = 4) buffer W { uint16_t words[]; };",
     "#extension GL_EXT_shader_16bit_storage : require"),
    ("addresses as pairs of 32 bits", EXACT, "exact:",
     "Words w = Words(uvec2(b[0], b[1])); b[i] = w.words[i];",
     "layout(buffer_reference, std430) readonly buffer Words { uint words[]; };",
     "#extension GL_EXT_buffer_reference : require\n"
     "#extension GL_EXT_buffer_reference_uvec2 : require"),
    ("mediump", OFFENCE, "RelaxedPrecision",
     "mediump float m = x; precise mediump float n = m + 1.0; a[i] = n;"),
    ("mediump built-ins as they are", EXACT, "exact:",
     "uint lane = gl_SubgroupInvocationID; uint n = gl_SubgroupID; b[i] = lane * 3u + n;", "",
     "#extension GL_KHR_shader_subgroup_basic : require"),
    ("mediump integers", OFFENCE, "RelaxedPrecision",
     "mediump uint m = i * 70000u; b[i] = m + 1u;"),
    ("a float atomic add", OFFENCE, "OpAtomicFAddEXT", "atomicAdd(a[i], 1.0);", "",
     "#extension GL_EXT_shader_atomic_float : require"),
    ("a float atomic exchange", OFFENCE, "atomic access to a float",
     "a[i + 1] = atomicExchange(a[i], 1.0);", "",
     "#extension GL_EXT_shader_atomic_float : require"),
    ("a float atomic store", OFFENCE, "atomic access to a float",
     "atomicStore(a[i], 1.0, gl_ScopeDevice, 0, 0);", "",
     "#extension GL_EXT_shader_atomic_float : require\n"
     "#extension GL_KHR_memory_scope_semantics : require"),
    ("a float atomic minimum", OFFENCE, "OpAtomicFMinEXT", "atomicMin(a[i], 1.0);", "",
     "#extension GL_EXT_shader_atomic_float2 : require"),
    ("a float subgroup sum", OFFENCE, "OpGroupNonUniformFAdd", "a[i] = subgroupAdd(x);", "",
     "#extension GL_KHR_shader_subgroup_arithmetic : require"),
    ("a float subgroup product", OFFENCE, "OpGroupNonUniformFMul", "a[i] = subgroupMul(x);", "",
     "#extension GL_KHR_shader_subgroup_arithmetic : require"),
    ("a float subgroup scan", OFFENCE, "OpGroupNonUniformFAdd",
     "a[i] = subgroupInclusiveAdd(x);", "",
     "#extension GL_KHR_shader_subgroup_arithmetic : require"),
    ("a texel buffer of integers", EXACT, "exact:", "b[i] = texelFetch(words, int(i)).x;",
     "layout(set = 0, binding = 4) uniform utextureBuffer words;",
     "#extension GL_EXT_samplerless_texture_functions : require"),
    ("a texel buffer of floats", OFFENCE, "OpTypeImage", "a[i] = texelFetch(words, int(i)).x;",
     "layout(set = 0, binding = 4) uniform textureBuffer words;",
     "#extension GL_EXT_samplerless_texture_functions : require"),
    ("sampling an image", OFFENCE, "OpImageSampleExplicitLod",
     "a[i] = textureLod(tex, v.xy, 0.0).x;",
     "layout(set = 0, binding = 4) uniform sampler2D tex;"),
    ("reading an image", OFFENCE, "OpImageRead", "a[i] = imageLoad(img, ivec2(i)).x;",
     "layout(set = 0, binding = 4, r32f) uniform readonly image2D img;"),
    ("writing an image", OFFENCE, "OpImageWrite", "imageStore(img, ivec2(i), v);",
     "layout(set = 0, binding = 4, rgba8) uniform writeonly image2D img;"),
    ("the shader clock", OFFENCE, "opcode 5056 is not on the list",
     "b[i] = clock2x32ARB().x;", "", "#extension GL_ARB_shader_clock : require"),
]
FUNCTIONS = {
    "Sqrt": "sqrt(x)", "InverseSqrt": "inversesqrt(x)", "Sin": "sin(x)", "Cos": "cos(x)",
    "Tan": "tan(x)", "Asin": "asin(x)", "Acos": "acos(x)", "Atan": "atan(x)",
    "Atan2": "atan(x, v.y)", "Sinh": "sinh(x)", "Cosh": "cosh(x)", "Tanh": "tanh(x)",
    "Exp": "exp(x)", "Log": "log(x)", "Exp2": "exp2(x)", "Log2": "log2(x)", "Pow": "pow(x, v.y)",
    "FMix": "mix(x, v.y, v.z)", "Fma": "fma(x, v.y, v.z)", "Length": "length(v)",
    "Distance": "distance(v, v.wzyx)", "Normalize": "normalize(v).x",
    "SmoothStep": "smoothstep(0.1, 0.9, x)", "Step": "step(0.5, x)", "Fract": "fract(x)",
    "Round": "round(x)", "Cross": "cross(v.xyz, v.wzy).x", "Reflect": "reflect(v, v.wzyx).x",
    "Radians": "radians(x)", "Ldexp": "ldexp(x, 3)",
    "PackHalf2x16": "uintBitsToFloat(packHalf2x16(v.xy))",
    "UnpackHalf2x16": "unpackHalf2x16(b[i]).x",
    "PackUnorm4x8": "uintBitsToFloat(packUnorm4x8(v))",
    "Determinant": "determinant(mat3(v.xyz, v.yzw, v.zwx))",
}
SHADERS += [(f"the function {name}", OFFENCE, f"GLSL.std.450 {name} is not exact",
             f"precise float y = {call}; a[i] = y;") for name, call in FUNCTIONS.items()]

# opcode numbers of the SPIR-V specification
OP_NAME, OP_ENTRY_POINT, OP_EXECUTION_MODE, OP_DECORATE = 5, 15, 16, 71
OP_FADD, OP_FSUB, OP_FMUL, OP_FDIV, OP_FREM, OP_FMOD = 129, 131, 133, 136, 140, 141
NO_CONTRACTION = 42


class Suite:
    """Runs the program under test."""

    def __init__(self, program, glslc, folder):
        self.program, self.glslc, self.folder = program, glslc, folder

    def path(self, name):
        return os.path.join(self.folder, name)

    def compile_all(self, sources, *options):
        """Compiles {name: source} to name.spv; a compile error is a bug in this test."""
        for name, source in sources.items():
            with open(self.path(name), "w", encoding="utf-8") as file:
                file.write(source)
        subprocess.run([self.glslc, "--target-env=vulkan1.3", "-c", *options, *sources],
                       cwd=self.folder, check=True)

    def compile(self, name, source, *options):
        """Compiles one shader and returns its words."""
        self.compile_all({name: source}, *options)
        with open(self.path(name + ".spv"), "rb") as file:
            return words_of(file.read())

    def run(self, *paths):
        done = subprocess.run([self.program, *paths], capture_output=True, timeout=60, check=False)
        return done.returncode, (done.stdout + done.stderr).decode("utf-8", "replace")

    def run_bytes(self, data):
        path = self.path("edited.spv")
        with open(path, "wb") as file:
            file.write(data)
        return self.run(path)

    def run_words(self, words):
        return self.run_bytes(bytes_of(words))

    def run_many(self, modules):
        """Runs spv_exact once on all modules: the status, and the lines about each module."""
        paths = [self.path(f"many{k:04}.spv") for k in range(len(modules))]
        for path, words in zip(paths, modules):
            with open(path, "wb") as file:
                file.write(bytes_of(words))
        status, output = self.run(*paths)
        lines = {path: [] for path in paths}
        for line in output.splitlines():
            if (path := line.split(": ")[0]) in lines:
                lines[path].append(line)
        return status, list(lines.values())

    def expect(self, name, result, verdict, text=""):
        status, output = result
        check(status == verdict and text in output, name,
                    f"expected status {verdict} and '{text}', got status {status}:", output)


def words_of(data):
    return list(struct.unpack(f"<{len(data) // 4}I", data))


def bytes_of(words):
    return struct.pack(f"<{len(words)}I", *words)


def instructions(words):
    """Yields (word index, opcode, length)."""
    at = 5
    while at < len(words):
        yield at, words[at] & 0xffff, words[at] >> 16
        at += words[at] >> 16


def shader(body, globals_="", extensions=""):
    return HEAD.format(body=body, globals=globals_, extensions=extensions)


def test_shaders(suite):
    suite.compile_all({f"case{k}.comp": shader(*parts)
                       for k, (_, _, _, *parts) in enumerate(SHADERS)})
    for k, (name, verdict, text, *_) in enumerate(SHADERS):
        suite.expect(name, suite.run(suite.path(f"case{k}.comp.spv")), verdict, text)


def test_messages(suite):
    suite.compile("named.comp", shader("float wrong = twice(x); a[i] = wrong;",
                                       "float twice(float f) { return f * 2.0; }"), "-g")
    status, output = suite.run(suite.path("named.comp.spv"))
    lines = shader("", "").splitlines()
    line = next(n for n, text in enumerate(lines, 1) if text.startswith("void main")) - 1
    sentence = "OpFMul without NoContraction; declare its result `precise`\n"
    for part in (f"named.comp:{line}: in function twice: {sentence}",
                 "named.comp.spv: not exact: 1 offence\n"):
        check(status == OFFENCE and part in output, f"the message has '{part.strip()}'",
                     output)
    suite.compile("plain.comp", shader("a[i] = x * 2.0;"))
    status, output = suite.run(suite.path("plain.comp.spv"))
    check(status == OFFENCE and
          re.search(r"/plain\.comp\.spv: in function main: %\d+ = " + re.escape(sentence), output),
          "a module without lines is named itself", output)
    good = suite.compile("good.comp", shader("precise float y = x * x + 1.0; a[i] = y;"))
    count = sum(op in (OP_FADD, OP_FSUB, OP_FMUL) for _, op, _ in instructions(good))
    suite.expect("operations are counted", suite.run_words(good), EXACT,
                 f"exact: {count} float operations, all uncontracted")
    both = suite.run(suite.path("good.comp.spv"), suite.path("named.comp.spv"))
    suite.expect("two files: the worse verdict", both, OFFENCE, "good.comp.spv: exact:")


def test_edits(suite):
    """Every forbidden opcode and missing decoration must be reported, wherever it is."""
    good = suite.compile("edit.comp", shader(
        "precise float y = x * 2.5 + p[i + 1] * x - f(x); a[i] = y;",
        "float f(float g) { precise float h = g * g - 0.25; return h; }"))
    suite.expect("the module to edit", suite.run_words(good), EXACT, "exact:")

    arithmetic = [at for at, op, _ in instructions(good) if op in (OP_FADD, OP_FSUB, OP_FMUL)]
    wrong = []
    for at in arithmetic:
        for op in (OP_FDIV, OP_FREM, OP_FMOD):
            edited = list(good)
            edited[at] = edited[at] & 0xffff0000 | op
            status, output = suite.run_words(edited)
            if status != OFFENCE or "1 offence" not in output:
                wrong.append((at, op, status, output))
    check(arithmetic and not wrong, "an opcode changed to a division", wrong)

    decorations = [at for at, op, length in instructions(good)
                   if op == OP_DECORATE and length == 3 and good[at + 2] == NO_CONTRACTION]
    wrong = []
    for at in decorations:
        status, output = suite.run_words(good[:at] + good[at + 3:])
        if status != OFFENCE or "1 offence" not in output:
            wrong.append((at, status, output))
    check(len(decorations) == len(arithmetic) and not wrong, "a decoration removed", wrong)

    # All decorations through one decoration group, as SPIR-V allows.
    group = good[3]
    targets = [good[at + 1] for at in decorations]
    grouped, placed = good[:3] + [group + 1, good[4]], False
    for at, op, length in instructions(good):
        if at not in decorations:
            grouped += good[at:at + length]
        elif not placed:
            placed = True
            grouped += [3 << 16 | OP_DECORATE, group, NO_CONTRACTION, 2 << 16 | 73, group,
                        (2 + len(targets)) << 16 | 74, group, *targets]
    suite.expect("a decoration group", suite.run_words(grouped), EXACT, "exact:")

    def edited_at(opcode, offset, value):
        edited = list(good)
        at = next(at for at, op, _ in instructions(good) if op == opcode)
        edited[at + offset] = value
        return edited

    suite.expect("a fragment shader", suite.run_words(edited_at(OP_ENTRY_POINT, 1, 4)), OFFENCE,
                 "not a compute shader")
    entry = next(at for at, op, _ in instructions(good) if op == OP_ENTRY_POINT)
    after = entry + (good[entry] >> 16)
    rtz = good[:after] + [4 << 16 | OP_EXECUTION_MODE, good[entry + 2], 4463, 32] + good[after:]
    suite.expect("rounding towards zero", suite.run_words(rtz), OFFENCE, "RoundingModeRTZ")
    suite.expect("an instruction set that is not known",
                 suite.run_bytes(bytes_of(suite.compile("set.comp", shader("a[i] = floor(x);")))
                                 .replace(b"GLSL.std.450", b"GLSL.std.451")), OFFENCE,
                 "of a set that is not GLSL.std.450")
    unknown = list(good)
    unknown[arithmetic[0]] = unknown[arithmetic[0]] & 0xffff0000 | 7777
    suite.expect("an opcode that is not known", suite.run_words(unknown), OFFENCE, "opcode 7777")


def test_malformed(suite):
    good = suite.compile("whole.comp", shader("precise float y = x * f(x); a[i] = y;",
                                              "float f(float g) { return floor(g); }"), "-g")
    data = bytes_of(good)
    suite.expect("the module to break", suite.run_words(good), EXACT, "exact:")
    suite.expect("the other byte order", suite.run_bytes(struct.pack(f">{len(good)}I", *good)),
                 EXACT, "exact:")
    suite.expect("a bad magic number", suite.run_bytes(b"RIFF" + data[4:]), MALFORMED,
                 "not a SPIR-V module")
    suite.expect("a text file", suite.run_bytes(b"#version 450\nvoid main() {}\n"), MALFORMED,
                 "not a SPIR-V module")
    suite.expect("an empty file", suite.run_bytes(b""), MALFORMED, "0 bytes")
    suite.expect("half a word", suite.run_bytes(data[:-2]), MALFORMED, "whole words")
    suite.expect("only a header", suite.run_bytes(data[:20]), MALFORMED, "no entry point")
    suite.expect("no such file", suite.run(suite.path("missing.spv")), MALFORMED,
                 "cannot be opened")
    suite.expect("a folder", suite.run(suite.folder), MALFORMED, "cannot be read")
    suite.expect("no file", suite.run(), MALFORMED, "usage:")
    suite.expect("an unknown version", suite.run_words([good[0], 0x20000] + good[2:]), MALFORMED,
                 "version")
    for bound in (0, 1, 5, 4194304, 0xffffffff):
        suite.expect(f"an id bound of {bound}",
                     suite.run_words(good[:3] + [bound] + good[4:]), MALFORMED, "bound")
    for value in (0, good[3], 0xffffffff):
        edited = list(good)
        at = next(at for at, op, _ in instructions(good) if op == OP_FMUL)
        edited[at + 2] = value
        suite.expect(f"a result id of {value}", suite.run_words(edited), MALFORMED,
                     "outside the bound")
    twice = list(good)
    at = next(at for at, op, _ in instructions(good) if op == OP_FMUL)
    twice[at + 2] = twice[at + 1]
    suite.expect("an id defined twice", suite.run_words(twice), MALFORMED, "defined twice")
    for length in (0, 0xffff):
        edited = list(good)
        edited[at] = length << 16 | edited[at] & 0xffff
        suite.expect(f"an instruction of {length} words", suite.run_words(edited), MALFORMED,
                     "length")
    name = next(at for at, op, _ in instructions(good) if op == OP_NAME)
    edited = list(good)
    for k in range(2, edited[name] >> 16):
        edited[name + k] = 0x61616161
    suite.expect("text that does not end", suite.run_words(edited), MALFORMED, "does not end")

    status, lines = suite.run_many([good[:size] for size in range(len(good))])
    wrong = [(size, text) for size, text in enumerate(lines)
             if len(text) != 1 or ": not " not in text[0]]
    check(status == MALFORMED and not wrong, f"cut after each of {len(good)} words", status,
                 wrong)


def test_noise(suite):
    """Whatever the bytes, the program ends with a verdict and a message."""
    source = shader("precise float y = x * f(x) + sqrt(x); a[i] = y;",
                    "float f(float g) { return floor(g); }")
    good = suite.compile("noise.comp", source, "-g")
    rng = random.Random(1)
    modules = []
    for _ in range(3000):
        edited = list(good)
        for _ in range(rng.choice((1, 1, 2, 8))):
            at = rng.randrange(len(edited))
            edited[at] = rng.choice((0, 1, 0xffffffff, rng.getrandbits(32), rng.randrange(400),
                                     edited[at] ^ 1 << rng.randrange(32)))
        modules.append(edited)
    status, lines = suite.run_many(modules)
    silent = [k for k, text in enumerate(lines) if not text]
    check(status in (EXACT, OFFENCE, MALFORMED) and not silent,
                 f"{len(modules)} modules with random words", status, silent)


def main():
    if len(sys.argv) != 3:
        print(f"usage: {sys.argv[0]} SPV_EXACT GLSLC", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="vksim-spv-exact-") as folder:
        suite = Suite(sys.argv[1], sys.argv[2], folder)
        test_shaders(suite)
        test_messages(suite)
        test_edits(suite)
        test_malformed(suite)
        test_noise(suite)
    return end()


if __name__ == "__main__":
    sys.exit(main())

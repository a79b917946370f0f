#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_spv_embed.py SPV_EMBED GLSLC SHADERS: tests the reflection of src/spirv/reflect.c.

Compiles small shaders with glslc and compares the tables that tools/spv_embed.c writes, or the
message with which it refuses a shader that the library cannot use. TAP output.
"""

import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import check, end  # noqa: E402

HEAD = """#version 460
#extension GL_GOOGLE_include_directive : require
{extensions}
#include "lib/pass.glsl"
layout(std430, set = 0, binding = 0) {a} buffer a {{ uint as[]; }};
layout(std430, set = 0, binding = 1) buffer b {{ uvec4 bs[]; }};
{globals}
void main() {{
    uint i = vks_item();
    {body}
}}
"""

# Accesses to buffer `a`: (name, loads stores atomics, body, globals)
ACCESSES = [
    ("a load", "100", "bs[i].x = as[i];"),
    ("a store", "010", "as[i] = 1u;"),
    ("nothing", None, "bs[i].x = 1u;"),
    ("only its length", "000", "bs[i].x = uint(as.length());"),
    ("a load and a store", "110", "as[i] = as[i + 1u];"),
    ("an update", "110", "as[i] += 3u;"),
    ("an increment", "110", "as[i]++;"),
    ("an atomic addition", "001", "atomicAdd(as[i], 1u);"),
    ("an atomic addition whose result is used", "001", "bs[i].x = atomicAdd(as[i], 1u);"),
    ("an atomic exchange", "001", "atomicExchange(as[i], 1u);"),
    ("an atomic comparison", "001", "atomicCompSwap(as[i], 1u, 2u);"),
    ("an atomic load", "001", "bs[i].x = atomicLoad(as[i], gl_ScopeDevice, 0, 0);"),
    ("an atomic store", "001", "atomicStore(as[i], 1u, gl_ScopeDevice, 0, 0);"),
    ("an atomic addition and a load", "101", "atomicMax(as[i], as[i + 1u]);"),
    ("an atomic addition and a store", "011", "atomicOr(as[i], 1u); as[i + 1u] = 1u;"),
    ("a load in a function", "100", "bs[i].x = at(i);", "uint at(uint k) { return as[k]; }"),
    ("a load for an argument", "100", "bs[i].x = twice(as[i]);",
     "uint twice(uint k) { return 2u * k; }"),
    ("an element for an `out` argument", "010", "put(as[i]);", "void put(out uint k) { k = 1u; }"),
    ("an element for an `inout` argument", "110", "put(as[i]);",
     "void put(inout uint k) { k++; }"),
    ("a store in a function", "010", "put(i);", "void put(uint k) { as[k] = k; }"),
    ("a load in a branch", "100", "if (on) { bs[i].x = as[i]; }",
     "layout(constant_id = 0) const bool on = false;"),
    ("a load through a copy", "100", "uint kept = as[i]; kept++; bs[i].x = kept;"),
    ("a choice of two elements", "100", "bs[i].x = i > 3u ? as[i] : as[i + 1u];"),
    ("the second view", "110", "as[i] = pairs[i].y;",
     "layout(std430, set = 0, binding = 0) buffer a_pairs { uvec2 pairs[]; };"),
    ("only the second view", "010", "pairs[i].y = 1u;",
     "layout(std430, set = 0, binding = 0) buffer a_pairs { uvec2 pairs[]; };"),
]

# (name, part of the message, body, globals, extensions)
WRONG = [
    ("a uniform block", "it binds 'look', which is not a storage buffer", "as[i] = size;",
     "layout(set = 0, binding = 2) uniform look { uint size; };"),
    ("an image", "it binds 'img', which is not a storage buffer",
     "as[i] = imageLoad(img, ivec2(i)).x;",
     "layout(set = 0, binding = 2, r32ui) uniform readonly uimage2D img;"),
    ("a texel buffer and a storage buffer", "its binding 0 mixes texel sizes, or a texel",
     "as[i] = texelFetch(vks_texels_uint_a, int(i)).x;",
     "layout(set = 0, binding = 0) uniform utextureBuffer vks_texels_uint_a;",
     "#extension GL_EXT_samplerless_texture_functions : require"),
    ("texels of two sizes", "its binding 2 mixes texel sizes, or a texel buffer with a storage",
     "as[i] = texelFetch(vks_texels_uint_b, int(i)).x + texelFetch(vks_texels_vec4_b, int(i)).x;",
     "layout(set = 0, binding = 2) uniform utextureBuffer vks_texels_uint_b;\n"
     "layout(set = 0, binding = 2) uniform utextureBuffer vks_texels_vec4_b;",
     "#extension GL_EXT_samplerless_texture_functions : require"),
    ("a texel buffer with a name of its own",
     "its texel buffer 'words' is not declared by VKS_INPUT of lib/field.glsl",
     "as[i] = texelFetch(words, int(i)).x;",
     "layout(set = 0, binding = 2) uniform utextureBuffer words;",
     "#extension GL_EXT_samplerless_texture_functions : require"),
    ("a texel buffer of an unknown type",
     "its texel buffer 'vks_texels_ivec3_b' is not declared by VKS_INPUT of lib/field.glsl",
     "as[i] = texelFetch(vks_texels_ivec3_b, int(i)).x;",
     "layout(set = 0, binding = 2) uniform utextureBuffer vks_texels_ivec3_b;",
     "#extension GL_EXT_samplerless_texture_functions : require"),
    ("a sampler", "it binds 'tex', which is not a storage buffer",
     "as[i] = uint(textureLod(tex, vec2(0.0f), 0.0f).x);",
     "layout(set = 0, binding = 2) uniform sampler2D tex;"),
    ("another set", "its buffer 'c' is in set 1; every buffer belongs in set 0",
     "as[i] = cs[i];", "layout(std430, set = 1, binding = 0) buffer c { uint cs[]; };"),
    ("an array of buffers", "its storage buffer at binding 2 is not one block with a name",
     "as[i] = c[1].cs[i];", "layout(std430, set = 0, binding = 2) buffer cc { uint cs[]; } c[2];"),
    ("two fields at one binding", "its buffers 'a' and 'heat' share binding 0; views of one field "
     "are called 'a' and 'a_...'", "as[i] = cs[i];",
     "layout(std430, set = 0, binding = 0) buffer heat { uint cs[]; };"),
    ("two fields at one binding that look alike", "its buffers 'a' and 'alpha' share binding 0",
     "as[i] = cs[i];", "layout(std430, set = 0, binding = 0) buffer alpha { uint cs[]; };"),
    ("push constants without the step", "its push constants do not begin with `uint step_in_batch`",
     "as[i] = uint(heat);", "layout(push_constant, std430) uniform p { float heat; };"),
    ("push constants that begin later", "its push constants do not begin with",
     "as[i] = heat;", "layout(push_constant, std430) uniform p { layout(offset = 4) uint heat; };"),
    ("too many push constants", "its push constants have 132 bytes, 128 are possible",
     "as[i] = constants.all[i];", "struct many { uint all[32]; }; VKS_CONSTANTS(many);"),
    ("an instruction that writes where the walk does not see it",
     "takes a pointer into a buffer, which hides what it does there",
     "as[i] = uint(modf_to(0.5f * float(i), parts[i]));",
     "layout(std430, set = 0, binding = 2) buffer p { float parts[]; };\n"
     'spirv_instruction(set = "GLSL.std.450", id = 35)\n'  # Modf; glslc may write ModfStruct
     "float modf_to(float x, spirv_by_reference float whole);",
     "#extension GL_EXT_spirv_intrinsics : require"),
    ("a constant with an id of the core", "its constant 'rows' has the id 253; 253 and up are the "
     "core's", "as[i] = rows;", "layout(constant_id = 253) const uint rows = 1u;"),
    ("a constant with the free id", "its constant 'rows' has the id 255", "as[i] = rows;",
     "layout(constant_id = 255) const uint rows = 1u;"),
]

# Complete sources: (name, part of the message, source)
BUFFER = "layout(std430, set = 0, binding = 0) buffer a { uint as[]; };\n"
WHOLE = [
    ("a fixed workgroup size", "its workgroup size is not that of lib/pass.glsl",
     "layout(local_size_x = 64) in;\n" + BUFFER + "void main() { as[0] = 1u; }"),
    ("the ids of before", "its workgroup size is not that of lib/pass.glsl",
     "layout(local_size_x_id = 0, local_size_y_id = 1) in;\n" + BUFFER +
     "void main() { as[0] = 1u; }"),
    ("half a workgroup size", "its workgroup size is not that of lib/pass.glsl",
     "layout(local_size_x_id = 253) in;\n" + BUFFER + "void main() { as[0] = 1u; }"),
    ("a third dimension", "its workgroup size is not that of lib/pass.glsl",
     "layout(local_size_x_id = 253, local_size_y_id = 254, local_size_z_id = 255) in;\n" + BUFFER +
     "void main() { as[0] = 1u; }"),
]

class Tools:
    def __init__(self, embed, glslc, shaders, folder):
        self.embed, self.glslc, self.shaders, self.folder = embed, glslc, shaders, folder

    def path(self, name):
        return os.path.join(self.folder, name)

    def compile(self, name, source, *options):
        self.compile_all({name: source}, *options)

    def compile_all(self, sources, *options, suffix=""):
        """Writes NAME + suffix + ".spv" of all {NAME: source}. glslc takes long to start."""
        for name, source in sources.items():
            with open(self.path(name + ".comp"), "w", encoding="utf-8") as file:
                file.write(source)
        subprocess.run([self.glslc, "--target-env=vulkan1.3", "-I", self.shaders, *options, "-c",
                        *(name + ".comp" for name in sources)], check=True, cwd=self.folder)
        for name in sources:
            os.replace(self.path(name + ".comp.spv"), self.path(name + suffix + ".spv"))

    def run(self, *words):
        """(status, standard error, the C file or None)"""
        out = self.path("out.c")
        if os.path.exists(out):
            os.remove(out)
        done = subprocess.run([self.embed, out, self.path("out.bin"), "some", *words],
                              capture_output=True, text=True, timeout=60, check=False)
        text = None
        if os.path.exists(out):
            with open(out, encoding="utf-8") as file:
                text = file.read()
        return done.returncode, done.stderr, text

    def run_one(self, name):
        return self.run("--exact", "some/" + name, self.path(name + ".spv"))


def shader(body, globals_="", extensions="", a=""):
    return HEAD.format(body=body, globals=globals_, extensions=extensions, a=a)


def rows_of(text):
    """Buffers and constants of the first shader: {name: [numbers]}."""
    return {name: [int(n) for n in numbers.split(", ")]
            for name, numbers in re.findall(r'^    \{"(\w+)", ([\d, ]+)\},$', text, re.MULTILINE)}


def test_accesses(tools):
    tools.compile_all({f"access{k}": shader(*parts, extensions="#extension "
                                            "GL_KHR_memory_scope_semantics : require")
                       for k, (_, _, *parts) in enumerate(ACCESSES)})
    for k, (name, wanted, *_) in enumerate(ACCESSES):
        status, sentence, text = tools.run_one(f"access{k}")
        row = rows_of(text or "").get("a")
        got = "".join(str(n) for n in row[4:7]) if row else None
        check(status == 0 and got in (wanted, wanted or "000"), name,
               f"wanted {wanted}, got {got}, status {status}", sentence)


def test_qualifiers(tools):
    for qualifier, body, wanted in (("readonly", "bs[i].x = as[i];", [0, 4, 1, 0, 1, 0, 0, 0, 0]),
                                    ("writeonly", "as[i] = 1u;", [0, 4, 0, 1, 0, 1, 0, 0, 0]),
                                    ("coherent", "as[i]++;", [0, 4, 0, 0, 1, 1, 0, 0, 0])):
        tools.compile(qualifier, shader(body, a=qualifier))
        status, sentence, text = tools.run_one(qualifier)
        check(status == 0 and rows_of(text)["a"] == wanted, f"a {qualifier} block", status,
               sentence, text)
    # Two views, only one of which is readonly.
    tools.compile("views", shader("bs[i].x = as[i] + pairs[i].y;",
                                  "layout(std430, set = 0, binding = 0) buffer a_pairs "
                                  "{ uvec2 pairs[]; };", a="readonly"))
    status, sentence, text = tools.run_one("views")
    rows = rows_of(text or "")
    check(status == 0 and rows.get("a") == [0, 4, 0, 0, 1, 0, 0, 0, 0] and "a_pairs" not in rows,
           "two views are one buffer", status, sentence, rows)


def test_constants(tools):
    tools.compile("constants", shader(
        "as[i] = rows + (on ? 1u : constants.count);",
        "layout(constant_id = 0) const uint rows = 8u;\n"
        "layout(constant_id = 1) const bool on = false;\n"
        "struct p { uint count; float heat; }; VKS_CONSTANTS(p);\n"
        "shared uint kept[rows * 4u]; shared vec2 more[3];\n"))
    tools.compile("plain", shader("as[i] = gl_WorkGroupSize.x;"))
    status, sentence, text = tools.run(
        "--exact", "some/constants", tools.path("constants.spv"), "--inexact", "some/plain",
        tools.path("plain.spv"))
    rows = rows_of(text or "")
    check(status == 0 and rows.get("rows") == [0] and rows.get("on") == [1] and
           text.count("static const struct vks_reflected_constant ") == 1,
           "specialization constants may begin at 0; the workgroup size is not among them", status,
           sentence, text)
    check(status == 0 and ".push_size = 12," in text and ".push_size = 0," in text,
           "bytes of push constants", status, text)
    check(status == 0 and re.findall(r"\.exact = (\d)", text) == ["1", "0"],
           "exact and inexact shaders", status, text)
    check(status == 0 and "const size_t some_shader_count = 2;" in text and
           re.findall(r'\.name = "(.*)"', text) == ["some/constants", "some/plain"],
           "the table", status, text)


def test_wrong(tools):
    cases = [(name, text, shader(*parts)) for name, text, *parts in WRONG]
    cases += [(name, text, "#version 460\n" + source) for name, text, source in WHOLE]
    tools.compile_all({f"wrong{k}": source for k, (_, _, source) in enumerate(cases)})
    for k, (name, wanted, _) in enumerate(cases):
        status, sentence, text = tools.run_one(f"wrong{k}")
        check(status == 1 and text is None and sentence.startswith(f"shader some/wrong{k}: ") and
               wanted in sentence and sentence.count("\n") == 1, name, status, sentence)


# Accesses to a field by chunks: (name, loads stores atomics, body, globals)
VIEW = "VKS_FIELD(0, , a_pairs, uvec2, pairs);"
BY_CHUNKS = [
    ("a load", "100", "VKS_AT(bs, i).x = VKS_AT(as, i);"),
    ("a store", "010", "VKS_AT(as, i) = 1u;"),
    ("a load and a store", "110", "VKS_AT(as, i) = VKS_AT(as, i + 1u);"),
    ("an update", "110", "VKS_AT(as, i) += 3u;"),
    ("an atomic addition", "001", "atomicAdd(VKS_AT(as, i), 1u);"),
    ("an atomic addition and a load", "101", "atomicMax(VKS_AT(as, i), VKS_AT(as, i + 1u));"),
    ("a load in a function", "100", "VKS_AT(bs, i).x = at(i);",
     "uint at(uint k) { return VKS_AT(as, k); }"),
    ("an element for an `inout` argument", "110", "put(VKS_AT(as, i));",
     "void put(inout uint k) { k++; }"),
    ("only the second view", "010", "VKS_AT(pairs, i).y = 1u;", VIEW),
    ("both views", "110", "VKS_AT(pairs, i).y = VKS_AT(as, i);", VIEW),
    ("an element of another element's number", "110",
     "uint k = VKS_AT(as, i); VKS_AT(as, k) = k;"),
]

# Not allowed in the wide variant: (name, part of the message, body, globals)
WRONG_CHUNKS = [
    ("a view by another block", "its buffer 'a_pairs' is not declared by VKS_FIELD",
     "VKS_AT(as, i) = pairs[i].y;",
     "layout(std430, set = 0, binding = 0) buffer a_pairs { uvec2 pairs[]; };"),
    ("an address in a variable", "it makes or keeps an address by itself", """
#ifdef VKS_WIDE
        vks_chunk_as chunk = vks_chunk_as(vks_chunks_as[0]); chunk.at[i] = 1u;
#else
        as[i] = 1u;
#endif"""),
    ("an address that is computed", "it makes or keeps an address by itself", """
#ifdef VKS_WIDE
        vks_chunk_as(vks_chunks_as[0] + uvec2(4u, 0u)).at[i] = 1u;
#else
        as[i] = 1u;
#endif"""),
    ("an address for a function", "it makes or keeps an address by itself", """
#ifdef VKS_WIDE
        put(vks_chunk_as(vks_chunks_as[0]));
#else
        as[0] = 1u;
#endif""", """
#ifdef VKS_WIDE
        void put(vks_chunk_as chunk) { chunk.at[0] = 1u; }
#endif"""),
    ("another access", "its wide variant differs in 'a'", """
#ifdef VKS_WIDE
        VKS_AT(as, i) += 1u;
#else
        VKS_AT(as, i) = 1u;
#endif"""),
    ("another constant", "its wide variant differs in 'rows'", """
#ifndef VKS_WIDE
        VKS_AT(as, i) = rows;
#else
        VKS_AT(as, i) = 1u;
#endif""", """
#ifndef VKS_WIDE
        layout(constant_id = 3) const uint rows = 1u;
#endif"""),
    ("more shared memory", "its wide variant has other buffers, push constants or workgroup "
     "variables", "kept[0] = i; VKS_AT(as, i) = kept[0];", """
#ifdef VKS_WIDE
        shared uint kept[4];
#else
        shared uint kept[2];
#endif"""),
    ("one buffer more", "its wide variant has other buffers", """
        VKS_AT(as, i) = 1u;
#ifdef VKS_WIDE
        VKS_AT(more, i) = 1u;
#endif""", """
#ifdef VKS_WIDE
        VKS_FIELD(2, , c, uint, more);
#endif"""),
]


def wide_shader(body, globals_=""):
    return """#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
VKS_FIELD(0, , a, uint, as);
VKS_FIELD(1, , b, uvec4, bs);
%s
void main() {
    uint i = vks_item();
    %s
}
""" % (globals_, body)


def run_wide(tools, name):
    """Like Tools.run_one(), for a shader with its wide variant."""
    return tools.run("--exact", "some/" + name, tools.path(name + ".spv"), "--wide",
                     tools.path(name + ".wide.spv"))


def test_chunks(tools):
    sources = {"two": wide_shader("VKS_AT(as, i) = 1u;")}
    for kind, cases in (("chunks", BY_CHUNKS), ("wrongchunks", WRONG_CHUNKS)):
        sources |= {f"{kind}{k}": wide_shader(*parts) for k, (_, _, *parts) in enumerate(cases)}
    tools.compile_all(sources, "-DVKS_WIDE", suffix=".wide")
    tools.compile_all(sources)
    for k, (name, wanted, *_) in enumerate(BY_CHUNKS):
        status, sentence, text = run_wide(tools, f"chunks{k}")
        rows = [[int(n) for n in numbers.split(", ")]
                for numbers in re.findall(r'^    \{"a", ([\d, ]+)\},$', text or "", re.MULTILINE)]
        got = ["".join(str(n) for n in row[4:8]) for row in rows]
        check(status == 0 and got == [wanted + "0", wanted + "1"], f"by chunks: {name}",
               f"wanted {wanted}, got {got}, status {status}", sentence)
    for k, (name, wanted, *_) in enumerate(WRONG_CHUNKS):
        status, sentence, text = run_wide(tools, f"wrongchunks{k}")
        check(status == 1 and text is None and wanted in sentence and sentence.count("\n") == 1 and
               sentence.startswith(f"shader some/wrongchunks{k}: "), f"by chunks: {name}", status,
               sentence)
    status, sentence, text = run_wide(tools, "two")
    check(status == 0 and re.findall(r'\.name = "(.*)"', text) == ["some/two", "some/two"] and
           "const size_t some_shader_count = 1;" in text and text.count(".wide = &wide_1,") == 1 and
           "static const struct vks_shader wide_1 = " in text, "the table has the narrow one",
           status, sentence, text)
    status, sentence, text = tools.run("--exact", "some/two", tools.path("two.wide.spv"))
    check(status == 1 and text is None and
           "it takes addresses from 'a', which only wide variants may" in sentence,
           "a wide variant in the place of the narrow one", status, sentence)
    tools.compile("plain", shader("as[i] = 1u;"))
    status, sentence, text = tools.run("--exact", "some/plain", tools.path("plain.spv"), "--wide",
                                       tools.path("plain.spv"))
    check(status == 0 and ".wide" not in text and text.count(".words = ") == 1,
           "a wide variant without chunks is left out", status, sentence)


def test_edited(tools):
    """Cases that glslc does not produce: edits the SPIR-V word by word."""
    tools.compile("good", shader("as[i] = rows + lanes + bs[i].x;",
                                 "layout(constant_id = 3) const uint rows = 8u;\n"
                                 "layout(constant_id = 4) const uint lanes = 8u;"))
    with open(tools.path("good.spv"), "rb") as file:
        good = file.read()

    def expect(name, wanted, data):
        with open(tools.path("edited.spv"), "wb") as file:
            file.write(data)
        status, sentence, text = tools.run_one("edited")
        check(status == 1 and text is None and wanted in sentence, name, status, sentence)

    def words(*numbers):
        return b"".join(n.to_bytes(4, "little") for n in numbers)

    def replaced(old, new):
        assert good.count(old) == 1 and len(old) == len(new), (good.count(old), old)
        return good.replace(old, new)

    expect("not SPIR-V", "it is not a SPIR-V module", b"void main()\n" * 4)
    expect("an empty file", "it is not a SPIR-V module", b"")
    expect("half a module", "its SPIR-V is damaged at word", good[:len(good) // 2 & ~3 | 4])
    expect("two constants of one name", "it has two specialization constants called 'rows'",
           replaced(b"lanes\0\0\0", b"rows\0\0\0\0"))
    expect("a constant without a name", "its specialization constant 4 has no name",
           replaced(b"lanes\0\0\0", b"\0" * 8))
    expect("two constants of one id", "have the same id 3",
           replaced(words(1, 4), words(1, 3)))
    expect("a name that C could not take", "it has a name that is not an identifier",
           replaced(b"lanes\0\0\0", b"la\"es\0\0\0"))
    expect("a block without a name", "its storage buffer at binding 0 is not one block with a name",
           replaced(b"\x61\0\0\0\x06\0", b"\0\0\0\0\x06\0"))
    expect("an entry point of another name", "its entry point is not 'main'",
           good.replace(b"main\0", b"menu\0", 1))
    at = good.index(b"main\0") - 12
    length = int.from_bytes(good[at + 2:at + 4], "little") * 4
    expect("two entry points", "it has 2 entry points, not one",
           good[:at + length] + good[at:])
    expect("a fragment shader", "it is not a compute shader",
           good[:at + 4] + words(4) + good[at + 8:])
    expect("variable pointers", "it uses variable pointers",
           good[:20] + words(2 << 16 | 17, 4441) + good[20:])
    status, sentence, _ = tools.run("--exact", "some/absent", tools.path("absent.spv"))
    check(status == 1 and "absent.spv" in sentence, "a missing file", status, sentence)
    tools.compile("wrong", shader(*WRONG[0][2:]))
    status, sentence, text = tools.run("--exact", "one", tools.path("wrong.spv"), "two",
                                       tools.path("good.spv"), "three", tools.path("wrong.spv"))
    check(status == 1 and text is None and "shader one: " in sentence and
           "shader three: " in sentence, "every wrong shader is named", status, sentence)
    check(subprocess.run([tools.embed], capture_output=True, check=False).returncode == 2,
           "no argument")


def main():
    with tempfile.TemporaryDirectory(prefix="vksim-spv-embed-") as folder:
        tools = Tools(sys.argv[1], sys.argv[2], os.path.abspath(sys.argv[3]), folder)
        test_accesses(tools)
        test_qualifiers(tools)
        test_constants(tools)
        test_wrong(tools)
        test_chunks(tools)
        test_edited(tools)
    return end()


sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_cli_plugins.py VKSIM [NAME...]: simulations from shared libraries: what vksim new writes is
built with what vksim-model.pc names and run, so are plug-ins of earlier and later headers, and
what is refused. See suite.py."""

import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
from suite import FILE, OK, STOPPED, USAGE, main, picture, values  # noqa: E402

RUN = ["--headless", "--size", "24x16", "--steps", 10]

# The last members of these structures, which an earlier header could lack, and those of the lists
# in plugin.h that name them.
EARLIER = {
    "vks_model": ["struct vks_chart chart;", "struct vks_model_time time;"],
    "vks_option": ["unsigned flags;"],
    "vks_view": ["const char *look;"],
    "vks_field": ["uint32_t image_fit;"],
    "vks_pass": ["bool left_out;"],
    "vks_use": ["uint32_t index;"],
    "vks_scalar": ["const char *const *failures;"],
    "vks_brush": ["bool measures;"],
    "vks_fft": ["uint32_t every;", "uint32_t invocations;"],
    "vks_host": [r"void \(\*declare_exchange\)[^;]*;", r"uint64_t \(\*items_room\)[^;]*;"],
}

# A shader that divides: line 8.
INEXACT = """#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/grid.glsl"
#include "params.h"
VKS_CONSTANTS(step_params);
VKS_FIELD(0, readonly, life, float, values);
VKS_FIELD(1, writeonly, life_next, float, values_next);
float half_of(uint i) { return VKS_AT(values, i) / constants.alive; }
void main()
{
    uint i = gl_GlobalInvocationID.x;
    VKS_AT(values_next, i) = half_of(i);
}
"""

# Loads libvksim so that its symbols are nobody else's, and a plug-in through it, twice.
PROGRAM = """#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    int (*load)(const char *, const char **) = dlsym(library, "vks_model_load");
    const char *(*text)(void) = dlsym(library, "vks_error_text");
    const char *(*preset)(const char *, size_t, const char **) = dlsym(library, "vks_model_preset");
    for (int i = 2; i < argc; i++) {
        const char *name = NULL;
        const int result = load(argv[i], &name);
        printf("%d %s %s\\n", result, name ? name : text(), name ? preset(name, 1, NULL) : "");
    }
    return 0;
}
"""


def run(suite, *command, **more):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **more)
    if done.returncode != 0:
        raise AssertionError(f"{command}: {done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


def build_folder(suite):
    return os.path.dirname(suite.vksim)


def pkg_config(suite, *arguments):
    env = os.environ | {"PKG_CONFIG_PATH": build_folder(suite) + "/meson-uninstalled"}
    return run(suite, "pkg-config", *arguments, "vksim-model", env=env).split()


def make(suite, name="waves"):
    """The folder that vksim new writes, built: the path of the plug-in."""
    folder = suite.path(name)
    got, out, err = suite.run("new", name, "--kind", "plugin")
    suite.check(got == OK and not out and f"vksim {name}/build/lib{name}.so" in err, "made", err)
    env = os.environ | {"PKG_CONFIG_PATH": build_folder(suite) + "/meson-uninstalled"}
    run(suite, "meson", "setup", folder + "/build", folder, "--werror", env=env)
    run(suite, "meson", "compile", "-C", folder + "/build", env=env)
    return f"{name}/build/lib{name}.so"


def compile_model(suite, out, headers=None, source=None, table="shaders.c"):
    """The plug-in of `waves`, compiled with other headers, from another text or shaders."""
    flags = pkg_config(suite, "--cflags")
    if headers:
        flags.insert(0, "-I" + headers)
    build = suite.path("waves/build")
    if source is not None:
        suite.write("waves/changed.c", source)
    run(suite, "cc", "-std=c17", "-shared", "-fPIC", *flags, "-o", suite.path(out),
        "../model.c" if source is None else "../changed.c", table, "-lm", cwd=build)
    return out


def headers_of(suite, name, change):
    """A copy of the headers in which change(file, text) has changed the texts."""
    folder = suite.path(name)
    (own,) = pkg_config(suite, "--variable=headers")
    shutil.copytree(own, folder)
    for file in ("model.h", "plugin.h"):
        path = f"{folder}/vksim/{file}"
        with open(path, encoding="utf-8") as before:
            text = before.read()
        with open(path, "w", encoding="utf-8") as after:
            after.write(change(file, text))
    return folder


def cut_members(_, text):
    """An earlier header."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    for structure, members in EARLIER.items():
        for member in members:
            pattern = member if "\\" in member else re.escape(member)
            text = re.sub(rf"(struct {structure} {{(?:(?!^}};).)*?){pattern}", r"\1", text, 1,
                          re.DOTALL | re.MULTILINE)
    text = re.sub(r"\\\s*X\(exchange\)", "", text)
    for function in ("void vks_declare_exchange", "uint64_t vks_items_room"):
        text = re.sub(rf"VKS_CALL {function}[^;]*;", "", text)
        text = re.sub(rf"static inline {function}.*?^}}", "", text, 1, re.DOTALL | re.MULTILINE)
    return text


def sizes_of(suite, headers):
    """{structure: bytes} as a program with these headers has them."""
    lines = "".join(f'    printf("{name} %zu\\n", sizeof(struct {name}));\n'
                    for name in [*EARLIER, "vks_sizes"])
    suite.write("sizes.c", f"#include <vksim/plugin.h>\nint main(void)\n{{\n{lines}}}\n")
    run(suite, "cc", "-I" + headers, "-o", suite.path("sizes"), suite.path("sizes.c"))
    return dict(line.split() for line in run(suite, suite.path("sizes")).splitlines())


def refused(suite, plugin, sentence):
    """Like suite.fails(), of a sentence with numbers that change."""
    got, out, err = suite.run(plugin, *RUN)
    suite.check(got == USAGE and not out and re.fullmatch(f"vksim: '{plugin}' {sentence}\n", err),
                f"{plugin} is refused", out, err)


def test_template(suite):
    """What vksim new writes is built, runs at once, and is the same on both drivers."""
    plugin = make(suite)
    suite.check(not any("NAME" in suite.read(f"waves/{name}").decode()
                        for name in os.listdir(suite.path("waves")) if name != "build"), "its name")
    out = suite.succeeds("check", "check", plugin, "--steps", 30)
    suite.check("waves: the same bytes in all" in out, "the same in all experiments", out)
    suite.succeeds("a picture", plugin, "--headless", "--size", "96x64", "--steps", 60,
                   "--steps-per-frame", 60, "--out", "end.png")
    suite.check(len(set(picture(suite.path("end.png"))[2])) > 15, "that shows something")
    first = suite.state(plugin, *RUN)
    suite.check(first == suite.state(plugin, *RUN, env=suite.environment("swiftshader")),
                "the same state on both drivers")
    suite.check(first != suite.state(plugin, *RUN, "--rule", "345/2/4"), "its text counts")
    out = suite.succeeds("its options", plugin, "--help")
    suite.check("--rule S/B/N" in out and "blossoms" in out, "are in its help", out)
    suite.succeeds("a table", plugin, *RUN, "--watch", "life.csv")
    suite.check(suite.read("life.csv").startswith(b"frame,step,life\n"), "has its scalar")


def test_found(suite):
    """By name, in the list, and of states and scenes."""
    os.makedirs(suite.path("models"))
    shutil.copy(suite.path(make(suite)), suite.path("models/libwaves.so"))
    env = suite.environment(VKSIM_MODEL_PATH=suite.path("models"))
    first = suite.state("models/libwaves.so", *RUN)
    suite.check(suite.state("waves", *RUN, env=env) == first, "found by its name")
    out = suite.succeeds("--list", "--list", env=env)
    suite.check(re.search(r"^  waves +\S*models/libwaves\.so$", out, re.M), "lists it", out)
    suite.succeeds("a scene and a state", "waves", *RUN, "--out", "a.png", "--save-scene",
                   "scene.json", "--save-state", "state.npz", env=env)
    suite.check(b".so" not in suite.read("scene.json"), "the scene has no path")
    suite.succeeds("the scene, by its name", "--scene", "scene.json", "--out", "b.png", env=env)
    suite.succeeds("and by the file", "models/libwaves.so", "--scene", "scene.json", "--out",
                   "c.png")
    suite.check(suite.read("a.png") == suite.read("b.png") == suite.read("c.png"),
                "the same pictures")
    whole = suite.state("waves", "--headless", "--size", "24x16", "--steps", 15, env=env)
    suite.check(suite.state("--load-state", "state.npz", "--headless", "--steps", 5,
                            env=env) == whole, "the state goes on")
    suite.fails("scene of none", USAGE, "waves", "--scene", "scene.json")
    suite.fails("state of none", FILE, "waves", "--load-state", "state.npz", "--headless")
    suite.write("path.json", suite.read("scene.json").replace(b'"waves"', b'"models/libwaves.so"'))
    suite.fails("scene with a path", USAGE, "models/libwaves.so", "--scene", "path.json", env=env)


SECOND = """static const struct vks_model second = {
    .name = "embers",
    .summary = "another",
    .options = {options, sizeof(options) / sizeof(options[0])},
    .settings_size = sizeof(struct settings),
    .views = VKS_VIEWS({"life", "life", .help = "how alive a cell is"}),
    .parse = parse,
    .declare = declare,
};

VKS_DEFINE_PLUGIN(plugin_shaders, &model, &second)"""


def test_several(suite):
    """Every simulation of a plug-in runs by its name; scenes and states choose theirs, and are
    refused by another version of the plug-in."""
    text = (make(suite), suite.read("waves/model.c").decode())[1]
    one = "VKS_DEFINE_PLUGIN(plugin_shaders, &model)"
    assert one in text
    os.makedirs(suite.path("models"))
    file = compile_model(suite, "models/libwaves.so", source=text.replace(one, SECOND))
    env = suite.environment(VKSIM_MODEL_PATH=suite.path("models"))
    os.symlink("libwaves.so", suite.path("models/libembers.so"))
    for name, words in (("waves", [file]), ("waves", [file, "waves"]), ("embers", [file, "embers"]),
                        ("embers", ["waves", "embers"]), ("embers", ["embers"])):
        out = suite.succeeds(f"{words}", *words, "--help", env=env)
        suite.check(out.startswith(f"vksim {name}: "), f"is {name}", out)
        used = [line.split() for line in out.splitlines() if " vksim " in line][:2]
        suite.check(all(suite.run(*line[line.index("vksim") + 1:-1], "--list", env=env)[0] == OK
                        for line in used), "with lines of usage that work", used)
    out = suite.succeeds("its list", file, "--list")
    suite.check("waves: " in out and "embers: another" in out, "has both", out)
    suite.fails("neither", USAGE, "'ashes'", file, "ashes", *RUN)
    suite.succeeds("a scene and a state", file, "embers", *RUN, "--out", "a.png", "--save-scene",
                   "s.json", "--save-state", "s.npz")
    more = ["--headless", "--out", "none", "--steps", 12]
    for option, held in (("--scene", "s.json"), ("--load-state", "s.npz")):
        suite.succeeds(f"{option} chooses", file, option, held, *more)
        suite.succeeds(f"{option} by a link", option, held, *more, env=env)
        suite.fails(f"{option} of another", FILE if "npz" in held else USAGE, held, file, "waves",
                    option, held, *more)
    compile_model(suite, "other.so", source=text.replace(one, SECOND.replace("another", "third")))
    for option, held in (("--scene", "s.json"), ("--load-state", "s.npz")):
        refused_version(suite, option, held)
        suite.succeeds(f"{option}, if it is allowed", "other.so", option, held, *more,
                       "--allow-model-change")
    suite.write("number.json", suite.read("s.json").replace(b'"plugin": "', b'"plugin": 1, "x": "'))
    suite.fails("a number", USAGE, "must be a digest", file, "--scene", "number.json", *more)
    suite.write("built-in.json", '{"simulation": "gray-scott", "plugin": "0"}')
    suite.fails("a built-in simulation", USAGE, "is of a plug-in", "--scene", "built-in.json")


def refused_version(suite, option, held):
    got, out, err = suite.run("other.so", option, held, "--headless", "--out", "none")
    suite.check(got == USAGE and not out and re.fullmatch(
        f"vksim: '{held}' has another version of embers, whose digest is [0-9a-f]{{32}}; that of "
        "'other.so' is [0-9a-f]{32}\n", err), f"{option} of another version", err)


def test_versions(suite):
    """Of an earlier header; of a later one, and of another ABI, which are refused."""
    digest = suite.state(make(suite), *RUN)
    earlier = headers_of(suite, "earlier", cut_members)
    (own,) = pkg_config(suite, "--variable=headers")
    before, now = sizes_of(suite, earlier), sizes_of(suite, own)
    smaller = {name for name in now if int(before[name]) < int(now[name])}
    suite.check(smaller == set(now), "an earlier header with shorter structures",
                set(now) - smaller)
    suite.check(suite.state(compile_model(suite, "earlier.so", earlier), *RUN) == digest,
                "its plug-in gives the same bytes")
    suite.succeeds("and its checks pass", "check", "earlier.so", "--steps", 10, "--size", "20x12")
    for structure in ("model", "option", "pass", "host", "sizes", "plugin"):
        def grown(_, text, name="vks_" + structure):
            return re.sub(rf"(struct {name} {{.*?)^}};", r"\1    uint64_t more[2];\n};", text, 1,
                          re.DOTALL | re.MULTILINE)
        later = headers_of(suite, "later-" + structure, grown)
        compile_model(suite, f"later-{structure}.so", later)
        refused(suite, f"later-{structure}.so",
                rf"was made for a later vksim: its struct vks_{structure} has \d+ bytes, this "
                r"vksim's has \d+")
    other = headers_of(suite, "other", lambda _, text: text.replace("VKS_PLUGIN_ABI = 1",
                                                                    "VKS_PLUGIN_ABI = 2"))
    compile_model(suite, "other.so", other)
    suite.fails("another ABI", USAGE, "ABI 2", "other.so", *RUN)


def test_shaders(suite):
    """A shader that is not exact, and one whose name is another's."""
    make(suite)
    (shaders,) = pkg_config(suite, "--variable=shaders")
    (embed,) = pkg_config(suite, "--variable=spv_embed")
    build = suite.path("waves/build")
    suite.write("waves/half.comp", INEXACT)
    run(suite, "glslc", "--target-env=vulkan1.3", "-g", "-I", shaders, "-I", "..", "-o", "half.spv",
        "../half.comp", cwd=build)
    for table, name, module in [("half", "waves/step", "half.spv"),
                                ("taken", "gray_scott/step", "step.spv")]:
        run(suite, embed, f"{table}.c", f"{table}.bin", "plugin", "--plugin", "waves/start",
            "start.spv", name, module, cwd=build)
        compile_model(suite, f"{table}.so", table=f"{table}.c")
    suite.fails("not exact", STOPPED, "half.comp:8", "half.so", *RUN)
    suite.fails("a taken name", USAGE, "there is a shader", "taken.so", *RUN)


def test_wrong(suite):
    """What is not a plug-in, or one with mistakes, is refused in one sentence."""
    plugin = make(suite)
    text = suite.read("waves/model.c").decode()
    whole = suite.read(plugin)
    os.makedirs(suite.path("folder.so"))
    suite.write("text.so", "text")
    suite.write("empty.so", b"")
    suite.write("cut.so", whole[:len(whole) // 2])
    other = 0xb7 if whole[18] != 0xb7 else 0x3e
    suite.write("cpu.so", whole[:18] + bytes([other, 0]) + whole[20:])
    suite.write("none.c", "int unused_number;\n")
    run(suite, "cc", "-shared", "-fPIC", "-o", suite.path("none.so"), suite.path("none.c"))
    for name, status, subject in [
            ("missing", FILE, "missing.so"), ("folder", FILE, "folder.so"),
            ("text", USAGE, "text.so"), ("empty", USAGE, "empty.so"), ("cut", USAGE, "cut.so"),
            ("none", USAGE, "vks_plugin")]:
        suite.fails(name, status, subject, name + ".so", *RUN)
    refused(suite, "cpu.so", r"is for another CPU: its ELF machine is \d+, that of this vksim is "
            r"\d+")
    for name, subject, before, after in [
            ("a taken name", "'gas'", '.name = "waves"', '.name = "gas"'),
            ("a common option", "gamma", '.name = "density"', '.name = "gamma"'),
            ("a preset", "shine", "init=seed", "shine=1"),
            ("no views", ".views", ".views = ", ".vectors = NULL, .user = "),
            ("no shader", "waves/lost", '"waves/step"', '"waves/lost"'),
            ("an access", "life", '{"life", VKS_WRITE_NEXT}', '{"life", VKS_WRITE}'),
            ("undefined", "not_there", "const float alive =",
             "extern int not_there(void);\n    not_there();\n    const float alive =")]:
        assert before in text, before
        file = name.replace(" ", "-") + ".so"
        compile_model(suite, file, source=text.replace(before, after, 1))
        suite.fails(name, USAGE, subject, file, *RUN)
    suite.fails("a rule", USAGE, "--rule", plugin, *RUN, "--rule", "9/9/9")


@values  # a program of the sanitizers' would need their compiler
def test_library(suite):
    """Through libvksim in a process that shares none of its symbols; wrong ones leave nothing."""
    plugin = make(suite)
    text = suite.read("waves/model.c").decode()
    compile_model(suite, "bad.so", source=text.replace("init=seed", "shine=1", 1))
    suite.write("program.c", PROGRAM)
    run(suite, "cc", "-o", suite.path("program"), suite.path("program.c"), "-ldl")
    library = os.path.join(build_folder(suite), "src", "libvksim.so.0")
    done = subprocess.run([suite.path("program"), library, "bad.so", "bad.so", plugin, plugin,
                           "none.so"], cwd=suite.folder, env=suite.environment(), text=True,
                          capture_output=True, check=False)
    lines = done.stdout.splitlines()
    suite.check(done.returncode == 0 and len(lines) == 5 and
                all(line.startswith("2 'bad.so': ") and "shine" in line for line in lines[:2]) and
                lines[2:4] == ["0 waves blossoms"] * 2 and lines[4].startswith("4 cannot read"),
                "loaded once, after a wrong one", done.stdout, done.stderr)


sys.exit(main(globals()))

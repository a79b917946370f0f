#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_cli_inputs.py VKSIM [NAME...]: what the tool reads: its arguments, images, colour maps,
states and scenes. See suite.py."""

import json
import os
import re
import sys

sys.dont_write_bytecode = True
from suite import (DEVICE, FILE, INTERNAL, OK, SMALL, USAGE, floats, main, npy, npz,  # noqa: E402
                   npz_members, offers, on_terminal, png)

TOOL_OPTIONS = """headless frames steps duration warmup frame-time preset scene save-scene
record-events out encoder crf depth heights erode talus levels level-smooth caves cave-min
mesh-size relief mesh-base poster overwrite fps load-state save-state points-out fields device
list-devices list digest timings timings-out trace trace-steps validate gpu-timeout quiet verbose
version help vary vary-rows grid collage watch capture report dry-run show-options present
hot-reload show-shader allow-model-change checkpoint checkpoint-every resume resume-or-start
retries ranks devices exchange-every""".split()
COMMON_OPTIONS = """size seed init init-fit steps-per-frame variant view axis project slice camera
spin zoom colormap normalize tone gamma contrast invert hillshade light gloss bloom
bloom-radius background crop output-size fit annotate""".split()
PHYSARUM_OPTIONS = """agents density sensor-distance sensor-angle turn-angle step-size jitter
deposit diffuse diffuse-size decay sampling steering boundary start-radius field-strength
sensor-distance-gain sensor-distance-power sensor-angle-gain sensor-angle-power turn-angle-gain
turn-angle-power step-size-gain step-size-power trail-full trail-ahead trail-below blend-to blend
blend-map blend-spot deposit-power deposit-limit lifetime species species-shares species-start
attraction infection infection-factor infection-time infection-trail species-colors species-mix
species-view walls walls-level at-wall wall-sight wall-color food food-strength food-radius
food-eaten food-attraction maps""".split()


def test_help(suite):
    text = suite.succeeds("--help all", "--help", "all")
    listed = re.findall(r"^  (?:-\w, )?--([a-z-]+)", text, re.M)
    suite.check(sorted(listed) == sorted(TOOL_OPTIONS + COMMON_OPTIONS),
                "it lists every option once and no other",
                set(listed) ^ set(TOOL_OPTIONS + COMMON_OPTIONS))
    codes = (0, 2, 3, 4, 5, 6, 7, INTERNAL, 130)
    suite.check("physarum" in text and all(f"{code} " in text for code in codes),
                "it names simulations and exit codes", text)
    of_topics = []
    for topic in ("run", "look", "output", "device"):
        part = suite.succeeds(f"--help {topic}", "--help", topic)
        of_topics += re.findall(r"^  (?:-\w, )?--([a-z-]+)", part, re.M)
        suite.check(part == suite.run(f"--help={topic}")[1], f"--help={topic} is the same")
    suite.check(of_topics == listed, "the topics have every option, in that order", of_topics)
    part = suite.run("--help", "look")[1]
    suite.check("  gas                       density, temperature, " in part,
                "it says whose a view is", part)
    suite.fails("a view of another simulation", USAGE, "a view of gas", "--view", "temperature",
                "--dry-run")
    part = re.sub(r"\s+", " ", suite.run("physarum", "--preset", "silk", "--help", "look")[1])
    suite.check("preset silk: gold)" in part, "with the values of a preset", part)
    suite.fails("no topic", USAGE, "short, run, look", "--help=colours")
    for columns in (50, 80, 100):
        for words in (["--help"], ["--help", "all"], ["gas", "--help"], ["bench", "--help"]):
            page = suite.run(*words, env=suite.environment(COLUMNS=str(columns)))[1]
            wide = [line for line in page.splitlines() if len(line) > columns and
                    (columns > 50 or line.startswith(" " * 28))]
            suite.check(page and not wide, f"{' '.join(words)} is {columns} columns wide at most",
                        *wide)
    suite.check(suite.run("--help", "all", env=suite.environment(COLUMNS="100"))[1] != text,
                "without a terminal it is 80 columns wide")
    text = suite.succeeds("--help", "--help")
    listed = re.findall(r"^  (?:-\w, )?--([a-z-]+)", text, re.M)
    suite.check(len(listed) == 10 and len(text.splitlines()) <= 40,
                "--help has ten options on one screen", text)
    suite.check(suite.run("-h")[1] == text, "-h is --help")
    suite.check(suite.run("--agents", "5", "--help", "--frames", "3")[1] == text,
                "--help wins over a run")
    own = suite.succeeds("physarum --help", "physarum", "--help")
    listed = re.findall(r"^  --([a-z-]+)", own, re.M)
    suite.check(sorted(listed) == sorted(PHYSARUM_OPTIONS), "it lists the simulation's options",
                set(listed) ^ set(PHYSARUM_OPTIONS))
    suite.check(all(word in own for word in ("random", "ring", "image:FILE", "default")),
                "and its starts and presets", own)
    suite.check("Views (--view):\n  trail                     the trail (default)\n"
                "  agents " in own, "and its views", own)
    suite.check(suite.run("--help", "physarum")[1] == own, "--help physarum is the same")
    suite.fails("help on an unknown simulation", USAGE, "physarun", "physarun", "--help")
    nothing = suite.environment()
    nothing["VK_ICD_FILENAMES"] = nothing["VK_DRIVER_FILES"] = "/nonexistent"
    for arguments in (["--help"], ["physarum", "--help"], ["--list"], ["--version"]):
        status, out, err = suite.run(*arguments, env=nothing)
        suite.check(status == OK and out and not err, f"{' '.join(arguments)} needs no driver", err)


def test_lists(suite):
    out = suite.succeeds("--list", "--list")
    words = "physarum default plain ring ember grey cyberpunk".split()
    suite.check(all(word in out for word in words), "it names what there is", out)
    suite.check(re.findall(r"^    (\w+) +(.*)$", out.split("  presets:")[0], re.M) ==
                [("trail", "the trail (default)"), ("agents", "agents in each cell"),
                 ("headings", "the trail in colours of the mean heading"),
                 ("food", "food that is left")],
                "the views of a simulation", out)
    suite.check("\x1b" not in out, "no colours into a pipe")
    own = suite.succeeds("of one simulation", "gray-scott", "--list")
    suite.check(own in out and own.startswith("gray-scott: ") and "    mazes " in own and
                "\nphysarum" not in own and "colour maps" not in own, "only its own", own)
    rows = [line.split() for line in out.splitlines()]
    suite.check("discrete tab10 Set1 Set3 Paired".split() in rows and
                "landscape terrain cave".split() in rows,
                "colour maps stand in groups", out)
    plain = on_terminal(suite, "--list")
    suite.check("\x1b" not in plain and "tab10 Set1" in plain, "no colours without COLORTERM",
                plain)
    for form in ("24bit", "truecolor"):
        shown = on_terminal(suite, "--list", COLORTERM=form)
        rows = [line for line in shown.splitlines() if "\x1b[38;2;" in line]
        suite.check(len(rows) == 27 and all(row.endswith("\x1b[0m") and row.count("\u258c") == 56
                                            for row in rows), f"one swatch per map, {form}", shown)
    shown = on_terminal(suite, "--list", COLORTERM="truecolor", LC_ALL="C")
    suite.check("\x1b[48;2;" in shown and shown.isascii(), "swatches in ASCII", shown)
    shown = on_terminal(suite, "--list", COLORTERM="truecolor", NO_COLOR="1")
    suite.check(shown == plain, "NO_COLOR has none", shown)
    out = suite.succeeds("--version", "--version")
    suite.check(re.fullmatch(r"vksim \d+\.\d+\.\d+\n", out), "a version of three numbers", out)
    out = suite.succeeds("devices", "devices")
    suite.check(out == suite.succeeds("--list-devices", "--list-devices"), "--list-devices alike")
    found = json.loads(suite.succeeds("devices --json", "devices", "--json"))
    suite.check(found[0]["index"] == 0 and found[0]["name"].startswith("llvmpipe") and
                found[0]["type"] == "software" and found[0]["largest_buffer"] == 1 << 27 and
                found[0]["buffers"] >= 24 and
                found[0]["lacks"] == "", "the same as JSON", found)
    chosen = suite.succeeds("one device", "devices", "--device", "llvm")
    suite.check(chosen.startswith("0: llvmpipe") and chosen in out, "only that", chosen)
    suite.fails("no such device", DEVICE, "--device", "devices", "--device", "radeon")
    suite.check(out.startswith("0: llvmpipe") and "software" in out and "lacks   nothing" in out and
                re.search(r"UUID +[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\n", out) and
                "128 MiB" in out, "name, kind, UUID, memory and what it lacks", out)
    for driver in ("lavapipe", "swiftshader"):
        text = suite.succeeds(f"--list-devices of {driver}", "--list-devices",
                              env=suite.environment(driver))
        suite.check("windows" in offers(text) <= FEATURES, f"what {driver} offers beyond that",
                    text)
    uuid = re.search(r"UUID +(\S+)", out)[1]
    for device in ("0", "llvm", "LLVMPIPE", uuid):
        suite.succeeds(f"--device {device}", *SMALL, "--frames", 1, "--out", "none", "--device",
                       device)
    suite.succeeds("VKSIM_DEVICE", *SMALL, "--frames", 1, "--out", "none",
                   env=suite.environment(VKSIM_DEVICE="llvmpipe"))
    suite.succeeds("--device wins over VKSIM_DEVICE", *SMALL, "--frames", 1, "--out", "none",
                   "--device", "0", env=suite.environment(VKSIM_DEVICE="nothing"))


def test_commands(suite):
    text = suite.succeeds("help of a command", "devices", "--help")
    suite.check("--json" in text and "--verbose" in text and "--frames" not in text,
                "has its options and those of all commands", text)
    suite.check("devices" in suite.succeeds("help", "--help").split("COMMAND --help")[1],
                "is listed")
    text = suite.succeeds("help of scale", "scale", "gray-scott", "--help")
    suite.check("--over" in text and "--repeats" in text and
                "vksim SIMULATION --help" in re.sub(r"\s+", " ", text),
                "is that of the command, not of its simulation", text)
    suite.succeeds("a run by its name", "run", "physarum", *SMALL, "--frames", 1, "--out", "none")
    for size in (64, 96):
        out = suite.succeeds("timings", *SMALL, "--size", f"{size}x{size}", "--steps", 4, "--out",
                             "none", "--timings=json")
        suite.write(f"t{size}.json", out)
    out = suite.succeeds("report", "report", "t64.json", "t96.json", "t64.json")
    lines = out.splitlines()
    heads = [line for line in lines if re.match(r"\d: ", line)]
    suite.check("1: t64.json: physarum 64x64 on llvmpipe" in heads[0] and "96x96" in heads[1] and
                "3: t64.json" in heads[2] and len(heads) == 3, "names the runs", out)
    first = json.loads(suite.read("t64.json"))
    agents = next(line.split() for line in lines if line.startswith("agents"))
    timed = next(entry["p50_s"] for entry in first["passes"] if entry["name"] == "agents")
    said = " ".join(first["conclusions"]).replace("\u00b5", "u")
    suite.check(len(first["conclusions"]) == 3 and said in " ".join(out.split()) and
                said in " ".join(suite.succeeds("one report", "report", "t64.json").split()),
                "concludes as its JSON does", said, lines)
    suite.check("It differs from run 1 in simulation or size" in out and agents[3] == "-" and
                abs(float(agents[1]) - timed * 1e6) < 0.006 and agents[5] == "1.000" and
                any(line.startswith("step (mean)") for line in lines),
                "times and ratios", agents, timed)
    suite.write("empty.json", "{}")
    suite.write("text.json", "no json")
    hostile = {**first, "simulation": "gas\x1b]0;name\x07"}
    suite.write("escape.json", json.dumps(hostile))
    suite.write("twice.json", json.dumps({**first, "passes": first["passes"] * 2}))
    suite.write("wide.json", json.dumps({**first, "width": 1e300}))
    suite.write("late.json", json.dumps({**first, "step_s": -1}))
    for name, subject, path in (("control characters", "no valid simulation", "escape.json"),
                                ("a pass twice", "the pass '", "twice.json"),
                                ("no size", "no valid size", "wide.json"),
                                ("a negative time", "no valid step_s", "late.json"),
                                ("a file that is not there", "none.json", "none.json"),
                                ("no JSON", "text.json", "text.json"),
                                ("another JSON", "empty.json", "empty.json")):
        suite.fails(f"report of {name}", FILE, subject, "report", "t64.json", path)
    suite.fails("report of nothing", USAGE, "A.json B.json", "report")
    suite.fails("a device for a report", USAGE, "--device", "report", "--device", 0, "t64.json")


def test_usage(suite):
    rows = [
        ("an unknown option suggests the nearest", "--agnets", ["--agnets", 5]),
        ("with a value in the same word", "--sensor-anlge", ["--sensor-anlge=5"]),
        ("the tool's own options are suggested too", "--overwrite", ["--overwite"]),
        ("an unknown option without a like", "--zzzzzz", ["--zzzzzz"]),
        ("a very long option", "unknown option", ["--" + "a" * 500]),
        ("one dash", "-x", ["-x"]),
        ("two dashes alone", "--", ["--"]),
        ("a second word", "again", ["physarum", "again"]),
        ("a command that is not first", "devices", ["--quiet", "devices"]),
        ("a command after a simulation", "devices", ["gas", "devices"]),
        ("nearly a command", "devics", ["devics"]),
        ("an option without dashes", "--version", ["version"]),
        ("a word for the list", "--list", ["presets"]),
        ("a preset without its option", "gray-scott --preset mazes", ["mazes"]),
        ("an option of a run for a command", "--frames", ["devices", "--frames", 3]),
        ("a word for a command", "x", ["devices", "x"]),
        ("an unknown simulation", "physarun", ["physarun"]),
        ("an empty word", "''", [""]),
        ("a flag with a value", "--quiet", ["--quiet=maybe"]),
        ("--steps and --frames", "--steps", ["--steps", 5, "--frames", 5]),
        ("--duration and --frames", "--duration", ["--duration", "5s", "--frames", 5]),
        ("no duration", "--duration", ["--duration", "1:75"]),
        ("no frame", "--duration", ["--duration", "0"]),
        ("an unknown preset lists them", "defualt", ["--preset", "defualt"]),
        ("an unknown colour map lists them", "--colormap", ["--colormap", "embr"]),
        ("an unknown start lists them", "--init", ["--init", "blob"]),
        ("an unknown view lists them", "--view", ["--view", "agent"]),
        ("an unknown tone", "--tone", ["--tone", "lin"]),
        ("an unknown axis", "--axis", ["--axis", "w"]),
        ("an unknown projection", "--project", ["--project", "sum"]),
        ("an axis of a flat field", "--axis", ["--axis", "z"]),
        ("an unknown projection of a flat field", "--project", ["gray-scott", "--project", "sum"]),
        ("a slice of a flat field", "--slice", ["--slice", 0.5]),
        ("a slice with a camera", "--project", ["gas", "--preset", "plain", "--size", "8x8x8",
                                                "--camera", "30,20", "--project", "slice"]),
        ("a soft projection without a camera", "--project", ["gas", "--preset", "plain", "--size",
                                                             "8x8x8", "--project", "soft"]),
        ("a spin of a flat simulation", "--spin", ["--spin", 2]),
        ("a camera on a flat box", "--camera", ["gas", "--preset", "plain", "--size", "8x8",
                                                "--view", "points", "--camera", "30,20"]),
        ("a camera that is none", "--camera", ["gas", "--preset", "plain", "--size", "8x8x8",
                                               "--view", "points", "--camera", "30"]),
        ("a camera and an axis", "--camera", ["gas", "--preset", "plain", "--view", "points",
                                              "--camera", "30,20", "--axis", "x"]),
        ("a zoom without a camera", "--zoom", ["gas", "--preset", "plain", "--size", "8x8x8",
                                               "--view", "points", "--zoom", 2]),
        ("a projection of points", "--project", ["gas", "--preset", "plain", "--size", "8x8x8",
                                                 "--view", "points", "--project", "mean"]),
        ("points that are not there", "--view", ["gas", "--preset", "plain", "--method", "grid",
                                                 "--view", "points"]),
        ("soft points that are not there", "--view", ["gas", "--preset", "plain", "--method",
                                                      "grid", "--view", "points-temperature"]),
        ("a projection of soft points", "--project", ["gas", "--preset", "plain", "--size", "8x8x8",
                                                      "--view", "points-speed", "--project",
                                                      "mean"]),
        ("frequencies that fall", "--frequency", ["gas", "--preset", "plain", "--size", "8x8",
                                                  "--frequency", "3:1"]),
        ("an exchange without oscillators", "--exchange-time",
         ["gas", "--preset", "plain", "--size", "8x8", "--exchange-time", 1]),
        ("oscillators without tracers", "with method grid oscillators belong to tracers",
         ["gas", "--preset", "plain", "--size", "8x8", "--method", "grid", "--boltzmann", 1,
          "--exchange-time", 1]),
        ("oscillators that are not there", "--view", ["gas", "--preset", "plain", "--size", "8x8",
                                                      "--method", "grid", "--view",
                                                      "oscillators"]),
        ("oscillators that store nearly nothing", "--boltzmann", ["gas", "--preset", "plain",
                                                                  "--size", "8x8", "--boltzmann",
                                                                  1e-7]),
        ("an exchange that takes no time",
         "--exchange-time",
         ["gas", "--preset", "plain", "--size", "8x8", "--boltzmann", 1, "--exchange-time",
          1e-10]),
        ("an unknown sampling", "--sampling", ["--sampling", "linear"]),
        ("an unknown form of timings", "--timings", ["--timings=xml"]),
        ("an unknown kind of validation", "--validate", ["--validate=all"]),
        ("a wrong range of values", "--normalize", ["--normalize", "fixed:2:1"]),
        ("an even diffuse-size", "--diffuse-size", ["--diffuse-size", 4]),
        ("more steps than can be", "over 1e15 steps", ["--frames", "1e9", "--steps-per-frame",
                                                       "1e9"]),
        ("more cells than can be", "--size", ["--size", "65536x65536"]),
        ("a depth for a simulation that takes none", "gray-scott", ["gray-scott", "--size",
                                                                    "64x48x8"]),
        ("a size of four parts", "--size", ["--size", "8x8x8x8"]),
        ("a number of agents and a density", "--density", ["--agents", "5", "--density", "0.1"]),
        ("a density of too many agents", "density", ["--density", "16", "--size", "8192x8192"]),
    ]
    for name, subject, arguments in rows:
        suite.fails(name, USAGE, subject, *arguments, "--headless")
    suite.fails("a value is missing", USAGE, "--agents", "--headless", "--agents")
    ranges = {
        "frames": ("0", "1 to 1000000000"), "steps": ("-1", "0 to 1000000000000000"),
        "fps": ("1001", "1 to 1000 frames/s"), "seed": ("4294967296", "0 to 4294967295"),
        "steps-per-frame": ("0", "1 to 1000000000"), "gamma": ("0.01", "0.05 to 20"),
        "contrast": ("-1", "0 to 20"), "size": ("0x5", "each from 1 to 65536 cells"),
        "agents": ("-1", "0 to 1000000000"), "density": ("0", "1e-09 to 1000 agents per cell"),
        "sensor-distance": ("-1", "0 to 1000 cells"),
        "sensor-angle": ("181", "0 to 180 deg"), "turn-angle": ("-181", "-180 to 180 deg"),
        "step-size": ("nan", "0 to 1000 cells"), "jitter": ("inf", "0 to 180 deg"),
        "deposit": ("1e7", "0 to 1e+06"), "diffuse": ("1.01", "0 to 1"),
        "diffuse-size": ("65", "1 to 63 cells"), "decay": ("x", "0 to 1"),
        "sensor-distance-gain": ("1001", "-1000 to 1000 cells"),
        "turn-angle-gain": ("-3601", "-3600 to 3600 deg"), "step-size-power": ("101", "0 to 100"),
        "trail-full": ("0", "1e-06 to 1e+06"), "blend": ("1.1", "0 to 1"),
        "deposit-power": ("5", "0 to 4"), "lifetime": ("1.5", "0 to 1000000000 steps"),
        "species": ("9", "1 to 8"), "species-view": ("9", "0 to 8"),
        "infection-factor": ("-1", "0 to 1000"), "infection-trail": ("2e6", "0 to 1e+06"),
        "infection-time": ("0", "1 to 16777215 steps"),
        "walls-level": ("1.1", "0 to 1"), "food-strength": ("1e7", "0 to 1e+06"),
        "food-radius": ("-1", "0 to 1000 cells"), "food-eaten": ("nan", "0 to 1e+06"),
        "start-radius": ("11", "0 to 10"), "field-strength": ("", "0 to 1e+06"),
    }
    for option, (value, text) in ranges.items():
        suite.fails(f"--{option} '{value}' gives the range", USAGE, f"--{option} '{value}' is not",
                    "--headless", f"--{option}={value}")
        suite.fails(f"--{option} word gives the range", USAGE, text, "--headless", f"--{option}",
                    "word")


def test_size_for_device(suite):
    """Says how much it needs and how much there is, whatever the output."""
    scarce = suite.scarce_memory(heap=1024)
    for arguments, outs in ((["--size", "65536x60000", "--agents", 450000],
                             ("none", "a.y4m", "a.png")),
                            (["--size", "16384x16384", "--agents", "1e9"],
                             ("none", "a.y4m", "a.png")),
                            (["--size", "64x64", "--agents", "1e9"], ("none", "a.y4m", "a.png")),
                            # The field fits, in chunks; a picture for a video does not.
                            (["--size", "65536x1000", "--agents", 450000], ("a.y4m",))):
        for out in outs:
            suite.fails(f"{' '.join(map(str, arguments))} to {out}", USAGE, "--size", "--headless",
                        *arguments, "--out", out, env=scarce)
    suite.check(not os.path.exists(suite.path("a.y4m")) and not suite.left_over(),
                "nothing is left behind", os.listdir(suite.folder))
    suite.fails("fields that fit one by one", USAGE, "in all", "--headless", "--size", "5792x5792",
                "--agents", "16M", "--steps", 0, "--out", "none",
                env=suite.scarce_memory(heap=256))


def test_texts_first(suite):
    """A text without a meaning is reported before a device is looked for, also in a scene."""
    nothing = suite.environment()
    nothing["VK_ICD_FILENAMES"] = nothing["VK_DRIVER_FILES"] = "/nonexistent/icd.json"
    rows = [("gas", "frequency", "3:1"), ("gas", "variant", "often"),
            ("physarum", "variant", "1001"), ("gray-scott", "map", "0.1:0.01,0:1"),
            ("gray-scott", "feed-range", "1:0"),
            ("gray-scott", "kill-range", "0.5"), ("gray-scott", "variant", "fused-17"),
            ("gas", "view", "heights"), ("physarum", "init", "image:")]
    for model, option, text in rows:
        run = ["--headless", "--size", "16x16", "--out", "none"]
        suite.fails(f"--{option} {text}", USAGE, f"--{option} '{text}' is ", model, *run,
                    f"--{option}", text, env=nothing)
        suite.fails(f"{option} {text} in a --vary", USAGE, f"{option} '{text}' is ", model, *run,
                    "--vary", f"{option}={text};{text}", env=nothing)
        suite.write("scene.json", json.dumps({"simulation": model, option: text}))
        suite.fails(f"{option} {text} in a scene", USAGE, f"{option} '{text}' is ", *run,
                    "--scene", "scene.json", env=nothing)


def test_replaced(suite):
    """An option of earlier versions is an error that names the one that replaced it."""
    for model, option in (("physarum", "sort"), ("physarum", "counts"), ("gray-scott", "fuse"),
                          ("gas", "sort")):
        run = [model, "--headless", "--size", "16x16", "--out", "none"]
        suite.fails(f"--{option} of {model}", USAGE, f"--{option}", *run, f"--{option}", 1)
        suite.fails(f"{option} of {model} in a --vary", USAGE, option, *run, "--vary",
                    f"{option}=1,2")
        suite.write("old.json", json.dumps({"simulation": model, option: "1"}))
        suite.fails(f"{option} of {model} in a scene", USAGE, option, *run[1:], "--scene",
                    "old.json")


def test_devices(suite):
    nothing = suite.environment()
    nothing["VK_ICD_FILENAMES"] = nothing["VK_DRIVER_FILES"] = "/nonexistent/icd.json"
    for arguments in (SMALL, ["--list-devices"]):
        suite.fails(f"no driver: {arguments[0]}", DEVICE, "no Vulkan driver found", *arguments,
                    env=nothing)
    os.mkdir(suite.path("noloader"))
    for name in ("libvulkan.so", "libvulkan.so.1"):
        suite.write(f"noloader/{name}", "not a library")
    suite.fails("no loader", DEVICE, "no Vulkan loader", *SMALL,
                env=suite.environment(LD_LIBRARY_PATH=suite.path("noloader")))
    suite.fails("an unknown device lists them", DEVICE, "--device", *SMALL, "--device", "radeon")
    suite.fails("a number too high", DEVICE, "--device", *SMALL, "--device", 7)
    suite.fails("the variable is named", DEVICE, "VKSIM_DEVICE 'radeon'", *SMALL,
                env=suite.environment(VKSIM_DEVICE="radeon"))
    suite.fails("what Vulkan guarantees is too little", DEVICE, "24 storage buffers", *SMALL,
                env=suite.environment(VKSIM_FLOOR="core"))
    suite.fails("an unknown profile", USAGE, "VKSIM_FLOOR", *SMALL,
                env=suite.environment(VKSIM_FLOOR="ceiling"))
    for floor, offers in (("floor", "24 in a shader"), ("roadmap-2022", "30 in a shader")):
        out = suite.succeeds(f"the profile {floor}", "devices",
                             env=suite.environment(VKSIM_FLOOR=floor))
        suite.check(offers in out and "lacks   nothing" in out and
                    ("offers  windows" in out) == (floor == "floor"), floor, out)
    status, _, err = suite.run("--size", "32x32", "--agents", 5)
    suite.check(status == DEVICE and "--headless" in err, "no display: --headless is the way", err)
    suite.check(err.endswith("); use --headless to render to a file\n") and err.count("--") == 1,
                "once", err)
    bare = suite.environment()
    bare.pop("XDG_RUNTIME_DIR", None)
    bare.pop("DISPLAY", None)
    status, _, err = suite.run("--size", "32x32", "--agents", 5, env=bare)
    suite.check(status == DEVICE and len(err.splitlines()) == 1,
                "no other line without XDG_RUNTIME_DIR", err)
    for layer in ("--validate", "--validate=sync"):
        suite.fails(f"{layer} without the layer", DEVICE, "--validate", *SMALL, "--frames", 1,
                    "--out", "none", layer, env=suite.environment(VK_LAYER_PATH="/nonexistent"))


def test_images(suite):
    rows = [bytes((40 * x + y) % 256 for x in range(48)) for y in range(12)]
    whole = png(16, 12, rows)
    suite.write("good.png", whole)
    good = suite.state(*SMALL, "--steps", 0, "--init", "image:good.png")
    suite.check(good != suite.state(*SMALL, "--steps", 0), "a picture starts the field")
    suite.write("cut.png", whole[:-40])
    suite.write("text.png", "This is no picture.\n")
    suite.write("empty.png", "")
    os.mkdir(suite.path("folder.png"))
    for name in ("missing.png", "cut.png", "text.png", "empty.png", "folder.png"):
        suite.fails(f"image:{name}", FILE, name, *SMALL, "--out", "none", "--init",
                    f"image:{name}")
    suite.fails("image: without a name", USAGE, "--init", *SMALL, "--init", "image:")


def test_colormaps(suite):
    """Custom maps, equal to the built-in ones that they copy."""
    def frames(colormap, *arguments):
        return suite.digests(*SMALL, "--frames", 3, "--out", "a.y4m", "--overwrite", "--colormap",
                             colormap, *arguments)["frames"]

    grey = frames("grey")
    suite.write("grey.csv", "r,g,b\n" + "".join(f"{i},{i},{i}\n" for i in range(256)))
    suite.write("grey.txt", "".join(f"{i / 255} {i / 255} {i / 255}\n" for i in range(256)))
    suite.write("grey.png", png(256, 3, [b"\0" * 768, bytes(i // 3 for i in range(768)),
                                         b"\0" * 768]))
    suite.write("two.png", png(2, 1, [b"\0\0\0\xff\xff\xff"]))
    for name in ("grey.csv", "grey.txt", "grey.png", "two.png", "GREY", "./grey.csv"):
        suite.check(frames(name) == grey, f"--colormap {name} is grey")
    turned = frames("grey_r")
    suite.check(turned != grey, "--colormap grey_r is another")
    suite.write("turned.csv", "".join(f"{i},{i},{i}\n" for i in range(255, -1, -1)))
    suite.check(frames("turned.csv") == turned, "which is grey the other way round")
    suite.check(frames("grey.csv", "--save-scene", "grey.json") == grey and
                json.loads(suite.read("grey.json"))["colormap"] == "grey.csv",
                "a scene names the file")
    suite.check(suite.digests("--headless", "--scene", "grey.json", "--frames", 3, "--out",
                              "again.y4m")["frames"] == grey, "and finds it again")
    suite.fails("no output onto a colour map", USAGE, "--out", *SMALL, "--colormap", "grey.png",
                "--out", "grey.png", "--overwrite")
    suite.check(frames("grey.png") == grey, "which is still there")
    suite.write("short.csv", "".join(f"{i},{i},{i}\n" for i in range(255)))
    suite.write("bad.csv", "1,2,3\n" * 255 + "1,2,300\n")
    suite.write("empty.csv", "")
    suite.write("film.csv", b"\0\1\2\3" * 99)
    suite.write("cut.png", suite.read("grey.png")[:-20])
    suite.write("one.png", png(1, 1, [b"\0\0\0"]))
    os.mkdir(suite.path("maps"))
    for name in ("missing.csv", "short.csv", "bad.csv", "empty.csv", "film.csv", "cut.png",
                 "one.png", "maps"):
        suite.fails(f"--colormap {name}", FILE, name, *SMALL, "--out", "b.png", "--colormap",
                    name)
    suite.check(not os.path.exists(suite.path("b.png")) and not suite.left_over(),
                "nothing is left behind", os.listdir(suite.folder))


def test_bad_states(suite):
    suite.succeeds("--save-state", *SMALL, "--steps", 3, "--out", "none", "--save-state", "s.npz")
    members = npz_members(suite.path("s.npz"))
    suite.check(sorted(members) == ["heading.npy", "position.npy", "trail.npy", "vksim.json"],
                "a state has the fields and a header", sorted(members))
    header = json.loads(members["vksim.json"])
    suite.check(header["simulation"] == "physarum" and header["steps"] == 3 and
                header["format"] == 1 and header["options"]["size"] == "32x24",
                "the header says what it is", header)
    whole = suite.read("s.npz")

    def fails(name, data=None, arguments=(), status=FILE, **changed):
        path = re.sub(r"\W+", "-", name) + ".npz"
        if data is not None:
            suite.write(path, data)
        else:
            npz(suite.path(path), {key: value for key, value in {**members, **{
                key.replace("_json", ".json") if key.endswith("_json") else key + ".npy": value
                for key, value in changed.items()}}.items() if value is not None})
        suite.fails(f"state: {name}", status, path, *SMALL[:1], *arguments, "--out", "none",
                    "--load-state", path)

    def with_header(**changed):
        return json.dumps({**header, **changed})

    for cut in (0, 1, 100, len(whole) // 2, len(whole) - 1):
        fails(f"cut after {cut} bytes", data=whole[:cut])
    fails("no archive", data="just a text\n")
    fails("of another simulation", arguments=["physarum"],
          vksim_json=with_header(simulation="gray-scott"))
    fails("of an unknown simulation", vksim_json=with_header(simulation="gray-scott"))
    fails("a damaged header", vksim_json="{")
    fails("a header that is a list", vksim_json="[]")
    fails("no steps", vksim_json=with_header(steps="three"))
    fails("negative steps", vksim_json=with_header(steps=-1))
    fails("a later format", vksim_json=with_header(format=2))
    fails("no options", vksim_json=with_header(options=5))
    fails("an unknown option", vksim_json=with_header(options={**header["options"], "agnets": 5}))
    fails("a value out of range", vksim_json=with_header(options={**header["options"],
                                                                  "decay": 2}))
    fails("a field is missing", heading=None)
    fails("no field at all", trail=None, heading=None, position=None)
    fails("a NaN", trail=npy("<f4", (24, 32), floats([float("nan")] + [0] * 767)))
    fails("an infinity", trail=npy("<f4", (24, 32), floats([0] * 767 + [float("inf")])))
    fails("a negative trail", trail=npy("<f4", (24, 32), floats([-1] * 768)))
    fails("a flat trail", trail=npy("<f4", (768,), floats([0] * 768)))
    fails("a deep trail", trail=npy("<f4", (24, 16, 2), floats([0] * 768)))
    fails("an empty trail", trail=npy("<f4", (0, 32), b""))
    fails("a trail of integers", trail=npy("<i4", (24, 32), bytes(3072)))
    fails("a trail of texts", trail=npy("<U1", (24, 32), bytes(3072)))
    fails("more headings than positions", heading=npy("<u4", (61,), bytes(244)))
    fails("positions of three numbers", position=npy("<u4", (60, 3), bytes(720)))
    fails("less data than the shape says", trail=npy("<f4", (24, 32), bytes(3068)))
    fails("no agents", position=npy("<u4", (0, 2), b""), heading=npy("<u4", (0,), b""))
    fails("positions of NaN", position=npy("<f8", (60, 2), floats([float("nan")] * 120, "d")))
    suite.fails("a missing state", FILE, "missing.npz", *SMALL, "--load-state", "missing.npz")
    suite.fails("a folder for a state", FILE, "cache", *SMALL, "--load-state", "cache")


def test_bad_scenes(suite):
    rows = {
        "[1]": "one JSON object",
        "": "line 1",
        '{"agents": 5,\n "decay": }': "line 2",
        '{"agents": 5, "agents": 6}': "agents",
        '{"agnets": 5}': "agnets",
        '{"agents": -1}': "agents",
        '{"agents": 5, "density": 0.1}': "density",
        '{"agents": null}': "agents",
        '{"simulation": "waves"}': "waves",
        '{"simulation": 5}': "simulation",
        '{"preset": 5}': "preset",
        '{"preset": "xyz"}': "xyz",
        '{"steps": 5, "frames": 6}': "frames",
        '{"frames": 0}': "frames",
        '{"fps": "fast"}': "fps",
        '{"load-state": "missing.npz"}': "missing.npz",
        '{"headless": true}': "headless",
    }
    for text, subject in rows.items():
        suite.write("bad.json", text)
        suite.fails(f"a scene of {text!r}", FILE if "missing" in text else USAGE, subject,
                    "--headless", "--scene", "bad.json", "--out", "none")
    suite.write("bad.json", b"\xff\xfe\x00")
    suite.fails("a scene of no text", USAGE, "bad.json", "--headless", "--scene", "bad.json")
    suite.fails("a missing scene", FILE, "missing.json", "--headless", "--scene", "missing.json")
    suite.fails("a folder for a scene", FILE, "cache", "--headless", "--scene", "cache")


FEATURES = {"sums across subgroups", "shuffles across subgroups", "float16 arithmetic",
            "cooperative matrices", "cooperative matrices (not in this build)",
            "calibrated timestamps", "memory budget", "mapped device memory",
            "pipeline statistics", "windows", "memory export", "memory import",
            "semaphore export"}


if __name__ == "__main__":
    sys.exit(main(globals()))

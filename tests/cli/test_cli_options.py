#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_cli_options.py VKSIM [NAME...]: options and their combinations: warnings, refusals, runs
that only print or write a scene. See suite.py."""

import json
import os
import re
import sys

sys.dont_write_bytecode = True
from suite import DEVICE, FILE, OK, SMALL, USAGE, main, npz_members, values  # noqa: E402

NONE = [*SMALL, "--steps", 1, "--out", "none"]


def no_devices(suite):
    """An environment without a display and without a driver."""
    env = suite.environment()
    env["VK_ICD_FILENAMES"] = env["VK_DRIVER_FILES"] = "/nonexistent"
    return env


def warnings(suite, *arguments):
    """The lines in which a run reports options without effect and repeated values."""
    status, out, err = suite.run(*arguments)
    if status != OK:
        raise AssertionError(f"{arguments}: status {status}: {err}{out}")
    return [line[7:] for line in err.splitlines()
            if "no effect" in line or "more than once" in line]


def test_short_options(suite):
    suite.check(suite.run("-V") == suite.run("--version"), "-V is --version")
    suite.succeeds("-o and -v", *SMALL, "--frames", 1, "-o", "short.png", "-v")
    suite.check(os.path.exists(suite.path("short.png")), "-o is --out")
    status, _, err = suite.run(*NONE, "-v")
    suite.check(status == OK and "instance made in" in err, "-v is --verbose", err)
    suite.fails("another letter", USAGE, "-z", "-z")
    suite.fails("two letters", USAGE, "-vV", "-vV")
    help_text = suite.succeeds("--help all", "--help", "all")
    suite.check(all(f"\n  {word}" in help_text for word in
                    ("-o, --out PATH", "-v, --verbose", "-V, --version", "-h, --help")),
                "it has them", help_text)


def test_values_missed(suite):
    for name, subject, arguments in (
            ("an option", "--save-state", ["--save-state", "--digest"]),
            ("an option with a value", "--seed", ["--save-state", "--seed=3"]),
            ("a short option", "--out", ["--out", "-v"])):
        suite.fails(f"{name} is not a value", USAGE, subject, *NONE, *arguments)
    suite.succeeds("with an equals sign it is", *NONE, "--save-state=--digest")
    suite.check(os.path.exists(suite.path("--digest")), "and a file")
    suite.fails("a negative number is", USAGE, "--agents", *NONE, "--agents", -5)
    out = suite.succeeds("the form of timings as a word", *NONE, "--timings", "json")
    suite.check(out.startswith("{"), "is its value", out)
    suite.succeeds("a simulation after --timings", "--headless", "--timings", "physarum", *NONE)


def test_windows_without_files(suite):
    for option, value in (("encoder", "h264"), ("crf", 20), ("depth", 8), ("fps", 30)):
        suite.fails(f"--{option} in a window", USAGE, f"--{option} applies to", f"--{option}",
                    value)
    suite.fails("a duration in a window", DEVICE, "display", "--duration", "2s", "--fps", 30,
                env=suite.environment(SDL_VIDEODRIVER="x11"))
    suite.write("fps.json", '{"fps": 30, "collage": "2x2"}')
    suite.fails("a scene with a frame rate in a window", DEVICE, "display", "--scene", "fps.json",
                env=suite.environment(SDL_VIDEODRIVER="x11"))


def test_only_scenes(suite):
    env = no_devices(suite)
    status, out, err = suite.run("--preset", "silk", "--save-scene", "silk.json", "--fps", 24,
                                 env=env)
    suite.check(status == OK and not out and "wrote silk.json; vksim --scene silk.json" in err,
                "--save-scene needs no display and no device", err)
    scene = json.loads(suite.read("silk.json"))
    suite.check(scene["colormap"] == "gold" and scene["fps"] == 24, "with the preset's options",
                scene)
    status, _, err = suite.run("--save-scene", "quiet.json", "--quiet", env=env)
    suite.check(status == OK and not err, "quietly", err)
    suite.fails("an existing scene", FILE, "silk.json", "--save-scene", "silk.json", env=env)
    suite.fails("a scene that cannot run", USAGE, "sensor-angle", "--save-scene", "bad.json",
                "--sensor-angle", 999, env=env)
    suite.fails("cells of two sizes", USAGE, "size", "--save-scene", "bad.json", "--vary",
                "size=32x32,64x64", env=env)
    suite.check(not os.path.exists(suite.path("bad.json")), "leave no scene")
    suite.fails("with another output the window opens", DEVICE, "display", "--save-scene",
                "window.json", "--digest", env=suite.environment(SDL_VIDEODRIVER="x11"))
    suite.succeeds("a contact sheet in a scene", "--save-scene", "sheet.json", "--collage", "2x2",
                   env=env)
    suite.check(json.loads(suite.read("sheet.json"))["collage"] == "2x2", "is kept")
    suite.fails("a file's options in a scene", USAGE, "--crf", "--save-scene", "out.json", "--crf",
                20, env=env)
    suite.succeeds("--out opens no window", "--preset", "plain", "--size", "32x24", "--agents", 60,
                   "--frames", 2, "--save-scene", "out.json", "--out", "a.png")
    suite.check(os.path.exists(suite.path("a.png")) and os.path.exists(suite.path("out.json")),
                "and writes the picture and the scene")


def test_dry_run(suite):
    env = no_devices(suite)
    text = suite.succeeds("--dry-run", *SMALL, "--frames", 7, "--seed", 5, "--dry-run",
                          "--save-scene", "dry.json", "--save-state", "dry.npz", env=env)
    suite.check(re.search(r"^length +6 steps, 7 frames$", text, re.M) and
                re.search(r"^size +32x24 cells, pictures of 32x24 pixels$", text, re.M) and
                re.search(r"^frames +physarum.mp4$", text, re.M) and
                re.search(r"^state +dry.npz$", text, re.M) and
                re.search(r"^device memory +at least .* KiB$", text, re.M), "what would run", text)
    suite.check(re.search(r"^  seed +5  \(default: 1\)$", text, re.M), "and its options", text)
    suite.check(sorted(os.listdir(suite.folder)) == ["dry.json"], "only the scene is written",
                os.listdir(suite.folder))
    text = suite.succeeds("a grid", "--headless", "--vary", "decay=0.1,0.2,0.3", "--dry-run",
                          env=env)
    suite.check("cells          3 (3x1)" in text and
                re.search(r"^  decay +varies$", text, re.M), "has cells", text)
    text = suite.succeeds("several outputs", *SMALL, "--out", "a.png", "--out", "a.y4m",
                          "--duration", "2s", "--fps", 10, "--dry-run", env=env)
    suite.check(re.search(r"^frames +a.png\nframes +a.y4m$", text, re.M) and
                re.search(r"^length +19 steps, 20 frames$", text, re.M), "are listed", text)
    text = suite.succeeds("a window", "--dry-run", env=env)
    suite.check("until the window is closed" in text and "a window" in text, "without an end", text)
    suite.fails("what would be refused", USAGE, "a.avi", "--headless", "--out", "a.avi",
                "--dry-run", env=env)
    suite.fails("an output that exists", FILE, "dry.json", "--headless", "--watch", "w.csv",
                "--save-scene", "dry.json", "--dry-run", env=env)


def test_show_options(suite):
    env = no_devices(suite)
    suite.write("some.json", '{"simulation": "gray-scott", "preset": "plain", "feed": 0.05}')
    text = suite.succeeds("--show-options", "--scene", "some.json", "--kill", 0.061,
                          "--show-options", env=env)
    values = dict(re.findall(r"^  ([a-z-]+) +(\S+)", text, re.M))
    suite.check(values["feed"] == "0.05" and values["kill"] == "0.061" and
                values["steps-per-frame"] == "60" and values["du"] == "0.16" and
                values["seed"] == "1" and values["frames"] == "500" and values["crf"] == "unset",
                "values of the scene, the command line, the preset, and defaults", text)
    suite.check("  feed                0.05  (default: 0.037)\n" in text, "with the defaults", text)
    suite.write("evil.json", json.dumps({"background": "a\x1b[2Jb\u009bc", "frames": 3}))
    text = suite.succeeds("a scene with control characters", "--scene", "evil.json",
                          "--show-options", env=env)
    suite.check("a\\x1b[2Jb\\u{9b}c" in text and "\x1b" not in text and "\u009b" not in text,
                "is printed without them", text)
    shown = set(values)
    listed = set(re.findall(r"^  (?:-\w, )?--([a-z-]+)", suite.run("--help", "all")[1] +
                            suite.run("gray-scott", "--help")[1], re.M))
    missing = listed - shown - {"quiet", "verbose", "version", "help"}
    suite.check(not missing, "all options", missing)


def test_own_presets(suite):
    os.makedirs(suite.path(".config/vksim/presets"))
    suite.write(".config/vksim/presets/mine.json",
                '{"simulation": "gray-scott", "feed": 0.0312, "colormap": "abyss"}')
    suite.write(".config/vksim/presets/bad.json", '{"simulation": "gray-scott", "fed": 1}')
    text = suite.succeeds("--list with a preset of one's own", "gray-scott", "--list")
    suite.check("    mine " in text, "--list has it", text)
    text = suite.succeeds("--preset of one's own", "--preset", "mine", "--kill", 0.061,
                          "--show-options")
    text = re.sub(r" +", " ", text)
    suite.check("feed 0.0312 " in text and "colormap abyss " in text and "kill 0.061 " in text,
                "its values, below those of the command line", text)
    suite.fails("a damaged preset of one's own", 2, "fed", "gray-scott", "--preset", "bad",
                "--show-options")
    suite.fails("one of another simulation", 2, "gray-scott", "physarum", "--preset", "mine",
                "--show-options")


def test_help_of_presets(suite):
    text = suite.succeeds("--help", "physarum", "--help")
    suite.check("default 45; preset default: 26)" in re.sub(r"\s+", " ", text) and
                "--colormap dusk" in text, "the values of the first preset", text)
    text = suite.succeeds("--preset --help", "physarum", "--preset", "silk", "--help")
    suite.check("default 45; preset silk: 76)" in re.sub(r"\s+", " ", text) and
                "--colormap gold" in text, "the values of another", text)
    suite.check("(0 to 180 deg; default 0)" in re.sub(r"\s+", " ", text), "and defaults", text)
    text = re.sub(r"\s+", " ", suite.run("--preset", "silk", "--help", "all")[1])
    suite.check("preset silk of physarum: gold)" in text, "those of the common options", text)
    suite.fails("help on an unknown preset", USAGE, "sulk", "physarum", "--preset", "sulk",
                "--help")


def test_no_effect(suite):
    gray = ["gray-scott", "--headless", "--size", "32x24", "--steps", 1, "--preset", "plain",
            "--out", "g.png", "--overwrite"]
    suite.succeeds("a state", *NONE, "--save-state", "s.npz")
    rows = [
        ("feed with a map", [*gray, "--map", "0.01:0.1,0.045:0.07", "--feed", 0.03, "--kill",
                               0.06], ["--feed has no effect with --map 0.01", "--kill has no"]),
        ("feed with a preset's map", [*gray[:-7], "--preset", "parameter-map", *gray[-3:],
                                        "--steps", 1, "--feed", 0.03], ["--feed has no effect"]),
        ("a range without a map", [*gray, "--feed-range", "0.1:0.2"],
         ["--feed-range has no effect without --feed-map"]),
        ("a start that does not use it", [*gray, "--start-count", 3],
         ["--start-count has no effect with --init square, only with spots"]),
        ("a start that uses one of two", [*gray, "--init", "spots", "--start-radius", 0.3,
                                          "--start-grain", 3],
         ["--start-radius has no effect with --init spots, only with square, disc, ring or "
          "inverse"]),
        ("a start that uses it", [*gray, "--init", "spots", "--start-count", 3], []),
        ("a varied start", [*gray, "--vary", "init=square,spots", "--start-count", 3], []),
        ("a varied option", [*gray, "--vary", "start-count=3,4"],
         ["--vary start-count has no effect with --init square"]),
        ("a value that is varied twice", [*gray, "--vary", "seed=1,2,1"],
         ["--vary seed has the value '1' more than once"]),
        ("starts with a state", ["--headless", "--load-state", "s.npz", "--out", "none",
                                   "--steps", 1, "--init", "ring", "--start-radius", 0.2],
         ["--init has no effect with --load-state", "--start-radius has no effect with --load"]),
        ("--fit alone", [*SMALL, "--steps", 1, "-o", "f.png", "--overwrite", "--fit", "crop"],
         ["--fit has no effect without --output-size"]),
        ("--fit with a size", [*SMALL, "--steps", 1, "-o", "f.png", "--overwrite", "--fit", "crop",
                               "--output-size", "16x16"], []),
        ("a warm-up of nothing", [*SMALL, "--steps", 3, "--out", "none", "--warmup", 2],
         ["--warmup has no effect with --steps and --out none"]),
        ("a frame rate of a still", [*SMALL, "--steps", 1, "-o", "f.png", "--overwrite", "--fps",
                                     30], ["--fps has no effect"]),
        ("a present mode without a window", [*NONE, "--present", "mailbox"],
         ["--present has no effect without a window"]),
        ("a frame rate of a video", [*SMALL, "--frames", 2, "-o", "f.y4m", "--overwrite", "--fps",
                                     30], []),
        ("looks without pictures", [*NONE, "--fps", 30, "--colormap", "abyss", "--view", "agents",
                                    "--bloom", 1],
         ["--fps has", "--colormap has no effect with --out none", "--view has", "--bloom has"]),
        ("looks that are kept", [*NONE, "--colormap", "abyss", "--fps", 30, "--save-scene",
                                 "kept.json"], []),
        ("looks of another preset", [*NONE, "--preset", "silk"], []),
        ("colours of values", [*SMALL, "--steps", 1, "-o", "v.npy", "--overwrite", "--colormap",
                               "abyss", "--crop", "0,0,8x8"],
         ["--colormap has no effect on an output of values"]),
        ("annotations of values", [*SMALL, "--steps", 1, "-o", "v.npy", "--overwrite",
                                   "--annotate"],
         ["--annotate has no effect on an output of values"]),
        ("annotations of fields", [*SMALL, "--steps", 1, "-o", "v.vti", "--overwrite",
                                   "--annotate"],
         ["--annotate has no effect on an output of values"]),
        ("annotations of nothing", [*NONE, "--annotate"],
         ["--annotate has no effect with --out none"]),
        ("annotations of a picture", [*SMALL, "--steps", 1, "-o", "v.png", "--overwrite",
                                      "--annotate"], []),
        ("a device for a scene", ["--save-scene", "none.json", "--device", "llvm"],
         ["--device has no effect when nothing runs"]),
        ("the same twice", [*NONE, "--gamma", 1, "--gamma", 2], ["--gamma has no effect"]),
    ]
    for name, arguments, expected in rows:
        found = warnings(suite, *arguments)
        suite.check(len(found) == len(expected) and
                    all(line.startswith(words) for line, words in zip(found, expected)),
                    f"{name}: {len(expected)} warnings", found)
    status, _, err = suite.run(*NONE, "--fps", 30, "--quiet")
    suite.check(status == OK and not err, "--quiet silences warnings", err)
    suite.check(warnings(suite, *NONE, "--quiet", "--verbose") ==
                ["--verbose has no effect with --quiet"], "except the one about itself")


@values
def test_effects(suite):
    """Warnings are true: the option does not change a byte."""
    plain = ["--headless", "--preset", "plain", "--out", "none", "--steps", 3]
    runs = {
        "gas": (["gas", *plain, "--size", "16x16", "--waves", 5, "--speed", 1, "--clumps", 2],
                ["waves", "cloud", "tube", "blast", "shear"],
                {"waves": 7, "wave-slope": -2.5, "wave-strength": 0.4, "mach": 5, "ratio": 3,
                 "speed": 0.5, "radius": 0.2, "energy": 2, "clumps": 3, "clump-size": 0.3,
                 "planck": 0.5, "mixing": 0.2}),
        "gray-scott": (["gray-scott", *plain, "--size", "48x48"],
                       ["square", "disc", "ring", "spots", "noise", "inverse"],
                       {"start-radius": 0.3, "start-count": 3, "start-grain": 7,
                        "start-share": 0.2}),
        "physarum": ([*plain, "--size", "48x48", "--agents", 99], ["random", "disc", "ring",
                                                                   "point"],
                     {"start-radius": 0.2, "field-strength": 7}),
    }
    for name, (run, starts, options) in runs.items():
        for start in starts:
            states, told = {}, {}
            base = suite.state(*run, "--init", start)
            for option, value in options.items():
                status, out, err = suite.run(*run, "--init", start, f"--{option}", value,
                                             "--digest")
                if status != OK:
                    raise AssertionError(f"{name} {start} {option}: {err}")
                told[option] = f"--{option} has no effect" in err
                states[option] = base in out
            wrong = [option for option in options if told[option] and not states[option]]
            silent = [option for option in options if states[option] and not told[option]]
            suite.check(not wrong, f"{name}: --init {start}: warnings are true", wrong)
            suite.check(not silent, f"{name}: --init {start}: and complete", silent)


def test_ranges(suite):
    suite.fails("a range of names", USAGE, "--vary", "--vary", "tone=1..2")
    suite.fails("a range beyond the option's", USAGE, "gamma must be from 0.05 to 20, not 0",
                "--vary", "gamma=0..5", "--grid", "2x2")
    suite.fails("a range of too few", USAGE, "too few", "--vary", "agents=1..3", "--grid", "4x2")
    suite.fails("rows of the wrong type", USAGE, "--vary-rows", "--vary", "gamma=1,2",
                "--vary-rows", "invert=1,2")


def test_foreign_names(suite):
    suite.fails("a preset of another simulation", USAGE,
                "physarum has no preset 'mazes', which belongs to gray-scott", "--preset",
                "mazes")
    suite.fails("an option of another simulation", USAGE, "--feed", "--feed", 0.03)
    suite.write("foreign.json", '{"feed": 0.03}')
    suite.fails("such an option in a scene", USAGE, "has no option \"feed\"", "--scene",
                "foreign.json")
    suite.fails("such an option varied", USAGE, "no option 'feed', which belongs to gray",
                "--vary", "feed=0.1,0.2")


def test_scenes_and_states(suite):
    suite.succeeds("a state", *SMALL, "--steps", 1, "--out", "none", "--save-state", "a.npz")
    before = suite.read("a.npz")
    run = ["--headless", "--out", "none", "--steps", 1]
    for option, value, subject in (("size", "64x64", "trail"),
                                   ("agents", 99, "position")):
        suite.write("scene.json", json.dumps({option: value, "load-state": "a.npz"}))
        said = []
        for arguments in (["--load-state", "a.npz", f"--{option}", value],
                          ["--scene", "scene.json"]):
            suite.fails(f"{option} of {arguments[0]} with a state", FILE, subject, *run, *arguments)
            said.append(suite.run(*run, *arguments)[2])
        suite.check(said[0] == said[1], "the same sentence", *said)
    suite.fails("also with a preset", FILE, "60 x 2", *run, "--scene", "scene.json", "--vary",
                "decay=0.1,0.2")
    suite.write("scene.json", '{"load-state": "a.npz", "preset": "foam"}')
    suite.succeeds("presets keep the shape", *run, "--scene", "scene.json", "--preset", "net")
    suite.fails("the state of a scene is kept", FILE, "--overwrite", *run, "--scene", "scene.json",
                "--save-state", "a.npz")
    suite.check(suite.read("a.npz") == before, "as it was")
    suite.succeeds("and replaced with --overwrite", *run, "--scene", "scene.json", "--save-state",
                   "a.npz", "--overwrite")
    suite.check(json.loads(npz_members(suite.path("a.npz"))["vksim.json"])["steps"] == 2,
                "one step later")
    gas = ["gas", "--headless", "--preset", "plain", "--size", "16x16x16", "--steps", 1, "--out",
           "none"]
    suite.succeeds("a state of gas", *gas, "--save-state", "g.npz")
    suite.succeeds("a preset that sets a size", "--headless", "--load-state", "g.npz", "--preset",
                   "clumps", "--method", "particles", "--steps", 1, "--out", "none")


def test_scene_texts(suite):
    """A long text is kept whole."""
    values = ";".join(["0.5" + "0" * 40] * 200)
    suite.succeeds("a long list", "--vary", f"gamma={values}", "--save-scene", "long.json")
    suite.check(json.loads(suite.read("long.json"))["vary"] == f"gamma={values}", "is kept whole")


def test_one_json(suite):
    states = suite.digests(*SMALL, "--frames", 2, "--out", "a.y4m")
    out = suite.succeeds("digests and JSON", *SMALL, "--frames", 2, "--out", "b.y4m", "--digest",
                         "--timings=json")
    suite.check(json.loads(out)["digest"] == states, "one JSON has both", out, states)
    out = suite.succeeds("those of a grid", *SMALL, "--frames", 2, "--out", "none", "--vary",
                         "seed=1,2", "--digest", "--timings=json", "--quiet")
    found = json.loads(out)["digest"]["states"]
    suite.check([cell["cell"] for cell in found] == ["seed 1", "seed 2"] and
                found[0]["state"] == states["state"], "one per cell", found)
    out = suite.succeeds("JSON in a file", *SMALL, "--frames", 2, "--out", "c.y4m", "--digest",
                         "--timings=json", "--timings-out", "t.json")
    suite.check(f"digest state {states['state']}\n" in out and
                "digest" not in json.loads(suite.read("t.json")), "leaves lines on the output", out)


if __name__ == "__main__":
    sys.exit(main(globals()))

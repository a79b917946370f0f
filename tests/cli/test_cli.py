#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_cli.py VKSIM [GROUP]: tests of the command line tool. TAP output.

Runs on Mesa lavapipe (VKSIM_TEST_LAVAPIPE_ICD), for a few digests also on SwiftShader
(VKSIM_TEST_SWIFTSHADER_ICD). Needs ffprobe. A GROUP is one of those below, or the name of a test
function without `test_`; all by default.
"""

import ast
import base64
import csv
import fcntl
import json
import math
import os
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import traceback
import zipfile
import zlib
from xml.etree import ElementTree

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import check, end  # noqa: E402

OK, USAGE, DEVICE, FILE, GPU, VALIDATION, STOPPED, INTERNAL = 0, 2, 3, 4, 5, 6, 7, 8
INTERRUPTED = 130

TOOL_OPTIONS = """headless frames steps duration preset scene save-scene out encoder crf depth
poster overwrite fps load-state save-state device list-devices list digest timings timings-out trace
trace-steps validate quiet verbose version help vary vary-rows grid collage watch
capture report dry-run show-options""".split()
COMMON_OPTIONS = """size seed init init-fit steps-per-frame view axis project slice camera spin zoom
colormap normalize tone gamma contrast invert hillshade bloom background crop output-size
fit""".split()
PHYSARUM_OPTIONS = """agents sensor-distance sensor-angle turn-angle step-size jitter deposit
diffuse diffuse-size decay sampling steering boundary start-radius field-strength sort
fuse""".split()

GROUPS = {
    "inputs": "help lists commands bench bench_refused ladder ladder_refused explain "
              "usage "
              "size_for_device texts_first devices images colormaps bad_states bad_scenes",
    "outputs": "outputs_refused overwrite full_disk broken_pipe mp4 y4m png odd_sizes messages",
    "formats": "videos gif last_picture poster several_outputs arrays fields large_pictures "
               "deep_pictures",
    "stops": "pipes_that_wait encoder_stalls",
    "runs": "steps_and_frames digests looks views presets scenes states numpy_states timings trace "
            "watch interrupt scale scale_refused",
    "sheets": "grid cells_alone tall_cells shared_states grid_looks grid_scenes grid_refused "
              "collage collage_refused",
    "gas": "gas_usage gas_runs gas_states gas_nonsense",
    "validation": "validation failures",
}

# A run that ends immediately.
SMALL = ["--headless", "--preset", "plain", "--size", "32x24", "--agents", "60"]


class Suite:
    """Runs the tool and counts results."""

    def __init__(self, vksim, drivers, folder):
        self.vksim, self.drivers, self.folder = os.path.abspath(vksim), drivers, folder

    check = staticmethod(check)

    def path(self, name):
        return os.path.join(self.folder, name)

    def environment(self, driver="lavapipe", **more):
        env = {key: value for key, value in os.environ.items()
               if not key.startswith(("VK_", "VKSIM_", "XDG_", "SDL_"))
               and key not in ("DISPLAY", "WAYLAND_DISPLAY")}
        env.update(VK_ICD_FILENAMES=self.drivers[driver], VK_DRIVER_FILES=self.drivers[driver],
                   VKSIM_CACHE_DIR=self.path("cache"), HOME=self.folder, LC_ALL="C.UTF-8", **more)
        return env

    def module(self, name):
        """A file of the tests, made by the build of the tool."""
        return os.path.join(os.path.dirname(self.vksim), "tests", name)

    def limited_files(self):
        """For runs with limit_files(), see memory_files.c."""
        preload = [self.module("memory_files.so")]
        if os.environ.get("LD_PRELOAD"):
            preload.insert(0, os.environ["LD_PRELOAD"])
        return self.environment(LD_PRELOAD=":".join(preload))

    def scarce_memory(self, **numbers):
        """A device with little memory: the numbers of memory_layer.c, heap and piece, in MiB."""
        return self.environment(
            VK_LAYER_PATH=self.module(""), VK_INSTANCE_LAYERS="VK_LAYER_VKSIM_memory",
            **{f"MEMORY_LAYER_{name.upper()}": str(number << 20)
               for name, number in numbers.items()})

    def run(self, *arguments, env=None, timeout=120, **more):
        """(status, standard output, standard error) of one run; text unless binary=True."""
        binary = more.pop("binary", False)
        more.setdefault("stdin", subprocess.DEVNULL)
        more.setdefault("stdout", subprocess.PIPE)
        done = subprocess.run([self.vksim, *map(str, arguments)], cwd=self.folder,
                              env=env or self.environment(), stderr=subprocess.PIPE,
                              timeout=timeout, check=False, **more)
        out = done.stdout if binary or done.stdout is None else done.stdout.decode()
        return done.returncode, out, done.stderr.decode("utf-8", "replace")

    def fails(self, name, status, words, *arguments, **more):
        """The run must fail with that status and one message that has all the words."""
        got, out, err = self.run(*arguments, **more)
        # "vksim: no GPU found ..." may precede it.
        last = err.rstrip("\n").splitlines()[-1] if err else ""
        missing = [word for word in words if word not in last]
        good = (got == status and not missing and last.startswith("vksim: ") and not out and
                not last.endswith(".") and len(err.splitlines()) <= 2)
        return self.check(good, name, f"expected {status} and {words}, got {got}:", err, out)

    def succeeds(self, name, *arguments, **more):
        got, out, err = self.run(*arguments, **more)
        self.check(got == OK, name, f"status {got}:", err)
        return out

    def digests(self, *arguments, **more):
        """{'state': ..., 'frames': ...} of a run that must succeed."""
        status, out, err = self.run(*arguments, "--digest", **more)
        found = dict(re.findall(r"^digest (state|frames) ([0-9a-f]{32})$", out or "", re.M))
        if status != OK or "state" not in found:
            raise AssertionError(f"{arguments}: status {status}: {err}{out}")
        return found

    def state(self, *arguments, **more):
        return self.digests(*arguments, "--out", "none", **more)["state"]

    def write(self, name, data):
        with open(self.path(name), "wb" if isinstance(data, bytes) else "w",
                  **({} if isinstance(data, bytes) else {"encoding": "utf-8"})) as file:
            file.write(data)
        return name

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def left_over(self):
        """Names of incomplete files."""
        return [name for name in os.listdir(self.folder) if ".part-" in name]


# --- NumPy archives without NumPy -----------------------------------------------------------------

def npy(descr, shape, data):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {tuple(shape)!r}, }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data


def floats(values, code="f"):
    return struct.pack(f"<{len(values)}{code}", *values)


def npz(path, members):
    """Writes {name: bytes}; .npy is added to names without a dot."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name if "." in name else name + ".npy", data)


def npz_members(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def png(width, height, rows):
    """An 8-bit RGB PNG from rows of bytes."""
    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))
    raw = b"".join(b"\0" + row for row in rows)
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(raw)) +
            chunk(b"IEND", b""))


def png_size(data):
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", data[16:24])


def probe(path):
    """ffprobe's description of the first stream."""
    done = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-select_streams", "v:0",
                           "-show_entries", "stream=codec_name,pix_fmt,width,height,r_frame_rate,"
                           "nb_read_frames,color_space,color_range,color_primaries,"
                           "color_transfer", "-of", "json", path],
                          capture_output=True, timeout=60, check=False)
    return done.stderr.decode(), json.loads(done.stdout or b"{}").get("streams", [{}])[0]


def pixels(path, kind="rgb24"):
    """Every frame of a picture or video, decoded by ffmpeg to that pixel format."""
    done = subprocess.run(["ffmpeg", "-v", "error", "-i", path, "-fps_mode", "passthrough", "-f",
                           "rawvideo", "-pix_fmt", kind, "-"], capture_output=True, timeout=60,
                          check=False)
    if done.returncode != 0:
        raise AssertionError(f"{path}: {done.stderr.decode()}")
    return done.stdout


def mean_difference(a, b):
    return sum(abs(x - y) for x, y in zip(a, b)) / max(len(a), 1) if len(a) == len(b) else 1e9


# --- help and lists -------------------------------------------------------------------------------

def test_help(suite):
    text = suite.succeeds("--help", "--help")
    missing = [name for name in TOOL_OPTIONS + COMMON_OPTIONS
               if not re.search(rf"^  (-\w, )?--{name}\b", text, re.M)]
    suite.check(not missing, "--help lists every option", missing)
    listed = re.findall(r"^  (?:-\w, )?--([a-z-]+)", text, re.M)
    suite.check(sorted(listed) == sorted(TOOL_OPTIONS + COMMON_OPTIONS), "and no other", listed)
    codes = (0, 2, 3, 4, 5, 6, 7, INTERNAL, 130)
    suite.check("physarum" in text and all(f"{code} " in text for code in codes),
                "--help names simulations and exit codes", text)
    wide = [line for line in text.splitlines() if len(line) > 100]
    suite.check(not wide, "--help is 100 columns wide at most", *wide)
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
    suite.fails("help on an unknown simulation", USAGE, ["physarun", "did you mean 'physarum'"],
                "physarun", "--help")
    nothing = suite.environment()
    nothing["VK_ICD_FILENAMES"] = nothing["VK_DRIVER_FILES"] = "/nonexistent"
    for arguments in (["--help"], ["physarum", "--help"], ["--list"], ["--version"]):
        status, out, err = suite.run(*arguments, env=nothing)
        suite.check(status == OK and out and not err, f"{' '.join(arguments)} needs no driver", err)


def on_terminal(suite, *arguments, stream="stdout", columns=0, **variables):
    """The output of a run on a terminal."""
    env = suite.environment()
    for name in ("COLORTERM", "NO_COLOR"):
        env.pop(name, None)
    env.update(variables)
    ours, theirs = os.openpty()
    if columns:
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, stream: theirs}
    with os.fdopen(ours, "rb", buffering=0) as reader:
        done = subprocess.Popen([suite.vksim, *map(str, arguments)], env=env, cwd=suite.folder,
                                stdin=subprocess.DEVNULL, **streams)
        os.close(theirs)
        text = b""
        try:
            while part := reader.read(1 << 16):
                text += part
        except OSError:  # Linux reports a closed terminal like this
            pass
        assert done.wait(timeout=60) == OK, text
        for pipe in (done.stdout, done.stderr):
            if pipe:
                pipe.close()
    return text.decode().replace("\r\n", "\n")


def test_lists(suite):
    out = suite.succeeds("--list", "--list")
    words = "physarum default plain ring ember grey cyberpunk".split()
    suite.check(all(word in out for word in words), "it names what there is", out)
    suite.check(re.findall(r"^    (\w+) +(.*)$", out.split("  presets:")[0], re.M) ==
                [("trail", "the trail (default)"), ("agents", "agents in each cell")],
                "the views of a simulation", out)
    suite.check("\x1b" not in out, "no colours into a pipe")
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
        suite.check(len(rows) == 25 and all(row.endswith("\x1b[0m") and row.count("\u258c") == 56
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
                found[0]["lacks"] == "", "the same as JSON", found)
    chosen = suite.succeeds("one device", "devices", "--device", "llvm")
    suite.check(chosen.startswith("0: llvmpipe") and chosen in out, "only that", chosen)
    suite.fails("no such device", DEVICE, ["--device", "'radeon'"], "devices", "--device", "radeon")
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


# --- wrong usage ----------------------------------------------------------------------------------

def test_commands(suite):
    text = suite.succeeds("help of a command", "devices", "--help")
    suite.check("--json" in text and "--verbose" in text and "--frames" not in text,
                "has its options and those of all commands", text)
    suite.check("devices" in suite.succeeds("help", "--help").split("Commands:")[1], "is listed")
    text = suite.succeeds("help of scale", "scale", "gray-scott", "--help")
    suite.check("--over" in text and "--repeats" in text and "vksim SIMULATION --help" in text,
                "is that of the command, not of its simulation", text)
    suite.succeeds("a run by its name", "run", "physarum", *SMALL, "--frames", 1, "--out", "none")
    for size in (64, 96):
        out = suite.succeeds("timings", *SMALL, "--size", f"{size}x{size}", "--steps", 4, "--out",
                             "none", "--timings=json")
        suite.write(f"t{size}.json", out)
    out = suite.succeeds("report", "report", "t64.json", "t96.json", "t64.json")
    lines = out.splitlines()
    suite.check("1: t64.json: physarum 64x64 on llvmpipe" in lines[0] and "96x96" in lines[1] and
                "3: t64.json" in lines[2], "names the runs", out)
    first = json.loads(suite.read("t64.json"))
    agents = next(line.split() for line in lines if line.startswith("agents"))
    timed = next(entry["p50_s"] for entry in first["passes"] if entry["name"] == "agents")
    suite.check(abs(float(agents[1]) - timed * 1e6) < 0.006 and agents[5] == "1.000" and
                any(line.startswith("step (mean)") for line in lines),
                "times and ratios", agents, timed)
    suite.write("empty.json", "{}")
    suite.write("text.json", "no json")
    hostile = {**first, "simulation": "gas\x1b]0;name\x07"}
    suite.write("escape.json", json.dumps(hostile))
    suite.write("twice.json", json.dumps({**first, "passes": first["passes"] * 2}))
    suite.write("wide.json", json.dumps({**first, "width": 1e300}))
    suite.write("late.json", json.dumps({**first, "step_s": -1}))
    for name, words, path in (("control characters", ["no valid simulation"], "escape.json"),
                              ("a pass twice", ["the pass '", "twice"], "twice.json"),
                              ("no size", ["no valid size"], "wide.json"),
                              ("a negative time", ["no valid step_s"], "late.json"),
                              ("a file that is not there", ["'none.json'"], "none.json"),
                              ("no JSON", ["'text.json'", "line 1"], "text.json"),
                              ("another JSON", ["'empty.json'", "no valid simulation"],
                               "empty.json")):
        suite.fails(f"report of {name}", FILE, words, "report", "t64.json", path)
    suite.fails("report of nothing", USAGE, ["A.json B.json"], "report")
    suite.fails("a device for a report", USAGE, ["--device"], "report", "--device", 0, "t64.json")


SPREAD = ["min", "low_quartile", "median", "high_quartile", "max"]
QUICK = ["dispatch-barrier", "submit", "float32", "atomic-1k"]


def is_spread(value):
    return all(0 < value[a] <= value[b] for a, b in zip(SPREAD, SPREAD[1:])) and \
        value["samples"] > 2


def test_bench(suite):
    listed = suite.succeeds("bench lists what it measures", "bench")
    suite.check("vksim bench ceilings" in listed and "atomic-spread" in listed and
                "(GB/s)" in listed, "names, help and units", listed)
    found = json.loads(suite.succeeds("ceilings as JSON", "bench", "ceilings", *QUICK, "--json"))
    values = {ceiling["name"]: ceiling for ceiling in found["ceilings"]}
    suite.check(sorted(values) == sorted(QUICK) and "llvmpipe" in found["device"]["name"] and
                found["device"]["driver"] and found["device"]["uuid"], "of this device", found)
    suite.check(all(is_spread(value) and value["kept"] is False for value in values.values()) and
                values["submit"]["unit"] == "s" and values["float32"]["unit"] == "FLOP/s" and
                values["float32"]["median"] > 1e8, "with their spread and units", found)
    again = json.loads(suite.succeeds("again", "bench", "ceilings", *QUICK, "read", "--json"))
    both = {ceiling["name"]: ceiling for ceiling in again["ceilings"]}
    suite.check(all(both[name] == {**values[name], "kept": True} for name in QUICK),
                "they are kept", again)
    points = both["read"]["points"]
    suite.check([point["buffer_bytes"] for point in points] == [1 << k for k in range(16, 27)] and
                all(is_spread(point) for point in points) and not both["read"]["kept"] and
                all(points[-1][part] == both["read"][part] for part in SPREAD),
                "buffers of 64 KiB to 64 MiB, the last is the ceiling", again)
    fresh = json.loads(suite.succeeds("--fresh", "bench", "ceilings", "submit", "--fresh",
                                      "--json"))["ceilings"]
    suite.check(len(fresh) == 1 and fresh[0]["kept"] is False, "measures again", fresh)
    rows = suite.succeeds("ceilings as a table", "bench", "ceilings", "read", "float32",
                          "--plot", "c.svg").splitlines()
    cells = [row.split() for row in rows]
    suite.check("ceilings of llvmpipe" in rows[0] and cells[2][0] == "read" and
                cells[2][6] == "GB/s" and
                abs(float(cells[2][1]) / (both["read"]["median"] * 1e-9) - 1) < 0.01 and
                rows[-1].startswith("64.0 MiB") and rows[5].split() == ["buffer", "read"],
                "the same values", rows)
    drawn = suite.read("c.svg").decode()
    ElementTree.fromstring(drawn)
    suite.check(all(text in drawn for text in ("64 KiB", "llvmpipe", ">float32<")) and
                re.search(r"bandwidth \([MG]B/s\)", drawn), "and as a plot", drawn)


def test_bench_refused(suite):
    suite.fails("an unknown benchmark", USAGE, ["'ceiling'", "did you mean 'ceilings'"], "bench",
                "ceiling")
    suite.fails("options without a benchmark", USAGE, ["vksim bench ceilings"], "bench", "--json")
    suite.fails("an unknown ceiling", USAGE, ["'flaot32'", "did you mean 'float32'", "atomic-1m"],
                "bench", "ceilings", "copy", "flaot32")
    suite.write("there.svg", "mine")
    suite.fails("a plot that exists", FILE, ["there.svg", "--overwrite"], "bench", "ceilings",
                "submit", "--plot", "there.svg")
    suite.check(suite.read("there.svg") == b"mine", "is left alone")
    suite.succeeds("--overwrite", "bench", "ceilings", "submit", "--plot", "there.svg",
                   "--overwrite")
    suite.fails("a plot that is no picture", USAGE, ["'c.pdf'", ".svg or .png"], "bench",
                "ceilings", "--plot", "c.pdf")
    suite.fails("a plot as PNG without rsvg-convert", USAGE, ["rsvg-convert", "librsvg"], "bench",
                "ceilings", "submit", "--plot", "c.png", env=suite.environment(PATH="/nowhere"))
    suite.check(not os.path.exists(os.path.join(suite.folder, "c.png")), "writes nothing")
    suite.fails("no folder for the plot", FILE, ["nowhere"], "bench", "ceilings", "--plot",
                "nowhere/c.svg")


def test_ladder(suite):
    listed = suite.succeeds("bench lists kernels and rungs", "bench")
    suite.check("vksim bench KERNEL" in listed and "  transpose " in listed and
                "    padded " in listed, "with their help", listed)
    found = json.loads(suite.succeeds("a kernel as JSON", "bench", "transpose", "--sizes",
                                      "1x1000,37x41", "--rungs", "rows,padded", "--json",
                                      "--plot", "t.svg"))
    rungs = found["rungs"]
    copy, = found["ceilings"]
    suite.check([(rung["rung"], rung["size"]) for rung in rungs] ==
                [("rows", "1x1000"), ("padded", "1x1000"), ("rows", "37x41"),
                 ("padded", "37x41")] and
                found["kernel"] == "transpose" and copy["name"] == "copy" and
                found["dtype"] == "uint32" and "llvmpipe" in found["device"]["name"],
                "these rungs at these sizes", found)
    suite.check(all(rung["verified"] is True and is_spread(rung["seconds"]) for rung in rungs),
                "verified and measured", found)
    last = rungs[3]
    rate = 8 * 37 * 41 / last["seconds"]["median"]
    over = rungs[2]["seconds"]["median"] / last["seconds"]["median"]
    suite.check(abs(last["bytes_per_second"] / rate - 1) < 1e-9 and
                last["ceiling"] == "copy" and
                abs(last["of_ceiling"] * copy["median"] / rate - 1) < 1e-9 and
                abs(last["over_first"] / over - 1) < 1e-9 and last["over_before"] ==
                last["over_first"] and "over_before" not in rungs[2], "rate and factors", last)
    drawn = suite.read("t.svg").decode()
    ElementTree.fromstring(drawn)
    suite.check(all(text in drawn for text in ("llvmpipe", ">padded<", ">rows<", "copy")),
                "and as a plot", drawn)
    rows = suite.succeeds("a kernel as a table", "bench", "copy", "--sizes", "1000",
                          "--rungs", "four,scalar").splitlines()
    suite.check(len(rows) == 6 and rows[0].startswith("copy of uint32 on llvmpipe") and
                [row.split()[:2] for row in rows[3:5]] == [["scalar", "1000"], ["four", "1000"]] and
                rows[4].endswith("accesses of 16 bytes") and "*" in rows[4] and
                "may stay in a cache" in rows[5], "in the order of the ladder", rows)
    text = suite.succeeds("a kernel as CSV", "bench", "add", "--sizes", "1000,77", "--dtype",
                          "float32", "--csv", "--report", "l.html", "--plot", "l.png")
    suite.check(suite.read("l.png")[:8] == b"\x89PNG\r\n\x1a\n" and
                len(suite.read("l.png")) > 10000, "a plot as PNG")
    table = list(csv.DictReader(text.splitlines()))
    suite.check([(row["rung"], row["size"], row["dtype"], row["verified"], row["unit"])
                 for row in table] == [(rung, size, "float32", "1", "B/s")
                                       for size in ("1000", "77")
                                       for rung in ("scalar", "four", "loop")] and
                all(abs(float(row["rate"]) * float(row["median_s"]) / 12 / float(row["size"]) - 1)
                    < 1e-6 for row in table) and not table[3]["over_before"] and
                table[3]["over_first"] == "1", "in units of bytes and seconds", text)
    page = suite.read("l.html").decode()
    suite.check(all(part in page for part in ("<h1>add</h1>", "llvmpipe", "data:image/svg+xml",
                                              "accesses of 16 bytes")) and
                "<script" not in page and "://" not in page,
                "and as a page without scripts", page[:3000])


def test_explain(suite):
    svg = "{http://www.w3.org/2000/svg}"
    for rung, degree, finding in (
            ("tile", "32", "loads have up to 32-way bank conflicts: 32 cycles per request "
                           "instead of 1."),
            ("padded", None, "no bank of shared memory has a conflict")):
        suite.succeeds(f"a picture of {rung}", "bench", "transpose", "--rungs", rung, "--explain",
                       f"{rung}.svg")
        root = ElementTree.parse(suite.path(f"{rung}.svg")).getroot()
        texts = [label.text for label in root.iter(svg + "text")]
        degrees = [label.text for label in root.iter(svg + "text")
                   if "degree" in label.get("class").split()]
        suite.check(any(finding in text for text in texts), f"{rung}: its finding", texts)
        suite.check(degrees == ([degree] if degree else []), f"{rung}: its degree", degrees)
        yellow = [path for path in root.iter(svg + "path") if path.get("class") == "cells clash"]
        suite.check(len(yellow) == (1 if degree else 0), f"{rung}: yellow cells")
        for name in ("source", "tile", "result", "Time line", "4 sectors per request"):
            suite.check(name in texts, f"{rung}: {name}", texts)
    suite.succeeds("pictures on a page", "bench", "transpose", "--rungs", "rows,tile", "--sizes",
                   "64x96", "--explain", "rungs.html")
    with open(suite.path("rungs.html"), encoding="utf-8") as file:
        page = file.read()
    suite.check(page.count("data:image/svg+xml") == 2 and "Memory accesses of transpose" in page,
                "two pictures and a title")
    suite.check(re.search("result</th><td[^>]*>stores", page), "a table of requests")
    suite.fails("a picture that exists", FILE, ["tile.svg", "--overwrite"], "bench", "transpose",
                "--explain", "tile.svg")
    suite.succeeds("--overwrite", "bench", "transpose", "--rungs", "rows", "--explain", "tile.svg",
                   "--overwrite")
    suite.fails("a picture of another kind", USAGE, ["'a.png'", ".svg or .html"], "bench", "copy",
                "--explain", "a.png")
    suite.fails("no folder for the picture", FILE, ["nowhere"], "bench", "copy", "--explain",
                "nowhere/a.svg")
    suite.fails("a picture and a plot", USAGE, ["--plot"], "bench", "copy", "--explain", "a.svg",
                "--plot", "b.svg")
    suite.fails("two sizes in a picture", USAGE, ["one size"], "bench", "copy", "--explain",
                "a.svg", "--sizes", "100,200")
    suite.fails("a rung without a record", USAGE, ["elements", "does not record"], "bench",
                "first-column", "--rungs", "elements", "--explain", "a.svg")
    suite.fails("pictures of all", USAGE, ["--explain", "single kernel"], "bench", "all",
                "--explain", "a.svg")
    suite.fails("pictures of ceilings", USAGE, ["--explain"], "bench", "ceilings", "--explain",
                "a.svg")


def test_ladder_refused(suite):
    suite.fails("an unknown kernel", USAGE, ["'transpos'", "did you mean 'transpose'",
                                             "ceilings, all, copy, add"], "bench", "transpos")
    suite.fails("an unknown rung", USAGE, ["'tiel'", "did you mean 'tile'", "rows, coalesced"],
                "bench", "transpose", "--rungs", "rows,tiel")
    for size in ("", "0", "5x", "x5", "five", "1x1,", "-1x1", "99999999999x1", "7"):
        suite.fails(f"the size '{size}'", USAGE, ["WIDTHxHEIGHT"], "bench", "transpose",
                    "--sizes", size)
    suite.fails("a matrix as a vector", USAGE, ["ELEMENTS"], "bench", "copy", "--sizes",
                "5x5")
    suite.fails("too many sizes", USAGE, ["more than 64"], "bench", "copy", "--sizes",
                ",".join(["1"] * 65))
    suite.fails("a size that does not fit", USAGE, ["needs a buffer of 8.0 GiB", "llvmpipe",
                                                    "at most"], "bench", "copy", "--sizes",
                "2147483644")
    suite.fails("too many rows", USAGE, ["524280 rows", "1x524281"], "bench", "transpose",
                "--sizes", "1x524281")
    suite.fails("a matrix too large for indices", USAGE, ["more than 2^31 elements"], "bench",
                "transpose", "--sizes", "65536x65537")
    suite.fails("a type that the kernel does not take", USAGE, ["'float32'", "there are: uint32"],
                "bench", "copy", "--dtype", "float32")
    suite.fails("JSON and CSV", USAGE, ["exclude each other"], "bench", "copy", "--json", "--csv")
    suite.fails("sizes of all kernels", USAGE, ["--sizes", "single kernel"], "bench", "all",
                "--sizes", "5")
    suite.fails("CSV of ceilings", USAGE, ["--csv", "ceilings"], "bench", "ceilings", "--csv")
    suite.fails("no folder for the page", FILE, ["nowhere"], "bench", "copy", "--report",
                "nowhere/l.html")
    suite.fails("a page and a plot in one file", USAGE, ["--plot and --report"], "bench", "copy",
                "--plot", "l.svg", "--report", "./l.svg")
    suite.fails("two kernels", USAGE, ["one kernel", "'add'"], "bench", "copy", "add")
    suite.fails("sizes of ceilings", USAGE, ["--sizes"], "bench", "ceilings", "--sizes", "5")
    suite.fails("no folder for the plot of a kernel", FILE, ["nowhere"], "bench", "copy", "--plot",
                "nowhere/c.svg")
    suite.fails("a kernel's plot that is no picture", USAGE, [".svg"], "bench", "copy", "--plot",
                "c.jpg")


def test_usage(suite):
    rows = [
        ("an unknown option suggests the nearest", ["'--agnets'", "did you mean '--agents'?"],
         ["--agnets", 5]),
        ("with a value in the same word", ["'--sensor-anlge'", "did you mean '--sensor-angle'?"],
         ["--sensor-anlge=5"]),
        ("the tool's own options are suggested too", ["did you mean '--overwrite'?"],
         ["--overwite"]),
        ("an unknown option without a like", ["'--zzzzzz'", "--help"], ["--zzzzzz"]),
        ("a very long option", ["unknown option"], ["--" + "a" * 500]),
        ("one dash", ["'-x'", "two dashes"], ["-x"]),
        ("two dashes alone", ["'--'"], ["--"]),
        ("a second word", ["'again'", "one word too many"], ["physarum", "again"]),
        ("a command that is not first", ["'devices'", "must come first"], ["--quiet", "devices"]),
        ("a command after a simulation", ["'devices'", "must come first"], ["gas", "devices"]),
        ("nearly a command", ["'devics'", "did you mean 'devices'?"], ["devics"]),
        ("an option of a run for a command", ["--frames", "vksim devices --help"],
         ["devices", "--frames", 3]),
        ("a word for a command", ["'x'", "'devices'"], ["devices", "x"]),
        ("an unknown simulation", ["'physarun'", "did you mean 'physarum'?", "there are: physarum"],
         ["physarun"]),
        ("an empty word", ["''"], [""]),
        ("a flag with a value", ["--quiet", "'maybe'"], ["--quiet=maybe"]),
        ("--steps and --frames", ["--steps and --frames exclude each other"],
         ["--steps", 5, "--frames", 5]),
        ("--duration and --frames", ["--duration and --frames exclude each other"],
         ["--duration", "5s", "--frames", 5]),
        ("no duration", ["--duration '1:75'", "20s", "0:20"], ["--duration", "1:75"]),
        ("no frame", ["--duration '0'", "0 frames"], ["--duration", "0"]),
        ("an unknown preset lists them",
         ["'defualt'", "did you mean 'default'?", "plain", "default"], ["--preset", "defualt"]),
        ("an unknown colour map lists them", ["--colormap 'embr'", "did you mean 'ember'?",
                                              "cyberpunk", "grey", "file"], ["--colormap", "embr"]),
        ("an unknown start lists them", ["--init 'blob'", "random, disc, ring, point, image:FILE"],
         ["--init", "blob"]),
        ("an unknown view lists them", ["--view 'agent' is not one of: trail, agents (did you mean "
                                        "'agents'?)"], ["--view", "agent"]),
        ("an unknown tone", ["--tone 'lin' is not one of: linear, log"], ["--tone", "lin"]),
        ("an unknown axis", ["--axis 'w' is not one of: x, y, z"], ["--axis", "w"]),
        ("an unknown projection", ["--project 'sum' is not one of: slice, mean, max, column"],
         ["--project", "sum"]),
        ("an axis of a flat field", ["--axis 'z' requires a volume, and this view is flat"],
         ["--axis", "z"]),
        ("an unknown projection of a flat field", ["--project 'sum' is not one of"],
         ["gray-scott", "--project", "sum"]),
        ("a slice of a flat field", ["--slice '0.5' requires a volume"], ["--slice", 0.5]),
        ("a camera on a field",
         ["--camera '30,20' is for views of points, and this view shows a field"],
         ["gas", "--preset", "plain", "--size", "8x8x8", "--view", "density", "--camera", "30,20"]),
        ("a spin of a flat simulation", ["--spin 2 is for views of points"], ["--spin", 2]),
        ("a camera on a flat box",
         ["--camera '30,20' requires a volume, and this view is flat"],
         ["gas", "--preset", "plain", "--size", "8x8", "--view", "points", "--camera", "30,20"]),
        ("a camera that is none",
         ["--camera '30' is not none or AZIMUTH,ELEVATION in degrees, such as 30,20"],
         ["gas", "--preset", "plain", "--size", "8x8x8", "--view", "points", "--camera", "30"]),
        ("a camera and an axis", ["--camera '30,20' and axis 'x' exclude each other"],
         ["gas", "--preset", "plain", "--view", "points", "--camera", "30,20", "--axis", "x"]),
        ("a zoom without a camera", ["--zoom 2 requires camera"],
         ["gas", "--preset", "plain", "--size", "8x8x8", "--view", "points", "--zoom", 2]),
        ("a projection of points",
         ["--project 'mean' is for fields; of points all along a line of sight are counted"],
         ["gas", "--preset", "plain", "--size", "8x8x8", "--view", "points", "--project", "mean"]),
        ("points that are not there",
         ["--view points shows particles, which method grid has only as tracers: "
          "set particles"],
         ["gas", "--preset", "plain", "--method", "grid", "--view", "points"]),
        ("frequencies that fall",
         ["--frequency '3:1' is not LOW:HIGH with 0 <= LOW <= HIGH <= 1e6"],
         ["gas", "--preset", "plain", "--size", "8x8", "--frequency", "3:1"]),
        ("an exchange without oscillators", ["--exchange-time has no effect without oscillators",
                                             "set boltzmann"],
         ["gas", "--preset", "plain", "--size", "8x8", "--exchange-time", 1]),
        ("oscillators without tracers", ["with method grid oscillators belong to tracers",
                                         "set particles, or boltzmann 0"],
         ["gas", "--preset", "plain", "--size", "8x8", "--method", "grid", "--boltzmann", 1,
          "--exchange-time", 1]),
        ("oscillators that are not there", ["--view oscillators shows those of tracers",
                                            "only with particles"],
         ["gas", "--preset", "plain", "--size", "8x8", "--method", "grid", "--view",
          "oscillators"]),
        ("oscillators that store nearly nothing",
         ["--boltzmann 1e-07 is too low: choose 0, or 1e-6 to 1e6"],
         ["gas", "--preset", "plain", "--size", "8x8", "--boltzmann", 1e-7]),
        ("an exchange that takes no time",
         ["--exchange-time 1e-10 is too short: choose 0, or 1e-9"],
         ["gas", "--preset", "plain", "--size", "8x8", "--boltzmann", 1, "--exchange-time",
          1e-10]),
        ("an unknown sampling", ["--sampling 'linear'", "nearest, bilinear"],
         ["--sampling", "linear"]),
        ("an unknown form of timings", ["--timings 'xml'", "table, json"], ["--timings=xml"]),
        ("an unknown kind of validation", ["--validate 'all'", "core, sync, gpu"],
         ["--validate=all"]),
        ("a wrong range of values", ["--normalize 'fixed:2:1'", "LOW below HIGH"],
         ["--normalize", "fixed:2:1"]),
        ("an even diffuse-size", ["--diffuse-size '4'", "odd number from 1 to 63"],
         ["--diffuse-size", 4]),
        ("more steps than can be", ["over 1e15 steps"],
         ["--frames", "1e9", "--steps-per-frame", "1e9"]),
        ("more cells than can be", ["--size 65536x65536", "4294967295 cells"],
         ["--size", "65536x65536"]),
        ("a depth for a simulation that takes none",
         ["'gray-scott' is two-dimensional: size takes WIDTHxHEIGHT, not 64x48x8"],
         ["gray-scott", "--size", "64x48x8"]),
        ("a size of four parts", ["--size '8x8x8x8' is not WIDTHxHEIGHT[xDEPTH]"],
         ["--size", "8x8x8x8"]),
    ]
    for name, words, arguments in rows:
        suite.fails(name, USAGE, words, *arguments, "--headless")
    suite.fails("a value is missing", USAGE, ["--agents needs a value"], "--headless", "--agents")
    ranges = {
        "frames": ("0", "1 to 1000000000"), "steps": ("-1", "0 to 1000000000000000"),
        "fps": ("1001", "1 to 1000 frames/s"), "seed": ("4294967296", "0 to 4294967295"),
        "steps-per-frame": ("0", "1 to 1000000000"), "gamma": ("0.01", "0.05 to 20"),
        "contrast": ("-1", "0 to 20"), "size": ("0x5", "each from 1 to 65536 cells"),
        "agents": ("0", "1 to 1000000000"), "sensor-distance": ("-1", "0 to 1000 cells"),
        "sensor-angle": ("181", "0 to 180 deg"), "turn-angle": ("-181", "-180 to 180 deg"),
        "step-size": ("nan", "0 to 1000 cells"), "jitter": ("inf", "0 to 180 deg"),
        "deposit": ("1e7", "0 to 1e+06"), "diffuse": ("1.01", "0 to 1"),
        "diffuse-size": ("65", "1 to 63 cells"), "decay": ("x", "0 to 1"),
        "start-radius": ("11", "0 to 10"), "field-strength": ("", "0 to 1e+06"),
    }
    for option, (value, text) in ranges.items():
        suite.fails(f"--{option} '{value}' gives the range", USAGE,
                    [f"--{option} '{value}' is not", text], "--headless", f"--{option}={value}")
        suite.fails(f"--{option} word gives the range", USAGE, [text], "--headless", f"--{option}",
                    "word")


def test_size_for_device(suite):
    """Says how much it needs and how much there is, whatever the output."""
    scarce = suite.scarce_memory(heap=1024)
    for arguments, outs in ((["--size", "65536x60000"], ("none", "a.mp4", "a.png")),
                            (["--size", "16384x16384", "--agents", "1e9"],
                             ("none", "a.mp4", "a.png")),
                            (["--size", "64x64", "--agents", "1e9"], ("none", "a.mp4", "a.png")),
                            # The field fits, in chunks; a picture for a video does not.
                            (["--size", "65536x1000"], ("a.mp4",))):
        for out in outs:
            suite.fails(f"{' '.join(arguments)} to {out}", USAGE,
                        ["need", "iB", "llvmpipe",
                         "smaller --size or --output-size, or fewer items"],
                        "--headless", *arguments, "--out", out, env=scarce)
    suite.check(not os.path.exists(suite.path("a.mp4")) and not suite.left_over(),
                "nothing is left behind", os.listdir(suite.folder))
    suite.fails("fields that fit one by one", USAGE, ["in all", "the 256 MiB of llvmpipe"],
                "--headless", "--size", "5792x5792", "--agents", "16M", "--steps", 0, "--out",
                "none", env=suite.scarce_memory(heap=256))


# --- no device ------------------------------------------------------------------------------------

def test_texts_first(suite):
    """A text without a meaning is reported before a device is looked for, also in a scene."""
    nothing = suite.environment()
    nothing["VK_ICD_FILENAMES"] = nothing["VK_DRIVER_FILES"] = "/nonexistent/icd.json"
    rows = [("gas", "frequency", "3:1"), ("gas", "sort", "often"), ("physarum", "sort", "1001"),
            ("gray-scott", "map", "0.1:0.01,0:1"), ("gray-scott", "feed-range", "1:0"),
            ("gray-scott", "kill-range", "0.5"), ("gray-scott", "fuse", "17"),
            ("gas", "view", "heights"), ("physarum", "init", "image:")]
    for model, option, text in rows:
        run = ["--headless", "--size", "16x16", "--out", "none"]
        suite.fails(f"--{option} {text}", USAGE, [f"--{option} '{text}' is "], model, *run,
                    f"--{option}", text, env=nothing)
        suite.fails(f"{option} {text} in a --vary", USAGE, [f"{option} '{text}' is "], model, *run,
                    "--vary", f"{option}={text};{text}", env=nothing)
        suite.write("scene.json", json.dumps({"simulation": model, option: text}))
        suite.fails(f"{option} {text} in a scene", USAGE, [f"{option} '{text}' is "], *run,
                    "--scene", "scene.json", env=nothing)


def test_devices(suite):
    nothing = suite.environment()
    nothing["VK_ICD_FILENAMES"] = nothing["VK_DRIVER_FILES"] = "/nonexistent/icd.json"
    for arguments in (SMALL, ["--list-devices"]):
        suite.fails(f"no driver: {arguments[0]}", DEVICE,
                    ["no Vulkan driver found", "install", "mesa-vulkan-drivers"], *arguments,
                    env=nothing)
    os.mkdir(suite.path("noloader"))
    for name in ("libvulkan.so", "libvulkan.so.1"):
        suite.write(f"noloader/{name}", "not a library")
    suite.fails("no loader", DEVICE, ["no Vulkan loader", "install", "libvulkan1"], *SMALL,
                env=suite.environment(LD_LIBRARY_PATH=suite.path("noloader")))
    suite.fails("an unknown device lists them", DEVICE,
                ["--device 'radeon' is not", "there are: 0 'llvmpipe"], *SMALL, "--device",
                "radeon")
    suite.fails("a number too high", DEVICE, ["--device '7'", "0 'llvmpipe"], *SMALL, "--device", 7)
    suite.fails("the variable is named", DEVICE, ["VKSIM_DEVICE 'radeon'", "0 'llvmpipe"], *SMALL,
                env=suite.environment(VKSIM_DEVICE="radeon"))
    status, _, err = suite.run("--size", "32x32", "--agents", 5)
    suite.check(status == DEVICE and "--headless" in err, "no display: --headless is the way", err)
    suite.check(err.endswith("); use --headless to render to a file\n") and err.count("--") == 1,
                "once", err)
    for layer in ("--validate", "--validate=sync"):
        suite.fails(f"{layer} without the layer", DEVICE,
                    ["--validate: the Vulkan validation layer", "not installed"],
                    *SMALL, "--frames", 1, "--out", "none", layer,
                    env=suite.environment(VK_LAYER_PATH="/nonexistent"))


# --- files that are read --------------------------------------------------------------------------

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
    for name, words in {"missing.png": ["no such file"], "cut.png": ["PNG"],
                        "text.png": ["neither a PNG nor a JPEG"], "empty.png": [],
                        "folder.png": ["regular file"]}.items():
        suite.fails(f"image:{name}", FILE, [f"'{name}'", *words], *SMALL, "--out", "none", "--init",
                    f"image:{name}")
    suite.fails("image: without a name", USAGE, ["--init 'image:'"], *SMALL, "--init", "image:")


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
    suite.fails("no output onto a colour map", USAGE, ["--out 'grey.png'", "reads from"], *SMALL,
                "--colormap", "grey.png", "--out", "grey.png", "--overwrite")
    suite.check(frames("grey.png") == grey, "which is still there")
    suite.write("short.csv", "".join(f"{i},{i},{i}\n" for i in range(255)))
    suite.write("bad.csv", "1,2,3\n" * 255 + "1,2,300\n")
    suite.write("empty.csv", "")
    suite.write("film.csv", b"\0\1\2\3" * 99)
    suite.write("cut.png", suite.read("grey.png")[:-20])
    suite.write("one.png", png(1, 1, [b"\0\0\0"]))
    os.mkdir(suite.path("maps"))
    for name, words in {"missing.csv": ["no such file"], "short.csv": ["255 rows", "256 rows"],
                        "bad.csv": ["300 in line 256", "from 0 to 255"],
                        "empty.csv": ["0 rows"], "film.csv": ["neither a PNG", "256 rows"],
                        "cut.png": ["PNG"], "one.png": ["one pixel"],
                        "maps": ["regular file"]}.items():
        suite.fails(f"--colormap {name}", FILE, [f"'{name}'", *words], *SMALL, "--out", "b.png",
                    "--colormap", name)
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

    def fails(name, words, data=None, arguments=(), status=FILE, **changed):
        path = re.sub(r"\W+", "-", name) + ".npz"
        if data is not None:
            suite.write(path, data)
        else:
            npz(suite.path(path), {key: value for key, value in {**members, **{
                key.replace("_json", ".json") if key.endswith("_json") else key + ".npy": value
                for key, value in changed.items()}}.items() if value is not None})
        suite.fails(f"state: {name}", status, [f"'{path}'", *words], *SMALL[:1], *arguments,
                    "--out", "none", "--load-state", path)

    def with_header(**changed):
        return json.dumps({**header, **changed})

    for cut in (0, 1, 100, len(whole) // 2, len(whole) - 1):
        fails(f"cut after {cut} bytes", [], data=whole[:cut])
    fails("no archive", ["archive"], data="just a text\n")
    fails("of another simulation", ["gray-scott", "physarum"], arguments=["physarum"],
          vksim_json=with_header(simulation="gray-scott"))
    fails("of an unknown simulation", ["gray-scott"],
          vksim_json=with_header(simulation="gray-scott"))
    fails("a damaged header", ["vksim.json"], vksim_json="{")
    fails("a header that is a list", ["vksim.json"], vksim_json="[]")
    fails("no steps", ["vksim.json"], vksim_json=with_header(steps="three"))
    fails("negative steps", ["vksim.json"], vksim_json=with_header(steps=-1))
    fails("a later format", ["format 2"], vksim_json=with_header(format=2))
    fails("no options", ["vksim.json"], vksim_json=with_header(options=5))
    fails("an unknown option", ["agnets"],
          vksim_json=with_header(options={**header["options"], "agnets": 5}))
    fails("a value out of range", ["decay"],
          vksim_json=with_header(options={**header["options"], "decay": 2}))
    fails("a field is missing", ["heading"], heading=None)
    fails("no field at all", ["none of the fields"], trail=None, heading=None, position=None)
    fails("a NaN", ["trail", "finite"],
          trail=npy("<f4", (24, 32), floats([float("nan")] + [0] * 767)))
    fails("an infinity", ["trail", "finite"],
          trail=npy("<f4", (24, 32), floats([0] * 767 + [float("inf")])))
    fails("a negative trail", ["trail", "-1"], trail=npy("<f4", (24, 32), floats([-1] * 768)))
    fails("a flat trail", ["trail"], trail=npy("<f4", (768,), floats([0] * 768)))
    fails("a deep trail", ["trail"], trail=npy("<f4", (24, 16, 2), floats([0] * 768)))
    fails("an empty trail", ["trail"], trail=npy("<f4", (0, 32), b""))
    fails("a trail of integers", ["trail"], trail=npy("<i4", (24, 32), bytes(3072)))
    fails("a trail of texts", [], trail=npy("<U1", (24, 32), bytes(3072)))
    fails("more headings than positions", ["heading"], heading=npy("<u4", (61,), bytes(244)))
    fails("positions of three numbers", ["position"], position=npy("<u4", (60, 3), bytes(720)))
    fails("less data than the shape says", ["trail"], trail=npy("<f4", (24, 32), bytes(3068)))
    fails("no agents", [], position=npy("<u4", (0, 2), b""), heading=npy("<u4", (0,), b""))
    fails("positions of NaN", ["position", "finite"],
          position=npy("<f8", (60, 2), floats([float("nan")] * 120, "d")))
    suite.fails("a missing state", FILE, ["'missing.npz'", "no such file"], *SMALL, "--load-state",
                "missing.npz")
    suite.fails("a folder for a state", FILE, ["'cache'"], *SMALL, "--load-state", "cache")


def test_bad_scenes(suite):
    rows = {
        "[1]": (USAGE, ["one JSON object"]),
        "": (USAGE, ["line 1"]),
        '{"agents": 5,\n "decay": }': (USAGE, ["line 2"]),
        '{"agents": 5, "agents": 6}': (USAGE, ["agents"]),
        '{"agnets": 5}': (USAGE, ['"agnets"', 'did you mean "agents"']),
        '{"agents": 0}': (USAGE, ["agents '0'", "1 to 1000000000"]),
        '{"agents": null}': (USAGE, ['"agents"']),
        '{"simulation": "waves"}': (USAGE, ["'waves'", "physarum"]),
        '{"simulation": 5}': (USAGE, ['"simulation" must be a string']),
        '{"preset": 5}': (USAGE, ['"preset" must be a string']),
        '{"preset": "xyz"}': (USAGE, ["'xyz'", "plain"]),
        '{"steps": 5, "frames": 6}': (USAGE, ['"steps" and "frames"']),
        '{"frames": 0}': (USAGE, ["frames '0'"]),
        '{"fps": "fast"}': (USAGE, ["fps 'fast'"]),
        '{"load-state": "missing.npz"}': (FILE, ["'missing.npz'"]),
        '{"headless": true}': (USAGE, ['"headless"']),
    }
    for text, (status, words) in rows.items():
        suite.write("bad.json", text)
        unnamed = status == FILE or '"preset": "xyz"' in text or "waves" in text
        named = [] if unnamed else ["'bad.json'"]
        suite.fails(f"a scene of {text!r}", status, [*named, *words], "--headless", "--scene",
                    "bad.json", "--out", "none")
    suite.write("bad.json", b"\xff\xfe\x00")
    suite.fails("a scene of no text", USAGE, ["'bad.json'"], "--headless", "--scene", "bad.json")
    suite.fails("a missing scene", FILE, ["'missing.json'", "no such file"], "--headless",
                "--scene", "missing.json")
    suite.fails("a folder for a scene", FILE, ["'cache'"], "--headless", "--scene", "cache")


# --- files that are written -----------------------------------------------------------------------

def test_outputs_refused(suite):
    suite.write("file", "x")
    os.mkdir(suite.path("folder"))
    os.mkdir(suite.path("folder.mp4"))
    for option, kind in (("--out", "mp4"), ("--out", "y4m"), ("--out", "png"),
                         ("--save-state", "npz"), ("--save-scene", "json"), ("--watch", "csv")):
        more = [] if option == "--out" else ["--out", "none"]
        for name, path, words in (
                ("the folder is missing", f"missing/a.{kind}", ["'missing'", "does not exist"]),
                ("a file stands for the folder", f"file/a.{kind}", ["'file' is not a folder"]),
                ("a folder of the kernel's", f"/proc/a.{kind}", ["/proc/a."])):
            suite.fails(f"{option} .{kind}: {name}", FILE, ["cannot write", path, *words], *SMALL,
                        *more, option, path)
    suite.fails("a folder for an output", FILE, ["'folder.mp4'", "it is a folder"], *SMALL, "--out",
                "folder.mp4")
    suite.fails("an unknown kind lists the known", USAGE,
                ["'a.avi'", ".mp4", ".webm", ".mkv", ".gif", ".y4m", ".png", ".npy"],
                *SMALL, "--out", "a.avi")
    for name, status, words, arguments in (
            ("an unknown encoder lists them", USAGE,
             ["--encoder 'h266'", "h264", "h265", "vp9", "av1"],
             ["--encoder", "h266", "--out", "a.mp4"]),
            ("an encoder in another container", USAGE,
             ["'a.webm'", "--encoder h264", "vp9 and av1"],
             ["--encoder", "h264", "--out", "a.webm"]),
            ("vp9 in .mp4", USAGE, ["'a.mp4'", "--encoder vp9", "h264, h265 and av1"],
             ["--encoder", "vp9", "--out", "a.mp4"]),
            ("an encoder for a picture", USAGE,
             ["'a.png'", "does not support --encoder", ".mp4, .webm and .mkv"],
             ["--encoder", "h264", "--out", "a.png"]),
            ("a quality beyond the encoder's", USAGE, ["--crf 52", "0 (best) to 51", "h264"],
             ["--crf", 52, "--out", "a.mp4"]),
            ("a quality beyond all", USAGE, ["--crf '64'", "0 to 63"],
             ["--crf", 64, "--out", "a.webm"]),
            ("no quality at all", USAGE, ["--crf 'best'", "0 to 63"],
             ["--crf", "best", "--out", "a.mp4"]),
            ("a quality for an animation", USAGE, ["'a.gif'", "does not support --crf"],
             ["--crf", 20, "--out", "a.gif"]),
            ("a quality for standard output", USAGE, ["'-'", "does not support --crf"],
             ["--crf", 20, "--out", "-"]),
            ("16 bits in a video", USAGE, ["'a.mp4'", "--depth 16", "have 8 or 10"],
             ["--depth", 16, "--out", "a.mp4"]),
            ("10 bits of h264", USAGE, ["'a.mkv'", "--encoder h264", "h265, vp9 and av1"],
             ["--depth", 10, "--encoder", "h264", "--out", "a.mkv"]),
            ("8 bits in an .exr", USAGE, ["'a.exr'", "--depth 8", "have 16 or 32"],
             ["--depth", 8, "--out", "a.exr"]),
            ("8 bits in a .vti", USAGE, ["'a.vti'", "--depth 8", "have 32"],
             ["--depth", 8, "--out", "a.vti"]),
            ("16 bits in an animation", USAGE, ["'a.gif'", "--depth 16"],
             ["--depth", 16, "--out", "a.gif"]),
            ("another depth", USAGE, ["--depth '12'", "8, 10, 16, 32"],
             ["--depth", 12, "--out", "a.png"]),
            ("a poster of a still", USAGE, ["--poster", "a.png"], ["--poster", "--out", "a.png"]),
            ("a poster of standard output", USAGE, ["--poster", "-"], ["--poster", "--out", "-"]),
            ("a poster of nothing", USAGE, ["--poster", "none"], ["--poster", "--out", "none"]),
            ("a poster of arrays", USAGE, ["--poster", "a.npy"], ["--poster", "--out", "a.npy"]),
            ("a poster of numbered arrays", USAGE, ["--poster", "a-%03d.npy"],
             ["--poster", "--out", "a-%03d.npy"]),
            ("a poster of numbered stills", USAGE, ["--poster", "a-%03d.png"],
             ["--poster", "--out", "a-%03d.png"]),
            ("a quality of nothing", USAGE,
             ["'none'", "does not support --crf", ".mp4, .webm and .mkv"],
             ["--crf", 20, "--out", "none"]),
            ("an encoder for nothing", USAGE, ["'none'", "does not support --encoder"],
             ["--encoder", "h264", "--out", "none"]),
            ("a quality of a contact sheet", USAGE, ["'a.png'", "does not support --crf"],
             ["--crf", 20, "--out", "a.png", "--collage", "1x1"]),
            ("too small for h265", USAGE, ["h265 supports 16 to 16384 pixels per side", "8x8"],
             ["--encoder", "h265", "--size", "8x8", "--out", "a.mp4"]),
            ("too large for vp9", USAGE, ["vp9", "16384 pixels per side", "16400x8"],
             ["--size", "16400x8", "--out", "a.webm"])):
        suite.fails(name, status, words, *SMALL, *arguments)
    suite.fails("a poster of a window", USAGE, ["--poster", "window"], "--poster", "--frames", 1)
    suite.fails("no kind", USAGE, ["'video'", ".mp4"], *SMALL, "--out", "video")
    suite.fails("a wrong pattern", USAGE, ["a_%s.png", "%0Nd"], *SMALL, "--out", "a_%s.png")
    suite.fails("two numbers", USAGE, ["a_%d_%d.png"], *SMALL, "--out", "a_%d_%d.png")
    suite.fails("an empty name", USAGE, ["empty"], *SMALL, "--out", "")
    suite.check(not suite.left_over() and not os.path.exists(suite.path("physarum.mp4")),
                "nothing is left behind", os.listdir(suite.folder))
    for option in ("--save-state", "--save-scene"):
        suite.fails(f"{option} over a file", FILE, ["'file'", "exists already", "--overwrite"],
                    *SMALL, "--out", "none", option, "file")
    suite.check(suite.read("file") == b"x", "which stays as it was")
    state = [*SMALL, "--steps", 1, "--out", "none", "--save-state"]
    suite.succeeds("a state", *state, "s.npz")
    suite.fails("two outputs of one name", USAGE, ["--out", "--save-state", "'a.png'"], *SMALL,
                "--out", "a.png", "--save-state", "a.png")
    suite.fails("an output that is an input", USAGE, ["--save-scene", "'s.npz'"], "--headless",
                "--out", "none", "--load-state", "s.npz", "--save-scene", "s.npz", "--overwrite")
    suite.fails("a picture too large for .mp4", USAGE, ["16384", "20000x8", ".png"], "--headless",
                "--size", "20000x8", "--agents", 5, "--out", "large.mp4")
    suite.fails("the run's own sentence, not the cache's", FILE, ["'missing.npz'"], "--headless",
                "--out", "none", "--load-state", "missing.npz",
                env={**suite.environment(), "VKSIM_CACHE_DIR": "/proc/nowhere"})
    nan = suite.path("nan.npz")
    npz(nan, {"trail.npy": npy("<f4", (2, 2), struct.pack("<4f", 0, 0, 0, float("nan")))})
    suite.fails("also after the device was opened", FILE, ["finite"], "--headless", "--out",
                "none", "--load-state", "nan.npz",
                env={**suite.environment(), "VKSIM_CACHE_DIR": "/proc/nowhere"})
    status, _, _ = suite.run(*SMALL, "--frames", 2, "--out", "closed.y4m",
                             preexec_fn=lambda: os.close(2))
    with open(suite.path("closed.y4m"), "rb") as video:
        suite.check(status == OK and video.read(9) == b"YUV4MPEG2" and
                    b"vksim:" not in open(suite.path("closed.y4m"), "rb").read(),
                    "a closed standard error does not end in the video")


def test_overwrite(suite):
    for option, name in (("--save-state", "kept.npz"), ("--save-scene", "kept.json")):
        suite.write(name, "precious")
        suite.succeeds(f"{name} with --overwrite", *SMALL, "--frames", 2, "--out", "none", option,
                       name, "--overwrite")
        suite.check(suite.read(name) != b"precious", f"{name} is new")
    for name in ("kept.mp4", "kept.webm", "kept.gif", "kept.y4m", "kept.png", "kept_00001.png"):
        suite.write(name, "precious")
        out = "kept_%05d.png" if "_" in name else name
        suite.fails(f"{name} is there: refused", FILE, ["kept", "--overwrite"], *SMALL,
                    "--frames", 2, "--out", out)
        suite.check(suite.read(name) == b"precious", f"{name} is untouched")
        if "_" in name:
            suite.check(not os.path.exists(suite.path("kept_00000.png")), "no first picture either")
        suite.succeeds(f"{name} with --overwrite", *SMALL, "--frames", 2, "--out", out,
                       "--overwrite")
        suite.check(suite.read(name) != b"precious", f"{name} is new")
    # No output may be an input, or another output.
    suite.write("image.png", png(2, 2, [bytes(6)] * 2))
    suite.write("in_002.png", png(2, 2, [bytes(6)] * 2))
    before = {name: suite.read(name)
              for name in ("kept.npz", "kept.json", "image.png", "in_002.png")}
    for name, arguments in (
            ("the state for a scene", ["--load-state", "kept.npz", "--save-scene", "kept.npz"]),
            ("the scene for a state", ["--scene", "kept.json", "--save-state", "kept.json"]),
            ("the picture", ["--init", "image:image.png", "--out", "image.png"]),
            ("the picture by another way", ["--init", "image:image.png", "--out", "./image.png"]),
            ("a picture for a state", ["--init", "image:image.png", "--save-state", "image.png"]),
            ("a numbered picture", ["--init", "image:in_002.png", "--out", "in_%03d.png"]),
            ("the same elsewhere", ["--background", "./in_002.png", "--out", "in_%03d.png"]),
            ("two outputs", ["--save-scene", "two.png", "--out", "two.png"]),
            ("the picture by its poster", ["--init", "image:image.png", "--out", "image.mp4",
                                           "--poster"]),
            ("the poster", ["--out", "two.mp4", "--poster", "--save-state", "two.png"]),
            ("the scene for a table", ["--scene", "kept.json", "--watch", "kept.json"]),
            ("the scene and the table", ["--save-scene", "two.json", "--watch", "two.json"]),
            ("two more", ["--save-scene", "two.npz", "--save-state", "two.npz"]),
            ("a trace by another way", ["--out", "none", "--timings", "--timings-out", "./two.json",
                                        "--trace", "two.json"]),
            ("a trace in the folder", ["--save-scene", f"{suite.folder}/two.json", "--trace",
                                       "two.json"]),
            ("a trace for a numbered picture", ["--out", "two_%03d.png", "--trace",
                                                "two_001.png"]),
            ("the default video and the state", ["--save-state", "physarum.mp4"]),
            ("the default video and the scene", ["--save-scene", "./physarum.mp4"]),
            ("two pictures", ["--out", "a.png", "--out", "b.mp4", "--out", "./a.png"]),
            ("a numbered picture and one of its frames", ["--out", "f_%02d.png", "--out",
                                                          "f_00.png"]),
            ("a frame and its numbered picture", ["--out", "f_00.png", "--out", "f_%02d.png"]),
            ("two numbered pictures", ["--out", "f_%d.png", "--out", "./f_0%d.png"]),
            ("the sheet", ["--out", "a-sheet.png", "--out", "a.mp4", "--collage", "1x1"])):
        status, _, err = suite.run("--headless", "--steps", 1, "--overwrite", *arguments)
        suite.check(status == USAGE and ("reads from" in err or "both name" in err or
                                         "can name the same file" in err),
                    f"an output over {name}", status, err)
    suite.check(before == {name: suite.read(name) for name in before}, "all inputs are as before")
    suite.check(not suite.left_over(), "nothing is left behind", suite.left_over())


def limit_files(size):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    return limit


def test_full_disk(suite):
    run = ["--headless", "--preset", "plain", "--size", "256x256", "--agents", "20k", "--frames",
           "60", "--colormap", "ember"]
    # The cache file exists already, so it is the output that reaches the limit.
    suite.succeeds("the run as it is", *run, "--out", "whole.mp4")
    for name in ("full.mp4", "full.webm", "full.mkv", "full.gif", "full.y4m", "full.npy",
                 "full.png", "full_%05d.png"):
        limit = 2000 if "png" in name else 20000
        got, _, err = suite.run(*run, "--out", name, env=suite.limited_files(),
                                preexec_fn=limit_files(limit))
        left = [file for file in os.listdir(suite.folder) if file.startswith("full")]
        whole = "%" in name and all(suite.read(file)[-8:-4] == b"IEND" for file in left)
        suite.check(got == FILE and "cannot write" in err and (whole or not left),
                    f"{name} over the limit: the partial file is removed", got, err, left)
    got, _, err = suite.run(*run, "--out", "none", "--save-state", "state.npz",
                            env=suite.limited_files(), preexec_fn=limit_files(20000))
    suite.check(got == FILE and "cannot write 'state.npz'" in err and not suite.left_over() and
                not os.path.exists(suite.path("state.npz")), "a state over the limit", got, err)
    # One report that cannot be written takes no other with it.
    few = [*SMALL, "--frames", 40, "--steps-per-frame", 20, "--out", "none", "--timings=json"]
    suite.succeeds("ceilings are kept", *few)
    got, _, err = suite.run(*few, "--timings-out", "long.json", "--trace", "short.json",
                            "--trace-steps", "1:2", env=suite.limited_files(),
                            preexec_fn=limit_files(4000))
    suite.check(got == FILE and "cannot write 'long.json'" in err and not suite.left_over() and
                not os.path.exists(suite.path("long.json")) and
                json.loads(suite.read("short.json"))["traceEvents"], "a report over the limit",
                got, err)
    # A file system that is really full, where this process may mount one.
    small = suite.path("small")
    os.mkdir(small)
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", small],
                             capture_output=True, check=False).returncode == 0
    try:
        limit = {} if mounted else {"env": suite.limited_files(), "preexec_fn": limit_files(20000)}
        for name in ("a.mp4", "a.webm", "a.gif", "a.y4m", "a.npz"):
            option = ["--out", "none", "--save-state"] if name.endswith("npz") else ["--out"]
            got, _, err = suite.run(*run, *option, f"small/{name}", **limit)
            left = os.listdir(small)
            suite.check(got == FILE and "cannot write" in err and not left and
                        (not mounted or "no space left" in err),
                        f"{name} on a small disk", got, err, left)
    finally:
        if mounted:
            subprocess.run(["umount", small], check=False)
    for arguments in (["--help"], ["--list"], [*SMALL, "--frames", 200, "--out", "-"],
                      [*SMALL, "--frames", 2, "--out", "none", "--digest"],
                      [*SMALL, "--frames", 2, "--out", "none", "--timings=json"]):
        with open("/dev/full", "wb") as full:
            got, _, err = suite.run(*arguments, stdout=full)
        suite.check(got == FILE and "standard output" in err,
                    f"a full standard output: {arguments[0]} {arguments[-1]}", got, err)


def test_broken_pipe(suite):
    with subprocess.Popen([suite.vksim, *SMALL, "--frames", "3000", "--out", "-"],
                          env=suite.environment(), cwd=suite.folder, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process:
        head = process.stdout.read(10)
        process.stdout.close()
        err = process.stderr.read().decode()
        status = process.wait(timeout=60)
    suite.check(head == b"YUV4MPEG2 " and status == FILE and "closed" in err,
                "the reader of the pipe goes away", status, err)


# --- the run --------------------------------------------------------------------------------------

FEATURES = {"sums across subgroups", "shuffles across subgroups", "float16 arithmetic",
            "cooperative matrices", "cooperative matrices (not in this build)",
            "calibrated timestamps", "memory budget", "mapped device memory",
            "pipeline statistics", "windows"}


def offers(devices):
    """The optional features of the first device, from --list-devices."""
    return set(re.search(r"^   offers  (.+)$", devices, re.M)[1].split(", "))


def report(suite, *arguments):
    status, out, err = suite.run(*arguments, "--timings=json")
    if status != OK:
        raise AssertionError(f"{arguments}: status {status}: {err}")
    return json.loads(out)


def test_steps_and_frames(suite):
    for arguments, steps, frames in (
            (["--frames", 5], 4, 5), (["--steps", 4], 4, 5), (["--frames", 1], 0, 1),
            (["--steps", 0], 0, 1), (["--frames", 5, "--steps-per-frame", 3], 12, 5),
            (["--steps", 12, "--steps-per-frame", 3], 12, 5),
            (["--steps", 10, "--steps-per-frame", 4], 10, 3),
            (["--steps", 3, "--steps-per-frame", 100], 3, 1),
            (["--duration", "0.1s"], 5, 6), (["--duration", "0:02", "--fps", "2.5"], 4, 5),
            (["--duration", "1s", "--fps", "30000/1001", "--steps-per-frame", 2], 58, 30),
            (["--steps", "1k", "--steps-per-frame", "0.5k"], 1000, 3)):
        name = " ".join(map(str, arguments))
        got = report(suite, *SMALL, *arguments, "--out", "steps.y4m", "--overwrite")
        suite.check((got["steps"], got["frames"]) == (steps, frames),
                    f"{name}: {steps} steps, {frames} frames", got)
        count = suite.read("steps.y4m").count(b"FRAME\n")
        suite.check(count == frames, f"{name}: the file has {frames}", count)
    got = report(suite, *SMALL, "--steps", 7, "--out", "none")
    suite.check((got["steps"], got["frames"]) == (7, 0), "--out none draws no frames", got)
    by_frames = suite.digests(*SMALL, "--frames", 5, "--out", "a.png", "--overwrite")
    by_steps = suite.digests(*SMALL, "--steps", 4, "--out", "a.png", "--overwrite")
    suite.check(by_frames == by_steps and len(by_frames) == 2, "--frames 5 is --steps 4", by_frames,
                by_steps)
    suite.check(suite.state(*SMALL, "--frames", 500) == suite.state(*SMALL),
                "500 frames by default")
    whole = suite.state(*SMALL, "--steps", 100)
    for per_frame in (1, 7, 33, 1000):
        got = suite.digests(*SMALL, "--steps", 100, "--steps-per-frame", per_frame, "--out",
                            "a.y4m", "--overwrite")["state"]
        suite.check(got == whole, f"{per_frame} steps per frame give the same state", got)


def test_digests(suite):
    run = ["--headless", "--preset", "plain", "--size", "96x64", "--agents", 500, "--steps", 30,
           "--jitter", 5, "--steering", "jones"]
    one = suite.digests(*run, "--out", "a.mp4", "--overwrite")
    for out in ("a.y4m", "a.png", "b_%05d.png"):
        suite.check(suite.digests(*run, "--out", out) == one, f"the same digests to {out}", one)
    status, out, err = suite.run(*run, "--out", "-", "--digest", binary=True)
    suite.check(status == OK and one["state"] in err and one["frames"] in err and
                b"digest" not in out, "digests with a video on standard output", err)
    env = suite.environment("swiftshader")
    suite.check(suite.digests(*run, "--out", "c.y4m", env=env) == one,
                "the same digests on another driver")
    suite.check(suite.read("a.y4m") == suite.read("c.y4m"), "and the same file")
    suite.check(suite.digests(*run, "--out", "d.y4m")["state"] !=
                suite.state(*run, "--seed", 2), "another seed, another run")
    suite.check(suite.state(*run, "--seed", 1) == one["state"], "seed 1 by default")
    for seed in (0, 4294967295):
        suite.succeeds(f"seed {seed}", *run, "--out", "none", "--seed", seed)
    # The order of options does not matter; the last value of each counts.
    suite.check(suite.state(*run, "--seed", 3, "--seed", 1) == one["state"],
                "the last value counts")
    suite.check(suite.state("--steering=jones", "--jitter=5", "--steps=30", "--agents=500",
                            "--size=96x64", "--preset=plain", "--headless", "physarum") ==
                one["state"], "any order, NAME=VALUE, and the simulation's name last")


def test_looks(suite):
    """Sizes, crops and looks: identical on another driver; invalid values."""
    run = ["--headless", "--preset", "plain", "--size", "60x44", "--agents", 400, "--steps", 9]
    looks = (["--crop", "7,5,31x21"], ["--output-size", "25x0"], ["--output-size", "0x99"],
             ["--output-size", "81x23"], ["--crop", "7,5,31x21", "--output-size", "64x64", "--fit",
                                          "crop"], ["--invert"], ["--hillshade", 2],
             ["--bloom", 1], ["--background", "#204060"],
             ["--hillshade", 1, "--bloom", 1, "--background", "ground.png", "--output-size",
              "77x51"])
    suite.write("ground.png", png(3, 2, [bytes(range(9)), bytes(range(200, 209))]))
    env = suite.environment("swiftshader")
    plain = suite.digests(*run, "--out", "a.y4m", "--overwrite")
    seen = {plain["frames"]}
    for look in looks:
        name = " ".join(map(str, look))
        one = suite.digests(*run, *look, "--out", "a.y4m", "--overwrite")
        suite.check(one["state"] == plain["state"] and one["frames"] not in seen,
                    f"{name}: the same state, another picture", one)
        seen.add(one["frames"])
        two = suite.digests(*run, *look, "--out", "b.y4m", "--overwrite", env=env)
        suite.check(one == two and suite.read("a.y4m") == suite.read("b.y4m"),
                    f"{name}: the same on another driver", one, two)
    for look, width, height in ((["--output-size", "25x0"], 25, 18), (["--crop", "1,2,3x5"], 3, 5),
                                (["--output-size", "1x1"], 1, 1)):
        suite.succeeds(f"{look} to a picture", *run, *look, "--out", "a.png", "--overwrite")
        head = struct.unpack(">II", suite.read("a.png")[16:24])
        suite.check(head == (width, height), f"{look} is {width} x {height}", head)
    suite.succeeds("a scene of a look", *run, "--crop", "1,2,30x20", "--output-size", "0x33",
                   "--bloom", 1, "--invert", "--background", "#204060", "--out", "a.y4m",
                   "--overwrite", "--save-scene", "look.json")
    suite.succeeds("repeats it", "--headless", "--scene", "look.json", "--out", "b.y4m",
                   "--overwrite")
    suite.check(suite.read("a.y4m") == suite.read("b.y4m"), "to the byte")
    whole = suite.digests(*run, "--crop", "0,0,60x44", "--output-size", "60x44", "--out", "a.y4m",
                          "--overwrite")
    suite.check(whole == plain, "the whole field in its own size is the plain picture")
    for arguments, status, words in (
            (["--crop", "50,0,11x5"], USAGE, ["--crop '50,0,11x5'", "60x44"]),
            (["--crop", "5"], USAGE, ["--crop '5' is not X,Y,WIDTHxHEIGHT"]),
            (["--output-size", "0x0"], USAGE, ["--output-size '0x0'", "1 to 65536"]),
            (["--output-size", "20000x20000"], USAGE, ["'picture' needs", "--output-size"]),
            (["--fit", "pad"], USAGE, ["--fit 'pad'", "stretch, crop"]),
            (["--hillshade", -1], USAGE, ["--hillshade '-1'", "0 to 100"]),
            (["--bloom", 9], USAGE, ["--bloom '9'", "0 to 8"]),
            (["--background", "#12"], USAGE, ["--background '#12'", "hexadecimal"]),
            (["--background", "transparent"], USAGE, ["--background transparent", ".png"]),
            (["--background", "none.png"], FILE, ["--background: cannot read 'none.png'"]),
            (["--background", "a.y4m"], FILE, ["'a.y4m'", "neither a PNG nor a JPEG"])):
        suite.fails(f"{' '.join(map(str, arguments))} is refused", status, words, *run, *arguments,
                    "--out", "c.y4m")
    for out in ("c.gif", "c.mp4"):
        suite.fails(f"a transparent background in {out} is refused", USAGE, ["no transparency"],
                    *run, "--fps", 50, "--background", "transparent", "--out", out)
    suite.succeeds("a transparent background in a picture", *run, "--background", "transparent",
                   "--out", "clear.png")
    suite.check(suite.read("clear.png")[24:26] == b"\x08\x06", "has alpha")
    suite.fails("a background is no output", USAGE, ["--out 'ground.png'", "reads from"], *run,
                "--background", "ground.png", "--out", "ground.png", "--overwrite")
    suite.check(not os.path.exists(suite.path("c.y4m")) and not suite.left_over(),
                "nothing is left behind", os.listdir(suite.folder))


def test_views(suite):
    """No byte of the state depends on the picture options, nor the picture on the order of agents
    in memory."""
    size = ["--headless", "--size", "60x44", "--frames", 9, "--out", "a.y4m", "--overwrite"]
    swiftshader = suite.environment("swiftshader")
    for run, views in ((["--preset", "plain", "--agents", 900], ["trail", "agents"]),
                       (["gray-scott", "--preset", "theta-a"], ["v", "u"])):
        plain = suite.digests(*run, *size)
        frames = set()
        for view in views:
            for tone in ("linear", "log"):
                look = ["--view", view, "--tone", tone]
                one = suite.digests(*run, *size, *look)
                frames.add(one["frames"])
                suite.check(one["state"] == plain["state"], f"{view}, {tone}: the same state", one)
                if look == ["--view", views[0], "--tone", "linear"]:
                    suite.check(one == plain, f"{view} is the default", one, plain)
                two = suite.digests(*run, *size, *look, env=swiftshader)
                suite.check(one == two, f"{view}, {tone}: the same on another driver", one, two)
        suite.check(len(frames) == 4, f"{views}: all differ", frames)
    run = ["--preset", "plain", "--agents", 900, "--view", "agents", "--tone", "log"]
    one = suite.digests(*run, *size, "--sort", 0)
    suite.check(one == suite.digests(*run, *size, "--sort", 3), "agents in another order", one)
    suite.succeeds("a scene of a view", *run, *size, "--save-scene", "view.json")
    suite.succeeds("repeats it", "--headless", "--scene", "view.json", "--out", "b.y4m",
                   "--overwrite")
    suite.check(suite.read("a.y4m") == suite.read("b.y4m"), "to the byte")
    suite.succeeds("a state of a view", *run, *size, "--save-state", "view.npz")
    again = ["--headless", "--load-state", "view.npz", "--frames", 1, "--out", "a.y4m",
             "--overwrite"]
    one = suite.digests(*again)
    suite.check(one == suite.digests(*again, "--view", "agents") != suite.digests(*again, "--view",
                                                                                  "trail"),
                "has it", one)
    few = ["--headless", "--size", "40x24", "--agents", 300, "--frames", 15, "--sort", 2]
    suite.succeeds("all views side by side", *few, "--preset", "plain", "--vary", "view=all",
                   "--vary-rows", "tone=all", "--out", "g.png", "--timings=json")
    sheet = picture(suite.path("g.png"))
    for view in ("trail", "agents"):
        for tone in ("linear", "log"):
            suite.succeeds(view, *few, "--preset", "plain", "--view", view, "--tone", tone, "--out",
                           "one.png", "--overwrite")
            found = find(sheet, picture(suite.path("one.png")))
            suite.check(len(found) == 1, f"{view}, {tone} as alone", found)
    got = report(suite, *few, "--vary", "view=agents,trail,agents", "--out", "g.png", "--overwrite")
    calls = {row["name"]: row["calls"] for row in got["passes"]}
    suite.check(calls["agents"] == 14 and calls["count agents"] == 2 and calls["colour"] == 3,
                "one set of steps, a view each", calls)


def test_presets(suite):
    small = ["--headless", "--size", "48x48", "--agents", 300, "--steps", 10]
    by_default = suite.state(*small)
    suite.check(suite.state(*small, "--preset", "default") == by_default, "default by default")
    suite.check(suite.state(*small, "--preset", "plain") != by_default, "plain is another")
    before = suite.state("--preset", "default", *small, "--decay", "0.2")
    after = suite.state("--decay", "0.2", *small, "--preset", "default")
    suite.check(before == after != by_default, "options given with a preset win, in any order")
    suite.write("preset.json", '{"preset": "plain", "size": "48x48", "agents": 300, "steps": 10}')
    suite.check(suite.state("--headless", "--scene", "preset.json") ==
                suite.state(*small, "--preset", "plain"), "a preset from a scene")
    suite.check(suite.state("--headless", "--scene", "preset.json", "--preset", "default",
                            "--agents", 300) == by_default,
                "a preset of the command line replaces the scene's options")
    listed = suite.run("--list")[1]
    for model, few in (("physarum", ["--agents", 200]), ("gray-scott", [])):
        part = re.search(rf"^{model}: .*?(?=^\S|\Z)", listed, re.M | re.S).group()
        names = re.findall(r"^    (\S+) ", part.split("  presets:\n")[1], re.M)
        suite.check(len(names) >= 2, f"presets of {model} are listed", names)
        seen = {suite.state(model, "--headless", "--size", "40x40", *few, "--steps", 3, "--preset",
                            name) for name in names}
        suite.check(len(seen) >= 2, f"all {len(names)} presets of {model} run", seen)


def test_scenes(suite):
    rich = ["--headless", "--size", "41x29", "--agents", 222, "--seed", 9, "--decay", "0.07",
            "--sensor-angle", "33.3", "--init", "ring", "--sampling", "bilinear", "--gamma", "0.7",
            "--colormap", "cyberpunk", "--normalize", "fixed:0:3", "--steps-per-frame", 3]
    one = suite.digests(*rich, "--frames", 5, "--fps", 24, "--out", "a.y4m", "--save-scene",
                        "s.json")
    scene = json.loads(suite.read("s.json"))
    suite.check(scene["agents"] == 222 and scene["size"] == "41x29" and scene["frames"] == 5 and
                scene["fps"] == 24 and scene["simulation"] == "physarum" and
                scene["sensor-angle"] == 33.3 and "steps" not in scene, "a scene has the options",
                scene)
    two = suite.digests("--headless", "--scene", "s.json", "--out", "b.y4m", "--save-scene",
                        "t.json")
    suite.check(one == two, "a scene repeats the run", one, two)
    suite.check(suite.read("a.y4m") == suite.read("b.y4m"), "to the byte")
    suite.check(suite.read("s.json") == suite.read("t.json"), "and so does the scene of the scene")
    named = suite.digests("physarum", "--headless", "--scene", "s.json", "--out", "c.y4m")
    suite.check(named == one, "the simulation may be named as well")
    other = suite.digests("--headless", "--scene", "s.json", "--out", "d.y4m", "--decay", "0.08")
    suite.check(other != one, "options given with a scene win")
    # The simulation is named only by the scene, or only by the state.
    spots = ["gray-scott", "--headless", "--size", "32x24", "--out", "none", "--seed", 4]
    suite.succeeds("a scene of another simulation", *spots, "--steps", 6, "--save-scene", "gs.json",
                   "--save-state", "gs.npz")
    suite.check(suite.state("--headless", "--scene", "gs.json", "--feed", "0.03") ==
                suite.state(*spots, "--steps", 6, "--feed", "0.03"),
                "an option of the scene's simulation")
    suite.check(suite.state("--headless", "--load-state", "gs.npz", "--out", "none", "--steps", 3,
                            "--feed", "0.03") ==
                suite.state("gray-scott", "--headless", "--load-state", "gs.npz", "--out", "none",
                            "--steps", 3, "--feed", "0.03"), "an option of the state's simulation")
    suite.succeeds("a value that is the name of a simulation", "--headless", "--out", "none",
                   "--steps", 1, "--save-scene", "gray-scott", "physarum", "--agents", 100)
    suite.check(json.loads(suite.read("gray-scott"))["simulation"] == "physarum",
                "is not the simulation")
    suite.fails("an option of another simulation", USAGE,
                ["physarum has no option '--feed', which belongs to gray-scott"], "--headless",
                "--feed", 1)
    got = report(suite, "--headless", "--scene", "s.json", "--steps", 4, "--out", "none")
    suite.check(got["steps"] == 4, "--steps with a scene that has frames", got)
    suite.digests(*rich, "--steps", 14, "--out", "none", "--save-scene", "u.json")
    scene = json.loads(suite.read("u.json"))
    suite.check(scene.get("steps") == 14 and "frames" not in scene, "a scene of steps", scene)
    suite.check(suite.state("--headless", "--scene", "u.json") == suite.state(*rich, "--steps", 14),
                "and its run")
    suite.run(*SMALL, "--steps", 2, "--out", "none", "--save-scene", "s.json", "--overwrite")
    suite.check(json.loads(suite.read("s.json"))["agents"] == 60, "a scene file is replaced")


# --- states ---------------------------------------------------------------------------------------

def test_states(suite):
    run = ["--headless", "--preset", "plain", "--size", "40x56", "--agents", 333, "--seed", 7,
           "--jitter", 10, "--steering", "jones", "--diffuse-size", 5, "--gamma", "0.8"]
    whole = suite.state(*run, "--steps", 12)
    suite.succeeds("save after 7 steps", *run, "--steps", 7, "--out", "none", "--save-state",
                   "a.npz")
    suite.check(suite.state("--headless", "--load-state", "a.npz", "--steps", 5) == whole,
                "7 steps, save, load and 5 steps are 12 steps")
    status, out, _ = suite.run("--headless", "--load-state", "a.npz", "--steps", 0, "--out", "none",
                               "--digest", "--save-state", "b.npz")
    suite.check(status == OK and suite.read("a.npz") == suite.read("b.npz"),
                "loaded and saved is the same file")
    suite.check(f"digest state {suite.state(*run, '--steps', 7)}\n" in out, "with the same digest")
    suite.check(json.loads(npz_members(suite.path("b.npz"))["vksim.json"])["steps"] == 7,
                "the steps go on counting")
    env = suite.environment("swiftshader")
    suite.check(suite.state("--headless", "--load-state", "a.npz", "--steps", 5, env=env) == whole,
                "also on another driver")
    suite.succeeds("a preset with a state keeps its size and count", "--headless", "--load-state",
                   "a.npz", "--preset", "foam", "--steps", 1, "--out", "none")
    suite.succeeds("save there", *run, "--steps", 7, "--out", "none", "--save-state", "c.npz",
                   env=env)
    suite.check(suite.read("c.npz") == suite.read("a.npz"), "it saves the same file")
    other = suite.state("--headless", "--load-state", "a.npz", "--steps", 5, "--decay", "0.5")
    suite.check(other != whole, "options given with a state win")
    # A scene that names a state.
    suite.succeeds("a scene of a state", "--headless", "--load-state", "a.npz", "--steps", 5,
                   "--out", "none", "--save-scene", "s.json")
    suite.check(suite.state("--headless", "--scene", "s.json") == whole, "repeats the run")
    # A long run split into three parts.
    for k, steps in enumerate((3, 0, 9)):
        load = ["--load-state", f"p{k}.npz"] if k else run[1:]
        suite.run("--headless", *load, "--steps", steps, "--out", "none", "--save-state",
                  f"p{k + 1}.npz")
    suite.check(suite.state("--headless", "--load-state", "p3.npz", "--steps", 0) == whole,
                "in three pieces")
    suite.run("--headless", "--load-state", "a.npz", "--steps", 1, "--out", "none", "--save-state",
              "a.npz")
    suite.check(json.loads(npz_members(suite.path("a.npz"))["vksim.json"])["steps"] == 8,
                "a state may replace the one it came from")


def test_numpy_states(suite):
    """Hand-made files: floats, no header, other types."""
    height, width, count = 6, 10, 4
    cells = [(0.0, 0.0), (5.5, 9.25), (2.0, 3.0), (-1.0, 12.5)]
    turns = [0.0, 0.25, 0.5, -0.125]
    trail = [0.25 * k for k in range(height * width)]
    exact = {
        "trail": npy("<f4", (height, width), floats(trail)),
        "position": npy("<u4", (count, 2), struct.pack(
            "<8I", *(-(-int(c % side * 2 ** 32) // side) % 2 ** 32
                     for yx in cells for c, side in zip(yx, (height, width))))),
        "heading": npy("<u4", (count,), struct.pack("<4I", *(int(t % 1 * 2 ** 32) for t in turns))),
    }
    radians = [6.283185307179586 * t for t in turns]
    flat = [c for yx in cells for c in yx]
    run = ["--headless", "--steps", 0, "--load-state"]
    npz(suite.path("exact.npz"), exact)
    wanted = suite.state(*run, "exact.npz")
    status, _, err = suite.run(*run, "exact.npz", "--out", "none", "--save-state", "back.npz")
    back = npz_members(suite.path("back.npz")) if status == OK else {}
    payload = {"trail": 240, "position": 32, "heading": 16}
    suite.check(all(back.get(f"{name}.npy", b"")[-size:] == exact[name][-size:]
                    for name, size in payload.items()),
                "a file without a header is taken as it is", err)
    variants = {
        "float32": ("f", "<f4"), "float64": ("d", "<f8"),
    }
    for name, (code, descr) in variants.items():
        npz(suite.path("made.npz"), {
            "trail": npy(descr, (height, width), floats(trail, code)),
            "position": npy(descr, (count, 2), floats(flat, code)),
            "heading": npy(descr, (count,), floats(radians, code)),
        })
        suite.succeeds(f"{name} arrays", *run, "made.npz", "--out", "none", "--save-state",
                       "made-back.npz", "--overwrite")
        made = npz_members(suite.path("made-back.npz"))
        places = struct.unpack("<8I", made["position.npy"][-32:])
        close = all(abs(place / 2 ** 32 * side - c % side) < 1e-5
                    for place, c, side in zip(places, flat, (height, width) * count))
        same_cells = all(place * side >> 32 == int(c % side)
                         for place, c, side in zip(places, flat, (height, width) * count))
        angles = struct.unpack("<4I", made["heading.npy"][-16:])
        near = all(min((a - t * 2 ** 32) % 2 ** 32, (t * 2 ** 32 - a) % 2 ** 32) < 2 ** 32 * 1e-6
                   for a, t in zip(angles, turns))
        suite.check(close and same_cells, f"{name} positions in cells", places)
        suite.check(near, f"{name} headings in radians", angles)
        suite.check(made["trail.npy"][-240:] == floats(trail), f"{name} trail")
        header = json.loads(made["vksim.json"])
        suite.check(header["options"]["size"] == f"{width}x{height}" and
                    header["options"]["agents"] == count, f"{name}: size and count are the arrays'",
                    header)
    # Only some of the fields: the others get their initial conditions.
    npz(suite.path("trail.npz"), {"trail": npy("<f8", (height, width), floats(trail, "d"))})
    suite.check(suite.state(*run, "trail.npz", "--agents", 50) not in
                (wanted, suite.state(*SMALL, "--steps", 0)), "only a trail")
    with zipfile.ZipFile(suite.path("deflated.npz"), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in exact.items():
            archive.writestr(name + ".npy", data)
    suite.check(suite.state(*run, "deflated.npz") == wanted, "numpy.savez_compressed")
    suite.succeeds("it runs", "--headless", "--load-state", "exact.npz", "--steps", 20, "--out",
                   "none")
    suite.fails("a size that is not the arrays'", FILE, ["exact.npz", "shape"], "--headless",
                "--load-state", "exact.npz", "--size", "12x12", "--out", "none")


# --- output formats ------------------------------------------------------------------------------

def test_mp4(suite):
    suite.succeeds("an mp4", *SMALL, "--frames", 30, "--fps", 24, "--out", "a.mp4")
    err, stream = probe(suite.path("a.mp4"))
    suite.check(not err and stream.get("codec_name") == "h264" and
                stream.get("pix_fmt") == "yuv420p" and stream.get("nb_read_frames") == "30" and
                stream.get("r_frame_rate") == "24/1" and stream.get("color_space") == "bt709" and
                (stream.get("width"), stream.get("height")) == (32, 24),
                "H.264, yuv420p, BT.709, every frame", err, stream)
    data = suite.read("a.mp4")
    suite.check(0 < data.find(b"moov") < data.find(b"mdat"), "the index stands first")
    suite.succeeds("physarum.mp4 by default", *SMALL, "--frames", 2)
    suite.check(probe(suite.path("physarum.mp4"))[1].get("nb_read_frames") == "2", "it plays")
    got = suite.run(*SMALL, "--frames", 2, "--out", "b.mp4")[2]
    suite.check("wrote b.mp4 (2 frames" in got, "it says what it wrote", got)


def test_y4m(suite):
    suite.succeeds("NTSC's rate", *SMALL, "--frames", 3, "--fps", "30000/1001", "--out", "n.y4m",
                   "--save-scene", "ntsc.json")
    suite.check(b" F30000:1001 " in suite.read("n.y4m")[:60], "a fraction of frames per second")
    suite.succeeds("it survives a scene", "--scene", "ntsc.json", "--headless", "--out", "m.y4m")
    suite.check(suite.read("m.y4m") == suite.read("n.y4m"), "to the bit")
    suite.succeeds("a y4m", *SMALL, "--frames", 3, "--fps", 30, "--out", "a.y4m")
    data = suite.read("a.y4m")
    header = data.split(b"\n")[0].decode()
    size = 32 * 24 * 3 // 2
    suite.check(header.startswith("YUV4MPEG2 W32 H24 F30:1") and "C420" in header, "its header",
                header)
    suite.check(len(data) == len(header) + 1 + 3 * (6 + size), "its length", len(data))
    status, piped, err = suite.run(*SMALL, "--frames", 3, "--fps", 30, "--out", "-", binary=True)
    suite.check(status == OK and piped == data and "wrote" not in err,
                "the same on standard output", err)
    err, stream = probe(suite.path("a.y4m"))
    suite.check(not err and stream.get("nb_read_frames") == "3" and
                stream.get("pix_fmt") == "yuv420p", "ffprobe reads it", err, stream)


def test_png(suite):
    suite.succeeds("stills", *SMALL, "--frames", 4, "--out", "s_%05d.png")
    names = sorted(name for name in os.listdir(suite.folder) if name.startswith("s_"))
    suite.check(names == [f"s_{k:05}.png" for k in range(4)], "one file per frame", names)
    suite.succeeds("a still", *SMALL, "--frames", 4, "--out", "last.png")
    suite.check(suite.read("last.png") == suite.read("s_00003.png"), "the last frame")
    suite.check(png_size(suite.read("last.png")) == (32, 24), "its size")
    suite.succeeds("%d", *SMALL, "--frames", 2, "--out", "t%d.png")
    suite.check(suite.read("t1.png") == suite.read("s_00001.png"), "numbers without zeros")
    suite.succeeds("%%", *SMALL, "--frames", 1, "--out", "100%%.png")
    suite.check(os.path.exists(suite.path("100%.png")), "a percent sign")


VIDEOS = (("v.mp4", "h264", ()), ("v265.mp4", "hevc", ("--encoder", "h265")),
          ("vav1.mp4", "av1", ("--encoder", "av1")), ("v.webm", "vp9", ()),
          ("vav1.webm", "av1", ("--encoder", "av1")), ("v.mkv", "h264", ()),
          ("vvp9.mkv", "vp9", ("--encoder", "vp9")))


def test_videos(suite):
    """Each decodes to nearly the pixels of the stills, and identically on both drivers."""
    run = ["--headless", "--preset", "plain", "--size", "80x66", "--agents", 400, "--frames", 12,
           "--colormap", "ember", "--fps", 25]
    suite.succeeds("a y4m", *run, "--out", "v.y4m")
    whole = pixels(suite.path("v.y4m"), "yuv420p")
    for name, codec, more in VIDEOS:
        suite.succeeds(f"{name} by {codec}", *run, "--out", name, *more)
        err, stream = probe(suite.path(name))
        suite.check(not err and stream.get("codec_name") == codec and
                    stream.get("pix_fmt") == "yuv420p" and stream.get("nb_read_frames") == "12" and
                    stream.get("r_frame_rate") == "25/1" and stream.get("color_range") == "tv" and
                    [stream.get(key) for key in ("color_space", "color_primaries",
                                                 "color_transfer")] == ["bt709"] * 3 and
                    (stream.get("width"), stream.get("height")) == (80, 66),
                    f"{name}: {codec}, yuv420p, BT.709, limited, every frame", err, stream)
        got = pixels(suite.path(name), "yuv420p")
        suite.check(mean_difference(got, whole) < 4, f"{name}: near to the y4m",
                    mean_difference(got, whole))
        other = "other-" + name
        suite.succeeds(f"{name} on another driver", *run, "--out", other, *more,
                       env=suite.environment("swiftshader"))
        suite.check(pixels(suite.path(other), "yuv420p") == got, f"{name}: the same frames there")
        status, _, err = suite.run(*run, "--out", name, *more, "--crf", "50", "--overwrite")
        suite.check(status == OK and len(suite.read(name)) < len(suite.read(other)),
                    f"{name}: --crf 50 is smaller", err)
        status, _, err = suite.run(*run, "--out", name, *more, "--overwrite")
        suite.check(status == OK and all(line.startswith("vksim: ") for line in err.splitlines()),
                    f"{name}: the encoder prints nothing on its own", err)


def test_gif(suite):
    run = ["--headless", "--preset", "plain", "--size", "61x45", "--agents", 400, "--frames", 9]
    suite.succeeds("stills to compare with", *run, "--out", "g_%d.png")
    stills = b"".join(pixels(suite.path(f"g_{k}.png")) for k in range(9))
    status, _, err = suite.run(*run, "--fps", 20, "--out", "g.gif")
    suite.check(status == OK and "frames per second" not in err, "a gif", err)
    err, stream = probe(suite.path("g.gif"))
    suite.check(not err and stream.get("nb_read_frames") == "9" and
                stream.get("r_frame_rate") == "20/1" and
                (stream.get("width"), stream.get("height")) == (61, 45), "every frame", err, stream)
    got = pixels(suite.path("g.gif"))
    suite.check(got[:61 * 45 * 3] == stills[:61 * 45 * 3] and len(got) == len(stills) and
                mean_difference(got, stills) < 1 and
                max(abs(x - y) for x, y in zip(got, stills)) < 32,
                "a colour map fits a palette: what differs is not seen",
                mean_difference(got, stills), max(abs(x - y) for x, y in zip(got, stills)))
    suite.check(b"NETSCAPE2.0\x03\x01\0\0" in suite.read("g.gif"), "it loops endlessly")
    status, _, err = suite.run(*run, "--out", "h.gif")
    suite.check(status == OK and "at 50 frames per second, not 60" in err, "what it cannot is told",
                err)
    suite.check(pixels(suite.path("h.gif")) == got, "with the same frames")
    suite.succeeds("on another driver", *run, "--fps", 20, "--out", "i.gif",
                   env=suite.environment("swiftshader"))
    suite.check(suite.read("g.gif") == suite.read("i.gif"), "the same file")
    suite.check(not suite.left_over(), "nothing is left over", suite.left_over())


def array(data):
    """(shape, elements as bytes) of a .npy file of float32."""
    assert data[:8] == b"\x93NUMPY\x01\x00"
    end = 10 + struct.unpack("<H", data[8:10])[0]
    head = ast.literal_eval(data[10:end].decode())
    assert head["descr"] == "<f4" and not head["fortran_order"]
    assert len(data) - end == 4 * math.prod(head["shape"])
    return head["shape"], data[end:]


def test_arrays(suite):
    """The values of the field are those of the state."""
    run = [*SMALL, "--steps", 6, "--steps-per-frame", 2]
    suite.succeeds("arrays of all frames", *run, "--out", "a.npy", "--save-state", "a.npz")
    shape, values = array(suite.read("a.npy"))
    suite.check(shape == (4, 24, 32), "their shape", shape)
    frame = 4 * 24 * 32
    trail = npz_members(suite.path("a.npz"))["trail.npy"][-frame:]
    suite.check(values[-frame:] == trail and values[:frame] == bytes(frame) != trail,
                "the first is the start, the last the state")
    suite.succeeds("one array per frame", *run, "--out", "a_%02d.npy")
    parts = [array(suite.read(f"a_{k:02}.npy")) for k in range(4)]
    suite.check(all(part[0] == (24, 32) for part in parts) and
                b"".join(part[1] for part in parts) == values, "are the same")
    suite.succeeds("one frame", *SMALL, "--frames", 1, "--out", "one.npy")
    suite.check(array(suite.read("one.npy")) == ((24, 32), bytes(frame)), "has two axes")
    suite.succeeds("on another driver", *run, "--out", "b.npy",
                   env=suite.environment("swiftshader"))
    suite.check(suite.read("a.npy") == suite.read("b.npy"), "the same file")
    suite.succeeds("a part of the field", *run, "--crop", "3,5,7x9", "--out", "c.npy")
    shape, values = array(suite.read("c.npy"))
    rows = [trail[4 * (32 * y + 3):4 * (32 * y + 10)] for y in range(5, 14)]
    suite.check(shape == (4, 9, 7) and values[-4 * 63:] == b"".join(rows), "is that part", shape)
    status, _, err = interrupted(suite, ["--frames", "1000000", "--out", "cut.npy"],
                                 [signal.SIGINT])
    shape, _ = array(suite.read("cut.npy"))
    suite.check(status == INTERRUPTED and 1 < shape[0] < 1000000 and f"({shape[0]} frames" in err,
                "Ctrl-C: the frames up to there", shape, err)


def test_large_pictures(suite):
    """A picture larger than the device's largest buffer (lavapipe: 128 MiB) is drawn in bands. Its
    bytes are those of a crop, which is small enough to be drawn in one piece."""
    run = ["--headless", "--preset", "plain", "--size", "48x46", "--agents", 90, "--steps", 4,
           "--steps-per-frame", 4, "--normalize", "fixed:0:2", "--hillshade", 1]
    suite.succeeds("a large picture", *run, "--output-size", "6144x5888", "--out", "l.png")
    suite.check(png_size(suite.read("l.png")) == (6144, 5888), "its size")
    suite.succeeds("a part of it", *run, "--output-size", "2048x2048", "--crop", "8,17,16x16",
                   "--out", "p.png")
    whole, part = pixels(suite.path("l.png")), pixels(suite.path("p.png"))
    # The hillshade reads one pixel beyond the edge, which a crop does not have.
    same = all(part[3 * (2048 * y + 1):3 * (2048 * y + 2047)] ==
               whole[3 * (6144 * (2176 + y) + 1025):3 * (6144 * (2176 + y) + 3071)]
               for y in range(1, 2047))
    suite.check(same and len(set(part)) > 50, "has the same pixels")
    for out in ("l.mp4", "l%d.png"):
        suite.fails(f"in {out}", USAGE, ["138 MiB", "128 MiB", "smaller --size or --output-size"],
                    *run, "--output-size", "6144x5880", "--out", out)


def test_deep_pictures(suite):
    run = ["--headless", "--size", "96x64", "--agents", 900, "--steps", 40, "--colormap", "abyss"]
    suite.succeeds("8 bits", *run, "--out", "e.png")
    suite.succeeds("16 bits", *run, "--depth", 16, "--out", "d.png")
    suite.check(suite.read("d.png")[24:26] == b"\x10\x02", "16 bits per channel, RGB",
                suite.read("d.png")[:32])
    deep = struct.unpack(f">{96 * 64 * 3}H", pixels(suite.path("d.png"), "rgb48be"))
    shallow = pixels(suite.path("e.png"))
    suite.check(all(abs(a / 257 - b) < 6 for a, b in zip(deep, shallow)), "near to those of 8")
    colours = len(set(zip(deep[0::3], deep[1::3], deep[2::3])))
    suite.check(colours > 256, "more colours than entries of the map", colours)
    suite.succeeds("a numbered one", *run, "--depth", 16, "--steps-per-frame", 20, "--out",
                   "d_%d.png")
    suite.check(suite.read("d_2.png") != suite.read("d_0.png"), "one picture per frame")
    suite.succeeds("on another driver", *run, "--depth", 16, "--out", "f.png",
                   env=suite.environment("swiftshader"))
    suite.check(suite.read("d.png") == suite.read("f.png"), "the same file")
    for depth, kind, high in ((8, "rgba", 255), (16, "rgba64be", 65535)):
        suite.succeeds(f"transparent, {depth} bits", *run, "--depth", depth, "--background",
                       "transparent", "--out", f"t{depth}.png")
        data = suite.read(f"t{depth}.png")
        alpha = pixels(suite.path(f"t{depth}.png"), kind)
        alpha = struct.unpack(f">{96 * 64 * 4}H", alpha)[3::4] if depth == 16 else alpha[3::4]
        suite.check(data[24:26] == bytes([depth, 6]) and min(alpha) == 0 and max(alpha) > high / 2,
                    "an alpha channel", data[:32], min(alpha), max(alpha))
    suite.succeeds("linear light", *run, "--out", "e.exr")
    suite.succeeds("as floats", *run, "--out", "f.exr", "--depth", 32)
    for name, error in (("e.exr", 1e-3), ("f.exr", 1e-5)):
        planes = struct.unpack(f"<{96 * 64 * 4}f", pixels(suite.path(name), "gbrapf32le"))
        count = 96 * 64
        wanted = [v / 65535 for v in deep]
        wanted = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in wanted]
        worst = max(abs(planes[plane * count + i] - wanted[3 * i + channel])
                    for plane, channel in ((0, 1), (1, 2), (2, 0)) for i in range(count))
        suite.check(worst < error and min(planes[3 * count:]) == 1, f"{name} has it", worst)
    suite.succeeds("10 bits", *run, "--out", "v.y4m", "--depth", 10)
    luma = struct.unpack(f"<{96 * 64}H", suite.read("v.y4m")[-96 * 64 * 3:-96 * 64])
    wanted = [64 + 876 * (0.2126 * r + 0.7152 * g + 0.0722 * b) / 65535
              for r, g, b in zip(deep[0::3], deep[1::3], deep[2::3])]
    suite.check(max(abs(a - b) for a, b in zip(luma, wanted)) < 0.52, "the last frame's luma")
    for out, encoder, codec in (("v.mp4", "auto", "hevc"), ("v.mkv", "av1", "av1"),
                                ("v.webm", "auto", "vp9")):
        suite.succeeds(f"10 bits in {out}", *run, "--out", out, "--depth", 10, "--encoder", encoder)
        stream = probe(suite.path(out))[1]
        found = stream.get("codec_name"), stream.get("pix_fmt")
        suite.check(found == (codec, "yuv420p10le"), f"{out} is {codec}", found)
    for out in ("t.mp4", "t.gif", "-"):
        suite.fails(f"transparent in {out}", USAGE, ["--background transparent"], *run,
                    "--background", "transparent", "--out", out)


def read_vti(path):
    """The size (x, y, z), the name, the time and the bytes of a .vti file."""
    with open(path, "rb") as file:
        data = file.read()
    head, _, rest = data.partition(b'encoding="raw">\n_')
    xml = ElementTree.fromstring(head + b'encoding="raw"></AppendedData></VTKFile>')
    extent = [int(word) for word in xml.find("ImageData").get("WholeExtent").split()]
    array = xml.find("ImageData/Piece/PointData/DataArray")
    length, = struct.unpack("<Q", rest[:8])
    return ([end + 1 for end in extent[1::2]], array.get("Name"),
            float(xml.find("ImageData/FieldData/DataArray").text), rest[8:8 + length])


def test_fields(suite):
    """.vti files hold the field itself: every cell of a plane, and of a volume."""
    run = ["gray-scott", "--headless", "--size", "48x32", "--frames", 3, "--steps-per-frame", 40]
    suite.succeeds("the values", *run, "--out", "a.npy")
    suite.succeeds("a field per frame", *run, "--out", "a%d.vti")
    _, values = array(suite.read("a.npy"))
    sides, name, step, field = read_vti(suite.path("a2.vti"))
    suite.check((sides, name, step) == ([48, 32, 1], "v", 80), "its head", sides, name, step)
    suite.check(field == values[2 * 48 * 32 * 4:], "the last frame of the array")
    suite.succeeds("of the last frame, larger and cut", *run, "--out", "b.vti", "--output-size",
                   "300x200", "--crop", "4,4,12x8", "--hillshade", 1)
    suite.check(suite.read("b.vti") == suite.read("a2.vti"), "pictures do not change it")
    suite.succeeds("the other field", *run, "--view", "u", "--out", "u.vti",
                   env=suite.environment("swiftshader"))
    suite.check(read_vti(suite.path("u.vti"))[1] == "u", "its name")
    run = ["gas", "--headless", "--method", "grid", "--size", "16x8x4", "--steps", 2,
           "--view", "density"]
    suite.succeeds("a volume", *run, "--out", "v.vti", "--save-state", "v.npz")
    sides, name, _, field = read_vti(suite.path("v.vti"))
    with zipfile.ZipFile(suite.path("v.npz")) as archive:
        members = archive.namelist()
        found = any(archive.read(member).endswith(field) for member in members)
    suite.check(sides == [16, 8, 4] and name == "density" and found, "has the state's numbers",
                sides, name, members)
    suite.fails("a field of points", USAGE, ["shows points", "another view"], "gas", "--headless",
                "--size", "8x8x8", "--frames", 1, "--view", "points", "--out", "p.vti")


def test_last_picture(suite):
    """A still of the last frame draws only that frame, unless its look depends on the others."""
    run = [*SMALL, "--steps", 21, "--steps-per-frame", 2, "--normalize"]
    for normalize, more, calls in (("frame", [], 1), ("fixed:0:4", [], 1), ("smooth", [], 11),
                                   ("frame", ["--digest"], 11)):
        name = f"{normalize} {more}"
        status, _, err = suite.run(*run, normalize, "--out", "all_%02d.png", "--overwrite")
        suite.check(status == OK and "(11 frames," in err, f"{name}: all frames", err)
        status, out, err = suite.run(*run, normalize, *more, "--out", "last.png", "--timings=json",
                                     "--overwrite")
        got = json.loads(out[out.index("{"):]) if status == OK else {"passes": []}
        drawn = {row["name"]: row["calls"] for row in got["passes"]}.get("colour")
        suite.check(drawn == calls and got["steps"] == 21 and "(1 frame," in err,
                    f"{name}: {calls} drawn for the last", drawn, err)
        suite.check(suite.read("last.png") == suite.read("all_10.png"), f"{name}: the same picture")
    for more in (["--normalize", "frame"], ["--normalize", "smooth"], ["--digest"]):
        status, seconds, err = interrupted(suite, ["--frames", "1000000", "--out", "cut.png",
                                                   "--overwrite", *more], [signal.SIGINT])
        suite.check(status == INTERRUPTED and seconds < 10 and "(1 frame," in err and
                    png_size(suite.read("cut.png")) == (128, 128),
                    f"Ctrl-C leaves the picture of where it was {more}", status, seconds, err)
        os.remove(suite.path("cut.png"))


def test_poster(suite):
    run = [*SMALL, "--frames", 6]
    suite.succeeds("stills", *run, "--out", "p_%d.png")
    os.mkdir(suite.path("a.b"))
    for name, poster in (("p.mp4", "p.png"), ("q.webm", "q.png"), ("r.gif", "r.png"),
                         ("s.y4m", "s.png"), ("t.u.mkv", "t.u.png"), ("a.b/c.mp4", "a.b/c.png")):
        status, _, err = suite.run(*run, "--out", name, "--poster")
        suite.check(status == OK and f"wrote {poster}" in err and
                    suite.read(poster) == suite.read("p_5.png"),
                    f"{poster} next to {name} is the last frame", status, err)
    suite.write("p.png", "precious")
    os.remove(suite.path("p.mp4"))
    suite.fails("a poster that is there", FILE, ["'p.png' exists already", "--overwrite"], *run,
                "--out", "p.mp4", "--poster")
    suite.check(not os.path.exists(suite.path("p.mp4")) and suite.read("p.png") == b"precious",
                "nothing is written then")
    suite.succeeds("with --overwrite", *run, "--out", "p.mp4", "--poster", "--overwrite")
    suite.check(suite.read("p.png") == suite.read("p_5.png"), "it is replaced")
    suite.succeeds("the default output's", *run, "--poster")
    suite.check(suite.read("physarum.png") == suite.read("p_5.png"), "has its name")
    status, _, err = interrupted(suite, ["--frames", "1000000", "--out", "cut.mp4", "--poster"],
                                 [signal.SIGINT])
    frames = pixels(suite.path("cut.mp4"), "yuv420p")
    last = frames[-128 * 128 * 3 // 2:][:128 * 128]
    near = mean_difference(last, pixels(suite.path("cut.png"), "yuv420p")[:128 * 128])
    suite.check(status == INTERRUPTED and near < 16, "Ctrl-C: that of the last frame", near, err)
    suite.check(not suite.left_over(), "nothing is left over", suite.left_over())


def test_several_outputs(suite):
    """Each of several --out has the bytes of a run of its own, with the options that follow it."""
    run = [*SMALL, "--frames", 6, "--overwrite"]
    outputs = (["--out", "m.mp4", "--crf", 30], ["--out", "m.webm"], ["--out", "m.mkv"],
               ["--out", "m_%d.png", "--depth", 16], ["--out", "m.npy"], ["--out", "last.png"],
               ["--out", "m.gif"], ["--out", "m.exr"], ["--out", "ten.y4m", "--depth", 10],
               ["--out", "m.vti"], ["--out", "sheet.png", "--collage", "2x2"])
    names = ["m.mp4", "m.webm", "m.mkv", "m_0.png", "m_5.png", "m.npy", "last.png", "m.gif",
             "m.exr", "ten.y4m", "m.vti", "sheet.png"]
    alone = {}
    for output in outputs:
        suite.succeeds(f"{output[1]} alone", *run, *output)
    for name in names:
        alone[name] = suite.read(name)
        os.remove(suite.path(name))
    status, out, err = suite.run(*run, "--digest", *(word for part in outputs for word in part))
    wrote = re.findall(r"wrote (\S+) \((\d+) frames?", err)
    wanted = [("m.mp4", "6"), ("m.webm", "6"), ("m.mkv", "6"), ("m_%d.png", "6"), ("m.npy", "6"),
              ("last.png", "1"), ("m.gif", "6"), ("m.exr", "1"), ("ten.y4m", "6"), ("m.vti", "1"),
              ("sheet.png", "4")]
    suite.check(status == OK and wrote == wanted, "all are written and named", status, err)
    for name in names:
        suite.check(suite.read(name) == alone[name], f"{name} has the same bytes")
    _, before, _ = suite.run(*run, "--out", "none", "--digest")
    suite.check(before.splitlines()[0] == out.splitlines()[0], "the run is the same", before, out)
    # What comes before the first --out is for all, and each may have its own instead.
    suite.succeeds("10 bits for all", *run, "--depth", 10, "--out", "a.y4m", "--out", "b.y4m",
                   "--out", "c.y4m", "--depth", 8)
    suite.check(suite.read("a.y4m") == suite.read("b.y4m") == alone["ten.y4m"] and
                suite.read("c.y4m").startswith(b"YUV4MPEG2") and
                len(suite.read("c.y4m")) < len(alone["ten.y4m"]), "10, 10 and 8 bits")
    suite.succeeds("those that support it", *run, "--crf", 30, "--depth", 16, "--poster", "--out",
                   "d_%d.png", "--out", "e.mp4", "--out", "e.npy")
    suite.check(suite.read("d_5.png") == alone["m_5.png"] and suite.read("e.mp4") == alone["m.mp4"]
                and png_size(suite.read("e.png")), "have the option")
    suite.fails("one must support it", USAGE, ["'b.png'", "--crf"], *run, "--crf", 20, "--out",
                "b.png", "--out", "b.npy")
    suite.fails("one that follows must", USAGE, ["'b.png'", "--crf"], *run, "--out", "b.mp4",
                "--out", "b.png", "--crf", 20)
    suite.fails("two posters", USAGE, ["--poster can be given for one output only"], *run, "--out",
                "b.mp4", "--poster", "--out", "c.mp4", "--poster")
    planned = suite.succeeds("a dry run", *run, "--dry-run", "--out", "a.mp4", "--encoder", "h264",
                             "--out", "b.mp4", "--crf", 3, "--out", "c.png", "--depth", 16)
    suite.check("  a.mp4 --encoder h264\n  b.mp4 --crf 3\n  c.png --depth 16\n" in planned,
                "shows the options of each", planned)
    status, out, err = suite.run(*run, "--out", "-", "--out", "p.mp4", "--poster", "--digest",
                                 binary=True)
    suite.check(status == OK and out.startswith(b"YUV4MPEG2") and "digest state" in err and
                "wrote p.png" in err and "standard output" not in err,
                "a stream, and a poster next to the file", status, err)
    # One that fails ends the run; the others keep their frames.
    status, _, err = suite.run("--headless", "--preset", "plain", "--size", "256x256", "--frames",
                               60, "--colormap", "ember", "--out", "whole.npy", "--out", "x.mp4",
                               env=suite.limited_files(), preexec_fn=limit_files(100000))
    suite.check(status == FILE and "cannot write" in err and not suite.left_over(),
                "a full disk", status, err, suite.left_over())
    status, _, err = interrupted(suite, ["--frames", "1000000", "--out", "cut.mp4", "--out",
                                         "cut.png", "--out", "cut.y4m"], [signal.SIGINT])
    suite.check(status == INTERRUPTED and err.count("wrote cut") == 3 and
                png_size(suite.read("cut.png")) == (128, 128), "Ctrl-C completes all", status, err)
    suite.check(not suite.left_over(), "nothing is left over", suite.left_over())


def test_pipes_that_wait(suite):
    """The run waits for a slow reader, but Ctrl-C ends it, and the state is saved."""
    for signals, after in (([signal.SIGINT], 1.5), ([signal.SIGTERM], 1.5)):
        with subprocess.Popen([suite.vksim, *LONG, "--frames", "1000000", "--out", "-",
                               "--save-state", "w.npz", "--overwrite"], env=suite.environment(),
                              cwd=suite.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, preexec_fn=default_signals) as process:
            time.sleep(after)
            alive = process.poll() is None
            begun = time.monotonic()
            process.send_signal(signals[0])
            err = process.stderr.read().decode()
            status = process.wait(timeout=60)
            seconds = time.monotonic() - begun
        suite.check(alive and status == INTERRUPTED and seconds < 10 and
                    "interrupted while the program that reads" in err and "complete frames" in err,
                    "a reader that reads nothing", alive, status, seconds, err)
        saved = suite.run("--headless", "--load-state", "w.npz", "--steps", 0, "--out", "none")
        suite.check(saved[0] == OK, "the state up to there is saved", saved)
    with subprocess.Popen([suite.vksim, *SMALL, "--frames", "40", "--out", "-"],
                          env=suite.environment(), cwd=suite.folder, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process:
        time.sleep(2)
        video = process.stdout.read()
        status = process.wait(timeout=60)
    status, whole, _ = suite.run(*SMALL, "--frames", "40", "--out", "-", binary=True)
    suite.check(status == OK and video == whole, "a slow reader gets everything", len(video))


# Replaces a function of libav, which vksim looks up with dlsym(), by one that never returns.
STANDSTILL = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>
static int stall(void *codec, const void *frame)
{
    (void)codec;
    (void)frame;
    close(open("stalled", O_CREAT | O_WRONLY, 0600));
    for (;;) {
        pause();
    }
}
/* Not strcmp(), which sanitizers replace and find by dlsym(). */
static int equal(const char *a, const char *b)
{
    for (; *a && *a == *b; a++, b++) {
    }
    return *a == *b;
}
/* The last call must be a jump (-O2): RTLD_NEXT depends on the caller. */
void *dlsym(void *handle, const char *name)
{
    void *(*real)(void *, const char *) = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
    return equal(name, "avcodec_send_frame") ? (void *)stall : real(handle, name);
}
"""


def test_encoder_stalls(suite):
    """An encoder that never returns: the second Ctrl-C ends the run, and the old file is kept."""
    suite.write("still.c", STANDSTILL)
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", suite.path("still.so"),
                    suite.path("still.c")], check=True)
    suite.write("old.mp4", "precious")
    preload = ":".join(filter(None, (os.environ.get("LD_PRELOAD"), suite.path("still.so"))))
    with subprocess.Popen([suite.vksim, *SMALL, "--frames", "100", "--out", "old.mp4",
                           "--overwrite"], env=suite.environment(LD_PRELOAD=preload),
                          cwd=suite.folder, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process:
        until = time.monotonic() + 100
        while not os.path.exists(suite.path("stalled")) and time.monotonic() < until:
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        time.sleep(2)
        waits = process.poll() is None
        process.send_signal(signal.SIGINT)
        status = process.wait(timeout=20)
        err = process.stderr.read().decode()
    suite.check(waits and status == INTERRUPTED and "again to stop now" in err,
                "a stalled encoder: the second Ctrl-C ends it", waits, status, err)
    suite.check(suite.read("old.mp4") == b"precious" and not suite.left_over(),
                "the old file is kept, and nothing else", suite.left_over())


def test_odd_sizes(suite):
    for size in ("1x1", "3x5", "1023x7", "2x1", "7x1023"):
        width, height = map(int, size.split("x"))
        for out in ("odd.mp4", "odd.webm", "odd.gif", "odd.y4m", "odd.png"):
            got = suite.run("--headless", "--preset", "plain", "--size", size, "--agents", 9,
                            "--frames", 3, "--out", out, "--overwrite")
            good = got[0] == OK
            if good and out.endswith("png"):
                good = png_size(suite.read(out)) == (width, height)
            elif good:
                err, stream = probe(suite.path(out))
                even = 0 if out.endswith("gif") else 1
                good = not err and stream.get("nb_read_frames") == "3" and (
                    (stream.get("width"), stream.get("height")) ==
                    (width + width % 2 * even, height + height % 2 * even)) and (
                    got[2].count("a video's sides are even") == even)
                got = (*got, err, stream)
            suite.check(good, f"{size} to {out}", *got)
        suite.check(suite.state("--headless", "--preset", "plain", "--size", size, "--agents", 9,
                                "--steps", 20) ==
                    suite.state("--headless", "--preset", "plain", "--size", size, "--agents", 9,
                                "--steps", 20, env=suite.environment("swiftshader")),
                    f"{size}: the same digest on both drivers")
    one = suite.state(*SMALL, "--agents", 1, "--steps", 50)
    suite.check(one == suite.state(*SMALL, "--agents", 1, "--steps", 50,
                                   env=suite.environment("swiftshader")), "one agent")


def test_messages(suite):
    for arguments in (["--frames", 3, "--out", "q.mp4"], ["--steps", 5, "--out", "none"],
                      ["--frames", 2, "--out", "q.png", "--save-state", "q.npz"]):
        status, out, err = suite.run(*SMALL, *arguments, "--overwrite", "--quiet")
        suite.check(status == OK and not err and not out, f"--quiet is silent: {arguments[-1]}",
                    out, err)
    suite.fails("errors are not", USAGE, ["--agents"], "--quiet", "--agents", 0)
    normal = suite.run(*SMALL, "--frames", 3, "--out", "q.mp4", "--overwrite")
    suite.check(normal[0] == OK and not normal[1] and "llvmpipe" in normal[2] and
                all(line.startswith("vksim: ") for line in normal[2].splitlines()),
                "a few lines by default", normal)
    verbose = suite.run(*SMALL, "--frames", 3, "--out", "q.mp4", "--overwrite", "--verbose")
    suite.check(verbose[0] == OK and len(verbose[2]) > len(normal[2]), "more with --verbose",
                verbose)


def test_timings(suite):
    run = [*SMALL, "--steps", 40, "--steps-per-frame", 4, "--out", "t.mp4", "--overwrite"]
    table = suite.succeeds("--timings", *run, "--timings")
    lines = table.splitlines()
    suite.check(lines[0].startswith("physarum 32x24 on llvmpipe") and
                re.match(r"pass +calls +total ms +mean us +p50 us +p95 us +max us +share +GB/s +"
                         r"of copy +GFLOP/s +bound by",
                         lines[1]) and max(map(len, lines[1:])) <= 120, "its head", *lines)
    rows = {line.split()[0]: line.split() for line in lines[2:]}
    suite.check(rows["agents"][1] == "40" and rows["colour"][1] == "11" and
                rows["agents"][2] != "-", "one row per pass", *lines)
    suite.check("40 steps, 11 frames" in table, "the totals", *lines)
    counted = "memory budget" in offers(suite.succeeds("features", "--list-devices"))
    suite.check(re.search(r"^memory: \S+ [KM]iB allocated, peak \S+ [KM]iB"
                          r"(; \S+ \S?iB free of a budget|,) of \S+ GiB$", table, re.M),
                "the memory", *lines)
    suite.check(suite.run(*run, "--timings=table")[0] == OK, "--timings=table")
    got = report(suite, *run)
    passes = {row["name"]: row for row in got["passes"]}
    suite.check(got["simulation"] == "physarum" and (got["width"], got["height"]) == (32, 24) and
                got["device"]["name"].startswith("llvmpipe") and got["copy_bytes_per_s"] > 0 and
                got["seconds"] > 0 and got["step_s"] > 0 and got["startup_s"] > 0 and
                got["first_frame_s"] > got["startup_s"] and
                2 * 32 * 24 * 4 < got["memory"]["allocated_bytes"] <=
                got["memory"]["peak_bytes"] < got["device"]["memory"] and
                ("free_bytes" in got["memory"]) == counted, "--timings=json", got)
    suite.check(got["command"][1:] == [str(word) for word in run] + ["--timings=json"] and
                got["device"]["timestamps"]["valid_bits"] == 64 and
                got["dropped_samples"] == 0 and got["pipelines"] >= len(passes),
                "what was run", got)
    phases = {(row["thread"], row["name"]): row["seconds"] for row in got["phases"]}
    main = sum(seconds for (thread, _), seconds in phases.items() if thread == "main")
    suite.check(abs(main - got["wall_s"]) < 0.02 * got["wall_s"] and
                # On a busy machine the thread may lose its processor in between.
                phases["main", "other"] < 0.02 * got["wall_s"] + 0.03,
                "the phases of the main thread are its time", main, got["wall_s"], phases)
    suite.check(all(phases.get(row, 0) > 0 for row in (
        ("main", "loader"), ("main", "device"), ("main", "pipelines"), ("main", "start"),
        ("main", "first step"), ("main", "simulate"), ("main", "draw"), ("main", "wait for GPU"),
        ("encoder", "encode"), ("GPU", "simulate"), ("GPU", "draw"), ("GPU", "copy"))),
                "phases of threads and the GPU", phases)
    times = got["step_times"]
    suite.check(20 <= times[-1]["step"] <= 40 and sum(row["steps"] for row in times) <= 40 and
                all(0 < row["min_s"] <= row["seconds"] <= row["max_s"] for row in times),
                "GPU time per step over the run", times)
    suite.check(got["encoder_busy_s"] < got["ending_s"] + phases["encoder", "encode"] +
                0.25 * phases["encoder", "wait for GPU"] + 0.005,
                "waiting for the GPU is not encoding", got["encoder_busy_s"], phases)
    slower = max(got["gpu_busy_s"], got["encoder_busy_s"])
    suite.check(got["encoder_busy_s"] > 0 and got["gpu_busy_s"] > got["copies_s"] > 0 and
                got["ending_s"] > 0 and got["digest_busy_s"] == 0 and
                abs(got["over_slower_side"] * slower - got["seconds"] - got["ending_s"]) < 1e-6 and
                "x the slower side" in table, "how far it is from the slower side", got, table)
    suite.check(passes["agents"]["calls"] == 40 and passes["agents"]["samples"] > 0 and
                passes["agents"]["max_s"] >= passes["agents"]["p95_s"] >=
                passes["agents"]["p50_s"] >= passes["agents"]["min_s"] > 0 and
                passes["colour"]["calls"] == 11, "its passes", passes)
    suite.check(abs(sum(row["share"] for row in passes.values()) - 1) < 0.02, "shares add up to 1",
                passes)
    status, out, err = suite.run(*run[:-3], "--out", "-", "--timings", binary=True)
    suite.check(status == OK and b"agents" not in out and "agents" in err,
                "the table goes elsewhere when a video is on standard output", err)
    status, out, _ = suite.run(*run[:-3], "--out", "none", "--timings", "--digest")
    suite.check(status == OK and out.startswith("digest state") and "agents" in out,
                "together with --digest", out)
    out = suite.succeeds("--timings=csv", *run, "--timings=csv", "--timings-out", "t.csv")
    with open(suite.path("t.csv"), encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    suite.check(not out and [row["pass"] for row in rows] == list(passes) and
                all(float(row["mean_s"]) > 0 for row in rows if int(row["calls"])),
                "--timings-out", out, rows)
    suite.fails("without --overwrite", FILE, ["'t.csv'", "exists"], *run[:-3], "--out", "none",
                "--timings", "--timings-out", "t.csv")
    suite.fails("--timings-out alone", USAGE, ["--timings-out", "--timings"], *run, "--timings-out",
                "u.csv")


# A counter, the first of an arrow and its last event, and the names of tracks.
TRACE_KINDS = {"X": ("ts", "dur", "name", "cat"), "C": ("ts", "name"), "M": ("name",),
               "s": ("ts", "id", "cat"), "f": ("ts", "id", "cat", "bp")}


def check_trace(suite, name, events):
    """The rules of the format: members, order, nesting, and arrows that reach slices. Returns
    the slices of each track, by (process, thread), from the first."""
    tracks, arrows = {}, {}
    slack = 0  # slices must not touch, even as sums of floating-point numbers
    wrong = [event for event in events if event["ph"] not in TRACE_KINDS or "pid" not in event or
             "tid" not in event or any(key not in event for key in TRACE_KINDS[event["ph"]]) or
             event.get("dur", 0) < 0]
    for event in events:
        if event["ph"] == "X":
            tracks.setdefault((event["pid"], event["tid"]), []).append(event)
        elif event["ph"] in "sf":
            arrows.setdefault((event["cat"], event["id"]), {})[event["ph"]] = event
    for slices in tracks.values():
        wrong += [late for early, late in zip(slices, slices[1:]) if late["ts"] < early["ts"]]
        slices.sort(key=lambda event: (event["ts"], -event["dur"]))
        open_until = []
        for event in slices:
            while open_until and open_until[-1] <= event["ts"] + slack:
                open_until.pop()
            if open_until and event["ts"] + event["dur"] > open_until[-1] + slack:
                wrong.append(event)
            open_until.append(event["ts"] + event["dur"])
    for ends in arrows.values():
        landed = [any(each["ts"] - slack <= event["ts"] <= each["ts"] + each["dur"] + slack
                      for each in tracks.get((event["pid"], event["tid"]), []))
                  for event in ends.values()]
        if set(ends) != {"s", "f"} or not all(landed):
            wrong.append(ends)
    suite.check(not wrong and tracks and arrows, f"{name}: the format's rules", wrong[:5])
    return tracks


def test_trace(suite):
    run = [*SMALL, "--steps", 40, "--steps-per-frame", 4, "--digest"]
    plain = suite.run(*run, "--out", "a.y4m")[1]
    traced = suite.run(*run, "--out", "b.y4m", "--trace", "t.json")
    suite.check(traced[0] == OK and traced[1] == plain and
                suite.read("a.y4m") == suite.read("b.y4m"), "a trace changes no byte", traced)
    trace = json.loads(suite.read("t.json"))
    events, data = trace["traceEvents"], trace["otherData"]
    tracks = check_trace(suite, "a run", events)
    names = {(event["pid"], event["tid"]): event["args"]["name"] for event in events
             if event["ph"] == "M" and event["name"] == "thread_name"}
    suite.check(set(names.values()) == {"main", "encoder", "digest", "queue", "copies of frames"},
                "the tracks", names)
    by_name = {names[track]: slices for track, slices in tracks.items()}
    agents = [event for event in by_name["queue"] if event["name"] == "agents"]
    suite.check(sorted(event["args"]["step"] for event in agents) == list(range(40)),
                "every pass of every step", agents)
    frames = [event["args"]["frame"] for event in by_name["encoder"] if event["name"] == "encode"]
    suite.check(frames == list(range(11)) and len(by_name["copies of frames"]) == 11,
                "every frame", frames)
    suite.check({event["name"] for event in events if event["ph"] == "C"} >=
                {"frames in the ring", "queue depth"}, "the counters")
    count = {kind: sum(event["ph"] == "s" and event["cat"] == kind for event in events)
             for kind in ("submit", "frame")}
    suite.check(count["submit"] >= 12 and count["frame"] == 22, "the arrows", count)
    suite.check("calibrated" in data["gpu_clock"] and data["gpu_clock_deviation_us"] < 1000 and
                "cut" not in data, "the clock", data)
    # Where a device cannot read both clocks, the slices still fall into the run.
    status, _, err = suite.run(*run, "--out", "none", "--trace", "s.json",
                               env=suite.environment("swiftshader"))
    trace = json.loads(suite.read("s.json")) if status == OK else {"traceEvents": []}
    tracks = check_trace(suite, "SwiftShader", trace["traceEvents"])
    host = tracks.get((1, 1), [])
    suite.check(status == OK and "estimated" in trace["otherData"]["gpu_clock"] and host and
                all(0 < event["ts"] < host[-1]["ts"] + host[-1]["dur"] + 1000
                    for event in tracks[2, 1]), "SwiftShader: an estimate", err, trace["otherData"])
    # A part of a run.
    suite.succeeds("--trace-steps", *run, "--out", "none", "--trace", "p.json", "--trace-steps",
                   "10:13")
    trace = json.loads(suite.read("p.json"))
    agents = sorted(event["args"]["step"] for event in trace["traceEvents"]
                    if event.get("name") == "agents")
    suite.check(agents == [10, 11, 12] and trace["otherData"]["end_step"] == 13,
                "only these steps", agents)
    counters = {event["name"]: event["args"] for event in trace["traceEvents"]
                if event["ph"] == "C"}
    suite.check(counters["device memory"]["bytes"] > 0 and "queue depth" in counters,
                "and the counters then", counters)
    suite.succeeds("a state", *run, "--out", "none", "--save-state", "t.npz")
    suite.succeeds("a trace from a state", *run, "--out", "none", "--load-state", "t.npz",
                   "--trace", "l.json", "--trace-steps", "0:2")
    trace = json.loads(suite.read("l.json"))
    agents = sorted(event["args"]["step"] for event in trace["traceEvents"]
                    if event.get("name") == "agents")
    suite.check(agents == [40, 41] and trace["otherData"]["first_step"] == 40 and
                trace["otherData"]["end_step"] == 42 and
                any(event.get("name") == "pipelines" for event in trace["traceEvents"]),
                "steps count from the state's, start-up is traced", agents, trace["otherData"])
    refused = [*run, "--out", "none", "--trace", "q.json", "--trace-steps"]
    suite.fails("a range reversed", USAGE, ["--trace-steps '13:10'", "no steps"], *refused, "13:10")
    suite.fails("an empty range", USAGE, ["--trace-steps '5:5'", "no steps"], *refused, "5:5")
    suite.fails("no range", USAGE, ["--trace-steps 'x'", "A:B"], *refused, "x")
    suite.fails("half a step", USAGE, ["--trace-steps '0.5:3'", "A:B"], *refused, "0.5:3")
    suite.fails("a range outside the run", USAGE, ["'40:50'", "outside", "40 steps"], *refused,
                "40:50")
    suite.fails("a range of nothing", USAGE, ["--trace-steps", "--trace FILE.json"], *run, "--out",
                "none", "--trace-steps", "1:2")
    suite.fails("an existing trace", FILE, ["'p.json'", "exists"], *run, "--out", "none", "--trace",
                "p.json")
    suite.fails("a trace in no folder", FILE, ["'no/t.json'"], *run, "--out", "none", "--trace",
                "no/t.json")
    suite.fails("one file twice", USAGE, ["--out", "--trace", "'a.json'"], *run, "--out", "a.json",
                "--trace", "a.json")
    suite.check(not suite.left_over(), "nothing is left over", suite.left_over())


def test_validation(suite):
    suite.succeeds("a state to load", *SMALL, "--steps", 3, "--out", "none", "--save-state",
                   "v.npz")
    for driver in ("lavapipe", "swiftshader"):
        for kind in ("--validate", "--validate=core", "--validate=sync", "--validate=gpu"):
            for arguments in ([*SMALL, "--diffuse-size", 7, "--init", "ring"],
                              ["--headless", "--load-state", "v.npz", "--timings"]):
                status, out, err = suite.run(*arguments, "--steps", 30, "--steps-per-frame", 4,
                                             "--out", "v.mp4", "--overwrite", "--quiet",
                                             "--save-state", "w.npz", "--digest", kind,
                                             env=suite.environment(driver))
                suite.check(status == OK and not err and "digest" in out,
                            f"{driver}: {kind} is silent: {arguments[-1]}", status, err)
            status, out, err = suite.run(*SMALL, "--vary", "seed=1,2", "--vary-rows", "gamma=0.5,1",
                                         "--frames", 8, "--out", "v.mp4", "--collage", "2x2",
                                         "--overwrite", "--quiet", "--digest", kind,
                                         env=suite.environment(driver))
            suite.check(status == OK and not err and "digest" in out,
                        f"{driver}: {kind} is silent: a grid", status, err)


def test_failures(suite):
    """Failures during the run: validation messages, and lack of memory."""
    # Best-practice advice counts as a message, under either name of the layer's setting.
    env = suite.environment(VK_LAYER_ENABLES="VK_VALIDATION_FEATURE_ENABLE_BEST_PRACTICES_EXT",
                            VK_KHRONOS_VALIDATION_VALIDATE_BEST_PRACTICES="true")
    status, out, err = suite.run(*SMALL, "--frames", 2, "--out", "none", "--validate", "--digest",
                                 env=env)
    suite.check(status == VALIDATION and "vksim: validation: " in err and "digest" in out and
                re.search(r"^vksim: \d+ validation messages?$", err, re.M),
                "a message makes the exit code 6", status, err)
    # The device reports more memory than it turns out to have.
    status, _, err = suite.run("--headless", "--size", "1024x1024", "--steps", 0, "--out", "none",
                               env=suite.scarce_memory(piece=2))
    suite.check(status == GPU and re.search(
        r"^vksim: the field '\w+' needs .*iB, more than is free of .* on llvmpipe.* --size", err,
        re.M) and err.count("--size") == 1, "no memory for a field", status, err)


# --- stopping -------------------------------------------------------------------------------------

LONG = ["--headless", "--preset", "plain", "--size", "128x128", "--agents", "5000"]


def table(text):
    """(names of the columns, rows of numbers) of a .csv file."""
    head, *lines = text.decode().splitlines()
    return head.split(","), [[float(word) for word in line.split(",")] for line in lines]


def test_watch(suite):
    pool = ["gray-scott", "--headless", "--size", "48x32", "--steps-per-frame", 5, "--frames", 6]
    plain = suite.digests(*pool, "--out", "plain.y4m")
    watched = suite.digests(*pool, "--out", "watched.y4m", "--watch", "a.csv")
    suite.check(plain == watched and suite.read("plain.y4m") == suite.read("watched.y4m"),
                "--watch changes no byte", plain, watched)
    columns, rows = table(suite.read("a.csv"))
    suite.check(columns == ["frame", "step", "u", "v"] and
                [row[:2] for row in rows] == [[i, 5 * i] for i in range(6)], "a row per frame",
                columns, rows)
    # The same without pictures, and as JSON; the values are those of the field.
    suite.succeeds("without output", *pool, "--out", "none", "--watch", "b.CSV")
    suite.check(suite.read("a.csv") == suite.read("b.CSV"), "the table is the same")
    suite.succeeds("as JSON", *pool, "--out", "v.npy", "--watch", "a.json")
    objects = json.loads(suite.read("a.json"))
    suite.check([list(entry) for entry in objects] == [columns] * 6 and
                [list(entry.values()) for entry in objects] == rows, "the same as JSON", objects)
    shape, data = array(suite.read("v.npy"))
    values = struct.unpack(f"<{math.prod(shape)}f", data)
    means = [math.fsum(values[i * 1536:(i + 1) * 1536]) / 1536 for i in range(6)]
    suite.check(all(abs(mean - row[3]) < 1e-15 for mean, row in zip(means, rows)),
                "v is the mean of the field", means, rows)
    halves = [*pool, "--precision", "float16", "--out", "v.npy", "--overwrite"]
    suite.succeeds("of halves", *halves, "--watch", "a.csv")
    values = struct.unpack(f"<{math.prod(shape)}f", array(suite.read("v.npy"))[1])
    suite.check(abs(math.fsum(values[-1536:]) / 1536 - table(suite.read("a.csv"))[1][5][3]) < 1e-15,
                "the mean of halves")
    # The table needs all frames, even with a still of the last one.
    trail = [*SMALL, "--frames", 4, "--normalize", "frame"]
    suite.succeeds("with a still", *trail, "--out", "t.png", "--watch", "t.csv")
    columns, rows = table(suite.read("t.csv"))
    suite.check(columns == ["frame", "step", "trail", "trail_min", "trail_max"] and
                [row[1] for row in rows] == [0, 1, 2, 3] and
                all(row[3] <= row[2] <= row[4] for row in rows) and rows[3][2] > 0,
                "mean and extremes of a trail", columns, rows)
    # The report, and the line on a terminal, cut to its width.
    got = report(suite, *trail, "--out", "none", "--watch", "u.csv")
    suite.check(got["watched"] == dict(zip(columns[2:], rows[3][2:])),
                "--timings=json has the last", got.get("watched"), rows)
    suite.check("watched" not in report(suite, *trail, "--out", "none"), "only with --watch")
    wide = on_terminal(suite, *pool, "--out", "none", "--watch", "w.csv", stream="stderr",
                       columns=120)
    suite.check(re.search(r"frame 6/6 .* s left +u 0\.\d+  v 0\.\d+", wide), "the progress line",
                wide)
    narrow = on_terminal(suite, *pool, "--out", "none", "--watch", "x.csv", stream="stderr",
                         columns=60)
    lines = [line for line in re.split(r"[\r\n]", narrow) if line.startswith("frame")]
    suite.check(lines and all(len(line) < 60 for line in lines), "it does not wrap", narrow)
    # Refused options leave no file behind.
    for name, words, arguments in (
            ("another kind", ["--watch 'a.txt'", ".csv or .json"], ["--watch", "a.txt"]),
            ("several cells", ["--watch", "--vary"],
             ["--watch", "c.csv", "--vary", "feed=0.03,0.04", "--out", "none"])):
        suite.fails(f"{name}: refused", USAGE, words, *pool, *arguments)
    suite.fails("a table that is there", FILE, ["'a.csv'", "--overwrite"], *pool, "--out", "none",
                "--watch", "a.csv")
    got, _, err = suite.run(*pool, "--frames", 3000, "--steps-per-frame", 1, "--out", "none",
                            "--watch", "full.csv", env=suite.limited_files(),
                            preexec_fn=limit_files(20000))
    suite.check(got == FILE and "cannot write 'full.csv'" in err and
                not os.path.exists(suite.path("full.csv")), "a full disk ends the run", got, err)
    status, _, err = interrupted(suite, ["--frames", "1000000", "--out", "none", "--watch",
                                         "i.csv"], [signal.SIGINT])
    _, rows = table(suite.read("i.csv"))
    suite.check(status == INTERRUPTED and len(rows) > 1 and f"({len(rows)} rows)" in err and
                [row[0] for row in rows] == list(range(len(rows))), "Ctrl-C keeps the rows", status,
                err)
    suite.check(not suite.left_over(), "nothing is left behind", suite.left_over())


def default_signals():
    """Restores the defaults of an interactive shell; a background job ignores Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def interrupted(suite, arguments, signals, after=1.0, pause=0.0, command=None):
    """Starts a long run, sends signals after it has started; (status, seconds it took, stderr)."""
    with subprocess.Popen([suite.vksim, *(command or LONG), *arguments], env=suite.environment(),
                          cwd=suite.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, preexec_fn=default_signals) as process:
        time.sleep(after)
        begun = time.monotonic()
        for number in signals:
            process.send_signal(number)
            time.sleep(pause)
        try:
            err = process.communicate(timeout=60)[1].decode()
        except subprocess.TimeoutExpired:
            process.kill()
            err = "it did not end"
        return process.returncode, time.monotonic() - begun, err


def test_interrupt(suite):
    status, seconds, err = interrupted(suite, ["--frames", "1000000", "--out", "i.mp4"],
                                       [signal.SIGINT])
    said, stream = probe(suite.path("i.mp4")) if os.path.exists(suite.path("i.mp4")) else ("", {})
    frames = int(stream.get("nb_read_frames", 0))
    suite.check(status == INTERRUPTED and seconds < 10, "Ctrl-C ends a run", status, seconds, err)
    suite.check(not said and frames > 1 and f"({frames} frames" in err,
                "the file plays up to there", said, stream, err)
    status, _, err = interrupted(suite, ["--frames", "1000000", "--out", "j_%06d.png"],
                                 [signal.SIGTERM])
    stills = [name for name in os.listdir(suite.folder) if name.startswith("j_")]
    suite.check(status == INTERRUPTED and len(stills) > 1, "SIGTERM likewise", status, err, stills)
    suite.check(all(suite.read(name)[-8:-4] == b"IEND" for name in stills), "the stills are whole")
    status, seconds, err = interrupted(suite, ["--steps", "1e12", "--out", "none", "--save-state",
                                               "i.npz"], [signal.SIGINT])
    suite.check(status == INTERRUPTED and seconds < 10, "without frames too", status, seconds, err)
    saved = suite.run("--headless", "--load-state", "i.npz", "--steps", 0, "--out", "none")
    suite.check(saved[0] == OK, "the state up to there is saved", saved)
    status, seconds, err = interrupted(
        suite, ["--size", "1024x1024", "--agents", "1M", "--frames", "1000000", "--out", "k.mp4",
                "--steps-per-frame", "1000000"], [signal.SIGINT, signal.SIGINT], pause=0.2)
    suite.check(status == INTERRUPTED and seconds < 5 and not suite.left_over(),
                "a second Ctrl-C stops at once", status, seconds, err, suite.left_over())
    suite.check(not os.path.exists(suite.path("k.mp4")) or probe(suite.path("k.mp4"))[0] == "",
                "no damaged file under the final name")


# --- scale ----------------------------------------------------------------------------------------

SCALE = ["scale", "--repeats", 5, "--agents", 100]


def test_scale(suite):
    out = suite.succeeds("scale --json", *SCALE, "--over", "size=8,16,24,32", "--over",
                         "agents=1k,2k", "--over", "steps=1:2", "--size", "24x16", "--json",
                         "--plot", "s.svg", "--report", "s.html")
    got = json.loads(out)
    page = suite.read("s.html").decode()
    pictures = re.findall(r"data:image/svg\+xml;base64,([A-Za-z0-9+/=]+)", page)
    drawn = [ElementTree.fromstring(base64.b64decode(each)) for each in pictures]
    suite.check(len(drawn) == 3 and page.count("<section") == 5 and "<script" not in page and
                "{{" not in page and "--over agents=1k,2k" in page and
                all(f'value="{x}"' in page for x in (8, 16, 24, 32, 1000, 2000)),
                "the page has a plot and a table per sweep", len(drawn), page[-3000:])
    suite.check(got["simulation"] == "physarum" and got["repeats"] == 5 and
                got["copy_bytes_per_s"] > 0 and got["options"]["agents"] == 100 and
                got["device"]["name"].startswith("llvmpipe"), "what was run", got)
    sweeps = {sweep["quantity"]: sweep for sweep in got["scaling"]}
    points = {name: sweep["points"] for name, sweep in sweeps.items()}
    suite.check([point["x"] for point in points["size"]] == [8, 16, 24, 32] and
                [point["cells"] for point in points["size"]] == [64, 256, 576, 1024] and
                [point["cells"] for point in points["agents"]] == [384, 384] and
                [point["name"] for point in points["steps"]] == ["steps=1", "steps=2"] and
                [point["steps"] for point in points["steps"]] == [1, 2], "the points", points)
    every = [point for rows in points.values() for point in rows]
    suite.check(all(0 < point["min"] <= point["low_quartile"] <= point["median"] <=
                    point["high_quartile"] <= point["max"] and point["samples"] == 5 and
                    point["unit"] == "s" and point["startup_s"] > 0 and
                    point["host"]["median"] >= 0.5 * point["median"] for point in every),
                "each with its spread and the host's time", every)
    # Per step: agents read three sensors and move, cells are read and written.
    suite.check(all(point["bytes"] > 8 * point["cells"] and
                    abs(point["share_of_copy"] - point["bytes"] / point["median"] /
                        got["copy_bytes_per_s"]) < 1e-9 for point in every), "bytes of a step",
                every)
    fit = sweeps["size"]["fit"]
    suite.check(fit["points"] == 4 and (fit["from"], fit["to"]) == (8, 32) and
                fit["p"]["value"] > 0 and fit["a_s"]["value"] >= 0 and
                sweeps["agents"]["fit"] is None, "a fit of four points, none of two", fit)
    plot = ElementTree.fromstring(suite.read("s.svg"))
    name = "{http://www.w3.org/2000/svg}"
    words = [text.text for text in plot.iter(f"{name}text")]
    markers = [path for path in plot.iter(f"{name}path") if "marker" in path.get("class")]
    suite.check(plot.tag == f"{name}svg" and "physarum: GPU time per step against agents" in words
                and len(markers) == len(every) + 3 and
                any("fit: " in (text or "") for text in words) and
                sum("limit: bytes" in (text or "") for text in words) == 3,
                "the plots: every point, and one of each legend", words)
    suite.fails("a plot that exists", FILE, ["'s.svg'", "exists", "--overwrite"], *SCALE, "--over",
                "size=16", "--plot", "s.svg")
    status, out, err = suite.run(*SCALE, "--over", "size=16,32,48,64,60000", "--plot", "s.svg",
                                 "--overwrite")
    rows = [line.split() for line in out.splitlines()]
    suite.check(status == OK and [row[0] for row in rows[2:6]] == ["16", "32", "48", "64"] and
                re.search(r"^left out: 60000: .*need.*iB", out, re.M) and
                re.search(r"^fit, size \d+ to 64 \(4 points\)", out, re.M) and
                re.search(r"^  p = \d\.\d{3} \+- ", out, re.M) and
                re.search("the GPU (is|may not be|is not) full", out),
                "the table; a size that does not fit is left out", status, out, err)
    suite.check("vksim: size 64: " in err and "60000 is left out" in err, "progress", err)
    out = suite.succeeds("another simulation", "scale", "gray-scott", "--repeats", 5, "--over",
                         "size=16", "--quiet")
    suite.check(out.startswith("gray-scott over size on llvmpipe") and "no fit: it needs" in out,
                "one point", out)
    suite.fails("scale without timestamps", DEVICE, ["llvmpipe", "has no timestamps"], *SCALE,
                "--over", "size=16", "--plot", "n.svg",
                env={**suite.scarce_memory(), "MEMORY_LAYER_TIMESTAMP_BITS": "0"})
    suite.check(not os.path.exists(suite.path("n.svg")), "nothing is drawn then")
    suite.fails("scale with timestamps of one bit", DEVICE, ["have not advanced"], *SCALE, "--over",
                "size=16", env={**suite.scarce_memory(), "MEMORY_LAYER_TIMESTAMP_BITS": "1"},
                timeout=30)
    for words in ("size=16/3", "size=16:32:64", "size=16,32:64"):
        suite.fails(words, USAGE, [f"--over '{words}'", "neither a list", "nor a range"], *SCALE,
                    "--over", words)
    for values in ("steps=1000000000", "size=16:4096"):
        status, seconds, err = interrupted(
            suite, ["--over", values, "--plot", "i.svg"], [signal.SIGINT],
            command=["scale", "--agents", "100", "--preset", "plain"])
        suite.check(status == INTERRUPTED and seconds < 10 and not suite.left_over() and
                    (values.startswith("size") or not os.path.exists(suite.path("i.svg"))),
                    f"Ctrl-C ends {values}", status, seconds, err)


def test_scale_refused(suite):
    rows = [
        ("nothing to vary", ["--over QUANTITY=VALUES"], []),
        ("no values", ["'size='", "no values"], ["--over", "size="]),
        ("no quantity", ["'16'", "QUANTITY=VALUES"], ["--over", "16"]),
        ("an unknown quantity", ["'wind=1:2'", "size, steps, agents"], ["--over", "wind=1:2"]),
        ("a text", ["'x'", "not a whole number"], ["--over", "size=16,x"]),
        ("a reversed range", ["'size=64:16'", "reversed"], ["--over", "size=64:16"]),
        ("a huge range", ["'1e30'", "1e15"], ["--over", "steps=1:1e30"]),
        ("a side over the limit", ["70000", "65536"], ["--over", "size=64:70000"]),
        ("too many cells", ["65536", "4294967295"], ["--over", "size=65536"]),
        ("a second that is wrong", ["'agents=0'"], ["--over", "size=16", "--over", "agents=0"]),
        ("a page that is the plot", ["--plot and --report", "'./p.svg'"],
         ["--over", "size=16", "--plot", "p.svg", "--report", "./p.svg"]),
        ("no picture", ["'p.gif'", ".svg"], ["--over", "size=16", "--plot", "p.gif"]),
        ("too few repeats", ["--repeats", "5 to 64"], ["--over", "size=16", "--repeats", 1]),
        ("an unknown preset", ["'nope'"], ["--over", "size=16", "--preset", "nope"]),
        ("an option of another simulation", ["--feed", "gray-scott"],
         ["physarum", "--over", "size=16", "--feed", 0.03]),
        ("an option of a run", ["--frames"], ["--over", "size=16", "--frames", 3]),
    ]
    for name, words, arguments in rows:
        suite.fails(f"scale: {name}", USAGE, words, "scale", *arguments)
    suite.fails("scale: a folder that is not there", FILE, ["'nowhere'"], "scale", "--over",
                "size=16", "--plot", "nowhere/p.svg")


# --- grids and contact sheets ---------------------------------------------------------------------

def picture(path):
    """(width, height, RGB bytes) of a still."""
    with open(path, "rb") as file:
        return (*png_size(file.read()), pixels(path))


def find(sheet, part):
    """The positions (x, y) of a picture within another."""
    width, height, data = sheet
    own_width, own_height, own = part
    found = []
    first = own[:own_width * 3]
    for y in range(height - own_height + 1):
        row = data[y * width * 3:(y + 1) * width * 3]
        x = row.find(first)
        while x >= 0:
            if x % 3 == 0 and all(
                    data.startswith(own[k * own_width * 3:(k + 1) * own_width * 3],
                                    (y + k) * width * 3 + x) for k in range(own_height)):
                found.append((x // 3, y))
            x = row.find(first, x + 1)
    return found


def lettered(sheet, left, top, right, bottom):
    """Counts the pixels in a part of a picture that are lighter than its background."""
    width, _, data = sheet
    return sum(data[(y * width + x) * 3] > 60 for y in range(top, bottom)
               for x in range(left, right))


def grid_digests(suite, *arguments, **more):
    """([digests of states], [captions], digest of frames) of a run that must succeed."""
    status, out, err = suite.run(*arguments, "--digest", "--overwrite", **more)
    found = re.findall(r"^digest state ([0-9a-f]{32}) (.*)$", out, re.M)
    frames = re.findall(r"^digest frames ([0-9a-f]{32})$", out, re.M)
    if status != OK or not found:
        raise AssertionError(f"{arguments}: status {status}: {err}{out}")
    return [digest for digest, _ in found], [words for _, words in found], frames


def test_grid(suite):
    swiftshader = suite.environment("swiftshader")
    for size in ("32x24", "33x17", "1x1", "257x3"):
        run = ["--headless", "--size", size, "--agents", 60, "--frames", 6, "--out", "g.png",
               "--vary", "preset=worms,frost,network"]
        states, words, frames = grid_digests(suite, *run)
        suite.check(words == ["worms", "frost", "network"], f"{size}: a line a cell", words)
        suite.check(grid_digests(suite, *run, env=swiftshader) == (states, words, frames),
                    f"{size}: the same on both drivers")
        for preset, steps, state in zip(words, (5, 10, 5), states):
            alone = suite.state("--headless", "--size", size, "--agents", 60, "--preset", preset,
                                "--frames", 6)
            suite.check(alone == state, f"{size}: {preset} is in the state of its run alone")
    states, words, _ = grid_digests(suite, *SMALL, "--grid", "3x2", "--vary",
                                    "sensor-angle=10..30", "--vary-rows", "decay=0.1,0.2",
                                    "--steps", 3, "--out", "none")
    suite.check(words == [f"sensor angle {a} decay {d}" for d in ("0.1", "0.2")
                          for a in (10, 20, 30)] and len(set(states)) == 6, "two options", words)
    got = report(suite, *SMALL, "--vary", "seed=1,2", "--vary-rows", "gamma=0.5,1", "--steps", 6,
                 "--out", "none")
    calls = {row["name"]: row["calls"] for row in got["passes"]}
    suite.check(got["steps"] == 12 and calls.get("agents") == 12 and calls.get("composite") == 0,
                "the report counts all cells, and shared states once", got["steps"], calls)
    for out in ("v.mp4", "v.y4m"):
        suite.succeeds(out, *SMALL, "--size", "35x27", "--vary", "seed=1,2,3", "--frames", 4,
                       "--out", out)
        err, stream = probe(suite.path(out))
        suite.check(not err and stream.get("nb_read_frames") == "4" and
                    int(stream["width"]) > 3 * 35 and int(stream["height"]) > 27,
                    f"{out} has all cells", err, stream)


def test_cells_alone(suite):
    """Each cell equals the picture of its run alone, pixel for pixel, with a caption below."""
    run = ["--headless", "--size", "47x33", "--agents", 200, "--frames", 12]
    suite.succeeds("a grid", *run, "--vary", "preset=worms,frost,dahlia,net,silk", "--out", "g.png")
    sheet = picture(suite.path("g.png"))
    places = []
    for preset in ("worms", "frost", "dahlia", "net", "silk"):
        suite.succeeds(preset, *run, "--preset", preset, "--out", "one.png", "--overwrite")
        one = picture(suite.path("one.png"))
        found = find(sheet, one)
        suite.check(len(found) == 1, f"{preset} is on the sheet once", found)
        places += found
        x, y = found[0] if found else (0, 0)
        suite.check(lettered(sheet, x, y + 33, x + 47, y + 33 + 14) > 20,
                    f"{preset} has a caption")
    suite.check(len(set(x for x, _ in places)) == 3 and len(set(y for _, y in places)) == 2 and
                places == sorted(places, key=lambda place: (place[1], place[0])),
                "three columns, two rows, in reading order", places)


def test_tall_cells(suite):
    """More rows in all than 65535 workgroups of eight, the limit of a device along one axis."""
    run = ["--headless", "--size", "16x65536", "--agents", 9, "--steps", 0, "--preset", "plain"]
    colours = ",".join(["grey", "gold"] * 4 + ["ink"])
    suite.succeeds("tall cells", *run, "--vary", f"colormap={colours}", "--grid", "9x1", "--out",
                   "g.png")
    suite.succeeds("one of them", *run, "--colormap", "ink", "--out", "one.png")
    found = find(picture(suite.path("g.png")), picture(suite.path("one.png")))
    suite.check(len(found) == 1, "the last one is as alone", found)


def test_shared_states(suite):
    """Cells that differ only in their look share their steps. Their pictures are as if each had run
    alone, also with a range that depends on earlier frames."""
    run = ["--headless", "--size", "40x24", "--agents", 300, "--frames", 15]
    values = ["smooth", "frame", "fixed:0:3"]
    suite.succeeds("looks", *run, "--preset", "plain", "--vary", "normalize=" + ",".join(values),
                   "--vary-rows", "colormap=abyss,gold", "--out", "g.png", "--timings=json")
    sheet = picture(suite.path("g.png"))
    for value in values:
        for colours in ("abyss", "gold"):
            suite.succeeds(value, *run, "--preset", "plain", "--normalize", value, "--colormap",
                           colours, "--out", "one.png", "--overwrite")
            found = find(sheet, picture(suite.path("one.png")))
            suite.check(len(found) == 1, f"{value}, {colours} as alone", found)
    got = report(suite, *run, "--preset", "plain", "--vary", "colormap=all", "--out", "g.png",
                 "--overwrite")
    calls = {row["name"]: row["calls"] for row in got["passes"]}
    suite.check(calls["agents"] == 14 and calls["colour"] > 100 and calls["composite"] == 15,
                "one set of steps, many pictures", calls)
    states = grid_digests(suite, *run, "--vary", "colormap=grey,gold", "--out", "none")[0]
    suite.check(states[0] == states[1], "their states are one", states)
    suite.run(*SMALL, "--steps", 9, "--out", "none", "--save-state", "s.npz")
    states = grid_digests(suite, "--headless", "--load-state", "s.npz", "--vary", "decay=0.1,0.2",
                          "--vary-rows", "gamma=1,2", "--steps", 4, "--out", "none")[0]
    alone = [suite.state("--headless", "--load-state", "s.npz", "--decay", decay, "--steps", 4)
             for decay in ("0.1", "0.2")]
    suite.check(states == alone * 2, "cells go on from a state file", states, alone)


def test_grid_looks(suite):
    """Effects beyond colours, in cells of which two each share a state."""
    run = ["--headless", "--agents", 300, "--frames", 12, "--normalize", "frame", "--overwrite"]
    for option, values in (("bloom", "0;1.3"), ("hillshade", "0;4"), ("invert", "true;false"),
                           ("crop", "0,0,20x12;9,5,20x12"), ("background", "#102030;none"),
                           ("fit", "stretch;crop")):
        cells = [*run, "--size", "40x24", "--output-size", "31x37"]
        suite.succeeds(f"{option} varies", *cells, "--vary", f"{option}={values}", "--vary-rows",
                       "seed=1,2", "--out", "g.png")
        sheet = picture(suite.path("g.png"))
        for value in values.split(";"):
            suite.succeeds(value, *cells, f"--{option}={value}", "--seed", 2, "--out", "one.png")
            found = find(sheet, picture(suite.path("one.png")))
            suite.check(len(found) == 1, f"--{option} {value} as alone", found)
    box = ["gas", "--preset", "plain", "--headless", "--size", "8x8x8", "--particles", 900,
           "--frames", 12, "--view", "points", "--output-size", "51x43", "--overwrite"]
    suite.succeeds("spins vary", *box, "--vary", "spin=0.5,-7", "--vary-rows", "seed=1,2", "--out",
                   "g.png")
    suite.succeeds("one of them", *box, "--spin", -7, "--seed", 2, "--out", "one.png")
    suite.check(len(find(picture(suite.path("g.png")), picture(suite.path("one.png")))) == 1,
                "a box turns as alone in a cell that shares its steps")
    suite.succeeds("fields of several sizes", *run, "--vary", "size=30x30,41x23", "--output-size",
                   "24x24", "--out", "g.png")
    suite.succeeds("one of them", *run, "--size", "41x23", "--output-size", "24x24", "--out",
                   "one.png")
    suite.check(len(find(picture(suite.path("g.png")), picture(suite.path("one.png")))) == 1,
                "pictures of one size are enough")
    suite.fails("a hole in a video", USAGE, ["--background transparent", "video"], *run, "--size",
                "40x24", "--vary", "background=none,transparent", "--out", "v.mp4")


def test_grid_scenes(suite):
    first = ["--headless", "--size", "32x24", "--agents", 60, "--decay", "0.3", "--frames", 4,
             "--vary", "preset=silk,dots", "--vary-rows", "gamma=0.4..0.8", "--grid", "2x3"]
    one = grid_digests(suite, *first, "--out", "a.png", "--save-scene", "s.json")
    scene = json.loads(suite.read("s.json"))
    suite.check(scene["vary"] == "preset=silk,dots" and scene["vary-rows"] == "gamma=0.4..0.8" and
                scene["grid"] == "2x3" and scene["decay"] == 0.3 and "sensor-angle" not in scene,
                "a scene has what was given, not what presets set", scene)
    two = grid_digests(suite, "--headless", "--scene", "s.json", "--out", "b.png", "--save-scene",
                       "t.json")
    suite.check(one == two and suite.read("a.png") == suite.read("b.png"), "a scene repeats it")
    suite.check(suite.read("s.json") == suite.read("t.json"), "and so does the scene of the scene")
    plain = grid_digests(suite, *SMALL, "--sensor-angle", 40, "--vary", "decay=0.1,0.2", "--frames",
                         3, "--out", "a.png", "--collage", "2x1", "--save-scene", "u.json")
    again = grid_digests(suite, "--headless", "--scene", "u.json", "--out", "c.png")
    suite.check(plain == again and suite.read("a.png") == suite.read("c.png"),
                "other options too, and a collage")
    # turn-angle depends on the varied option, also in the scene's cells.
    plain = grid_digests(suite, *SMALL, "--vary", "sensor-angle=20,70", "--frames", 30, "--out",
                         "d.png", "--save-scene", "v.json")
    again = grid_digests(suite, "--headless", "--scene", "v.json", "--out", "e.png")
    suite.check(plain == again and len(set(plain[0])) == 2 and
                json.loads(suite.read("v.json"))["turn-angle"] == "sensor-angle",
                "what follows a varied option does so in the scene", plain, again)
    other = grid_digests(suite, "--headless", "--scene", "u.json", "--vary", "preset=net,foam",
                         "--out", "none")
    alone = suite.state("--headless", "--size", "32x24", "--preset", "net", "--frames", 3)
    suite.check(other[1] == ["net", "foam"] and other[0][0] == alone,
                "--vary preset wins over a scene, as --preset does", other)
    suite.write("w.json", json.dumps({"vary": "preset=net,foam", "grid": 3}))
    suite.fails("a grid that is none in a scene", USAGE, ["grid '3'", "COLSxROWS"],
                "--headless", "--scene", "w.json")


def test_grid_refused(suite):
    small = [*SMALL, "--steps", 2, "--out", "none"]
    for name, words, arguments in [
            ("a grid of nothing", ["--grid", "--vary"], ["--grid", "2x2"]),
            ("too few values", ["2x2 has 4 cells", "2 values"],
             ["--grid", "2x2", "--vary", "decay=0.1,0.2"]),
            ("too many values", ["1x1 has 1 cell,"], ["--grid", "1x1", "--vary", "decay=0.1,0.2"]),
            ("no size", ["--grid '4'", "COLSxROWS"], ["--grid", "4", "--vary", "seed=1,2,3,4"]),
            ("an unknown option", ["'decai'", "did you mean 'decay'"], ["--vary", "decai=1,2"]),
            ("the tool's option", ["'out' is none"], ["--vary", "out=a.png,b.png"]),
            ("a wrong value", ["decay takes numbers", "'x'"], ["--vary", "decay=0.1,x"]),
            ("a wrong range", ["decay must be from 0 to 1, not 2"],
             ["--vary", "decay=0.1..2", "--grid", "2x1"]),
            ("a range without a grid", ["range", "--grid"], ["--vary", "decay=0.1..0.2"]),
            ("given and varied", ["--agents", "exclude"], ["--vary", "agents=10,20"]),
            ("--save-state", ["--save-state", "--vary"],
             ["--vary", "decay=0.1,0.2", "--save-state", "s.npz"])]:
        suite.fails(name, USAGE, words, *small, *arguments)
    unstable = ["gray-scott", "--headless", "--size", "16x16", "--steps", 1, "--out", "none",
                "--du", 1, "--dv", 0.5]
    suite.fails("an unstable cell", USAGE, ["--dt 0.5 is unstable"], *unstable, "--vary",
                "dt=0.1,0.5")
    suite.succeeds("stable cells of settings that are not", *unstable, "--vary", "dt=0.1,0.2")
    suite.fails("different sizes", USAGE, ["one size", "8x8", "9x8"], "--headless", "--agents", 5,
                "--vary", "size=8x8,9x8", "--steps", 1, "--out", "none")
    suite.fails("an unknown preset", USAGE, ["wurms", "worms"], "--headless", "--vary",
                "preset=net,wurms", "--out", "none")
    suite.fails("--preset and --vary preset", USAGE, ["--preset", "exclude"], *small, "--vary",
                "preset=net,silk")
    suite.fails("--steps with different speeds", USAGE, ["--steps", "--frames"], "--headless",
                "--size", "32x24", "--vary", "preset=net,dots", "--steps", 5, "--out", "none")
    # SwiftShader has 2 GiB on every machine.
    suite.fails("cells beyond memory", USAGE,
                ["the 30 cells need 4.7 GiB in all", "SwiftShader", "smaller --size or fewer"],
                "--headless", "--size", "2896x2896", "--agents", 9, "--grid", "6x5", "--vary",
                "seed=1..30", "--steps", 1, "--out", "none", env=suite.environment("swiftshader"))
    suite.write("map.csv", "\n".join(f"{i},{i},{i}" for i in range(256)))
    suite.fails("a cell's own file", USAGE, ["--save-scene 'map.csv'", "reads from"], *small,
                "--vary", "colormap=gold,map.csv", "--save-scene", "map.csv", "--overwrite")
    suite.check(suite.read("map.csv").startswith(b"0,0,0"), "it is untouched")
    suite.fails("pictures beyond a buffer", USAGE, ["'cells'", "128 MiB"], "--headless", "--size",
                "4096x2048", "--agents", 9, "--vary", "colormap=grey,gold,ember,abyss,ink",
                "--steps", 1, "--out", "none", "--quiet")
    suite.check(not suite.left_over(), "nothing is left behind", suite.left_over())


def test_collage(suite):
    run = [*SMALL, "--size", "45x31", "--frames", 31, "--steps-per-frame", 50]
    suite.succeeds("stills", *run, "--out", "s%02d.png")
    suite.succeeds("a contact sheet", *run, "--collage", "4x2", "--out", "c.png")
    sheet = picture(suite.path("c.png"))
    expected = [0, 4, 9, 13, 17, 21, 26, 30]
    places = []
    for frame in expected[1:]:
        found = find(sheet, picture(suite.path(f"s{frame:02}.png")))
        suite.check(len(found) == 1, f"frame {frame} is on it", found)
        places += found
        if found:
            x, y = found[0]
            suite.check(lettered(sheet, x, y + 31, x + 45, y + 31 + 14) > 20, "and captioned")
    suite.check(places == sorted(places, key=lambda place: (place[1], place[0])),
                "in reading order", places)
    status, _, err = suite.run(*run, "--collage", "4x2", "--out", "v.mp4")
    suite.check(status == OK and "wrote v.mp4 (31 frames" in err and
                "wrote v-sheet.png (8 frames" in err, "next to a video", err)
    suite.check(suite.read("v-sheet.png") == suite.read("c.png"), "the same sheet")
    suite.succeeds("on the other driver", *run, "--collage", "4x2", "--out", "d.png",
                   env=suite.environment("swiftshader"))
    suite.check(suite.read("d.png") == suite.read("c.png"), "the same bytes")
    suite.succeeds("of a grid", *SMALL, "--vary", "seed=1,2", "--frames", 3, "--collage", "2x1",
                   "--out", "g.png")
    suite.succeeds("the grid", *SMALL, "--vary", "seed=1,2", "--frames", 3, "--out", "last.png")
    suite.check(len(find(picture(suite.path("g.png")), picture(suite.path("last.png")))) == 1,
                "a grid's frames on a contact sheet")
    status, seconds, err = interrupted(suite, ["--frames", "1000000", "--collage", "2x2", "--out",
                                               "i.png"], [signal.SIGINT])
    suite.check(status == INTERRUPTED and png_size(suite.read("i.png"))[0] > 64,
                "Ctrl-C keeps what there is", status, err)
    suite.check(not suite.left_over(), "nothing is left behind", suite.left_over())


def test_collage_refused(suite):
    for name, words, arguments in [
            ("more places than frames", ["3x2 shows 6 frames", "has 5"],
             ["--collage", "3x2", "--frames", 5, "--out", "x.png"]),
            ("no file", ["--collage", "'none'"],
             ["--collage", "1x1", "--frames", 5, "--out", "none"]),
            ("standard output", ["--collage", "'-'"],
             ["--collage", "1x1", "--frames", 5, "--out", "-"]),
            ("numbered stills", ["--collage", "'x%d.png'"],
             ["--collage", "1x1", "--frames", 5, "--out", "x%d.png"]),
            ("no size", ["--collage '0x2'", "COLSxROWS"],
             ["--collage", "0x2", "--frames", 5, "--out", "x.png"])]:
        suite.fails(name, USAGE, words, *SMALL, *arguments)
    suite.fails("a window", USAGE, ["--collage", "--headless"], "--collage", "2x2")
    suite.write("c.json", json.dumps({"collage": "2x2", "frames": 4}))
    suite.fails("a scene's is left out there: only the display lacks", DEVICE, ["--headless"],
                "--scene", "c.json", env=suite.environment(SDL_VIDEODRIVER="nothing"))
    suite.succeeds("and without any output", *SMALL, "--scene", "c.json", "--out", "none")
    suite.fails("one name for two", USAGE, ["--save-scene", "--collage", "v-sheet.png"], *SMALL,
                "--collage", "1x1", "--frames", 2, "--out", "v.mp4", "--save-scene", "v-sheet.png")
    suite.write("x.png", b"mine")
    suite.write("y-sheet.png", b"mine")
    for out in ("x.png", "y.mp4"):
        suite.fails(f"{out}: the sheet exists", FILE, ["exists already", "--overwrite"], *SMALL,
                    "--collage", "2x2", "--frames", 5, "--out", out)
    suite.check(suite.read("x.png") == suite.read("y-sheet.png") == b"mine" and
                not os.path.exists(suite.path("y.mp4")), "nothing was touched")
    suite.fails("a folder that is not there", FILE, ["no/x.png"], *SMALL, "--collage", "2x2",
                "--frames", 5, "--out", "no/x.png")
    status, _, err = suite.run(*SMALL, "--collage", "2x2", "--frames", 5, "--out", "x.png",
                               "--overwrite")
    suite.check(status == OK and suite.read("x.png") != b"mine", "--overwrite replaces it", err)
    suite.check(not suite.left_over(), "nothing is left behind", suite.left_over())


# --- gas ------------------------------------------------------------------------------------------

GAS = ["gas", "--headless", "--preset", "plain"]
GAS_PARTICLES = [*GAS, "--size", "8x6x4", "--particles", 50]
GAS_GRID = [*GAS, "--method", "grid", "--size", "8x6x4"]


def test_gas_usage(suite):
    rows = [
        ("a width that is not a power of two",
         ["the width of 48 is not: choose 32 or 64, or gravity 0"], ["--size", "48x32x32"]),
        ("a height", ["the height of 3 is not: choose 2 or 4"], ["--size", "8x3x8"]),
        ("a depth", ["the depth of 1000 is not: choose 512 or 1024"], ["--size", "8x8x1000"]),
        ("a side that is too long", ["powers of two up to 2048; the width of 4096 is longer"],
         ["--size", "4096x2"]),
        ("on a grid as well", ["the width of 48 is not: choose 32 or 64"],
         ["--method", "grid", "--size", "48x32x32"]),
    ]
    for name, words, arguments in rows:
        suite.fails(f"gravity: {name}", USAGE, ["--gravity", *words], *GAS, "--gravity", 1,
                    *arguments, "--out", "none")
    rows = [
        ("cfl over a half", ["--cfl '0.51' is not", "0.01 to 0.5"], ["--cfl", 0.51]),
        ("cfl of 0", ["--cfl '0' is not"], ["--cfl", 0]),
        ("gamma of 1", ["--adiabatic-index '1' is not", "1.00098 to 3"], ["--adiabatic-index", 1]),
        ("negative gravity", ["--gravity '-1' is not", "0 to"], ["--gravity", -1]),
        ("negative conductivity", ["--conductivity '-1' is not"], ["--conductivity", -1]),
        ("dt of 0", ["--dt '0' is not"], ["--dt", 0]),
        ("fewer particles than none", ["--particles '-1' is not", "0 to 1000000000"],
         ["--particles", -1]),
        ("a method that there is not", ["--method 'sph' is not one of: particles, grid"],
         ["--method", "sph"]),
        ("a start that there is not", ["--init 'sod'", "waves, cloud, tube, blast, shear"],
         ["--init", "sod"]),
        ("a view that there is not", ["--view 'energy' is not one of: density, temperature"],
         ["--view", "energy"]),
        ("vorticity of a volume", ["--view vorticity is for two-dimensional boxes"],
         ["--size", "8x8x8", "--view", "vorticity"]),
        ("the potential of no gravity", ["--view potential", "set gravity"],
         ["--view", "potential"]),
        ("an explosion in too small a place", ["--energy 1e+06", "choose a larger radius"],
         ["--init", "blast", "--energy", 1e6, "--radius", 0.001]),
        ("an axis of a flat box", ["--axis 'x' requires a volume"],
         ["--size", "8x8", "--axis", "x"]),
        ("a slice of a flat box", ["--slice '0.5' requires a volume"],
         ["--size", "8x8", "--slice", 0.5]),
        ("four sizes", ["--size '8x8x8x8' is not"], ["--size", "8x8x8x8"]),
        ("more cells than can be", ["--size 4096x4096x4096", "4294967295 cells"],
         ["--method", "grid", "--size", "4096x4096x4096"]),
        ("more nodes than particles can have", ["--method particles takes at most", "2147483648"],
         ["--size", "2048x1024x1024", "--particles", 1]),
        ("a grid that does not fit", ["need", "iB", "llvmpipe", "smaller --size"],
         ["--method", "grid", "--size", "1600x1600x1600"]),
        ("particles that do not fit", ["need", "iB", "llvmpipe", "fewer items"],
         ["--size", "8x8x8", "--particles", "1e9"]),
    ]
    for name, words, arguments in rows:
        suite.fails(name, USAGE, words, *GAS, *arguments, "--out", "none")
    # A plane is its own projection.
    flat = [*GAS, "--size", "64x32", "--particles", 500, "--steps", 3]
    suite.succeeds("a projection of a flat box", *flat, "--project", "column", "--out", "a.png")
    suite.succeeds("none", *flat, "--out", "b.png")
    suite.check(suite.read("a.png") == suite.read("b.png"), "--project of a plane does nothing")
    for preset in ("default", "tube"):
        suite.succeeds(f"preset {preset} of a flat box", "gas", "--headless", "--preset", preset,
                       "--size", "64x32", "--steps", 1, "--out", f"{preset}.png")


def test_gas_runs(suite):
    for kind in (GAS_PARTICLES, GAS_GRID):
        name = "grid" if "grid" in kind else "particles"
        run = [*kind, "--frames", 5, "--steps-per-frame", 3, "--out", "none"]
        suite.succeeds(f"{name}: --watch", *run, "--watch", f"{name}.csv")
        columns, rows = table(suite.read(f"{name}.csv"))
        times = [row[3] for row in rows]
        energies = ["kinetic", "heat", "oscillators", "potential", "energy"]
        suite.check(columns == ["frame", "step", "status", "time", "dt", *energies] and
                    [row[1] for row in rows] == [0, 3, 6, 9, 12] and times[0] == 0 and
                    all(a < b <= a + 3 * 0.015 for a, b in zip(times, times[1:])) and
                    all(time * 2 ** 40 == int(time * 2 ** 40) for time in times) and
                    rows[0][4] == 0 and all(0 < row[4] <= 0.015 for row in rows[1:]),
                    f"{name}: time is a sum of whole units", columns, rows)
        suite.check(rows[-1][5] > 0 and all(row[6] > 0 and row[7] == 0 == row[8] and
                        math.isclose(row[9], row[5] + row[6], rel_tol=1e-6) and
                        math.isclose(row[9], rows[0][9], rel_tol=2e-6) for row in rows),
                    f"{name}: energy is conserved", rows)
        suite.fails(f"{name}: a table that is there", FILE, [f"'{name}.csv'", "--overwrite"], *run,
                    "--watch", f"{name}.csv")
        # N + M steps, and the time of a loaded state.
        whole = suite.state(*kind, "--steps", 12)
        suite.succeeds(f"{name}: save", *kind, "--steps", 7, "--out", "none", "--save-state",
                       f"{name}.npz")
        suite.check(suite.state("--headless", "--steps", 5, "--load-state", f"{name}.npz") == whole,
                    f"{name}: a saved run goes on")
        suite.succeeds(f"{name}: a loaded table", "--headless", "--load-state", f"{name}.npz",
                       "--frames", 1, "--out", "none", "--watch", f"{name}-loaded.csv")
        members = npz_members(suite.path(f"{name}.npz"))
        clock = struct.unpack("<Q", members["clockwork.npy"][-64:-56])
        loaded = table(suite.read(f"{name}-loaded.csv"))[1]
        suite.check(loaded[0][1:4] == [7, 0, clock[0] / 2 ** 40],
                    f"{name}: the time of a loaded state", suite.read(f"{name}-loaded.csv"), clock)
        for driver in ("lavapipe", "swiftshader"):
            status, out, err = suite.run(*kind, "--steps", 6, "--conductivity", 0.1, "--out",
                                         "v.png", "--overwrite", "--quiet", "--digest",
                                         "--validate", env=suite.environment(driver))
            suite.check(status == OK and not err and "digest" in out,
                        f"{name}: --validate is silent on {driver}", status, err)
    # Time steps of 0: the first one fails with a message, and nothing is saved.
    for name, arguments in (
            ("grid", ["--method", "grid", "--init", "tube", "--size", "16384x1", "--speed", 1e6,
                      "--cfl", 0.01]),
            ("particles", ["--init", "cloud", "--size", "65536x2", "--particles", 1000, "--mach",
                           1000, "--temperature", 1e9, "--radius", 0.5])):
        suite.fails(f"{name}: a time step of 0", STOPPED, ["the time step has become 0"], *GAS,
                    *arguments, "--steps", 20, "--out", "none", "--save-state", "never.npz")
        suite.check(not os.path.exists(suite.path("never.npz")) and not suite.left_over(),
                    f"{name}: no state is left")


def test_gas_states(suite):
    suite.succeeds("particles", *GAS_PARTICLES, "--steps", 2, "--out", "none", "--save-state",
                   "p.npz")
    suite.succeeds("a grid", *GAS_GRID, "--steps", 2, "--out", "none", "--save-state", "g.npz")
    particles = npz_members(suite.path("p.npz"))
    grid = npz_members(suite.path("g.npz"))
    fields = "clockwork frequency heat mass oscillator vx vy vz x y z".split()
    suite.check(sorted(particles) == sorted([*(f"{name}.npy" for name in fields), "vksim.json"]),
                "what particles save", sorted(particles))
    suite.check(sorted(grid) == ["clockwork.npy", "density.npy", "energy.npy", "internal.npy",
                                 "momentum_x.npy", "momentum_y.npy", "momentum_z.npy",
                                 "vksim.json"], "what a grid saves", sorted(grid))
    suite.check(b"'shape': (4, 6, 8)" in grid["density.npy"] and
                b"'shape': (50,)" in particles["z.npy"] and b"<u4" in particles["z.npy"] and
                b"'shape': (16,)" in grid["clockwork.npy"], "shapes and types")

    def fails(name, words, base=particles, arguments=(), header=True, **changed):
        path = re.sub(r"\W+", "-", name) + ".npz"
        members = {**base, **{f"{key}.npy": value for key, value in changed.items()}}
        npz(suite.path(path), {key: value for key, value in members.items()
                               if value is not None and (header or key != "vksim.json")})
        suite.fails(f"gas state: {name}", FILE, [f"'{path}'", *words], "gas", "--headless",
                    *arguments, "--steps", 1, "--out", "none", "--load-state", path)

    def column(value, at=7, count=50, code="f", rest=0.5):
        values = [rest] * count
        values[at] = value
        return npy(f"<{'f4' if code == 'f' else 'f8'}", (count,), floats(values, code))

    def cells(value, at=11):
        values = [1.0] * 192
        values[at] = value
        return npy("<f4", (4, 6, 8), floats(values))

    nan, inf = float("nan"), float("inf")
    for value in (nan, inf, -inf, 1.1e9):
        fails(f"a velocity of {value}", ["'vy': element 7 is", "-2^30 to 2^30"], vy=column(value))
        fails(f"a density of {value}", ["'density': element 11 is", "0 to 2^30"], grid,
              density=cells(value))
    for value in (nan, inf, -0.5, 1.1e9):
        for name in ("heat", "oscillator", "frequency"):
            fails(f"{name} of {value}", [f"'{name}': element 7 is", "0 to 2^30"],
                  **{name: column(value)})
        fails(f"energy of {value}", ["'energy': element 11 is", "0 to 2^30"], grid,
              energy=cells(value))
    for value in (nan, inf, 0, 1e-40, -0.5, 1.1e9):
        fails(f"a mass of {value}", ["'mass': element 7 is", "2^-60 to 2^30"], mass=column(value))
    fails("a negative density", ["'density': element 11 is -1; it must be 0 to 2^30"], grid,
          density=cells(-1))
    fails("a momentum of NaN", ["'momentum_x': element 11 is"], grid, momentum_x=cells(nan))
    fails("a double beyond float32", ["'heat': element 7 is 1e+300"],
          heat=column(1e300, code="d"))
    for value in (nan, inf):
        fails(f"a place of {value}", ["'x': element 7 is not a finite number"], x=column(value))
    fails("masses for others", ["has shape", "this run needs"], mass=column(1.0, count=40))
    fails("places of two numbers", ["'y'", "shape"], y=npy("<u4", (50, 2), bytes(400)))
    fails("a density of one axis", ["'density' has shape 192, this run needs 4 x 6 x 8"], grid,
          density=npy("<f4", (192,), floats([1.0] * 192)))
    fails("energies of a smaller box", ["shape"], grid,
          energy=npy("<f4", (4, 6, 7), floats([1.0] * 168)))
    fails("integers for a mass", ["'mass' has elements of a type it cannot have"],
          mass=npy("<u4", (50,), bytes(200)))
    fails("signed places", ["'z'"], z=npy("<i4", (50,), bytes(200)))
    fails("a field is missing", ["lacks the field 'heat'"], heat=None)
    fails("a clockwork of floats", ["'clockwork' has elements of a type"],
          clockwork=npy("<f4", (16,), bytes(64)))
    fails("a clockwork of four words", ["'clockwork' has shape 4, this run needs 16"],
          clockwork=npy("<u4", (4,), bytes(16)))
    # A state of the other method.
    fails("of particles, for a grid",
          ["holds a state of method particles, and this run has method grid"],
          arguments=["--method", "grid"])
    fails("of a grid, for particles",
          ["holds a state of method grid, and this run has method particles"], grid,
          arguments=["--method", "particles"])
    fails("of a grid without a header, for particles",
          ["holds a state of method grid, and this run has method particles"], grid,
          arguments=["--preset", "plain", "--method", "particles"], header=False)
    # Invalid units.
    words = list(struct.unpack("<16I", particles["clockwork.npy"][-64:]))
    float_bits = lambda value: struct.unpack("<I", struct.pack("<f", value))[0]
    for name, word, value in (
            ("mass in other units", 4, words[4] + 1), ("a large exponent of energy", 5, 127),
            ("a small exponent of energy", 5, 2 ** 32 - 85), ("an exponent of momentum", 6, 1000),
            ("mass of NaN", 7, float_bits(nan)), ("no mass", 7, 0),
            ("another mass", 7, float_bits(3.0)), ("negative energy", 9, 2 ** 31),
            ("another mean", 3, float_bits(7.0))):
        fails(f"clockwork: {name}", ["'clockwork': words 3 to 9 are not the units of particles"],
              clockwork=npy("<u4", (16,), struct.pack("<16I", *words[:word], value,
                                                      *words[word + 1:])))
    for name, value in (("NaN", nan), ("infinity", inf), ("-1", -1.0), ("2000", 2000.0)):
        for base in (particles, grid):
            fails(f"clockwork: dt of {name}", ["'clockwork': word 2, the last dt, is"], base,
                  clockwork=npy("<u4", (16,), struct.pack("<16I", 0, 0, float_bits(value),
                                                          *[0] * 13)))
    for name, value in (("NaN", nan), ("a negative number", -1.0), ("1e-30", 1e-30)):
        fails(f"clockwork: mean of {name}", ["'clockwork': word 3, the mean density, is"], grid,
              clockwork=npy("<u4", (16,), struct.pack("<16I", 0, 0, 0, float_bits(value),
                                                      *[0] * 12)))
    fails("particles in another box", ["'clockwork'", "leave 'clockwork' out"],
          arguments=["--size", "16x16x16"])
    # Hand-made files without the clockwork, the header or the method.
    for name, base, keeps in (("particles", particles, ["--size", "8x6x4"]), ("grid", grid, [])):
        bare = {key: value for key, value in base.items()
                if key not in ("clockwork.npy", "vksim.json")}
        npz(suite.path(f"{name}-bare.npz"), bare)
        suite.succeeds(f"{name} without clockwork and header", "gas", "--headless", "--preset",
                       "plain", *keeps, "--load-state", f"{name}-bare.npz", "--steps", 3, "--out",
                       "none", "--save-state", f"{name}-back.npz")
        header = json.loads(npz_members(suite.path(f"{name}-back.npz"))["vksim.json"])
        suite.check(header["options"]["method"] == name and header["options"]["size"] == "8x6x4" and
                    header["steps"] == 3, f"{name}: the arrays say the method and the size", header)
    # Reordered, with the clockwork: the same bytes in that order.
    order = [(7 * i + 3) % 50 for i in range(50)]

    def mixed(data):
        if not re.search(rb"'shape': \(50,\)", data):
            return data
        rows = [data[-200:][4 * i:4 * i + 4] for i in order]
        return data[:-200] + b"".join(rows)
    npz(suite.path("mixed.npz"), {key: mixed(value) if key.endswith(".npy") else value
                                  for key, value in particles.items()})
    for source in ("p", "mixed"):
        suite.succeeds(f"{source} goes on", "--headless", "--load-state", f"{source}.npz",
                       "--steps", 5, "--out", "none", "--save-state", f"{source}-end.npz")
    end, mixed_end = (npz_members(suite.path(f"{name}-end.npz")) for name in ("p", "mixed"))
    suite.check(all(mixed(value) == mixed_end[key] for key, value in end.items()
                    if key.endswith(".npy")), "another order of the particles")


def test_gas_nonsense(suite):
    """A damaged state file is either refused or runs."""
    for kind in (GAS_PARTICLES, GAS_GRID):
        suite.succeeds("a state", *kind, "--steps", 2, "--out", "none", "--save-state", "seed.npz",
                       "--overwrite")
        members = npz_members(suite.path("seed.npz"))
        names = sorted(name for name in members if name.endswith(".npy"))
        random, wrong, taken = 12345, [], 0

        def below(limit):
            nonlocal random
            random = (random * 6364136223846793005 + 1442695040888963407) % 2 ** 64
            return (random >> 33) % limit
        for index in range(40):
            changed = dict(members)
            for _ in range(1 + below(3)):
                name = names[below(len(names))]
                data = bytearray(changed[name])
                action = below(6)
                if action == 0:  # in the data
                    at = len(data) - 4 * (1 + below(min(40, (len(data) - 128) // 4)))
                    data[at:at + 4] = struct.pack("<I", (0x7fc00000, 0x7f800000, 1, 0xbf800000,
                                                         0x4e800001, below(2 ** 31))[below(6)])
                elif action == 1:  # in the header
                    data[10 + below(100)] ^= 1 << below(8)
                elif action == 2:  # another type
                    data = bytearray(bytes(data).replace(b"<f4", (b"<u4", b"<i4", b"<f2", b">f4",
                                                                 b"<c8")[below(5)], 1))
                elif action == 3:  # a part is missing
                    data = data[:len(data) - 1 - below(len(data) - 1)]
                elif action == 4:  # bytes of another kind
                    data[-len(data) // 3:] = bytes(below(256) for _ in data[-len(data) // 3:])
                else:
                    data = bytearray(members[names[below(len(names))]])
                changed[name] = bytes(data)
            if below(3) == 0:
                del changed["vksim.json"]
            npz(suite.path("n.npz"), changed)
            status, _, err = suite.run("gas", "--headless", "--load-state", "n.npz", "--steps", 3,
                                       "--out", "none", *(["--validate"] if index % 8 == 0 else []))
            taken += status == OK
            if (status not in (OK, FILE, USAGE, STOPPED) or
                    (status != OK and len(err.splitlines()[-1]) < 30)):
                wrong.append((index, status, err))
        suite.check(not wrong and 0 < taken < 40, f"{taken} of 40 damaged states run", wrong)


# --- the program ----------------------------------------------------------------------------------

def main(tests, groups):
    """Runs the tests among these names; `groups` has the names of each group."""
    if len(sys.argv) < 2:
        print(f"usage: {sys.argv[0]} VKSIM [GROUP]", file=sys.stderr)
        return 2
    drivers = {}
    for driver in ("lavapipe", "swiftshader"):
        variable = f"VKSIM_TEST_{driver.upper()}_ICD"
        drivers[driver] = os.environ.get(variable, "")
        if not os.path.isfile(drivers[driver]):
            print(f"Bail out! {variable}='{drivers[driver]}' is not a file; it must be the path of "
                  "an ICD file (tools/test sets it)")
            return 1
    if not shutil.which("ffprobe"):
        print("Bail out! there is no ffprobe")
        return 1
    parts = {name[5:]: function for name, function in tests.items() if name.startswith("test_")}
    if sorted(parts) != sorted(" ".join(groups.values()).split()):
        print("Bail out! a test is in no group, or in two")
        return 1
    wanted = sys.argv[2] if len(sys.argv) > 2 else " ".join(groups)
    wanted = [part for name in wanted.split() for part in groups.get(name, name).split()]
    for part in wanted:
        print(f"# {part}", flush=True)
        with tempfile.TemporaryDirectory(prefix="vksim-cli-") as folder:
            suite = Suite(sys.argv[1], drivers, folder)
            try:
                parts[part](suite)
            except Exception:  # a test that ends early has failed
                suite.check(False, f"{part} runs to its end", traceback.format_exc())
    return end()


if __name__ == "__main__":
    sys.exit(main(globals(), GROUPS))

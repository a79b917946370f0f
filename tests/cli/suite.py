# SPDX-License-Identifier: MIT
"""Shared by test_cli_*.py, which test the command line tool: runs of it, and readers of its files.

A test is a function test_NAME(suite), run in a folder of its own. test_cli_AREA.py VKSIM [NAME...]
[--renew] [--paths | --values] runs all of its tests, or those, on Mesa lavapipe
(VKSIM_TEST_LAVAPIPE_ICD), for a few digests also on SwiftShader (VKSIM_TEST_SWIFTSHADER_ICD);
--renew writes what the tool says in runs that must fail, see messages.py; --paths leaves out what
is marked as @values, and --values all others. TAP output. Needs ffprobe.
"""

import ast
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

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from messages import Messages  # noqa: E402
from pictures import png  # noqa: E402, F401
from tap import check, end  # noqa: E402

OK, USAGE, DEVICE, FILE, GPU, VALIDATION, STOPPED, INTERNAL = 0, 2, 3, 4, 5, 6, 7, 8
INTERRUPTED = 130
# A run that ends immediately.
SMALL = ["--headless", "--preset", "plain", "--size", "32x24", "--agents", "60"]


class Suite:
    """Runs the tool and counts results."""

    def __init__(self, vksim, drivers, folder, test, messages):
        self.vksim, self.drivers, self.folder = os.path.abspath(vksim), drivers, folder
        self.test, self.messages = test, messages
        self.environments = 0

    check = staticmethod(check)

    def path(self, name):
        return os.path.join(self.folder, name)

    def environment(self, driver="lavapipe", leaks=False, **more):
        """With sanitizers, one run in four looks for leaks, which takes longer than a small run,
        or all with leaks=True."""
        env = {key: value for key, value in os.environ.items()
               if not key.startswith(("VK_", "VKSIM_", "XDG_", "SDL_"))
               and key not in ("DISPLAY", "WAYLAND_DISPLAY", "COLUMNS")}
        env.update(VK_ICD_FILENAMES=self.drivers[driver], VK_DRIVER_FILES=self.drivers[driver],
                   VKSIM_CACHE_DIR=self.path("cache"), HOME=self.folder, LC_ALL="C.UTF-8", **more)
        # HOME is new for each test, but Mesa's cache is the user's, as in all other tests: lavapipe
        # compiles slowly.
        env.setdefault("MESA_SHADER_CACHE_DIR",
                       os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"))
        self.environments += 1
        if "ASAN_OPTIONS" in env and not leaks and self.environments % 4 != 1:
            env["ASAN_OPTIONS"] += ":detect_leaks=0"
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

    def without_compiler(self):
        """Neither glslc nor a libshaderc that can be loaded."""
        os.makedirs(self.path("libraries"), exist_ok=True)
        self.write("libraries/libshaderc.so.1", b"")
        return self.environment(leaks=True) | {"PATH": "/nonexistent",
                                               "LD_LIBRARY_PATH": self.path("libraries")}

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

    def fails(self, name, status, subject, *arguments, **more):
        """The run must fail with that status and one sentence about the subject, such as an option
        or a file; messages.golden has the sentence."""
        more.setdefault("env", self.environment(leaks=True))
        got, out, err = self.run(*arguments, **more)
        # "vksim: no GPU found ..." may precede it, and a text with a caret follow.
        lines = [line for line in err.splitlines() if not line.startswith("    ")]
        last = lines[-1] if lines else ""
        sentence = last.removeprefix("vksim: ").replace(self.folder, "FOLDER")
        wrong = self.messages.check(self.test, name, sentence)
        good = (got == status and not wrong and subject in sentence and
                last.startswith("vksim: ") and not out and not last.endswith(".") and
                len(lines) <= 2)
        return self.check(good, name, f"expected {status} and '{subject}', got {got}:", err, out,
                          wrong or "")

    def refuses(self, start, files):
        """A simulation of the gas that continues from a state must refuse to load each of these
        files, {name: file}, as fails() has it of runs: many files in one process."""
        done = subprocess.run([self.module("load_states"), start, *files.values()],
                              cwd=self.folder, env=self.environment(leaks=True), check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        lines = done.stdout.decode().splitlines()
        self.check(done.returncode == 0 and len(lines) == len(files),
                   f"{len(files)} states for {start}", done)
        for (name, path), line in zip(files.items(), lines):
            status, _, sentence = line.partition(" ")
            sentence = sentence.replace(self.folder, "FOLDER")
            wrong = self.messages.check(self.test, name, sentence)
            self.check(int(status) == FILE and not wrong and path in sentence, name, line,
                       wrong or "")

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

    def read_page(self, name):
        """The JSON document of an HTML page: its one report, and its pictures, which are SVG."""
        page = self.read(name).decode()
        document = json.loads(re.search('id="data">(.*?)</script>', page, re.DOTALL)[1])
        self.check("{{" not in page and len(document["reports"]) == 1, f"{name} is filled")
        return document["reports"][0], document["pictures"][0]

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


def array(data):
    """(shape, elements as bytes) of a .npy file of float32."""
    assert data[:8] == b"\x93NUMPY\x01\x00"
    end = 10 + struct.unpack("<H", data[8:10])[0]
    head = ast.literal_eval(data[10:end].decode())
    assert head["descr"] == "<f4" and not head["fortran_order"]
    assert len(data) - end == 4 * math.prod(head["shape"])
    return head["shape"], data[end:]


# --- pictures and videos --------------------------------------------------------------------------

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


# --- what runs print ------------------------------------------------------------------------------

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


def offers(devices):
    """The optional features of the first device, from --list-devices."""
    return set(re.search(r"^   offers  (.+)$", devices, re.M)[1].split(", "))


def report(suite, *arguments):
    status, out, err = suite.run(*arguments, "--timings=json")
    if status != OK:
        raise AssertionError(f"{arguments}: status {status}: {err}")
    return json.loads(out)


def read_table(text):
    """(names of the columns, rows of numbers) of a .csv file."""
    head, *lines = text.decode().splitlines()
    return head.split(","), [[float(word) for word in line.split(",")] for line in lines]


# --- runs that are cut short ----------------------------------------------------------------------

def limit_files(size):
    """For preexec_fn: files cannot have more bytes."""
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    return limit


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

LONG = ["--headless", "--preset", "plain", "--size", "128x128", "--agents", "5000"]


def default_signals():
    """Restores the defaults of an interactive shell; a background job ignores Ctrl-C, and nohup(1)
    a terminal that closes."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


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


def interrupted_at(suite, words, *arguments):
    """Interrupts a run when a message on stderr contains the words: (status, stdout, stderr)."""
    said = ""
    with subprocess.Popen([suite.vksim, *arguments, "--verbose"], env=suite.environment(),
                          cwd=suite.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True,
                          preexec_fn=default_signals) as process:
        for line in process.stderr:
            said += line
            if words in line:
                process.send_signal(signal.SIGINT)
        return process.wait(60), process.stdout.read(), said


# --- the program ----------------------------------------------------------------------------------

def values(test):
    """Marks a test that compares the values of many runs, which take the same paths through the
    code as those of other tests: the sanitizers would find nothing new. The others run only with
    the sanitizers, because a second build would find nothing new."""
    test.of_values = True
    return test


def main(tests):
    """Runs the tests among these globals, or only those that the command line names."""
    flags = ("--renew", "--paths", "--values")
    renew, paths, only_values = (flag in sys.argv for flag in flags)
    arguments = [word for word in sys.argv[1:] if word not in flags]
    if not arguments:
        print(f"usage: {sys.argv[0]} VKSIM [NAME...] [--renew] [--paths | --values]",
              file=sys.stderr)
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
    parts = {name[5:]: function for name, function in tests.items() if name.startswith("test_")
             and not (paths if hasattr(function, "of_values") else only_values)}
    messages = Messages(os.path.basename(sys.argv[0])[5:-3], renew)
    for part in arguments[1:] or parts:
        before = os.times()
        with tempfile.TemporaryDirectory(prefix="vksim-cli-") as folder:
            suite = Suite(arguments[0], drivers, folder, part, messages)
            try:
                parts[part](suite)
            except Exception:  # a test that ends early has failed
                suite.check(False, f"{part} runs to its end", traceback.format_exc())
        spent = sum(os.times()[:4]) - sum(before[:4])
        print(f"# {part}: {spent:.1f} s of processor time", flush=True)
    messages.end(arguments[1:] or parts, check)
    return end()

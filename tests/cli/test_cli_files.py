#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_cli_files.py VKSIM [NAME...]: states that are loaded, libraries, files that are replaced,
untrusted text. See suite.py."""

import json
import os
import re
import signal
import stat
import struct
import subprocess
import sys
import time

sys.dont_write_bytecode = True
from suite import (DEVICE, FILE, INTERRUPTED, LONG, OK, SMALL, STOPPED, USAGE,  # noqa: E402
                   default_signals, floats, interrupted, limit_files, main, npy, npz, npz_members,
                   on_terminal, png, probe)


# --- states ---------------------------------------------------------------------------------------

def state(suite, name, height, width, positions, trail=None):
    count = len(positions)
    flat = [number for place in positions for number in place]
    npz(suite.path(name), {
        "trail": npy("<f4", (height, width), bytes(4 * height * width)) if trail is None else trail,
        "position": npy("<f8", (count, 2), floats(flat, "d")),
        "heading": npy("<f8", (count,), floats([0.0] * count, "d"))})


def test_positions(suite):
    """Positions next to an edge: they took seconds to load and went to the wrong cell."""
    height, width = 240, 320
    places = [(-1e-9 if k % 2 else height - 1e-13, width - 1e-7) for k in range(2000)]
    state(suite, "edge.npz", height, width, places)
    begun = time.monotonic()
    suite.succeeds("two thousand positions next to a side", "--headless", "--load-state",
                   "edge.npz", "--steps", 0, "--out", "none", "--save-state", "back.npz")
    suite.check(time.monotonic() - begun < 5, "take no time", time.monotonic() - begun)
    back = struct.unpack("<4000I", npz_members(suite.path("back.npz"))["position.npy"][-16000:])
    cells = {(y * height >> 32, x * width >> 32) for y, x in zip(back[::2], back[1::2])}
    suite.check(cells == {(0, width - 1)}, "are in the right cells", cells)


def test_single_numbers(suite):
    state(suite, "one.npz", 24, 32, [(1.0, 2.0)], trail=npy("<f4", (), floats([0.5])))
    suite.fails("a trail that is one number", FILE, "one.npz", "--headless", "--load-state",
                "one.npz", "--size", "32x24", "--out", "none")


def test_named_by_state(suite):
    suite.write("map.csv", "".join(f"{k},{k},{k}\n" for k in range(256)))
    suite.write("back.png", png(32, 24, [bytes(96)] * 24))
    for name, option, value in (("map.csv", "--colormap", "map.csv"),
                                ("back.png", "--background", "back.png")):
        suite.succeeds(f"a state with {option}", *SMALL, "--steps", 0, "--out", "none", option,
                       value, "--save-state", "named.npz", "--overwrite")
        os.remove(suite.path(name))
        suite.fails(f"without {name}", FILE, f"cannot read '{name}'", "--headless", "--load-state",
                    "named.npz", "--steps", 0, "--out", "none.png")


# --- libraries that are loaded when first used ----------------------------------------------------

def loaded(suite, *arguments):
    """The names of the libraries that a run loads."""
    status, out, err = suite.run(*arguments, env=suite.environment(LD_DEBUG="files"))
    if status != OK:
        raise AssertionError(f"{arguments}: status {status}: {err}{out}")
    return set(re.findall(r"calling init: \S*/(\S+)", err))


def noted(suite, feature):
    """The libraries of a feature in the notes for packagers."""
    with open(suite.vksim, "rb") as file:
        texts = re.findall(rb'\[\{"feature":"[^\0]*', file.read())
    notes = [note for text in texts for note in json.loads(text)]
    return {name for note in notes if note["feature"] == feature for name in note["soname"]}


def test_libraries(suite):
    video, window = noted(suite, "video"), noted(suite, "window")
    suite.check(len(video) == 3 and len(window) == 1 and
                noted(suite, "vulkan") == {"libvulkan.so.1"},
                "the notes name libav, SDL and Vulkan", video, window)
    names = loaded(suite, *SMALL, "--frames", 1, "--out", "one.png")
    suite.check("libvulkan.so.1" in names and not names & (video | window),
                "a picture needs neither libav nor SDL", names)
    names = loaded(suite, *SMALL, "--frames", 1, "--out", "one.mp4")
    suite.check(names >= video and not names & window, "a video needs libav, not SDL", names)
    os.mkdir(suite.path("libraries"))
    path = {"LD_LIBRARY_PATH": suite.path("libraries")}
    for name in video | window:
        suite.write(f"libraries/{name}", "")
    for name in ("none.mp4", "none.gif"):
        suite.fails(f"{name} without libav", FILE, f"'{name}'", *SMALL, "--frames", 1, "--out",
                    name, env=suite.environment(**path))
    suite.fails("a window without SDL", DEVICE, "--headless", "--preset", "plain",
                env=suite.environment(**path))
    suite.write("empty.c", "")
    for name in video | window:
        subprocess.run(["cc", "-shared", "-o", suite.path(f"libraries/{name}"),
                        suite.path("empty.c")], check=True)
    suite.fails("another libav", FILE, "none.mp4", *SMALL, "--frames", 1, "--out", "none.mp4",
                env=suite.environment(**path))
    suite.fails("another SDL", DEVICE, "--headless", "--preset", "plain",
                env=suite.environment(**path))
    suite.check(not suite.left_over() and not os.path.exists(suite.path("none.mp4")),
                "no file is left", suite.left_over())


# --- files that are replaced ----------------------------------------------------------------------

def test_partial_results(suite):
    """The partial result of a run that ended early does not replace a file."""
    endless = ["--frames", "1000000", "--overwrite"]
    for name in ("p.mp4", "p.webm", "p.gif", "p.y4m", "p.npy", "p.png"):
        partial = name.replace(".", ".partial.")
        suite.write(name, "precious")
        status, _, err = interrupted(suite, [*endless, "--out", name], [signal.SIGINT], after=2.0)
        suite.check(status == INTERRUPTED and suite.read(name) == b"precious",
                    f"{name}: the old file is kept", status, err)
        suite.check(f"'{name}' is kept, and the partial result is written to '{partial}'" in err and
                    f"wrote {partial} (" in err and os.path.getsize(suite.path(partial)) > 100,
                    "the new one is next to it", err, os.listdir(suite.folder))
    said, stream = probe(suite.path("p.partial.mp4"))
    suite.check(not said and int(stream["nb_read_frames"]) > 1, "and plays", said, stream)
    # Without an older file there is nothing to keep.
    status, _, err = interrupted(suite, [*endless, "--out", "new.mp4"], [signal.SIGINT])
    suite.check(status == INTERRUPTED and os.path.exists(suite.path("new.mp4")) and
                "partial" not in err, "a new name is used as it is", err)
    # Tables, sheets, posters and states.
    for name in ("t.csv", "v-sheet.png", "v.png", "s.npz"):
        suite.write(name, "precious")
    status, _, err = interrupted(
        suite, [*endless, "--out", "v.y4m", "--watch", "t.csv", "--collage", "2x2", "--poster",
                "--save-state", "s.npz"], [signal.SIGINT])
    kept = [name for name in ("t.csv", "v-sheet.png", "v.png", "s.npz")
            if suite.read(name) != b"precious"]
    made = [name for name in ("t.partial.csv", "v-sheet.partial.png", "v.partial.png",
                              "s.partial.npz", "v.y4m") if not os.path.exists(suite.path(name))]
    suite.check(status == INTERRUPTED and not kept and not made, "tables and states likewise",
                status, kept, made, err)
    suite.succeeds("the partial state", "--headless", "--load-state", "s.partial.npz", "--steps", 0,
                   "--out", "none")
    # A state that continues the one that was loaded.
    suite.succeeds("a state to continue", *LONG, "--steps", 3, "--out", "none", "--save-state",
                   "c.npz")
    status, _, err = interrupted(suite, ["--steps", "1e12", "--out", "none", "--save-state",
                                         "c.npz"], [signal.SIGINT],
                                 command=["--headless", "--load-state", "c.npz"])
    header = json.loads(npz_members(suite.path("c.npz"))["vksim.json"])
    suite.check(status == INTERRUPTED and header["steps"] > 3 and
                not os.path.exists(suite.path("c.partial.npz")),
                "it may be replaced by a later one", status, header, err)
    # A run that the simulation ends.
    suite.write("g.y4m", "precious")
    status, _, err = suite.run(
        "gas", "--headless", "--preset", "plain", "--method", "grid", "--init", "tube", "--view",
        "density", "--size", "16384x2", "--speed", 1e6, "--cfl", 0.01, "--frames", 30,
        "--steps-per-frame", 1, "--out", "g.y4m", "--overwrite")
    suite.check(status == STOPPED and suite.read("g.y4m") == b"precious", "a run that failed",
                status, err)
    suite.check(not suite.left_over(), "no part file is left", suite.left_over())


def test_links(suite):
    os.mkdir(suite.path("far"))
    suite.write("far/real.png", "old")
    os.symlink("far/real.png", suite.path("link.png"))
    os.symlink("far/none.npz", suite.path("dangling.npz"))
    os.symlink("loop.png", suite.path("loop.png"))
    run = [*SMALL, "--frames", 2, "--overwrite"]
    suite.succeeds("through a link", *run, "--out", "link.png")
    suite.check(os.path.islink(suite.path("link.png")) and suite.read("far/real.png")[:4] ==
                b"\x89PNG", "the link stays", os.listdir(suite.folder))
    suite.succeeds("through a dangling link", *run, "--out", "none", "--save-state",
                   "dangling.npz")
    suite.check(os.path.islink(suite.path("dangling.npz")) and
                os.path.isfile(suite.path("far/none.npz")), "its file is made")
    suite.fails("through a loop", FILE, "loop.png", *run, "--out", "loop.png")
    os.symlink("far/two.png", suite.path("two.png"))
    status, _, err = suite.run(*run, "--out", "two.png", "--save-scene", "far/two.png")
    suite.check(status == USAGE and "can name the same file" in err,
                "a dangling link and its file are one output", err)


    os.symlink("z_0.png", suite.path("f_0.png"))
    suite.fails("a numbered picture that is a link", USAGE, "can name the same file", *run,
                "--out", "f_%d.png", "--save-scene", "z_0.png", "--overwrite")


def test_others_fail(suite):
    """The failure of one output is not that of the others."""
    run = [*SMALL, "--frames", 4, "--overwrite"]
    suite.write("old.npy", "old")
    suite.write("v.y4m", "old")
    limited = suite.limited_files()
    status, _, err = suite.run(*run, "--size", "128x128", "--out", "old.npy", "--out", "few.png",
                               env=limited, preexec_fn=limit_files(100000))
    suite.check(status == FILE and "cannot write 'old.npy'" in err and "partial" not in err and
                suite.read("old.npy") == b"old", "a failed output promises no partial file", err)
    process = subprocess.Popen([suite.vksim, *map(str, SMALL), "--size", "256x256", "--frames",
                                "800", "--out", "v.y4m", "--watch", "w.csv", "--overwrite"],
                               cwd=suite.folder, stderr=subprocess.PIPE, env=suite.environment())
    while process.poll() is None and not any("w.csv.part" in name for name in suite.left_over()):
        time.sleep(0.01)
    os.mkdir(suite.path("w.csv"))  # the table cannot be renamed to it
    err = process.communicate(timeout=60)[1].decode()
    suite.check(process.returncode == FILE and "cannot write 'w.csv'" in err and
                "partial" not in err and suite.read("v.y4m").count(b"FRAME\n") == 800,
                "a whole video stays whole", err)


def test_blocked_message(suite):
    """Nobody reads the messages: the second signal ends the process all the same."""
    reader, writer = os.pipe()
    process = subprocess.Popen([suite.vksim, *map(str, SMALL), "--frames", "1000000", "--out",
                                "long.y4m"], cwd=suite.folder, stderr=writer,
                               env=suite.environment(), preexec_fn=default_signals)
    while process.poll() is None and not suite.left_over():
        time.sleep(0.01)
    time.sleep(0.2)  # the messages of the start
    # A description of its own, so that only these writes do not wait.
    with open(f"/proc/self/fd/{writer}", "wb", buffering=0,
              opener=lambda path, flags: os.open(path, flags | os.O_NONBLOCK)) as full:
        while full.write(b"x" * 1024):
            pass
    process.send_signal(signal.SIGSTOP)  # both signals arrive before the run can end by itself
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGCONT)
    time.sleep(0.3)  # in quick succession they would count once
    process.send_signal(signal.SIGTERM)
    try:
        status = process.wait(timeout=20)
    except subprocess.TimeoutExpired:
        process.kill()
        status = process.wait()
    os.close(reader)
    os.close(writer)
    suite.check(status == INTERRUPTED and not suite.left_over(), "ends at once", status,
                suite.left_over())


def test_modes(suite):
    for mode in (0o600, 0o444, 0o640):
        suite.write("mode.png", "old")
        os.chmod(suite.path("mode.png"), mode)
        suite.succeeds(f"over a file of mode {mode:o}", *SMALL, "--frames", 2, "--overwrite",
                       "--out", "mode.png")
        now = stat.S_IMODE(os.stat(suite.path("mode.png")).st_mode)
        suite.check(now == mode and suite.read("mode.png")[:4] == b"\x89PNG", "it keeps its mode",
                    oct(now))
        os.chmod(suite.path("mode.png"), 0o600)


# Fails calls on part files: the seeks of a video's end, or the first open and fsync by EINTR. Each
# kind that failed leaves a file.
FAILING = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_part(int fd)
{
    char link[64], name[4096] = "";
    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    return readlink(link, name, sizeof(name) - 1) > 0 && strstr(name, ".part-");
}

static void note(const char *call)
{
    char name[64];
    snprintf(name, sizeof(name), "failed-%s", call);
    close(creat(name, 0600));
}

off64_t lseek64(int fd, off64_t offset, int whence)
{
    off64_t (*real)(int, off64_t, int) = (off64_t (*)(int, off64_t, int))dlsym(RTLD_NEXT,
                                                                               "lseek64");
    if (getenv("FAIL_SEEK") && is_part(fd) && whence == SEEK_SET) {
        note("lseek64");
        errno = EIO;
        return -1;
    }
    return real(fd, offset, whence);
}

int fsync(int fd)
{
    static int calls;
    if (getenv("FAIL_EINTR") && is_part(fd) && calls++ < 3) {
        note("fsync");
        errno = EINTR;
        return -1;
    }
    return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(fd);
}

int open64(const char *path, int flags, ...)
{
    static int calls;
    va_list args;
    va_start(args, flags);
    const int mode = flags & O_CREAT ? va_arg(args, int) : 0;
    va_end(args);
    if (getenv("FAIL_EINTR") && strstr(path, ".part-") && calls++ % 3 != 2) {
        note("open64");
        errno = EINTR;
        return -1;
    }
    return ((int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open64"))(path, flags, mode);
}
"""


def test_failing_calls(suite):
    def failed():
        """The kinds of calls that have failed since."""
        names = [name for name in os.listdir(suite.folder) if name.startswith("failed-")]
        for name in names:
            os.remove(suite.path(name))
        return {name[7:] for name in names}

    suite.write("failing.c", FAILING)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", suite.path("failing.so"),
                    suite.path("failing.c"), "-ldl"], check=True)
    preload = ":".join(filter(None, (os.environ.get("LD_PRELOAD"), suite.path("failing.so"))))
    suite.write("seek.mp4", "precious")
    status, _, err = suite.run(*SMALL, "--frames", 3, "--out", "seek.mp4", "--overwrite",
                               env=suite.environment(LD_PRELOAD=preload, FAIL_SEEK="1"))
    suite.check(status == FILE and "cannot write 'seek.mp4'" in err and
                suite.read("seek.mp4") == b"precious" and not suite.left_over(),
                "a failed seek is seen", status, err, suite.left_over())
    suite.check(failed() == {"lseek64"}, "it has failed")
    for name in ("i.mp4", "i.y4m", "i.png", "i_%02d.png", "i.npy"):
        suite.succeeds(f"{name}: interrupted calls are repeated", *SMALL, "--frames", 2, "--out",
                       name, "--watch", "i.csv", "--overwrite", "--save-state", "i.npz",
                       "--save-scene", "i.json",
                       env=suite.environment(LD_PRELOAD=preload, FAIL_EINTR="1"))
        calls = failed()
        suite.check(calls == {"open64", "fsync"}, f"{name}: both kinds were interrupted", calls)
    suite.check(not suite.left_over(), "nothing is left behind", suite.left_over())


# --- untrusted text -------------------------------------------------------------------------------

EVIL = "\x1b]0;title\x07\x1b[31mred\u009b2J\u202eback\nvksim: wrote all"


def test_terminal_safety(suite):
    def is_safe(text):
        return not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text)

    suite.write("evil.json", json.dumps({EVIL: 1}))
    suite.write("value.json", json.dumps({"colormap": EVIL}))
    suite.write("name.json", json.dumps({"simulation": EVIL}))
    suite.succeeds("a state", *SMALL, "--steps", 0, "--out", "none", "--save-state", "good.npz")
    members = npz_members(suite.path("good.npz"))
    header = json.loads(members["vksim.json"])
    for key, value in (("simulation", EVIL), ("options", {**header["options"], EVIL: EVIL}),
                       ("options", {**header["options"], "colormap": EVIL})):
        npz(suite.path(f"{len(os.listdir(suite.folder))}.npz"),
            {**members, "vksim.json": json.dumps({**header, key: value})})
    suite.write("caf\u00e9\x1b[2J.json", "{")
    cases = [["--scene", name] for name in ("evil.json", "value.json", "name.json",
                                            "caf\u00e9\x1b[2J.json")]
    cases += [["--load-state", name] for name in sorted(os.listdir(suite.folder))
              if name[0].isdigit()]
    for case in cases:
        status, out, err = suite.run("--headless", *case, "--steps", 0, "--out", "none")
        suite.check(status != OK and is_safe(err) and is_safe(out) and "\\x1b" in err and
                    len(err.splitlines()) <= 2, f"{case!r} is escaped", err)
    suite.check("caf\u00e9\\x1b[2J.json" in suite.run("--scene", "caf\u00e9\x1b[2J.json",
                                                    "--headless")[2], "letters are not")
    status, _, err = suite.run(*SMALL, "--frames", 1, "--out", "\x1b[31m.png")
    suite.check(status == OK and "wrote \\x1b[31m.png" in err, "a name of our own", err)
    shown = on_terminal(suite, *SMALL, "--frames", 2, "--out", "\x1b[32m.png", stream="stderr")
    suite.check(is_safe(shown.replace("\r", "")), "on a terminal", shown)
    shown = on_terminal(suite, *SMALL, "--frames", 1, "--out", "c1\u009b.png", "--timings=json")
    suite.check("c1\\u009B.png" in shown and is_safe(shown), "JSON on a terminal", shown)
    made = suite.run(*SMALL, "--frames", 2, "--out", "none", "--timings=json")[1]
    made = json.loads(made)
    made["device"]["name"] = "GPU\u009b2J"
    suite.write("report.json", json.dumps(made))
    suite.fails("a report", FILE, "device", "report", "report.json")


def test_scarce_memory(suite):
    """A state is saved the same where there is no memory for a snapshot of it."""
    run = ["gray-scott", "--headless", "--size", "512x512", "--steps", 3, "--out", "none"]
    suite.succeeds("with memory", *run, "--save-state", "wide.npz")
    small = next(heap for heap in range(1, 64)
                 if suite.run(*run, env=suite.scarce_memory(heap=heap))[0] == OK)
    suite.check(small > 4, "two fields and their other buffers need 4 MiB", small)
    suite.succeeds("without", *run, "--save-state", "narrow.npz",
                   env=suite.scarce_memory(heap=small))
    with open(suite.path("wide.npz"), "rb") as one, open(suite.path("narrow.npz"), "rb") as other:
        suite.check(one.read() == other.read(), "writes the same state")


def test_cache_folder(suite):
    env = suite.environment(XDG_CACHE_HOME="relative")
    del env["VKSIM_CACHE_DIR"]
    suite.succeeds("a relative XDG_CACHE_HOME", *SMALL, "--steps", 1, "--out", "none", env=env)
    suite.check(not os.path.exists(suite.path("relative/vksim")) and
                os.listdir(suite.path(".cache/vksim")), "is ignored", os.listdir(suite.folder))
    env["XDG_CACHE_HOME"] = suite.path("absolute")
    suite.succeeds("an absolute one", *SMALL, "--steps", 1, "--out", "none", env=env)
    suite.check(os.listdir(suite.path("absolute/vksim")), "is used")


if __name__ == "__main__":
    sys.exit(main(globals()))

# SPDX-License-Identifier: MIT
"""What is refused before a run, and what the tool does when the device, the memory or the disk
fails in the middle of one. See suite.py."""

import json
import os
import signal
import stat
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
from suite import (DEVICE, FILE, GPU, INTERRUPTED, OK, SMALL, STOPPED, USAGE,  # noqa: E402
                   interrupted_at, limit_files, main, npz, npz_members, values)

RUN = [*SMALL, "--frames", 3]

# Preloaded: links belong to another user, which takes root otherwise.
OWNER = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/stat.h>
static int changed(const char *name, const char *path, struct stat *info)
{
    int (*next)(const char *, struct stat *) =
        (int (*)(const char *, struct stat *))dlsym(RTLD_NEXT, name);
    int result = next(path, info);
    if (result == 0 && S_ISLNK(info->st_mode)) {
        info->st_uid += 1;
    }
    return result;
}
int lstat(const char *path, struct stat *info) { return changed("lstat", path, info); }
int lstat64(const char *path, struct stat64 *info)
{
    return changed("lstat64", path, (struct stat *)info);
}
"""


def test_dry_runs(suite):
    """A dry run refuses what the run refuses, and a run refuses it before it opens a device."""
    none = suite.environment()
    none.update(VK_ICD_FILENAMES="/none.json", VK_DRIVER_FILES="/none.json")
    suite.write("text.jpg", "this is no image")
    for name, status, subject, *options in (
            ("depth of an .exr", USAGE, "--depth", "--out", "a.exr", "--depth", 8),
            ("crf of a .png", USAGE, "--crf", "--out", "a.png", "--crf", 3),
            ("crf of a .mp4", USAGE, "--crf", "--out", "a.mp4", "--crf", 52),
            ("encoder of a .webm", USAGE, "--encoder", "--out", "a.webm", "--encoder", "h264"),
            ("a wide .mp4", USAGE, "a.mp4", "--out", "a.mp4", "--output-size", "16386x16"),
            ("a large .mp4", USAGE, "a.mp4", "--out", "a.mp4", "--output-size", "16384x16384"),
            ("a small .mp4", USAGE, "a.mp4", "--out", "a.mp4", "--encoder", "h265",
             "--output-size", "8x8"),
            ("a wide .gif", USAGE, "a.gif", "--out", "a.gif", "--output-size", "65536x16"),
            ("a folder that is missing", FILE, "none/a.png", "--out", "none/a.png"),
            ("a folder of stills that is missing", FILE, "none/", "--out", "none/%d.png"),
            ("a number in a video", USAGE, "%05d.mp4", "--out", "%05d.mp4"),
            ("a background that is missing", FILE, "--background", "--background", "none.png"),
            ("a start that is no image", FILE, "text.jpg", "--init", "image:text.jpg"),
            ("no RenderDoc", DEVICE, "RenderDoc", "--capture", "1:2"),
            ("a state on standard output", USAGE, "--save-state", "--save-state", "-"),
            ("a report on standard output", USAGE, "--report", "--report", "-"),
            ("a trace on standard output", USAGE, "--trace", "--trace", "-"),
            ("a scene on standard output", USAGE, "--save-scene", "--save-scene", "-"),
            ("timings on standard output", USAGE, "--timings-out", "--timings", "--timings-out",
             "-"),
            ("two states", USAGE, "--save-state", "--save-state", "a.npz", "--save-state",
             "b.npz"),
            ("a device without a driver", DEVICE, "driver", "--device", 0),
            ("a hexadecimal number", USAGE, "--decay", "--decay", "0x1p-3"),
            ("a number after a blank", USAGE, "--decay", "--decay", " 0.1")):
        out = [] if "--out" in options else ["--out", "a.png"]
        suite.fails(name, status, subject, *RUN, *out, *options, "--dry-run", env=none)
        suite.fails(f"{name}, in a run", status, subject, *RUN, *out, *options, env=none)
    suite.fails("a video of transparent pictures", USAGE, "transparent", *RUN, "--background",
                "transparent", "--out", "a.mp4", "--dry-run", env=none)
    suite.fails("feed from an image that is missing", FILE, "none.png", "gray-scott", "--headless",
                "--feed-map", "none.png", "--out", "a.png", "--dry-run", env=none)
    suite.check(not suite.left_over() and sorted(os.listdir(suite.folder)) == ["text.jpg"],
                "nothing is left", os.listdir(suite.folder))


def test_dry_states(suite):
    """A dry run reads the arrays of a state."""
    suite.succeeds("a state", "gray-scott", "--headless", "--size", "6x4", "--steps", 1, "--out",
                   "none", "--save-state", "s.npz")
    members = npz_members(suite.path("s.npz"))

    def changed(u):
        npz(suite.path("t.npz"), {name: u if name == "u.npy" else data
                                  for name, data in members.items() if u or name != "u.npy"})
        return "t.npz"

    whole = members["u.npy"]
    for name, u in (("no field", None), ("a value out of range", whole[:-4] + b"\0\0\x80\x7f")):
        suite.fails(name, FILE, "'u'", "--load-state", changed(u), "--headless", "--dry-run")
    suite.fails("another size", FILE, "6", "--load-state", "s.npz", "--size", "8x8", "--headless",
                "--dry-run")
    suite.succeeds("the state", "--load-state", "s.npz", "--headless", "--dry-run")


def test_pipes_as_files(suite):
    """A pipe that nobody writes to, in place of a file that vksim reads."""
    cache = suite.path("cache")
    run = [*SMALL, "--steps", 2, "--out", "none", "--timings"]
    suite.succeeds("files of the cache", *run)
    names = os.listdir(cache)
    suite.check(sorted(name.split("-")[0] for name in names) == ["ceilings", "pipelines"],
                "ceilings and pipelines", names)
    for name in names:
        os.remove(os.path.join(cache, name))
        os.mkfifo(os.path.join(cache, name))
    suite.succeeds("pipes as files of the cache", *run, timeout=60)
    os.mkfifo(suite.path("pipe.json"))
    suite.fails("a pipe as a report", FILE, "pipe.json", "report", "pipe.json", "pipe.json",
                timeout=20)
    table = suite.succeeds("a report", *SMALL, "--steps", 2, "--out", "none", "--timings=json")
    suite.write("a.json", "\ufeff" + table)
    suite.succeeds("a report that begins with a mark", "report", "a.json", "a.json")
    with subprocess.Popen(["cat", suite.path("a.json")], stdout=subprocess.PIPE) as cat:
        suite.succeeds("a report from standard input", "report", "/dev/stdin", "a.json",
                       stdin=cat.stdout)


def test_exr_errors(suite):
    """Writing the header, the pixels or the end of an .exr fails: the run ends with an error."""
    for limit in (0, 100, 400, 2000):
        got, _, err = suite.run(*RUN, "--out", "a.exr", env=suite.limited_files(),
                                preexec_fn=limit_files(limit), timeout=60)
        suite.check(got == FILE and "cannot write 'a.exr'" in err and not suite.left_over(),
                    f"no more than {limit} bytes", got, err)
    whole = suite.succeeds("a whole one", *RUN, "--out", "a.exr", "--overwrite") is not None
    size = os.path.getsize(suite.path("a.exr"))
    got, _, err = suite.run(*RUN, "--out", "b.exr", env=suite.limited_files(),
                            preexec_fn=limit_files(size - 1), timeout=60)
    suite.check(whole and got == FILE and "cannot write 'b.exr'" in err, "one byte too few", err)


@values  # the sanitizers replace malloc(), too
def test_exr_memory(suite):
    """Each of OpenEXR's allocations fails, and all after it."""
    env = {"LD_PRELOAD": suite.module("memory_fails.so"), "MEMORY_OF": "libOpenEXR",
           "MEMORY_STAYS": "1"}
    bad, refused = [], 0
    for call in range(1, 60):
        got, _, err = suite.run(*RUN, "--out", "a.exr", "--overwrite", timeout=60,
                                env=suite.environment(MEMORY_FAILS=str(call), **env))
        if "an allocation has failed" not in err:
            break
        refused += got != OK
        if got not in (OK, GPU, FILE) or suite.left_over():
            bad.append((call, got, err))
    suite.check(not bad and refused > 2, "memory of OpenEXR runs out", refused, *bad[:3])


@values
def test_json_memory(suite):
    """Memory runs out while a scene is made: in jansson, and for good."""
    run = ["--headless", "--dry-run", "--steps", 3, "--out", "none", "--save-scene", "s.json"]
    env = suite.environment(LD_PRELOAD=suite.module("memory_fails.so"), MEMORY_OF="libjansson",
                            MEMORY_STAYS="1")
    bad, refused = [], 0
    for call in range(1, 2000, 37):
        got, _, err = suite.run(*run, "--overwrite", env={**env, "MEMORY_FAILS": str(call)})
        if "an allocation has failed" not in err:
            break
        refused += 1
        if got != GPU or "out of memory" not in err:
            bad.append((call, got, err))
    suite.check(not bad and refused > 5, "memory of jansson runs out", refused, *bad[:3])


def test_lost_device(suite):
    """The device is lost from every third submission or wait of a run on, with each kind of output:
    the run fails, says so, and leaves no still, which would look complete. Where only its state
    could not be saved, or it ends well, because all is done by then, every other file is whole;
    those with times need not have ceilings."""
    def files():
        return {name: suite.read(name) for name in os.listdir(suite.folder)
                if name.startswith("a.")}

    plain = ["gray-scott", "--headless", "--size", "24x16", "--variant", "plain", "--frames", 2]
    outs = [word for end in ("png", "exr", "npy", "y4m", "mp4") for word in ("--out", f"a.{end}")]
    runs = {
        "frames": [*plain, *outs, "--watch", "a.csv", "--save-state", "a.npz", "--digest"],
        "times": [*plain, "--out", "none", "--report", "a.html", "--trace", "a.json", "--timings"],
        "a sheet": [*SMALL, "--frames", 2, "--vary", "seed=1,2", "--out", "a.png"],
    }
    for name, run in runs.items():
        counted = {**suite.scarce_memory(), "MEMORY_LAYER_CALLS": suite.path("calls")}
        suite.succeeds(f"{name}: whole", *run, env=counted)
        whole, bad, lost = files(), [], 0
        for call in range(1, int(suite.read("calls")) + 1, 3):
            for file in files():
                os.remove(suite.path(file))
            env = {**suite.scarce_memory(), "MEMORY_LAYER_LOST": str(call)}
            got, _, err = suite.run(*run, env=env, timeout=60)
            last = err.rstrip().splitlines()[-1] if err else ""
            there = files()
            stills = there.keys() & {"a.png", "a.exr"}
            failed = got == GPU and "VK_ERROR_DEVICE_LOST" in last and (
                not stills or all(there.get(file) == data for file, data in whole.items()
                                  if file != "a.npz"))
            ended = got == OK and (there.keys() == whole.keys() if name == "times"
                                   else there == whole)
            lost += failed
            if suite.left_over() or not (failed or ended):
                bad.append((call, got, last, sorted(there)))
        suite.check(not bad and lost > 2, f"{name}: a device that is lost", lost, *bad[:5])
        for file in files():
            os.remove(suite.path(file))


def test_short_memory(suite):
    """Memory of the device is short until work in flight has ended: a run waits for that. A dry run
    compares what it needs with what there is."""
    run = ["gray-scott", "--headless", "--size", "24x16", "--variant", "plain", "--frames", 2,
           "--out", "a.png", "--overwrite", "--save-state", "a.npz"]
    suite.succeeds("enough memory", *run)
    whole = suite.read("a.png"), suite.read("a.npz")
    for call in (1, 2, 4, 6, 8):
        env = {**suite.scarce_memory(), "MEMORY_LAYER_SHORT": str(call)}
        suite.succeeds(f"short at allocation {call}", *run, env=env)
        suite.check((suite.read("a.png"), suite.read("a.npz")) == whole, "the same files")
    large = ["gray-scott", "--headless", "--size", "4096x4096", "--out", "none", "--dry-run"]
    for heap, warned in ((64, True), (4096, False)):
        got, out, err = suite.run(*large, env=suite.scarce_memory(heap=heap))
        suite.check(got == OK and ("the run needs at least" in err) == warned and
                    " are free" in out, f"{heap} MiB for a dry run", got, out, err)


def test_hanging_device(suite):
    """The device stops working at some submission of a run: the run waits for the limit, once, says
    so, and leaves no part files. A software driver has no limit unless it is given."""
    plain = ["gray-scott", "--headless", "--size", "24x16", "--variant", "plain", "--frames", 3]
    outs = [word for end in ("png", "npy", "mp4") for word in ("--out", f"a.{end}")]
    for call in (1, 2, 4, 7):
        env = {**suite.scarce_memory(), "MEMORY_LAYER_HANGS": str(call)}
        begin = time.monotonic()
        suite.fails(f"a device that hangs, from call {call} on", GPU, "--gpu-timeout", *plain,
                    *outs, "--overwrite", "--save-state", "a.npz", "--gpu-timeout", 0.5, env=env)
        suite.check(time.monotonic() - begin < 20 and not suite.left_over(),
                    f"call {call}: it ends soon and leaves nothing", os.listdir(suite.folder))
    env = {**suite.scarce_memory(), "MEMORY_LAYER_HANGS": "4"}
    for name, arguments in (("by default", []), ("with 0", ["--gpu-timeout", 0])):
        try:
            suite.run(*plain, "--out", "none", *arguments, env=env, timeout=2)
            suite.check(False, f"{name}, it waits for a software driver")
        except subprocess.TimeoutExpired:
            suite.check(True, f"{name}, it waits for a software driver")
    suite.fails("a device with few storage buffers", DEVICE, "24 storage buffers", *plain, "--out",
                "none", env={**suite.scarce_memory(), "MEMORY_LAYER_BUFFERS": "23"})
    for text in ("-1", "x", "1e9"):
        suite.fails(f"a time of {text}", USAGE, "--gpu-timeout", *plain, "--out", "none",
                    "--gpu-timeout", text)


@values
def test_failing_memory(suite):
    """Each of the first allocations fails, and then some of the others: the run ends with the code
    of memory that ran out, or goes on without what was optional, but it never crashes."""
    for name, run in {
            "trace": [*SMALL, "--steps", 2, "--out", "none", "--trace", "a.json"],
            "report": [*SMALL, "--frames", 2, "--out", "a.png", "--report", "a.html"]}.items():
        suite.succeeds(f"{name}: the cache", *run)
        calls = [*range(1, 41), *range(60, 20000, 389 if name == "trace" else 577)]
        bad, refused = [], 0
        for call in calls:
            env = suite.environment(MEMORY_FAILS=str(call), MEMORY_STAYS="1",
                                    LD_PRELOAD=suite.module("memory_fails.so"))
            got, _, err = suite.run(*run, "--overwrite", env=env, timeout=60)
            if "an allocation has failed" not in err:
                break
            refused += got == GPU and "memory" in err
            if got not in (GPU, OK) or suite.left_over():
                bad.append((call, got, err.splitlines()[-1]))
        suite.check(not bad and refused > 30, f"{name}: memory runs out", refused, *bad[:5])


def test_planted_links(suite):
    """--overwrite follows a symbolic link, but not one that another user made where all may."""
    def link(folder, mode):
        os.mkdir(suite.path(folder))
        suite.write(f"{folder}.txt", "precious")
        os.symlink(f"../{folder}.txt", suite.path(f"{folder}/a.png"))
        os.chmod(suite.path(folder), mode)
        return [*SMALL, "--steps", 1, "--out", f"{folder}/a.png", "--overwrite"]

    everyone = stat.S_ISVTX | 0o777
    suite.write("owner.c", OWNER)
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", suite.path("owner.so"),
                    suite.path("owner.c")], check=True)
    preload = ":".join(filter(None, (os.environ.get("LD_PRELOAD"), suite.path("owner.so"))))
    other = suite.environment(LD_PRELOAD=preload)
    suite.succeeds("an own link in a shared folder", *link("own", everyone))
    suite.check(suite.read("own.txt")[1:4] == b"PNG", "it is followed")
    suite.fails("another user's link in a shared folder", FILE, "planted/a.png",
                *link("planted", everyone), env=other)
    suite.check(suite.read("planted.txt") == b"precious", "its target is as it was")
    suite.succeeds("another user's link in a folder of one's own", *link("mine", 0o755), env=other)


def test_damaged_headers(suite):
    """A message about a state's header says what is wrong with it."""
    suite.succeeds("a state", *SMALL, "--steps", 1, "--out", "none", "--save-state", "a.npz")
    arrays = npz_members(suite.path("a.npz"))
    header = json.loads(arrays["vksim.json"])

    def load(name, text):
        arrays["vksim.json"] = text if isinstance(text, bytes) else json.dumps(text).encode()
        npz(suite.path("b.npz"), arrays)
        suite.fails(name, FILE, "b.npz", "--headless", "--load-state", "b.npz", "--steps", 1,
                    "--out", "none")

    load("no JSON", b'{"format": 1,\n "steps": }')
    load("no format", {key: value for key, value in header.items() if key != "format"})
    load("steps that are a text", {**header, "steps": "4"})
    load("steps below 0", {**header, "steps": -1})
    load("no options", {**header, "options": []})
    load("another size", {**header, "options": {**header["options"], "size": "64x24"}})
    load("another number of agents", {**header, "options": {**header["options"], "agents": 61}})
    for word in ("--dry-run", "--preset=silk"):
        suite.fails(f"another number of agents, {word}", FILE, "b.npz", "--headless",
                    "--load-state", "b.npz", "--steps", 1, "--out", "none", word)


def test_failed_stills(suite):
    """A gas that fails leaves no still of its last frame, which may be the only one."""
    fails = ["gas", "--headless", "--preset", "plain", "--method", "grid", "--size", "16384x1",
             "--init", "tube", "--speed", 1000000, "--cfl", 0.01, "--out", "a.png"]
    for frames in (["--steps", 3, "--steps-per-frame", 9], ["--frames", 3], ["--frames", 2]):
        got, _, err = suite.run(*fails, *frames)
        suite.check(got == STOPPED and not os.path.exists(suite.path("a.png")) and
                    not suite.left_over(), f"no still with {frames}", got, err)


def test_interrupted_ceilings(suite):
    """Ctrl-C while ceilings are measured ends that."""
    status, _, err = interrupted_at(suite, "wrote a.png", *SMALL, "--steps", "1", "--out", "a.png",
                                    "--report", "a.html")
    suite.check(status == INTERRUPTED and os.path.exists(suite.path("a.html")) and
                "not all ceilings of the device are known: interrupted" in err,
                "the report is written without them", status, err)


def test_closed_pipe(suite):
    """A reader that closes the pipe ends a command quietly."""
    for command in (["--help"], ["--help", "all"], ["--list"], ["gas", "--help"]):
        read, write = os.pipe()
        os.close(read)
        with os.fdopen(write, "w") as out:
            got, _, err = suite.run(*command, stdout=out)
        suite.check(got == -signal.SIGPIPE and not err, f"vksim {command[0]} | true", got, err)


def test_relative_home(suite):
    """A HOME that is no absolute path makes no cache folder where the user stands."""
    env = suite.environment()
    del env["VKSIM_CACHE_DIR"]
    env["HOME"] = "home"
    suite.succeeds("a relative HOME", *SMALL, "--steps", 1, "--out", "none", env=env)
    suite.check(not os.path.exists(suite.path("home")), "it is not made")


if __name__ == "__main__":
    sys.exit(main(globals()))

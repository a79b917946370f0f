#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_cli_checkpoint.py VKSIM [NAME...]: runs that are stopped, killed or lose their device, and
continue from a checkpoint. See suite.py."""

import fcntl
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
from suite import (FILE, GPU, INTERRUPTED, OK, USAGE, default_signals, limit_files,  # noqa: E402
                   main, npz_members, pixels, values)

MODELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../models")
GRAY = ["gray-scott", "--size", "64x64", "--preset", "mitosis", "--steps-per-frame", 4]
NONE = ["--out", "none"]
# Those that grow with the run, and one that shows its end.
OUTS = [word for end in ("npy", "y4m", "png") for word in ("--out", "x." + end)]
OUTS += ["--out", "x-%03d.png", "--watch", "x.csv"]


def header(suite, name):
    return json.loads(npz_members(suite.path(name))["vksim.json"])


def newest(suite, name="x"):
    """The header of the newer checkpoint."""
    found = [header(suite, f"{name}.{slot}.vkc.npz") for slot in "ab"
             if os.path.exists(suite.path(f"{name}.{slot}.vkc.npz"))]
    return max(found, key=lambda head: head["run"]["number"])


def digests(out):
    return re.findall(r"^digest .*$", out or "", re.M)


def files(suite):
    """Every output, without the checkpoints."""
    return {name: suite.read(name) for name in sorted(os.listdir(suite.folder))
            if name.startswith("x") and ".vkc." not in name and
            os.path.isfile(suite.path(name))}


def clear(suite):
    for name in os.listdir(suite.folder):
        if name.startswith("x"):
            path = suite.path(name)
            shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)


def whole(suite, *arguments, **more):
    """(digests, files) of a run in one piece."""
    clear(suite)
    out = suite.succeeds("in one piece", *arguments, "--digest", **more)
    result = digests(out), files(suite)
    clear(suite)
    return result


def same(suite, name, expected, out):
    """A run that was continued has the digests and the files of the one in one piece."""
    got = digests(out), files(suite)
    bad = [file for file in expected[1].keys() | got[1].keys()
           if expected[1].get(file) != got[1].get(file)]
    suite.check(out is not None and got[0] == expected[0] and not bad and not suite.left_over() and
                not os.path.exists(suite.path("x.lock")), name, expected[0], got[0], bad)


def start(suite, *arguments, **more):
    return subprocess.Popen([suite.vksim, *map(str, arguments)], cwd=suite.folder,
                            env=suite.environment(), stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            preexec_fn=default_signals, **more)


def wait_for(condition, seconds=30):
    until = time.monotonic() + seconds
    while not condition() and time.monotonic() < until:
        time.sleep(0.02)
    return condition()


def test_kinds(suite):
    """A run of each kind that is continued by a longer one."""
    half = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../src/selftest/cipher.png")
    kinds = {
        "physarum": ["physarum", "--size", "64x64", "--agents", 500],
        "physarum-3d": ["physarum-3d", "--size", "16x16x16", "--agents", 300],
        "gray-scott": [*GRAY, "--normalize", "smooth"],
        "gas": ["gas", "--size", "64x64", "--preset", "plain"],
        "gas, by time": ["gas", "--size", "64x64", "--preset", "plain", "--frame-time", 0.01],
        "a formula": [os.path.join(MODELS, "barkley.json"), "--size", "64x64"],
        "cipher": ["cipher", "--init", "image:" + half, "--size", "64x64"],
    }
    for name, kind in kinds.items():
        expected = whole(suite, *kind, "--frames", 7, *OUTS)
        suite.succeeds(f"{name}: the first part", *kind, "--frames", 3, *OUTS, "--digest",
                       "--checkpoint", "x")
        out = suite.succeeds(f"{name}: the rest", "--resume", "x", "--frames", 7, "--digest")
        same(suite, f"{name}: as in one piece", expected, out)
    out, said = suite.run("--resume", "x")[1:]
    suite.check(out == "" and "'x' is complete" in said, "a complete run", out, said)
    suite.succeeds("a checkpoint is a state", "--load-state", "x.a.vkc.npz", "--steps", 1, *NONE)


def test_events(suite):
    """Events before and after the checkpoint, a restart, and options that came from a scene."""
    scene = {"simulation": "gray-scott", "size": "64x64", "preset": "mitosis", "frames": 9,
             "steps-per-frame": 4, "warmup": 2,
             "events": [{"step": 3, "set": {"feed": 0.03}}, {"step": 9, "restart": 7},
                        {"step": 21, "set": {"feed": 0.05}}, {"step": 25, "restart": 7}]}
    suite.write("s.json", json.dumps(scene))
    run = ["--scene", "s.json", "--out", "x.png", "--record-events", "x.json"]
    expected = whole(suite, *run)
    suite.succeeds("the first part", *run, "--frames", 4, "--checkpoint", "x", "--digest")
    os.rename(suite.path("s.json"), suite.path("moved.json"))
    same(suite, "the rest needs no scene", expected,
         suite.succeeds("the rest", "--resume", "x", "--frames", 9, "--digest"))


def test_signals(suite):
    """SIGTERM and Ctrl-C write a checkpoint and end, SIGUSR1 goes on."""
    run = [*GRAY, "--digest", "--out", "x.y4m", "--out", "x.mp4", "--out", "x.gif"]
    begun = [*run, "--frames", 100000, "--checkpoint", "x"]
    for number in (signal.SIGTERM, signal.SIGINT):
        clear(suite)
        with start(suite, *begun) as process:
            wait_for(lambda: os.path.exists(suite.path("x.a.vkc.npz")))
            process.send_signal(signal.SIGUSR1)
            usr = wait_for(lambda: os.path.exists(suite.path("x.b.vkc.npz")))
            goes_on = process.poll() is None
            process.send_signal(number)
            err = process.stderr.read().decode()
            status = process.wait(60)
        frames = newest(suite)["run"]["frames"]
        suite.check(usr and goes_on and status == INTERRUPTED and "--resume x" in err and
                    not os.path.exists(suite.path("x.y4m")), f"signal {number}", status, err)
        out = suite.succeeds("resumed", "--resume", "x", "--frames", frames + 5)
        got, video = digests(out), len(pixels(suite.path("x.mp4")))
        raw = suite.read("x.y4m"), suite.read("x.gif")
        for end in ("mp4", "gif"):
            suite.fails(f"signal {number}: a longer .{end}", FILE, f"x.{end}", "--resume", "x",
                        "--frames", frames + 9, "--out", f"x.{end}")
        clear(suite)
        expected = digests(suite.succeeds("in one piece", *run, "--frames", frames + 5))
        suite.check(got == expected and raw == (suite.read("x.y4m"), suite.read("x.gif")) and
                    video == len(pixels(suite.path("x.mp4"))) and
                    not os.path.exists(suite.path("x.mp4.parts")), "it equals one in one piece",
                    got, expected)


def test_kill(suite):
    """SIGKILL at random times, until the run is complete."""
    chance = random.Random(5)
    run = [*GRAY, "--frames", 400, "--normalize", "smooth", "--digest", "--out", "x.npy", "--watch",
           "x.json"]
    expected = whole(suite, *run)
    command = [*run, "--resume-or-start", "x", "--checkpoint-every", "40steps"]
    kills = 0
    out = b""  # also what a run printed that was killed after its end
    for _ in range(30):
        with start(suite, *command) as process:
            try:
                out = process.communicate(timeout=chance.uniform(0.3, 0.7))[0] or out
                break
            except subprocess.TimeoutExpired:
                process.kill()
                out = process.communicate()[0] or out
                kills += 1
    else:
        out = suite.succeeds("at last", *command).encode() or out
    suite.check(kills > 0 and process.returncode in (OK, -9), "it was killed", kills)
    for name in os.listdir(suite.folder):  # of the last kills
        if ".part-" in name or name == "x.lock":
            os.remove(suite.path(name))
    same(suite, "a run that was killed", expected, out.decode())


def test_lost_device(suite):
    """The device is lost from some call on in each process: new ones continue, until it is done or
    there is no progress."""
    run = [*GRAY, "--frames", 30, "--digest", "--out", "x.npy", "--watch", "x.csv"]
    expected = whole(suite, *run)
    counted = {**suite.scarce_memory(), "MEMORY_LAYER_CALLS": suite.path("calls")}
    suite.succeeds("calls", *run, "--checkpoint", "x", "--checkpoint-every", "4steps", env=counted)
    calls = int(suite.read("calls"))
    for part in (2, 3):
        clear(suite)
        env = {**suite.scarce_memory(), "MEMORY_LAYER_LOST": str(calls // part)}
        got, out, err = suite.run(*run, "--checkpoint", "x", "--checkpoint-every", "4steps",
                                  env=env)
        suite.check(got == OK and "in a new process (1 of 3 times)" in err,
                    f"1/{part} of the calls", got, err)
        same(suite, f"lost after 1/{part}", expected, out)
    clear(suite)
    timed = ["gas", "--size", "64x64", "--preset", "plain", "--frame-time", 0.013, "--end-time",
             0.1, "--digest", "--out", "x.npy", "--watch", "x.csv"]
    expected_times = whole(suite, *timed)
    env = {**suite.scarce_memory(), "MEMORY_LAYER_LOST": str(calls // 2)}
    got, out, err = suite.run(*timed, "--checkpoint", "x", "--checkpoint-every", "1steps", env=env)
    suite.check(got == OK and "in a new process" in err, "a run by time", got, err)
    same(suite, "by time", expected_times, out)
    clear(suite)
    suite.succeeds("calls", *run, "--checkpoint", "x", env=counted)
    env = {**suite.scarce_memory(), "MEMORY_LAYER_LOST": str(int(suite.read("calls")) // 2)}
    clear(suite)
    got, _, err = suite.run(*run, "--checkpoint", "x", "--checkpoint-every", "1h", "--retries", 2,
                            env=env)
    suite.check(got == GPU and "lost 3 times since checkpoint 1" in err and
                err.count("in a new process") == 2, "no progress", got, err)
    got, _, err = suite.run(*run, "--resume", "x", "--retries", 0, env=env)
    suite.check(got == GPU and "in a new process" not in err, "no retries", got, err)
    same(suite, "with another device", expected, suite.succeeds("then", "--resume", "x"))
    hung = {**suite.scarce_memory(), "MEMORY_LAYER_HANGS": str(calls // 2)}
    clear(suite)
    got, out, err = suite.run(*run, "--checkpoint", "x", "--checkpoint-every", "4steps",
                              "--gpu-timeout", 0.5, env=hung)
    suite.check(got == OK and "in a new process" in err, "a device that hangs", got, err)
    same(suite, "hung", expected, out)


def contents(suite):
    """What both checkpoints say, except how the run came there: the older, then the newer."""
    found = []
    for slot in "ab":
        members = npz_members(suite.path(f"x.{slot}.vkc.npz"))
        head = json.loads(members.pop("vksim.json"))
        run = head.pop("run")
        number = run.pop("number")
        run.pop("options")
        run.pop("look_at")
        found.append((number, {**members, **head, **run}))
    return [content for _, content in sorted(found, key=lambda pair: pair[0])]


def differences(got, expected):
    return [(key, str(got.get(key))[:200], str(expected[key])[:200]) for key in expected
            if got.get(key) != expected[key]]


@values
def test_rank_kinds(suite):
    """What three ranks begin, any number of ranks continues, as one rank does in one piece."""
    kinds = {
        "gray-scott": ["gray-scott", "--size", "48x101", "--steps-per-frame", 3, "--normalize",
                       "smooth"],
        "physarum": ["physarum", "--size", "96x168", "--agents", 2000, "--steps-per-frame", 3],
        "gas": ["gas", "--size", "16x8x32", "--particles", 3000, "--steps-per-frame", 3],
        "gas, by time": ["gas", "--size", "24x41", "--gravity", 0, "--particles", 984,
                         "--frame-time", 0.01],
    }
    both = ":".join(suite.drivers.values())
    places = {"lavapipe": (suite.environment(), []),
              "swiftshader": (suite.environment(driver="swiftshader"), []),
              "one of each": ({**suite.environment(), "VK_ICD_FILENAMES": both,
                               "VK_DRIVER_FILES": both}, ["--devices", "0,1"])}
    every = ["--checkpoint-every", "6steps", "--digest"]
    for at, (name, kind) in enumerate(kinds.items()):
        expected = whole(suite, *kind, "--frames", 6, *OUTS)
        suite.succeeds("checkpoints of one rank", *kind, "--frames", 6, *OUTS, "--checkpoint", "x",
                       *every)
        kept = contents(suite)
        where = list(places)[at % len(places)]
        env, devices = places[where]
        three = ["--checkpoint", "x", *every, "--ranks", 3, *devices]
        clear(suite)
        same(suite, f"{name}, {where}: three ranks", expected,
             suite.succeeds("all of it", *kind, "--frames", 6, *OUTS, *three, env=env))
        for got, one, which in zip(contents(suite), kept, ("older", "newer")):
            if which == "newer" or "--frame-time" not in kind:  # else the step depends on the clock
                suite.check(got == one, f"{name}, {where}: the {which} checkpoint",
                            differences(got, one))
        clear(suite)
        suite.succeeds(f"{name}, {where}: the first part", *kind, "--frames", 3, *OUTS, *three,
                       env=env)
        os.mkdir(suite.path("kept"))
        for file in os.listdir(suite.folder):
            if file.startswith("x"):
                shutil.copy(suite.path(file), suite.path("kept"))
        for ranks in (2, 1):
            clear(suite)
            shutil.copytree(suite.path("kept"), suite.folder, dirs_exist_ok=True)
            out = suite.succeeds(f"{name}, {where}: the rest", "--resume", "x", "--frames", 6,
                                 "--digest", "--ranks", ranks, env=env)
            same(suite, f"{name}, {where}, {ranks}: as in one piece", expected, out)
            got, one = contents(suite)[1], kept[1]
            suite.check(got == one, f"{name}, {where}, {ranks}: the checkpoint",
                        differences(got, one))
        shutil.rmtree(suite.path("kept"))


def children(process):
    with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii") as file:
        return file.read().split()


def test_ranks(suite):
    """Ranks that are stopped or killed, with intervals of time and of steps, with frames and
    without."""
    run = ["gray-scott", "--size", "48x101", "--digest", "--quiet"]
    frames = [*run, "--steps-per-frame", 4, "--out", "x.y4m", "--watch", "x.csv"]
    for name, kind, interval, sent, last in (
            ("a time", [*run, *NONE], "1s", [], signal.SIGKILL),
            ("steps", frames, "40steps", [], signal.SIGKILL),
            ("steps, no frames", [*run, *NONE], "70steps", [], signal.SIGKILL),
            ("a request", [*run, *NONE], "1h", [signal.SIGUSR1], signal.SIGKILL),
            ("an interrupt", frames, "1h", [], signal.SIGTERM)):
        clear(suite)
        with start(suite, *kind, "--steps", 10 ** 9, "--checkpoint", "x", "--checkpoint-every",
                   interval, "--ranks", 3) as process:
            wait_for(lambda: os.path.exists(suite.path("x.a.vkc.npz")))
            time.sleep(0.5)
            for number in sent:
                process.send_signal(number)
            aim = 1 if last == signal.SIGTERM else 2 if sent else 4
            reached = wait_for(lambda: newest(suite)["run"]["number"] >= aim)
            process.send_signal(last)
            err = process.stderr.read().decode()
            status = process.wait(60)
        if last == signal.SIGKILL:
            for left in [*suite.left_over(), "x.lock"]:
                os.remove(suite.path(left))
        place = newest(suite)["run"]
        suite.check(reached and status == (-last if last == signal.SIGKILL else INTERRUPTED) and
                    place["number"] > 1 and place["steps"] > 0 and
                    not os.path.exists(suite.path("x.lock")), f"{name}: it ends", status, place,
                    err)
        out = suite.succeeds(f"{name}: two ranks", "--resume", "x", "--ranks", 2, "--steps",
                             place["steps"] + 9)
        got = digests(out), files(suite)
        expected = whole(suite, *kind, "--steps", place["steps"] + 9)
        suite.check(got == expected, f"{name}: as in one piece", got[0], expected[0],
                    list(got[1]), list(expected[1]))
    suite.succeeds("begun", *run, *NONE, "--steps", 9, "--checkpoint", "x", "--ranks", 2)
    with start(suite, "--resume", "x", "--steps", 10 ** 9) as process:
        wait_for(lambda: len(children(process)) == 1)
        time.sleep(0.5)
        fds = [f"/proc/{rank}/fd/{fd}" for rank in children(process)
               for fd in os.listdir(f"/proc/{rank}/fd")]
        opened = [os.path.realpath(fd) for fd in fds]
        process.send_signal(signal.SIGTERM)
        err = process.stderr.read().decode()
        status = process.wait(60)
    suite.check(status == INTERRUPTED and opened and suite.path("x.lock") not in opened,
                "only the first rank has the lock", status, opened, err)


def test_ranks_refused(suite):
    """What does not continue on ranks, other devices, and a disk that is full."""
    run = ["gray-scott", "--size", "48x101", "--steps-per-frame", 4, *NONE]
    suite.succeeds("three ranks", *run, "--frames", 3, "--checkpoint", "x", "--ranks", 3,
                   "--exchange-every", 2, "--devices", "0,0", "--retries", 0)
    suite.fails("a second one", FILE, "--resume x", *run, "--frames", 3, "--checkpoint", "x",
                "--ranks", 2)
    with open(suite.path("x.lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.write("123")
        lock.flush()
        suite.fails("another process", FILE, "process 123", "--resume", "x", "--frames", 4)
    suite.fails("retries", USAGE, "--retries", "--resume", "x", "--frames", 4, "--retries", 2)
    suite.succeeds("one rank, which retries", *run, "--frames", 3, "--checkpoint", "retried",
                   "--retries", 2)
    suite.succeeds("two ranks do not", "--resume", "retried", "--frames", 4, "--ranks", 2)
    suite.succeeds("one rank has none of their options", "--resume", "x", "--frames", 4, "--ranks",
                   1)
    suite.succeeds("another device", "--resume", "x", "--frames", 5, "--device", 0)
    suite.succeeds("in place of which ranks choose", "--resume", "x", "--frames", 6, "--ranks", 2,
                   "--devices", "0,0")
    suite.succeeds("as before", "--resume", "x", "--frames", 7)
    suite.succeeds("one device for both", "--resume", "x", "--frames", 8, "--device", 0)
    large = ["gray-scott", "--size", "1024x1024", "--steps-per-frame", 4, *NONE, "--digest"]
    suite.succeeds("a large state", *large, "--frames", 2, "--checkpoint", "z", "--ranks", 2,
                   "--exchange-every", 1, "--watch", "z.csv")
    got, _, err = suite.run("--resume", "z", "--frames", 5, "--checkpoint-every", "4steps",
                            env=suite.limited_files(), preexec_fn=limit_files(2 << 20))
    suite.check(got == FILE and err.count("no checkpoint was written") == 4 and
                "the last checkpoint of 'z' could not be written" in err and
                not suite.left_over(), "a full disk", got, err)
    out = suite.succeeds("then it continues", "--resume", "z", "--frames", 5)
    one = suite.succeeds("in one piece", *large, "--frames", 5)
    suite.check(digests(out) == digests(one), "as in one piece", out, one)
    stroke = {"brush": "seed", "x": 9, "y": 9, "x2": 20, "y2": 9, "radius": 3}
    suite.write("p.json", json.dumps({"simulation": "gray-scott", "size": "48x101",
                                      "steps-per-frame": 4, "events": [
                                          {"step": 9, "paint": [stroke]}]}))
    scene = ["--scene", "p.json", *NONE, "--digest"]
    one = digests(suite.succeeds("strokes in one piece", *scene, "--frames", 6))
    suite.succeeds("before the stroke", *scene, "--frames", 2, "--checkpoint", "y")
    suite.fails("a stroke", USAGE, "p.json", "--resume", "y", "--frames", 6, "--ranks", 2)
    suite.succeeds("after the stroke", "--resume", "y", "--frames", 4)
    out = suite.succeeds("ranks go on", "--resume", "y", "--frames", 6, "--ranks", 2)
    suite.check(digests(out) == one, "strokes that were painted are no obstacle", out, one)


def test_overriding(suite):
    """Options of the command line in place of the run's own."""
    suite.succeeds("begun", *GRAY, "--feed", 0.03, "--frames", 4, "--out", "x.npy", "--checkpoint",
                   "x")
    expected = digests(suite.succeeds("in one piece", *GRAY, "--feed", 0.03, "--frames", 8, *NONE,
                                      "--digest"))
    suite.succeeds("another output has the rest", "--resume", "x", "--frames", 8, "--out",
                   "rest.npy", "--save-state", "end.npz")
    suite.check(header(suite, "end.npz")["steps"] == 28 and
                len(suite.read("rest.npy")) == len(suite.read("x.npy")), "it has the rest")
    got = suite.succeeds("the state of its end", "--load-state", "end.npz", "--steps", 0, *NONE,
                         "--digest")
    suite.check(digests(got)[0] == expected[0], "the same state", got, expected)
    fixed = {"feed": 0.04, "size": "32x32", "seed": 5, "steps-per-frame": 2, "warmup": 1,
             "preset": "coral", "load-state": "end.npz"}
    for name, value in fixed.items():
        suite.fails(f"--{name}", USAGE, f"--{name}", "--resume", "x", f"--{name}", value,
                    "--frames", 9)
    suite.fails("a stored value", USAGE, "0.03", "--resume", "x", "--feed", 0.04, "--frames", 9)
    suite.succeeds("the same again", *GRAY, "--feed", 0.03, "--frames", 9, "--out", "rest.npy",
                   "--resume-or-start", "x", "--colormap", "magma")
    suite.fails("fewer frames", USAGE, "9 frames already", "--resume", "x", "--frames", 3)
    suite.fails("another simulation", FILE, "gray-scott", "gas", "--resume", "x", "--frames", 10)
    suite.fails("an output that exists", FILE, "new.npy", "--resume", "x", "--frames", 10, "--out",
                suite.write("new.npy", "precious"))


def test_bad_input(suite):
    """What cannot be kept or continued is refused."""
    small = [*GRAY, "--frames", 2, *NONE]
    suite.fails("no checkpoint", FILE, "x.a.vkc.npz", "--resume", "x")
    for text in ("0", "5", "1e9h", "0.5s", "0steps", "1.5steps", "10", "-1min", "min", "nans"):
        suite.fails(f"every {text}", USAGE, "--checkpoint-every", *small, "--checkpoint", "x",
                    f"--checkpoint-every={text}")
    for name, option in {"checkpoint-every": "1min", "retries": 2}.items():
        suite.fails(f"{name} alone", USAGE, f"--{name}", *small, f"--{name}", option)
    for name in ("", "x/"):
        for option in ("checkpoint", "resume"):
            suite.fails(f"--{option} of the name '{name}'", USAGE, f"--{option}", *small,
                        f"--{option}={name}")
    suite.fails("no folder to continue from", FILE, "no checkpoint 'none/x'", "--resume", "none/x")
    suite.fails("no folder to start in", FILE, "none/x", *small, "--resume-or-start", "none/x")
    os.symlink("elsewhere", suite.path("link.lock"))
    suite.fails("a lock that is a link", FILE, "link.lock", *small, "--checkpoint", "link")
    suite.fails("a missing folder", FILE, "none/x", *small, "--checkpoint", "none/x")
    suite.fails("standard output", USAGE, "--out -", *GRAY, "--out", "-", "--checkpoint", "x")
    suite.fails("several runs", USAGE, "--vary", *small, "--vary", "seed=1,2", "--checkpoint", "x")
    suite.fails("a contact sheet", USAGE, "--collage", *GRAY, "--frames", 4, "--out", "x.png",
                "--collage", "2x2", "--checkpoint", "x")
    suite.fails("both", USAGE, "--resume-or-start", "--resume", "x", "--resume-or-start", "x")
    suite.succeeds("one run", *GRAY, "--frames", 2, "--checkpoint", "x", "--out", "x.npy")
    suite.fails("a second one", FILE, "--resume x", *small, "--checkpoint", "x")
    with open(suite.path("x.lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.write("123")
        lock.flush()
        suite.fails("another process", FILE, "process 123", "--resume", "x", "--frames", 3)
    suite.succeeds("an old lock", "--resume", "x", "--frames", 3)
    os.rename(suite.path("x.npy"), suite.path("y.npy"))
    suite.fails("an output is missing", FILE, "x.npy", "--resume", "x", "--frames", 4)
    suite.write("x.npy", suite.read("y.npy")[:-1] + b"!")
    suite.fails("an output was changed", FILE, "x.npy", "--resume", "x", "--frames", 4)
    suite.succeeds("a table", *small, "--watch", "y.csv", "--checkpoint", "y")
    for slot in "ab":
        alter(suite, f"y.{slot}.vkc.npz",
              lambda head: head["run"]["outputs"][-1].update(columns="u"))
    code, _, said = suite.run("--resume", "y", "--frames", 4)
    suite.check(code == FILE and "rows of 'frame,step,u,v': it was begun with 'u'" in said,
                "a table of other columns", code, said)
    suite.fails("only a state", FILE, "not a checkpoint", "--resume", plain_state(suite))


def plain_state(suite):
    suite.succeeds("a state", *GRAY, "--frames", 2, *NONE, "--save-state", "z.a.vkc.npz")
    return "z"


def alter(suite, name, change):
    """Writes a checkpoint again with another header."""
    import zipfile
    members = npz_members(suite.path(name))
    head = json.loads(members["vksim.json"])
    change(head)
    with zipfile.ZipFile(suite.path(name), "w") as archive:
        for member, data in members.items():
            archive.writestr(member, json.dumps(head) if member == "vksim.json" else data)


def test_damage(suite):
    """Damaged checkpoints, and hostile ones."""
    suite.succeeds("a run", *GRAY, "--frames", 3, "--out", "x.png", "--checkpoint", "x")
    newer = max("ab", key=lambda slot: header(suite, f"x.{slot}.vkc.npz")["run"]["number"])
    good = {slot: suite.read(f"x.{slot}.vkc.npz") for slot in "ab"}
    path = f"x.{newer}.vkc.npz"
    where = good[newer].index(b"v.npy") + 4000
    for what, data in (("cut", good[newer][:-100]), ("empty", b""),
                       ("one bit", good[newer][:where] + b"\x55\xaa\x55\xaa" +
                        good[newer][where + 4:])):
        suite.write(path, data)
        got, _, err = suite.run("--resume", "x", "--frames", 4)
        suite.check(got == OK and "is damaged" in err and path in err, f"the newer one: {what}",
                    got, err)
        suite.write("x.a.vkc.npz", good["a"])
        suite.write("x.b.vkc.npz", good["b"])
    alter(suite, path, lambda head: head.update(digest="0" * 32))
    got, _, err = suite.run("--resume", "x", "--frames", 4)
    suite.check(got == OK and "its digest" in err, "another digest", got, err)
    for slot in "ab":
        suite.write(f"x.{slot}.vkc.npz", good[slot][:1000])
    suite.fails("both", FILE, "both checkpoints", "--resume", "x")
    os.remove(suite.path("x.a.vkc.npz"))
    suite.fails("the only one", FILE, "x.b.vkc.npz", "--resume", "x")
    os.remove(suite.path("x.b.vkc.npz"))
    outside = {"out": "../stolen.png", "watch": "/nonexistent/stolen.csv",
               "save-state": "../stolen.npz", "timings-out": "a/../../stolen"}
    for option, value in outside.items():
        suite.write("x.a.vkc.npz", good[newer])
        alter(suite, "x.a.vkc.npz", lambda head: head["run"]["options"].extend(
            [[option, value], ["timings", "table"]]))
        suite.fails(f"a hostile --{option}", FILE, value, "--resume", "x", "--frames", 4)
    hostile = {"no options": lambda head: head["run"].pop("options"),
               "an option that is none": lambda head: head["run"]["options"].append(5),
               "a number": lambda head: head["run"].update(steps=-5),
               "no start": lambda head: head["run"].update(start=[])}
    for name, change in hostile.items():
        suite.write("x.a.vkc.npz", good[newer])
        alter(suite, "x.a.vkc.npz", change)
        suite.fails(name, FILE, "x.a.vkc.npz", "--resume", "x", "--frames", 4)


def test_full_disk(suite):
    """A checkpoint that cannot be written is a warning, unless it is the last one."""
    suite.succeeds("begun", *GRAY, "--frames", 3, *NONE, "--checkpoint", "x")
    before = files(suite)
    got, _, err = suite.run("--resume", "x", "--frames", 6, env=suite.limited_files(),
                            preexec_fn=limit_files(10000), timeout=60)
    suite.check(got == FILE and "no checkpoint was written" in err and
                "the last checkpoint of 'x' could not be written" in err and
                files(suite) == before and not suite.left_over(), "no room", got, err)
    suite.succeeds("then it continues", "--resume", "x", "--frames", 6)


def test_room(suite):
    """A warning before the run if files whose sizes are known do not fit."""
    frames = 9
    bytes_of = {"npy": 4 * 64 * 64 * frames, "y4m": 64 * 64 * 3 // 2 * frames,
                "state": 2 * 4 * 64 * 64}
    def needed(outs, states):
        return sum(bytes_of[out] for out in outs) + states * bytes_of["state"]
    run = [*GRAY, "--frames", frames, "--out", "x.npy", "--out", "x.y4m", "--out", "x.mp4"]
    for name, needs, arguments in (
            ("frames", needed(["npy", "y4m"], 0), [*run, "--dry-run"]),
            ("and a state", needed(["npy", "y4m"], 1), [*run, "--save-state", "x.npz",
                                                        "--dry-run"]),
            ("and checkpoints", needed(["npy", "y4m"], 2), [*run, "--checkpoint", "x"]),
            ("numbered files", needed(["npy"], 0), [*GRAY, "--frames", frames, "--out",
                                                    "y-%03d.npy", "--dry-run"]),
            ("a run that continues", needed(["npy", "y4m"], 1),
             ["--resume", "x", "--frames", 2 * frames, "--out", "z.npy", "--out", "z.y4m",
              "--dry-run"])):
        for room, warned in ((needs + 4096, False), (needs - 4096, True)):
            got, _, err = suite.run(*arguments, "--overwrite",
                                    env={**suite.limited_files(), "FILES_FREE": str(int(room))})
            suite.check(got == OK and err.count("the files of the run need at least") == warned,
                        f"{name}: {room} bytes free", got, err)


if __name__ == "__main__":
    sys.exit(main(globals()))

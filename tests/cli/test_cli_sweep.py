#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_cli_sweep.py VKSIM [NAME...]: lists of runs and their tables. See suite.py."""

import csv
import io
import json
import os
import shlex
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
from suite import (DEVICE, FILE, GPU, INTERRUPTED, OK, USAGE, default_signals,  # noqa: E402
                   limit_files, main, on_terminal, png, png_size, values)

FIELD = ["sweep", "gray-scott", "--size", "64x64"]
SMALL = [*FIELD, "--vary", "feed=0.02..0.05/3", "--seeds", "1..4", "--steps", 20]
# Jobs that take long enough to be stopped.
LONG = [*FIELD, "--vary", "feed=0.02..0.05/8", "--vary", "kill=0.05,0.055,0.06", "--steps", 800]


def table(suite, name):
    return list(csv.DictReader(io.StringIO(suite.read(name).decode())))


def rows_of(suite, name):
    """Complete rows of a part that is being written."""
    path = suite.path(name)
    return max(suite.read(name).count(b"\n") - 2, 0) if os.path.exists(path) else 0


def left_over(suite):
    """Incomplete files other than parts of sweeps."""
    return [name for name in suite.left_over() if not name.endswith(".csv")]


@values
def test_tables(suite):
    """The same bytes with one process and several, on either driver, in parts and in any order."""
    suite.succeeds("one process", *SMALL, "--table", "one.csv")
    one = suite.read("one.csv")
    rows = table(suite, "one.csv")
    suite.check([(row["job"], row["feed"], row["seed"], row["steps"], row["exit"])
                 for row in rows] ==
                [(str(i), ("0.02", "0.035", "0.05")[i // 4], str(i % 4 + 1), "20", "0")
                 for i in range(12)] and len({row["key"] for row in rows}) == 12 and
                " ".join(rows[0]) == "job key feed seed u v steps digest exit",
                "a row per job, the last option varies fastest", *rows)
    both = ":".join(suite.drivers.values())
    env = {**suite.environment(), "VK_ICD_FILENAMES": both, "VK_DRIVER_FILES": both}
    suite.succeeds("two drivers", *SMALL, "--table", "two.csv", "--devices", "0,1", "--jobs", 2,
                   env=env)
    devices = {row["device"] for row in table(suite, "two.times.csv")}
    suite.check(suite.read("two.csv") == one and len(devices) == 2,
                "two drivers give the same table", suite.read("two.csv"), devices)
    for part in (2, 0, 1):
        suite.check(not os.path.exists(suite.path("parts.csv")), "no table before the last part")
        suite.succeeds(f"part {part}", *SMALL, "--table", "parts.csv", "--part", f"{part}/3")
    suite.check(suite.read("parts.csv") == one, "three parts give the same table")
    at_once = [begin(suite, *SMALL, "--resume", "array.csv", "--part", f"{part}/3")
               for part in range(3)]
    suite.check([process.communicate(timeout=60) and process.returncode for process in at_once] ==
                [OK] * 3 and suite.read("array.csv") == one, "so do three at once")
    suite.succeeds("an empty part", *FIELD, "--seeds", "1..2", "--steps", 1, "--table", "few.csv",
                   "--part", "2/3")
    suite.check(rows_of(suite, "few.part-2.csv") == 0, "it has no rows")
    listed = suite.succeeds("--list", *SMALL, "--list").splitlines()
    suite.check(len(listed) == 12, "--list has a line per job", *listed)
    for row, line in list(zip(rows, listed))[::4]:
        words = shlex.split(line)
        state = subprocess.run(words, env=suite.environment(), cwd=suite.folder, check=False,
                               capture_output=True, text=True, timeout=60).stdout
        suite.check(state == f"digest state {row['digest']}\n", f"the digest of {line}", state)
    watch = suite.succeeds("--watch", *words[1:], "--watch", "w.csv", "--overwrite")
    last = suite.read("w.csv").decode().splitlines()[-1].split(",")
    suite.check(last[1:] == [row["steps"], row["u"], row["v"]], "scalars as of --watch",
                last, watch)
    suite.check(not left_over(suite), "nothing is left", os.listdir(suite.folder))


def test_files(suite):
    """Pictures and other files of each job, a table of options, scenes, and what --resume knows."""
    os.mkdir(suite.path("p"))
    suite.write("rows.csv", 'kill,feed,background\r\n0.06,0.03,\r\n,0.04,"#102030"\n\n0.05,,\n')
    run = [*FIELD, "--from", "rows.csv", "--vary", "init=spots,noise", "--steps", 30]
    suite.succeeds("stills", *run, "--table", "m.csv", "--out", "p/%06d.png", "--output-size",
                   "32x32", "--watch", "p/%02d.csv", "--save-state", "p/s%d.npz")
    rows = table(suite, "m.csv")
    suite.check([(row["kill"], row["feed"], row["background"], row["init"]) for row in rows] ==
                [(kill, feed, ground, init) for kill, feed, ground in
                 (("0.06", "0.03", ""), ("", "0.04", "#102030"), ("0.05", "", ""))
                 for init in ("spots", "noise")], "rows of a file, each with all values", *rows)
    suite.check(sorted(os.listdir(suite.path("p"))) ==
                sorted(name.format(i) for i in range(6) for name in
                       ("{:06}.png", "{:02}.csv", "s{}.npz")) and
                png_size(suite.read("p/000005.png")) == (32, 32), "a file of each kind per job",
                os.listdir(suite.path("p")))
    for at in (1, 4):
        state = suite.state("gray-scott", "--steps", 0, "--load-state", f"p/s{at}.npz",
                            "--headless")
        suite.check(state == rows[at]["digest"], f"state {at}", state, rows[at])
    suite.fails("files that exist", FILE, "p/000000.png", *run, "--table", "n.csv", "--out",
                "p/%06d.png")
    suite.fails("a table that exists", FILE, "m.csv", *run, "--table", "m.csv")
    before = suite.read("m.csv")
    suite.succeeds("--overwrite", *run, "--table", "m.csv", "--out", "p/%06d.png",
                   "--output-size", "32x32", "--overwrite")
    suite.check(suite.read("m.csv") == before, "the same rows again")
    suite.write("s.json", json.dumps({"simulation": "gray-scott", "size": "64x64", "steps": 9}))
    suite.succeeds("a scene", "sweep", "--scene", "s.json", "--seeds", "3,5", "--table", "s.csv")
    suite.check([row["steps"] for row in table(suite, "s.csv")] == ["9", "9"], "its steps")
    plan = suite.succeeds("--dry-run", *SMALL, "--table", "d.csv", "--part", "1/5", "--dry-run")
    suite.check("jobs           12: feed 3 x seed 4\n" in plan and
                "part           1/5, 3 jobs, 3 to run\n" in plan and "--seed=2 " in plan + " " and
                not [name for name in os.listdir(suite.folder) if name.startswith("d.")],
                "the plan, and no files", plan)
    shown = on_terminal(suite, *SMALL, "--table", "t.csv", stream="stderr", columns=80)
    suite.check("wrote t.csv (12 rows)" in shown, "what a terminal shows", shown)


def test_failures(suite):
    """A job that fails keeps its row, and is tried again by --resume."""
    suite.write("rows.csv", "feed,init\n0.03,spots\n0.04,image:later.png\n0.05,spots\n")
    run = [*FIELD, "--from", "rows.csv", "--steps", 5]
    suite.run(*run, "--table", "f.csv")
    status, out, err = suite.run(*run, "--table", "g.csv")
    rows = table(suite, "g.csv")
    times = table(suite, "g.times.csv")
    suite.check(status == FILE and not out and "1 of 3 jobs failed" in err and
                [row["exit"] for row in rows] == ["0", "4", "0"] and
                [row["digest"] == "" for row in rows] == [False, True, False] and
                rows[1]["key"] and "cannot read 'later.png'" in times[1]["message"] and
                suite.read("f.csv") == suite.read("g.csv"), "a job that fails", err, rows)
    suite.write("later.png", png(64, 64, [bytes(range(192))] * 64))
    suite.succeeds("--resume", "sweep", "--resume", "g.csv")
    again = table(suite, "g.csv")
    suite.check([row["exit"] for row in again] == ["0", "0", "0"] and again[0] == rows[0] and
                again[1]["key"] == rows[1]["key"] and not left_over(suite), "it is done", *again)
    suite.succeeds("started again", *run, "--table", "h.csv")
    suite.check(suite.read("h.csv") == suite.read("g.csv"), "as if it had not failed")
    before = suite.read("h.csv")
    suite.succeeds("nothing to do", "sweep", "--resume", "h.csv")
    suite.check(suite.read("h.csv") == before and table(suite, "h.times.csv")[0]["seconds"],
                "the same bytes, and the times are kept")
    status, out, err = suite.run(*FIELD, "--seeds", "1..400", "--steps", 1, "--table", "full.csv",
                                 preexec_fn=limit_files(20000))
    suite.check(status == FILE and "full.part-0.csv" in err, "a disk that is full", status, err)
    suite.succeeds("space again", "sweep", "--resume", "full.csv", "--jobs", 2)
    suite.check([row["job"] for row in table(suite, "full.csv")] == list(map(str, range(400))),
                "all rows are there")


def test_two_processes(suite):
    """A second process that is refused leaves the part of the first, even without rows."""
    process = begin(suite, *FIELD, "--seeds", "1..2", "--steps", 10 ** 9, "--table", "a.csv")
    wait_for_work(process)
    for name, more in (("--table", ["--table", "a.csv"]), ("--resume", ["--resume", "a.csv"]),
                       ("--overwrite", ["--table", "a.csv", "--overwrite"])):
        suite.fails(name, FILE, "a.part-0.csv", *FIELD, "--seeds", "1..2", "--steps", 10 ** 9,
                    *more)
    suite.check(os.path.exists(suite.path("a.part-0.csv")), "the part is there")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    suite.check(process.returncode == INTERRUPTED and
                not [name for name in os.listdir(suite.folder) if name.startswith("a.")],
                "a part without rows is removed", err, os.listdir(suite.folder))


def test_replacing(suite):
    """What is replaced, and what is not."""
    os.mkdir(suite.path("p"))
    run = [*FIELD, "--seeds", "1..3", "--steps", 2]
    for name in ("a.csv", "a.times.csv"):
        suite.write(name, "precious\n")
        suite.fails(f"another file: {name}", FILE, name, *run, "--resume", "a.csv")
        suite.check(suite.read(name) == b"precious\n", "it is kept")
        os.remove(suite.path(name))
    more = ["--out", "p/%d.png"]
    for part in (1, 2):
        suite.succeeds(f"part {part}", *run, *more, "--table", "a.csv", "--part", f"{part}/3")
    suite.write("a.part-7.csv", "")  # a process that was killed before it wrote the header
    suite.write("a.part-0.csv", "# sweep 01")
    suite.write("a.part-x.csv", "no part\n")
    suite.succeeds("another division", "sweep", "--resume", "a.csv")
    one = suite.read("a.csv")
    suite.check([row["exit"] for row in table(suite, "a.csv")] == ["0"] * 3 and
                len(os.listdir(suite.path("p"))) == 3, "all jobs have run", one)
    for name, row in (("no digest", "0,,1,,,,0,,,"), ("no exit code", "0,,1,,2,0a,,,,"),
                      ("no number", "0x,,1,,2,0a,0,,,")):
        part = suite.read("a.part-0.csv").splitlines(keepends=True)
        suite.write("a.part-0.csv", b"".join([*part[:2], row.encode() + b"\n"]))
        plan = suite.succeeds(f"a damaged row: {name}", "sweep", "--resume", "a.csv", "--dry-run")
        suite.check("0/1, 3 jobs, 1 to run\n" in plan, "is run again", plan)
    suite.fails("--overwrite of a part", USAGE, "--part", *run, "--table", "a.csv", "--part", "0/3",
                "--overwrite")
    suite.write("a.part-1.csv", suite.read("a.part-1.csv").replace(b",0,", b",9,"))
    suite.write("a.part-5.csv", "# sweep 0 []\njob,key\n")
    suite.succeeds("--overwrite", *run, "--table", "a.csv", "--overwrite")
    suite.check(suite.read("a.csv") == one and
                [name for name in sorted(os.listdir(suite.folder)) if ".part-" in name] ==
                ["a.part-0.csv", "a.part-x.csv"], "all parts are replaced",
                os.listdir(suite.folder))
    suite.succeeds("--resume", "sweep", "--resume", "a.csv")
    suite.write("p/1-07.png", "")
    suite.fails("files of frames", FILE, "p/1-07.png", *run, "--table", "b.csv", "--out",
                "p/%d-%02d.png")
    for option, name in (("--watch", "b.part-%02d.csv"), ("--points-out", "p/b.part-%d.csv")):
        suite.fails(f"named as a part: {option}", USAGE, "part", *run, "--table", "b.csv", option,
                    name)
    suite.fails("a table named as a part", USAGE, "b.part-3.csv", *run, "--table", "b.part-3.csv")
    os.mkdir(suite.path("d.csv"))
    suite.fails("a folder", FILE, "d.csv", *run, "--table", "d.csv", "--overwrite")


def test_stale_failures(suite):
    """Of two failures, the last one is in the table."""
    suite.write("rows.csv", "init\nimage:later.png\nspots\n")
    run = [*FIELD, "--from", "rows.csv", "--steps", 2, "--part"]
    suite.run(*run, "0/2", "--table", "a.csv")
    suite.run(*run, "1/2", "--table", "a.csv")
    os.rename(suite.path("a.part-0.csv"), suite.path("a.part-4.csv"))
    suite.write("later.png", "no picture")
    status, _, err = suite.run("sweep", "--resume", "a.csv")
    message = table(suite, "a.times.csv")[0]["message"]
    suite.check(status != OK and "neither a PNG nor a JPEG" in message, "the new message", err,
                message)


def begin(suite, *arguments):
    return subprocess.Popen([suite.vksim, *map(str, arguments)], env=suite.environment(),
                            cwd=suite.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, preexec_fn=default_signals)


def workers_of(process):
    with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii") as file:
        return list(map(int, file.read().split()))


def wait_for_rows(suite, name, rows):
    until = time.monotonic() + 60
    while rows_of(suite, name) < rows and time.monotonic() < until:
        time.sleep(0.02)


def wait_for_work(process):
    """A worker that has computed for a while, so that it has a job."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        time.sleep(0.05)
        for worker in workers_of(process):
            with open(f"/proc/{worker}/stat", encoding="ascii") as file:
                ticks = sum(map(int, file.read().rsplit(")", 1)[1].split()[11:13]))
            if ticks > os.sysconf("SC_CLK_TCK") / 2:
                return worker
    raise AssertionError("no worker computes")


def are_gone(processes):
    until = time.monotonic() + 10
    while time.monotonic() < until and any(os.path.exists(f"/proc/{one}") for one in processes):
        time.sleep(0.05)
    return not any(os.path.exists(f"/proc/{one}") for one in processes)


@values
def test_kills(suite):
    """A sweep that is killed, or loses workers, and is resumed gives the table of one that was left
    alone."""
    os.mkdir(suite.path("p"))
    suite.succeeds("undisturbed", *LONG, "--table", "one.csv", "--jobs", 2)
    one = suite.read("one.csv")
    process = begin(suite, *LONG, "--table", "k.csv", "--jobs", 2, "--out", "p/%d.png")
    wait_for_rows(suite, "k.part-0.csv", 5)
    workers = workers_of(process)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=60)
    done = rows_of(suite, "k.part-0.csv")
    suite.check(len(workers) == 2 and are_gone(workers) and 5 <= done < 24 and
                not os.path.exists(suite.path("k.csv")), "the parent is killed", done, workers)
    with open(suite.path("k.part-0.csv"), "a", encoding="ascii") as file:
        file.write("23,0123")  # a row that was cut
    suite.succeeds("and resumed", "sweep", "--resume", "k.csv")
    suite.check(suite.read("k.csv") == one and not left_over(suite) and
                len(os.listdir(suite.path("p"))) == 24, "the same table and all pictures",
                suite.read("k.csv"), os.listdir(suite.path("p")))
    process = begin(suite, *LONG, "--table", "w.csv", "--jobs", 2)
    wait_for_rows(suite, "w.part-0.csv", 3)
    os.kill(workers_of(process)[0], signal.SIGKILL)
    _, err = process.communicate(timeout=60)
    suite.check(process.returncode == OK and suite.read("w.csv") == one and
                "is tried again: its process ended with signal 9" in err, "a worker is killed",
                err)
    process = begin(suite, *FIELD, "--seeds", "1..2", "--steps", 10 ** 9, "--table", "x.csv")
    for _ in range(2):
        worker = wait_for_work(process)
        os.kill(worker, signal.SIGKILL)
        are_gone([worker])
    wait_for_rows(suite, "x.part-0.csv", 1)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    suite.check(process.returncode == INTERRUPTED and
                suite.read("x.part-0.csv").splitlines()[2].decode().endswith(
                    ',137,,,its process ended with signal 9'), "a job that ends two workers",
                err, suite.read("x.part-0.csv"))


@values
def test_lost_devices(suite):
    """A worker that loses its device, or whose device hangs, is replaced."""
    run = [*FIELD, "--seeds", "1..12", "--steps", 20]
    suite.succeeds("calls", *run, "--table", "one.csv",
                   env={**suite.scarce_memory(), "MEMORY_LAYER_CALLS": suite.path("calls")})
    calls = int(suite.read("calls"))
    for name, more in (("LOST", []), ("HANGS", ["--gpu-timeout", 0.5])):
        env = {**suite.scarce_memory(), f"MEMORY_LAYER_{name}": str(calls // 3)}
        status, _, err = suite.run(*run, *more, "--table", f"{name}.csv", env=env)
        suite.check(status == OK and suite.read(f"{name}.csv") == suite.read("one.csv") and
                    "is tried again: its device was lost" in err, f"a device: {name}", status, err)
    status, _, err = suite.run(*FIELD, "--seeds", "1..2", "--steps", 20, "--table", "never.csv",
                               env={**suite.scarce_memory(), "MEMORY_LAYER_LOST": "1"})
    rows, times = table(suite, "never.csv"), table(suite, "never.times.csv")
    suite.check(status == GPU and "2 of 2 jobs failed" in err and
                [row["exit"] for row in rows] == ["5", "5"] and all(row["key"] for row in rows) and
                all("LOST" in row["message"] for row in times), "a device that is always lost",
                status, err, rows, times)
    suite.succeeds("--resume", "sweep", "--resume", "never.csv")
    suite.check([row["digest"] for row in table(suite, "never.csv")] ==
                [row["digest"] for row in table(suite, "one.csv")[:2]], "with another device")


@values
def test_interrupts(suite):
    """Ctrl-C keeps what is done."""
    os.mkdir(suite.path("p"))
    more = ["--out", "p/%d.png"]
    process = begin(suite, *LONG, *more, "--table", "i.csv", "--jobs", 2)
    wait_for_rows(suite, "i.part-0.csv", 4)
    workers = workers_of(process)
    for one in (process.pid, *workers):  # as a terminal does
        os.kill(one, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    done = rows_of(suite, "i.part-0.csv")
    suite.check(process.returncode == INTERRUPTED and "--resume i.csv continues" in err and
                err.count("finishing") == 1 and are_gone(workers) and 4 <= done < 24 and
                len(os.listdir(suite.path("p"))) == done, "Ctrl-C", process.returncode, err, done,
                os.listdir(suite.path("p")))
    process = begin(suite, *LONG, *more, "--resume", "i.csv")
    wait_for_rows(suite, "i.part-0.csv", done + 2)
    process.terminate()
    _, err = process.communicate(timeout=60)
    suite.check(process.returncode == INTERRUPTED, "SIGTERM", err)
    suite.fails("a second sweep", USAGE, "i.part-0.csv", *LONG, "--table", "i.csv", "--out",
                "p/n%d.png")
    process = begin(suite, "sweep", "--resume", "i.csv")
    wait_for_rows(suite, "i.part-0.csv", done + 3)
    suite.fails("two processes", FILE, "i.part-0.csv", "sweep", "--resume", "i.csv")
    suite.check(rows_of(suite, "i.part-0.csv") >= done + 3, "it leaves the part alone")
    _, err = process.communicate(timeout=60)
    suite.succeeds("left alone", *LONG, "--table", "one.csv")
    suite.check(process.returncode == OK and suite.read("i.csv") == suite.read("one.csv") and
                not left_over(suite), "the table is the same", err)


def test_refused(suite):
    one = [*FIELD, "--steps", 2, "--table", "a.csv"]
    suite.fails("nothing varies", USAGE, "--vary", *one)
    suite.fails("no table", USAGE, "--table", *FIELD, "--seeds", "1..2")
    suite.fails("another table", USAGE, "a.txt", *FIELD, "--seeds", "1..2", "--table", "a.txt")
    suite.fails("an unknown option", USAGE, "'--fed'", *one, "--seeds", "1..2", "--fed", "0.1")
    suite.fails("an option of one run", USAGE, "'--ranks'", *one, "--seeds", "1..2", "--ranks", 2)
    suite.fails("an option that is not there", USAGE, "'fed'", *one, "--vary", "fed=0.1,0.2")
    suite.fails("an option of another", USAGE, "'agents'", *one, "--vary", "agents=1,2")
    suite.fails("a value out of range", USAGE, "feed '3'", *one, "--vary", "feed=0.1,3")
    suite.fails("a range out of range", USAGE, "not 9", *one, "--vary", "feed=0.1..9/3")
    suite.fails("a range without a number", USAGE, "LOW..HIGH/N", *one, "--vary", "feed=0..1")
    suite.fails("a preset that is not there", USAGE, "'nix'", *one, "--vary", "preset=eta,nix")
    suite.fails("given and varied", USAGE, "--feed", *one, "--vary", "feed=0.1,0.2", "--feed", 0.3)
    suite.fails("varied twice", USAGE, "'seed'", *one, "--vary", "seed=1,2", "--seeds", "1..2")
    suite.fails("a million values", USAGE, "1000000", *one, "--seeds", "1..1000001")
    suite.fails("a million jobs", USAGE, "2000000 jobs", *one, "--seeds", "1..1000", "--vary",
                "feed=0..1/2000")
    for part in ("11/10", "3/3", "-1/3", "1", "1/0", "a/3", "1/3x", "0.5/2"):
        suite.fails(f"part {part}", USAGE, "--part", *one, "--seeds", "1..2", f"--part={part}")
    suite.fails("one file for all", USAGE, "'a.png'", *one, "--seeds", "1..2", "--out", "a.png")
    suite.fails("one file in a list", USAGE, "'a.npz'", *FIELD, "--seeds", "1..2", "--save-state",
                "a.npz", "--list")
    suite.fails("standard output", USAGE, "'-'", *one, "--seeds", "1..2", "--out", "-")
    suite.fails("no folder", FILE, "'q'", *one, "--seeds", "1..2", "--out", "q/%d.png")
    suite.fails("no folder of the table", FILE, "q/a", *FIELD, "--seeds", "1..2", "--table",
                "q/a.csv")
    suite.fails("wrong for all jobs", USAGE, "--warmup", *one, "--seeds", "1..2", "--warmup", 9)
    suite.fails("no sweep to resume", FILE, "'a.csv'", "sweep", "--resume", "a.csv")
    suite.fails("two tables", USAGE, "'b.csv'", *one, "--seeds", "1..2", "--resume", "b.csv")
    suite.fails("no scene", FILE, "'missing.json'", "sweep", "--scene", "missing.json", "--vary",
                "feed=0.03,0.04", "--table", "a.csv")
    for option in ("--table=a.csv", "--devices=0", "--dry-run"):
        suite.fails(f"--list and {option}", USAGE, "--list", *FIELD, "--seeds", "1..2", "--list",
                    option)
    suite.fails("a pipe of rows", USAGE, "'/dev/stdin'", *one, "--from", "/dev/stdin")
    suite.fails("begin and resume", USAGE, "--overwrite", *FIELD, "--seeds", "1..2", "--resume",
                "b.csv", "--overwrite")
    suite.fails("two options for devices", USAGE, "--devices", *one, "--seeds", "1..2",
                "--devices", "0", "--device", "0")
    suite.fails("a device that is not there", DEVICE, "'7'", *one, "--seeds", "1..2", "--devices",
                "7,0")
    suite.fails("a secret", USAGE, "--key", "sweep", "cipher", "--seeds", "1..2", "--key", "k",
                "--table", "a.csv")
    suite.fails("no file of rows", FILE, "'r.csv'", *one, "--from", "r.csv")
    for name, text in (("only a header", "feed\n"), ("another header", "feed,steps\n1,2\n"),
                       ("a row too short", "feed,kill\n0.1\n"), ("a quote", 'feed\n"0.1\n'),
                       ("a value in a row", "feed\n0.1\n7\n"),
                       ("a header twice", "feed,feed\n1,1\n"),
                       ("no text", "fe\0d\n1\n")):
        suite.write("r.csv", text)
        suite.fails(f"rows: {name}", FILE if name in ("a row too short", "a quote", "no text")
                    else USAGE, "r.csv" if name not in ("a value in a row", "a header twice")
                    else "--from", *one, "--from", "r.csv")
    suite.check(set(os.listdir(suite.folder)) <= {"r.csv", "cache"}, "no file is left",
                os.listdir(suite.folder))
    suite.succeeds("a sweep", *one, "--seeds", "1..2")
    for name, options in (("other values", ["--seeds", "1..3"]),
                          ("another option", ["--vary", "feed=0.01,0.02"]),
                          ("other steps", ["--seeds", "1..2", "--steps", 3])):
        suite.fails(f"the table of another sweep: {name}", USAGE, "a.part", *FIELD, "--steps", 2,
                    *options, "--resume", "a.csv")
    suite.fails("steps of its own", USAGE, "a.part", "sweep", "--resume", "a.csv", "--steps", 3)
    os.remove(suite.path("a.csv"))
    os.remove(suite.path("a.times.csv"))
    suite.fails("a part of another sweep", USAGE, "a.part-0.csv", *one, "--seeds", "1..3", "--part",
                "1/3")
    suite.fails("a sweep that was not completed", FILE, "--resume", *one, "--seeds", "1..2")
    suite.write("a.part-0.csv", suite.read("a.part-0.csv").split(b"\n", 1)[1])
    suite.fails("no part of a sweep", FILE, "a.part-0.csv", "sweep", "--resume", "a.csv")


if __name__ == "__main__":
    main(globals())

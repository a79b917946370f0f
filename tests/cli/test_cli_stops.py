#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_cli_stops.py VKSIM [NAME...]: runs that are stopped, or wait. See suite.py."""

import os
import re
import select
import signal
import subprocess
import sys
import time
import zipfile

sys.dont_write_bytecode = True
from suite import (INTERRUPTED, LONG, OK, SMALL, STANDSTILL, default_signals,  # noqa: E402
                   interrupted, main, npy, probe)


def test_pipes_that_wait(suite):
    """The run waits for a slow reader, but Ctrl-C ends it, and the state is saved."""
    for number in (signal.SIGINT, signal.SIGTERM):
        with subprocess.Popen([suite.vksim, *LONG, "--frames", "1000000", "--out", "-",
                               "--save-state", "w.npz", "--overwrite"], env=suite.environment(),
                              cwd=suite.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, preexec_fn=default_signals) as process:
            select.select([process.stdout], [], [], 60)
            time.sleep(1)  # until the pipe is full
            alive = process.poll() is None
            begun = time.monotonic()
            process.send_signal(number)
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


def test_encoder_stalls(suite):
    """An encoder that never returns: the second Ctrl-C ends the run, and the old file is kept."""
    suite.write("still.c", STANDSTILL)
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", suite.path("still.so"),
                    suite.path("still.c")], check=True)
    suite.write("old.mp4", "precious")
    preload = ":".join(filter(None, (os.environ.get("LD_PRELOAD"), suite.path("still.so"))))
    with subprocess.Popen([suite.vksim, *SMALL, "--frames", "100", "--out", "old.mp4",
                           "--overwrite"], env=suite.environment(LD_PRELOAD=preload),
                          cwd=suite.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          preexec_fn=default_signals) as process:
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


def large_state(suite):
    """A small file whose arrays take seconds to load."""
    count = 30_000_000
    with zipfile.ZipFile(suite.path("large.npz"), "w", zipfile.ZIP_DEFLATED,
                         compresslevel=1) as archive:
        for name, shape, words in (("position", (count, 2), 2 * count), ("heading", (count,),
                                                                        count)):
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                member.write(npy("<f8", shape, b""))
                for _ in range(words // 125_000):
                    member.write(bytes(1_000_000))
        archive.writestr("trail.npy", npy("<f4", (24, 32), bytes(3072)))


class Terminal:
    """A run whose standard error is a terminal."""

    def __init__(self, suite, *arguments, env=None):
        self.ours, theirs = os.openpty()
        self.process = subprocess.Popen(
            [suite.vksim, *map(str, arguments)], env=env or suite.environment(),
            cwd=suite.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=theirs,
            preexec_fn=default_signals)
        os.close(theirs)
        self.text = b""

    def read(self, until=None):
        """Reads until the text has these bytes, or to the end."""
        try:
            while until is None or until not in self.text:
                part = os.read(self.ours, 1 << 16)
                if not part:
                    break
                self.text += part
        except OSError:  # Linux reports a closed terminal like this
            pass
        return self.text

    def end(self):
        """(status, text)"""
        self.read()
        os.close(self.ours)
        return self.process.wait(timeout=60), self.text.decode().replace("\r\n", "\n")


ACKNOWLEDGED = "\nvksim: finishing ...; interrupt again to stop now\n"


def test_load_stops(suite):
    large_state(suite)
    load = ["physarum", "--headless", "--load-state", "large.npz", "--steps", "0"]
    suite.write("old.png", "precious")
    run = Terminal(suite, *load, "--out", "old.png", "--overwrite")
    run.read(b"loading large.npz: ")
    run.process.send_signal(signal.SIGINT)
    begun = time.monotonic()
    run.read(b"again to stop now")
    said = time.monotonic() - begun
    status, text = run.end()
    seconds = time.monotonic() - begun
    suite.check(re.search(r"\rloading large\.npz: \d+ %", text), "a long load shows progress", text)
    suite.check(status == INTERRUPTED and said < 1 and seconds < 10 and
                text.endswith(ACKNOWLEDGED), "Ctrl-C ends it", status, said, seconds, text)
    suite.check(suite.read("old.png") == b"precious" and not suite.left_over(), "without a file",
                os.listdir(suite.folder))
    status, _, err = interrupted(suite, [], [signal.SIGTERM], after=0.7,
                                 command=[*load, "--out", "none", "--quiet"])
    suite.check(status == INTERRUPTED and not err, "SIGTERM likewise, --quiet is silent", err)


def test_cells_stop(suite):
    seeds = ",".join(map(str, range(1, 257)))
    run = Terminal(suite, "--headless", "--size", "256x256", "--agents", "200k", "--frames", 1,
                   "--vary", f"seed={seeds}", "--out", "cells.png")
    run.read(b"computing on the processor")
    time.sleep(0.3)
    run.process.send_signal(signal.SIGINT)
    begun = time.monotonic()
    status, text = run.end()
    suite.check(status == INTERRUPTED and time.monotonic() - begun < 3 and
                text.endswith(ACKNOWLEDGED) and not os.path.exists(suite.path("cells.png")),
                "Ctrl-C while cells are built", status, time.monotonic() - begun, text)


def test_second_signal(suite):
    """A second signal removes the part files, here while the encoder hangs."""
    suite.write("still.c", STANDSTILL)
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", suite.path("still.so"),
                    suite.path("still.c")], check=True)
    preload = ":".join(filter(None, (os.environ.get("LD_PRELOAD"), suite.path("still.so"))))
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        run = Terminal(suite, *LONG, "--frames", "1000", "--out", "slow.mp4", "--watch",
                       "slow.csv", env=suite.environment(LD_PRELOAD=preload))
        until = time.monotonic() + 100
        while not os.path.exists(suite.path("stalled")) and time.monotonic() < until:
            time.sleep(0.1)
        os.remove(suite.path("stalled"))
        time.sleep(0.5)
        parts = suite.left_over()
        run.process.send_signal(number)
        run.read(b"again to stop now")
        time.sleep(0.7)
        run.process.send_signal(number)
        begun = time.monotonic()
        status, text = run.end()
        left = [name for name in os.listdir(suite.folder) if "slow" in name]
        seconds = time.monotonic() - begun
        suite.check(len(parts) == 2 and status == INTERRUPTED and seconds < 3 and not left,
                    f"{number.name} twice", parts, status, left, text)
        suite.check(f"{ACKNOWLEDGED}vksim: stopped\n" in text,
                    "each message is on a line of its own", text)


def test_timeout(suite):
    """timeout(1) sends its signal to the process and to its group, which counts once."""
    run = subprocess.run(["timeout", "-s", "INT", "2", suite.vksim, *LONG, "--frames", "1000000",
                          "--out", "cut.y4m", "--overwrite"], env=suite.environment(),
                         cwd=suite.folder, capture_output=True, text=True, timeout=100,
                         preexec_fn=default_signals)
    suite.check("wrote cut.y4m" in run.stderr and "stopped" not in run.stderr,
                "a run within timeout", run.returncode, run.stderr)


def test_hang_up(suite):
    def ignored():
        default_signals()
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    for name, before, signals in (("a terminal that closes", default_signals, 2),
                                  ("nohup", ignored, 1)):
        with subprocess.Popen([suite.vksim, *LONG, "--frames", "1000000", "--out", "up.y4m",
                               "--overwrite"], env=suite.environment(), cwd=suite.folder,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              preexec_fn=before) as process:
            time.sleep(1)
            for _ in range(signals):
                process.send_signal(signal.SIGHUP)
            time.sleep(1)
            alive = process.poll() is None
            process.send_signal(signal.SIGINT)
            err = process.communicate(timeout=60)[1].decode()
        suite.check(process.returncode == INTERRUPTED and "vksim: wrote up" in err and
                    alive == (before is ignored), name, process.returncode, alive, err)
    suite.check(not suite.left_over(), "no part file is left", suite.left_over())


def test_waiting_for_a_pipe(suite):
    os.mkfifo(suite.path("pipe.json"))
    status, seconds, err = interrupted(suite, [], [signal.SIGINT], after=0.5,
                                       command=["--headless", "--scene", "pipe.json"])
    suite.check(status == INTERRUPTED and seconds < 2, "Ctrl-C while a scene is awaited", status,
                seconds, err)


if __name__ == "__main__":
    sys.exit(main(globals()))

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_cli_timings.py VKSIM [NAME...]: timings, traces and watched values. See suite.py."""

import csv
import json
import math
import os
import re
import signal
import struct
import sys

sys.dont_write_bytecode = True
from suite import (FILE, INTERRUPTED, OK, SMALL, USAGE, array, interrupted,  # noqa: E402
                   limit_files, main, offers, on_terminal, read_table, report)


def phases_of(got):
    return {(row["thread"], row["name"]): row["seconds"] for row in got["phases"]}


def names_its_time(got):
    """Whether little of the main thread's time is in no phase with a name."""
    return phases_of(got)["main", "other"] < 0.02 * got["wall_s"] + 0.03


def test_timings(suite):
    run = [*SMALL, "--steps", 40, "--steps-per-frame", 4, "--out", "t.mp4", "--overwrite"]
    table = suite.succeeds("--timings", *run, "--timings")
    lines = table.splitlines()
    head = next(i for i, line in enumerate(lines) if line.startswith("pass "))
    said = " ".join(line.strip() for line in lines[1:head])
    suite.check(re.match(r"(Start-up took .*; a|A) step takes .* takes .* % of all GPU time.*\. .*"
                         r"'.*The GPU idles .* %", said), "it concludes", said)
    suite.check(lines[0].startswith("physarum 32x24 on llvmpipe") and
                re.match(r"pass +calls +total ms +mean us +p50 us +p95 us +max us +share +GB/s +"
                         r"of copy +GFLOP/s +bound by",
                         lines[head]) and max(map(len, lines[1:])) <= 120, "its head", *lines)
    rows = {line.split()[0]: line.split() for line in lines[2:]}
    suite.check(rows["agents"][1] == "40" and rows["colour"][1] == "11" and
                rows["agents"][2] != "-", "one row per pass", *lines)
    suite.check("40 steps, 11 frames" in table, "the totals", *lines)
    counted = "memory budget" in offers(suite.succeeds("features", "--list-devices"))
    suite.check(re.search(r"^memory: \S+ [KM]iB allocated, peak \S+ [KM]iB"
                          r"(; \S+ \S?iB free of a budget|,) of \S+ GiB$", table, re.M),
                "the memory", *lines)
    suite.check(suite.run(*run, "--timings=table")[0] == OK, "--timings=table")
    # On a busy machine the thread may lose its processor between two phases, but not in every run.
    for _ in range(5):
        got = report(suite, *run)
        if names_its_time(got):
            break
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
    phases = phases_of(got)
    main = sum(seconds for (thread, _), seconds in phases.items() if thread == "main")
    suite.check(abs(main - got["wall_s"]) < 0.02 * got["wall_s"] and names_its_time(got),
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
    suite.fails("without --overwrite", FILE, "t.csv", *run[:-3], "--out", "none", "--timings",
                "--timings-out", "t.csv")
    suite.fails("--timings-out alone", USAGE, "--timings-out", *run, "--timings-out", "u.csv")


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
    suite.fails("a range reversed", USAGE, "--trace-steps", *refused, "13:10")
    suite.fails("an empty range", USAGE, "--trace-steps", *refused, "5:5")
    suite.fails("no range", USAGE, "--trace-steps", *refused, "x")
    suite.fails("half a step", USAGE, "--trace-steps", *refused, "0.5:3")
    suite.fails("a range outside the run", USAGE, "40:50", *refused, "40:50")
    suite.fails("a range of nothing", USAGE, "--trace-steps", *run, "--out", "none",
                "--trace-steps", "1:2")
    suite.fails("an existing trace", FILE, "p.json", *run, "--out", "none", "--trace", "p.json")
    suite.fails("a trace in no folder", FILE, "no/t.json", *run, "--out", "none", "--trace",
                "no/t.json")
    suite.fails("one file twice", USAGE, "--out", *run, "--out", "a.json", "--trace", "a.json")
    suite.check(not suite.left_over(), "nothing is left over", suite.left_over())


def test_watch(suite):
    pool = ["gray-scott", "--headless", "--size", "48x32", "--steps-per-frame", 5, "--frames", 6]
    plain = suite.digests(*pool, "--out", "plain.y4m")
    watched = suite.digests(*pool, "--out", "watched.y4m", "--watch", "a.csv")
    suite.check(plain == watched and suite.read("plain.y4m") == suite.read("watched.y4m"),
                "--watch changes no byte", plain, watched)
    columns, rows = read_table(suite.read("a.csv"))
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
    mean = math.fsum(values[-1536:]) / 1536
    suite.check(abs(mean - read_table(suite.read("a.csv"))[1][5][3]) < 1e-15,
                "the mean of halves")
    # The table needs all frames, even with a still of the last one.
    trail = [*SMALL, "--frames", 4, "--normalize", "frame"]
    suite.succeeds("with a still", *trail, "--out", "t.png", "--watch", "t.csv")
    columns, rows = read_table(suite.read("t.csv"))
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
    for name, subject, arguments in (
            ("another kind", "--watch", ["--watch", "a.txt"]),
            ("several cells", "--watch", ["--watch", "c.csv", "--vary", "feed=0.03,0.04", "--out",
                                          "none"])):
        suite.fails(f"{name}: refused", USAGE, subject, *pool, *arguments)
    suite.fails("a table that is there", FILE, "--overwrite", *pool, "--out", "none", "--watch",
                "a.csv")
    got, _, err = suite.run(*pool, "--frames", 3000, "--steps-per-frame", 1, "--out", "none",
                            "--watch", "full.csv", env=suite.limited_files(),
                            preexec_fn=limit_files(20000))
    suite.check(got == FILE and "cannot write 'full.csv'" in err and
                not os.path.exists(suite.path("full.csv")), "a full disk ends the run", got, err)
    status, _, err = interrupted(suite, ["--frames", "1000000", "--out", "none", "--watch",
                                         "i.csv"], [signal.SIGINT])
    _, rows = read_table(suite.read("i.csv"))
    suite.check(status == INTERRUPTED and len(rows) > 1 and f"({len(rows)} rows)" in err and
                [row[0] for row in rows] == list(range(len(rows))), "Ctrl-C keeps the rows", status,
                err)
    suite.check(not suite.left_over(), "nothing is left behind", suite.left_over())


if __name__ == "__main__":
    sys.exit(main(globals()))

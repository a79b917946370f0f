#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_cli_physarum_3d.py VKSIM [NAME...]: Physarum in a volume: files of points, what is refused
or has no effect, tables of the trace, outputs and states. See suite.py."""

import re
import struct
import sys

sys.dont_write_bytecode = True
from suite import FILE, USAGE, array, floats, main, npy, npz_members  # noqa: E402

SMALL = ["physarum-3d", "--headless", "--preset", "plain", "--size", "16x8x8", "--agents", 200]
NONE = [*SMALL, "--steps", 1, "--out", "none"]
POINTS = "x,y,z,weight\n0,0,0,1\n10,5,5,2\n4,2,1,0.5\n"


def fed(name, *more):
    return [*NONE, "--food", f"points:{name}", *more]


def test_refused(suite):
    """Options that do not fit each other or the size. Nothing needs a device."""
    suite.write("p.csv", POINTS)
    rows = [
        ("a flat field", "--size", [*SMALL[:4], "--size", "16x8"]),
        ("food that is a file", "--food", [*NONE, "--food", "p.csv"]),
        ("food without a file", "--food", [*NONE, "--food", "points:"]),
        ("a box of two numbers", "--points-box", fed("p.csv", "--points-box", "0,1")),
        ("a box with a word", "--points-box", fed("p.csv", "--points-box", "0,0,0,1,1,x")),
        ("a box without volume", "--points-box", fed("p.csv", "--points-box", "0,0,0,1,1,0")),
        ("a box without points", "--points-box", fed("p.csv", "--points-box", "20,0,0,30,1,1")),
        ("a negative margin", "--points-margin", fed("p.csv", "--points-margin", -1)),
        ("too sharp", "--sharpness", [*NONE, "--sharpness", 11]),
        ("a variant of physarum", "--variant", [*NONE, "--variant", "joined"]),
        ("an unknown view", "--view", [*NONE, "--view", "agents"]),
        ("a table without points", "--points-out", [*NONE, "--points-out", "t.csv"]),
        ("a table of physarum", "--points-out",
         ["physarum", "--headless", "--steps", 1, "--out", "none", "--points-out", "t.csv"]),
        ("a table that is not .csv", "--points-out", fed("p.csv", "--points-out", "t.txt")),
        ("a table over the points", "--points-out", fed("p.csv", "--points-out", "p.csv")),
        ("a table of several runs", "--points-out",
         fed("p.csv", "--points-out", "t.csv", "--vary", "decay=0.1,0.2")),
    ]
    for name, subject, arguments in rows:
        suite.fails(name, USAGE, subject, *arguments, "--dry-run")


def test_files(suite):
    """Files of points that are damaged. The message names the row."""
    flat = floats([0, 0, 0, 1, 1, 0], "d")
    rows = [
        ("no file", "missing.csv", None),
        ("another kind of file", "points.txt", POINTS),
        ("an empty file", "empty.csv", ""),
        ("a header alone", "header.csv", "x,y,z\n"),
        ("two columns", "two.csv", "1,2\n3,4\n"),
        ("five columns", "five.csv", "1,2,3,4,5\n"),
        ("rows of other lengths", "uneven.csv", "1,2,3\n4,5,6,7\n"),
        ("a word", "word.csv", "1,2,3\n4,five,6\n"),
        ("an infinite number", "infinite.csv", "1,2,3\n4,1e999,6\n"),
        ("a number that is none", "nan.csv", "x,y,z\n1,2,3\n\n4,nan,6\n"),
        ("a gap", "gap.csv", "1,2,3\n4,,6\n"),
        ("a negative weight", "weight.csv", "1,2,3,1\n4,5,6,-1\n"),
        ("a weight that is too large", "large.csv", "1,2,3,1\n4,5,6,1e13\n"),
        ("a coordinate that is too large", "far.csv", "1,2,3\n4,5e200,6\n"),
        ("one point", "one.csv", "1,2,3\n"),
        ("a long line", "long.csv", "1," * 40000 + "\n"),
        ("bytes that are no text", "zeros.csv", b"\0\1\2\n" * 9),
        ("a text named .npy", "text.npy", POINTS),
        ("one dimension", "line.npy", npy("<f8", (6,), flat)),
        ("two columns in .npy", "two.npy", npy("<f8", (3, 2), flat)),
        ("a short .npy", "short.npy", npy("<f8", (3, 3), flat)),
        ("no rows in .npy", "none.npy", npy("<f8", (0, 3), b"")),
        ("NaN in .npy", "nan.npy", npy("<f4", (2, 3), floats([0, 0, 0, 1, float("nan"), 0]))),
        ("an infinite half", "half.npy", npy("<f2", (2, 3), struct.pack("<6H", 0, 0, 0, 0, 0,
                                                                        0x7c00))),
    ]
    for name, path, data in rows:
        if data is not None:
            suite.write(path, data if isinstance(data, bytes) else data.encode())
        suite.fails(name, FILE, path, *fed(path), "--dry-run")


def test_margin(suite):
    """Points in a plane need a margin or a box."""
    suite.write("plane.csv", b"0,0,1\n3,4,1\n")
    suite.fails("without a margin", FILE, "plane.csv", *fed("plane.csv", "--points-margin", 0),
                "--dry-run")
    suite.succeeds("with a margin", *fed("plane.csv"), "--dry-run")
    suite.succeeds("with a box", *fed("plane.csv", "--points-box", "0,0,0,4,4,2"), "--dry-run")


def test_table(suite):
    """--points-out: a row per point with the trace of its cell, and what is said about it."""
    suite.write("p.csv", (POINTS + "-3,1,1,7\n").encode())
    box = ["--points-box", "0,0,0,16,8,8"]
    status, out, err = suite.run(*fed("p.csv", *box), "--save-state", "s.npz", "--points-out",
                                 "t.csv")
    suite.check(status == 0, "a run with a table", err)
    suite.check("1 of 4 points are outside the volume and left out" in err, "what is left out", err)
    suite.check(re.search(r"overdensity of the trace.*median .*max ", err), "overdensity", err)
    lines = suite.read("t.csv").decode().splitlines()
    suite.check(lines[0] == "row,x,y,z,weight,trace" and len(lines) == 5, "its rows", lines)
    rows = [line.split(",") for line in lines[1:]]
    shape, data = array(npz_members(suite.path("s.npz"))["trace.npy"])
    trace = struct.unpack(f"<{len(data) // 4}f", data)
    suite.check([row[0] for row in rows] == ["1", "2", "3", "4"] and
                rows[1][1:5] == ["10", "5", "5", "2"], "numbers and coordinates", rows)
    suite.check(rows[3][5] == "" and all(float(row[5]) >= 0 for row in rows[:3]),
                "a trace for each point inside", rows)
    suite.check(shape == (8, 8, 16) and float(rows[0][5]) == trace[0] and
                float(rows[1][5]) == trace[(5 * 8 + 5) * 16 + 10], "that of its cell", rows)
    suite.fails("a table that exists", FILE, "t.csv", *fed("p.csv", *box, "--points-out", "t.csv"))


def test_states(suite):
    """A state keeps its food; rows in any order give the same one."""
    suite.write("a.csv", POINTS.encode())
    head, *rows = POINTS.splitlines()
    suite.write("b.csv", "\n".join([head, *reversed(rows)]).encode())
    one = suite.digests(*fed("a.csv"))
    suite.check(one == suite.digests(*fed("b.csv")), "the order of rows changes nothing")
    suite.succeeds("a state", *fed("a.csv", "--save-state", "s.npz"))
    more = ["physarum-3d", "--headless", "--load-state", "s.npz", "--steps", 2, "--out", "none"]
    whole = suite.digests(*SMALL, "--food", "points:a.csv", "--steps", 3, "--out", "none")
    suite.check(suite.digests(*more) == whole, "1 + 2 steps are 3 steps")
    suite.fails("other food", FILE, "food", *more, "--food", "points:b.csv")
    suite.fails("no food", FILE, "food", *more, "--food", "none")


def test_outputs(suite):
    """Pictures and arrays of a volume."""
    suite.succeeds("pictures", *SMALL, "--frames", 2, "--out", "%d.png", "--project", "column",
                   "--tone", "log")
    suite.succeeds("a volume for ParaView", *SMALL, "--steps", 2, "--steps-per-frame", 2, "--out",
                   "v%d.vti")
    suite.check(b'Name="trace"' in suite.read("v1.vti"), "it has the trace")
    suite.succeeds("points seen by a camera", *SMALL, "--frames", 2, "--view", "points",
                   "--camera", "30,20", "--out", "c%d.png")
    suite.succeeds("the trail seen by a camera", *SMALL, "--frames", 2, "--view", "trail",
                   "--camera", "30,20", "--out", "t%d.png", "--watch", "w.csv")
    suite.check(b"trace_max" in suite.read("w.csv").splitlines()[0], "scalars")


if __name__ == "__main__":
    sys.exit(main(globals()))

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_cli_cipher.py VKSIM [NAME...]: the reversible mould: both ways across drivers, its key,
which no output contains, and what is refused. See suite.py."""

import json
import os
import re
import struct
import sys

sys.dont_write_bytecode = True
from suite import (FILE, STOPPED, USAGE, main, npy, npz, npz_members, pixels, png,  # noqa: E402
                   read_table, values)

WIDTH, HEIGHT = 32, 24
FEW = ["--agents", 200, "--reservoirs", 3, "--registers", 5]
START = ["cipher", "--init", "image:photo.png", "--size", f"{WIDTH}x{HEIGHT}", *FEW, "--headless"]
BACK = ["cipher", "--load-state", "locked.npz", "--reverse", "--headless"]
KEY = "correct horse battery staple"


def write_photo(suite):
    """Every grey level occurs: the grey values are returned."""
    grey = bytes((7 * i) % 256 for i in range(WIDTH * HEIGHT))
    rows = [b"".join(bytes([level]) * 3 for level in grey[y * WIDTH:(y + 1) * WIDTH])
            for y in range(HEIGHT)]
    suite.write("photo.png", png(WIDTH, HEIGHT, rows))
    return grey


def lock(suite, steps=20, out="none", more=()):
    suite.succeeds("a picture is locked", *START, "--key", KEY, "--steps", steps, "--out", out,
                   "--save-state", "locked.npz", "--overwrite", *more)


def test_both_ways(suite):
    """Locked on one driver, restored on the other; with another key nothing is written."""
    grey = write_photo(suite)
    expected = b"".join(bytes([level]) * 3 for level in grey)
    lock(suite, 20, "mould.png")
    suite.check(pixels(suite.path("mould.png")) != expected, "the mould is another picture")
    for driver in ("lavapipe", "swiftshader"):
        env = suite.environment(driver)
        suite.succeeds(f"back on {driver}", *BACK, "--key", KEY, "--steps", 20, "--out",
                       f"{driver}.png", env=env)
        suite.check(pixels(suite.path(f"{driver}.png")) == expected,
                    f"the picture is restored on {driver}")
    suite.succeeds("the last frame of none", *BACK, "--key", KEY, "--steps", 0, "--out",
                   "same.png")
    suite.check(pixels(suite.path("same.png")) == pixels(suite.path("mould.png")),
                "no step changes nothing")
    suite.write("old.png", "precious")
    wrong = ["--key", KEY[:-1], "--steps", 20, "--overwrite"]
    suite.fails("another key", STOPPED, "the picture was not restored", *BACK, *wrong, "--out",
                "old.png", "--save-state", "open.npz")
    suite.check(suite.read("old.png") == b"precious" and
                not os.path.exists(suite.path("open.npz")), "nothing is written")
    suite.fails("another option", STOPPED, "the picture was not restored", *BACK, "--key", KEY,
                "--deposit", 8.5, "--steps", 20, "--out", "none")


def test_noise(suite):
    """The pictures of a wrong key, up to the last moment."""
    grey = write_photo(suite)
    lock(suite)
    status, _, err = suite.run(*BACK, "--key", KEY + "!", "--steps", 20, "--out", "f_%d.png")
    levels = pixels(suite.path("f_19.png"))[::3]
    differ = sum(a != b for a, b in zip(levels, grey))
    suite.check(status == STOPPED and differ > 0.98 * len(grey), "it is noise", status, differ, err)


@values
def test_pieces(suite):
    """Steps, a state and more steps equal one run, in both directions."""
    write_photo(suite)
    whole = suite.state(*START, "--key", KEY, "--steps", 20)
    lock(suite, 8)
    half = suite.state("cipher", "--load-state", "locked.npz", "--key", KEY, "--headless",
                       "--steps", 12, "--save-state", "later.npz")
    suite.check(whole == half, "8 + 12 steps are 20")
    first = suite.state("cipher", "--load-state", "later.npz", "--key", KEY, "--headless",
                        "--reverse", "--steps", 12, "--save-state", "back.npz")
    suite.check(first == suite.state("cipher", "--load-state", "locked.npz", "--headless",
                                     "--steps", 0), "12 steps back are those after 8")
    header = json.loads(npz_members(suite.path("back.npz"))["vksim.json"])
    suite.check(header["options"]["reverse"] is True and header["steps"] == 32,
                "the state has its direction", header)
    again = suite.state("cipher", "--load-state", "back.npz", "--key", KEY, "--headless",
                        "--steps", 8)
    suite.check(again == suite.state(*START, "--key", KEY, "--steps", 0),
                "a state of a run backward continues backward")
    forward = suite.state("cipher", "--load-state", "back.npz", "--key", KEY, "--headless",
                          "--reverse=false", "--steps", 12)
    suite.check(forward == whole, "--reverse=false turns it round")
    suite.check(suite.state(*START, "--key", "", "--steps", 3) ==
                suite.state(*START, "--steps", 3), "no key is the empty key")
    suite.write("k.txt", f"{KEY}\nanother line\n")
    suite.check(suite.state(*START, "--key-file", "k.txt", "--steps", 20) == whole,
                "a key from a file")
    suite.write("k.txt", f"{KEY}\r\n")
    suite.check(suite.state(*START, "--key-file", "k.txt", "--steps", 20) == whole,
                "a key from a file with other ends of lines")


def test_residue(suite):
    write_photo(suite)
    lock(suite, 9, more=["--watch", "there.csv"])
    suite.succeeds("back with a table", *BACK, "--key", KEY, "--steps", 9, "--out", "none",
                   "--watch", "back.csv")
    there, back = (read_table(suite.read(name)) for name in ("there.csv", "back.csv"))
    words = 3 * WIDTH * HEIGHT
    column = there[0].index("residue")
    suite.check([row[column] for row in there[1]][:2] == [0, WIDTH * HEIGHT] and
                0.99 * words < there[1][-1][column] <= words, "the residue grows", there)
    suite.check(0.99 * words < back[1][0][back[0].index("residue")] <= words and
                back[1][-1][back[0].index("residue")] == 0, "and is 0 at the start", back)


def test_secret(suite):
    """No output of any kind contains the key."""
    write_photo(suite)
    env = suite.environment()
    told = []
    runs = [
        [*START, "--steps", 4, "--out", "a.mp4", "--out", "a_%d.png", "--out", "a.gif",
         "--save-state", "a.npz", "--save-scene", "a.json", "--watch", "a.csv", "--timings=json",
         "--digest", "--verbose", "--report", "a.html", "--trace", "t.json"],
        [*START, "--steps", 2, "--out", "b.npy", "--timings"],
        [*START, "--steps", 2, "--out", "none", "--timings=csv"],
        [*START, "--dry-run"], [*START, "--show-options"], [*START, "--preset", "chalk", "--help"],
        [*START, "--vary", "deposit=2,8", "--steps", 1, "--out", "sheet.png"],
        [*START, "--size", "31x23", "--steps", 1],
        [*START, "--vary", f"key={KEY},other", "--steps", 1],
        ["physarum", "--headless", "--steps", 1],
    ]
    for arguments in runs:
        for words in (["--key", KEY], [f"--key={KEY}"]):
            told.append("".join(map(str, suite.run(*arguments, *words, "--overwrite", env=env))))
    suite.check(any("(hidden)" in text for text in told) and
                any("not shown" in text for text in told), "its place is shown", *told)
    members = npz_members(suite.path("a.npz"))
    files = dict(members)
    for folder, _, names in os.walk(suite.folder):
        for name in names:
            with open(os.path.join(folder, name), "rb") as file:
                files[name] = file.read()
    suite.check(len(files) > 20 and b"photo.png" in files["a.json"], "there are files",
                sorted(files))
    found = [name for name, data in files.items() if KEY.encode() in data]
    suite.check(not found, "no file has the key", found)
    said = [text for text in told if KEY in text]
    suite.check(not said, "no message has the key", said)
    for name in ("a.json", "vksim.json"):
        text = files[name].decode()
        suite.check('"key' not in text, f"{name} has no such option", text)
    again = suite.run("--headless", "--scene", "a.json", "--steps", 1, "--out", "none")
    suite.check(again[0] == 0, "the scene runs without it", again)


def test_refused(suite):
    write_photo(suite)
    lock(suite, 20)
    none = ["--out", "none"]
    start = [*START, "--steps", 1, *none]
    rows = [
        ("no picture", USAGE, "--init", ["cipher", "--headless", *none]),
        ("no picture, dry", USAGE, "--init", ["cipher", "--headless", "--dry-run"]),
        ("another start", USAGE, "--init", ["cipher", "--headless", "--init", "random", *none]),
        ("a start without a picture", USAGE, "--init",
         ["cipher", "--headless", "--init", "none", *none]),
        ("an odd width", USAGE, "--size", [*start, "--size", "31x24"]),
        ("odd sides", USAGE, "--size", [*start, "--size", "31x23"]),
        ("backward from a picture", USAGE, "--reverse", [*start, "--reverse"]),
        ("one step too many", USAGE, "--reverse", [*BACK, "--key", KEY, "--steps", 21, *none]),
        ("one step too many, dry", USAGE, "--reverse",
         [*BACK, "--key", KEY, "--steps", 21, "--dry-run"]),
        ("one frame too many", USAGE, "--reverse",
         [*BACK, "--key", KEY, "--frames", 12, "--steps-per-frame", 2, *none]),
        ("other registers", FILE, "registers", [*BACK, "--registers", 6, "--steps", 1, *none]),
        ("other reservoirs", FILE, "reservoirs",
         [*BACK, "--reservoirs", 6, "--steps", 1, "--dry-run"]),
        ("another size", FILE, "trail", [*BACK, "--size", "24x32", "--steps", 1, *none]),
        ("too many registers", USAGE, "--registers",
         [*start, "--agents", 100000000, "--registers", 64]),
        ("too many reservoirs", USAGE, "--reservoirs",
         [*start, "--size", "65536x16384", "--reservoirs", 64]),
        ("no agents at all", USAGE, "--agents", [*start, "--agents", -1]),
        ("a strong decay", USAGE, "--decay", [*start, "--decay", 0.6]),
        ("two keys", USAGE, "--key-file", [*start, "--key", "a", "--key-file", "photo.png"]),
        ("no key file", FILE, "k.txt", [*start, "--key-file", "k.txt"]),
        ("an empty key file", USAGE, "--key-file", [*start, "--key-file", "empty.txt"]),
        ("a key file that is not text", USAGE, "--key-file", [*start, "--key-file", "zero.txt"]),
        ("a key without a value", USAGE, "--key", [*start, "--key"]),
        ("a key that looks like an option", USAGE, "--key", [*start, "--key", "--sesame"]),
        ("a key that varies", USAGE, "key", [*start, "--vary", "key=a,b"]),
        ("a key in a scene", USAGE, "scene.json",
         ["--headless", "--scene", "scene.json", "--steps", 1, *none]),
        ("a key for another simulation", USAGE, "--key",
         ["physarum", "--headless", "--key", "a", *none]),
    ]
    suite.write("empty.txt", "\nkey\n")
    suite.write("zero.txt", b"a\0b\n")
    suite.write("scene.json", '{"simulation": "cipher", "init": "image:photo.png", "key": "a"}')
    for name, status, subject, arguments in rows:
        suite.fails(name, status, subject, *arguments)
    suite.succeeds("options without a picture", "cipher", "--show-options")


def test_arrays(suite):
    """States of NumPy, whose shapes decide; words may be signed."""
    write_photo(suite)
    lock(suite, 20)
    members = npz_members(suite.path("locked.npz"))
    arrays = {name: data for name, data in members.items() if name.endswith(".npy")}
    shapes = {name[:-4]: re.search(rb"'shape': \(([^)]*)\)", data)[1].decode().rstrip(",")
              for name, data in arrays.items()}
    suite.check(shapes == {"trail": f"{HEIGHT}, {WIDTH}", "reservoir": f"3, {HEIGHT}, {WIDTH}",
                           "position": "200, 2", "heading": "200", "register": "5, 200",
                           "moment": "1"}, "members", shapes)
    npz(suite.path("bare.npz"), arrays)
    back = ["cipher", "--load-state", "bare.npz", "--headless", "--reverse", "--key", KEY]
    first = suite.state(*START, "--key", KEY, "--steps", 0)
    suite.check(suite.state(*back, "--steps", 20) == first, "without a header")
    signed = {name: data.replace(b"'<u4'", b"'<i4'") if name in ("trail.npy", "reservoir.npy")
              else data for name, data in arrays.items()}
    npz(suite.path("bare.npz"), signed)
    suite.check(suite.state(*back, "--steps", 20) == first, "signed words")
    suite.fails("a step too many without a header", USAGE, "--reverse", *back, "--steps", 21,
                "--out", "none")
    npz(suite.path("bare.npz"), {"trail": npy("<i4", (2, 4), struct.pack("<8i", *range(-4, 4)))})
    suite.succeeds("a trail alone starts a run", "cipher", "--load-state", "bare.npz", "--headless",
                   "--steps", 3, "--out", "none")
    for name, kind, code, data in (("reals", "<f4", "f", [0.5] * 8),
                                   ("words of 64 bits", "<i8", "q", [1 << 40] * 8)):
        npz(suite.path("bare.npz"), {"trail": npy(kind, (2, 4), struct.pack(f"<8{code}", *data))})
        suite.fails(name, FILE, "trail", "cipher", "--load-state", "bare.npz", "--headless",
                    "--steps", 3, "--out", "none")


sys.exit(main(globals()))

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_cli_terrain.py VKSIM [NAME...]: heights, erosion, levels, caves and meshes. See suite.py."""

import collections
import hashlib
import json
import math
import struct
import sys
import zlib

sys.dont_write_bytecode = True
from suite import (FILE, SMALL, USAGE, limit_files, main, pixels, values)  # noqa: E402

STEPS = [*SMALL, "--steps", 20]
# A trail with high ridges: 48 x 40 cells, of which some are above the range.
RIDGES = ["--headless", "--preset", "plain", "--size", "48x40", "--seed", 7, "--agents", 1900,
          "--decay", 0.1, "--diffuse", 0.4, "--sensor-distance", 9, "--sensor-angle", 26,
          "--turn-angle", 10, "--jitter", 20, "--steps", 120, "--normalize", "fixed:0:30"]
WIDTH, HEIGHT = 48, 40


def words(data):
    """Little-endian uint16."""
    return list(struct.unpack(f"<{len(data) // 2}H", data))


def grey(data):
    """Size and pixels of a grey PNG of 16 bits."""
    at, packed = 8, b""
    width, height, depth, colour = struct.unpack(">IIBB", data[16:26])
    assert (depth, colour) == (16, 0), (depth, colour)
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        packed += data[at + 8:at + 8 + size] if kind == b"IDAT" else b""
        at += size + 12
    raw, rows, stride = zlib.decompress(packed), [], 2 * width
    above = bytearray(stride)
    for y in range(height):
        kind, *row = raw[y * (stride + 1):(y + 1) * (stride + 1)]
        assert kind in (0, 2), kind
        above = bytearray((v + (above[i] if kind == 2 else 0)) & 255 for i, v in enumerate(row))
        rows += struct.unpack(f">{width}H", above)
    return (width, height), rows


def glb(data):
    """(positions, normals, colours, triangles, JSON) of a mesh in binary glTF."""
    magic, version, length, size, kind = struct.unpack("<4sII I4s", data[:20])
    assert (magic, version, length, kind) == (b"glTF", 2, len(data), b"JSON") and size % 4 == 0
    tree = json.loads(data[20:20 + size])
    bytes_, kind = struct.unpack("<I4s", data[20 + size:28 + size])
    assert kind == b"BIN\0" and bytes_ == len(data) - 28 - size == tree["buffers"][0]["byteLength"]
    binary = data[28 + size:]

    def read(number, code, component, kind):
        accessor = tree["accessors"][number]
        assert (accessor["componentType"], accessor["type"]) == (component, kind)
        view, count = tree["bufferViews"][accessor["bufferView"]], accessor["count"]
        width = {"VEC3": 3, "VEC4": 4, "SCALAR": 1}[kind]
        assert view["byteLength"] == count * width * struct.calcsize(code)
        flat = struct.unpack_from(f"<{count * width}{code}", binary, view["byteOffset"])
        return [flat[i:i + width] for i in range(0, len(flat), width)]

    part = tree["meshes"][0]["primitives"][0]
    places, flat = part["attributes"], [i for i, in read(part["indices"], "I", 5125, "SCALAR")]
    return (read(places["POSITION"], "f", 5126, "VEC3"), read(places["NORMAL"], "f", 5126, "VEC3"),
            read(places["COLOR_0"], "B", 5121, "VEC4"),
            [flat[i:i + 3] for i in range(0, len(flat), 3)], tree)


def ply(data):
    """(positions, normals, colours, triangles) of a binary PLY."""
    end = data.index(b"end_header\n") + 11
    head = data[:end].decode().splitlines()
    assert head[:2] == ["ply", "format binary_little_endian 1.0"]
    counts = {line.split()[1]: int(line.split()[2]) for line in head if line.startswith("element")}
    rows = [struct.unpack_from("<6f3B", data, end + 27 * i) for i in range(counts["vertex"])]
    faces = [struct.unpack_from("<B3I", data, end + 27 * len(rows) + 13 * i)
             for i in range(counts["face"])]
    assert len(data) == end + 27 * len(rows) + 13 * len(faces) and all(f[0] == 3 for f in faces)
    return ([r[:3] for r in rows], [r[3:6] for r in rows], [r[6:] for r in rows],
            [f[1:] for f in faces])


def stl(data):
    """(positions, triangles) of a binary STL, with equal positions joined, and the normals."""
    count, = struct.unpack("<I", data[80:84])
    assert len(data) == 84 + 50 * count
    rows = [struct.unpack_from("<12fH", data, 84 + 50 * i) for i in range(count)]
    places, triangles = {}, []
    for row in rows:
        triangles.append([places.setdefault(row[3 * k:3 * k + 3], len(places)) for k in (1, 2, 3)])
    return list(places), triangles, [row[:3] for row in rows]


def area(positions, triangle):
    """The normal of a triangle, as long as twice its area."""
    a, b, c = (positions[i] for i in triangle)
    u, v = [q - p for p, q in zip(a, b)], [q - p for p, q in zip(a, c)]
    return [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]


def is_closed(triangles):
    """Each edge belongs to two triangles, which run along it in opposite directions."""
    edges = collections.Counter((t[k], t[(k + 1) % 3]) for t in triangles for k in range(3))
    return all(count == 1 and edges[b, a] == 1 for (a, b), count in edges.items())


def volume(positions, triangles):
    return sum(sum(p * n for p, n in zip(positions[t[0]], area(positions, t)))
               for t in triangles) / 6


def eroded(heights, width, passes, talus):
    """Thermal erosion as docs/terrain.md defines it."""
    now, talus = [h << 8 for h in heights], talus << 8
    for _ in range(passes):
        following = list(now)
        for i, here in enumerate(now):
            x = i % width
            for there, inside in ((i - 1, x > 0), (i + 1, x + 1 < width), (i - width, i >= width),
                                  (i + width, i + width < len(now))):
                if inside:
                    following[i] += ((max(now[there] - here - talus, 0) >> 3) -
                                     (max(here - now[there] - talus, 0) >> 3))
        now = following
    return [min((h + 128) >> 8, 65535) for h in now]


def digest(data):
    return hashlib.sha256(data).hexdigest()[:16]


@values
def test_golden(suite):
    """Recorded from the reference in NumPy, on both drivers."""
    for driver in ("lavapipe", "swiftshader"):
        env = suite.environment(driver)
        rows = [("heights.r16", [], "1c707c68d8ec8de2"),
                ("eroded.r16", ["--erode", 20], "8853c2f4a4824a85"),
                ("levels.r16", ["--levels", 4], "3b7c68af8f2a2e88"),
                ("smooth.r16", ["--levels", 4, "--level-smooth", 2], "d7efd43ac71fd938")]
        for name, more, golden in rows:
            suite.succeeds(f"{name} on {driver}", *RIDGES, *more, "--out", name, "--overwrite",
                           env=env)
            suite.check(digest(suite.read(name)) == golden, f"{name} on {driver} is golden",
                        digest(suite.read(name)))
        suite.succeeds(f"caves on {driver}", *RIDGES, "--levels", 4, "--level-smooth", 2, "--caves",
                       "0-0", "--cave-min", 12, "--out", "c.npy", "--out", "c.png", "--out",
                       "c.csv", "--overwrite", env=env)
        data = suite.read("c.npy")
        labels = struct.unpack("<1920I", data[-7680:])
        suite.check(digest(data[-7680:]) == "f01501a383b39098" and
                    b"'<u4'" in data[:128] and b"(40, 48)" in data[:128],
                    f"caves on {driver} are golden", data[:128])
        names = sorted(set(labels) - {0})
        size, numbers = grey(suite.read("c.png"))
        suite.check(size == (WIDTH, HEIGHT) and
                    numbers == [names.index(v) + 1 if v else 0 for v in labels],
                    "the picture has their numbers", size)
        head, *table = suite.read("c.csv").decode().splitlines()
        suite.check(len(table) == len(names) and
                    [int(row.split(",")[2]) for row in table] == [labels.count(n) for n in names],
                    "the table has their sizes", head, table)


@values
def test_heights(suite):
    """A picture and words have the same heights; erosion agrees with its definition."""
    suite.succeeds("both", *STEPS, "--heights", "--out", "h.png", "--out", "h.r16")
    size, heights = grey(suite.read("h.png"))
    suite.check(size == (32, 24) and heights == words(suite.read("h.r16")) and
                len(set(heights)) > 256, "equal, and finer than 8 bits", size, len(set(heights)))
    for passes, talus in ((1, 0), (7, 600), (3, 65535)):
        suite.succeeds(f"{passes} passes of talus {talus}", *STEPS, "--erode", passes, "--talus",
                       talus, "--out", "e.r16", "--overwrite")
        suite.check(words(suite.read("e.r16")) == eroded(heights, 32, passes, talus),
                    f"{passes} passes of talus {talus}: as defined")
    for name, more in (("a row", ["--size", "9x1"]), ("a column", ["--size", "1x9"])):
        suite.succeeds(name, *STEPS, *more, "--erode", 3, "--levels", 3, "--level-smooth", 1,
                       "--out", "line.r16", "--overwrite")
        suite.check(len(suite.read("line.r16")) == 18, f"{name}: all its heights")
    suite.succeeds("numbered", *SMALL, "--frames", 3, "--out", "n%02d.r16")
    suite.check([len(suite.read(f"n0{i}.r16")) for i in range(3)] == [2 * 32 * 24] * 3,
                "a file per frame")
    suite.succeeds("a slice of a volume", "gas", "--headless", "--size", "8x8x8", "--steps", 1,
                   "--view", "density", "--output-size", "8x8", "--out", "gas.r16")
    suite.check(len(suite.read("gas.r16")) == 128, "has the heights of the plane")
    suite.succeeds("Gray-Scott", "gray-scott", "--headless", "--size", "16x16", "--steps", 2,
                   "--out", "gs.glb")


@values
def test_meshes(suite):
    """The three formats hold the same mesh, with y up and all triangles outwards."""
    run = [*STEPS, "--size", "16x12", "--normalize", "frame", "--mesh-size", 0.5, "--relief", 4]
    suite.succeeds("surfaces", *run, "--out", "m.glb", "--out", "m.ply", "--out", "m.stl", "--out",
                   "m.r16", "--out", "m.png")
    heights = words(suite.read("m.r16"))
    positions, normals, colours, triangles, tree = glb(suite.read("m.glb"))
    expected = [(i % 16 * 0.5, h / 65535 * 2, i // 16 * 0.5) for i, h in enumerate(heights)]
    suite.check(all(math.dist(a, b) < 1e-5 for a, b in zip(positions, expected)) and
                len(positions) == len(expected), "a vertex per pixel")
    suite.check(all(abs(math.hypot(*n) - 1) < 1e-5 and n[1] > 0 for n in normals),
                "normals point up")
    i = 5 * 16 + 7
    slopes = [(positions[i + d][1] - positions[i - d][1]) for d in (1, 16)]
    length = math.hypot(slopes[0], 1, slopes[1])
    upright = (-slopes[0] / length, 1 / length, -slopes[1] / length)
    suite.check(math.dist(normals[i], upright) < 1e-4, "normals from central differences",
                normals[i])
    suite.check(len(triangles) == 2 * 15 * 11 and
                all(area(positions, t)[1] > 0 for t in triangles) and
                sorted(triangles[0]) == [0, 1, 17] and sorted(triangles[1]) == [0, 16, 17],
                "two triangles per cell, upwards, divided from the upper left", triangles[:2])
    accessor = tree["accessors"][tree["meshes"][0]["primitives"][0]["attributes"]["POSITION"]]
    suite.check(accessor["min"] == [min(p[k] for p in positions) for k in range(3)] and
                accessor["max"] == [max(p[k] for p in positions) for k in range(3)], "the bounds",
                accessor)
    drawn = pixels(suite.path("m.png"))
    suite.check([tuple(c[:3]) for c in colours] ==
                [tuple(drawn[3 * k:3 * k + 3]) for k in range(len(drawn) // 3)] and
                all(c[3] == 255 for c in colours), "the picture's colours")
    other = ply(suite.read("m.ply"))
    suite.check(other[:2] == (positions, normals) and [list(t) for t in other[3]] == triangles and
                other[2] == [c[:3] for c in colours], "PLY has the same")
    solid, faces, outward = stl(suite.read("m.stl"))
    suite.check(is_closed(faces), "STL is closed")
    suite.check(min(p[1] for p in solid) == -1, "with a base of two cells")
    exact = sum(area(positions, t)[1] / 2 * (sum(positions[k][1] for k in t) / 3 + 1)
                for t in triangles)
    suite.check(abs(volume(solid, faces) - exact) < 1e-3 * exact,
                "its volume is positive and right", volume(solid, faces), exact)
    suite.check(all(math.dist([v / math.hypot(*area(solid, t)) for v in area(solid, t)], n) < 1e-4
                    for t, n in zip(faces, outward)), "its normals are those of the triangles")
    suite.succeeds("a solid", *run, "--mesh-base", 3, "--out", "s.glb")
    positions, normals, _, triangles, _ = glb(suite.read("s.glb"))
    joined = {}
    same = [joined.setdefault(p, len(joined)) for p in positions]
    suite.check(is_closed([[same[k] for k in t] for t in triangles]) and
                all(sum(n * m for n, m in zip(area(positions, t), normals[t[0]])) > 0
                    for t in triangles), "a solid glTF is closed; normals agree with triangles")


def test_refused(suite):
    """What cannot be, in a sentence."""
    r16 = [*STEPS, "--out", "x.r16"]
    for option, bad in (("erode", 10001), ("talus", 65536), ("levels", 1), ("levels", 257),
                        ("level-smooth", 101), ("cave-min", 0), ("mesh-size", 0), ("relief", -1),
                        ("mesh-base", "nan")):
        suite.fails(f"--{option} {bad}", USAGE, f"--{option}", *r16, f"--{option}", bad)
    for bad in ("3", "2-1", "0-3", "a-b", "0-", "-1", "0.5-1"):
        suite.fails(f"caves {bad}", USAGE, "--caves", *STEPS, "--levels", 3, f"--caves={bad}",
                    "--out", "x.png")
    suite.fails("caves without levels", USAGE, "--levels", *STEPS, "--caves", "0-1", "--out",
                "x.png")
    suite.fails("a table without caves", USAGE, "x.csv", *STEPS, "--out", "x.csv")
    suite.fails("heights of 8 bits", USAGE, "x.png", *STEPS, "--heights", "--depth", 8, "--out",
                "x.png")
    suite.fails("a solid without a base", USAGE, "--mesh-base", *STEPS, "--mesh-base", 0, "--out",
                "x.stl")
    suite.fails("a mesh of a row", USAGE, "2x2", *STEPS, "--size", "9x1", "--out", "x.glb")
    suite.fails("too many vertices", USAGE, "--output-size", *STEPS, "--output-size", "8193x8192",
                "--out", "x.ply", "--dry-run")
    suite.fails("a sheet", USAGE, "x.r16", *STEPS, "--vary", "jitter=1,2", "--out", "x.r16")
    suite.write("kept.glb", b"old")
    suite.fails("an existing file", FILE, "kept.glb", *STEPS, "--out", "kept.glb")
    suite.check(suite.read("kept.glb") == b"old", "which stays")
    for name, more in (("full.glb", []), ("full.stl", []), ("full.ply", []), ("full.r16", []),
                       ("full.png", ["--heights"]), ("full.npy", ["--caves", "0-150"])):
        suite.fails(f"a full disk, {name}", FILE, name, *STEPS, "--size", "64x64", "--erode", 1,
                    "--levels", 200, *more, "--out", name, "--overwrite", env=suite.limited_files(),
                    preexec_fn=limit_files(3000))
    suite.check(not suite.left_over(), "nothing is left over", suite.left_over())


def test_without_effect(suite):
    """Options that nothing uses."""
    rows = [(["--heights", "--out", "x.r16"], "--heights has no effect without a .png"),
            (["--erode", 3, "--out", "x.png"], "--erode has no effect without heights"),
            (["--levels", 3, "--out", "x.npy"], "--levels has no effect without heights"),
            (["--talus", 9, "--out", "x.r16"], "--talus has no effect without --erode"),
            (["--level-smooth", 2, "--out", "x.r16"],
             "--level-smooth has no effect without --levels"),
            (["--cave-min", 2, "--out", "x.r16"], "--cave-min has no effect without --caves"),
            (["--levels", 3, "--caves", "0-1", "--out", "x.r16"],
             "--caves has no effect without a .png"),
            (["--relief", 3, "--out", "x.r16"], "--relief has no effect without a mesh"),
            (["--mesh-base", 3, "--heights", "--out", "x.png"],
             "--mesh-base has no effect without"),
            (["--colormap", "grey", "--out", "x.r16"], "--colormap has no effect on an output"),
            (["--bloom", 1, "--heights", "--out", "x.png"], "--bloom has no effect on an output"),
            (["--gamma", 1, "--out", "x.stl"], "--gamma has no effect on an output")]
    for arguments, message in rows:
        status, _, err = suite.run(*STEPS, *arguments, "--dry-run")
        suite.check(status == 0 and err.count("has no effect") == 1 and message in err,
                    " ".join(map(str, arguments)), err)
    for arguments in (["--normalize", "frame", "--tone", "log", "--out", "x.r16"],
                      ["--colormap", "viridis", "--erode", 2, "--talus", 9, "--out", "x.glb"],
                      ["--heights", "--erode", 2, "--levels", 4, "--out", "x.png"]):
        status, _, err = suite.run(*STEPS, *arguments, "--dry-run")
        suite.check(status == 0 and "has no effect" not in err, " ".join(map(str, arguments)), err)


if __name__ == "__main__":
    sys.exit(main(globals()))

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_cli_formats.py VKSIM [NAME...]: the formats of files. See suite.py."""

import json
import math
import os
import re
import signal
import struct
import subprocess
import sys
import zipfile
from xml.etree import ElementTree

sys.dont_write_bytecode = True
from suite import (FILE, INTERRUPTED, OK, SMALL, USAGE, array, interrupted,  # noqa: E402
                   limit_files, main, npz_members, pixels, png, png_size, probe, values)


def mean_difference(a, b):
    return sum(abs(x - y) for x, y in zip(a, b)) / max(len(a), 1) if len(a) == len(b) else 1e9


VIDEOS = (("v.mp4", "h264", ()), ("v265.mp4", "hevc", ("--encoder", "h265")),
          ("vav1.mp4", "av1", ("--encoder", "av1")), ("v.webm", "vp9", ()),
          ("vav1.webm", "av1", ("--encoder", "av1")), ("v.mkv", "h264", ()),
          ("vvp9.mkv", "vp9", ("--encoder", "vp9")))


@values
def test_videos(suite):
    """Each decodes to nearly the pixels of the stills, and identically on both drivers."""
    run = ["--headless", "--preset", "plain", "--size", "80x66", "--agents", 400, "--frames", 12,
           "--colormap", "ember", "--fps", 25]
    suite.succeeds("a y4m", *run, "--out", "v.y4m")
    # Encoders get the planes of the y4m, so one of them shows the other driver's.
    suite.succeeds("on another driver", *run, "--out", "other.y4m", "--out", "other.mp4",
                   env=suite.environment("swiftshader"))
    suite.check(suite.read("other.y4m") == suite.read("v.y4m"), "the same y4m there")
    whole = pixels(suite.path("v.y4m"), "yuv420p")
    for name, codec, more in VIDEOS:
        suite.succeeds(f"{name} by {codec}", *run, "--out", name, *more)
        err, stream = probe(suite.path(name))
        suite.check(not err and stream.get("codec_name") == codec and
                    stream.get("pix_fmt") == "yuv420p" and stream.get("nb_read_frames") == "12" and
                    stream.get("r_frame_rate") == "25/1" and stream.get("color_range") == "tv" and
                    [stream.get(key) for key in ("color_space", "color_primaries",
                                                 "color_transfer")] == ["bt709"] * 3 and
                    (stream.get("width"), stream.get("height")) == (80, 66),
                    f"{name}: {codec}, yuv420p, BT.709, limited, every frame", err, stream)
        got = pixels(suite.path(name), "yuv420p")
        suite.check(mean_difference(got, whole) < 4, f"{name}: near to the y4m",
                    mean_difference(got, whole))
        if name == "v.mp4":
            suite.check(pixels(suite.path("other.mp4"), "yuv420p") == got, "the same frames there")
        before = len(suite.read(name))
        status, _, err = suite.run(*run, "--out", name, *more, "--crf", "50", "--overwrite")
        suite.check(status == OK and len(suite.read(name)) < before,
                    f"{name}: --crf 50 is smaller", err)
        status, _, err = suite.run(*run, "--out", name, *more, "--overwrite")
        suite.check(status == OK and all(line.startswith("vksim: ") for line in err.splitlines()),
                    f"{name}: the encoder prints nothing on its own", err)


@values
def test_drivers(suite):
    """A palette, values and 16 bits per channel are the same bytes on both drivers."""
    run = [*SMALL, "--steps", 6, "--steps-per-frame", 2, "--fps", 20]
    for driver in ("lavapipe", "swiftshader"):
        env = suite.environment(driver)
        suite.succeeds(f"files on {driver}", *run, "--out", f"{driver}.gif", "--out",
                       f"{driver}.npy", "--out", f"{driver}.png", "--depth", 16, env=env)
    for kind in ("gif", "npy", "png"):
        suite.check(suite.read(f"lavapipe.{kind}") == suite.read(f"swiftshader.{kind}"),
                    f"the same .{kind}")
    suite.check(suite.read("lavapipe.png")[24] == 16, "with 16 bits")
    gas = ["gas", "--headless", "--preset", "plain", "--size", "16x8x4", "--frames", 2,
           "--steps-per-frame", 2, "--fields", "density,temperature,pressure,speed,heat,velocity"]
    for method, more in (("particles", ["--particles", 300, "--boltzmann", 1, "--exchange-time",
                                        0.5]), ("grid", ["--particles", 90])):
        files = []
        for driver in ("lavapipe", "swiftshader"):
            name = f"{method}-{driver}"
            suite.succeeds(name, *gas, "--method", method, *more, "--out", f"{name}.vti", "--out",
                           f"{name}.vtp", env=suite.environment(driver))
            files.append([suite.read(name + end) for end in (".vti", ".vtp")])
        suite.check(files[0] == files[1], f"{method}: equal on both drivers")


def test_gif(suite):
    run = ["--headless", "--preset", "plain", "--size", "61x45", "--agents", 400, "--frames", 9]
    suite.succeeds("stills to compare with", *run, "--out", "g_%d.png")
    stills = b"".join(pixels(suite.path(f"g_{k}.png")) for k in range(9))
    status, _, err = suite.run(*run, "--fps", 20, "--out", "g.gif")
    suite.check(status == OK and "frames per second" not in err, "a gif", err)
    err, stream = probe(suite.path("g.gif"))
    suite.check(not err and stream.get("nb_read_frames") == "9" and
                stream.get("r_frame_rate") == "20/1" and
                (stream.get("width"), stream.get("height")) == (61, 45), "every frame", err, stream)
    got = pixels(suite.path("g.gif"))
    suite.check(got[:61 * 45 * 3] == stills[:61 * 45 * 3] and len(got) == len(stills) and
                mean_difference(got, stills) < 1 and
                max(abs(x - y) for x, y in zip(got, stills)) < 32,
                "a colour map fits a palette: what differs is not seen",
                mean_difference(got, stills), max(abs(x - y) for x, y in zip(got, stills)))
    suite.check(b"NETSCAPE2.0\x03\x01\0\0" in suite.read("g.gif"), "it loops endlessly")
    status, _, err = suite.run(*run, "--out", "h.gif")
    suite.check(status == OK and "at 50 frames per second, not 60" in err, "what it cannot is told",
                err)
    suite.check(pixels(suite.path("h.gif")) == got, "with the same frames")
    suite.check(not suite.left_over(), "nothing is left over", suite.left_over())


def test_arrays(suite):
    """The values of the field are those of the state."""
    run = [*SMALL, "--steps", 6, "--steps-per-frame", 2]
    suite.succeeds("arrays of all frames", *run, "--out", "a.npy", "--save-state", "a.npz")
    shape, values = array(suite.read("a.npy"))
    suite.check(shape == (4, 24, 32), "their shape", shape)
    frame = 4 * 24 * 32
    trail = npz_members(suite.path("a.npz"))["trail.npy"][-frame:]
    suite.check(values[-frame:] == trail and values[:frame] == bytes(frame) != trail,
                "the first is the start, the last the state")
    suite.succeeds("one array per frame", *run, "--out", "a_%02d.npy")
    parts = [array(suite.read(f"a_{k:02}.npy")) for k in range(4)]
    suite.check(all(part[0] == (24, 32) for part in parts) and
                b"".join(part[1] for part in parts) == values, "are the same")
    suite.succeeds("one frame", *SMALL, "--frames", 1, "--out", "one.npy")
    suite.check(array(suite.read("one.npy")) == ((24, 32), bytes(frame)), "has two axes")
    suite.succeeds("a part of the field", *run, "--crop", "3,5,7x9", "--out", "c.npy")
    shape, values = array(suite.read("c.npy"))
    rows = [trail[4 * (32 * y + 3):4 * (32 * y + 10)] for y in range(5, 14)]
    suite.check(shape == (4, 9, 7) and values[-4 * 63:] == b"".join(rows), "is that part", shape)
    status, _, err = interrupted(suite, ["--frames", "1000000", "--out", "cut.npy"],
                                 [signal.SIGINT])
    shape, _ = array(suite.read("cut.npy"))
    suite.check(status == INTERRUPTED and 1 < shape[0] < 1000000 and f"({shape[0]} frames" in err,
                "Ctrl-C: the frames up to there", shape, err)


def test_large_pictures(suite):
    """A picture larger than the device's largest buffer (lavapipe: 128 MiB) is drawn in bands. Its
    bytes are those of a crop, which is small enough to be drawn in one piece."""
    run = ["--headless", "--preset", "plain", "--size", "48x46", "--agents", 90, "--steps", 4,
           "--steps-per-frame", 4, "--normalize", "fixed:0:2", "--hillshade", 1]
    suite.succeeds("a large picture", *run, "--output-size", "6144x5888", "--out", "l.png")
    suite.check(png_size(suite.read("l.png")) == (6144, 5888), "its size")
    suite.succeeds("a part of it", *run, "--output-size", "2048x2048", "--crop", "8,17,16x16",
                   "--out", "p.png")
    whole, part = pixels(suite.path("l.png")), pixels(suite.path("p.png"))
    # The hillshade reads four pixels beyond the edge, which a crop does not have.
    same = all(part[3 * (2048 * y + 4):3 * (2048 * y + 2044)] ==
               whole[3 * (6144 * (2176 + y) + 1028):3 * (6144 * (2176 + y) + 3068)]
               for y in range(4, 2044))
    suite.check(same and len(set(part)) > 50, "has the same pixels")
    for out in ("l.mp4", "l%d.png"):
        suite.fails(f"in {out}", USAGE, "--size", *run, "--output-size", "6144x5880", "--out",
                    out)


def test_deep_pictures(suite):
    run = ["--headless", "--size", "96x64", "--agents", 900, "--steps", 40, "--colormap", "abyss"]
    suite.succeeds("8 bits", *run, "--out", "e.png")
    suite.succeeds("16 bits", *run, "--depth", 16, "--out", "d.png")
    suite.check(suite.read("d.png")[24:26] == b"\x10\x02", "16 bits per channel, RGB",
                suite.read("d.png")[:32])
    deep = struct.unpack(f">{96 * 64 * 3}H", pixels(suite.path("d.png"), "rgb48be"))
    shallow = pixels(suite.path("e.png"))
    suite.check(all(abs(a / 257 - b) < 6 for a, b in zip(deep, shallow)), "near to those of 8")
    colours = len(set(zip(deep[0::3], deep[1::3], deep[2::3])))
    suite.check(colours > 256, "more colours than entries of the map", colours)
    suite.succeeds("a numbered one", *run, "--depth", 16, "--steps-per-frame", 20, "--out",
                   "d_%d.png")
    suite.check(suite.read("d_2.png") != suite.read("d_0.png"), "one picture per frame")
    for depth, kind, high in ((8, "rgba", 255), (16, "rgba64be", 65535)):
        suite.succeeds(f"transparent, {depth} bits", *run, "--depth", depth, "--background",
                       "transparent", "--out", f"t{depth}.png")
        data = suite.read(f"t{depth}.png")
        alpha = pixels(suite.path(f"t{depth}.png"), kind)
        alpha = struct.unpack(f">{96 * 64 * 4}H", alpha)[3::4] if depth == 16 else alpha[3::4]
        suite.check(data[24:26] == bytes([depth, 6]) and min(alpha) == 0 and max(alpha) > high / 2,
                    "an alpha channel", data[:32], min(alpha), max(alpha))
    suite.succeeds("linear light", *run, "--out", "e.exr")
    suite.succeeds("as floats", *run, "--out", "f.exr", "--depth", 32)
    for name, error in (("e.exr", 1e-3), ("f.exr", 1e-5)):
        planes = struct.unpack(f"<{96 * 64 * 4}f", pixels(suite.path(name), "gbrapf32le"))
        count = 96 * 64
        wanted = [v / 65535 for v in deep]
        wanted = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in wanted]
        worst = max(abs(planes[plane * count + i] - wanted[3 * i + channel])
                    for plane, channel in ((0, 1), (1, 2), (2, 0)) for i in range(count))
        suite.check(worst < error and min(planes[3 * count:]) == 1, f"{name} has it", worst)
    suite.succeeds("10 bits", *run, "--out", "v.y4m", "--depth", 10)
    luma = struct.unpack(f"<{96 * 64}H", suite.read("v.y4m")[-96 * 64 * 3:-96 * 64])
    wanted = [64 + 876 * (0.2126 * r + 0.7152 * g + 0.0722 * b) / 65535
              for r, g, b in zip(deep[0::3], deep[1::3], deep[2::3])]
    suite.check(max(abs(a - b) for a, b in zip(luma, wanted)) < 0.52, "the last frame's luma")
    for out, encoder, codec in (("v.mp4", "auto", "hevc"), ("v.mkv", "av1", "av1"),
                                ("v.webm", "auto", "vp9")):
        suite.succeeds(f"10 bits in {out}", *run, "--out", out, "--depth", 10, "--encoder", encoder)
        stream = probe(suite.path(out))[1]
        found = stream.get("codec_name"), stream.get("pix_fmt")
        suite.check(found == (codec, "yuv420p10le"), f"{out} is {codec}", found)
    for out in ("t.mp4", "t.gif", "-"):
        suite.fails(f"transparent in {out}", USAGE, "--background", *run, "--background",
                    "transparent", "--out", out)


def read_vtk(path):
    """The element of the data, the time, and the arrays of a .vti or .vtp file: (type, components,
    bytes) by name."""
    with open(path, "rb") as file:
        data = file.read()
    head, _, rest = data.partition(b'encoding="raw">\n_')
    xml = ElementTree.fromstring(head + b'encoding="raw"></AppendedData></VTKFile>')
    assert xml.get("byte_order") == "LittleEndian" and xml.get("header_type") == "UInt64"
    body, arrays = xml.find(xml.get("type")), {}
    for row in body.iterfind("Piece//DataArray"):
        at = int(row.get("offset"))
        length, = struct.unpack("<Q", rest[at:at + 8])
        arrays[row.get("Name")] = (row.get("type"), int(row.get("NumberOfComponents")),
                                   rest[at + 8:at + 8 + length])
    total = sum(8 + len(row[2]) for row in arrays.values())
    assert rest[total:] == b"\n  </AppendedData>\n</VTKFile>\n"
    return body, float(body.find("FieldData/DataArray").text), arrays


def read_vti(path):
    """The size (x, y, z), the name, the time and the bytes of a .vti file of one array."""
    body, time, arrays = read_vtk(path)
    extent = [int(word) for word in body.get("WholeExtent").split()]
    (name, (kind, components, data)), = arrays.items()
    assert kind == "Float32" and components == 1
    return [end + 1 for end in extent[1::2]], name, time, data


def test_fields(suite):
    """.vti files hold the field itself: every cell of a plane, and of a volume."""
    run = ["gray-scott", "--headless", "--size", "48x32", "--frames", 3, "--steps-per-frame", 40]
    suite.succeeds("the values", *run, "--out", "a.npy")
    suite.succeeds("a field per frame", *run, "--out", "a%d.vti")
    _, values = array(suite.read("a.npy"))
    sides, name, step, field = read_vti(suite.path("a2.vti"))
    suite.check((sides, name, step) == ([48, 32, 1], "v", 80), "its head", sides, name, step)
    suite.check(field == values[2 * 48 * 32 * 4:], "the last frame of the array")
    suite.succeeds("of the last frame, larger and cut", *run, "--out", "b.vti", "--output-size",
                   "300x200", "--crop", "4,4,12x8", "--hillshade", 1)
    suite.check(suite.read("b.vti") == suite.read("a2.vti"), "pictures do not change it")
    suite.succeeds("the other field", *run, "--view", "u", "--out", "u.vti")
    suite.check(read_vti(suite.path("u.vti"))[1] == "u", "its name")
    run = ["gas", "--headless", "--method", "grid", "--size", "16x8x4", "--steps", 2,
           "--view", "density"]
    suite.succeeds("a volume", *run, "--out", "v.vti", "--save-state", "v.npz")
    sides, name, _, field = read_vti(suite.path("v.vti"))
    with zipfile.ZipFile(suite.path("v.npz")) as archive:
        members = archive.namelist()
        found = any(archive.read(member).endswith(field) for member in members)
    suite.check(sides == [16, 8, 4] and name == "density" and found, "has the state's numbers",
                sides, name, members)
    suite.fails("a field of points", USAGE, "shows points", "gas", "--headless", "--size", "8x8x8",
                "--frames", 1, "--view", "points", "--out", "p.vti")


def test_arrays_for_paraview(suite):
    """Several fields and vectors in a .vti, particles in a .vtp, in the units of the box."""
    names = "density,temperature,pressure,speed,heat,velocity"
    run = ["gas", "--headless", "--preset", "plain", "--size", "16x8x4", "--frames", 3,
           "--steps-per-frame", 2]
    for method, more in (("particles", ["--particles", 300, "--boltzmann", 1, "--exchange-time",
                                        0.5]), ("grid", ["--particles", 90])):
        a = f"{method}-run"
        suite.succeeds(a, *run, "--method", method, *more, "--fields", names, "--out",
                       f"{a}%d.vti", "--out", f"{a}.vtp", "--watch", f"{a}.csv", "--save-state",
                       f"{a}.npz")
        time = float(suite.read(f"{a}.csv").decode().splitlines()[-1].split(",")[3])
        body, when, arrays = read_vtk(suite.path(f"{a}2.vti"))
        suite.check(body.get("Origin") == "0 0 0" and body.get("Spacing") == " ".join(3 * [
                        "0.0625"]) and when == time > 0 and list(arrays) == names.split(","),
                    f"{method}: places, time and names", body.attrib, when, time, list(arrays))
        data = body.find("Piece/PointData")
        suite.check((data.get("Scalars"), data.get("Vectors")) == ("density", "velocity"),
                    f"{method}: active arrays", data.attrib)
        numbers = {key: struct.unpack(f"<{len(row[2]) // 4}f", row[2])
                   for key, row in arrays.items()}
        suite.check(all(len(numbers[key]) == 512 * arrays[key][1] for key in numbers) and
                    arrays["velocity"][1] == 3, f"{method}: sizes")
        vector = [numbers["velocity"][i:i + 3] for i in range(0, 1536, 3)]
        suite.check(max(abs(math.hypot(*v) - speed)
                        for v, speed in zip(vector, numbers["speed"])) < 1e-5 and
                    max(abs(0.4 * h - p) for h, p in zip(numbers["heat"], numbers["pressure"])) <
                    1e-5, f"{method}: the fields belong to each other")
        members = npz_members(suite.path(f"{a}.npz"))
        if method == "grid":
            for axis, letter in enumerate("xyz"):
                momentum = struct.unpack("<512f", members[f"momentum_{letter}.npy"][-2048:])
                suite.check(max(abs(v[axis] * d - m) for v, d, m in
                                zip(vector, numbers["density"], momentum)) < 1e-5,
                            f"the velocity along {letter}")
        # Each field alone is what a file with only its view has.
        for view in ("temperature", "speed"):
            suite.succeeds(view, *run, "--method", method, *more, "--view", view, "--out",
                           "one.vti", "--overwrite")
            suite.check(read_vti(suite.path("one.vti"))[3] == arrays[view][2],
                        f"{method}: {view} as displayed")
        body, when, arrays = read_vtk(suite.path(f"{a}.vtp"))
        count, = {int(body.find("Piece").get(key)) for key in ("NumberOfPoints", "NumberOfVerts")}
        points = struct.unpack(f"<{3 * count}f", arrays["Points"][2])
        suite.check(when == time and count == int(more[1]) and list(arrays) == [
                        "Points", "velocity", "mass", "heat", "oscillator", "frequency",
                        "connectivity", "offsets"], f"{method}: a .vtp", when, count, list(arrays))
        for axis, letter in enumerate("xyz"):
            side = (16, 8, 4)[axis] / 16
            words = struct.unpack(f"<{count}I", members[f"{letter}.npy"][-4 * count:])
            found = points[axis::3]
            suite.check(max(abs(p - side * w / 2 ** 32) for p, w in zip(found, words)) < 1e-7,
                        f"{method}: {letter} of particles", found[:3])
            speeds = arrays["velocity"][2]
            suite.check(b"".join(speeds[i:i + 4] for i in range(4 * axis, len(speeds), 12)) ==
                        members[f"v{letter}.npy"][-4 * count:], f"{method}: v{letter} of particles")
        suite.check(arrays["heat"][2] == members["heat.npy"][-4 * count:] and
                    struct.unpack(f"<{count}i", arrays["offsets"][2]) ==
                    tuple(range(1, count + 1)), f"{method}: heat and vertices")
    # The order of particles in memory does not show.
    for variant in ("unsorted", "sorted-1"):
        suite.succeeds(variant, *run, "--particles", 300, "--variant", variant, "--out",
                       f"{variant}.vtp")
    suite.check(suite.read("unsorted.vtp") == suite.read("sorted-1.vtp"), "in order of number")
    # The same fields for NumPy, in primitive variables, which start a run.
    grid = [*run, "--method", "grid"]
    suite.succeeds("a .npz", *grid, "--fields", "density,pressure,velocity", "--out", "f.npz",
                   "--out", "f.vti", "--save-state", "s.npz")
    members, arrays = npz_members(suite.path("f.npz")), read_vtk(suite.path("f.vti"))[2]
    suite.check(sorted(members) == [f"{name}.npy" for name in (
                    "density", "pressure", "velocity_x", "velocity_y", "velocity_z")] and
                all(b"'shape': (4, 8, 16)" in data for data in members.values()) and
                members["pressure.npy"].endswith(arrays["pressure"][2]) and
                all(members[f"velocity_{letter}.npy"].endswith(b"".join(
                    arrays["velocity"][2][i:i + 4] for i in range(4 * axis, 6144, 12)))
                    for axis, letter in enumerate("xyz")), "its arrays", sorted(members))
    suite.succeeds("from primitive variables", *run[:4], "--load-state", "f.npz", "--frames", 1,
                   "--out", "none", "--save-state", "again.npz")
    before, after = (npz_members(suite.path(name)) for name in ("s.npz", "again.npz"))
    for name in ("density", "momentum_x", "energy"):
        pairs = zip(*(struct.unpack("<512f", state[f"{name}.npy"][-2048:])
                      for state in (before, after)))
        suite.check(all(math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-6) for a, b in pairs),
                    f"{name} after a way through primitive variables")
    # Other simulations, whose lengths are in cells.
    suite.succeeds("both substances", "gray-scott", "--size", "32x16", "--steps", 9, "--fields",
                   "u,v", "--out", "uv.vti")
    body, when, arrays = read_vtk(suite.path("uv.vti"))
    suite.check(body.get("Origin") == "0.5 0.5 0.5" and body.get("Spacing") == "1 1 1" and
                when == 9 and list(arrays) == ["v", "u"], "in cells", body.attrib, list(arrays))
    for name, fields in (("physarum", "trail,agents"), ("cipher", "picture,trail")):
        image = ["--init", "image:c.png"] if name == "cipher" else []
        if image:
            suite.write("c.png", png(16, 16, [bytes(range(16 * i, 16 * i + 16)) * 3
                                              for i in range(16)]))
        suite.succeeds(name, name, *image, "--size", "32x32", "--steps", 2, "--fields", fields,
                       "--out", f"{name}.vti")
        suite.check(sorted(read_vtk(suite.path(f"{name}.vti"))[2]) == sorted(fields.split(",")),
                    f"{name}: {fields}")
    gas = ["gas", "--preset", "plain", "--size", "8x8", "--steps", 1]
    suite.fails("a field that there is not", USAGE, "--fields", *gas, "--fields", "density,foo",
                "--out", "x.vti")
    suite.fails("points are not a field", USAGE, "--fields", *gas, "--fields", "points", "--out",
                "x.vti")
    suite.fails("a field that the run lacks", USAGE, "gravity", *gas, "--fields",
                "density,potential", "--out", "x.vti")
    suite.fails("no particles", USAGE, "x.vtp", *gas, "--method", "grid", "--out", "x.vtp")
    suite.fails("no particles at all", USAGE, "x.vtp", "gray-scott", "--out", "x.vtp")
    _, _, err = suite.run(*gas, "--fields", "velocity", "--out", "x.npy")
    suite.check("--fields has no effect without a .vti or .npz file" in err,
                "--fields for an array", err)


def test_cells(suite):
    """Arrays have the field's cells, whatever size of pictures a preset sets."""
    run = ["gas", "--headless", "--size", "16x16x4", "--particles", 300, "--steps", 1,
           "--overwrite"]
    for more, shape in ((["--out", "a.npy"], b"(2, 16, 16)"),
                        (["--preset", "web", "--out", "a.npy"], b"(2, 16, 16)"),
                        (["--preset", "web", "--out", "a.npy", "--out", "a.png"], b"(2, 16, 16)"),
                        (["--output-size", "20x10", "--out", "a.npy"], b"(2, 10, 20)")):
        suite.succeeds(f"an array {more}", *run, *more)
        suite.check(shape in suite.read("a.npy")[:128], f"has the cells {more}",
                    suite.read("a.npy")[:128])
    suite.check(png_size(suite.read("a.png")) == (16, 16), "the picture next to it")
    suite.succeeds("a scene of it", *run, "--preset", "web", "--out", "a.npy", "--save-scene",
                   "a.json")
    first = suite.read("a.npy")
    suite.succeeds("runs again", "--scene", "a.json", "--headless", "--out", "b.npy")
    suite.check(suite.read("b.npy") == first, "with the same array")


def test_last_picture(suite):
    """A still of the last frame draws only that frame, unless its look depends on the others."""
    run = [*SMALL, "--steps", 21, "--steps-per-frame", 2, "--normalize"]
    for normalize, more, calls in (("frame", [], 1), ("fixed:0:4", [], 1), ("smooth", [], 12),
                                   ("frame", ["--digest"], 12)):
        name = f"{normalize} {more}"
        status, _, err = suite.run(*run, normalize, "--out", "all_%02d.png", "--overwrite")
        suite.check(status == OK and "(12 frames," in err, f"{name}: all frames", err)
        status, out, err = suite.run(*run, normalize, *more, "--out", "last.png", "--timings=json",
                                     "--overwrite")
        got = json.loads(out[out.index("{"):]) if status == OK else {"passes": []}
        drawn = {row["name"]: row["calls"] for row in got["passes"]}.get("colour")
        suite.check(drawn == calls and got["steps"] == 21 and "(1 frame," in err,
                    f"{name}: {calls} drawn for the last", drawn, err)
        suite.check(suite.read("last.png") == suite.read("all_11.png"), f"{name}: the same picture")
    for more in (["--normalize", "frame"], ["--normalize", "smooth"], ["--digest"]):
        status, seconds, err = interrupted(suite, ["--frames", "1000000", "--out", "cut.png",
                                                   "--overwrite", *more], [signal.SIGINT])
        suite.check(status == INTERRUPTED and seconds < 10 and "(1 frame," in err and
                    png_size(suite.read("cut.png")) == (128, 128),
                    f"Ctrl-C leaves the picture of where it was {more}", status, seconds, err)
        os.remove(suite.path("cut.png"))


def test_poster(suite):
    run = [*SMALL, "--frames", 6]
    suite.succeeds("stills", *run, "--out", "p_%d.png")
    os.mkdir(suite.path("a.b"))
    for name, poster in (("p.mp4", "p.png"), ("q.webm", "q.png"), ("r.gif", "r.png"),
                         ("s.y4m", "s.png"), ("t.u.mkv", "t.u.png"), ("a.b/c.mp4", "a.b/c.png")):
        status, _, err = suite.run(*run, "--out", name, "--poster")
        suite.check(status == OK and f"wrote {poster}" in err and
                    suite.read(poster) == suite.read("p_5.png"),
                    f"{poster} next to {name} is the last frame", status, err)
    suite.write("p.png", "precious")
    os.remove(suite.path("p.mp4"))
    suite.fails("a poster that is there", FILE, "--overwrite", *run, "--out", "p.mp4", "--poster")
    suite.check(not os.path.exists(suite.path("p.mp4")) and suite.read("p.png") == b"precious",
                "nothing is written then")
    suite.succeeds("with --overwrite", *run, "--out", "p.mp4", "--poster", "--overwrite")
    suite.check(suite.read("p.png") == suite.read("p_5.png"), "it is replaced")
    suite.succeeds("the default output's", *run, "--poster")
    suite.check(suite.read("physarum.png") == suite.read("p_5.png"), "has its name")
    status, _, err = interrupted(suite, ["--frames", "1000000", "--out", "cut.mp4", "--poster"],
                                 [signal.SIGINT])
    frames = pixels(suite.path("cut.mp4"), "yuv420p")
    last = frames[-128 * 128 * 3 // 2:][:128 * 128]
    near = mean_difference(last, pixels(suite.path("cut.png"), "yuv420p")[:128 * 128])
    suite.check(status == INTERRUPTED and near < 16, "Ctrl-C: that of the last frame", near, err)
    suite.check(not suite.left_over(), "nothing is left over", suite.left_over())


def texts(data):
    """{key: text} of a PNG's tEXt chunks."""
    found, at = {}, 8
    while at < len(data):
        length, kind = int.from_bytes(data[at:at + 4], "big"), data[at + 4:at + 8]
        if kind == b"tEXt":
            key, _, text = data[at + 8:at + 8 + length].partition(b"\0")
            found[key.decode()] = text.decode()
        at += 12 + length
    return found


def test_origin(suite):
    """Pictures and videos hold the run that they come from, which --scene runs again."""
    run = [*SMALL, "--seed", 7, "--steps-per-frame", 3, "--warmup", 5]
    out = suite.succeeds("a run", *run, "--steps", 12, "--out", "last.png", "--digest")
    held = texts(suite.read("last.png"))
    scene = json.loads(held["vksim-scene"])
    version = suite.run("--version")[1].strip()
    suite.check(held["Software"] == version and held["vksim-step"] == "12" and
                scene["seed"] == 7 and scene["steps"] == 12 and scene["warmup"] == 5 and
                scene["simulation"] == "physarum", "the version, the step and the scene", held)
    suite.succeeds("frames", *run, "--frames", 4, "--out", "f_%d.png", "--out", "v.mp4", "--out",
                   "v.mkv", "--out", "v.webm")
    steps = [texts(suite.read(f"f_{k}.png"))["vksim-step"] for k in range(4)]
    suite.check(steps == ["5", "8", "11", "14"], "each has its step", steps)
    suite.succeeds("again", "--scene", "last.png", "--out", "again.png")
    suite.check(suite.read("again.png") == suite.read("last.png"), "it is the same file")
    again = suite.succeeds("one of them", "--scene", "f_2.png", "--out", "again_2.png", "--digest")
    suite.check(suite.read("again_2.png") == suite.read("f_2.png"), "it is the same file", again)
    one = suite.succeeds("one frame", *run, "--warmup", 11, "--frames", 1, "--out", "one.png",
                         "--normalize", "frame", "--digest")
    digest = texts(suite.read("one.png"))["vksim-digest"]
    suite.check(f"digest frames {digest}\n" in one, "its digest is that of --digest", one, digest)

    def description(name):
        told = subprocess.run(["ffprobe", "-v", "error", "-of", "json", "-show_entries",
                               "format_tags", suite.path(name)], capture_output=True, text=True)
        tags = {key.lower(): text for key, text in
                json.loads(told.stdout)["format"]["tags"].items()}
        suite.check(json.loads(tags["comment"])["steps"] == 14, f"{name} holds its scene", tags)
        return tags.get("description")

    digest = description("v.mp4")
    suite.check(re.fullmatch("vksim-digest [0-9a-f]{32}", digest or ""), "and a digest", digest)
    suite.check(description("v.mkv") is None and description("v.webm") is None, "which others lack")
    for name in ("v.mp4", "v.mkv", "v.webm"):
        suite.succeeds(f"the scene of {name}", "--scene", name, "--overwrite", "--out",
                       "f_again.png", "--out", "w.mp4", "--crf", 40)
        suite.check(suite.read("f_again.png") == suite.read("f_3.png"), "makes its last frame")
        suite.check(description("w.mp4") == digest, "and frames with its digest")
    suite.succeeds("another seed", *run, "--seed", 8, "--frames", 4, "--overwrite", "--out",
                   "w.mp4")
    suite.check(description("w.mp4") != digest, "has another digest")
    for name, extra in (("grid", ["--vary", "decay=0.1,0.2"]), ("poster", ["--poster"]),
                        ("collage", ["--collage", "2x2"]),
                        ("paces", ["--warmup", 0, "--vary", "preset=worms,frost"])):
        one = ["--headless", "--size", "32x24"] if name == "paces" else run
        suite.succeeds(name, *one, "--frames", 4, *extra, "--out",
                       f"{name}.mp4" if name == "poster" else f"{name}.png")
        suite.succeeds("again", "--scene", f"{name}.png", "--out", "b.png", "--overwrite")
        suite.check(suite.read("b.png") == suite.read(f"{name}.png"), f"{name}: the same file")
    state = [*SMALL, "--steps", 4, "--out", "none", "--save-state", "s.npz"]
    suite.succeeds("a state", *state)
    suite.succeeds("from a state", "--load-state", "s.npz", "--steps", 3, "--out", "r.png")
    suite.check(texts(suite.read("r.png"))["vksim-step"] == "7", "its steps are counted on")
    suite.succeeds("again", "--scene", "r.png", "--out", "r2.png")
    suite.check(suite.read("r2.png") == suite.read("r.png"), "it is the same file")
    data = suite.read("last.png")
    suite.write("bare.png", png(2, 2, [bytes(6)] * 2))
    suite.write("cut.png", data[:60])
    suite.write("text.png", "no picture")
    suite.write("bad.png", data.replace(b'{"agents"', b'{ agents"'))
    suite.write("text.mp4", "no video")
    suite.write("bare.mkv", suite.read("v.mkv").replace(b'{"agents"', b'["agents"'))
    for name, code in (("bare.png", FILE), ("cut.png", FILE), ("text.png", FILE),
                       ("none.png", FILE), ("bad.png", FILE), ("text.mp4", FILE),
                       ("none.webm", FILE), ("bare.mkv", FILE)):
        suite.fails(f"the scene of {name}", code, name, "--scene", name, "--out", "x.png")


def test_warmup(suite):
    """--warmup leaves out the frames before its step."""
    run = [*SMALL, "--normalize", "frame", "--steps-per-frame", 2]
    suite.succeeds("all", *run, "--steps", 10, "--out", "a_%d.png")
    suite.succeeds("warm", *run, "--steps", 10, "--warmup", 6, "--out", "w_%d.png", "--out",
                   "w.mp4", "--collage", "3x1")
    names = sorted(name for name in os.listdir(suite.folder) if name.startswith("w_"))
    suite.check(names == ["w_0.png", "w_1.png", "w_2.png"], "three frames", names)
    for k in range(3):
        suite.check(pixels(suite.path(f"w_{k}.png")) == pixels(suite.path(f"a_{k + 3}.png")),
                    f"frame {k} is of step {6 + 2 * k}")
    out = suite.succeeds("a plan", *run, "--frames", 3, "--warmup", 6, "--dry-run")
    suite.check("10 steps, 3 frames" in out, "steps follow from frames", out)
    suite.fails("longer than the run", USAGE, "--warmup 11", *run, "--steps", 10, "--warmup", 11)
    suite.fails("cells of different pace", USAGE, "--warmup", "--headless", "--frames", 3, "--vary",
                "preset=worms,frost", "--warmup", 4)


def test_stills(suite):
    """.jpg and .webp hold the same picture as .png."""
    run = [*SMALL, "--size", "64x48", "--agents", 400, "--steps", 20]
    suite.succeeds("stills", *run, "--out", "s.png", "--out", "s.jpg", "--out", "s.webp", "--out",
                   "s.jpeg")
    exact, near = pixels(suite.path("s.png")), pixels(suite.path("s.jpg"))
    suite.check(pixels(suite.path("s.webp")) == exact, ".webp is lossless")
    suite.check(len(near) == len(exact) and mean_difference(near, exact) < 4, ".jpg is near it",
                mean_difference(near, exact))
    suite.check(suite.read("s.jpeg") == suite.read("s.jpg"), ".jpeg is .jpg")
    suite.succeeds("transparent", *run, "--background", "transparent", "--out", "t.webp", "--out",
                   "t.png")
    suite.fails("a transparent .jpg", USAGE, "transparent", *run, "--background", "transparent",
                "--out", "t.jpg")
    clear, full = pixels(suite.path("t.webp"), "rgba"), pixels(suite.path("t.png"), "rgba")
    suite.check(clear[3::4] == full[3::4] and min(clear[3::4]) == 0 and
                all(clear[i:i + 3] == full[i:i + 3] for i in range(0, len(full), 4) if full[i + 3]),
                ".webp has transparency")
    suite.fails("a wide .webp", USAGE, "16383", *SMALL, "--size", "20000x8", "--out", "w.webp")
    suite.fails("a wide .jpg", USAGE, "65500", *SMALL, "--size", "65536x2", "--out", "w.jpg")
    suite.fails("more bits", USAGE, "--depth 16", *SMALL, "--depth", 16, "--out", "d.webp")


def test_several_outputs(suite):
    """Each of several --out has the bytes of a run of its own, with the options that follow it."""
    run = [*SMALL, "--frames", 6, "--overwrite"]
    outputs = (["--out", "m.mp4", "--crf", 30], ["--out", "m.webm"], ["--out", "m.mkv"],
               ["--out", "m_%d.png", "--depth", 16], ["--out", "m.npy"], ["--out", "last.png"],
               ["--out", "m.gif"], ["--out", "m.exr"], ["--out", "ten.y4m", "--depth", 10],
               ["--out", "m.vti"], ["--out", "sheet.png", "--collage", "2x2"])
    names = ["m.mp4", "m.webm", "m.mkv", "m_0.png", "m_5.png", "m.npy", "last.png", "m.gif",
             "m.exr", "ten.y4m", "m.vti", "sheet.png"]
    alone = {}
    for output in outputs:
        suite.succeeds(f"{output[1]} alone", *run, *output)
    for name in names:
        alone[name] = suite.read(name)
        os.remove(suite.path(name))
    status, out, err = suite.run(*run, "--digest", *(word for part in outputs for word in part))
    wrote = re.findall(r"wrote (\S+) \((\d+) frames?", err)
    wanted = [("m.mp4", "6"), ("m.webm", "6"), ("m.mkv", "6"), ("m_%d.png", "6"), ("m.npy", "6"),
              ("last.png", "1"), ("m.gif", "6"), ("m.exr", "1"), ("ten.y4m", "6"), ("m.vti", "1"),
              ("sheet.png", "4")]
    suite.check(status == OK and wrote == wanted, "all are written and named", status, err)
    for name in names:
        suite.check(suite.read(name) == alone[name], f"{name} has the same bytes")
    _, before, _ = suite.run(*run, "--out", "none", "--digest")
    suite.check(before.splitlines()[0] == out.splitlines()[0], "the run is the same", before, out)
    # What comes before the first --out is for all, and each may have its own instead.
    suite.succeeds("10 bits for all", *run, "--depth", 10, "--out", "a.y4m", "--out", "b.y4m",
                   "--out", "c.y4m", "--depth", 8)
    suite.check(suite.read("a.y4m") == suite.read("b.y4m") == alone["ten.y4m"] and
                suite.read("c.y4m").startswith(b"YUV4MPEG2") and
                len(suite.read("c.y4m")) < len(alone["ten.y4m"]), "10, 10 and 8 bits")
    suite.succeeds("those that support it", *run, "--crf", 30, "--depth", 16, "--poster", "--out",
                   "d_%d.png", "--out", "e.mp4", "--out", "e.npy")
    suite.check(suite.read("d_5.png") == alone["m_5.png"] and suite.read("e.mp4") == alone["m.mp4"]
                and png_size(suite.read("e.png")), "have the option")
    suite.fails("one must support it", USAGE, "--crf", *run, "--crf", 20, "--out",
                "b.png", "--out", "b.npy")
    suite.fails("one that follows must", USAGE, "--crf", *run, "--out", "b.mp4", "--out", "b.png",
                "--crf", 20)
    suite.fails("two posters", USAGE, "--poster", *run, "--out", "b.mp4", "--poster", "--out",
                "c.mp4", "--poster")
    planned = suite.succeeds("a dry run", *run, "--dry-run", "--out", "a.mp4", "--encoder", "h264",
                             "--out", "b.mp4", "--crf", 3, "--out", "c.png", "--depth", 16)
    suite.check("  a.mp4 --encoder h264\n  b.mp4 --crf 3\n  c.png --depth 16\n" in planned,
                "shows the options of each", planned)
    status, out, err = suite.run(*run, "--out", "-", "--out", "p.mp4", "--poster", "--digest",
                                 binary=True)
    suite.check(status == OK and out.startswith(b"YUV4MPEG2") and "digest state" in err and
                "wrote p.png" in err and "standard output" not in err,
                "a stream, and a poster next to the file", status, err)
    # One that fails ends the run; the others keep their frames.
    status, _, err = suite.run("--headless", "--preset", "plain", "--size", "256x256", "--frames",
                               60, "--colormap", "ember", "--out", "whole.npy", "--out", "x.mp4",
                               env=suite.limited_files(), preexec_fn=limit_files(100000))
    suite.check(status == FILE and "cannot write" in err and not suite.left_over(),
                "a full disk", status, err, suite.left_over())
    status, _, err = interrupted(suite, ["--frames", "1000000", "--out", "cut.mp4", "--out",
                                         "cut.png", "--out", "cut.y4m"], [signal.SIGINT])
    suite.check(status == INTERRUPTED and err.count("wrote cut") == 3 and
                png_size(suite.read("cut.png")) == (128, 128), "Ctrl-C completes all", status, err)
    suite.check(not suite.left_over(), "nothing is left over", suite.left_over())


if __name__ == "__main__":
    sys.exit(main(globals()))

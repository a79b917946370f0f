#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_cli_gas.py VKSIM [NAME...]: the gas. See suite.py."""

import json
import math
import os
import re
import struct
import sys

sys.dont_write_bytecode = True
from suite import (FILE, OK, STOPPED, USAGE, floats, main, npy, npz, npz_members,  # noqa: E402
                   pixels, read_table, values)

GAS = ["gas", "--headless", "--preset", "plain"]
GAS_PARTICLES = [*GAS, "--size", "8x6x4", "--particles", 50]
GAS_GRID = [*GAS, "--method", "grid", "--size", "8x6x4"]


def test_gas_usage(suite):
    rows = [
        ("a width that is not a power of two", ["--size", "48x32x32"]),
        ("a height", ["--size", "8x3x8"]),
        ("a depth", ["--size", "8x8x1000"]),
        ("a side that is too long", ["--size", "4096x2"]),
        ("on a grid as well", ["--method", "grid", "--size", "48x32x32"]),
    ]
    for name, arguments in rows:
        suite.fails(f"gravity: {name}", USAGE, "--gravity", *GAS, "--gravity", 1, *arguments,
                    "--out", "none")
    rows = [
        ("cfl over a half", "--cfl", ["--cfl", 0.51]),
        ("cfl of 0", "--cfl", ["--cfl", 0]),
        ("gamma of 1", "--adiabatic-index", ["--adiabatic-index", 1]),
        ("negative gravity", "--gravity", ["--gravity", -1]),
        ("negative conductivity", "--conductivity", ["--conductivity", -1]),
        ("dt of 0", "--dt", ["--dt", 0]),
        ("fewer particles than none", "--particles", ["--particles", -1]),
        ("a method that there is not", "--method", ["--method", "sph"]),
        ("a start that there is not", "--init", ["--init", "sod"]),
        ("a view that there is not", "--view", ["--view", "energy"]),
        ("vorticity of a volume", "--view", ["--size", "8x8x8", "--view", "vorticity"]),
        ("the potential of no gravity", "--view", ["--view", "potential"]),
        ("an explosion in too small a place", "--energy", ["--init", "blast", "--energy", 1e6,
                                                           "--radius", 0.001]),
        ("an axis of a flat box", "--axis", ["--size", "8x8", "--axis", "x"]),
        ("a slice of a flat box", "--slice", ["--size", "8x8", "--slice", 0.5]),
        ("four sizes", "--size", ["--size", "8x8x8x8"]),
        ("more cells than can be", "--size", ["--method", "grid", "--size", "4096x4096x4096"]),
        ("more nodes than particles can have", "--method", ["--size", "2048x1024x1024",
                                                            "--particles", 1]),
        ("a grid that does not fit", "--size", ["--method", "grid", "--size", "1600x1600x1600"]),
        ("particles that do not fit", "need", ["--size", "8x8x8", "--particles", "1e9"]),
    ]
    for name, subject, arguments in rows:
        suite.fails(name, USAGE, subject, *GAS, *arguments, "--out", "none")
    # A plane is its own projection.
    flat = [*GAS, "--size", "64x32", "--particles", 500, "--steps", 3]
    suite.succeeds("a projection of a flat box", *flat, "--project", "column", "--out", "a.png")
    suite.succeeds("none", *flat, "--out", "b.png")
    suite.check(pixels(suite.path("a.png")) == pixels(suite.path("b.png")),
                "--project of a plane does nothing")
    for preset in ("default", "tube"):
        suite.succeeds(f"preset {preset} of a flat box", "gas", "--headless", "--preset", preset,
                       "--size", "64x32", "--steps", 1, "--out", f"{preset}.png")


@values
def test_gas_runs(suite):
    for kind in (GAS_PARTICLES, GAS_GRID):
        name = "grid" if "grid" in kind else "particles"
        run = [*kind, "--frames", 5, "--steps-per-frame", 3, "--out", "none"]
        suite.succeeds(f"{name}: --watch", *run, "--watch", f"{name}.csv")
        columns, rows = read_table(suite.read(f"{name}.csv"))
        times = [row[3] for row in rows]
        energies = ["kinetic", "heat", "oscillators", "potential", "energy"]
        suite.check(columns == ["frame", "step", "status", "time", "dt", *energies] and
                    [row[1] for row in rows] == [0, 3, 6, 9, 12] and times[0] == 0 and
                    all(a < b <= a + 3 * 0.015 for a, b in zip(times, times[1:])) and
                    all(time * 2 ** 40 == int(time * 2 ** 40) for time in times) and
                    rows[0][4] == 0 and all(0 < row[4] <= 0.015 for row in rows[1:]),
                    f"{name}: time is a sum of whole units", columns, rows)
        suite.check(rows[-1][5] > 0 and all(row[6] > 0 and row[7] == 0 == row[8] and
                        math.isclose(row[9], row[5] + row[6], rel_tol=1e-6) and
                        math.isclose(row[9], rows[0][9], rel_tol=2e-6) for row in rows),
                    f"{name}: energy is conserved", rows)
        suite.fails(f"{name}: a table that is there", FILE, "--overwrite", *run, "--watch",
                    f"{name}.csv")
        # N + M steps, and the time of a loaded state.
        whole = suite.state(*kind, "--steps", 12)
        suite.succeeds(f"{name}: save", *kind, "--steps", 7, "--out", "none", "--save-state",
                       f"{name}.npz")
        suite.check(suite.state("--headless", "--steps", 5, "--load-state", f"{name}.npz") == whole,
                    f"{name}: a saved run goes on")
        suite.succeeds(f"{name}: a loaded table", "--headless", "--load-state", f"{name}.npz",
                       "--frames", 1, "--out", "none", "--watch", f"{name}-loaded.csv")
        members = npz_members(suite.path(f"{name}.npz"))
        clock = struct.unpack("<Q", members["clockwork.npy"][-64:-56])
        loaded = read_table(suite.read(f"{name}-loaded.csv"))[1]
        suite.check(loaded[0][1:4] == [7, 0, clock[0] / 2 ** 40],
                    f"{name}: the time of a loaded state", suite.read(f"{name}-loaded.csv"), clock)
        for driver in ("lavapipe", "swiftshader") if name == "particles" else ("lavapipe",):
            status, out, err = suite.run(*kind, "--steps", 6, "--conductivity", 0.1, "--out",
                                         "v.png", "--overwrite", "--quiet", "--digest",
                                         "--validate", env=suite.environment(driver))
            suite.check(status == OK and not err and "digest" in out,
                        f"{name}: --validate is silent on {driver}", status, err)
    # Time steps of 0: the first one fails with a message, and nothing is saved.
    for name, arguments in (
            ("grid", ["--method", "grid", "--init", "tube", "--size", "16384x1", "--speed", 1e6,
                      "--cfl", 0.01]),
            ("particles", ["--init", "cloud", "--size", "65536x2", "--particles", 1000, "--mach",
                           1000, "--temperature", 1e9, "--radius", 0.5])):
        suite.fails(f"{name}: a time step of 0", STOPPED, "the time step has become 0", *GAS,
                    *arguments, "--steps", 20, "--out", "none", "--save-state", "never.npz")
        suite.check(not os.path.exists(suite.path("never.npz")) and not suite.left_over(),
                    f"{name}: no state is left")


@values
def test_gas_views(suite):
    shear = ["gas", "--headless", "--preset", "shear", "--size", "64x64", "--steps", 20,
             "--overwrite"]
    own = suite.digests(*shear, "--view", "vorticity")
    given = suite.digests(*shear, "--view", "vorticity", "--colormap", "aurora",
                          "--normalize", "symmetric", "--gamma", 0.5)
    suite.check(own == given, "another view has its own colours", own, given)
    suite.succeeds("a scene of it", *shear, "--view", "vorticity", "--save-scene", "view.json",
                   "--out", "a.png")
    with open(os.path.join(suite.folder, "view.json"), encoding="utf-8") as scene:
        colours = json.load(scene)
    suite.check((colours["colormap"], colours["normalize"]) == ("aurora", "symmetric"),
                "a scene has them, too", colours)
    # A scene resets what its run has not set and the default preset has.
    small = ["gas", "--preset", "plain", "--headless", "--size", "16x16", "--steps", 2]
    run = suite.digests(*small, "--out", "c.png", "--save-scene", "small.json")
    suite.check(run == suite.digests("--scene", "small.json", "--out", "d.png") ==
                suite.digests("--scene", "c.png", "--out", "e.png"), "scenes draw the same", run)
    clipped = "of the last picture lies "
    for name, arguments, warning in (
            ("values above the range", ["--view", "temperature", "--normalize", "fixed:0:1"],
             clipped + "above the range of --normalize fixed:0:1"),
            ("values above it and negative ones below it, neither of them most",
             ["--view", "vorticity", "--normalize", "fixed:0:0.00001"], None),
            ("values in the range", [], None),
            ("a dark picture", ["--normalize", "fixed:0:1000"], None),
            ("a dark picture below it", ["--normalize", "fixed:100:200"],
             clipped + "below the range of --normalize fixed:100:200"),
            ("a range that is measured", ["--view", "temperature"], None)):
        status, _, err = suite.run(*shear, *arguments, "--out", "b.png")
        lines = [line for line in err.splitlines() if clipped in line]
        good = status == OK and (len(lines) == 1 and warning in lines[0] if warning else not lines)
        suite.check(good, f"a warning about clipped pictures: {name}", err)


def test_gas_states(suite):
    suite.succeeds("particles", *GAS_PARTICLES, "--steps", 2, "--out", "none", "--save-state",
                   "p.npz")
    suite.succeeds("a grid", *GAS_GRID, "--steps", 2, "--out", "none", "--save-state", "g.npz")
    particles = npz_members(suite.path("p.npz"))
    grid = npz_members(suite.path("g.npz"))
    fields = "clockwork frequency heat mass oscillator vx vy vz x y z".split()
    suite.check(sorted(particles) == sorted([*(f"{name}.npy" for name in fields), "vksim.json"]),
                "what particles save", sorted(particles))
    suite.check(sorted(grid) == ["clockwork.npy", "density.npy", "energy.npy", "internal.npy",
                                 "momentum_x.npy", "momentum_y.npy", "momentum_z.npy",
                                 "vksim.json"], "what a grid saves", sorted(grid))
    suite.check(b"'shape': (4, 6, 8)" in grid["density.npy"] and
                b"'shape': (50,)" in particles["z.npy"] and b"<u4" in particles["z.npy"] and
                b"'shape': (16,)" in grid["clockwork.npy"], "shapes and types")

    def written(name, base, changed, header=True):
        path = re.sub(r"[^\w-]+", "-", name) + ".npz"
        members = {**base, **{f"{key}.npy": value for key, value in changed.items()}}
        npz(suite.path(path), {key: value for key, value in members.items()
                               if value is not None and (header or key != "vksim.json")})
        return path

    def fails(name, base=particles, arguments=(), header=True, **changed):
        path = written(name, base, changed, header)
        suite.fails(f"gas state: {name}", FILE, path, "gas", "--headless",
                    *arguments, "--steps", 1, "--out", "none", "--load-state", path)

    # Of these, a simulation with the same fields loads many.
    wrong = {"p.npz": {}, "g.npz": {}}

    def refused(name, base=particles, **changed):
        wrong["p.npz" if base is particles else "g.npz"][f"gas state: {name}"] = written(
            name, base, changed)

    def column(value, at=7, count=50, code="f", rest=0.5):
        values = [rest] * count
        values[at] = value
        return npy(f"<{'f4' if code == 'f' else 'f8'}", (count,), floats(values, code))

    def cells(value, at=11):
        values = [1.0] * 192
        values[at] = value
        return npy("<f4", (4, 6, 8), floats(values))

    nan, inf = float("nan"), float("inf")
    for value in (nan, inf, -inf, 1.1e9):
        refused(f"a velocity of {value}", vy=column(value))
        refused(f"a density of {value}", grid, density=cells(value))
    for value in (nan, inf, -0.5, 1.1e9):
        for name in ("heat", "oscillator", "frequency"):
            refused(f"{name} of {value}", **{name: column(value)})
        refused(f"energy of {value}", grid, energy=cells(value))
    for value in (nan, inf, 0, 1e-40, -0.5, 1.1e9):
        refused(f"a mass of {value}", mass=column(value))
    refused("a negative density", grid, density=cells(-1))
    refused("a momentum of NaN", grid, momentum_x=cells(nan))
    refused("a double beyond float32", heat=column(1e300, code="d"))
    for value in (nan, inf):
        refused(f"a place of {value}", x=column(value))
    fails("masses for others", mass=column(1.0, count=40))
    fails("places of two numbers", y=npy("<u4", (50, 2), bytes(400)))
    fails("a density of one axis", grid, density=npy("<f4", (192,), floats([1.0] * 192)))
    fails("energies of a smaller box", grid, energy=npy("<f4", (4, 6, 7), floats([1.0] * 168)))
    refused("integers for a mass", mass=npy("<u4", (50,), bytes(200)))
    refused("signed places", z=npy("<i4", (50,), bytes(200)))
    fails("a field is missing", heat=None)
    refused("a clockwork of floats", clockwork=npy("<f4", (16,), bytes(64)))
    refused("a clockwork of four words", clockwork=npy("<u4", (4,), bytes(16)))
    # A state of the other method.
    fails("of particles, for a grid", arguments=["--method", "grid"])
    fails("of a grid, for particles", grid, arguments=["--method", "particles"])
    fails("of a grid without a header, for particles", grid,
          arguments=["--preset", "plain", "--method", "particles"], header=False)
    # Invalid units.
    words = list(struct.unpack("<16I", particles["clockwork.npy"][-64:]))
    float_bits = lambda value: struct.unpack("<I", struct.pack("<f", value))[0]
    for name, word, value in (
            ("mass in other units", 4, words[4] + 1), ("a large exponent of energy", 5, 127),
            ("a small exponent of energy", 5, 2 ** 32 - 85), ("an exponent of momentum", 6, 1000),
            ("mass of NaN", 7, float_bits(nan)), ("no mass", 7, 0),
            ("another mass", 7, float_bits(3.0)), ("negative energy", 9, 2 ** 31),
            ("another mean", 3, float_bits(7.0))):
        changed = struct.pack("<16I", *words[:word], value, *words[word + 1:])
        refused(f"clockwork: {name}", clockwork=npy("<u4", (16,), changed))
    for name, value in (("NaN", nan), ("infinity", inf), ("-1", -1.0), ("2000", 2000.0)):
        for method, base in (("particles", particles), ("grid", grid)):
            refused(f"clockwork of {method}: dt of {name}", base,
                    clockwork=npy("<u4", (16,), struct.pack("<16I", 0, 0, float_bits(value),
                                                            *[0] * 13)))
    for name, value in (("NaN", nan), ("a negative number", -1.0), ("1e-30", 1e-30)):
        refused(f"clockwork: mean of {name}", grid,
                clockwork=npy("<u4", (16,), struct.pack("<16I", 0, 0, 0, float_bits(value),
                                                        *[0] * 12)))
    for start, files in wrong.items():
        suite.refuses(start, files)
    fails("particles in another box", arguments=["--size", "16x16x16"])
    # Hand-made files without the clockwork, the header or the method.
    for name, base, keeps in (("particles", particles, ["--size", "8x6x4"]), ("grid", grid, [])):
        bare = {key: value for key, value in base.items()
                if key not in ("clockwork.npy", "vksim.json")}
        npz(suite.path(f"{name}-bare.npz"), bare)
        suite.succeeds(f"{name} without clockwork and header", "gas", "--headless", "--preset",
                       "plain", *keeps, "--load-state", f"{name}-bare.npz", "--steps", 3, "--out",
                       "none", "--save-state", f"{name}-back.npz")
        header = json.loads(npz_members(suite.path(f"{name}-back.npz"))["vksim.json"])
        suite.check(header["options"]["method"] == name and header["options"]["size"] == "8x6x4" and
                    header["steps"] == 3, f"{name}: the arrays say the method and the size", header)
    # Reordered, with the clockwork: the same bytes in that order.
    order = [(7 * i + 3) % 50 for i in range(50)]

    def mixed(data):
        if not re.search(rb"'shape': \(50,\)", data):
            return data
        rows = [data[-200:][4 * i:4 * i + 4] for i in order]
        return data[:-200] + b"".join(rows)
    npz(suite.path("mixed.npz"), {key: mixed(value) if key.endswith(".npy") else value
                                  for key, value in particles.items()})
    for source in ("p", "mixed"):
        suite.succeeds(f"{source} goes on", "--headless", "--load-state", f"{source}.npz",
                       "--steps", 5, "--out", "none", "--save-state", f"{source}-end.npz")
    end, mixed_end = (npz_members(suite.path(f"{name}-end.npz")) for name in ("p", "mixed"))
    suite.check(all(mixed(value) == mixed_end[key] for key, value in end.items()
                    if key.endswith(".npy")), "another order of the particles")


def units_of(suite, name):
    """The time of a saved state in units of 2^-40."""
    low, high = saved(npz_members(suite.path(name)), "clockwork", "I")[:2]
    return low + (high << 32)


@values
def test_gas_end(suite):
    """--end-time and --frame-time; what does not depend on the method, with particles."""
    end, unit = 0.1, 2.0 ** -40
    exact = round(end / unit)
    times = [round(time / unit) * unit for time in (0, 0.04, 0.08, end)]
    for kind in (GAS_PARTICLES, GAS_GRID):
        particles = kind is GAS_PARTICLES
        name = "particles" if particles else "grid"
        plain = [*kind, "--view", "density", "--end-time", end]
        run = [*plain, "--steps-per-frame", 4]
        framed = [*plain, "--frame-time", 0.04]

        def table(arguments, *more, run=run, name=name, **options):
            suite.succeeds(f"{name}: a table {' '.join(map(str, arguments))}", *run, *arguments,
                           "--out", "none", "--watch", "w.csv", "--overwrite", *more, **options)
            rows = read_table(suite.read("w.csv"))[1]
            return [int(row[1]) for row in rows], [row[3] for row in rows]

        steps, found = table([], "--save-state", "e.npz")
        suite.check(units_of(suite, "e.npz") == exact and found[-1] == exact * unit and
                    found[-2] < exact * unit and all(step % 4 == 0 for step in steps[:-1]),
                    f"{name}: a run ends exactly at its time", steps, found)
        state = suite.state(*run)
        suite.check(suite.state(*kind, "--load-state", "e.npz", "--end-time", end,
                                "--steps", 9) == state, f"{name}: further steps change nothing")
        suite.check(suite.state(*kind, "--load-state", "e.npz", "--steps", 9) != state,
                    f"{name}: the state does not keep the end")
        first = table([], "--save-state", "f.npz", run=framed)
        suite.check(first[1] == times and units_of(suite, "f.npz") == exact,
                    f"{name}: frames at equal times", first)
        if particles:
            suite.check(table(["--steps", 6])[0] == [0, 4, 6] and
                        table(["--frames", 2])[0] == [0, 4] and
                        table(["--frames", 50]) == (steps, found),
                        "steps or frames may end it before")
            again = table([], run=framed, env=suite.environment("swiftshader"))
            suite.check(first == again, "the same frames on SwiftShader", first, again)
            suite.check(table(["--frames", 3], run=framed)[1] == times[:3] and
                        table(["--duration", "0.05s"], run=framed)[1] == times[:3] and
                        table(["--frames", 3], run=[*kind, "--frame-time", 0.04])[1] == times[:3],
                        "a number of frames")
            warm = table(["--warmup", 2], run=framed)
            suite.check(warm[0][0] == 2 and 0 < warm[1][0] < times[1] and
                        warm[1][1:] == times[1:], "--warmup is in steps", warm)
        # A run that continues has the same frames.
        suite.succeeds(f"{name}: two frames", *framed, "--frames", 3, "--out", "none",
                       "--save-state", "h.npz", "--overwrite")
        rest = [*framed, "--load-state", "h.npz"]
        suite.check(table([], run=rest)[1] == times[2:] and
                    suite.state(*rest) == suite.state(*framed), f"{name}: continued")


def test_gas_frame_times(suite):
    """What shows frames at equal times, and what conflicts with them."""
    run = [*GAS_GRID, "--view", "density", "--output-size", "48x36", "--end-time", 0.05]
    framed = [*run, "--frame-time", 0.02]
    suite.succeeds("files", *framed, "--fields", "density", "--out", "f%d.vti", "--out", "f%d.png",
                   "--out", "f.mp4", "--out", "last.png", "--save-scene", "f.json")

    def vti(frame):
        with open(suite.path(f"f{frame}.vti"), "rb") as file:
            return file.read()

    shown = [re.search(rb'TimeValue[^>]*>([^<]*)<', data)[1]
             for data in map(vti, range(4))]
    suite.check([round(float(time), 9) for time in shown] == [0, 0.02, 0.04, 0.05] and
                not os.path.exists(suite.path("f4.vti")), "TimeValue", shown)
    suite.check(pixels(suite.path("last.png")) == pixels(suite.path("f3.png")) !=
                pixels(suite.path("f2.png")), "a still shows the end")
    scene = json.loads(suite.read("f.json"))
    suite.check(scene["frame-time"] == 0.02 and "frames" not in scene and "steps" not in scene,
                "the scene", scene)
    for source, picture in (("f.json", "f3.png"), ("f1.png", "f1.png"), ("last.png", "f3.png")):
        suite.succeeds(f"from {source}", "--scene", source, "--out", "again.png", "--overwrite")
        suite.check(pixels(suite.path("again.png")) == pixels(suite.path(picture)),
                    f"{source} makes {picture}")
    for name, arguments, expected in (("steps", ["--steps", 2], [0, 1, 2]),
                                      ("steps per frame", ["--steps-per-frame", 3], [0, 3, 4])):
        suite.succeeds(f"{name} instead", "--scene", "f.json", *arguments, "--out", "i.png",
                       "--overwrite", "--watch", "i.csv")
        steps = [row[1] for row in read_table(suite.read("i.csv"))[1]]
        suite.check(steps == expected, f"{name} replace --frame-time of a scene", steps)
    suite.succeeds("without --frame-time", *run, "--steps-per-frame", 3, "--out", "e%02d.png",
                   "--out", "end.png", "--save-scene", "e.json")
    suite.succeeds("its scene", "--scene", "e.json", "--out", "same.png")
    suite.succeeds("its last still", "--scene", "end.png", "--out", "same2.png")
    suite.check(pixels(suite.path("end.png")) == pixels(suite.path("same.png")) ==
                pixels(suite.path("same2.png")), "its end")
    suite.succeeds("a sheet", *framed, "--vary", "cfl=0.2,0.4", "--collage", "2x2", "--out",
                   "v.mp4")
    out = suite.succeeds("a plan", *framed, "--frames", 9, "--out", "p.png", "--dry-run")
    suite.check("4 frames, at most until time 0.05" in out, "its length", out)
    out = suite.succeeds("another plan", *run, "--out", "p.png", "--dry-run")
    suite.check("length         until time 0.05" in out, "its length", out)
    suite.succeeds("a state", *run, "--out", "none", "--save-state", "s.npz")
    rows = [
        ("an end before the state", "s.npz", ["--end-time", 0.04, "--load-state", "s.npz"]),
        ("an end that is too early", "--end-time", ["--end-time", 1e-10]),
        ("steps", "--steps", ["--frame-time", 0.01, "--steps", 9]),
        ("steps per frame", "--steps-per-frame", ["--frame-time", 0.01, "--steps-per-frame", 9]),
        ("frames beyond all time", "8192", ["--frame-time", 100, "--frames", 99, "--end-time", 0]),
        ("too many frames", "1e9", ["--frame-time", 1e-9, "--end-time", 10]),
        ("a sheet of unknown frames", "--collage", ["--out", "c.png", "--collage", "2x2"]),
        ("faces of a line", "--variant", ["--variant", "faces", "--size", "16x1"]),
    ]
    for name, subject, arguments in rows:
        suite.fails(name, USAGE, subject, *run, "--out", "x.png", *arguments)
    suite.fails("another simulation", USAGE, "--frame-time", "gray-scott", "--frame-time", 1,
                "--out", "x.png")
    suite.fails("a window", USAGE, "--frame-time", "gas", "--frame-time", 1)


def rounded(values):
    return struct.unpack(f"<{len(values)}f", floats(values))


def saved(members, name, code="f"):
    """The numbers of an array in a saved state."""
    data = members[f"{name}.npy"]
    data = data[10 + struct.unpack("<H", data[8:10])[0]:]
    return struct.unpack(f"<{len(data) // 4}{code}", data)


@values
def test_gas_members(suite):
    """State files with primitive variables, and what they lack."""
    shape, count, g1 = (4, 6, 8), 192, 1.4 - 1

    def wave(low, high, number, of=count):
        return [low + (high - low) * (0.5 + 0.5 * math.sin(number * i)) for i in range(of)]

    def start(name, *arguments, shape=shape, run=("--preset", "plain", "--temperature", 0.7),
              **arrays):
        """The arrays of the state from which a run starts, and its messages."""
        npz(suite.path(f"{name}.npz"), {key: npy("<f8", shape, floats(value, "d"))
                                        for key, value in arrays.items()})
        status, _, err = suite.run("gas", *run, *arguments, "--load-state", f"{name}.npz",
                                   "--frames", 1, "--out", "none", "--save-state",
                                   f"{name}-start.npz")
        suite.check(status == OK, f"{name} is taken", status, err)
        return npz_members(suite.path(f"{name}-start.npz")) if status == OK else {}, err

    def same(name, state, **expected):
        for key, numbers in expected.items():
            found = saved(state, key)
            suite.check(found == rounded(numbers), f"{name}: {key}", found[:4],
                        rounded(numbers)[:4])

    none = [0.0] * count
    density, u, v = wave(0.5, 2, 1.1), wave(-1, 1, 0.7), wave(-0.3, 0.2, 1.9)
    pressure = wave(0.1, 3, 0.3)
    state, err = start("primitive", density=density, velocity_x=u, velocity_y=v, pressure=pressure)
    heat = [p / g1 for p in pressure]
    energy = [h + 0.5 * d * b * b + 0.5 * d * a * a for h, d, a, b in zip(heat, density, u, v)]
    same("primitive", state, density=density, energy=energy, internal=heat, momentum_z=none,
         momentum_y=[d * b for d, b in zip(density, v)],
         momentum_x=[d * a for d, a in zip(density, u)])
    suite.check("momentum_z = 0" in err and "momentum_x" not in err, "what is missing", err)
    state, err = start("hot", density=density, momentum_x=u, temperature=pressure)
    heat = [d * t for d, t in zip(density, pressure)]
    same("hot", state, internal=heat, momentum_x=u,
         energy=[h + 0.5 * d * (m / d) * (m / d) for h, d, m in zip(heat, density, u)])
    # What there is not is gas at rest, whatever --init is.
    state, err = start("at-rest", "--init", "shear", "--speed", 1, density=density)
    heat = [0.7 * d for d in density]
    same("at rest", state, momentum_z=none, momentum_y=none, momentum_x=none, energy=heat,
         internal=heat)
    suite.check("momentum_x = 0, energy = that of temperature 0.7" in err, "what is assumed", err)
    state, _ = start("conserved", density=density, energy=[9.0] * count)
    same("conserved", state, internal=none)
    # The preset's view is of points, which a grid does not have.
    start("default", run=("--gravity", 0), density=density)
    # Particles.
    many, box = 50, ["--size", "8x6x4"]
    places = {"z": wave(0, 4, 1, many), "y": wave(0, 6, 2, many), "x": wave(0, 8, 3, many)}
    density, u, v = wave(0.5, 2, 1.1, many), wave(-1, 1, 0.7, many), wave(-0.3, 0.2, 1.9, many)
    other, even = wave(2, 3, 0.3, many), 192 / 512 / many

    def particles(name, **arrays):
        return start(name, *box, shape=(many,), **places, **arrays)
    state, err = particles("primitive-particles", velocity_x=u, density=density, pressure=other)
    same("primitive particles", state, vx=u, vz=none[:many], vy=none[:many], oscillator=none[:many],
         mass=[d * even for d in density], heat=[p / (g1 * d) for p, d in zip(other, density)])
    suite.check("vz = 0, vy = 0" in err and "mass" not in err, "what particles lack", err)
    mass = wave(0.01, 0.02, 2.2, many)
    state, err = particles("conserved-particles", momentum_x=u, velocity_y=v, mass=mass,
                           energy=[9000.0 * m for m in mass])
    speed = [p / m for p, m in zip(u, mass)]
    same("conserved particles", state, vx=speed, vy=v, mass=mass,
         heat=[9000.0 * m / m - 0.5 * b * b - 0.5 * a * a for m, a, b in zip(mass, speed, v)])
    state, err = particles("particles-at-rest")
    same("particles at rest", state, vx=none[:many], mass=[even] * many, heat=[0.7] * many)
    state, err = particles("warm-particles", temperature=other)
    same("warm particles", state, heat=other)
    # Tracers in a grid: the arrays have both counts.
    npz(suite.path("tracers.npz"), {
        "density": npy("<f8", shape, floats([1.0] * count, "d")),
        "temperature": npy("<f8", shape, floats([1.0] * count, "d")),
        **{key: npy("<f8", (many,), floats(value, "d")) for key, value in places.items()}})
    suite.succeeds("tracers", *GAS, "--load-state", "tracers.npz", "--steps", 2, "--out", "none",
                   "--save-state", "tracers-end.npz")
    members = npz_members(suite.path("tracers-end.npz"))
    suite.check("density.npy" in members and len(saved(members, "mass")) == many, "their number",
                sorted(members))

    def arrays(numbers, shape=shape):
        return npy("<f8", shape, floats(numbers, "d"))

    def fails(name, members, *arguments):
        npz(suite.path("wrong.npz"), members)
        suite.fails(name, FILE, "wrong.npz", *GAS, *arguments, "--load-state", "wrong.npz",
                    "--frames", 1, "--out", "none")
    ones = arrays([1.0] * count)
    fails("a momentum and a velocity", {"density": ones, "momentum_x": ones, "velocity_x": ones})
    fails("a pressure and a temperature", {"density": ones, "pressure": ones, "temperature": ones})
    fails("an energy and a pressure", {"density": ones, "energy": ones, "pressure": ones})
    fails("a velocity of another shape",
          {"density": ones, "velocity_x": arrays([1.0] * 96, (2, 6, 8))})
    fails("a negative pressure", {"density": ones, "pressure": arrays([-1.0] * count)})
    of_items = {key: arrays(value, (many,)) for key, value in places.items()}
    some = arrays([1.0] * many, (many,))
    fails("particles with a pressure only", {**of_items, "pressure": some}, *box)
    fails("particles without x", {"z": some, "y": some, "vx": some}, *box)
    fails("places of int32", {**of_items, "x": npy("<i4", (many,), bytes(4 * many))}, *box)
    # Unknown arrays, of this simulation and of others.
    for kind, name, unknown, words in (
            ("gas", "density", "momentumx", "(did you mean 'momentum_x'?)"),
            ("gas", "density", "chemistry", "it has density, momentum_z"),
            ("gray-scott", "u", "vv", "(did you mean 'v'?)")):
        npz(suite.path("unknown.npz"), {name: arrays([1.0] * 64, (8, 8)),
                                        unknown: arrays([1.0] * 64, (8, 8))})
        status, _, err = suite.run(kind, "--preset", "plain" if kind == "gas" else "default",
                                   "--load-state", "unknown.npz", "--frames", 1, "--out", "none")
        suite.check(status == OK and f"has no array '{unknown}', which is ignored" in err and
                    words in err, f"{kind}: {unknown} is unknown", status, err)


def test_gas_nonsense(suite):
    """A damaged state file is either refused or runs."""
    for kind in (GAS_PARTICLES, GAS_GRID):
        suite.succeeds("a state", *kind, "--steps", 2, "--out", "none", "--save-state", "seed.npz",
                       "--overwrite")
        members = npz_members(suite.path("seed.npz"))
        names = sorted(name for name in members if name.endswith(".npy"))
        random, wrong, taken = 12345, [], 0

        def below(limit):
            nonlocal random
            random = (random * 6364136223846793005 + 1442695040888963407) % 2 ** 64
            return (random >> 33) % limit
        for index in range(40):
            changed = dict(members)
            for _ in range(1 + below(3)):
                name = names[below(len(names))]
                data = bytearray(changed[name])
                action = below(6)
                if action == 0:  # in the data
                    at = len(data) - 4 * (1 + below(min(40, (len(data) - 128) // 4)))
                    data[at:at + 4] = struct.pack("<I", (0x7fc00000, 0x7f800000, 1, 0xbf800000,
                                                         0x4e800001, below(2 ** 31))[below(6)])
                elif action == 1:  # in the header
                    data[10 + below(100)] ^= 1 << below(8)
                elif action == 2:  # another type
                    data = bytearray(bytes(data).replace(b"<f4", (b"<u4", b"<i4", b"<f2", b">f4",
                                                                 b"<c8")[below(5)], 1))
                elif action == 3:  # a part is missing
                    data = data[:len(data) - 1 - below(len(data) - 1)]
                elif action == 4:  # bytes of another kind
                    data[-len(data) // 3:] = bytes(below(256) for _ in data[-len(data) // 3:])
                else:
                    data = bytearray(members[names[below(len(names))]])
                changed[name] = bytes(data)
            if below(3) == 0:
                del changed["vksim.json"]
            npz(suite.path("n.npz"), changed)
            status, _, err = suite.run("gas", "--headless", "--load-state", "n.npz", "--steps", 3,
                                       "--out", "none", *(["--validate"] if index % 8 == 0 else []))
            taken += status == OK
            if (status not in (OK, FILE, USAGE, STOPPED) or
                    (status != OK and len(err.splitlines()[-1]) < 30)):
                wrong.append((index, status, err))
        suite.check(not wrong and 0 < taken < 40, f"{taken} of 40 damaged states run", wrong)


if __name__ == "__main__":
    sys.exit(main(globals()))

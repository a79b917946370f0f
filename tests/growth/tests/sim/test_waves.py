# SPDX-License-Identifier: MIT
# test_waves.py VKSIM: waves equal a reference written in Python, bit for bit. TAP output.
import os
import struct
import subprocess
import sys
import tempfile
import zipfile

WIDTH, HEIGHT, STEPS, SEED = 21, 16, 40, 7
DROPS, RADIUS, SPEED, DAMPING = 3, 5, 0.5, 0.01
MASK = 0xFFFFFFFF


def f32(x):
    """A float64 result rounded to float32: for one + - * of float32 that is the float32 result."""
    return struct.unpack("f", struct.pack("f", x))[0]


def flush(x):
    return 0.0 if abs(x) < 2.0**-60 else x


def random(seed, item, step, stream):
    """vks_random() of shaders/lib/exact.glsl."""
    x, y, z, w = ((n * 1664525 + 1013904223) & MASK for n in (seed, item, step, stream))
    for last in (False, True):
        x = (x + y * w) & MASK
        y = (y + z * x) & MASK
        z = (z + x * y) & MASK
        w = (w + y * z) & MASK
        if not last:
            x, y, z, w = x ^ x >> 16, y ^ y >> 16, z ^ z >> 16, w ^ w >> 16
    return x, y, z, w


def start():
    inverse_area = f32(1 / RADIUS**2)
    surface = [[0.0] * WIDTH for _ in range(HEIGHT)]
    for i in range(DROPS):
        r = random(SEED, i, 0, 0)
        at_x, at_y = r[0] * WIDTH >> 32, r[1] * HEIGHT >> 32
        for y in range(HEIGHT):
            for x in range(WIDTH):
                dx = min(abs(x - at_x), WIDTH - abs(x - at_x))
                dy = min(abs(y - at_y), HEIGHT - abs(y - at_y))
                square = dx * dx + dy * dy
                if square < RADIUS**2:
                    share = f32(1 - f32(square * inverse_area))
                    surface[y][x] = f32(surface[y][x] + f32(share * share))
    return surface


def step(surface, velocity):
    pull, keep = f32(SPEED**2), f32(1 - DAMPING)
    after = [[0.0] * WIDTH for _ in range(HEIGHT)]
    for y in range(HEIGHT):
        for x in range(WIDTH):
            h = surface[y][x]
            across = f32(surface[y][x - 1] + surface[y][(x + 1) % WIDTH])
            down = f32(surface[y - 1][x] + surface[(y + 1) % HEIGHT][x])
            curvature = f32(f32(across + down) - f32(4 * h))
            v = f32(velocity[y][x] + f32(pull * curvature))
            velocity[y][x] = flush(f32(keep * v))
            after[y][x] = flush(f32(h + velocity[y][x]))
    return after


def field(path, name):
    """The bytes of an array in an .npz file, after its header."""
    with zipfile.ZipFile(path) as archive:
        npy = archive.read(name + ".npy")
    return npy[10 + struct.unpack_from("<H", npy, 8)[0]:]


def main():
    surface, velocity = start(), [[0.0] * WIDTH for _ in range(HEIGHT)]
    for _ in range(STEPS):
        surface = step(surface, velocity)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "waves.npz")
        subprocess.run([sys.argv[1], "waves", "--headless", "--out", "none", "--save-state", path,
                        "--size", f"{WIDTH}x{HEIGHT}", "--steps", str(STEPS), "--seed", str(SEED),
                        "--drops", str(DROPS), "--drop-size", str(RADIUS), "--speed", str(SPEED),
                        "--damping", str(DAMPING)], check=True)
        got = {name: field(path, name) for name in ("surface", "velocity")}
    print("1..2")
    for number, (name, rows) in enumerate((("surface", surface), ("velocity", velocity)), 1):
        wanted = b"".join(struct.pack(f"<{WIDTH}f", *row) for row in rows)
        print("ok" if got[name] == wanted else "not ok", number, "-", name, "after", STEPS, "steps")


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Gray-Scott in NumPy: the time of the same run without a GPU.

The model of docs/sims/gray-scott.md at its default options, drawn as the run of docs/performance.md
is: a frame every few steps, normalised to its own range, square root, contrast, colour map. float32
and whole-array operations, as one would write it in NumPy for speed. It is not a reference: its
results look like vksim's and are not equal to them.

    python3 tools/gray_scott_numpy.py --size 512 --steps 10000 --steps-per-frame 5

With --out the frames are written as raw RGB24 to that file or pipe, whose encoder is timed too.
"""

import argparse
import time

import numpy as np

FEED, KILL, DU, DV = 0.037, 0.060, 0.16, 0.08
CYBERPUNK = [(0.02, 0.02, 0.1), (0.1, 0.0, 0.3), (0.0, 0.2, 0.8), (0.0, 0.8, 0.9), (0.4, 1.0, 0.6),
             (1.0, 0.8, 0.0), (1.0, 0.2, 0.8)]


def start(size):
    """(1, 0) with a square of (0.5, 0.25), and a margin of one cell for the opposite edge."""
    u = np.ones((size + 2, size + 2), np.float32)
    v = np.zeros((size + 2, size + 2), np.float32)
    low, high = 1 + size * 4 // 10, 1 + size * 6 // 10
    u[low:high, low:high] = 0.5
    v[low:high, low:high] = 0.25
    return u, v


def wrap(a):
    a[0], a[-1] = a[-2], a[1]
    a[:, 0], a[:, -1] = a[:, -2], a[:, 1]


def laplacian(a, out):
    np.add(a[:-2, 1:-1], a[2:, 1:-1], out=out)
    out += a[1:-1, :-2]
    out += a[1:-1, 2:]
    out -= np.float32(4) * a[1:-1, 1:-1]


class Stepper:
    def __init__(self, size):
        self.lap_u, self.lap_v, self.reacted = (np.empty((size, size), np.float32) for _ in "123")

    def step(self, u, v):
        wrap(u)
        wrap(v)
        laplacian(u, self.lap_u)
        laplacian(v, self.lap_v)
        inner_u, inner_v = u[1:-1, 1:-1], v[1:-1, 1:-1]
        np.multiply(inner_v, inner_v, out=self.reacted)
        self.reacted *= inner_u
        self.lap_u *= np.float32(DU)
        self.lap_u -= self.reacted
        self.lap_u += np.float32(FEED) * (np.float32(1) - inner_u)
        self.lap_v *= np.float32(DV)
        self.lap_v += self.reacted
        self.lap_v -= np.float32(FEED + KILL) * inner_v
        inner_u += self.lap_u
        inner_v += self.lap_v
        np.clip(inner_u, 0, 1, out=inner_u)
        np.clip(inner_v, 0, 1, out=inner_v)


def palette():
    anchors = np.array(CYBERPUNK)
    at = np.linspace(0, 1, 256)
    places = np.linspace(0, 1, len(anchors))
    colours = [np.interp(at, places, anchors[:, i]) for i in range(3)]
    return (np.stack(colours, axis=1) * 255).astype(np.uint8)


def draw(values, colours):
    low, high = values.min(), values.max()
    if high - low <= 1e-6:
        level = np.zeros_like(values)
    else:
        level = np.sqrt((values - low) / (high - low))
    level = np.clip(level * np.float32(1.2) - np.float32(0.1), 0, 1)
    return colours[(level * 255).astype(np.uint8)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=512)
    parser.add_argument("--steps", type=int, default=10000)
    parser.add_argument("--steps-per-frame", type=int, default=5)
    parser.add_argument("--out", help="file or pipe for raw RGB24 frames")
    args = parser.parse_args()

    u, v = start(args.size)
    stepper, colours = Stepper(args.size), palette()
    out = open(args.out, "wb") if args.out else None
    seconds = {"update": 0.0, "colour": 0.0, "write": 0.0}
    begin = time.perf_counter()
    for _ in range(args.steps // args.steps_per_frame):
        t0 = time.perf_counter()
        for _ in range(args.steps_per_frame):
            stepper.step(u, v)
        t1 = time.perf_counter()
        picture = draw(v[1:-1, 1:-1], colours)
        t2 = time.perf_counter()
        if out:
            out.write(picture.tobytes())
        t3 = time.perf_counter()
        for name, spent in (("update", t1 - t0), ("colour", t2 - t1), ("write", t3 - t2)):
            seconds[name] += spent
    if out:
        out.close()
    parts = ", ".join(f"{name} {spent:.2f} s" for name, spent in seconds.items())
    print(f"NumPy {np.__version__}: {args.steps} steps of {args.size}x{args.size} in "
          f"{time.perf_counter() - begin:.2f} s ({parts})")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Physarum in NumPy: the time of the same model without a GPU.

The model of docs/sims/physarum.md at its default options, in float32 and whole-array operations,
as one would write it in NumPy for speed. It draws its own random numbers and is not a reference:
its results look like vksim's but are not identical.

    python3 tools/physarum_numpy.py --size 1024 --agents 100000 --steps 50
"""

import argparse
import time

import numpy as np

SENSOR_DISTANCE = 5.0
SENSOR_ANGLE = np.deg2rad(45.0)
TURN_ANGLE = np.deg2rad(45.0)
STEP_SIZE = 1.0
DEPOSIT = 1.0
DIFFUSE = 0.2
DECAY = 0.01

TURN = np.float32(2.0 * np.pi)


class Physarum:
    """A square field with periodic edges, mean over 3 x 3, nearest sampling, `steering=max`."""

    def __init__(self, size, agents, seed):
        random = np.random.default_rng(seed)
        self.size = size
        self.y = random.integers(0, size, agents).astype(np.float32)
        self.x = random.integers(0, size, agents).astype(np.float32)
        self.heading = random.random(agents, dtype=np.float32) * TURN
        # A margin of one cell on every side holds the opposite edge, so that the box mean sums
        # plain slices.
        self.margin = np.zeros((size + 2, size + 2), np.float32)
        self.trail = np.zeros((size, size), np.float32)
        self.rows = np.empty((size + 2, size), np.float32)
        self.mean = np.empty((size, size), np.float32)

    def cells(self, y, x):
        """Indices of the cells of the points, which are at most one field size outside."""
        size = self.size
        if size & (size - 1) == 0:  # a mask is much cheaper than a remainder
            row = np.floor(y).astype(np.int32) & (size - 1)
            column = np.floor(x).astype(np.int32) & (size - 1)
        else:
            row = (y + np.float32(size)).astype(np.int32)
            column = (x + np.float32(size)).astype(np.int32)
            row %= size
            column %= size
        row *= size
        row += column
        return row

    def sense(self, sine, cosine):
        distance = np.float32(SENSOR_DISTANCE)
        return self.trail.ravel().take(self.cells(self.y + distance * sine,
                                                  self.x + distance * cosine))

    def wrap(self, position):
        """Wraps in place positions that are at most one step outside the field."""
        size = np.float32(self.size)
        position[position >= size] -= size
        position[position < 0] += size
        # A tiny negative number plus the size rounds to the size itself.
        position[position >= size] = 0

    def step(self):
        # The side sensors by the angle addition formulas: one sine and cosine, not three.
        side_sine, side_cosine = np.float32(np.sin(SENSOR_ANGLE)), np.float32(np.cos(SENSOR_ANGLE))
        sine, cosine = np.sin(self.heading), np.cos(self.heading)
        sine_far, cosine_far = sine * side_cosine, cosine * side_cosine
        sine_side, cosine_side = sine * side_sine, cosine * side_sine
        front = self.sense(sine, cosine)
        left = self.sense(sine_far + cosine_side, cosine_far - sine_side)
        right = self.sense(sine_far - cosine_side, cosine_far + sine_side)

        side = ((left > front) & (left > right)).view(np.int8)
        side -= ((right > front) & (right > left)).view(np.int8)
        self.heading += side * np.float32(TURN_ANGLE)

        step = np.float32(STEP_SIZE)
        self.y += step * np.sin(self.heading)
        self.x += step * np.cos(self.heading)
        self.wrap(self.y)
        self.wrap(self.x)

        counts = np.bincount(self.cells(self.y, self.x), minlength=self.size**2)
        self.diffuse(counts.reshape(self.size, self.size))

    def diffuse(self, counts):
        margin, rows, mean = self.margin, self.rows, self.mean
        inner = margin[1:-1, 1:-1]
        np.multiply(counts, np.float32(DEPOSIT), out=inner, casting="same_kind")
        inner += self.trail
        margin[0, 1:-1], margin[-1, 1:-1] = margin[-2, 1:-1], margin[1, 1:-1]
        margin[:, 0], margin[:, -1] = margin[:, -2], margin[:, 1]
        np.add(margin[:, :-2], margin[:, 1:-1], out=rows)
        rows += margin[:, 2:]
        np.add(rows[:-2], rows[1:-1], out=mean)
        mean += rows[2:]
        mean *= np.float32((1.0 - DECAY) * DIFFUSE / 9.0)
        np.multiply(inner, np.float32((1.0 - DECAY) * (1.0 - DIFFUSE)), out=self.trail)
        self.trail += mean


def positive(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{value} is not at least 1")
    return value


def main():
    parser = argparse.ArgumentParser(description="time Physarum in NumPy")
    parser.add_argument("--size", type=positive, default=1024, help="side of the field, cells")
    parser.add_argument("--agents", type=positive, default=100000)
    parser.add_argument("--steps", type=positive, default=50, help="timed steps")
    parser.add_argument("--warm-up", type=positive, default=5, help="steps before the clock starts")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.size < 8:  # a sensor may then be more than one field size outside
        parser.error(f"--size {options.size} is not at least 8")

    world = Physarum(options.size, options.agents, options.seed)
    for _ in range(options.warm_up):
        world.step()
    start = time.perf_counter()
    for _ in range(options.steps):
        world.step()
    seconds = time.perf_counter() - start

    # Diffusion conserves the mass, so M' = keep (M + N deposit).
    done = options.warm_up + options.steps
    keep = 1.0 - DECAY
    expected = options.agents * DEPOSIT * keep * (1.0 - keep**done) / DECAY
    mass = float(world.trail.sum(dtype=np.float64))
    if abs(mass / expected - 1.0) > 1e-4:
        raise SystemExit(f"trail mass is {mass:.6g}, and must be {expected:.6g}")
    print(f"numpy {np.__version__}: {options.size} x {options.size} cells, "
          f"{options.agents} agents: {options.steps / seconds:.2f} steps/s, "
          f"{seconds / options.steps * 1e3:.2f} ms/step")


if __name__ == "__main__":
    main()

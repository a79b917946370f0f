# SPDX-License-Identifier: MIT
# test_waves.py VKSIM: waves equal a reference written in Python, bit for bit. TAP output.
import sys

from reference import compare, end, f32, floats, flush, high, random, state

SIZES = [
    (21, 16, 1),
]
STEPS, SEED = 40, 7
DROPS, RADIUS, SPEED, DAMPING = 3, 5, 0.5, 0.01


def cells(size):
    return [(x, y, z) for z in range(size[2]) for y in range(size[1]) for x in range(size[0])]


def start(size):
    inverse_area = f32(1 / RADIUS**2)
    surface = [0.0] * len(cells(size))
    for i in range(DROPS):
        drop = [high(word, side) for word, side in zip(random(SEED, i, 0, 0), size)]
        for at, cell in enumerate(cells(size)):
            apart = (abs(a - b) for a, b in zip(cell, drop))
            square = sum(min(d, side - d) ** 2 for d, side in zip(apart, size))
            if square < RADIUS**2:
                share = f32(1 - f32(square * inverse_area))
                surface[at] = f32(surface[at] + f32(share * share))
    return surface


def step(size, surface, velocity):
    pull, keep = f32(SPEED**2), f32(1 - DAMPING)
    width, height, depth = size
    after = []
    for at, (x, y, z) in enumerate(cells(size)):
        def h(x, y, z):
            return surface[(z % depth * height + y % height) * width + x % width]
        across = f32(h(x - 1, y, z) + h(x + 1, y, z))
        down = f32(h(x, y - 1, z) + h(x, y + 1, z))
        around, neighbours = f32(across + down), 4
        if depth > 1:
            around, neighbours = f32(around + f32(h(x, y, z - 1) + h(x, y, z + 1))), 6
        curvature = f32(around - f32(neighbours * surface[at]))
        v = f32(velocity[at] + f32(pull * curvature))
        velocity[at] = flush(f32(keep * v))
        after.append(flush(f32(surface[at] + velocity[at])))
    return after


def main():
    for size in SIZES:
        surface, velocity = start(size), [0.0] * len(cells(size))
        for _ in range(STEPS):
            surface = step(size, surface, velocity)
        text = "x".join(str(side) for side in size if side > 1)
        got = state(sys.argv[1], "waves", size=text, steps=STEPS, seed=SEED, drops=DROPS,
                    drop_size=RADIUS, speed=SPEED, damping=DAMPING)
        expected = {"surface": floats(surface), "velocity": floats(velocity)}
        compare(got, expected, f"of {text} cells after {STEPS} steps")
    return end()


sys.exit(main())

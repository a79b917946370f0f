# SPDX-License-Identifier: MIT
# test_waves.py VKSIM: waves equal a reference written in Python, bit for bit. TAP output.
import sys

from reference import compare, f32, floats, flush, high, random, state

WIDTH, HEIGHT, STEPS, SEED = 21, 16, 40, 7
DROPS, RADIUS, SPEED, DAMPING = 3, 5, 0.5, 0.01


def start():
    inverse_area = f32(1 / RADIUS**2)
    surface = [[0.0] * WIDTH for _ in range(HEIGHT)]
    for i in range(DROPS):
        r = random(SEED, i, 0, 0)
        at_x, at_y = high(r[0], WIDTH), high(r[1], HEIGHT)
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


def main():
    surface, velocity = start(), [[0.0] * WIDTH for _ in range(HEIGHT)]
    for _ in range(STEPS):
        surface = step(surface, velocity)
    got = state(sys.argv[1], "waves", size=f"{WIDTH}x{HEIGHT}", steps=STEPS, seed=SEED, drops=DROPS,
                drop_size=RADIUS, speed=SPEED, damping=DAMPING)
    expected = {"surface": floats(surface), "velocity": floats(velocity)}
    return compare(got, expected, f"after {STEPS} steps")


sys.exit(main())

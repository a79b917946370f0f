# SPDX-License-Identifier: MIT
"""Reports of made-up runs, as --timings=json prints them."""

import copy
import math
import random

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\u2028'\"&{{data}}"

# name, calls, microseconds, bytes, operations, what bounds it
PASSES = [
    ("start", 1, 120, 4 << 20, 0, None),
    ("agents", 40000, 5.2, 9.6e6, 4.1e7, "bandwidth"),
    ("deposit", 40000, 3.1, 2.1e6, 6e6, "atomics"),
    ("diffuse", 40000, 2.9, 8.4e6, 1.9e7, "latency"),
    ("clear", 40000, 1.2, 1.05e6, 0, "latency"),
    ("level", 500, 6.2, 2.1e6, 3e6, "latency"),
    ("paint", 500, 9.9, 6.3e6, 2.2e7, None),
]


def make_pass(row, slower):
    name, calls, micro, size, operations, bound = row
    mean = micro * 1e-6 * slower
    made = {"name": name, "calls": calls, "samples": min(calls, 512), "total_s": mean * calls,
            "mean_s": mean, "p50_s": mean * 0.99, "p95_s": mean * 1.08, "min_s": mean * 0.94,
            "max_s": mean * 1.31, "bytes": size, "operations": operations,
            "bytes_per_s": size / mean, "operations_per_s": operations / mean,
            "ceilings": {"copy": size / mean / 4.28e12}, "bound": bound}
    if operations:
        made["ceilings"]["float32"] = operations / mean / 5.9e13
    return made


def make_timeline(passes):
    now, slices = 0.0, []
    for step in range(9):
        for one in passes[1:5] if step < 8 else passes[5:]:
            slices.append({"pass": one["name"], "step": 1000 + step, "begin_s": now,
                           "end_s": now + one["mean_s"]})
            now += one["mean_s"] + 1.1e-6
    return slices


def make_step_times(count, slower, dice):
    times = [1.25e-5 * slower * (1 + 0.15 * math.exp(-i / 50)) * dice.gauss(1, 0.012)
             for i in range(count)]
    return [{"step": 64 * (i + 1), "steps": 64, "seconds": one, "min_s": 0.9 * one,
             "max_s": 1.2 * one} for i, one in enumerate(times)]


def make_report(slower=1.0, **changes):
    """A run that is `slower` times as slow; `changes` replace keys."""
    dice = random.Random(7)
    passes = [make_pass(row, slower) for row in PASSES]
    total = sum(one["total_s"] for one in passes)
    for one in passes:
        one["share"] = one["total_s"] / total
    made = {
        "version": "0.1.0",
        "command": ["vksim", "physarum", "--headless", "--out", "it's a test.mp4"],
        "simulation": "physarum", "width": 512, "height": 512, "depth": 1,
        "device": {"name": "NVIDIA H200", "driver": "NVIDIA 575.57.08", "vulkan": "1.3.289",
                   "uuid": "4f1c2ab0-0d52-4c8e-9f0b-3a3f8a5c7e11", "memory": 141 << 30,
                   "timestamps": {"period_ns": 1.0, "valid_bits": 64}},
        "steps": 40000, "frames": 500, "wall_s": 1.171 + 0.83 * (slower - 1),
        "seconds": 0.7 * slower, "step_s": 1.25e-5 * slower,
        "copy_bytes_per_s": 4.28e12, "startup_s": 0.412, "first_frame_s": 0.455,
        "allocated_bytes": 1234567890, "free_bytes": 140 << 30, "passes": passes,
        "ceilings": [
            {"name": "copy", "unit": "B/s", "median": 4.28e12},
            {"name": "read", "unit": "B/s", "median": 4.53e12},
            {"name": "float32", "unit": "op/s", "median": 5.9e13},
            {"name": "int32", "unit": "op/s", "median": 2.9e13},
            {"name": "dispatch", "unit": "s", "median": 2.3e-6},
        ],
        "phases": [
            {"thread": "main", "name": "device", "seconds": 0.154, "count": 1},
            {"thread": "main", "name": "pipelines", "seconds": 0.187, "count": 14},
            {"thread": "main", "name": "simulate", "seconds": 0.83 * slower, "count": 300},
            {"thread": "encoder", "name": "encode", "seconds": 1.01, "count": 500},
            {"thread": "encoder", "name": "wait for GPU", "seconds": 0.2, "count": 500},
        ],
        "memory": {"allocated_bytes": 1234567890, "peak_bytes": 1334567890,
                   "budget_bytes": 139 << 30, "free_bytes": 137 << 30},
        "step_times": make_step_times(1000, slower, dice), "timeline": make_timeline(passes),
        "dropped_samples": 3, "watched": {"mean": 0.1234567, "maximum": 12.5},
    }
    made.update(changes)
    return made


def make_bare():
    """What the first version printed, and devices without timestamps: few keys."""
    full = make_report()
    kept = ("simulation", "width", "height", "depth", "device", "steps", "frames", "seconds",
            "step_s", "copy_bytes_per_s", "startup_s", "first_frame_s", "allocated_bytes")
    bare = {key: full[key] for key in kept}
    bare["step_s"] = 0
    bare["passes"] = []
    return bare


def make_hostile():
    """Every string is an attack, and numbers and types are wrong wherever possible."""
    made = copy.deepcopy(make_report(version=HOSTILE))
    name = HOSTILE[:62] + "'\"&"  # names of passes are printed in tables: no line separators
    made["command"] += [HOSTILE, "-\u202ecba"]
    made["device"]["driver"] = name
    made["device"]["uuid"] = {"a": 1}
    made["passes"][1].update(name=name, bound=HOSTILE, min_s="x", max_s=None)
    made["passes"][1]["ceilings"][HOSTILE] = 0.4
    made["passes"][2].update(mean_s=1e-300, ceilings=[])
    made["passes"][3].update(total_s=1e300, bytes=-1)
    made["ceilings"][0]["name"] = made["ceilings"][1]["unit"] = HOSTILE
    made["ceilings"].append(None)
    made["phases"][0]["name"] = made["phases"][1]["thread"] = HOSTILE
    made["phases"].append({"seconds": 1e300})
    made["timeline"][0]["pass"] = name
    made["timeline"][1] = {"pass": 5, "begin_s": "x"}
    made["timeline"][2] = None
    made["step_times"][0] = None
    made["step_times"][1] = {"seconds": -1e300, "step": 1e308}
    made["memory"] = {"allocated_bytes": 1e300, "peak_bytes": "x", "free_bytes": -5}
    made["watched"] = {HOSTILE: 1, "nothing": None}
    made["unknown"] = [HOSTILE]
    return made

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_bench_compare.py BENCH_COMPARE: tests tools/bench-compare on made-up figures. TAP output."""

import copy
import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import check, end  # noqa: E402

DEVICE = {"name": "GPU", "driver": "1.0", "uuid": "0"}


def spread(median, part, unit="s"):
    return {"unit": unit, "median": median, "min": median * (1 - 3 * part),
            "low_quartile": median * (1 - part), "high_quartile": median * (1 + part),
            "max": median * (1 + 5 * part), "samples": 15}


SCALE = {
    "version": "0.1.0", "simulation": "physarum", "device": DEVICE,
    "options": {"agents": 1000, "seed": 1}, "repeats": 15,
    "scaling": [{"quantity": "size", "points": [
        {"name": "size=256", "x": 256, **spread(5e-6, 0.01)},
        {"name": "size=512", "x": 512, **spread(9e-6, 0.01)},
        {"name": "size=65536", "x": 65536, "left_out": "too large"},
    ]}],
}
TIMINGS = {
    "simulation": "gas", "width": 64, "height": 64, "depth": 64, "device": DEVICE,
    "command": ["vksim", "gas", "--headless", "--out", "a.mp4", "--timings=json"],
    "passes": [
        {"name": "move", "samples": 90, "p50_s": 1e-4, "p95_s": 1.05e-4, "mean_s": 1e-4},
        {"name": "never", "samples": 0, "p50_s": 0, "p95_s": 0},
    ],
    "step_times": [{"step": 8 * i, "steps": 8, "seconds": 2e-4 + 1e-6 * i} for i in range(9)],
    "ceilings": [{"name": "copy", **spread(4e12, 0.01, "B/s")}],
}
BENCH = {
    "device": DEVICE,
    "ceilings": [
        {"name": "copy", **spread(4e12, 0.01, "B/s"), "points": [
            {"buffer_bytes": 16384, **spread(1e12, 0.02, "B/s")}]},
        {"name": "dispatch", **spread(2e-6, 0.01)},
        {"name": "float16", "unit": "FLOP/s", "missing": "float16 arithmetic"},
    ],
}
RUNGS = [{"rung": "tile", "size": "31x33", "verified": True, "seconds": spread(2e-6, 0.01)},
         {"rung": "half", "size": "31x33", "verified": False, "missing": "float16 arithmetic"}]
KERNEL = {"device": DEVICE, "ceilings": BENCH["ceilings"], "kernel": "gemm", "dtype": "float32",
          "rungs": RUNGS}
KERNELS = {"device": DEVICE, "ceilings": BENCH["ceilings"], "kernels": [
    {"kernel": "gemm", "dtype": dtype, "rungs": copy.deepcopy(RUNGS)}
    for dtype in ("float32", "float16")]}


class Suite:
    def __init__(self, program, folder):
        self.program, self.folder, self.files = program, folder, 0

    def write(self, data):
        self.files += 1
        path = os.path.join(self.folder, f"{self.files}.json")
        with open(path, "wb") as file:
            file.write(data if isinstance(data, bytes) else json.dumps(data).encode())
        return path

    def run(self, *words, stdout=subprocess.PIPE):
        done = subprocess.run([sys.executable, self.program, *words], stdout=stdout,
                              stderr=subprocess.PIPE, timeout=60, check=False, text=True)
        return done.returncode, done.stdout, done.stderr

    def expect(self, name, status, words, old, new, *options):
        """Compares two files; standard output must have a line for each list of words."""
        got, out, err = self.run(*options, self.write(old), self.write(new))
        lines = [line for line in out.splitlines()]
        missing = [row for row in words
                   if not any(all(word in line for word in row) for line in lines)]
        check(got == status and not missing and not err, name, f"status {got}, no {missing} in:",
              out, err)

    def refuses(self, name, words, old, new):
        """One message, no output, exit code 2."""
        got, out, err = self.run(self.write(old), self.write(new))
        good = (got == 2 and not out and err.startswith("bench-compare: ") and
                err.count("\n") == 1 and all(word in err for word in words))
        check(good, name, f"status {got}:", out, err)


def changed(data, edit):
    data = copy.deepcopy(data)
    edit(data)
    return data


def scaled(factor, part=0.01, row=1):
    def edit(data):
        point = data["scaling"][0]["points"][row]
        point.update(spread(point["median"] * factor, part))
    return changed(SCALE, edit)


def test_verdicts(suite):
    suite.expect("equal files", 0, [["size=256", "+0.0 %", "same"], ["0 faster, 0 slower, 2"]],
                 SCALE, SCALE)
    suite.expect("quicker", 0, [["size=512", "-20.0 %", "faster"], ["size=256", "same"],
                                ["1 faster, 0 slower, 1"]], SCALE, scaled(0.8))
    suite.expect("slower", 1, [["size=512", "+20.0 %", "slower"], ["0 faster, 1 slower, 1"]],
                 SCALE, scaled(1.2))
    suite.expect("a large difference within the noise", 0, [["size=512", "+8.0 %", "same"]],
                 scaled(1, 0.06), scaled(1.08, 0.06))
    suite.expect("the same difference without noise", 1, [["size=512", "+8.0 %", "slower"]],
                 scaled(1, 0.01), scaled(1.08, 0.01))
    suite.expect("a clear difference below the threshold", 0, [["size=512", "+2.0 %", "same"]],
                 scaled(1, 0.001), scaled(1.02, 0.001))
    def one_run(data):
        data["scaling"][0]["points"][1]["samples"] = 4
    suite.expect("too few samples", 0, [["size=512", "+50.0 %", "too few samples"],
                                        ["0 faster, 0 slower, 1"]],
                 SCALE, changed(scaled(1.5), one_run))
    suite.expect("another threshold", 1, [["size=512", "+2.0 %", "slower"]],
                 scaled(1, 0.001), scaled(1.02, 0.001), "--threshold", "1")


def test_kinds(suite):
    def slow_pass(data):
        data["passes"][0].update(p50_s=1.3e-4, p95_s=1.35e-4)
        data["command"][4] = "b.mp4"
    suite.expect("timings, another output", 1,
                 [["move", "+30.0 %", "slower"], ["step (all passes)", "same"]],
                 TIMINGS, changed(TIMINGS, slow_pass))
    def noisy_pass(data):
        data["passes"][0].update(p50_s=1.1e-4, p95_s=1.6e-4)
    suite.expect("timings with outliers", 0, [["move", "+10.0 %", "same"]],
                 TIMINGS, changed(TIMINGS, noisy_pass))
    def slow_steps(data):
        for batch in data["step_times"]:
            batch["seconds"] *= 2
    suite.expect("steps of a run", 1, [["step (all passes)", "+100.0 %", "slower"]],
                 TIMINGS, changed(TIMINGS, slow_steps))
    def faster(data):
        data["ceilings"][0].update(spread(5e12, 0.01, "B/s"))
        data["ceilings"][1].update(spread(3e-6, 0.01))
    suite.expect("rates are better when larger, times when smaller", 1,
                 [["copy ", "+25.0 %", "faster"], ["dispatch", "+50.0 %", "slower"],
                  ["copy, 16384 B", "same"]], BENCH, changed(BENCH, faster))
    def fallen(data):
        data["ceilings"][0]["points"][0].update(spread(0.5e12, 0.01, "B/s"))
    suite.expect("a rate that fell at one size", 1, [["copy, 16384 B", "-50.0 %", "slower"]],
                 BENCH, changed(BENCH, fallen))
    suite.expect("rungs of a kernel", 1, [["gemm tile, float32, 31x33", "+20.0 %", "slower"]],
                 KERNEL, changed(KERNEL, lambda data: data["rungs"][0].update(
                     seconds=spread(2.4e-6, 0.01))))
    suite.expect("rungs of all kernels", 0,
                 [["gemm tile, float32, 31x33", "same"], ["gemm tile, float16", "-25.0 %",
                                                          "faster"]],
                 KERNELS, changed(KERNELS, lambda data: data["kernels"][1]["rungs"][0].update(
                     seconds=spread(1.5e-6, 0.01))))


def test_missing(suite):
    def drop(data):
        del data["scaling"][0]["points"][0]
    less = changed(SCALE, drop)
    suite.expect("a row of the old file only", 0, [["size=256", "only in"], ["1 the same"]],
                 SCALE, less)
    suite.expect("a row of the new file only", 0, [["size=256", "only in"], ["1 the same"]],
                 less, SCALE)
    def drop_all(data):
        data["scaling"][0]["points"] = []
    suite.refuses("no row in common", ["no row in common"], SCALE, changed(SCALE, drop_all))


def test_not_compared(suite):
    rows = [
        ("another device", ["the device differs", "'GPU' and 'CPU'", "not compared"],
         lambda data: data["device"].update(name="CPU")),
        ("another driver", ["the driver differs"], lambda data: data["device"].update(driver="2")),
        ("another simulation", ["the simulation differs"],
         lambda data: data.update(simulation="gas")),
        ("another option", ["the option agents differs", "'1000' and '2000'"],
         lambda data: data["options"].update(agents=2000)),
        ("an option less", ["the option seed differs"], lambda data: data["options"].pop("seed")),
    ]
    for name, words, edit in rows:
        suite.refuses(name, words, SCALE, changed(SCALE, edit))
    suite.refuses("another command line", ["the command line differs"], TIMINGS,
                  changed(TIMINGS, lambda data: data["command"].append("--size=3x3")))
    suite.refuses("another kind", ["scale", "timings of a run", "not compared"], SCALE, TIMINGS)
    suite.refuses("a kernel and ceilings", ["bench KERNEL", "bench ceilings"], KERNEL, BENCH)
    suite.refuses("another unit", ["the unit of 'dispatch' differs"], BENCH, changed(
        BENCH, lambda data: data["ceilings"][1].update(unit="B/s")))


def test_bad_input(suite):
    point = lambda **values: changed(
        SCALE, lambda data: data["scaling"][0]["points"][0].update(values))
    rows = [
        ("no JSON", ["not valid JSON"], b"{"),
        ("nothing", ["not valid JSON"], b""),
        ("bytes", ["not valid JSON"], b"\xff\xfe\x00"),
        ("a deep nest", ["not valid JSON"], b"[" * 100000),
        ("a list", ["no valid measurement"], []),
        ("another JSON", ["is not the output of"], {"device": DEVICE}),
        ("no device", ["no valid device"], {**SCALE, "device": None}),
        ("a list of options", ["no valid options"], {**SCALE, "options": []}),
        ("a text of sweeps", ["no valid scaling"], {**SCALE, "scaling": "x"}),
        ("a text of time", ["median is not a number"], point(median="5")),
        ("no time", ["median is 0"], point(median=0)),
        ("a negative time", ["low_quartile is not a number"], point(low_quartile=-1)),
        ("not a number", ["median is not a number"], point(median=float("nan"))),
        ("an interval elsewhere", ["outside its interval"], point(low_quartile=1)),
        ("a row twice", ["'size=512' twice"], point(name="size=512")),
        ("a large number", ["median is not a number"], point(median=10 ** 400)),
        ("a row twice that would colour a terminal", ["'?[31m' twice"],
         {**SCALE, "scaling": 2 * [{"points": [{"name": "\x1b[31m", **spread(1, 0.01)}]}]}),
        ("a name that is a number", ["no valid name"], point(name=5)),
    ]
    for name, words, data in rows:
        suite.refuses(name, words, SCALE, data)
        suite.refuses(f"{name}, as the old file", words, data, SCALE)
    for name, words in (("a file that is not there", [suite.write(SCALE), "/nowhere.json"]),
                        ("one file", ["a.json"]), ("three files", ["a", "b", "c"]),
                        ("an unknown option", ["--x", "b"]),
                        ("a threshold that is not one", ["--threshold", "x", "a", "b"]),
                        ("a negative threshold", ["--threshold", "-1", "a", "b"])):
        got, out, err = suite.run(*words)
        check(got == 2 and not out and err.count("\n") == 1, name, got, out, err)
    odd = suite.write({**SCALE, "scaling": [{"points": [
        {"name": "\x1b[31m\ud800", **spread(5e-6, 0.01)}]}]})
    got, out, err = suite.run(odd, odd)
    check(got == 0 and "\n?[31m?" in out and "1 the same" in out, "names are printable",
          got, out, err)
    with open("/dev/full", "wb") as full:
        got, _, err = suite.run(odd, odd, stdout=full)
    check(got == 2 and err.count("\n") == 1 and "standard output" in err,
          "a full standard output is not a slower row", got, err)
    got, out, err = suite.run("--help")
    check(got == 0 and "Exit code" in out and not err, "--help", got, out, err)


def main():
    with tempfile.TemporaryDirectory() as folder:
        suite = Suite(os.path.abspath(sys.argv[1]), folder)
        for test in (test_verdicts, test_kinds, test_missing, test_not_compared, test_bad_input):
            test(suite)
    return end()


if __name__ == "__main__":
    sys.exit(main())

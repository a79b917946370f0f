#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tools/compare-torch with a PyTorch and a vksim that are made up."""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import check, end  # noqa: E402

# A call takes 2 ms: between two events, as many of them as there were calls of sum().
TORCH = """
__version__ = "9.9"
float32, float16, int32 = "float32", "float16", "int32"
calls = 0
class Tensor:
    def to(self, dtype):
        return self
    def sum(self):
        global calls
        calls += 1
def randn(*shape, device):
    return Tensor()
class cuda:
    available = True
    class Event:
        def __init__(self, enable_timing):
            assert enable_timing
        def record(self):
            self.at = calls
        def elapsed_time(self, other):
            return 2.0 * (other.at - self.at)
    is_available = staticmethod(lambda: cuda.available)
    get_device_name = staticmethod(lambda: "GPU")
    synchronize = staticmethod(lambda: None)
"""
VKSIM = f"""#!{sys.executable}
import json, sys
assert " ".join(sys.argv[1:]) == "bench reduce --sizes 1000 --dtype uint32 --json", sys.argv
print(json.dumps({{"device": {{"name": "NAME"}}, "rungs": [
    {{"rung": "slow", "seconds": {{"median": 4e-3}}}},
    {{"rung": "absent", "missing": "a feature"}},
    {{"rung": "fast", "seconds": {{"median": 1e-3}}}}]}}))
"""


def run(folder, *arguments, torch=TORCH, name="GPU"):
    """(exit code, standard output, standard error)"""
    for path, text in (("vksim", VKSIM.replace("NAME", name)), ("torch.py", torch)):
        with open(os.path.join(folder, path), "w", encoding="utf-8") as file:
            file.write(text)
    os.chmod(os.path.join(folder, "vksim"), 0o755)
    done = subprocess.run([sys.executable, sys.argv[1], "--vksim", os.path.join(folder, "vksim"),
                           *arguments], env={**os.environ, "PYTHONPATH": folder}, text=True,
                          capture_output=True, timeout=60, check=False)
    return done.returncode, done.stdout, done.stderr


def main():
    with tempfile.TemporaryDirectory() as folder:
        code, out, err = run(folder, "reduce=1000")
        row = out.splitlines()[-1].split()
        check(code == 0 and not err, "runs", out, err)
        check(row == ["reduce", "1000", "uint32", "fast", "1000.00", "us", "2000.00", "us", "2.00"],
              "the fastest rung, both times, and their ratio", out)
        code, out, err = run(folder, "reduce=1000", name="CPU")
        check(code == 0 and "another device, CPU" in err, "another device is named", out, err)
        code, out, err = run(folder, "reduec")
        check(code == 2 and "'reduec'" in err and "softmax" in err, "an unknown kernel", out, err)
        code, out, err = run(folder, "reduce=1000", torch="raise ImportError")
        check(code == 1 and "PyTorch is not installed" in err, "no PyTorch", out, err)
        code, out, err = run(folder, "reduce=1000",
                             torch=TORCH.replace("available = True", "available = False"))
        check(code == 1 and "no GPU" in err, "no GPU", out, err)
        code, out, err = run(folder, "reduce=7")
        check(code == 1 and "compare-torch: reduce" in err, "a vksim that fails", out, err)
    return end()


sys.exit(main())

# SPDX-License-Identifier: MIT
"""For simulations whose reference is written in Python: float32 arithmetic, random numbers, and the
comparison with a run of vksim, as TAP."""

import ast
import os
import struct
import subprocess
import sys
import tempfile
import zipfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import check, end  # noqa: E402, F401

MASK = 0xFFFFFFFF


def f32(x):
    """A float64 result rounded to float32: for one + - * of float32 that is the float32 result."""
    return struct.unpack("f", struct.pack("f", x))[0]


def flush(x):
    """vks_flush() of src/base/exact.h and shaders/lib/exact.glsl."""
    return 0.0 if abs(x) < 2.0**-60 else x


def random(seed, item, step, stream):
    """vks_random() of shaders/lib/exact.glsl: four uint32."""
    x, y, z, w = ((n * 1664525 + 1013904223) & MASK for n in (seed, item, step, stream))
    for last in (False, True):
        x = (x + y * w) & MASK
        y = (y + z * x) & MASK
        z = (z + x * y) & MASK
        w = (w + y * z) & MASK
        if not last:
            x, y, z, w = x ^ x >> 16, y ^ y >> 16, z ^ z >> 16, w ^ w >> 16
    return x, y, z, w


def high(word, n):
    """vks_high(): a random word as a number from 0 to n - 1."""
    return word * n >> 32


def read_npz(path):
    """{name: (type as NumPy writes it, shape, bytes)} of a state file."""
    arrays = {}
    with zipfile.ZipFile(path) as archive:
        for member in archive.namelist():
            if member.endswith(".npy"):
                npy = archive.read(member)
                start = 10 + struct.unpack_from("<H", npy, 8)[0]
                header = ast.literal_eval(npy[10:start].decode())
                arrays[member[:-4]] = header["descr"], header["shape"], npy[start:]
    return arrays


def floats(values):
    """The bytes of a float32 field."""
    return struct.pack(f"<{len(values)}f", *values)


def state(vksim, simulation, **options):
    """read_npz() of a headless run; option drop_size=5 is --drop-size 5."""
    words = [word for name, value in options.items()
             for word in (f"--{name.replace('_', '-')}", str(value))]
    with tempfile.TemporaryDirectory(prefix="vksim-reference-") as folder:
        path = os.path.join(folder, "state.npz")
        subprocess.run([vksim, simulation, "--headless", "--out", "none", "--save-state", path,
                        *words], check=True)
        return read_npz(path)


def compare(got, expected, name):
    """Every field of `expected` ({name: bytes}) byte for byte."""
    for field, data in expected.items():
        kind, shape, found = got.get(field, ("missing", (), b""))
        at = next((i for i, (a, b) in enumerate(zip(found, data)) if a != b), None)
        check(found == data, f"{field} {name}", f"{kind} {shape}: {len(found)} bytes, expected "
              f"{len(data)}; the first to differ: {at}")

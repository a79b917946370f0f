#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the fuzzers' seed files next to itself: npz/ and table/ by NumPy, image/ by ffmpeg and by
hand, colormap/ and outputs/ by hand.

tests/unit/test_npz.c reads the archives, too. The files are kept in the repository, so this runs
only when a kind of file is to be added. image/progressive.jpg is not made here: libjpeg wrote it
(jpeg_simple_progression, a restart marker every 2 blocks), as ffmpeg cannot. Nor are the modules of
spirv/, which glslc made of shaders: gray_scott/step, core/scan, the wide gray_scott/rates, and one
with lines of its source (-g). vksim wrote npz/state.npz and scene/picture.png. The other folders
have texts.
"""
import json
import pathlib
import struct
import subprocess
import zipfile
import zlib

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent


def archives(folder):
    folder.mkdir(exist_ok=True)
    arrays = {
        "trail": 0.5 * np.arange(12.0).reshape(3, 4) - 1,
        "fortran": np.asfortranarray(np.arange(24.0).reshape(2, 3, 4)),
        "one": np.uint8(200),
        "nothing": np.zeros((0, 7), np.float32),
        "short": np.array([-1, 0, 300], np.int16),
        "half": np.array([1, -2], np.float16),
    }
    np.savez(folder / "plain.npz", **arrays)
    np.savez_compressed(folder / "deflated.npz", **arrays)
    large = np.arange(301 * 211, dtype=np.uint32).reshape(301, 211) // 7
    np.savez_compressed(folder / "large.npz", large=np.asfortranarray(large))
    with zipfile.ZipFile(folder / "text.npz", "w") as archive:
        archive.writestr("vksim.json", '{"format": 1, "simulation": "physarum"}\n')
        for version in (1, 2, 3):
            with archive.open(f"v{version}.npy", "w") as member:
                np.lib.format.write_array(member, np.arange(3.0), version=(version, 0))


def png(path, width, height, depth, kind, extra=b"", interlace=0):
    def chunk(name, data):
        check = struct.pack(">I", zlib.crc32(name + data))
        return struct.pack(">I", len(data)) + name + data + check

    bits = depth * {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[kind]
    passes = [(0, 0, 1, 1)]
    if interlace:
        passes = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4),
                  (1, 0, 2, 2), (0, 1, 1, 2)]
    rows = b""
    for left, top, across, down in passes:
        columns = -(-(width - left) // across)
        if columns <= 0:
            continue
        for y in range(top, height, down):
            row = bytes((37 * y + 11 * i) & 255 for i in range((columns * bits + 7) // 8))
            rows += bytes([y % 3]) + row
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, interlace))
        + extra.replace(b"PALETTE", chunk(b"PLTE", bytes(range(48)))
                        + chunk(b"tRNS", b"\0\x40\x80"))
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b""))


def exif(orientation):
    """Little-endian Exif data with a maker and an orientation."""
    entries = (struct.pack("<HHI4s", 0x10f, 2, 4, b"cam\0"),
               struct.pack("<HHIHH", 0x112, 3, 1, orientation, 0))
    return b"II*\0" + struct.pack("<IH", 8, len(entries)) + b"".join(entries) + bytes(4)


def oriented(folder):
    """A JPEG and a PNG with Exif data."""
    data = (folder / "colour.jpg").read_bytes()
    marker = b"Exif\0\0" + exif(6)
    (folder / "oriented.jpg").write_bytes(
        data[:2] + b"\xff\xe1" + struct.pack(">H", 2 + len(marker)) + marker + data[2:])
    data = (folder / "rgb8.png").read_bytes()
    body = b"eXIf" + exif(7)
    (folder / "oriented.png").write_bytes(
        data[:33] + struct.pack(">I", len(body) - 4) + body
        + struct.pack(">I", zlib.crc32(body)) + data[33:])


def pictures(folder):
    folder.mkdir(exist_ok=True)
    png(folder / "grey1.png", 19, 5, 1, 0)
    png(folder / "grey16.png", 9, 7, 16, 0)
    png(folder / "rgb8.png", 9, 7, 8, 2)
    png(folder / "palette4.png", 9, 7, 4, 3, b"PALETTE")
    png(folder / "rgba8-interlaced.png", 11, 9, 8, 6, interlace=1)
    source = ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc=size=24x20:rate=1"]
    tail = ["-frames:v", "1", "-bitexact", "-map_metadata", "-1"]
    for name, form in (("colour.jpg", "yuvj420p"), ("grey.jpg", "gray")):
        subprocess.run([*source, *tail, "-pix_fmt", form, "-q:v", "8", folder / name], check=True)
    oriented(folder)


def colormaps(folder):
    folder.mkdir(exist_ok=True)
    rows = [(i, i * i // 255, 255 - i) for i in range(256)]
    (folder / "bytes.csv").write_text(
        "red,green,blue\n# a colour map\n" + "".join(f"{r},{g},{b}\n" for r, g, b in rows))
    (folder / "fractions.txt").write_text(
        "".join(f"{r / 255:.6f} {g / 255:.6g}\t{b / 255:.3e} # row\r\n" for r, g, b in rows))
    png(folder / "strip.png", 31, 3, 8, 2)


def outputs(folder):
    """Positions of outputs, and the files that they describe."""
    folder.mkdir(exist_ok=True)

    def write(kind, position, data):
        position |= {"path": "a%03d.png" if kind == "png" else f"a.{kind}"}
        (folder / f"{kind}.bin").write_bytes(json.dumps(position).encode() + b"\0" + data)

    def position(frames, size, depth=8):
        content = f"8x8 pixels of 1 x {depth} bits, 30 frames per second, encoder auto"
        return {"frames": frames, "content": content, "bytes": size, "digest": "right"}

    data = (b"YUV4MPEG2 W8 H8 F30:1 Ip A1:1 C420jpeg XCOLORRANGE=LIMITED\n"
            + 2 * (b"FRAME\n" + bytes(96)))
    write("y4m", position(2, len(data)), data + b"FRAME\nlost")
    write("npy", position(2, 640, 32), bytes(640))
    write("png", position(1, 4), b"\x89PNG")
    write("gif", position(2, 128) | {"indexed": 2, "colours": "000000ff0000102030"},
          bytes(i % 3 for i in range(128)))
    write("csv", {"rows": 2, "bytes": 24, "digest": "right"}, b"frame,step,u\n0,0,1\n1,2,3\n")
    segment = b"\0\0\0\x20ftypisom"
    write("mp4", position(3, 0) | {
        "segments": [{"frames": 3, "bytes": len(segment), "digest": "right"}]}, segment)


def tables(folder):
    folder.mkdir(exist_ok=True)
    np.save(folder / "rows.npy", np.arange(12, dtype=np.float32).reshape(4, 3))
    np.save(folder / "columns.npy",
            np.asfortranarray(np.arange(-6, 6, dtype=np.int16).reshape(4, 3)))
    (folder / "points.csv").write_text(
        "x,y,z\n# points\n0.5,0.25,1e-3\n\n 1 2 3 \n-.5,+7,10\n")


archives(HERE / "npz")
outputs(HERE / "outputs")
tables(HERE / "table")
pictures(HERE / "image")
colormaps(HERE / "colormap")

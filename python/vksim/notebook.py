# SPDX-License-Identifier: MIT
"""Pictures and videos for notebooks."""

from __future__ import annotations

import base64
import fractions
import importlib.util
import os
import shutil
import struct
import subprocess
import tempfile
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import FileError, UsageError

MAX_INLINE = 20 << 20  # bytes of a video in a notebook
VIDEOS = (".mp4", ".mkv", ".mov", ".webm")
BT709 = ("-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709")
FILTER = "scale=out_color_matrix=bt709:out_range=tv,pad=ceil(iw/2)*2:ceil(ih/2)*2"


def scanlines(picture: NDArray[np.uint8]) -> bytes:
    """The compressed rows of a picture, each after the number of its filter, as .png has them."""
    rows = picture.reshape(len(picture), -1)
    return zlib.compress(np.pad(rows, ((0, 0), (1, 0))).tobytes(), 3)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _header(width: int, height: int, channels: int) -> bytes:
    return b"\x89PNG\r\n\x1a\n" + _chunk(
        b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 6 if channels == 4 else 2, 0, 0, 0))


def png(picture: NDArray[np.uint8]) -> bytes:
    """A .png file of a picture with 3 or 4 channels."""
    height, width, channels = picture.shape
    return (_header(width, height, channels) + _chunk(b"IDAT", scanlines(picture))
            + _chunk(b"IEND", b""))


class Animation:
    """Pictures at equal times, which a notebook shows as a video."""

    def __init__(self, size: tuple[int, int], frames: list[bytes], fps: float) -> None:
        if not frames:
            raise UsageError("an animation needs at least one frame")
        if not 0.01 <= fps <= 1000:
            raise UsageError(f"fps is {fps}; it must be 0.01 to 1000")
        self.size = size
        self.fps = fps
        self._frames = frames

    def __len__(self) -> int:
        return len(self._frames)

    def __getitem__(self, index: int) -> NDArray[np.uint8]:
        """A picture, as of Simulation.image()."""
        rows = np.frombuffer(zlib.decompress(self._frames[index]), np.uint8)
        return rows.reshape(self.size[1], -1)[:, 1:].reshape(self.size[1], self.size[0], 3).copy()

    def save(self, path: str | os.PathLike[str], overwrite: bool = False) -> None:
        """Writes .mp4, .mkv, .mov or .webm with ffmpeg, .gif with Pillow, or an animated .png."""
        suffix = os.path.splitext(path)[1].lower()
        if os.path.exists(path) and not overwrite:
            raise FileExistsError(f"'{os.fspath(path)}' exists; overwrite=True replaces it")
        if suffix in VIDEOS:
            self._write_video(os.fspath(path))
        elif suffix == ".gif":
            self._write_gif(path)
        elif suffix in (".png", ".apng"):
            with open(path, "wb") as file:
                file.write(self._apng())
        else:
            raise UsageError(f"'{os.fspath(path)}' must end in {', '.join(VIDEOS)}, .gif or .png")

    def _write_video(self, path: str) -> None:
        ffmpeg = shutil.which("ffmpeg")
        if not ffmpeg:
            raise FileError(f"'{path}' needs the program ffmpeg")
        command = [ffmpeg, "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24",
                   "-s", "{}x{}".format(*self.size), "-r", str(self.fps), "-i", "-", "-vf", FILTER,
                   "-pix_fmt", "yuv420p", *BT709, "file:" + path]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            assert process.stdin
            try:
                for index in range(len(self)):
                    process.stdin.write(self[index].tobytes())
            except BrokenPipeError:
                pass  # ffmpeg has ended: its message follows
            errors = process.communicate()[1].decode("utf-8", "replace").splitlines()
        if process.returncode:
            raise FileError(f"ffmpeg cannot write '{path}': {(errors or ['it failed'])[-1]}")

    def _write_gif(self, file: Any) -> None:
        if not importlib.util.find_spec("PIL"):
            raise FileError("a .gif needs the Python module Pillow")
        image = importlib.import_module("PIL.Image")
        first, *rest = (image.fromarray(self[index]) for index in range(len(self)))
        first.save(file, format="GIF", save_all=True, append_images=rest, loop=0,
                   duration=1000 / self.fps)

    def _apng(self) -> bytes:
        parts = [_header(*self.size, 3), _chunk(b"acTL", struct.pack(">II", len(self), 0))]
        delay = fractions.Fraction(1 / self.fps).limit_denominator(1000)
        number = 0
        for index, frame in enumerate(self._frames):
            parts.append(_chunk(b"fcTL", struct.pack(">IIIIIHHBB", number, *self.size, 0, 0,
                                                     delay.numerator, delay.denominator, 0, 0)))
            number += 1
            if index == 0:
                parts.append(_chunk(b"IDAT", frame))
            else:
                parts.append(_chunk(b"fdAT", struct.pack(">I", number) + frame))
                number += 1
        return b"".join(parts) + _chunk(b"IEND", b"")

    def _repr_html_(self) -> str:
        with tempfile.TemporaryDirectory() as folder:
            kind = "video/mp4" if shutil.which("ffmpeg") else \
                "image/gif" if importlib.util.find_spec("PIL") else "image/png"
            path = os.path.join(folder, "a." + kind.split("/")[1])
            self.save(path)
            with open(path, "rb") as file:
                data = file.read()
        if len(data) > MAX_INLINE:
            return f"<p>a video of {len(data) >> 20} MiB: write it with .save('video.mp4')</p>"
        source = f"data:{kind};base64,{base64.b64encode(data).decode()}"
        if kind == "video/mp4":
            return f'<video controls loop autoplay muted src="{source}"></video>'
        return f'<img src="{source}">'

    def __repr__(self) -> str:
        return "<vksim.Animation, {} frames of {}x{}>".format(len(self), *self.size)

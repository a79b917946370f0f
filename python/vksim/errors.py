# SPDX-License-Identifier: MIT
"""The exceptions that failed calls raise."""

from __future__ import annotations

import os
import re
from typing import Any

from ._lib import ffi, lib


class Error(Exception):
    """A call failed. The text is the library's sentence."""


class UsageError(Error, ValueError):
    """A name, a value or an array is wrong, or a call is impossible now."""


class DeviceError(Error, RuntimeError):
    """There is no Vulkan loader or driver, or no suitable device."""


class GpuError(Error, RuntimeError):
    """The GPU or its driver failed, or memory ran out. Only close() works afterwards."""


class FileError(Error, OSError):
    """A file could not be read or written."""


class Stopped(Error, RuntimeError):
    """The simulation ended the run. `step` is the step after which that was seen."""

    step: int | None = None


_ERRORS: dict[int, type[Exception]] = {
    lib.VKS_ERROR_USAGE: UsageError,
    lib.VKS_ERROR_DEVICE: DeviceError,
    lib.VKS_ERROR_FILE: FileError,
    lib.VKS_ERROR_GPU: GpuError,
    lib.VKS_ERROR_STOPPED: Stopped,
    lib.VKS_ERROR_EXISTS: FileExistsError,
    lib.VKS_ERROR_MEMORY: GpuError,
    lib.VKS_ERROR_LOST: GpuError,
}


def check(result: int) -> None:
    """Raises the exception of a result other than VKS_OK."""
    if result == lib.VKS_OK:
        return
    sentence = decode(lib.vks_error_text()) or decode(lib.vks_result_text(result))
    error = _ERRORS.get(result, Error)(sentence)
    if isinstance(error, Stopped):
        step = re.search(r"after step (\d+)", str(sentence))
        error.step = int(step[1]) if step else None
    raise error


def encode(text: str | os.PathLike[str], what: str) -> bytes:
    """Text or a path for C."""
    path = os.fspath(text)
    if not isinstance(path, str):
        raise UsageError(f"{what} must be text, not {type(path).__name__}")
    if "\0" in path:
        raise UsageError(f"{what} contains a null character")
    return os.fsencode(path)


def decode(pointer: Any) -> str | None:
    """A string of the library; None for NULL."""
    return None if pointer == ffi.NULL else ffi.string(pointer).decode("utf-8", "replace")

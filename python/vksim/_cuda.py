# SPDX-License-Identifier: MIT
"""Memory and semaphores of Vulkan in CUDA, through its driver library, which is opened when it is
first needed."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import uuid
import weakref
from ctypes import byref, c_char_p, c_int, c_ubyte, c_uint, c_ulonglong, c_void_p
from typing import Any, Iterator

from .errors import GpuError, UsageError

LEGACY_STREAM = 1  # CU_STREAM_LEGACY


class _Handle(ctypes.Union):
    _fields_ = [("fd", c_int), ("pointers", c_void_p * 2)]


class _MemoryHandle(ctypes.Structure):
    """CUDA_EXTERNAL_MEMORY_HANDLE_DESC."""

    _fields_ = [("type", c_int), ("handle", _Handle), ("size", c_ulonglong), ("flags", c_uint),
                ("reserved", c_uint * 16)]
    OPAQUE_FD, DEDICATED = 1, 1


class _MemoryBuffer(ctypes.Structure):
    """CUDA_EXTERNAL_MEMORY_BUFFER_DESC."""

    _fields_ = [("offset", c_ulonglong), ("size", c_ulonglong), ("flags", c_uint),
                ("reserved", c_uint * 16)]


class _SemaphoreHandle(ctypes.Structure):
    """CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC."""

    _fields_ = [("type", c_int), ("handle", _Handle), ("flags", c_uint), ("reserved", c_uint * 16)]
    TIMELINE_FD = 9


class _SemaphoreParams(ctypes.Structure):
    """CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS and _WAIT_PARAMS: a value, and 64 bytes for other kinds
    of semaphores."""

    _fields_ = [("value", c_ulonglong), ("others", c_ulonglong * 8), ("flags", c_uint),
                ("reserved", c_uint * 16)]


@functools.lru_cache(maxsize=None)
def _library() -> Any:
    try:
        library = ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        raise UsageError("sharing memory needs CUDA, and the driver's libcuda.so.1 cannot be "
                         f"loaded ({error}); .numpy() still works") from None
    library.cuGetErrorName.argtypes = [c_int, ctypes.POINTER(c_char_p)]
    return library


def _call(name: str, *arguments: Any) -> None:
    """Calls a function of the driver and checks its result."""
    library = _library()
    result = getattr(library, name)(*arguments)
    if result:
        text = c_char_p()
        library.cuGetErrorName(result, byref(text))
        raise GpuError(f"{name} failed: {(text.value or b'unknown error').decode()} ({result})")


def _find(wanted: bytes) -> tuple[int, c_int]:
    """CUDA's number of the device with that UUID, and the device."""
    count, found = c_int(), []
    try:
        _call("cuInit", c_uint(0))
        _call("cuDeviceGetCount", byref(count))
    except GpuError as error:
        raise UsageError(f"sharing memory needs CUDA: {error}; .numpy() still works") from None
    for number in range(count.value):
        device, own = c_int(), (c_ubyte * 16)()
        _call("cuDeviceGet", byref(device), c_int(number))
        _call("cuDeviceGetUuid", own, device)
        if bytes(own) == wanted:
            return number, device
        found.append(str(uuid.UUID(bytes=bytes(own))))
    raise UsageError(f"the simulation is on the device {uuid.UUID(bytes=wanted)}, and CUDA has "
                     f"{', '.join(found) or 'none'}; .numpy() still works")


class Memory:
    """Memory that is imported from Vulkan, with the timeline semaphore of both, until nothing
    refers to it. Takes over the descriptors."""

    def __init__(self, device_uuid: bytes, memory: int, memory_bytes: int, semaphore: int) -> None:
        self._fds = [fd for fd in (memory, semaphore) if fd >= 0]
        try:
            self._import(device_uuid, memory, memory_bytes, semaphore)
        finally:
            for fd in self._fds:
                os.close(fd)

    def _import(self, device_uuid: bytes, memory: int, memory_bytes: int, semaphore: int) -> None:
        self.device, device = _find(device_uuid)
        if semaphore < 0:
            raise UsageError("the Vulkan driver exports no timeline semaphores; .numpy() still "
                             "works")
        context, undo = c_void_p(), contextlib.ExitStack()
        _call("cuDevicePrimaryCtxRetain", byref(context), device)
        self._context = context
        # At the end of a process CUDA frees everything itself, and may be gone already.
        weakref.finalize(self, _free, device, context, undo).atexit = False
        with _current(context):
            self._memory, self._semaphore = c_void_p(), c_void_p()
            self._pointer = c_ulonglong()
            _call("cuImportExternalMemory", byref(self._memory), byref(_MemoryHandle(
                type=_MemoryHandle.OPAQUE_FD, handle=_Handle(fd=memory), size=memory_bytes,
                flags=_MemoryHandle.DEDICATED)))
            self._fds.remove(memory)
            undo.callback(_call, "cuDestroyExternalMemory", self._memory)
            _call("cuExternalMemoryGetMappedBuffer", byref(self._pointer), self._memory,
                  byref(_MemoryBuffer(size=memory_bytes)))
            undo.callback(_call, "cuMemFree_v2", self._pointer)
            _call("cuImportExternalSemaphore", byref(self._semaphore), byref(_SemaphoreHandle(
                type=_SemaphoreHandle.TIMELINE_FD, handle=_Handle(fd=semaphore))))
            self._fds.remove(semaphore)
            undo.callback(_call, "cuDestroyExternalSemaphore", self._semaphore)

    @property
    def pointer(self) -> int:
        """Of CUDA."""
        return self._pointer.value

    def wait(self, value: int, stream: int) -> None:
        """What is enqueued on the stream from now on begins when the semaphore has that value."""
        self._enqueue("cuWaitExternalSemaphoresAsync", value, stream)

    def signal(self, value: int, stream: int) -> None:
        """The semaphore gets that value when all that is enqueued on the stream is done."""
        self._enqueue("cuSignalExternalSemaphoresAsync", value, stream)

    def _enqueue(self, name: str, value: int, stream: int) -> None:
        with _current(self._context):
            _call(name, byref(self._semaphore), byref(_SemaphoreParams(value=value)), c_uint(1),
                  c_void_p(stream))


@contextlib.contextmanager
def _current(context: c_void_p) -> Iterator[None]:
    """Makes a context that of the thread for a while."""
    _call("cuCtxPushCurrent_v2", context)
    try:
        yield
    finally:
        _call("cuCtxPopCurrent_v2", byref(c_void_p()))


def _free(device: c_int, context: c_void_p, undo: contextlib.ExitStack) -> None:
    """Frees what was imported, the last first; nobody could handle a failure."""
    with contextlib.suppress(GpuError), _current(context):
        undo.close()
    with contextlib.suppress(GpuError):
        _call("cuDevicePrimaryCtxRelease_v2", device)

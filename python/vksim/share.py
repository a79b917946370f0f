# SPDX-License-Identifier: MIT
"""Fields in memory that CUDA reads and writes."""

from __future__ import annotations

import ctypes
import weakref
from ctypes import c_char_p, c_int32, c_int64, c_uint8, c_uint16, c_uint64, c_void_p
from typing import TYPE_CHECKING, Any

from . import _cuda
from ._lib import ffi, lib
from .errors import UsageError, check
from .field import Field

if TYPE_CHECKING:
    from .simulation import Simulation

CUDA = 2  # kDLCUDA


class Shared:
    """A copy of a field that CUDA and vksim take turns to use: `torch.from_dlpack(shared)` and
    `cupy.asarray(shared)` are arrays of its memory. Simulation.share() makes it.

    update() copies the field to it, and write_back() makes its values those of the field. Both wait
    for the work on one stream of CUDA, and later work there waits for them, on the device.
    """

    def __init__(self, simulation: Simulation, field: Field, write: bool) -> None:
        self._simulation = simulation
        self.field = field
        self.shape = field.shape
        self.dtype = field.dtype
        self.write = write
        self._stream = _cuda.LEGACY_STREAM
        self._value = 0
        self._memory: _cuda.Memory | None = None
        info = ffi.new("struct vks_shared_info *", {"size": ffi.sizeof("struct vks_shared_info")})
        made = ffi.new("vks_shared **")
        calls = simulation._calls
        with calls:
            handle = simulation._live()
            check(lib.vks_simulation_share(handle, field.name.encode(), made, info))
            calls.simulations[handle].add(made[0])
        self._shared = made[0]
        self._end = weakref.finalize(self, calls.end, calls.close_shared, handle, self._shared)
        try:
            self._memory = _cuda.Memory(bytes(ffi.buffer(info.device_uuid)), info.memory,
                                        info.memory_bytes, info.semaphore)
            self.update()
        except BaseException:
            self.close()
            raise

    # --- turns ---

    def update(self, stream: int | None = None) -> None:
        """Copies the field's values, after all steps so far.

        Args:
            stream: number of the CUDA stream whose work uses the memory; None: the one that the
                last array was made for, usually the default stream.
        """
        self._take_turn(lib.vks_shared_update, stream)

    def write_back(self, stream: int | None = None) -> None:
        """Makes the memory's values those of the field; floats must be finite and in the field's
        range, and magnitudes below 2^-60 become 0. UsageError for a bad value: the field stays as
        it was.

        What the values were computed with is yours: another GPU or library may round differently,
        so steps from here on are the same only for the same values.

        Args:
            stream: as for update().
        """
        if not self.write:
            raise UsageError(f"field '{self.field.name}' is shared for reading; share it with "
                             "write=True")
        self._take_turn(lib.vks_shared_store, stream)

    def _take_turn(self, function: Any, stream: int | None) -> None:
        memory = self._live()
        stream = self._stream if stream is None else stream
        value = ffi.new("uint64_t *")
        with self._simulation._calls:
            self._simulation._live()
            self._value += 1
            memory.signal(self._value, stream)
            check(function(self._shared, self._value, value))
            self._value = value[0]
            memory.wait(self._value, stream)

    def _live(self) -> _cuda.Memory:
        if self._memory is None:
            raise UsageError(f"the shared field '{self.field.name}' is closed")
        return self._memory

    @property
    def closed(self) -> bool:
        """Whether close() was called."""
        return self._memory is None

    def close(self) -> None:
        """Ends the sharing; arrays of the memory stay valid."""
        self._end()
        self._memory = None

    # --- arrays ---

    def __dlpack_device__(self) -> tuple[int, int]:
        return CUDA, self._live().device

    def __dlpack__(self, *, stream: int | None = None, max_version: Any = None,
                   dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> Any:
        del max_version  # a capsule without a version is always allowed
        memory = self._live()
        if copy or (dl_device is not None and tuple(dl_device) != self.__dlpack_device__()):
            raise BufferError(f"field '{self.field.name}' is shared without copies, on CUDA's "
                              f"device {memory.device}")
        if stream != -1:  # the consumer does not ask for an order
            self._stream = _cuda.LEGACY_STREAM if stream is None else stream
            memory.wait(self._value, self._stream)
        return _capsule(self, memory)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        memory = self._live()
        return {"shape": self.shape, "typestr": self.dtype.str, "data": (memory.pointer, False),
                "version": 3, "strides": None, "stream": self._stream}

    def __repr__(self) -> str:
        state = ", closed" if self.closed else f" on CUDA's device {self._live().device}"
        return f"<vksim.Shared '{self.field.name}', {self.dtype} {self.shape}{state}>"


# --- DLPack --------------------------------------------------------------------------------------


class _Tensor(ctypes.Structure):
    """DLManagedTensor of dlpack.h."""


_Deleter = ctypes.CFUNCTYPE(None, c_void_p)
_Destructor = ctypes.PYFUNCTYPE(None, c_void_p)
_Tensor._fields_ = [
    ("data", c_void_p), ("device_type", c_int32), ("device_id", c_int32), ("ndim", c_int32),
    ("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16),
    ("shape", ctypes.POINTER(c_int64)), ("strides", ctypes.POINTER(c_int64)),
    ("byte_offset", c_uint64), ("manager", c_void_p), ("deleter", _Deleter),
]
_CODES = {"u": 1, "f": 2}  # kDLUInt, kDLFloat
_NAME = b"dltensor"  # until a consumer takes it over

_new = ctypes.pythonapi.PyCapsule_New
_new.restype, _new.argtypes = ctypes.py_object, [c_void_p, c_char_p, _Destructor]
_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.argtypes = [c_void_p, c_char_p]
_get = ctypes.pythonapi.PyCapsule_GetPointer
_get.restype, _get.argtypes = c_void_p, [c_void_p, c_char_p]
_keep, _drop = ctypes.pythonapi.Py_IncRef, ctypes.pythonapi.Py_DecRef
_keep.argtypes = [ctypes.py_object]
_drop.argtypes = [c_void_p]


def _forget(tensor: int) -> None:
    """The consumer is done with the tensor."""
    _drop(_Tensor.from_address(tensor).manager)


def _destroy(capsule: int) -> None:
    """The capsule is gone, and perhaps nobody has taken the tensor over."""
    if _is_valid(capsule, _NAME):
        _forget(_get(capsule, _NAME))


_deleter, _destructor = _Deleter(_forget), _Destructor(_destroy)
for _callback in (_deleter, _destructor):
    _keep(_callback)  # tensors may be deleted after this module


def _capsule(shared: Shared, memory: _cuda.Memory) -> Any:
    """A capsule that owns a reference on both."""
    shape = (c_int64 * len(shared.shape))(*shared.shape)
    tensor = _Tensor(data=memory.pointer, device_type=CUDA, device_id=memory.device,
                     ndim=len(shape), code=_CODES[shared.dtype.kind],
                     bits=8 * shared.dtype.itemsize, lanes=1, shape=shape, deleter=_deleter)
    manager = (tensor, shape, shared, memory)
    tensor.manager = id(manager)
    _keep(manager)
    return _new(ctypes.addressof(tensor), _NAME, _destructor)

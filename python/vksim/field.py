# SPDX-License-Identifier: MIT
"""Fields of a simulation's state as arrays."""

from __future__ import annotations

import contextlib
import weakref
from typing import TYPE_CHECKING, Any, Iterator

import numpy as np
from numpy.typing import NDArray

from ._lib import ffi, lib
from .errors import UsageError, check, decode

if TYPE_CHECKING:
    from .simulation import Simulation

DTYPES = {lib.VKS_F32: np.float32, lib.VKS_U32: np.uint32, lib.VKS_U32X2: np.uint32,
          lib.VKS_F16: np.float16}


class _Mapped:
    """What an array on a simulation's memory refers to."""

    def __init__(self, field: Field) -> None:
        simulation = field._simulation
        info = ffi.new("struct vks_mapped *", {"size": ffi.sizeof("struct vks_mapped")})
        calls = simulation._calls
        with calls:
            handle = simulation._live()
            check(lib.vks_simulation_map(handle, field.name.encode(), info))
            calls.mapped[handle] = calls.mapped.get(handle, 0) + 1
        weakref.finalize(self, calls.end, calls.unmap, handle).atexit = False
        self.__array_interface__ = {
            "version": 3, "shape": field.shape, "typestr": field.dtype.str,
            "data": (int(ffi.cast("uintptr_t", info.data)), True)}  # not writeable


class Field:
    """A field of the state: `field[...]` reads, and `field[...] = array` writes.

    A write is checked like a state file: shape, finite numbers, range.
    """

    def __init__(self, simulation: Simulation, info: Any) -> None:
        self._simulation = simulation
        self.name: str = decode(info.name) or ""
        self.help: str = decode(info.help) or ""
        self.shape: tuple[int, ...] = tuple(info.extent[i] for i in range(info.rank))
        self.dtype: np.dtype[Any] = np.dtype(DTYPES[info.element])
        self.has_components: bool = info.element == lib.VKS_U32X2  # the last axis

    def numpy(self, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """The values after all steps, in a new array or in `out`, which must have this field's
        shape and dtype and be contiguous."""
        array = np.empty(self.shape, self.dtype) if out is None else out
        if array.shape != self.shape or array.dtype != self.dtype:
            raise UsageError(f"field '{self.name}' is {self.dtype} of the shape {self.shape}, the "
                             f"array {array.dtype} of the shape {array.shape}")
        if not array.flags.c_contiguous or not array.flags.writeable:
            raise UsageError(f"the array for field '{self.name}' must be contiguous and writeable")
        with self._simulation._calls:
            check(lib.vks_simulation_read(self._simulation._live(), self.name.encode(),
                                          ffi.from_buffer(array, require_writable=True),
                                          array.nbytes))
        return array

    @contextlib.contextmanager
    def map(self) -> Iterator[NDArray[Any]]:
        """An array on the field's own memory, for reading: `with field.map() as array:`. UsageError
        where the host cannot read the device's memory, as that of most GPUs.

        The array has the values after all steps. After further steps its values are those of this
        or an earlier step, since a field may have two buffers that take turns. It stays valid
        memory after the `with` and after close(), until nothing refers to it.
        """
        yield np.asarray(_Mapped(self))

    def __getitem__(self, key: Any) -> Any:
        return self.numpy()[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        array = self._converted(value)
        whole = key is Ellipsis or (isinstance(key, slice) and key == slice(None))
        if whole and array.ndim > 0:
            if array.shape != self.shape:
                raise UsageError(f"field '{self.name}' has the shape {self.shape}, the array "
                                 f"{array.shape}")
            array = np.ascontiguousarray(array)
        else:
            part, array = array, np.empty(self.shape, self.dtype) if whole else self.numpy()
            try:
                array[key] = part
            except ValueError as error:
                raise UsageError(f"field '{self.name}': {error}") from None
        with self._simulation._calls:
            check(lib.vks_simulation_write(self._simulation._live(), self.name.encode(),
                                           ffi.from_buffer(array), array.nbytes))

    def _converted(self, value: Any) -> NDArray[Any]:
        """The value in this field's dtype, from an array of the same kind or from Python's numbers,
        which have no size of their own."""
        array = np.asarray(value)
        takes = "float16, float32 or float64" if self.dtype.kind == "f" else "uint32"
        typed = isinstance(value, (np.ndarray, np.generic))
        if not array.dtype.isnative:
            raise UsageError(f"field '{self.name}' takes {takes} in the machine's byte order")
        if self.dtype.kind == "f":
            fits = array.dtype.kind == "f" or (array.dtype.kind in "iu" and not typed)
        elif typed:
            fits = array.dtype == self.dtype
        else:
            fits = array.dtype.kind in "iu" and bool(np.all((array >= 0) & (array < 2**32)))
        if not fits:
            raise UsageError(f"field '{self.name}' takes {takes}, not {array.dtype}"
                             + ("" if typed else f": {str(value)[:40]}"))
        with np.errstate(over="ignore"):  # what becomes infinite is refused by the library
            return array.astype(self.dtype, copy=False)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError(f"field '{self.name}' is on the device: it can only be copied")
        array = self.numpy()
        return array if dtype is None else array.astype(dtype, copy=False)

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"<vksim.Field '{self.name}', {self.dtype} {self.shape}: {self.help}>"

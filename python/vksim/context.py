# SPDX-License-Identifier: MIT
"""Open devices."""

from __future__ import annotations

import atexit
import functools
import os
import threading
import weakref
from types import TracebackType
from typing import Any, Callable

from ._lib import ffi, lib
from .errors import UsageError, check, encode
from .models import Device, record
from .table import Rows


class Calls:
    """A C context with its simulations, which one thread at a time may use.

    A call is made inside `with calls:`. Objects end at any time in any thread, by close() or by the
    garbage collector; what belongs to them is destroyed when no call is under way, and a simulation
    only when no array is on its memory.
    """

    def __init__(self, context: Any) -> None:
        self.context = context
        self.lock = threading.RLock()  # a signal handler may make calls between those of its thread
        self.depth = 0
        self.simulations: dict[Any, set[Any]] = {}  # and the shared fields of each
        self.mapped: dict[Any, int] = {}  # arrays on the memory of simulations, also of closed ones
        self.closed = False
        self.ended: list[Callable[[], None]] = []
        self.forked = False
        _opened.add(self)

    def __enter__(self) -> Calls:
        if self.forked:
            raise RuntimeError("a simulation does not survive fork; use spawn")
        if not self.lock.acquire(blocking=_exiting):
            raise UsageError("another thread is using this context; open one for each thread")
        self.depth += 1
        return self

    def __exit__(self, *_: object) -> None:
        self.depth -= 1
        self.lock.release()
        self.destroy_ended()

    def end(self, destroy: Callable[..., None], *arguments: Any) -> None:
        """Makes the call as soon as no other is under way."""
        self.ended.append(functools.partial(destroy, *arguments))
        self.destroy_ended()

    def destroy_ended(self) -> None:
        while self.ended and not self.forked and self.lock.acquire(blocking=False):
            try:
                if self.depth > 0:
                    return  # of this thread: it destroys them when it leaves
                self.ended.pop()()
            finally:
                self.lock.release()

    # What end() calls.

    def close_context(self) -> None:
        """Destroys the context and its simulations."""
        self.closed = True
        for simulation in list(self.simulations):
            self.close_simulation(simulation)
        self._destroy_context()

    def close_simulation(self, simulation: Any) -> None:
        """Destroys a simulation, unless that has been done."""
        if simulation in self.simulations:
            for shared in self.simulations.pop(simulation):
                lib.vks_shared_close(shared)
            if simulation not in self.mapped:
                lib.vks_simulation_destroy(simulation)

    def close_shared(self, simulation: Any, shared: Any) -> None:
        """Ends the sharing of a field, unless that has been done."""
        if shared in self.simulations.get(simulation, ()):
            self.simulations[simulation].remove(shared)
            lib.vks_shared_close(shared)

    def unmap(self, simulation: Any) -> None:
        """An array on the simulation's memory is gone."""
        self.mapped[simulation] -= 1
        if self.mapped[simulation] == 0:
            del self.mapped[simulation]
            if simulation not in self.simulations:
                lib.vks_simulation_destroy(simulation)
            if self.closed:
                self._destroy_context()

    def _destroy_context(self) -> None:
        if not self.mapped:
            context, self.context = self.context, None
            lib.vks_context_destroy(context or ffi.NULL)


_opened: weakref.WeakSet[Calls] = weakref.WeakSet()
_shared: dict[str, Context] = {}  # the contexts of simulations that are given none
_shared_lock = threading.Lock()
_forked = False
_exiting = False


def _after_fork() -> None:
    """A driver's threads and files do not exist in a forked child."""
    global _forked, _shared_lock
    _forked = _forked or bool(_opened)
    for calls in _opened:
        calls.forked = True  # first, so that nothing is destroyed
    _shared_lock = threading.Lock()
    _shared.clear()


os.register_at_fork(after_in_child=_after_fork)


def _at_exit() -> None:
    """Waits for the calls of other threads, which make no more: no driver may compute while the
    process unloads it. Finalizers, which are registered later, have ended objects before."""
    global _exiting
    _exiting = True
    for calls in list(_opened):
        if not calls.forked and calls.lock.acquire(timeout=10):
            calls.destroy_ended()


atexit.register(_at_exit)


class Context:
    """An open device.

    Simulations that are given no context share one per device. Threads that run simulations at the
    same time need a context each.

    Args:
        device: number, part of the name, or UUID; None: VKSIM_DEVICE, else the best.
        validation: "off", "core", "sync" or "gpu": the validation layers of Vulkan.
        gpu_timeout: seconds until a call fails because the GPU does not finish its work; 0: 60,
            and no limit for a software driver; negative: no limit.
    """

    def __init__(self, device: str | int | None = None, *, validation: str = "off",
                 gpu_timeout: float = 0) -> None:
        if _forked:
            raise RuntimeError("a device was open before fork; use spawn")
        kinds = ("off", "core", "sync", "gpu")
        if validation not in kinds:
            raise UsageError(f"validation is '{validation}'; it must be one of {', '.join(kinds)}")
        name = ffi.NULL if device is None else ffi.new("char[]", encode(str(device), "device"))
        params = ffi.new("struct vks_context_params *", {
            "size": ffi.sizeof("struct vks_context_params"), "device": name,
            "validation": kinds.index(validation), "gpu_timeout": gpu_timeout})
        context = ffi.new("vks_context **")
        check(lib.vks_context_create(params, context))
        self._calls = Calls(context[0])
        self._end = weakref.finalize(self, self._calls.end, self._calls.close_context)

    @classmethod
    def shared(cls, device: str | int | None = None) -> Context:
        """The process's context for the device."""
        key = "" if device is None else str(device)
        with _shared_lock:
            if key not in _shared or _shared[key].closed:
                _shared[key] = cls(device)
            return _shared[key]

    @property
    def device(self) -> Device:
        """What the driver says of the device."""
        info = ffi.new("struct vks_device_info *", {"size": ffi.sizeof("struct vks_device_info")})
        with self._calls:
            self._check_open()
            check(lib.vks_context_device(self._calls.context, info))
        return record(Device, info)

    @property
    def closed(self) -> bool:
        """Whether close() was called."""
        return not self._end.alive

    def _check_open(self) -> None:
        if self.closed or self._calls.context is None:
            raise UsageError("the context is closed")

    def close(self) -> None:
        """Ends the context and its simulations."""
        self._end()

    def __enter__(self) -> Context:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 traceback: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<vksim.Context{', closed' if self.closed else ' on ' + self.device.name}>"


def devices() -> list[Device]:
    """The Vulkan devices of this machine; `lacks` of a suitable one is empty."""
    count = ffi.new("size_t *")
    size = ffi.sizeof("struct vks_device_info")
    infos = ffi.new("struct vks_device_info[64]", [{"size": size}])
    check(lib.vks_devices(infos, len(infos), count))
    return Rows(record(Device, ffi.addressof(infos, i)) for i in range(min(count[0], len(infos))))

# SPDX-License-Identifier: MIT
"""Simulations."""

from __future__ import annotations

import contextlib
import importlib
import math
import operator
import os
import sys
import time
import weakref
from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, Union

import numpy as np
from numpy.typing import NDArray

from ._lib import ffi, lib
from .context import Context
from .errors import UsageError, check, decode, encode
from .field import Field
from .formula import Formula, Model, load_model
from .models import Option, Timing, options as options_of, record
from .notebook import Animation, png, scanlines
from .share import Shared
from .table import Rows, Table, to_html

if TYPE_CHECKING:
    import xarray

Progress = Union[bool, None, Callable[[int, int], object]]
PIECE = 0.1  # seconds of steps between two looks at signals
MAX_VALUE = 1 << 16  # bytes of an option's value as text
MAX_PICTURE = 1024  # pixels: width of the picture in a notebook
MAX_FRAME = 640  # of an animation whose size was not chosen


def whole(value: Any, name: str, high: int = 2**64 - 1) -> int:
    """A whole number from 0 to `high`."""
    try:
        number = operator.index(value)
    except TypeError:
        raise UsageError(f"{name} must be a whole number, not {value!r}") from None
    if not 0 <= number <= high:
        raise UsageError(f"{name} is {number}; it must be 0 to {high}")
    return number


def option_name(name: str) -> str:
    """`sensor_angle` is the option sensor-angle."""
    return name.replace("_", "-")


def option_text(name: str, value: Any) -> str:
    """A value as the command line takes it."""
    if value is None:
        return ""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (float, np.floating)):
        if not math.isfinite(value):
            raise UsageError(f"'{name}' is {value}; it must be a finite number")
        return repr(float(value))
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (str, os.PathLike)):
        return os.fsdecode(encode(value, f"'{name}'"))
    if isinstance(value, (tuple, list, np.ndarray)):
        separator = "x" if name.endswith("size") else ","
        return separator.join(option_text(name, part) for part in value)
    raise UsageError(f"'{name}' takes a number, text or a tuple, not {type(value).__name__}")


def option_value(option: Option, text: str) -> Any:
    """The value of an option's text: bool, int, float, str, a tuple, or None if it is unset."""
    if option.type == "flag":
        return text == "true"
    if option.type == "size":
        return tuple(int(part) for part in text.split("x"))
    if option.type == "count":
        return int(text)
    if option.type == "real":
        numbers = tuple(float(part) for part in text.split(","))
        return numbers if len(numbers) > 1 else numbers[0]
    return text or None


class Options(Mapping[str, Any]):
    """The options of a simulation: `sim.options["feed"] = 0.03` changes one."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._rows = simulation._rows

    def __getitem__(self, name: str) -> Any:
        return self._simulation.get(name)

    def __setitem__(self, name: str, value: Any) -> None:
        self._simulation.set(**{name: value})

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and option_name(name) in self._rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def _repr_html_(self) -> str:
        rows = [(row.name, option_text(row.name, self[row.name]), row.unit, row.change, row.help)
                for row in self._rows.values()]
        return to_html(("name", "value", "unit", "change", "help"), rows)


class Simulation:
    """A simulation on a device.

    Args:
        model: what load_model() takes, such as a name of models(); a Formula or a Model.
        preset: one of the model's presets.
        size: (width, height) or (width, height, depth) in cells.
        seed: of all random numbers.
        init: the initial condition, or "image:FILE".
        watch: whether record() has all scalars, which take time.
        load: a state file to start from.
        device: number, part of the name, UUID, or a Context.
        options: options of the model and of pictures, with underscores for dashes.
    """

    def __init__(self, model: str | os.PathLike[str] | Formula | Model = "physarum", *,
                 preset: str | None = None, size: Iterable[int] | str | None = None,
                 seed: int | None = None,
                 init: str | None = None, watch: bool = False,
                 load: str | os.PathLike[str] | None = None,
                 device: Context | str | int | None = None, **options: Any) -> None:
        self.model: str = model.name if isinstance(model, (Formula, Model)) else load_model(model)
        given = {"size": size, "seed": seed, "init": init, **options}
        texts = [encode(f"{option_name(name)}={option_text(option_name(name), value)}", "an option")
                 for name, value in given.items() if value is not None]
        keep = [ffi.new("char[]", text) for text in texts]
        strings = [ffi.NULL if text is None else ffi.new("char[]", encode(text, what))
                   for text, what in ((self.model, "the model's name"), (preset, "preset"),
                                      (load, "load"))]
        array = ffi.new("const char *[]", [*keep, ffi.NULL])
        params = ffi.new("struct vks_simulation_params *", {
            "size": ffi.sizeof("struct vks_simulation_params"), "model": strings[0],
            "preset": strings[1], "load_state": strings[2], "watch": bool(watch), "options": array})
        self.context = device if isinstance(device, Context) else Context.shared(device)
        self._calls = self.context._calls
        self._planes = 0
        made = ffi.new("vks_simulation **")
        with self._calls:
            self.context._check_open()
            check(lib.vks_simulation_create(self._calls.context, params, made))
            self._simulation = made[0]
            self._calls.simulations[self._simulation] = set()
        self._end = weakref.finalize(self, self._calls.end, self._calls.close_simulation,
                                     self._simulation)
        self._rows = {row.name: row for row in options_of(self.model)}

    # --- life ---

    @property
    def closed(self) -> bool:
        """Whether the simulation or its context was closed."""
        return not self._end.alive or self._simulation not in self._calls.simulations

    def _live(self) -> Any:
        """For C, inside `with self._calls`."""
        if self.closed:
            raise UsageError("the simulation is closed")
        return self._simulation

    def close(self) -> None:
        """Frees the simulation's memory on the device."""
        self._end()

    def __enter__(self) -> Simulation:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 traceback: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        if self.closed:
            return f"<vksim.Simulation of {self.model}, closed>"
        size = option_text("size", self.size)
        return f"<vksim.Simulation of {self.model}, {size} cells, {self.steps} steps>"

    # --- steps ---

    def run(self, n: int = 1, progress: Progress = None) -> None:
        """Computes `n` steps. Ctrl-C ends this within some 0.1 s and leaves a state in between.

        Args:
            progress: True shows a bar of tqdm or else a line of text; a function is called with
                the number of steps done and `n`.
        """
        n = whole(n, "n")
        report = _reporter(progress, n)
        done, piece = 0, 1
        while done < n:
            steps = min(piece, n - done)
            start = time.perf_counter()
            with self._calls:
                check(lib.vks_simulation_run(self._live(), steps))
            seconds = time.perf_counter() - start
            done += steps
            if seconds < PIECE / 2:
                piece = 2 * steps
            elif seconds > 2 * PIECE:
                piece = max(1, steps // 2)
            report(done, n)
        with self._calls:
            check(lib.vks_simulation_wait(self._live()))

    @property
    def steps(self) -> int:
        """Number of steps since the start, including those of a loaded state."""
        with self._calls:
            return int(lib.vks_simulation_steps(self._live()))

    @property
    def time(self) -> float:
        """The model's time: its scalar `time`, or the steps times its option `dt`, or the steps.
        Reading the scalar draws a picture."""
        scalars = self._scalars() if "end-time" in self._rows else {}
        if "time" in scalars:
            return scalars["time"]
        return self.steps * float(self.get("dt") if "dt" in self._rows else 1)

    @property
    def seed(self) -> int:
        """The seed of all random numbers."""
        return int(self.get("seed"))

    @property
    def size(self) -> tuple[int, ...]:
        """(width, height), or (width, height, depth) of a volume, in cells."""
        return tuple(self.get("size"))

    def restart(self, seed: int | None = None) -> None:
        """Starts again from the initial condition or, with the same seed, the loaded state."""
        seed = self.seed if seed is None else whole(seed, "seed", 2**32 - 1)
        with self._calls:
            check(lib.vks_simulation_restart(self._live(), seed))

    # --- options ---

    @property
    def options(self) -> Options:
        """The options by name, as a mapping that changes them."""
        return Options(self)

    def set(self, **options: Any) -> None:
        """Changes options, in this order; the next steps and pictures use them. The first that is
        impossible raises UsageError and leaves the rest as they were."""
        for name, value in options.items():
            text = encode(option_text(option_name(name), value), f"'{name}'")
            with self._calls:
                check(lib.vks_simulation_set(self._live(), encode(option_name(name), "a name"),
                                             text))

    def get(self, name: str) -> Any:
        """The value of an option: bool, int, float, str, a tuple of numbers, or None if unset. An
        option that follows another has that one's value."""
        text = self._text(name)
        option = self._rows[option_name(name)]
        if option.same_as and text == option.same_as:
            value = ffi.new("double *")
            with self._calls:
                check(lib.vks_simulation_get_real(self._live(), option.name.encode(), value))
            return float(value[0])
        return option_value(option, text)

    def _text(self, name: str) -> str:
        text = ffi.new("char[]", MAX_VALUE)
        with self._calls:
            check(lib.vks_simulation_get(self._live(), encode(option_name(name), "a name"), text,
                                         len(text)))
        return decode(text) or ""

    # --- the state ---

    @property
    def fields(self) -> dict[str, Field]:
        """The fields of the state by name."""
        info = ffi.new("struct vks_field_info *", {"size": ffi.sizeof("struct vks_field_info")})
        found: dict[str, Field] = {}
        with self._calls:
            while lib.vks_simulation_field(self._live(), len(found), info):
                field = Field(self, info)
                found[field.name] = field
        return found

    def __getitem__(self, name: str) -> Field:
        fields = self.fields
        if name not in fields:
            raise UsageError(f"{self.model} has no field {name!r}; it has {', '.join(fields)}")
        return fields[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.fields)

    def share(self, name: str, *, write: bool = False) -> Shared:
        """A copy of a field on the device that CUDA can use, without the host: for torch, CuPy and
        others that take DLPack or the CUDA array interface. UsageError if CUDA does not have this
        simulation's device.

        Args:
            name: of the field.
            write: whether write_back() may change the field.
        """
        return Shared(self, self[name], write)

    def digest(self) -> str:
        """XXH3-128 of the state, as 32 hex digits: the same on every device."""
        text = ffi.new("char[33]")
        with self._calls:
            check(lib.vks_simulation_digest(self._live(), text))
        return decode(text) or ""

    def save(self, path: str | os.PathLike[str], overwrite: bool = False) -> None:
        """Writes a state file (.npz), which `load` and `vksim --load-state` continue."""
        name = encode(path, "path")
        with self._calls:
            check(lib.vks_simulation_save(self._live(), name, bool(overwrite)))

    def timings(self) -> list[Timing]:
        """What each pass has cost on the GPU so far."""
        info = ffi.new("struct vks_pass_timing *", {"size": ffi.sizeof("struct vks_pass_timing")})
        rows = Rows[Timing]()
        with self._calls:
            while lib.vks_simulation_timing(self._live(), len(rows), info):
                rows.append(record(Timing, info))
        return rows

    def to_xarray(self, names: Iterable[str] | None = None) -> xarray.Dataset:
        """The fields as a Dataset, with the dimensions (z, y, x) or (item). Fields with other
        numbers of items have a dimension of their own."""
        import xarray
        items: dict[int, str] = {}
        variables = {}
        fields = self.fields
        for name in fields if names is None else names:
            field = self[name] if name not in fields else fields[name]
            last = ("component",) if field.has_components else ()
            shape = field.shape[:len(field.shape) - len(last)]
            if shape[-2:] == self.size[1::-1]:
                leading = "z" if shape[:-2] == self.size[2:] else "plane"
                dims: tuple[str, ...] = ((leading,) * (len(shape) - 2)) + ("y", "x")
            else:
                first = items.setdefault(shape[0], f"item_{len(items)}" if items else "item")
                dims = (first, *(f"{name}_{i}" for i in range(1, len(shape))))
            variables[name] = (dims + last, field.numpy(), {"long_name": field.help})
        about = {"model": self.model, "seed": self.seed, "steps": self.steps}
        return xarray.Dataset(variables, attrs=about)

    # --- pictures and scalars ---

    @contextlib.contextmanager
    def _look(self, look: dict[str, Any]) -> Iterator[None]:
        """Other options for a while."""
        before = {name: self._text(name) for name in look}
        try:
            self.set(**look)
            yield
        finally:
            if not self.closed:
                self.set(**before)

    def _limit(self, width: int, look: dict[str, Any]) -> dict[str, Any]:
        """The look with pictures of at most this width, unless their size is chosen."""
        chosen = "output_size" in look or self.get("output-size")
        return look if chosen or self._picture_size()[0] <= width else \
            {"output_size": f"{width}x0", **look}

    def _picture_size(self) -> tuple[int, int]:
        width, height = ffi.new("uint32_t *"), ffi.new("uint32_t *")
        with self._calls:
            lib.vks_simulation_picture_size(self._live(), width, height)
        return width[0], height[0]

    def image(self, alpha: bool = False, **look: Any) -> NDArray[np.uint8]:
        """The picture as an array of uint8: (height, width, 3), or 4 with `alpha`.

        Args:
            look: options of pictures for this one only, such as colormap="magma".
        """
        with self._look(look), self._calls:
            width, height = self._picture_size()
            picture = np.empty((height, width, 4 if alpha else 3), np.uint8)
            buffer = ffi.from_buffer("uint8_t[]", picture, require_writable=True)
            if alpha:
                check(lib.vks_simulation_draw(self._live()))
                check(lib.vks_simulation_read_plane(self._live(), lib.VKS_PLANE_RGBA, buffer,
                                                    picture.nbytes))
            else:
                check(lib.vks_simulation_render(self._live(), buffer, picture.nbytes))
        return picture

    def values(self) -> NDArray[np.float32]:
        """What the picture shows as float32, before it becomes colours: (height, width), or
        (planes, height, width)."""
        plane = lib.VKS_PLANE_VALUES
        info = ffi.new("struct vks_plane_info *", {"size": ffi.sizeof("struct vks_plane_info")})
        with self._calls:
            if not self._planes:
                check(lib.vks_simulation_set_planes(self._live(), 1 << plane))
                self._planes = 1 << plane
            check(lib.vks_simulation_draw(self._live()))
            check(lib.vks_simulation_plane(self._live(), plane, info))
            shape = (info.depth,) * (info.depth > 1) + (info.height, info.width)
            array = np.empty(shape, np.float32)
            check(lib.vks_simulation_read_plane(
                self._live(), plane, ffi.from_buffer(array, require_writable=True), array.nbytes))
        return array

    def _repr_png_(self) -> bytes:
        look = self._limit(MAX_PICTURE, {})
        return png(self.image(alpha=self.get("background") == "transparent", **look))

    def animate(self, frames: int, steps: int = 1, fps: float = 30, **look: Any) -> Animation:
        """Runs, and returns the pictures as a video: of the present state, and `steps` steps
        later each. Pictures are at most 640 pixels wide unless output_size says otherwise."""
        frames, steps = whole(frames, "frames"), whole(steps, "steps")
        with self._look(self._limit(MAX_FRAME, look)):
            pictures = []
            for frame in range(frames):
                self.run(steps if frame else 0)
                pictures.append(scanlines(self.image()))
            return Animation(self._picture_size(), pictures, fps)

    def _scalars(self) -> dict[str, float]:
        """The scalars of the present state, with a picture drawn."""
        watched = ffi.new("struct vks_watched *", {"size": ffi.sizeof("struct vks_watched")})
        found: dict[str, float] = {}
        with self._calls:
            check(lib.vks_simulation_draw(self._live()))
            check(lib.vks_simulation_wait(self._live()))
            while lib.vks_simulation_watched(self._live(), len(found), watched):
                found[decode(watched.name) or ""] = watched.value
        return found

    def record(self, frames: int, steps: int = 1, names: Iterable[str] | None = None) -> Table:
        """Runs, and returns the model's scalars: of the present state, and `steps` steps later
        each. Most models have scalars only with `watch=True`."""
        frames, steps = whole(frames, "frames"), whole(steps, "steps")
        first = self._scalars()
        chosen = list(first if names is None else names)
        if not first:
            raise UsageError(f"{self.model} has no scalars here; watch=True makes them")
        for name in chosen:
            if name not in first:
                raise UsageError(f"{self.model} has no scalar {name!r}; it has {', '.join(first)}")
        columns: dict[str, list[float]] = {name: [] for name in ("step", *chosen)}
        for frame in range(frames):
            self.run(steps if frame else 0)
            row = self._scalars() if frame else first
            columns["step"].append(self.steps)
            for name in chosen:
                columns[name].append(row[name])
        return Table({name: np.array(column) for name, column in columns.items()})


def _reporter(progress: Progress, n: int) -> Callable[[int, int], object]:
    if not progress:
        return lambda done, n: None
    if callable(progress):
        return progress
    try:
        bar = importlib.import_module("tqdm").tqdm(total=n)
    except ImportError:
        return lambda done, n: print(f"\r{done} of {n} steps", end="\n" if done == n else "",
                                     file=sys.stderr, flush=True)

    def update(done: int, n: int) -> None:
        bar.update(done - bar.n)
        if done == n:
            bar.close()
    return update

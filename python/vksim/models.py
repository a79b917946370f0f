# SPDX-License-Identifier: MIT
"""What the library can list: devices, models, options, and the passes of a simulation."""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, Iterator, TypeVar

from ._lib import ffi, lib
from .errors import decode, encode
from .formula import load_model
from .table import Rows, field_names

Row = TypeVar("Row")


def record(kind: type[Row], info: Any) -> Row:
    """The dataclass of a C structure whose members have the names of the fields."""
    members = dict(ffi.typeof(info).item.fields)
    return kind(**{name: _value(members[name].type, getattr(info, name))
                   for name in field_names(kind)})


def _value(kind: Any, value: Any) -> Any:
    if kind.kind == "enum":  # VKS_DEVICE_SOFTWARE: "software"
        return kind.elements[int(value)].split("_", 2)[2].lower()
    if kind.kind == "array":
        return decode(value)
    if kind.kind == "pointer" and kind.item.kind == "pointer":
        return tuple(_list(lambda i: value[i])) if value != ffi.NULL else None
    return decode(value) if kind.kind == "pointer" else value


def _list(at: Callable[[int], Any]) -> Iterator[str]:
    """Strings by index until the first NULL."""
    index = 0
    while (name := decode(at(index))) is not None:
        yield name
        index += 1


@dataclasses.dataclass(frozen=True)
class Device:
    """A Vulkan device."""

    index: int
    name: str
    type: str  # "discrete", "integrated", "virtual", "software" or "other"
    driver: str
    api_version: str
    uuid: str
    lacks: str  # required features that are missing; "": it is suitable
    features: str
    memory: int  # bytes of the largest heap of its own
    largest_buffer: int  # bytes
    buffers: int


@dataclasses.dataclass(frozen=True)
class ModelInfo:
    """A kind of simulation."""

    name: str
    summary: str
    presets: dict[str, str]  # with their summaries
    views: dict[str, str]  # what pictures can show, with help; the first is the default
    inits: tuple[str, ...]  # initial conditions; the first is the default


@dataclasses.dataclass(frozen=True)
class Option:
    """An option of a simulation."""

    name: str
    type: str  # "flag", "count", "real", "choice", "text" or "size"
    default_text: str | None  # unless a preset sets another; None: unset
    min: float
    max: float
    choices: tuple[str, ...] | None
    unit: str
    change: str  # "live", "start" (at the next restart), "sometimes" or "never"
    help: str
    same_as: str | None  # the option that it follows while it is unset
    heading: str
    soft_min: float  # the range for a slider
    soft_max: float
    logarithmic: bool


@dataclasses.dataclass(frozen=True)
class Timing:
    """What a pass has cost on the GPU."""

    name: str
    calls: int
    samples: int  # calls that were timed
    total: float  # seconds: mean x calls
    mean: float  # seconds per call, as the next ones
    p50: float
    p95: float
    min: float
    max: float
    bytes: float  # least number per call
    operations: float  # per call
    atomics: float  # per call


def _pairs(function: Callable[..., Any], model: Any) -> dict[str, str]:
    help_text = ffi.new("const char **")
    pairs = {}
    for name in _list(lambda i: function(model, i, help_text)):
        pairs[name] = decode(help_text[0]) or ""
    return pairs


def models() -> list[ModelInfo]:
    """The models of the library, and those that were loaded."""
    rows = Rows[ModelInfo]()
    for name in _list(lib.vks_model_name):
        model = ffi.new("char[]", name.encode())
        rows.append(ModelInfo(name, decode(lib.vks_model_summary(model)) or "",
                          _pairs(lib.vks_model_preset, model), _pairs(lib.vks_model_view, model),
                          tuple(_list(lambda i: lib.vks_model_init(model, i)))))
    return rows


def options(model: str = "physarum") -> list[Option]:
    """The options of a model: first its own, then those common to all."""
    rows = Rows[Option]()
    name = encode(load_model(model), "the model's name")
    info = ffi.new("struct vks_option_info *", {"size": ffi.sizeof("struct vks_option_info")})
    while lib.vks_model_option(name, len(rows), info):
        rows.append(record(Option, info))
    return rows

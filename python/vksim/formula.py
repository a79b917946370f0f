# SPDX-License-Identifier: MIT
"""Models from formulas, from shaders and from files."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from typing import Any

from ._lib import ffi, lib
from .errors import UsageError, check, decode, encode

KEYS = {"name", "summary", "source", "fields", "parameters", "images", "points", "let", "rates",
        "next", "scheme", "dt", "dx", "boundary", "init", "stop", "presets", "size", "volumes"}


HEAD = """#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/grid.glsl"
#include "lib/exact.glsl"
#include "constants.glsl"
#line 1
"""


def _added(function: Any, argument: bytes) -> str:
    name = ffi.new("const char **")
    check(function(argument, name))
    return decode(name[0]) or ""


def load_model(path: str | os.PathLike[str]) -> str:
    """Adds the models of a file: formulas (.json), a compound, a folder of shaders, or a plug-in
    (.so), whose code is loaded; or of a name, which is looked for as `vksim NAME` does. Returns the
    name for Simulation()."""
    return _added(lib.vks_model_load, encode(path, "the model's path"))


def _text(model: dict[str, Any]) -> str:
    """The model as JSON."""
    try:
        return json.dumps(model, indent=2, allow_nan=False) + "\n"
    except (TypeError, ValueError) as error:
        raise UsageError(f"the model cannot be written as JSON: {error}") from None


def _own_name(kind: str, *texts: str) -> str:
    """A name for these texts: other texts have another one."""
    return f"{kind}-{hashlib.sha256(chr(0).join(texts).encode()).hexdigest()[:8]}"


class Formula:
    """A model of equations: Formula(u="lap(u) + u - u^3 - v", v="0.1*(u - v)", dt=0.02).

    Keywords that are keys of a formula file (docs/formulas.md), such as `dt`, `parameters` and
    `init`, have the same meaning here. Every other keyword is a field with its rate of change.
    Without `init` all fields start with noise from -0.1 to 0.1.
    """

    def __init__(self, **keys: Any) -> None:
        rates = {key: rate for key, rate in keys.items() if key not in KEYS}
        model: dict[str, Any] = {key: value for key, value in keys.items() if key in KEYS}
        if rates and ("rates" in keys or "next" in keys):
            raise UsageError(f"'{next(iter(rates))}' is a field besides those of rates or next")
        if rates:
            model["rates"] = rates
        names = list(model.get("rates") or model.get("next") or ())
        model.setdefault("fields", {name: {} for name in names})
        model.setdefault("init", {"noise": {name: "0.2*random() - 0.1" for name in names}})
        name = _own_name("formula", _text(model))
        self.model: dict[str, Any] = {"formula": 1, "name": name, **model}
        self.name = _added(lib.vks_model_parse, encode(_text(self.model), "the formula"))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the formula to a file, which `vksim FILE` runs."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(_text(self.model))

    def __repr__(self) -> str:
        return f"<vksim.Formula '{self.name}': {', '.join(self.model['fields'])}>"


class Model:
    """A model of compute shaders, whose GLSL is text in Python.

    Keywords are the keys of model.json (docs/shaders.md). Each pass with a shader has the key
    `glsl`, its text, instead of `shader`, its file. A text without a line of #version follows one
    that includes lib/grid.glsl, lib/exact.glsl and constants.glsl. Without `name`, each version of
    the texts is a model of its own.
    """

    def __init__(self, **keys: Any) -> None:
        self.shaders: dict[str, str] = {}
        passes = [self._entry(row) for row in keys.pop("passes", ())]
        model = {**keys, "passes": passes}
        name = _own_name("model", _text(model), *self.shaders.values())
        self.model: dict[str, Any] = {"shaders": 1, "name": name, **model}
        with tempfile.TemporaryDirectory(prefix="vksim-model-") as folder:
            self.save(folder)
            try:
                self.name = load_model(folder)
            except UsageError as error:
                raise UsageError(str(error).replace(folder + os.sep, "")) from None

    def _entry(self, row: dict[str, Any]) -> dict[str, Any]:
        """An entry of passes, with the name of its shader's file."""
        if "glsl" not in row:
            return row
        file = f"{row.get('pass')}.comp"
        text = str(row["glsl"])
        if file in self.shaders or "/" in file:
            raise UsageError(f"'{row.get('pass')}' is not a name of a pass, or of two of them")
        self.shaders[file] = text if "#version" in text else HEAD + text
        return {**{key: value for key, value in row.items() if key != "glsl"}, "shader": file}

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Writes the model to a folder, which `vksim FOLDER` runs."""
        os.makedirs(folder, exist_ok=True)
        for name, text in {"model.json": _text(self.model), **self.shaders}.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)

    def __repr__(self) -> str:
        return f"<vksim.Model '{self.name}': {', '.join(self.model.get('fields', ()))}>"

# SPDX-License-Identifier: MIT
"""Models from formulas and from files."""

from __future__ import annotations

import hashlib
import json
import os
from typing import Any

from ._lib import ffi, lib
from .errors import UsageError, check, decode, encode

KEYS = {"name", "summary", "source", "fields", "parameters", "images", "points", "let", "rates",
        "next", "scheme", "dt", "dx", "boundary", "init", "stop", "presets", "size", "volumes"}


def _added(function: Any, argument: bytes) -> str:
    name = ffi.new("const char **")
    check(function(argument, name))
    return decode(name[0]) or ""


def load_model(path: str | os.PathLike[str]) -> str:
    """Adds the models of a file: formulas (.json), a compound, a folder of shaders, or a plug-in
    (.so), whose code is loaded. Returns the name for Simulation()."""
    return _added(lib.vks_model_load, encode(path, "the model's path"))


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
        try:
            text = json.dumps(model, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise UsageError(f"the formula cannot be written as JSON: {error}") from None
        digest = hashlib.sha256(text.encode()).hexdigest()[:8]
        self.model: dict[str, Any] = {"formula": 1, "name": f"formula-{digest}", **model}
        self.name = _added(lib.vks_model_parse, encode(json.dumps(self.model), "the formula"))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the formula to a file, which `vksim FILE` runs."""
        with open(path, "w", encoding="utf-8") as file:
            json.dump(self.model, file, indent=2)
            file.write("\n")

    def __repr__(self) -> str:
        return f"<vksim.Formula '{self.name}': {', '.join(self.model['fields'])}>"

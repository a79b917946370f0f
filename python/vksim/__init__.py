# SPDX-License-Identifier: MIT
"""vksim: simulations on Vulkan compute, byte-identical on every driver.

    import vksim
    sim = vksim.Simulation("gray-scott", preset="mazes", size=(512, 512), seed=7)
    sim.run(5000)
    v = sim["v"].numpy()
"""

from .version import VERSION as __version__

try:
    from ._lib import ffi as _ffi, lib as _lib
except ImportError as error:
    raise ImportError(f"the module vksim {__version__} cannot load its libvksim: {error}") \
        from None

_found = _ffi.string(_lib.vks_version()).decode()
if [*map(int, _found.split("."))] < [*map(int, __version__.split("."))]:
    raise ImportError(f"the module vksim {__version__} found libvksim {_found}, which is older")

# pylint: disable=wrong-import-position
from .context import Context, devices  # noqa: E402
from .errors import (DeviceError, Error, FileError, GpuError, Stopped,  # noqa: E402
                     UsageError)
from .field import Field  # noqa: E402
from .formula import Formula, Model, load_model  # noqa: E402
from .models import Device, ModelInfo, Option, Timing, models, options  # noqa: E402
from .notebook import Animation  # noqa: E402
from .share import Shared  # noqa: E402
from .simulation import Options, Simulation  # noqa: E402
from .table import Table  # noqa: E402

__all__ = [
    "Animation", "Context", "Device", "DeviceError", "Error", "Field", "FileError", "Formula",
    "GpuError", "Model", "ModelInfo", "Option", "Options", "Shared", "Simulation", "Stopped",
    "Table", "Timing", "UsageError", "devices", "load_model", "models", "options",
]

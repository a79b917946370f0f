# SPDX-License-Identifier: MIT
# What cffi makes of the headers (python/build_ffi.py).
from typing import Any

ffi: Any
lib: Any

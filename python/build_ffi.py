# SPDX-License-Identifier: MIT
"""build_ffi.py OUTPUT HEADER COMPILER...: the C source of the extension module vksim._lib.

The declarations are those of the header and of what it includes from its own folder, so the C
compiler checks each of them, and no list is kept by hand.
"""

import os
import re
import subprocess
import sys

import cffi


def declarations(header, compiler):
    """What the public headers declare, preprocessed, without what system headers declare."""
    folder = os.path.dirname(os.path.abspath(header))
    # Without __GNUC__ the headers have no attributes, which cffi does not know.
    text = subprocess.run([*compiler, "-E", "-U__GNUC__", "-I", os.path.dirname(folder), header],
                          check=True, capture_output=True, text=True).stdout
    kept, ours = [], False
    for line in text.splitlines():
        marker = re.match(r'# \d+ "(.*?)"', line)
        if marker:
            ours = os.path.abspath(marker[1]).startswith(folder + os.sep)
        elif ours:
            kept.append(line)
    return "\n".join(kept)


def main():
    output, header, *compiler = sys.argv[1:]
    ffi = cffi.FFI()
    ffi.cdef(declarations(header, compiler))
    ffi.set_source("vksim._lib", "#include <vksim/vksim.h>")
    ffi.emit_c_code(output)


main()

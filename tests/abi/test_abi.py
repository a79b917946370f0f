# SPDX-License-Identifier: MIT
"""test_abi.py LIBRARY HEADERS DUMP [--renew]: the binary interface is that of the stored dump.

Compares the types and functions that HEADERS declare in LIBRARY, which must have debugging
information, with DUMP (abidiff of libabigail). --renew writes DUMP instead. TAP output.
"""

import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import check, end  # noqa: E402

library, headers, dump = (os.path.abspath(path) for path in sys.argv[1:4])


def write_dump(path):
    """Only what the headers declare, without lines and folders, which change with the source."""
    subprocess.run(["abidw", "--headers-dir", headers, "--drop-private-types",
                    "--exported-interfaces-only", "--no-show-locs", "--no-corpus-path",
                    "--no-comp-dir-path", "--no-elf-needed", "--type-id-style", "hash",
                    "--out-file", path, library], check=True)


def compare(path, new):
    """The difference between two dumps in words; "" if there is none."""
    done = subprocess.run(["abidiff", path, new], text=True, capture_output=True, check=False)
    return done.stdout + done.stderr if done.returncode else ""


def main():
    if sys.argv[4:] == ["--renew"]:
        write_dump(dump)
        return 0
    with open(dump, encoding="utf-8") as file:
        text = file.read()
    check("vks_simulation_params" in text and "soname='libvksim.so.0'" in text,
          "the dump has the parameters and the soname")
    changes = {
        "a function that is gone": ("name='vks_simulation_draw'", "name='vks_simulation_paint'"),
        "another value": (r"(name='VKS_ERROR_FILE' value=)'4'", r"\1'44'"),
        "another type of a member": (r"(<var-decl name='row_bytes' type-id=)'\w+'", None),
        "another soname": ("libvksim.so.0", "libvksim.so.1"),
    }
    with tempfile.TemporaryDirectory(prefix="vksim-abi-") as folder:
        path, now = os.path.join(folder, "changed.abi"), os.path.join(folder, "now.abi")
        write_dump(now)
        difference = compare(dump, now)
        check(not difference, "the interface is that of the dump", difference,
              "Is the change wanted? See docs/testing.md, The ABI.")
        for name, (pattern, new) in changes.items():
            if new is None:
                other = re.search(r"<var-decl name='width' type-id='(\w+)'", text)[1]
                new = rf"\1'{other}'"
            changed = re.sub(pattern, new, text)
            with open(path, "w", encoding="utf-8") as file:
                file.write(changed)
            check(changed != text and compare(path, dump), f"{name} is noticed")
    return end()


sys.exit(main())

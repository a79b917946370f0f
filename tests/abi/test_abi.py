# SPDX-License-Identifier: MIT
"""test_abi.py LIBRARY PLUGIN HEADERS FOLDER [--renew]: the binary interfaces are those of the
stored dumps.

Compares the types and functions that HEADERS declare in LIBRARY and in a plug-in, which must have
debugging information, with FOLDER/libvksim.abi and plugin.abi (abidiff of libabigail). --renew
writes these instead. TAP output.
"""

import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import check, end  # noqa: E402

library, plugin, headers, dumps = (os.path.abspath(path) for path in sys.argv[1:5])


def write_dump(path, binary=library):
    """Only what the headers declare, without lines and folders, which change with the source."""
    subprocess.run(["abidw", "--headers-dir", headers, "--drop-private-types",
                    "--exported-interfaces-only", "--no-show-locs", "--no-corpus-path",
                    "--no-comp-dir-path", "--no-elf-needed", "--type-id-style", "hash",
                    "--out-file", path, binary], check=True)


def compare(path, new):
    """The difference between two dumps in words; "" if there is none."""
    system = os.path.join(dumps, "system.ini")
    done = subprocess.run(["abidiff", "--suppressions", system, path, new], text=True,
                          capture_output=True, check=False)
    return done.stdout + done.stderr if done.returncode else ""


def check_dump(name, binary, words, changes):
    """The binary's interface is that of the dump, which has the words; the changes, of a pattern
    into a text, would be noticed."""
    dump = os.path.join(dumps, name)
    with open(dump, encoding="utf-8") as file:
        text = file.read()
    check(all(word in text for word in words), f"{name} has {' and '.join(words)}")
    with tempfile.TemporaryDirectory(prefix="vksim-abi-") as folder:
        path, now = os.path.join(folder, "changed.abi"), os.path.join(folder, "now.abi")
        write_dump(now, binary)
        difference = compare(dump, now)
        check(not difference, f"the interface is that of {name}", difference,
              "Is the change wanted? See docs/testing.md, The ABI.")
        for what, (pattern, new) in changes.items():
            if new is None:
                other = re.search(r"<var-decl name='width' type-id='(\w+)'", text)[1]
                new = rf"\1'{other}'"
            changed = re.sub(pattern, new, text)
            with open(path, "w", encoding="utf-8") as file:
                file.write(changed)
            check(changed != text and compare(path, dump), f"{what} is noticed")


def main():
    if sys.argv[5:] == ["--renew"]:
        write_dump(os.path.join(dumps, "libvksim.abi"))
        write_dump(os.path.join(dumps, "plugin.abi"), plugin)
        return 0
    check_dump("libvksim.abi", library, ["vks_simulation_params", "soname='libvksim.so.0'"], {
        "a function that is gone": ("name='vks_simulation_draw'", "name='vks_simulation_paint'"),
        "another value": (r"(name='VKS_ERROR_FILE' value=)'4'", r"\1'44'"),
        "another type of a member": (r"(<var-decl name='row_bytes' type-id=)'\w+'", None),
        "another soname": ("libvksim.so.0", "libvksim.so.1"),
    })
    check_dump("plugin.abi", plugin, ["vks_option", "vks_sorting", "vks_config"], {
        "another place of a member of a row": (
            r"(layout-offset-in-bits=)'\d+'(>\s*<var-decl name='soft_min')", r"\1'8'\2"),
        "another type of a member of the run": (r"(<var-decl name='seed' type-id=)'\w+'",
                                                r"\1'type-id-0'"),
        "another size of a row": (r"(class-decl name='vks_brush' size-in-bits=)'\d+'", r"\1'64'"),
    })
    return end()


sys.exit(main())

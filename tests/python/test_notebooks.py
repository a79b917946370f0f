# SPDX-License-Identifier: MIT
"""test_notebooks.py SOURCE_ROOT NAME [OUTPUT]: executes docs/notebooks/NAME.ipynb, and writes it
with its pictures to OUTPUT. TAP output."""

import os
import shutil
import sys
import tempfile
import time

import nbclient
import nbformat

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import check, end  # noqa: E402

root, name = os.path.abspath(sys.argv[1]), sys.argv[2]
MIN_PICTURES = 4


def kinds(notebook):
    """The kinds of all outputs."""
    return [kind for cell in notebook.cells for output in cell.get("outputs", ())
            for kind in output.get("data", ())]


def main():
    notebook = nbformat.read(os.path.join(root, "docs", "notebooks", name + ".ipynb"), 4)
    nbformat.validate(notebook)
    check(not any(cell.get("outputs") or cell.get("execution_count") for cell in notebook.cells),
          "it is stored without outputs")
    with tempfile.TemporaryDirectory(prefix="vksim-notebook-") as folder:
        work = os.path.join(folder, "docs", "notebooks")
        os.makedirs(work)
        shutil.copy(os.path.join(root, "docs", "me.jpg"), os.path.join(folder, "docs"))
        os.environ["MPLCONFIGDIR"] = folder
        start = time.monotonic()
        try:
            nbclient.NotebookClient(notebook, timeout=200, kernel_name="python3",
                                    resources={"metadata": {"path": work}}).execute()
            text = ""
        except nbclient.exceptions.CellExecutionError as error:
            text = str(error)
        check(not text, "it runs", text)
    print(f"# {name}: {time.monotonic() - start:.0f} s")
    found = kinds(notebook)
    check(found.count("image/png") >= MIN_PICTURES, "it shows pictures", found)
    if len(sys.argv) > 3:
        nbformat.write(notebook, sys.argv[3])
    return end()


sys.exit(main())

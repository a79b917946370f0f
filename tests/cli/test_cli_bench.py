#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_cli_bench.py VKSIM [GROUP]: like test_cli.py (see there), for `vksim bench` and
`vksim scale`."""

import csv
import json
import re
import signal
import subprocess
import sys
from xml.etree import ElementTree

from test_cli import INTERRUPTED, OK, USAGE, default_signals, main

GROUPS = {"bench": "bench_interrupted bench_memory bench_outputs explain_refused",
          "scale": "scale_interrupted scale_left_out"}


def interrupted_at(suite, words, *arguments):
    """Interrupts a run when a message on stderr contains the words: (status, stdout, stderr)."""
    said = ""
    with subprocess.Popen([suite.vksim, *arguments, "--verbose"], env=suite.environment(),
                          cwd=suite.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True,
                          preexec_fn=default_signals) as process:
        for line in process.stderr:
            said += line
            if words in line:
                process.send_signal(signal.SIGINT)
        return process.wait(60), process.stdout.read(), said


# Sixty rows, of which some four are measured.
MANY = ["bench", "copy", "--sizes", ",".join(str(1000 + size) for size in range(20))]
FOURTH = "measuring scalar of copy, 1001"


def test_bench_interrupted(suite):
    suite.succeeds("a ceiling", "bench", "copy", "--sizes", "1000", "--rungs", "four")  # is kept
    status, out, err = interrupted_at(suite, FOURTH, *MANY, "--report", "i.html", "--plot", "i.svg")
    said = re.search(r"interrupted after (\d+) of 60 rows$", err, re.M)
    done = int(said[1]) if said else 0
    rows = [line.split()[:2] for line in out.splitlines() if " us " in line]
    suite.check(status == INTERRUPTED and 4 <= done < 60, "Ctrl-C ends the measurements", status,
                err)
    suite.check(rows[:4] == [["scalar", "1000"], ["four", "1000"], ["loop", "1000"],
                             ["scalar", "1001"]] and len(rows) == done and
                f"INTERRUPTED: {60 - done} more rows were not measured" in out,
                "the rows up to there are printed", out)
    page = suite.read("i.html").decode()
    suite.check(page.count("<tr><th scope=\"row\">scalar</th>") == (done + 2) // 3 and
                f"Interrupted: {60 - done} more rows" in page and "{{" not in page and
                b">scalar<" in suite.read("i.svg"), "and are on the page", page[-3000:])
    status, out, err = interrupted_at(suite, FOURTH, *MANY, "--json")
    found = json.loads(out)
    suite.check(status == INTERRUPTED and found["interrupted"] is True and
                4 <= len(found["rungs"]) < 60 and
                all("seconds" in rung for rung in found["rungs"]), "in JSON", out)
    status, out, err = interrupted_at(suite, FOURTH, *MANY, "--csv")
    table = list(csv.DictReader(out.splitlines()))
    suite.check(status == INTERRUPTED and 4 <= len(table) < 60 and
                all(row["median_s"] for row in table), "as CSV", out)
    status, out, err = interrupted_at(suite, "measuring add", "bench", "all", "--json")
    found = json.loads(out)
    suite.check(status == INTERRUPTED and found["kernels"][0]["kernel"] == "copy" and
                len(found["kernels"]) <= 2, "among all kernels", out[-3000:], err)


def test_bench_memory(suite):
    """Kernels and rungs that do not fit the device's memory do not keep the others from running."""
    status, out, err = suite.run("bench", "all", "--csv", env={
        **suite.scarce_memory(), "MEMORY_LAYER_HEAP": str(3 << 20)}, timeout=300)
    table = list(csv.DictReader(out.splitlines()))
    refused = {(row["kernel"], row["rung"]): row["missing"] for row in table if row["missing"] and
               "memory" in row["missing"] or "the fields need" in row["missing"]}
    suite.check(status == OK and len({row["kernel"] for row in table}) == 19,
                "kernels that fit no memory do not end the others", status, err)
    suite.check({rung for kernel, rung in refused if kernel == "histogram"} ==
                {"atomic", "shared", "four", "copies"} and
                all("1048576x256 elements needs 4.0 MiB" in reason
                    for (kernel, _), reason in refused.items() if kernel == "histogram") and
                "the fields need" in refused["scan", "core"] and ("scan", "several") not in refused,
                "they are listed with the reason", refused)
    suite.check(all(row["median_s"] for row in table if row["verified"] == "1") and
                {row["kernel"] for row in table if row["median_s"]} >=
                {"copy", "transpose", "scan", "sort", "gemm", "stencil", "scatter"},
                "the others are measured", out)
    suite.fails("a kernel alone that does not fit", USAGE, ["histogram", "needs 4.0 MiB"], "bench",
                "histogram", "--quiet", env={**suite.scarce_memory(),
                                             "MEMORY_LAYER_HEAP": str(3 << 20)})


def test_bench_outputs(suite):
    """What the plot, the page and the tables show of rungs that differ in kind."""
    svg = "{http://www.w3.org/2000/svg}"
    sizes = ["--sizes", "16x16x16,32x32x32"]
    found = json.loads(suite.succeeds("products of float16", "bench", "gemm", "--dtype", "float16",
                                      *sizes, "--plot", "g.svg", "--report", "g.html", "--json"))
    measured = {rung["rung"] for rung in found["rungs"] if "seconds" in rung}
    texts = [text.text for text in ElementTree.parse(suite.path("g.svg")).iter(svg + "text")]
    suite.check({"naive", "tile"} <= measured and
                all((name in texts) == (name in measured) for name in
                    ("naive", "tile", "matrix", "staged", "matrix-tuned", "workgroup")) and
                "M \u00d7 N \u00d7 K" in texts, "only measured rungs are in the legend", texts)
    page = suite.read("g.html").decode()
    suite.check("<small>GFLOP/s</small>" in page and page.count("<tbody>") == 3 ==
                page.count("</tbody>") and
                page.count('<td colspan="8">needs ') == 2 * (6 - len(measured)),
                "the page has a unit that fits, sizes apart, and reasons across", page[-4000:])
    rows = suite.succeeds("as a table", "bench", "gemm", "--rungs", "naive,tile,tuned",
                          *sizes).splitlines()
    suite.check("GFLOP/s of float32" in rows[2] and rows[6] == "" and
                [row.split()[0] for row in rows[3:6]] == ["naive", "tile", "tuned"],
                "a table with sizes apart", rows)
    suite.succeeds("many rungs", "bench", "transpose", "--sizes", "16x16,32x32", "--plot", "t.svg")
    drawing = suite.read("t.svg").decode()
    suite.check(drawing.count('"s0 dashed"') > 0 and drawing.count('"s1 dashed"') > 0 and
                '"s2 dashed"' not in drawing, "repeated colours are dashed")
    out = suite.succeeds("as CSV", "bench", "transpose", "--rungs", "rows,tuned", "--sizes",
                         "16x16", "--csv")
    plain, tuned = csv.DictReader(out.splitlines())
    suite.check(not plain["constants"] and re.fullmatch(r"columns=\d+ rows=\d+ order=\d",
                                                        tuned["constants"]) and
                float(plain["min_s"]) <= float(plain["median_s"]) <= float(plain["max_s"]),
                "with constants", out)
    found = json.loads(suite.succeeds("and as JSON", "bench", "transpose", "--rungs", "rows",
                                      "--sizes", "16x16", "--json"))
    suite.check(found["rungs"][0]["may_be_cached"] is True, "which says what a cache may hold",
                found)


def test_explain_refused(suite):
    for option in ("--fresh", "--retune", "--show-tuning", "--json"):
        suite.fails(f"a picture and {option}", USAGE, ["--explain measures nothing", option],
                    "bench", "transpose", "--explain", "a.svg", option)


SCALE = ["scale", "--preset", "plain", "--agents", "100", "--repeats", "5", "--over"]
SIZES = "size=" + ",".join(str(16 * (i + 1)) for i in range(20))


def test_scale_interrupted(suite):
    suite.succeeds("a ceiling", *SCALE, "size=16")  # is kept
    status, out, err = interrupted_at(suite, "size 48: ", *SCALE, SIZES, "--over", "agents=10,20",
                                      "--plot", "s.svg", "--report", "s.html")
    said = re.search(r"interrupted after (\d+) of 22 values$", err, re.M)
    done = int(said[1]) if said else 0
    rows = [line.split() for line in out.splitlines() if re.match(r" +\d+ ", line)]
    suite.check(status == INTERRUPTED and 3 <= done < 20, "Ctrl-C ends the sweep", status, err)
    suite.check([row[0] for row in rows[:3]] == ["16", "32", "48"] and len(rows) == done and
                f"INTERRUPTED: {22 - done} more values were not measured" in out and
                "over agents" not in out, "the points up to there are printed", out)
    page = suite.read("s.html").decode()
    suite.check(f"Interrupted: {22 - done} more values" in page and "{{" not in page and
                "over size" in page and b"llvmpipe" in suite.read("s.svg"),
                "and are on the page", page[-3000:])
    status, out, err = interrupted_at(suite, "agents 10: ", *SCALE, "size=16,32", "--over",
                                      "agents=10,20,30,40,50,60,70,80", "--json")
    found = json.loads(out)
    suite.check(status == INTERRUPTED and found["interrupted"] is True and
                len(found["scaling"][0]["points"]) == 2 and
                1 <= len(found["scaling"][1]["points"]) < 8, "in JSON", out, err)


def test_scale_left_out(suite):
    scarce = {**suite.scarce_memory(), "MEMORY_LAYER_HEAP": str(3 << 20)}
    status, out, err = suite.run(*SCALE, "size=2048,4096", env=scarce)
    suite.check(status == USAGE and "no value of size could be measured; the first: " in err and
                "left out: 2048: " in out, "a sweep without a point is an error", status, out, err)
    status, out, err = suite.run(*SCALE, "size=16,4096", env=scarce)
    suite.check(status == OK and "left out: 4096: " in out, "with one, it is not", status, out, err)


if __name__ == "__main__":
    sys.exit(main(globals(), GROUPS))

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_cli_bench.py VKSIM [NAME...]: `vksim bench` and its ladder of kernels. See suite.py."""

import csv
import json
import os
import re
import sys
from xml.etree import ElementTree

sys.dont_write_bytecode = True
from suite import FILE, INTERRUPTED, OK, USAGE, interrupted_at, main, values  # noqa: E402

SPREAD = ["min", "low_quartile", "median", "high_quartile", "max"]
QUICK = ["dispatch-barrier", "submit", "float32", "atomic-1k"]


def is_spread(value):
    return all(0 < value[a] <= value[b] for a, b in zip(SPREAD, SPREAD[1:])) and \
        value["samples"] > 2


def test_bench(suite):
    listed = suite.succeeds("bench lists what it measures", "bench")
    suite.check("vksim bench ceilings" in listed and "atomic-spread" in listed and
                "(GB/s)" in listed, "names, help and units", listed)
    found = json.loads(suite.succeeds("ceilings as JSON", "bench", "ceilings", *QUICK, "--json"))
    values = {ceiling["name"]: ceiling for ceiling in found["ceilings"]}
    suite.check(sorted(values) == sorted(QUICK) and "llvmpipe" in found["device"]["name"] and
                found["device"]["driver"] and found["device"]["uuid"], "of this device", found)
    suite.check(all(is_spread(value) and value["kept"] is False for value in values.values()) and
                values["submit"]["unit"] == "s" and values["float32"]["unit"] == "FLOP/s" and
                values["float32"]["median"] > 1e8, "with their spread and units", found)
    again = json.loads(suite.succeeds("again", "bench", "ceilings", *QUICK, "read", "--json"))
    both = {ceiling["name"]: ceiling for ceiling in again["ceilings"]}
    suite.check(all(both[name] == {**values[name], "kept": True} for name in QUICK),
                "they are kept", again)
    points = both["read"]["points"]
    suite.check([point["buffer_bytes"] for point in points] == [1 << k for k in range(16, 27)] and
                all(is_spread(point) for point in points) and not both["read"]["kept"] and
                all(points[-1][part] == both["read"][part] for part in SPREAD),
                "buffers of 64 KiB to 64 MiB, the last is the ceiling", again)
    fresh = json.loads(suite.succeeds("--fresh", "bench", "ceilings", "submit", "--fresh",
                                      "--json"))["ceilings"]
    suite.check(len(fresh) == 1 and fresh[0]["kept"] is False, "measures again", fresh)
    rows = suite.succeeds("ceilings as a table", "bench", "ceilings", "read", "float32",
                          "--plot", "c.svg").splitlines()
    cells = [row.split() for row in rows]
    suite.check("ceilings of llvmpipe" in rows[0] and cells[2][0] == "read" and
                cells[2][6] == "GB/s" and
                abs(float(cells[2][1]) / (both["read"]["median"] * 1e-9) - 1) < 0.01 and
                rows[-1].startswith("64.0 MiB") and rows[5].split() == ["buffer", "read"],
                "the same values", rows)
    drawn = suite.read("c.svg").decode()
    ElementTree.fromstring(drawn)
    suite.check(all(text in drawn for text in ("64 KiB", "llvmpipe", ">float32<")) and
                re.search(r"bandwidth \([MG]B/s\)", drawn), "and as a plot", drawn)


def test_bench_refused(suite):
    suite.fails("an unknown benchmark", USAGE, "ceiling", "bench", "ceiling")
    suite.fails("options without a benchmark", USAGE, "vksim bench ceilings", "bench", "--json")
    suite.fails("an unknown ceiling", USAGE, "flaot32", "bench", "ceilings", "copy", "flaot32")
    suite.write("there.svg", "mine")
    suite.fails("a plot that exists", FILE, "--overwrite", "bench", "ceilings", "submit", "--plot",
                "there.svg")
    suite.check(suite.read("there.svg") == b"mine", "is left alone")
    suite.succeeds("--overwrite", "bench", "ceilings", "submit", "--plot", "there.svg",
                   "--overwrite")
    suite.fails("a plot that is no picture", USAGE, "c.pdf", "bench", "ceilings", "--plot",
                "c.pdf")
    suite.fails("a plot as PNG without rsvg-convert", USAGE, "rsvg-convert", "bench", "ceilings",
                "submit", "--plot", "c.png", env=suite.environment(PATH="/nowhere"))
    suite.check(not os.path.exists(os.path.join(suite.folder, "c.png")), "writes nothing")
    suite.fails("no folder for the plot", FILE, "nowhere", "bench", "ceilings", "--plot",
                "nowhere/c.svg")


def test_ladder(suite):
    listed = suite.succeeds("bench lists kernels and rungs", "bench")
    suite.check("vksim bench KERNEL" in listed and "  transpose " in listed and
                "    padded " in listed, "with their help", listed)
    found = json.loads(suite.succeeds("a kernel as JSON", "bench", "transpose", "--sizes",
                                      "1x1000,37x41", "--rungs", "rows,padded", "--json",
                                      "--plot", "t.svg"))
    rungs = found["rungs"]
    copy, = found["ceilings"]
    suite.check([(rung["rung"], rung["size"]) for rung in rungs] ==
                [("rows", "1x1000"), ("padded", "1x1000"), ("rows", "37x41"),
                 ("padded", "37x41")] and
                found["kernel"] == "transpose" and copy["name"] == "copy" and
                found["dtype"] == "uint32" and "llvmpipe" in found["device"]["name"],
                "these rungs at these sizes", found)
    suite.check(all(rung["verified"] is True and is_spread(rung["seconds"]) for rung in rungs),
                "verified and measured", found)
    last = rungs[3]
    rate = 8 * 37 * 41 / last["seconds"]["median"]
    over = rungs[2]["seconds"]["median"] / last["seconds"]["median"]
    suite.check(abs(last["bytes_per_second"] / rate - 1) < 1e-9 and
                last["ceiling"] == "copy" and
                abs(last["of_ceiling"] * copy["median"] / rate - 1) < 1e-9 and
                abs(last["over_first"] / over - 1) < 1e-9 and last["over_before"] ==
                last["over_first"] and "over_before" not in rungs[2], "rate and factors", last)
    drawn = suite.read("t.svg").decode()
    ElementTree.fromstring(drawn)
    suite.check(all(text in drawn for text in ("llvmpipe", ">padded<", ">rows<", "copy")),
                "and as a plot", drawn)
    rows = suite.succeeds("a kernel as a table", "bench", "copy", "--sizes", "1000",
                          "--rungs", "four,scalar").splitlines()
    suite.check(len(rows) == 7 and rows[0].startswith("copy of uint32 on llvmpipe") and
                [row.split()[:2] for row in rows[3:5]] == [["scalar", "1000"], ["four", "1000"]] and
                rows[4].endswith("accesses of 16 bytes") and "*" in rows[4] and
                "may stay in a cache" in rows[6], "in the order of the ladder", rows)
    times = {row.split()[0]: float(row.split()[2]) for row in rows[3:5]}
    suite.check(rows[5].startswith(f"'{min(times, key=times.get)}' is the fastest rung at 1000: ")
                and "% of the ceiling copy" in rows[5], "with the fastest in a sentence", rows)
    text = suite.succeeds("a kernel as CSV", "bench", "add", "--sizes", "1000,77", "--dtype",
                          "float32", "--csv", "--report", "l.html", "--plot", "l.png")
    suite.check(suite.read("l.png")[:8] == b"\x89PNG\r\n\x1a\n" and
                len(suite.read("l.png")) > 10000, "a plot as PNG")
    table = list(csv.DictReader(text.splitlines()))
    suite.check([(row["rung"], row["size"], row["dtype"], row["verified"], row["unit"])
                 for row in table] == [(rung, size, "float32", "1", "B/s")
                                       for size in ("1000", "77")
                                       for rung in ("scalar", "four", "loop")] and
                all(abs(float(row["rate"]) * float(row["median_s"]) / 12 / float(row["size"]) - 1)
                    < 1e-6 for row in table) and not table[3]["over_before"] and
                table[3]["over_first"] == "1", "in units of bytes and seconds", text)
    report, plots = suite.read_page("l.html")
    suite.check(report["kernel"] == "add" and "llvmpipe" in report["device"]["name"] and
                [(rung["rung"], rung["size"]) for rung in report["rungs"]] ==
                [(row["rung"], row["size"]) for row in table] and
                report["rungs"][1]["help"] == "accesses of 16 bytes" and report["help"] and
                report["ceilings"][0]["help"] and len(plots) == 1 and
                ElementTree.fromstring(plots[0]).tag == "{http://www.w3.org/2000/svg}svg",
                "and as a page", report)


def test_explain(suite):
    svg = "{http://www.w3.org/2000/svg}"
    for rung, degree, finding in (
            ("tile", "32", "loads have up to 32-way bank conflicts: 32 cycles per request "
                           "instead of 1."),
            ("padded", None, "no bank of shared memory has a conflict")):
        suite.succeeds(f"a picture of {rung}", "bench", "transpose", "--rungs", rung, "--explain",
                       f"{rung}.svg")
        root = ElementTree.parse(suite.path(f"{rung}.svg")).getroot()
        texts = [label.text for label in root.iter(svg + "text")]
        degrees = [label.text for label in root.iter(svg + "text")
                   if "degree" in label.get("class").split()]
        suite.check(any(finding in text for text in texts), f"{rung}: its finding", texts)
        suite.check(degrees == ([degree] if degree else []), f"{rung}: its degree", degrees)
        yellow = [path for path in root.iter(svg + "path") if path.get("class") == "cells clash"]
        suite.check(len(yellow) == (1 if degree else 0), f"{rung}: yellow cells")
        for name in ("source", "tile", "result", "Time line", "4 sectors per request"):
            suite.check(name in texts, f"{rung}: {name}", texts)
    suite.succeeds("pictures on a page", "bench", "transpose", "--rungs", "rows,tile", "--sizes",
                   "64x96", "--explain", "rungs.html")
    report, pictures = suite.read_page("rungs.html")
    suite.check(report["kernel"] == "transpose" and
                [rung["rung"] for rung in report["rungs"]] == ["rows", "tile"] and
                all(ElementTree.fromstring(picture).tag == svg + "svg" for picture in pictures) and
                len(pictures) == 2, "two pictures", report)
    suite.check({"array": "result", "access": "stores", "requests": 2, "cost": 64, "at_least": 8,
                 "unit": "sectors"} in report["rungs"][0]["requests"] and
                any(row["degree"] == 32 for row in report["rungs"][1]["requests"]
                    if row["array"] == "tile"), "with their requests", report)
    suite.check(all(is_spread(rung["seconds"]) for rung in report["rungs"]) and
                "void main()" in report["rungs"][1]["shaders"][0]["lines"], "times and shaders",
                report)
    suite.succeeds("a picture of reuse", "bench", "gemm", "--rungs", "naive", "--sizes",
                   "128x128x128", "--explain", "naive.svg")
    root = ElementTree.parse(suite.path("naive.svg")).getroot()
    texts = [label.text for label in root.iter(svg + "text")]
    dots = [dot.get("class") for dot in root.iter(svg + "circle")]
    suite.check("right: each element is read 128 times, by 8 requests of the workgroup, by 16 "
                "workgroups." in texts and
                "left: each element is read 128 times, by 32 lanes of a request, by 4 workgroups."
                in texts and dots == ["dot good", *["dot clash"] * 4, "dot good"],
                "its finding is not only green", texts, dots)
    suite.fails("a picture that exists", FILE, "--overwrite", "bench", "transpose", "--explain",
                "tile.svg")
    suite.succeeds("--overwrite", "bench", "transpose", "--rungs", "rows", "--explain", "tile.svg",
                   "--overwrite")
    suite.fails("a picture of another kind", USAGE, "a.png", "bench", "copy", "--explain",
                "a.png")
    suite.fails("no folder for the picture", FILE, "nowhere", "bench", "copy", "--explain",
                "nowhere/a.svg")
    suite.fails("a picture and a plot", USAGE, "--plot", "bench", "copy", "--explain", "a.svg",
                "--plot", "b.svg")
    suite.fails("two sizes in a picture", USAGE, "one size", "bench", "copy", "--explain", "a.svg",
                "--sizes", "100,200")
    suite.fails("a rung without a record", USAGE, "elements", "bench", "first-column", "--rungs",
                "elements", "--explain", "a.svg")
    suite.fails("pictures of all", USAGE, "--explain", "bench", "all", "--explain", "a.svg")
    suite.fails("pictures of ceilings", USAGE, "--explain", "bench", "ceilings", "--explain",
                "a.svg")


def test_ladder_refused(suite):
    suite.fails("an unknown kernel", USAGE, "transpos", "bench", "transpos")
    suite.fails("an unknown rung", USAGE, "tiel", "bench", "transpose", "--rungs", "rows,tiel")
    for size in ("", "0", "5x", "x5", "five", "1x1,", "-1x1", "99999999999x1", "7"):
        suite.fails(f"the size '{size}'", USAGE, "WIDTHxHEIGHT", "bench", "transpose", "--sizes",
                    size)
    suite.fails("a matrix as a vector", USAGE, "ELEMENTS", "bench", "copy", "--sizes", "5x5")
    suite.fails("too many sizes", USAGE, "more than 64", "bench", "copy", "--sizes",
                ",".join(["1"] * 65))
    suite.fails("a size that does not fit", USAGE, "needs a buffer of 8.0 GiB", "bench", "copy",
                "--sizes", "2147483644")
    suite.fails("too many rows", USAGE, "524280 rows", "bench", "transpose", "--sizes",
                "1x524281")
    suite.fails("a matrix too large for indices", USAGE, "more than 2^31 elements", "bench",
                "transpose", "--sizes", "65536x65537")
    suite.fails("a type that the kernel does not take", USAGE, "float32", "bench", "copy",
                "--dtype", "float32")
    suite.fails("JSON and CSV", USAGE, "exclude each other", "bench", "copy", "--json", "--csv")
    suite.fails("sizes of all kernels", USAGE, "--sizes", "bench", "all", "--sizes", "5")
    suite.fails("CSV of ceilings", USAGE, "--csv", "bench", "ceilings", "--csv")
    suite.fails("no folder for the page", FILE, "nowhere", "bench", "copy", "--report",
                "nowhere/l.html")
    suite.fails("a page and a plot in one file", USAGE, "--plot", "bench", "copy", "--plot",
                "l.svg", "--report", "./l.svg")
    suite.fails("two kernels", USAGE, "add", "bench", "copy", "add")
    suite.fails("sizes of ceilings", USAGE, "--sizes", "bench", "ceilings", "--sizes", "5")
    suite.fails("no folder for the plot of a kernel", FILE, "nowhere", "bench", "copy", "--plot",
                "nowhere/c.svg")
    suite.fails("a kernel's plot that is no picture", USAGE, ".svg", "bench", "copy", "--plot",
                "c.jpg")


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
    report, _ = suite.read_page("i.html")
    suite.check(len(report["rungs"]) == done and report["interrupted"] is True and
                report["left"] == 60 - done and b">scalar<" in suite.read("i.svg"),
                "and are on the page", report)
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


@values
def test_bench_memory(suite):
    """Kernels and rungs that do not fit the device's memory do not keep the others from running."""
    status, out, err = suite.run("bench", "all", "--csv", env={
        **suite.scarce_memory(), "MEMORY_LAYER_HEAP": str(3 << 20)}, timeout=300)
    table = list(csv.DictReader(out.splitlines()))
    refused = {(row["kernel"], row["rung"]): row["missing"] for row in table if row["missing"] and
               "memory" in row["missing"] or "the fields need" in row["missing"]}
    suite.check(status == OK and len({row["kernel"] for row in table}) == 20,
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
    suite.fails("a kernel alone that does not fit", USAGE, "histogram", "bench", "histogram",
                "--quiet", env={**suite.scarce_memory(), "MEMORY_LAYER_HEAP": str(3 << 20)})


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
    report, _ = suite.read_page("g.html")
    suite.check(report == found and
                len([rung for rung in found["rungs"] if rung.get("missing")]) ==
                2 * (6 - len(measured)), "the page has the JSON, with what is missing", report)
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
        suite.fails(f"a picture and {option}", USAGE, "--explain", "bench", "transpose",
                    "--explain", "a.svg", option)


if __name__ == "__main__":
    sys.exit(main(globals()))

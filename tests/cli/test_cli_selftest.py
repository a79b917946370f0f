#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_cli_selftest.py VKSIM [NAME...]: vksim selftest, on devices with exactly what vksim needs,
on one that computes wrongly, and its report. See suite.py."""

import getpass
import json
import os
import re
import socket
import sys

sys.dont_write_bytecode = True
from suite import DEVICE, FILE, OK, STOPPED, USAGE, main, values  # noqa: E402

SIMULATIONS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../src/sim")
GROUPS = ["operations", "functions", "memory", "primitives", "simulations", "pictures", "soak"]


def groups(text):
    """{group: (passed, rows)} of the first device."""
    return {name: (int(passed), int(count)) for name, passed, count in
            re.findall(r"^  (\w+) +(\d+) of +(\d+) passed .* values ", text, re.M)}


def report(suite, name):
    """The rows of the first device in a report, by group and name."""
    device = json.loads(suite.read(name))["devices"][0]
    return device, {(row["group"], row["row"]): row for row in device["rows"]}


def test_groups(suite):
    out = suite.succeeds("three groups", "selftest", "soak", "memory", "operations")
    found = groups(out)
    suite.check(list(found) == [GROUPS[0], GROUPS[2], GROUPS[6]] and
                all(passed == count > 0 for passed, count in found.values()) and
                " passed in " in out, "they run in their order", out)


@values
def test_floor(suite):
    """Every group but the long run passes on devices that have what vksim needs and no more, and
    the validation layers are silent. Both drivers compute the same digests."""
    digests = []
    for driver in ("lavapipe", "swiftshader"):
        env = suite.environment(driver, VKSIM_FLOOR="floor")
        out = suite.succeeds(f"{driver}: validation", "selftest", *GROUPS[:-1], "--save",
                             f"{driver}.json", "--validate", env=env, timeout=400)
        found = groups(out)
        suite.check(list(found) == GROUPS[:-1] and
                    all(passed == count > 0 for passed, count in found.values()), driver, out)
        device, rows = report(suite, f"{driver}.json")
        absent = [name for (_, name), row in rows.items() if row["result"] == "absent"]
        suite.check(device["subgroups"] == [0, 0] and device["offers"] == "windows" and
                    absent and all("variant=" in name for name in absent),
                    f"{driver}: only variants with shuffles are absent", absent)
        digests.append({name: row.get("digest") for name, row in rows.items()})
    suite.check(digests[0] == digests[1], "equal digests",
                [name for name in digests[0] if digests[0][name] != digests[1].get(name)])


@values
def test_variants(suite):
    """Where shuffles are offered, their variants pass as well. Each simulation has runs."""
    out = suite.succeeds("all variants", "selftest", "simulations", "--save", "all.json")
    _, rows = report(suite, "all.json")
    suite.check("absent" not in out and all(row["result"] == "passed" for row in rows.values()) and
                any("variant=fused" in name for _, name in rows), "they pass", out)
    models = {entry.name.replace("_", "-") for entry in os.scandir(SIMULATIONS) if entry.is_dir()}
    suite.check(models == {name.split(",")[0] for _, name in rows}, "each simulation", models)


def test_wrong_driver(suite):
    """A compiler that takes one instruction for another: the rows that contain it say so, with the
    input and the bits."""
    number = r"[0-9a-f]{8}( \([^)]*\))?"
    several = rf"{number}(, {number})*"
    for name, wrong, group, row, failed in (
            ("signed products", "151:152", "operations", "64-bit products of words", 1),
            ("sums that are differences", "129:131", "operations", "a + b", 2),
            ("signed minima", "237:236", "memory", "atomicMin", 1)):
        got, out, err = suite.run("selftest", group, "--save", "wrong.json", "--overwrite",
                                  env={**suite.scarce_memory(), "MEMORY_LAYER_WRONG": wrong})
        rows = groups(out)
        lines = re.findall(r"^    failed: (.*)$", out, re.M)
        suite.check(got == STOPPED and f"{failed} of {rows[group][1]} rows failed" in err and
                    rows[group][0] == rows[group][1] - failed == rows[group][1] - len(lines),
                    f"{name}: {failed} fail", out, err)
        found = [line for line in lines if line.startswith(row + ": ")]
        place = f"for {several}" if group == "operations" else r"word \d+ of the words"
        good = re.compile(rf"{re.escape(row)}: {place}: expected {several}, found {several}(;|$)")
        suite.check(len(found) == 1 and good.match(found[0]), f"{name}: bits", *lines)
        _, rows = report(suite, "wrong.json")
        suite.check(rows[group, row]["result"] == "failed" and
                    rows[group, row]["why"] in found[0], f"{name}: the report has them", rows)


def test_report(suite):
    """It has what tells devices apart, and nothing of the user."""
    out = suite.succeeds("saved", "selftest", "primitives", "--save", "report.json")
    device, rows = report(suite, "report.json")
    suite.check(re.search(r"Attach 'report\.json' to an issue named \"selftest: llvmpipe", out),
                "it says what to do with it", out)
    suite.check(sorted(device) == ["device", "driver", "id", "lacks", "limits", "memory_types",
                                   "offers", "rows", "subgroups", "vendor", "vulkan"] and
                "llvmpipe" in device["device"] and device["memory_types"] and
                device["limits"]["maxPerStageDescriptorStorageBuffers"] >= 24,
                "device, driver, limits and memory", device)
    suite.check(all(re.fullmatch(r"[0-9a-f]{32}", row["digest"]) and row["seconds"] >= 0
                    for row in rows.values()), "digests and times", rows)
    text = suite.read("report.json").decode()
    uuid = json.loads(suite.succeeds("devices", "devices", "--json"))[0]["uuid"]
    personal = [socket.gethostname(), getpass.getuser(), suite.folder, os.path.expanduser("~"),
                uuid, "/"]
    # Some of these are parts of ordinary words, such as a user called root.
    suite.check(not [word for word in personal if word and
                     re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text)],
                "no computer, user, path or UUID", text)


def test_lacking(suite):
    """A device that lacks something is in the report with what it lacks."""
    got, out, err = suite.run("selftest", "--save", "core.json",
                              env=suite.environment(VKSIM_FLOOR="core"))
    device, rows = report(suite, "core.json")
    suite.check(got == DEVICE and "24 storage buffers" in out and "lacks what vksim needs" in err,
                "exit code 3", out, err)
    suite.check("workgroups of 256" in device["lacks"] and not rows, "the report", device)


def test_wrong_input(suite):
    suite.write("there.json", "{}")
    for name, status, subject, arguments in (
            ("an unknown group", USAGE, "'colours'", ["colours"]),
            ("short and long", USAGE, "--long", ["--short", "--long"]),
            ("a report that exists", FILE, "there.json", ["memory", "--save", "there.json"]),
            ("no folder", FILE, "none/a.json", ["memory", "--save", "none/a.json"]),
            ("no such device", DEVICE, "--device", ["--device", "radeon"])):
        suite.fails(name, status, subject, "selftest", *arguments)
    suite.check(suite.read("there.json") == b"{}" and not suite.left_over(), "nothing is written")
    suite.succeeds("replaced", "selftest", "primitives", "--save", "there.json", "--overwrite")
    got, out, _ = suite.run("selftest", "--help")
    suite.check(got == OK and "--save" in out and "GROUP" in out, "its help", out)


sys.exit(main(globals()))

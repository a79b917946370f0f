#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""count_tests.py [--need SUITE,...] NAME=BUILD_FOLDER...: adds up what `meson test` logged.

Each TAP line counts as one test; so does a test program that fails as a whole (a crash, a
timeout), and a run without a log. Prints one line per run and the failures, with the last lines of
each, and ends with `N passed, N failed`. Exit status 1 if anything failed or was skipped, if
nothing passed, or if a suite that the first run needs is empty.

A run's folder may hold meson-logs/status with the exit status of `meson test`.
"""

import argparse
import collections
import itertools
import json
import pathlib
import sys
import xml.etree.ElementTree

GOOD = ("OK", "EXPECTEDFAIL")
Count = collections.namedtuple("Count", "passed failed skipped")
LINES = 12  # of what a failure printed


def subtests(folder):
    """{test name in the JSON log: [(subtest, 'passed', 'failed' or 'skipped')]} of TAP tests."""
    result = {}
    root = xml.etree.ElementTree.parse(folder / "meson-logs" / "testlog.junit.xml").getroot()
    for suite in root.iter("testsuite"):
        for case in suite.iter("testcase"):
            verdict = "passed"
            if case.find("failure") is not None or case.find("error") is not None:
                verdict = "failed"
            elif case.find("skipped") is not None:
                verdict = "skipped"
            result.setdefault(suite.get("name"), []).append((case.get("name"), verdict))
    return result


def logged(folder):
    """The tests of the JSON log, which has all, including those that crashed or timed out."""
    with open(folder / "meson-logs" / "testlog.json", encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def last_words(test):
    """What the test printed of each subtest that failed, or last of all if it names none."""
    lines = (test["stdout"] or "").splitlines()
    failed = [i for i, line in enumerate(lines) if line.startswith("not ok")]
    if not failed:
        return (lines + test.get("stderr", "").splitlines())[-LINES:]
    words = []
    for start in failed:
        comments = itertools.takewhile(lambda line: line.startswith("#"), lines[start + 1:])
        words += [lines[start], *list(comments)[-LINES:]]
    return words


def count_run(name, folder):
    """Counts one run; prints what failed or was skipped. Returns the count and {suite: passed}."""
    try:
        tests, cases = logged(folder), subtests(folder)
    except (OSError, ValueError, xml.etree.ElementTree.ParseError) as error:
        print(f"  {name}: no test log, so the build or the run failed ({error})")
        return Count(0, 1, 0), {}
    total = collections.Counter()
    suites = collections.Counter()
    for test in tests:
        # "project:suite / test" or "suite / test"; the JUnit log calls it "project.NAME".
        inner = next((found for key, found in cases.items()
                      if key.endswith("." + test["name"])), [])
        verdicts = collections.Counter(verdict for _, verdict in inner)
        if test["result"] == "SKIP":
            verdicts["skipped"] = max(verdicts["skipped"], 1)
        elif test["result"] not in GOOD:
            verdicts["failed"] = max(verdicts["failed"], 1)
        elif not inner:
            verdicts["passed"] = 1
        total += verdicts
        for suite in test["name"].rpartition(" / ")[0].split(":")[-1].split("+"):
            suites[suite] += verdicts["passed"]
        if verdicts["failed"] or verdicts["skipped"]:
            print(f"  {name}: {test['name']}: {test['result']}")
            for case, verdict in inner:
                if verdict == "skipped":
                    print(f"    skipped: {case}")
            if verdicts["failed"]:
                for line in last_words(test):
                    print(f"    {line}")
    status = folder / "meson-logs" / "status"
    if status.exists() and status.read_text().strip() != "0" and not total["failed"]:
        print(f"  {name}: meson test ended with status {status.read_text().strip()}")
        total["failed"] += 1
    return Count(total["passed"], total["failed"], total["skipped"]), suites


def main():
    parser = argparse.ArgumentParser(description="Adds up the logs of `meson test`.")
    parser.add_argument("--need", default="", help="suites that the first run must not leave empty")
    parser.add_argument("runs", nargs="+", metavar="NAME=BUILD_FOLDER")
    arguments = parser.parse_args()

    counts = []
    empty = []
    for index, run in enumerate(arguments.runs):
        name, _, folder = run.partition("=")
        count, suites = count_run(name, pathlib.Path(folder))
        print(f"{name}: {count.passed} passed, {count.failed} failed, {count.skipped} skipped")
        counts.append(count)
        if index == 0:
            empty = [need for need in arguments.need.split(",") if need and not suites.get(need)]
    for suite in empty:
        print(f"  no test of the suite '{suite}' has passed: a test that never ran is a failure")

    passed = sum(count.passed for count in counts)
    failed = sum(count.failed for count in counts) + len(empty)
    skipped = sum(count.skipped for count in counts)
    if skipped:
        print(f"{skipped} skipped: a test that never ran is a failure")
    print(f"{passed} passed, {failed} failed", flush=True)
    return 1 if failed or skipped or not passed else 0


if __name__ == "__main__":
    sys.exit(main())

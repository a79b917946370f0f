# SPDX-License-Identifier: MIT
"""Test Anything Protocol on standard output, for the tests written in Python."""

checks = 0
failures = 0


def check(good, name, *details):
    """One test; the details are printed if it failed. Returns `good`."""
    global checks, failures
    checks += 1
    failures += not good
    name = name.replace("#", "").replace("\n", " ")
    print(f"{'ok' if good else 'not ok'} {checks} - {name}", flush=True)
    if not good:
        for line in "\n".join(str(detail) for detail in details).splitlines():
            print(f"# {line}", flush=True)
    return good


def end():
    """The plan. Returns the exit status."""
    print(f"1..{checks}")
    return 1 if failures else 0

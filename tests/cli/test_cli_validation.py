#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_cli_validation.py VKSIM [NAME...]: validation layers, and failures of a driver. See
suite.py."""

import re
import sys

sys.dont_write_bytecode = True
from suite import GPU, OK, SMALL, VALIDATION, main  # noqa: E402


def test_validation(suite):
    suite.succeeds("a state to load", *SMALL, "--steps", 3, "--out", "none", "--save-state",
                   "v.npz")
    for driver in ("lavapipe", "swiftshader"):
        for kind in ("--validate", "--validate=sync", "--validate=gpu"):  # the first is core
            for arguments in ([*SMALL, "--diffuse-size", 7, "--init", "ring"],
                              ["--headless", "--load-state", "v.npz", "--timings"]):
                status, out, err = suite.run(*arguments, "--steps", 30, "--steps-per-frame", 4,
                                             "--out", "v.mp4", "--overwrite", "--quiet",
                                             "--save-state", "w.npz", "--digest", kind,
                                             env=suite.environment(driver))
                suite.check(status == OK and not err and "digest" in out,
                            f"{driver}: {kind} is silent: {arguments[-1]}", status, err)
            if kind != "--validate" and driver == "swiftshader":
                continue  # cells of a grid have the passes of a run
            status, out, err = suite.run(*SMALL, "--vary", "seed=1,2", "--vary-rows", "gamma=0.5,1",
                                         "--frames", 8, "--out", "v.mp4", "--collage", "2x2",
                                         "--overwrite", "--quiet", "--digest", kind,
                                         env=suite.environment(driver))
            suite.check(status == OK and not err and "digest" in out,
                        f"{driver}: {kind} is silent: a grid", status, err)


def test_failures(suite):
    """Failures during the run: validation messages, and lack of memory."""
    # Best-practice advice counts as a message, under either name of the layer's setting.
    env = suite.environment(VK_LAYER_ENABLES="VK_VALIDATION_FEATURE_ENABLE_BEST_PRACTICES_EXT",
                            VK_KHRONOS_VALIDATION_VALIDATE_BEST_PRACTICES="true")
    status, out, err = suite.run(*SMALL, "--frames", 2, "--out", "none", "--validate", "--digest",
                                 env=env)
    suite.check(status == VALIDATION and "vksim: validation: " in err and "digest" in out and
                re.search(r"^vksim: \d+ validation messages?$", err, re.M),
                "a message makes the exit code 6", status, err)
    # The device reports more memory than it turns out to have.
    status, _, err = suite.run("--headless", "--size", "1024x1024", "--steps", 0, "--out", "none",
                               env=suite.scarce_memory(piece=2))
    suite.check(status == GPU and re.search(
        r"^vksim: the field '\w+' needs .*iB, more than is free of .* on llvmpipe.* --size", err,
        re.M) and err.count("--size") == 1, "no memory for a field", status, err)


if __name__ == "__main__":
    sys.exit(main(globals()))

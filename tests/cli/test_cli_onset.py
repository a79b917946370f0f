#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_cli_onset.py VKSIM [NAME...]: `vksim onset`. See suite.py."""

import json
import math
import re
import signal
import sys
from xml.etree import ElementTree

sys.dont_write_bytecode = True
from suite import FILE, INTERRUPTED, OK, USAGE, interrupted, main, values  # noqa: E402

# The density of the preset default.
ONSET = ["onset", "--size", "128x128", "--agents", 7031]
TINY = ["onset", "--size", "64x64", "--agents", 1758, "--seed", 3]
# Covariances of front, left and right after the spin-up of TINY, by a model in NumPy.
COVARIANCE = {
    "nearest": [[0.3859122292224805, 0.07163691071094307, 0.06786812903302715],
                [0.07163691071094307, 0.38067809102737765, 0.020600589558455142],
                [0.06786812903302715, 0.020600589558455142, 0.37372714919195027]],
    "bilinear": [[0.28933643190307234, 0.0771457321131795, 0.0768329447237854],
                 [0.0771457321131795, 0.2533299879427136, 0.03613188968654625],
                 [0.0768329447237854, 0.03613188968654625, 0.25931218944492446]],
}


def read(suite, name, *arguments, **more):
    return json.loads(suite.succeeds(name, *arguments, "--json", "--quiet", **more))


def test_covariance(suite):
    for sampling, expected in COVARIANCE.items():
        got = read(suite, sampling, *TINY, "--sampling", sampling)
        wrong = max(abs(a - b) for row, rows in zip(got["covariance"], expected)
                    for a, b in zip(row, rows))
        suite.check(wrong < 1e-9 and got["spin_up"] == 60 and got["seeds"] == 0 and
                    got["options"]["init"] == "random" and len(got["modes"]) == 32 and
                    "measured" not in got["modes"][0], f"covariance, {sampling}", wrong, got)


@values
def test_holds(suite):
    """The theory has no parameter to fit: within 10 % after 5 steps, 30 % after 10; the wavelength
    of the pattern within 20 %, or the next mode."""
    cases = {"default": (7031, "3:12"), "network": (5000, "1:6"), "silk": (4906, "1:12")}
    for preset, (agents, modes) in cases.items():
        got = read(suite, preset, "onset", "--preset", preset, "--size", "128x128", "--agents",
                   agents, "--modes", modes, "--measure", 4)
        wrong = []
        for row in got["modes"]:
            for time, limit in ((0, 0.1), (1, 0.3)):
                theory, error = row["responses"][time], row["measured_error"][time]
                slack = limit * abs(theory) + 3 * error
                if not abs(row["measured"][time] - theory) < slack or not 0 < error < 0.2:
                    wrong.append((row["mode"], time, row["measured"][time], theory, error))
        suite.check(not wrong, f"{preset}: responses", wrong)
        mode, fastest = (128 / got[key] for key in ("pattern_wavelength", "fastest_wavelength"))
        suite.check(abs(mode - fastest) < max(0.2 * fastest, 1.01) and got["pattern_growth"] > 4,
                    f"{preset}: wavelength", mode, fastest, got["pattern_growth"])
        suite.check(got["agreement"][0]["theory_differs"] == 0 and
                    got["agreement"][0]["modes"] == len(got["modes"]) and
                    (preset == "network") == (got["toy_misses"] + got["toy_claims"] == 0),
                    f"{preset}: agreement", got["agreement"])
    # silk turns away from the trail: what grows also oscillates.
    suite.check(any(row["period"] and row["rate"] > 0 and row["responses"][1] < -0.1 and
                    row["measured"][1] < -0.1 for row in got["modes"]), "silk: oscillates", got)


def test_blind(suite):
    """Without steering the trail of a wave only diffuses and decays: every response is known to
    rounding, whatever the agents do."""
    got = read(suite, "no steering", *TINY, "--turn-angle", 0, "--measure", 2, "--modes", "1:16/6")
    wrong = []
    for row in got["modes"]:
        k = 2 * math.pi * row["mode"] / 64
        factor = 0.9 * (0.6 + 0.4 * (1 + 2 * math.cos(k)) / 3)
        for steps, measured, theory in zip(got["steps"], row["measured"], row["responses"]):
            if (not abs(measured - factor ** steps) < 1e-4 or
                    not abs(theory - factor ** steps) < 1e-9):
                wrong.append((row["mode"], steps, measured, theory, factor ** steps))
    suite.check(not wrong and [row["mode"] for row in got["modes"]] == [1, 4, 7, 10, 13, 16],
                "every response", wrong, got["modes"])


@values
def test_drivers(suite):
    """All that is read is exact, so the reports are equal to the last digit."""
    words = [*TINY, "--measure", 1, "--modes", "1:8"]
    got = [read(suite, driver, *words, env=suite.environment(driver))
           for driver in ("lavapipe", "swiftshader")]
    device = [one.pop("device") for one in got]
    suite.check(got[0] == got[1] and device[0] != device[1], "equal reports", *got)


def test_report(suite):
    out = suite.succeeds("table and plot", *TINY, "--measure", 2, "--modes", "2:8", "--plot",
                         "p.svg")
    rows = [line.split() for line in out.splitlines()]
    first = [row for row in rows if row and row[0].isdigit() and len(row) == 7]
    second = [row for row in rows if row and row[0].isdigit() and len(row) == 14]
    suite.check([int(row[0]) for row in first] == [*range(2, 9)] == [int(row[0]) for row in second],
                "the rows", out)
    for words in (r"^fastest wavelength: [\d.]+ cells, rate 0\.\d+ per step, doubles in [\d.]+ st",
                  r"^growing band: \d of 7 modes, wavelengths [\d.]+ to [\d.]+ cells$",
                  r"^two-by-two model: alpha gamma > beta kappa agrees with the theory about ",
                  r"^valid for the first 10 to 20 steps after the pattern starts$",
                  r"^after 5 steps: the theory is off by more than 30 % for \d of 7 modes, the ",
                  r"^pattern after 30 steps: power has grown most at [\d.]+ cells"):
        suite.check(re.search(words, out, re.M), f"says {words}", out)
    plot = ElementTree.fromstring(suite.read("p.svg"))
    words = [text.text for text in plot.iter("{http://www.w3.org/2000/svg}text")]
    suite.check({"linear theory", "two-by-two model", "measured, steps 5 to 10",
                 "wavelength (cells)", "growth rate (per step)",
                 "Amplitude of waves after 20 steps"} <= set(words), "the plot", words)
    suite.fails("a plot that exists", FILE, "--overwrite", *TINY, "--plot", "p.svg")
    out = suite.succeeds("another plot", *TINY, "--plot", "p.svg", "--overwrite")
    suite.check("Amplitude" not in out and "after 5 steps" not in out, "no measurement", out)
    out = suite.succeeds("stable", *TINY, "--jitter", 150, "--modes", "5:5")
    suite.check("growing band: none of these modes: the uniform state is stable" in out,
                "nothing grows", out)
    out = suite.succeeds("short waves", *TINY, "--sensor-distance", 60, "--modes", "20:32/4")
    suite.check(out.count("too short for this theory's") == 4 and
                "choose smaller --modes" in out, "waves that are too short", out)
    got = read(suite, "a rectangle", "onset", "--size", "96x40", "--agents", 900, "--spin-up", 7)
    suite.check(got["spin_up"] == 7 and [row["wavelength"] for row in got["modes"][:3]] ==
                [96, 48, 32], "a rectangle", got)


def test_refused(suite):
    rows = [
        ("another simulation", "gas", ["gas"]),
        ("an option of another simulation", "--feed", ["--feed", 0.03]),
        ("an option of a run", "--frames", ["--frames", 3]),
        ("jones", "--steering", ["--steering", "jones"]),
        ("species", "--species", ["--species", 2]),
        ("a gain", "--turn-angle-gain", ["--turn-angle-gain", 5]),
        ("a preset with gains", "--step-size-gain", ["--preset", "swell"]),
        ("a second point", "--blend-to", ["--blend-to", "silk"]),
        ("a lifetime", "--lifetime", ["--lifetime", 100]),
        ("crowds that deposit less", "--deposit-power", ["--deposit-power", 0.5]),
        ("a boundary", "--boundary", ["--boundary", "zero"]),
        ("a wide diffusion", "--diffuse-size", ["--diffuse-size", 5]),
        ("no deposit", "--deposit", ["--deposit", 0]),
        ("no trail", "--decay", ["--decay", 1]),
        ("no distance", "--sensor-distance", ["--sensor-distance", 0]),
        ("no angle", "--sensor-angle", ["--sensor-angle", 0]),
        ("sensors behind", "--sensor-angle", ["--sensor-angle", 180]),
        ("a disc", "--init", ["--init", "disc"]),
        ("modes in words", "--modes", ["--modes", "all"]),
        ("one mode", "--modes", ["--modes", "5"]),
        ("modes from 0", "--modes", ["--modes", "0:5"]),
        ("modes in reverse", "--modes", ["--modes", "9:3"]),
        ("modes under two cells", "--modes", ["--modes", "1:33"]),
        ("a mode and a half", "--modes", ["--modes", "1:2.5"]),
        ("more than there are", "--modes", ["--modes", "1:4/5"]),
        ("no modes", "--modes", ["--modes", "1:4/0"]),
        ("modes with a rest", "--modes", ["--modes", "1:4/2x"]),
        ("too many modes", "--modes", ["--size", "4096x8", "--modes", "1:2048"]),
        ("a spin-up of 0", "--spin-up", ["--spin-up", 0]),
        ("a spin-up in words", "--spin-up", ["--spin-up", "long"]),
        ("too many seeds", "--measure", ["--measure", 5000]),
        ("a rectangle", "--size", ["--size", "64x32", "--measure", 1]),
        ("a picture", "p.gif", ["--plot", "p.gif"]),
    ]
    for name, subject, arguments in rows:
        suite.fails(name, USAGE, subject, *TINY, *arguments)
    suite.fails("a folder that is not there", FILE, "nowhere", *TINY, "--plot", "nowhere/p.svg")
    suite.fails("one agent, whose sensors see nothing", USAGE, "more agents", "onset", "--size",
                "512x512", "--agents", 1, "--decay", 0.9, "--diffuse", 0, "--sensor-distance", 50,
                "--quiet")


def test_interrupted(suite):
    status, seconds, err = interrupted(suite, ["--spin-up", "100000000", "--plot", "i.svg"],
                                       [signal.SIGINT], command=[str(word) for word in TINY])
    suite.check(status == INTERRUPTED and seconds < 10 and not suite.left_over(), "Ctrl-C", status,
                seconds, err)


if __name__ == "__main__":
    sys.exit(main(globals()))

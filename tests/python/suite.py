# SPDX-License-Identifier: MIT
"""What the tests of the Python module share: unittest with TAP output."""

import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import check, end  # noqa: E402


class Result(unittest.TestResult):
    """Prints a line per test."""

    def addSuccess(self, test):
        super().addSuccess(test)
        check(True, test.id())

    def addFailure(self, test, err):
        super().addFailure(test, err)
        check(False, test.id(), self.failures[-1][1])

    def addError(self, test, err):
        super().addError(test, err)
        check(False, test.id(), self.errors[-1][1])

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err:
            check(False, subtest.id(), self._exc_info_to_string(err, test))

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        check(False, test.id(), f"skipped: {reason}")


def main(*cases, only=()):
    """Runs the tests of the cases, or only those with these names, and ends the process."""
    load = unittest.defaultTestLoader.loadTestsFromTestCase
    tests = [test for case in cases for test in load(case)
             if not only or test.id().rpartition(".")[2] in only]
    unittest.TestSuite(tests).run(Result())
    sys.exit(end())

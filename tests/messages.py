# SPDX-License-Identifier: MIT
"""messages.golden: the message of every run that must fail. The tests themselves quote only the
exit code and the option or file that the message names.

A block per test has the names of its checks, each followed by its message, which is indented. In a
message, * stands for what depends on the machine. It is written manually; --renew keeps messages
that still match. With --renew as their last argument, test programs write the messages of the tests
that they run.
"""

import os
import re

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "messages.golden")


def matches(golden, sentence):
    pattern = ".*".join(re.escape(part) for part in golden.split("*"))
    return re.fullmatch(pattern, sentence, re.DOTALL) is not None


class Messages:
    """The sentences of one program of tests."""

    def __init__(self, program, renew=False):
        self.program, self.renew = program, renew
        self.all = {}   # {(program, test): {check: sentence}}
        self.said = {}  # the same, of the tests that ran
        with open(PATH, encoding="utf-8") as file:
            for line in file.read().splitlines():
                if line.startswith("["):
                    block = self.all.setdefault(tuple(line[1:-1].split(" ", 1)), {})
                elif line.startswith("    "):
                    block[name] = line[4:]
                elif line:
                    name = line

    def check(self, test, name, sentence):
        """None, or what is wrong with the sentence of this check."""
        name = name.replace("\n", " ")
        block = self.said.setdefault((self.program, test), {})
        if name in block:
            return f"two checks of {test} are named '{name}'"
        golden = self.all.get((self.program, test), {}).get(name)
        same = golden is not None and matches(golden, sentence)
        block[name] = golden if same else sentence
        if same or self.renew:
            return None
        return f"{os.path.basename(PATH)} has: {golden} (--renew writes it)"

    def end(self, tests, check):
        """After these tests have run: writes their sentences, or none may be left over."""
        if not self.renew:
            left = [f"{test}: {name}" for test in tests
                    for name in self.all.get((self.program, test), {})
                    if name not in self.said.get((self.program, test), {})]
            check(not left, f"{os.path.basename(PATH)} has no other sentences", *left)
            return
        for test in tests:
            self.all.pop((self.program, test), None)
        self.all.update(self.said)
        with open(PATH, "w", encoding="utf-8") as file:
            file.write("\n".join(
                f"[{program} {test}]\n" +
                "".join(f"{name}\n    {sentence}\n" for name, sentence in block.items())
                for (program, test), block in sorted(self.all.items()) if block))

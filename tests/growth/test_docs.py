# SPDX-License-Identifier: MIT
"""test_docs.py SOURCE_ROOT VKSIM: what the documents name is there. TAP output.

Links between the documents lead to files, and every option, simulation, preset and colour map in
a `vksim` command line of theirs is one that VKSIM knows.
"""

import glob
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import check, end  # noqa: E402

root, vksim = os.path.abspath(sys.argv[1]), sys.argv[2]


def output(*arguments):
    return subprocess.run([vksim, *arguments], check=True, text=True, capture_output=True).stdout


def names(pattern, text):
    return set(re.findall(pattern, text, re.MULTILINE))


simulations = names(r"^([\w-]+): ", output("--list").replace("colour maps:", ""))
# The example of docs/adding-a-simulation.md; the test `growth` builds it.
example = "waves"
known = {name: names(r"^  --([a-z0-9-]+)", output("--help") + output(name, "--help"))
         for name in simulations}
commands = names(r"^  ([a-z]+) ", output("--help").split("Commands:")[1].split("\n\n")[0])
known |= {name: names(r"^  --([a-z0-9-]+)", output(name, "--help"))
          for name in commands - {"run"}}
presets = {name: names(r"^  ([\w-]+)  +\S", output(name, "--help").split("Presets", 1)[1])
           for name in simulations}


def wrong_with_link(folder, target):
    path = target.split("#")[0]
    if re.match(r"\w+:", target) or not path or os.path.exists(os.path.join(folder, path)):
        return None
    return f"the link to {target} leads nowhere"


def wrong_with_command(line):
    words = line.split("#")[0].split("|")[0].split()
    simulation = next((word for word in words[1:] if word in simulations | {example}), "physarum")
    simulation = words[1] if words[1:] and words[1] in known else simulation
    if simulation == example:
        return None
    for at, word in enumerate(words[1:], 1):
        name = re.match(r"--([a-z0-9-]+)", word)
        if name and name[1] not in known[simulation]:
            return f"there is no option {word}: {line}"
        if word == "--preset" and words[at + 1] not in presets[simulation]:
            return f"there is no preset {words[at + 1]}: {line}"
    return None


def main():
    files = sorted(glob.glob(root + "/*.md") + glob.glob(root + "/docs/**/*.md", recursive=True))
    commands = 0
    for path in files:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        folder = os.path.dirname(path)
        wrong = [wrong_with_link(folder, link)
                 for link in re.findall(r"\]\(([^)\s]+)\)", text)]
        lines = re.findall(r"^\$ (?:build/|tools/)?(?:vksim|quickstart)\b.*$", text, re.MULTILINE)
        commands += len(lines)
        wrong += [wrong_with_command(line[2:]) for line in lines]
        wrong = [sentence for sentence in wrong if sentence]
        check(not wrong, os.path.relpath(path, root), *wrong)
    check(commands > 10, f"{commands} command lines found")
    return end()


sys.exit(main())

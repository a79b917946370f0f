# SPDX-License-Identifier: MIT
"""test_completion.py BASH ZSH FISH: tests the completion files in their shells. TAP output."""

import os
import pty
import re
import select
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import check, end  # noqa: E402

BASH, ZSH, FISH = (os.path.abspath(path) for path in sys.argv[1:4])

# (input, words that are offered, words that are not)
CASES = (
    ("vksim ", ["physarum", "gray-scott", "gas", "devices"], ["--frames"]),
    ("vksim dev", ["devices"], ["physarum"]),
    ("vksim devices --", ["--json", "--device"], ["--frames", "--feed"]),
    ("vksim --", ["--agents", "--frames", "--size", "--device"], ["--feed", "--json"]),
    ("vksim gray-scott --", ["--feed", "--frames", "--size"], ["--agents"]),
    ("vksim --headless gray-scott --preset mi", ["mitosis"], ["silk"]),
    ("vksim --preset si", ["silk"], ["mitosis"]),
    ("vksim --encoder ", ["h264", "h265", "av1"], ["physarum"]),
    ("vksim bench ", ["ceilings", "ranks", "transpose", "float32"], ["physarum"]),
    ("vksim bench ranks --", ["--ranks", "--devices"], ["--frames"]),
    ("vksim bench ceilings copy --", ["--fresh", "--plot"], ["--frames"]),
    ("vksim gas --view ", ["density", "points"], ["trail"]),
    ("vksim gray-scott --variant ", ["auto", "plain"], ["unsorted"]),
)


def run(*command):
    return subprocess.run(command, text=True, capture_output=True, timeout=60, check=False)


def with_bash(line):
    """Completes like bash: the words so far, the last of which may be empty."""
    words = line.split(" ")
    done = run("bash", "--norc", "-c",
               'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); compopt() { :; }; '
               '_vksim; printf "%s\\n" "${COMPREPLY[@]}"', "bash", BASH, *words)
    return set(done.stdout.split()), done.stderr


def with_fish(line):
    done = run("fish", "--no-config", "-c", 'source $argv[1]; complete -C "$argv[2]"', FISH, line)
    return {row.split("\t")[0] for row in done.stdout.splitlines()}, done.stderr


def read_until(terminal, mark, seconds):
    """The output of a terminal up to the mark or the timeout."""
    shown = ""
    limit = time.monotonic() + seconds
    while mark not in shown and time.monotonic() < limit:
        if select.select([terminal], [], [], 0.1)[0]:
            shown += os.read(terminal, 65536).decode(errors="replace")
    return shown


def with_zsh(line):
    """zsh completes only in a terminal."""
    with tempfile.TemporaryDirectory(prefix="vksim-zsh-") as folder:
        os.symlink(ZSH, os.path.join(folder, "_vksim"))
        child, terminal = pty.fork()
        if child == 0:
            os.environ.update(TERM="dumb", COLUMNS="200", LINES="2000", HOME=folder)
            os.execvp("zsh", ["zsh", "-f", "-i"])
        setup = (f"PS1=; fpath=({folder} $fpath); autoload -U compinit; compinit -u -D; "
                 "setopt AUTO_LIST NO_LIST_AMBIGUOUS NO_LIST_BEEP; LISTMAX=0; "
                 "stty rows 2000 cols 200; echo re''ady\n")
        os.write(terminal, setup.encode())
        started = read_until(terminal, "ready\r\n", 20)
        # ^D lists the candidates of a word; Tab inserts the only one.
        os.write(terminal, line.encode() + b"\x04")
        listed = read_until(terminal, "\0", 1.5)
        os.write(terminal, b"\t")
        listed += read_until(terminal, "\0", 1)
        os.close(terminal)
        os.waitpid(child, 0)
    words = set(re.findall(r"[\w-]+", listed.replace("\x08", "")))
    return words, started[-200:] + listed[-400:]


def main():
    for path, shell in ((BASH, "bash"), (ZSH, "zsh"), (FISH, "fish")):
        done = run(shell, "-n", path)
        check(done.returncode == 0 and not done.stderr, f"{shell} can read it", done.stderr)
    for complete in (with_bash, with_zsh, with_fish):
        for line, offered, others in CASES:
            words, told = complete(line)
            lacks = [word for word in offered if word not in words]
            has = [word for word in others if word in words]
            check(not lacks and not has, f"{complete.__name__}: '{line}'",
                  f"lacks {lacks}, has {has}", told)
    return end()


if __name__ == "__main__":
    sys.exit(main())

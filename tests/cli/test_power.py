#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Power that fails, and processes that are killed, after SQLite's method.

test_power.py TEST_HOLD FILE_LOG [--all]. A process that writes an output, holds it and goes on is
logged (file_log.c): opens, writes, truncations, syncs, renames and removals, with their data. After
each operation a disk may hold more than one state: what was synced, and of the rest nothing,
everything or any part; names that were not followed by a sync of their folder may be undone. Each
of these folders is made, and a process must continue there from each position that was printed
until then, to the bytes of one process (of videos: their frames and times). --all makes every
state instead of a share.

Without the syncs of folders that must fail, or the test could not fail. TAP output. Needs ffprobe.
"""

import hashlib
import itertools
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import check, end  # noqa: E402

# --- a disk ---------------------------------------------------------------------------------------


def records(log):
    """(operation, inode, offset, data) of each record of a log."""
    at = 0
    while at < len(log):
        line = log.index(b"\n", at)
        operation, inode, offset, size = log[at:line].split()
        data = log[line + 1:line + 1 + int(size)]
        at = line + 1 + int(size)
        yield operation.decode(), int(inode), int(offset), data


def changed(content, change):
    """The content of a file after a write (offset, data), or a truncation (length, None)."""
    offset, data = change
    if data is None:
        return content[:offset].ljust(offset, b"\0")
    return content[:offset].ljust(offset, b"\0") + data + content[offset + len(data):]


def blocks(change, size):
    """The parts of a write that lie in different blocks of the disk."""
    offset, data = change
    if data is None:
        return [change]
    last = offset + len(data)
    cuts = [offset, *range(offset // size * size + size, last, size), last]
    return [(a, data[a - offset:b - offset]) for a, b in zip(cuts, cuts[1:])]


class Disk:
    """Files and names: what has been synced, and the changes since then."""

    DATA = ["nothing", "everything", "length", "some", 512, 4096]

    def __init__(self):
        self.content, self.changes = {}, {}  # by inode
        self.names, self.pending = {}, []    # names: an inode, or None for a folder

    def apply(self, operation, inode, offset, data):
        """Follows a record."""
        if operation == "write":
            self.changes[inode].append((offset, data))
        elif operation == "truncate":
            self.changes[inode].append((offset, None))
        elif operation == "sync":
            for change in self.changes[inode]:
                self.content[inode] = changed(self.content[inode], change)
            self.changes[inode] = []
        elif operation == "sync_folder":
            folder = data.decode()
            for change in [c for c in self.pending if os.path.dirname(c[1]) == folder]:
                self.rename(self.names, change)
                self.pending.remove(change)
        elif operation != "mark":
            if operation == "create":
                self.content[inode], self.changes[inode] = b"", []
            names = data.decode().split("\0")
            self.pending.append((operation, names[0], names[1] if len(names) > 1 else inode))

    @staticmethod
    def rename(names, change):
        """Applies a change of names, unless what it needs was undone."""
        operation, name, more = change
        if operation == "create":
            names[name] = more
        elif operation == "mkdir":
            names[name] = None
        elif operation == "rename" and name in names:
            names[more] = names.pop(name)
        elif operation in ("unlink", "rmdir"):
            names.pop(name, None)

    def read(self, inode, way, chance):
        """What the disk has of a file."""
        content, changes = self.content[inode], self.changes[inode]
        if way == "nothing":
            return content
        if way == "length":  # the length was written, the data was not
            changes = [(offset, data and bytes(len(data))) for offset, data in changes]
        if way == "some":
            changes = [change for change in changes if chance.random() < 0.5]
        if isinstance(way, int):
            changes = [block for change in changes for block in blocks(change, way)
                       if chance.random() < 0.5]
        for change in changes:
            content = changed(content, change)
        return content

    def states(self, chance):
        """All states {name: content, or None for a folder} that are made of this disk."""
        count = len(self.pending)
        choices = (list(itertools.product([False, True], repeat=count)) if count <= 6 else
                   [[i == 1] * count if i < 2 else [chance.random() < 0.5 for _ in range(count)]
                    for i in range(64)])
        for chosen in choices:
            names = dict(self.names)
            for change, applied in zip(self.pending, chosen):
                if applied:
                    self.rename(names, change)
            for way in self.DATA:
                yield {name: None if inode is None else self.read(inode, way, chance)
                       for name, inode in names.items()
                       if not os.path.dirname(name) or os.path.dirname(name) in names}


def put(state, folder):
    """Makes the folder with that state."""
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)
    for name, content in sorted(state.items()):
        if content is None:
            os.mkdir(os.path.join(folder, name))
        else:
            with open(os.path.join(folder, name), "wb") as file:
                file.write(content)


def key(state):
    """Equal states have equal keys."""
    digest = hashlib.sha256()
    for name, content in sorted(state.items()):
        digest.update(repr((name, content)).encode())
    return digest.hexdigest()


# --- outputs --------------------------------------------------------------------------------------

# Name, depth, encoder (frames/encoder.h), and about how many states and kills are continued.
KINDS = [
    ("a.y4m", 8, 0, 150),
    ("a.npy", 32, 0, 60),
    ("a%02d.png", 8, 0, 60),
    ("a.gif", 8, 0, 20),
    ("a.mp4", 8, 1, 20),
]
FRAMES = 12


class Output:
    """An output that processes write in a folder."""

    def __init__(self, test, module, folder, kind):
        self.test, self.module, self.base = test, module, folder
        self.name, self.depth, self.encoder, self.share = kind
        self.folder = os.path.join(folder, "files")

    def run(self, stops, position="", **environment):
        """Runs the other process of test_hold.c."""
        preload = " ".join(filter(None, [os.environ.get("LD_PRELOAD"), self.module]))
        return subprocess.run(
            [self.test, os.path.join(self.folder, self.name),
             f"{self.depth} {self.encoder} {stops}", position],
            env=dict(os.environ, LD_PRELOAD=preload, FILES_OF=self.folder, **environment),
            text=True, capture_output=True)

    def log(self, **environment):
        """The records of a process that holds twice and completes the output."""
        path = os.path.join(self.base, "log")
        self.new()
        run = self.run(f"3 7 {FRAMES}", FILES_LOG=path, **environment)
        assert run.returncode == 0, run.stderr
        with open(path, "rb") as file:
            steps = list(records(file.read()))
        os.unlink(path)
        return steps

    def new(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        os.mkdir(self.folder)

    def result(self):
        """What the output holds, to be compared."""
        path = os.path.join(self.folder, self.name)
        if self.name.endswith(".mp4"):
            run = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_entries",
                                  "packet=pts:stream=nb_read_frames", "-of", "csv", path],
                                 text=True, capture_output=True)
            return sorted(run.stdout.split())
        paths = [path % i for i in range(FRAMES)] if "%" in path else [path]
        try:
            return [open(path, "rb").read() for path in paths]
        except OSError as error:
            return error

    def complete(self, position):
        """Completes the output from the position; None if it equals what one process writes, else
        why not."""
        run = self.run(FRAMES, position)
        if run.returncode != 0:
            return run.stderr or f"exit status {run.returncode}"
        return None if self.result() == self.expected else "it differs"


def failures_of(output, every, **environment):
    """Continues from all states after all cuts. Returns how many, and what failed."""
    steps = output.log(**environment)
    first = [record[0] for record in steps].index("mark")
    quota = output.share / (len(steps) - first)
    disk, positions, seen, count, failed = Disk(), [], set(), 0, []
    for cut, record in enumerate(steps):
        disk.apply(*record)
        if record[0] == "mark":
            positions.append(record[3].decode())
        chance = random.Random(cut)
        states = list(disk.states(chance)) if positions else []
        if states and not every:  # the least, the most and others
            some = [states[0], states[-1]] + chance.sample(states, len(states))
            states = some[cut % 3:][:int(quota) + (chance.random() < quota % 1)]
        for state in states:
            for position in positions[-1:] if chance.random() < 0.5 and not every else positions:
                if (key(state), position) not in seen:
                    seen.add((key(state), position))
                    put(state, output.folder)
                    why = output.complete(position)
                    count += 1
                    if why:
                        failed.append(f"after {cut}, {record[:3]}: {why.strip()}")
    return count, failed


def test_power(output, every):
    count, failed = failures_of(output, every)
    check(count > 10 and not failed, f"{output.name}: every state of the disk is continued",
          f"{len(failed)} of {count}", *failed[:10])
    print(f"# {count}")
    count, failed = failures_of(output, every, FILES_UNSYNCED="folders")
    check(failed, f"{output.name}: without syncs of folders, some are not", count)


def test_kills(output, every):
    """A process that is killed before its operations."""
    count, failed = sum(record[0] != "mark" for record in output.log()), []
    for n in range(1, count + 1, 1 if every else max(1, count // output.share * 3)):
        output.new()
        run = output.run(f"3 7 {FRAMES}", FILES_KILL=str(n))
        assert run.returncode == -signal.SIGKILL, run.stderr
        positions = run.stdout.split("\n")[:-1]
        why = output.complete(positions[-1] if positions else "")
        failed += [f"before {n}: {why.strip()}"] if why else []
    check(count > 10 and not failed, f"{output.name}: a process that was killed is continued",
          f"{count} operations", *failed[:10])


def main():
    test, module = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    with tempfile.TemporaryDirectory(prefix="vksim-power-") as folder:
        for kind in KINDS:
            output = Output(test, module, folder, kind)
            output.new()
            assert output.run(FRAMES).returncode == 0
            output.expected = output.result()
            test_kills(output, "--all" in sys.argv)
            test_power(output, "--all" in sys.argv)
    return end()


sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Power that fails, and processes that are killed, after SQLite's method.

test_power.py VKSIM TEST_HOLD FILE_LOG [TIMES]. A process that writes outputs is logged
(file_log.c): opens, writes, truncations, syncs, renames and removals, with their data. After each
operation a disk may hold more than one state: what was synced, and of the rest nothing, everything
or any part; names that were not followed by a sync of their folder may be undone. Such folders are
made, and another process must continue there to the files of one process (of videos: their frames
and times).

The processes are the other process of test_hold.c, which holds an output and prints the position,
and vksim with --checkpoint. TIMES (1) multiplies the number of states and of kills. Without the
syncs of folders it must fail, or the test could not. TAP output. Needs ffprobe.
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


# --- processes ------------------------------------------------------------------------------------

FRAMES = 12


def frames_of(path):
    """The times of a video's packets and the number of its frames."""
    run = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_entries",
                          "packet=pts:stream=nb_read_frames", "-of", "csv", path],
                         text=True, capture_output=True)
    return sorted(run.stdout.split())


class Process:
    """A process that writes files in a folder, and one that continues there."""

    def __init__(self, module, folder, share):
        self.module, self.base, self.share = module, folder, share
        self.folder = os.path.join(folder, "files")
        self.new()
        self.expected = self.result(self.start())

    def new(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        os.mkdir(self.folder)

    def run(self, command, **environment):
        preload = " ".join(filter(None, [os.environ.get("LD_PRELOAD"), self.module]))
        icd = os.environ["VKSIM_TEST_LAVAPIPE_ICD"]
        return subprocess.run(
            command, text=True, capture_output=True, cwd=self.folder,
            env=dict(os.environ, LD_PRELOAD=preload, FILES_OF=self.folder, VK_DRIVER_FILES=icd,
                     VK_ICD_FILENAMES=icd, VKSIM_CACHE_DIR=os.path.join(self.base, "cache"),
                     **environment))

    def log(self, **environment):
        """The records of the whole process."""
        path = os.path.join(self.base, "log")
        self.new()
        run = self.start(FILES_LOG=path, **environment)
        assert run.returncode == 0, run.stderr
        with open(path, "rb") as file:
            steps = list(records(file.read()))
        os.unlink(path)
        return steps

    def result(self, run):
        """What a process has written, to be compared: all files but those for later ones."""
        if run.returncode != 0:
            return run.stderr or f"exit status {run.returncode}"
        found = {}
        for name in sorted(os.listdir(self.folder)):
            path = os.path.join(self.folder, name)
            if name.endswith(".mp4"):
                found[name] = frames_of(path)
            elif not name.endswith((".part", ".parts", ".vkc.npz", ".lock")):
                with open(path, "rb") as file:
                    found[name] = file.read()
        return found

    def failure(self, position):
        """Continues from the position; None if that ends as one process does, else why not."""
        found = self.result(self.go_on(position))
        if found == self.expected or isinstance(found, str):
            return None if found == self.expected else found.strip()
        names = [name for name in {**found, **self.expected}
                 if found.get(name) != self.expected.get(name)]
        return f"{', '.join(names)} differ"


class Output(Process):
    """An output of the other process of test_hold.c."""

    first = "mark"  # before that, nothing can be continued

    def __init__(self, test, module, folder, share, name, depth, encoder):
        self.test, self.name, self.numbers = test, name, f"{depth} {encoder}"
        super().__init__(module, folder, share)

    def other(self, stops, position, **environment):
        return self.run([self.test, os.path.join(self.folder, self.name),
                         f"{self.numbers} {stops}", position], **environment)

    def start(self, **environment):
        return self.other(f"3 7 {FRAMES}", "", **environment)

    def go_on(self, position):
        return self.other(FRAMES, position)


class Run(Process):
    """A run with --checkpoint."""

    first = None

    def __init__(self, vksim, module, folder, share, *outputs):
        self.name = "vksim " + " ".join(outputs)
        self.command = [vksim, "gray-scott", "--headless", "--size", "32x32", "--steps-per-frame",
                        "1", "--frames", str(FRAMES), "--save-state", "end.npz", "--overwrite",
                        "--checkpoint-every", "3steps", *outputs]
        super().__init__(module, folder, share)

    def start(self, **environment):
        return self.run([*self.command, "--checkpoint", "run"], **environment)

    def go_on(self, position):
        return self.run([*self.command, "--resume-or-start", "run"])


# --- tests ----------------------------------------------------------------------------------------


def failures_of(process, most, **environment):
    """Continues from states after all cuts. Returns how many, and what failed, at most `most`."""
    steps = process.log(**environment)
    first = [record[0] for record in steps].index(process.first) if process.first else 0
    quota = process.share / (len(steps) - first)
    disk, positions, seen, count, failed = Disk(), [], set(), 0, []
    for cut, record in enumerate(steps):
        disk.apply(*record)
        if record[0] == "mark" and process.first:
            positions.append(record[3].decode())
        chance = random.Random(cut)
        states = list(disk.states(chance)) if cut >= first else []
        if states:  # the least, the most and others
            some = [states[0], states[-1]] + chance.sample(states, len(states))
            states = some[cut % 3:][:int(quota) + (chance.random() < quota % 1)]
        for state in states:
            for position in positions[-2:] or [""]:
                if (key(state), position) not in seen and len(failed) < most:
                    seen.add((key(state), position))
                    put(state, process.folder)
                    why = process.failure(position)
                    count += 1
                    if why:
                        failed.append(f"after {cut}, {record[:3]}: {why}")
    return count, failed


def test_power(process):
    count, failed = failures_of(process, 10)
    check(count > 5 and not failed, f"{process.name}: states of the disk are continued",
          f"{count} were tried", *failed)
    count, failed = failures_of(process, 1, FILES_UNSYNCED="folders")
    check(failed, f"{process.name}: without syncs of folders, one is not", f"{count} were tried")


def test_kills(process):
    """A process that is killed before its operations."""
    count, failed = sum(record[0] != "mark" for record in process.log()), []
    operations = range(1, count + 1)
    for n in random.Random(1).sample(operations, min(count, process.share // 3)):
        process.new()
        run = process.start(FILES_KILL=str(n))
        if run.returncode == 0 and not process.first:
            continue  # how much is written at once depends on the threads of a run
        assert run.returncode == -signal.SIGKILL, (n, run.stderr)
        positions = run.stdout.split("\n")[:-1] if process.first else []
        why = process.failure(positions[-1] if positions else "")
        failed += [f"before {n}: {why}"] if why else []
    check(count > 10 and not failed, f"{process.name}: a process that was killed is continued",
          f"{count} operations", *failed[:10])


def processes(vksim, test, module, folder):
    """Those that are tested, with about how many states each."""
    output = [test, module, folder]
    yield Output, *output, 60, "a.y4m", 8, 0
    yield Output, *output, 30, "a.npy", 32, 0
    yield Output, *output, 30, "a%02d.png", 8, 0
    yield Output, *output, 20, "a.gif", 8, 0
    yield Output, *output, 20, "a.mp4", 8, 1
    run = [vksim, module, folder]
    yield Run, *run, 30, "--out", "a.y4m", "--out", "a%02d.png", "--watch", "a.csv"
    yield Run, *run, 15, "--out", "a.mp4", "--out", "a.npy", "--watch", "a.json"


def main():
    with tempfile.TemporaryDirectory(prefix="vksim-power-") as folder:
        for kind, *arguments in processes(*map(os.path.abspath, sys.argv[1:4]), folder):
            process = kind(*arguments)
            process.share *= int(sys.argv[4]) if len(sys.argv) > 4 else 1
            test_kills(process)
            test_power(process)
    return end()


sys.exit(main())

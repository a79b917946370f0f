#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_window.py VKSIM [DRIVER...]: tests the live window in a real X server. TAP output.

DRIVER is lavapipe (ICD file in VKSIM_TEST_LAVAPIPE_ICD) or swiftshader
(VKSIM_TEST_SWIFTSHADER_ICD); by default both. Needs Xvfb, xdotool and ImageMagick's import and
convert. A missing tool or driver is a failure, never a skip. With VKSIM_TEST_KEEP=FOLDER the
screenshots are kept there.

The test starts its own X server and window manager, which implements just the X11 protocol that
full screen and closing need.
"""
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import check, end  # noqa: E402

SCREEN = (1280, 800)
FIELD = (200, 150)
SURROUND = (13, 13, 15)  # src/ui/capture.c
MODEL = "physarum"
OPTIONS = [MODEL, "--size", "200x150", "--agents", "6000"]

class WindowManager(threading.Thread):
    """A minimal window manager for SDL: maps and resizes windows on request, gives them the focus,
    makes them full screen and restores them, and asks them to close."""

    ROOT_EVENTS = 0x80000 | 0x100000  # SubstructureNotify, SubstructureRedirect

    def __init__(self, number):
        super().__init__(daemon=True)
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(f"/tmp/.X11-unix/X{number}")
        self.lock = threading.Lock()
        self.events = []
        self.geometry = {}  # window: (x, y, width, height), as last requested
        self.before = {}    # window: its geometry before it went full screen
        self._connect()
        self.atoms = {name: self._intern(name) for name in (
            "_NET_SUPPORTED", "_NET_SUPPORTING_WM_CHECK", "_NET_WM_NAME", "_NET_WM_STATE",
            "_NET_WM_STATE_FULLSCREEN", "WM_PROTOCOLS", "WM_DELETE_WINDOW", "UTF8_STRING")}
        self._announce()

    def _exactly(self, count):
        data = b""
        while len(data) < count:
            piece = self.socket.recv(count - len(data))
            if not piece:
                raise EOFError
            data += piece
        return data

    def _connect(self):
        self.socket.sendall(struct.pack("<BxHHHHxx", ord("l"), 11, 0, 0, 0))
        status, words = struct.unpack("<B5xH", self._exactly(8))
        rest = self._exactly(4 * words)
        if status != 1:
            raise OSError("the X server does not let the test in")
        self.next_id = struct.unpack_from("<I", rest, 4)[0]
        vendor, formats = struct.unpack_from("<H2xxB", rest, 16)[0], rest[21]
        self.root = struct.unpack_from("<I", rest, 32 + (vendor + 3) // 4 * 4 + 8 * formats)[0]

    def _send(self, code, detail, body):
        body += b"\0" * (-len(body) % 4)
        with self.lock:
            self.socket.sendall(struct.pack("<BBH", code, detail, 1 + len(body) // 4) + body)

    def _packet(self):
        packet = self._exactly(32)
        if packet[0] == 1:
            packet += self._exactly(4 * struct.unpack_from("<I", packet, 4)[0])
        return packet

    def _reply(self):
        while True:
            packet = self._packet()
            if packet[0] == 1:
                return packet
            self.events.append(packet)

    def _intern(self, name):
        self._send(16, 0, struct.pack("<H2x", len(name)) + name.encode())
        return struct.unpack_from("<I", self._reply(), 8)[0]

    def _property(self, window, name, kind, form, data):
        self._send(18, 0, struct.pack("<IIIB3xI", window, self.atoms[name], kind, form,
                                      len(data) * 8 // form) + data)

    def _announce(self):
        atoms = self.atoms
        window = self.next_id
        self._send(1, 0, struct.pack("<IIhhHHHHII", window, self.root, -1, -1, 1, 1, 0, 1, 0, 0))
        for owner in (self.root, window):
            self._property(owner, "_NET_SUPPORTING_WM_CHECK", 33, 32, struct.pack("<I", window))
        self._property(window, "_NET_WM_NAME", atoms["UTF8_STRING"], 8, b"test")
        self._property(self.root, "_NET_SUPPORTED", 4, 32, struct.pack(
            "<4I", *(atoms[name] for name in ("_NET_SUPPORTING_WM_CHECK", "_NET_WM_NAME",
                                              "_NET_WM_STATE", "_NET_WM_STATE_FULLSCREEN"))))
        self._send(2, 0, struct.pack("<III", self.root, 0x800, self.ROOT_EVENTS))

    def _place(self, window, geometry):
        self.geometry[window] = geometry
        self._send(12, 0, struct.pack("<IH2xiiII", window, 0xF, *geometry))

    def _created(self, event):
        window = struct.unpack_from("<I", event, 8)[0]  # ids of destroyed windows are reused
        self.geometry[window] = struct.unpack_from("<hhHH", event, 12)
        self.before.pop(window, None)

    def _map(self, window):
        self._send(8, 0, struct.pack("<I", window))
        # Tells the window where it is, as ICCCM requires. Until then SDL 2.32 assumes (0, 0) and
        # does not notice a move to (0, 0).
        notify = struct.pack("<BxHIIIhhHHHB5x", 22, 0, window, window, 0, *self.geometry[window],
                             0, 0)
        self._send(25, 0, struct.pack("<II", window, 0x20000) + notify)  # StructureNotify
        self._send(42, 1, struct.pack("<II", window, 0))

    def _configure(self, event):
        window, wanted, mask = (struct.unpack_from("<I", event, 8)[0],
                                struct.unpack_from("<hhHH", event, 16),
                                struct.unpack_from("<H", event, 26)[0])
        had = self.geometry.get(window, wanted)
        self._place(window, tuple(new if mask >> i & 1 else old
                                  for i, (new, old) in enumerate(zip(wanted, had))))

    def _state(self, event):
        window, kind, action, what = struct.unpack_from("<IIII", event, 4)
        full = self.atoms["_NET_WM_STATE_FULLSCREEN"]
        if kind != self.atoms["_NET_WM_STATE"] or what != full or window not in self.geometry:
            return
        on = action == 1 or (action == 2 and window not in self.before)
        self._property(window, "_NET_WM_STATE", 4, 32, struct.pack("<I", full) if on else b"")
        if on:
            self.before.setdefault(window, self.geometry[window])
            self._place(window, (0, 0) + SCREEN)
        elif window in self.before:
            self._place(window, self.before.pop(window))

    def run(self):
        try:
            while True:
                event = self.events.pop(0) if self.events else self._packet()
                if event[0] & 0x7F == 16:
                    self._created(event)
                elif event[0] & 0x7F == 20:
                    self._map(struct.unpack_from("<I", event, 8)[0])
                elif event[0] & 0x7F == 23:
                    self._configure(event)
                elif event[0] & 0x7F == 33:
                    self._state(event)
        except (EOFError, OSError):
            pass  # the server has ended

    def close_window(self, window):
        atoms = self.atoms
        message = struct.pack("<BB2xII5I", 33, 32, window, atoms["WM_PROTOCOLS"],
                              atoms["WM_DELETE_WINDOW"], 0, 0, 0, 0)
        self._send(25, 0, struct.pack("<II", window, 0) + message)


class Screen:
    """A private X server."""

    def __init__(self, folder):
        read, write = os.pipe()
        self.server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-screen", "0", f"{SCREEN[0]}x{SCREEN[1]}x24",
             "-nolisten", "tcp", "-noreset"],
            pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as pipe:
            number = pipe.readline().strip()
        if not number:
            raise OSError("Xvfb does not start")
        self.display = f":{number}"
        self.folder = folder
        self.shots = 0
        self.manager = WindowManager(number)
        self.manager.start()

    def tool(self, *arguments):
        done = subprocess.run(["xdotool", *map(str, arguments)], capture_output=True, text=True,
                              env=dict(os.environ, DISPLAY=self.display), timeout=20)
        return done.stdout.strip()

    def shot(self, name):
        """The screen's pixels, rows of RGB bytes."""
        self.shots += 1
        path = os.path.join(self.folder, f"{self.shots:02}-{name}.png")
        subprocess.run(["import", "-window", "root", path], check=True, timeout=30,
                       env=dict(os.environ, DISPLAY=self.display))
        return pixels(path, SCREEN)

    def end(self):
        self.server.terminate()
        self.server.wait()


def pixels(path, size):
    data = subprocess.run(["convert", path, "-depth", "8", "rgb:-"], check=True, timeout=30,
                          capture_output=True).stdout
    width, height = size
    if len(data) != 3 * width * height:
        return []
    return [data[3 * width * y:3 * width * (y + 1)] for y in range(height)]


def cut(rows, x, y, width, height):
    return [row[3 * x:3 * (x + width)] for row in rows[y:y + height]]


def deviation(rows):
    values = b"".join(rows)
    mean = sum(values) / len(values)
    return (sum(v * v for v in values) / len(values) - mean * mean) ** 0.5


def fit(width, height):
    """The position of the field in a window, by the rule in src/ui/capture.c."""
    if width * FIELD[1] <= height * FIELD[0]:
        w, h = width, max(1, (width * FIELD[1] + FIELD[0] // 2) // FIELD[0])
    else:
        w, h = max(1, (height * FIELD[0] + FIELD[1] // 2) // FIELD[1]), height
    return (width - w) // 2, (height - h) // 2, w, h


def until(condition, seconds=20):
    """Waits until `condition` is true or the time is up; returns its last value."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value or time.monotonic() > end:
            return value
        time.sleep(0.05)


class Run:
    """A vksim with a window."""

    def __init__(self, tests, *options, env=None):
        self.screen = tests.screen
        self.folder = tests.folder
        self.stdout = open(os.path.join(tests.folder, "stdout"), "w+")
        self.stderr = open(os.path.join(tests.folder, "stderr"), "w+")
        self.process = subprocess.Popen(
            [tests.vksim, *OPTIONS, *options], cwd=tests.folder, stdout=self.stdout,
            stderr=self.stderr, env=env or dict(tests.env, DISPLAY=self.screen.display))
        self.window = ""

    def opened(self):
        def look():
            ids = self.screen.tool("search", "--onlyvisible", "--name", f"^{MODEL}").split()
            self.window = ids[0] if ids else ""
            return self.window or self.process.poll() is not None
        until(look, 60)
        return self.window != "" and until(lambda: self.step() is not None)

    def key(self, *keys):
        self.screen.tool("key", "--delay", "30", *keys)

    def title(self):
        return self.screen.tool("getwindowname", self.window)

    def number(self, pattern):
        found = re.search(pattern, self.title())
        return int(found[1]) if found else None

    def step(self):
        return self.number(r"step (\d+)")

    def seed(self):
        return self.number(r"seed (\d+)")

    def paused(self):
        return "paused" in self.title()

    def place(self):
        text = self.screen.tool("getwindowgeometry", self.window)
        x, y, width, height = map(int, re.search(
            r"Position: (-?\d+),(-?\d+).*Geometry: (\d+)x(\d+)", text, re.S).groups())
        return x, y, width, height

    def resize(self, width, height):
        self.screen.tool("windowmove", self.window, 0, 0)
        self.screen.tool("windowsize", self.window, width, height)
        return until(lambda: self.place() == (0, 0, width, height), 5)

    def end(self, seconds=30):
        """(exit code, standard output, standard error)"""
        try:
            code = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            code = "it did not end"
        texts = []
        for file in (self.stdout, self.stderr):
            file.seek(0)
            texts.append(file.read())
            file.close()
        return code, *texts


class Tests:
    def __init__(self, vksim, driver, icd, screen, folder):
        self.vksim = vksim
        self.driver = driver
        self.screen = screen
        self.folder = folder
        self.env = dict(os.environ, VK_ICD_FILENAMES=icd, VK_DRIVER_FILES=icd)
        for name in ("DISPLAY", "WAYLAND_DISPLAY", "VKSIM_DEVICE", "SDL_VIDEODRIVER"):
            self.env.pop(name, None)

    def check(self, passed, name, why=""):
        return check(passed, f"{self.driver}: {name}", why)

    def headless(self, *options):
        done = subprocess.run(
            [self.vksim, *OPTIONS, "--headless", "--quiet", *options], cwd=self.folder,
            env=self.env, capture_output=True, text=True, timeout=120)
        return done.stdout if done.returncode == 0 else done.stderr

    def digest(self, *options):
        found = re.search(r"digest state (\w+)", self.headless("--digest", "--out", "none",
                                                               *options))
        return found[1] if found else "no digest"

    # --- runs that end by themselves --------------------------------------------------------------

    def finite(self, *options):
        code, out, err = Run(self, "--digest", *options).end(90)
        wanted = self.digest(*[o for o in options if not o.startswith("--validate")])
        self.check(code == 0, f"{' '.join(options)} ends with 0", f"{code}\n{err}")
        self.check(wanted in out, f"{' '.join(options)} leaves the headless digest",
                   f"{wanted} wanted, got {out}")

    def timings(self):
        """A window has the same reports as a run without one."""
        code, _, err = Run(self, "--steps", "60", "--timings=json", "--timings-out", "times.json",
                           "--trace", "trace.json").end(90)
        self.check(code == 0, "--timings and --trace", f"{code}\n{err}")
        found = {}
        for name in ("times", "trace") if code == 0 else ():
            with open(os.path.join(self.folder, name + ".json"), encoding="utf-8") as file:
                found[name] = json.load(file)
        times = found.get("times", {})
        main = sum(row["seconds"] for row in times.get("phases", []) if row["thread"] == "main")
        self.check(times and 0 < times["startup_s"] < times["wall_s"] and
                   abs(main - times["wall_s"]) < 0.02 * times["wall_s"],
                   "start-up is a part of the wall time, phases are all of it", times)
        self.check(any(event.get("cat") == "pass" for event in
                       found.get("trace", {}).get("traceEvents", [])), "passes are traced")

    # --- a long session ---------------------------------------------------------------------------

    def session(self):
        """All user actions, under validation, and the exact final state."""
        run = Run(self, "--digest", "--validate=sync", "--colormap", "grey", "--normalize", "frame",
                  "--verbose", "--watch", "session.csv")
        if not self.check(run.opened(), "a window opens"):
            print(f"# {run.end(1)}")
            return
        x, y, width, height = run.place()
        factor = width // FIELD[0]
        self.check((width, height) == (factor * FIELD[0], factor * FIELD[1]) and
                   width > SCREEN[0] // 4 and width < SCREEN[0] and height < SCREEN[1],
                   "a small field is shown larger by a whole factor", f"{width} x {height}")
        self.check(until(lambda: re.fullmatch(
            MODEL + r" \| seed 1 \| step \d+ \| [\d.]+ steps/s \| GPU [\d.]+ [mu]s/step",
            run.title())), "the title carries seed, step, steps/s and GPU time", run.title())
        before = run.step()
        self.check(until(lambda: run.step() > before + 20), "it runs", run.title())
        rows = cut(self.screen.shot(f"{self.driver}-open"), x, y, width, height)
        self.check(deviation(rows) > 5, "the window shows a picture", deviation(rows))
        self.pause(run)
        self.sizes(run)
        self.pictures(run)
        self.annotations(run)
        self.full_screen(run)
        self.hidden(run)
        self.restarts(run)
        self.finish(run)

    def pause(self, run):
        run.key("space")
        self.check(until(run.paused), "space pauses", run.title())
        step = run.step()
        time.sleep(0.6)
        self.check(run.step() == step, "no step is taken while paused",
                   f"{step}, then {run.step()}")
        run.key("period")
        until(lambda: run.step() != step, 5)
        time.sleep(0.2)
        self.check(run.step() == step + 1 and run.paused(), "a full stop takes one step",
                   f"{step}, then {run.title()}")
        run.key("period", "period", "period")
        until(lambda: run.step() == step + 4, 5)
        time.sleep(0.2)
        self.check(run.step() == step + 4, "three take three", f"{step}, then {run.title()}")

    def sizes(self, run):
        for size in ((700, 200), (150, 500), (90, 80), (1, 1), (7, 600), (640, 480)):
            name = f"{size[0]}x{size[1]}"
            placed = run.resize(*size)
            x, y, width, height = fit(*size)
            rows = []

            def whole():
                """The picture at its position, and the surround."""
                rows[:] = cut(self.screen.shot(f"{self.driver}-{name}"), 0, 0, *size)
                around = bytes(SURROUND)
                inside = cut(rows, x, y, width, height)
                outside = [row for i, row in enumerate(rows) if not y <= i < y + height]
                outside += [row[:3 * x] + row[3 * (x + width):] for row in rows]
                # Except for blended edges, a grey picture has no pixel of the bluish surround.
                return (all(row == around * (len(row) // 3) for row in outside) and
                        not any(row[i:i + 3] == around for row in inside
                                for i in range(0, len(row), 3)))
            self.check(placed and until(whole, 3) and run.process.poll() is None,
                       f"resized to {name} it shows the whole picture",
                       f"{run.place()} {rows[0][:12] if rows else ''}")
        self.check(deviation(rows) > 5, "the resized picture is not empty", deviation(rows))

    def pictures(self, run):
        step = run.step()
        names = [f"{MODEL}-{step}.png", f"{MODEL}-{step}-2.png"]
        paths = [os.path.join(self.folder, name) for name in names]
        run.resize(*FIELD)
        for path in paths:
            run.key("s")
            until(lambda path=path: os.path.exists(path), 5)
        pictures = [pixels(path, FIELD) if os.path.exists(path) else [] for path in paths]
        self.check(all(pictures), "S writes a picture of the field's size, twice without "
                   "overwriting", sorted(os.listdir(self.folder)))
        with open(os.path.join(self.folder, "stderr")) as file:
            text = file.read()
        self.check(all(f"wrote {name}" in text for name in names), "and says so", text)
        self.check(until(lambda: cut(self.screen.shot(f"{self.driver}-same-size"), 0, 0, *FIELD) ==
                         pictures[0], 3), "a window of the field's size shows the very same pixels")
        self.headless("--steps", str(step), "--out", "wanted.png", "--overwrite", "--colormap",
                      "grey", "--normalize", "frame")
        wanted = os.path.join(self.folder, "wanted.png")
        self.check(pictures[0] and os.path.exists(wanted) and
                   pixels(wanted, FIELD) == pictures[0],
                   "the picture equals the headless one of that step")

    def annotations(self, run):
        step = run.step()
        paths = [os.path.join(self.folder, f"{MODEL}-{step}-{i}.png") for i in (3, 4)]
        for path in paths:
            run.key("a")
            time.sleep(0.5)
            run.key("s")
            until(lambda path=path: os.path.exists(path), 5)
        pictures = [pixels(path, FIELD) if os.path.exists(path) else [] for path in paths]
        self.check(all(pictures) and pictures[0] != pictures[1] and run.paused() and
                   run.step() == step, "A annotates the picture, and again it does not",
                   sorted(os.listdir(self.folder)))

    def full_screen(self, run):
        before = run.place()
        run.key("f")
        self.check(until(lambda: run.place() == (0, 0) + SCREEN, 5), "F fills the screen",
                   run.place())
        x, y, width, height = fit(*SCREEN)

        def filled():
            rows = self.screen.shot(f"{self.driver}-full")
            edge, middle = cut(rows, 0, 0, x, SCREEN[1]), cut(rows, x, y, width, height)
            return all(row == bytes(SURROUND) * x for row in edge) and deviation(middle) > 5
        self.check(until(filled, 3), "with the picture on it")
        run.key("f")
        self.check(until(lambda: run.place() == before, 5), "and again is back",
                   f"{before}, then {run.place()}")

    def hidden(self, run):
        """Unmapped, as a window manager does to minimise."""
        step = run.step()
        self.screen.tool("windowunmap", run.window)
        run.key("space")  # without the focus nothing happens
        time.sleep(0.3)
        self.screen.tool("windowmap", run.window)

        def shows():
            x, y, width, height = run.place()
            return deviation(cut(self.screen.shot(f"{self.driver}-mapped"), x, y, width,
                                 height)) > 5
        self.check(until(shows, 5) and run.step() == step, "hidden and shown again it is whole")
        run.key("space")
        until(lambda: not run.paused(), 5)
        self.screen.tool("windowunmap", run.window)
        step = run.step()
        self.check(until(lambda: run.step() > step + 10), "it runs on while hidden", run.title())
        self.screen.tool("windowmap", run.window)
        until(shows, 5)
        run.key("space")
        self.check(until(run.paused, 5), "and takes keys when it is back", run.title())

    def restarts(self, run):
        run.key("r")
        self.check(until(lambda: run.step() == 0 and run.seed() == 1, 10), "R starts again",
                   run.title())
        run.key("n")
        self.check(until(lambda: run.step() == 0 and run.seed() == 2, 10), "N takes a new seed",
                   run.title())
        run.key("space")
        self.check(until(lambda: run.step() > 5 and not run.paused()), "space runs on",
                   run.title())
        run.key("r")
        self.check(until(lambda: run.seed() == 2 and run.step() > 0, 10), "R keeps the seed",
                   run.title())
        run.key("period")
        self.check(until(run.paused, 5), "a full stop while it runs stops it", run.title())

    def finish(self, run):
        time.sleep(0.3)
        step, seed = run.step(), run.seed()
        run.key("q")
        code, out, err = run.end()
        self.check(code == 0, "Q ends with 0", f"{code}\n{err}")
        self.check("validation" not in err, "validation is silent", err)
        self.check(err.count("pipelines and buffers made") == 1 and "made again" not in err,
                   "R and N have built nothing", err)
        with open(os.path.join(self.folder, "session.csv"), encoding="utf-8") as file:
            head, *rows = [line.strip().split(",") for line in file]
        starts = [i for i, row in enumerate(rows) if row[0] == "0"]
        self.check(head[:3] == ["frame", "step", "trail"] and len(starts) >= 3 and
                   all(rows[i][1] == "0" for i in starts) and rows[-1][1] == str(step),
                   "--watch has a row per frame of every run", f"{head} {starts} {rows[-3:]}")
        wanted = self.digest("--steps", str(step), "--seed", str(seed))
        self.check(wanted in out, "after all this the digest is the headless one of seed and step",
                   f"{wanted} of seed {seed} and step {step} wanted, got {out}")

    # --- several at once --------------------------------------------------------------------------

    def grid(self):
        """A grid in a window works like one simulation: new seeds, the picture, the digests."""
        cells = ["--vary", "colormap=grey,ember,abyss"]
        run = Run(self, "--digest", "--validate=sync", *cells, "--vary-rows", "seed=1,5")
        if not self.check(run.opened(), "a grid opens"):
            print(f"# {run.end(1)}")
            return
        until(lambda: run.step() > 20)
        x, y, width, height = run.place()
        rows = cut(self.screen.shot(f"{self.driver}-grid"), x, y, width, height)
        self.check(deviation(rows) > 5, "and shows a picture", deviation(rows))
        run.key("n")
        self.check(until(lambda: run.seed() == 2 and run.step() > 3, 10), "N takes new seeds",
                   run.title())
        run.key("space")
        until(run.paused, 5)
        time.sleep(0.3)
        step = run.step()
        run.key("s")
        path = os.path.join(self.folder, f"{MODEL}-{step}.png")
        self.check(until(lambda: os.path.exists(path), 5), "S writes the whole sheet")
        run.key("q")
        code, out, err = run.end()
        self.check(code == 0 and "validation" not in err, "Q ends with 0", f"{code}\n{err}")
        wanted = self.headless("--digest", *cells, "--vary-rows", "seed=2,6", "--steps", str(step),
                               "--out", "grid.png", "--overwrite")
        states = re.findall(r"digest state (\w+)", wanted)
        self.check(len(states) == 6 and states == re.findall(r"digest state (\w+)", out),
                   "the digests are the headless ones of those seeds",
                   f"{wanted} wanted, got {out}")

    # --- other endings ----------------------------------------------------------------------------

    def ends(self):
        def interrupt(run):
            run.process.send_signal(signal.SIGINT)

        def close(run):
            self.screen.manager.close_window(int(run.window))

        def pause_and(action):
            def both(run):
                run.key("space")
                until(run.paused, 5)
                time.sleep(0.2)
                action(run)
            return both
        for name, action, wanted in (
                ("Escape", lambda run: run.key("Escape"), 0),
                ("closing the window", pause_and(close), 0),
                ("Ctrl-C", interrupt, 130),
                ("Ctrl-C while paused", pause_and(interrupt), 130)):
            run = Run(self)
            if run.opened():
                action(run)
            code, _, err = run.end(10)
            self.check(code == wanted, f"{name} ends with {wanted}", f"{code}\n{err}")

    def refusals(self):
        for name, display in (("no display", None), ("a display that is not there", ":4095")):
            env = dict(self.env, DISPLAY=display) if display else self.env
            code, _, err = Run(self, env=env).end(20)
            self.check(code == 3 and "--headless" in err, f"{name} ends with 3, naming --headless",
                       f"{code}\n{err}")
        code, _, err = Run(self, "--size", "65536x16").end(20)
        self.check(code == 2 and "--size" in err and "--headless" in err,
                   "a field too long for a picture is refused, naming --size and --headless",
                   f"{code}\n{err}")


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    vksim = os.path.abspath(sys.argv[1])
    drivers = sys.argv[2:] or ["lavapipe", "swiftshader"]
    missing = [tool for tool in ("Xvfb", "xdotool", "import", "convert") if not shutil.which(tool)]
    if missing:
        print(f"Bail out! missing: {', '.join(missing)}")
        sys.exit(1)
    kept = os.environ.get("VKSIM_TEST_KEEP")
    with tempfile.TemporaryDirectory(prefix="vksim-window-") as folder:
        if kept:
            os.makedirs(kept, exist_ok=True)
        screen = Screen(kept or folder)
        try:
            for driver in drivers:
                variable = f"VKSIM_TEST_{driver.upper()}_ICD"
                icd = os.environ.get(variable, "")
                if not os.path.isfile(icd):
                    check(False, f"{driver}: there is an ICD file", f"{variable}='{icd}'")
                    continue
                own = os.path.join(folder, driver)
                os.mkdir(own)
                tests = Tests(vksim, driver, icd, screen, own)
                tests.finite("--steps", "60", "--validate")
                tests.session()
                if driver == drivers[0]:  # independent of the driver
                    tests.finite("--steps", "50", "--steps-per-frame", "7")
                    tests.finite("--frames", "4", "--size", "5x3")
                    tests.timings()
                    tests.grid()
                    tests.ends()
                    tests.refusals()
        finally:
            screen.end()
    sys.exit(end())


if __name__ == "__main__":
    main()

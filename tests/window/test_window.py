#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_window.py VKSIM [DRIVER...]: tests the live window in a real X server. TAP output.

DRIVER is lavapipe (ICD file in VKSIM_TEST_LAVAPIPE_ICD) or swiftshader
(VKSIM_TEST_SWIFTSHADER_ICD); by default both. Needs Xvfb, xdotool, ffmpeg, ffprobe and
ImageMagick's import and convert. A missing tool or driver is a failure, never a skip. With
VKSIM_TEST_KEEP=FOLDER the screenshots are kept there.

The test starts its own X server and window manager, which implements just the X11 protocol that
full screen and closing need.
"""
import glob
import json
import os
import random
import re
import resource
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
PANEL, STRIP = 340, 46  # points: src/ui/panel.h, src/ui/strip.h
TRACK, ACCENT = b"\x35\x35\x3c", b"\xd9\x96\x2f"  # colours of a slider: src/ui/widgets.h
RULE = b"\x2a\x2a\x31"
ALERT = b"\xf7\x77\x5b"
SHADERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../shaders")
FIRST_TILE = 126  # the height of the middle of the gallery's first row
TABS = {"model": 32, "look": 84, "brush": 134, "gallery": 190}  # middles in the panel
NAMES = {"physarum": 43, "gray-scott": 117, "gas": 172, "physarum-3d": 235, "cipher": 305}

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

    def __init__(self, kept, dpi=96, size=SCREEN):
        read, write = os.pipe()
        self.server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-screen", "0", f"{size[0]}x{size[1]}x24",
             "-nolisten", "tcp", "-noreset", "-dpi", str(dpi)],
            pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as pipe:
            number = pipe.readline().strip()
        if not number:
            raise OSError("Xvfb does not start")
        self.display = f":{number}"
        self.size = size
        self.kept = kept  # a folder for the screenshots; None: they are not kept
        self.shots = 0
        self.manager = WindowManager(number)
        self.manager.start()

    def tool(self, *arguments):
        done = subprocess.run(["xdotool", *map(str, arguments)], capture_output=True, text=True,
                              env=dict(os.environ, DISPLAY=self.display), timeout=20)
        return done.stdout.strip()

    def shot(self, name):
        """The screen's pixels, rows of RGB bytes."""
        data = subprocess.run(["import", "-window", "root", "-depth", "8", "rgb:-"], check=True,
                              timeout=30, capture_output=True,
                              env=dict(os.environ, DISPLAY=self.display)).stdout
        if self.kept:
            self.shots += 1
            path = os.path.join(self.kept, f"{self.shots:03}-{name}.png")
            subprocess.run(["convert", "-size", f"{self.size[0]}x{self.size[1]}", "-depth", "8",
                            "rgb:-", path], check=True, timeout=30, input=data)
        return rows_of(data, self.size)

    def end(self):
        self.server.terminate()
        self.server.wait()


def pixels(path, size):
    data = subprocess.run(["convert", path, "-depth", "8", "rgb:-"], check=True, timeout=30,
                          capture_output=True).stdout
    return rows_of(data, size)


def rows_of(data, size):
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


def area(width, height, panel=True, strip=True):
    """The size of the picture's part of a window: src/ui/viewport.c."""
    left = max(width - PANEL, 0) if panel else width
    return left, height - STRIP if strip and left > 0 and height > STRIP else height


def fit(width, height):
    """The position of the field in that part, by the rule in src/ui/place.c."""
    if width * FIELD[1] <= height * FIELD[0]:
        w, h = width, max(1, (width * FIELD[1] + FIELD[0] // 2) // FIELD[0])
    else:
        w, h = max(1, (height * FIELD[0] + FIELD[1] // 2) // FIELD[1]), height
    return (width - w) // 2, (height - h) // 2, w, h


def sliders(rows):
    """The heights at which a panel's picture has sliders: y of their middles."""
    found = []
    for y, row in enumerate(rows):
        track = [row[i:i + 3] for i in range(3 * 166, 3 * 270, 3)]
        if sum(colour in (TRACK, ACCENT) for colour in track) > 80 and (
                not found or y > found[-1] + 8):
            found.append(y + 1)
    return found


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

    def __init__(self, tests, *options, env=None, base=None):
        self.screen = tests.screen
        self.folder = tests.folder
        self.stdout = open(os.path.join(tests.folder, "stdout"), "w+")
        self.stderr = open(os.path.join(tests.folder, "stderr"), "w+")
        self.process = subprocess.Popen(
            [tests.vksim, *(OPTIONS if base is None else base), *options], cwd=tests.folder,
            stdout=self.stdout,
            stderr=self.stderr, env=env or dict(tests.env, DISPLAY=self.screen.display))
        self.window = ""

    def opened(self, model=MODEL):
        def look():
            ids = self.screen.tool("search", "--onlyvisible", "--name", f"^{model}").split()
            self.window = ids[0] if ids else ""
            return self.window or self.process.poll() is not None
        until(look, 60)
        return self.window != "" and until(lambda: self.step() is not None)

    def key(self, *keys):
        self.screen.tool("key", "--delay", "30", *keys)

    def click(self, x, y, button=1):
        """A press and release there, and time for the window to act."""
        self.drag([(x, y)], button)

    def drag(self, points, button=1):
        """Through points of the window."""
        left, top = self.place()[:2]
        x, y = points[0]
        steps = [f"mousemove {left + x} {top + y}", f"mousedown {button}"]
        steps += [f"mousemove {left + x} {top + y} sleep 0.05" for x, y in points[1:]]
        self.screen.tool(*" ".join([*steps, f"mouseup {button}", "sleep 0.15"]).split())

    def wheel(self, x, y, notches):
        left, top = self.place()[:2]
        self.screen.tool("mousemove", left + x, top + y, "click", "--repeat", abs(notches),
                         "--delay", 40, 4 if notches > 0 else 5, "sleep", 0.2)

    def rest(self):
        """The mouse goes where no ring is drawn and nothing is lit."""
        self.screen.tool("mousemove", SCREEN[0] - 1, SCREEN[1] - 1, "sleep", 0.2)

    def settle(self):
        """Waits for the end of a way through time, while paused."""
        def still():
            step = self.step()
            time.sleep(0.4)
            return self.step() == step
        until(still, 30)

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

    def picture(self, name, panel=True):
        """The pixels of the window's part for the picture."""
        self.rest()
        x, y, width, height = self.place()
        return cut(self.screen.shot(f"{name}"), x, y, *area(width, height, panel))

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
        # Its compiler takes long: it runs what depends on the driver.
        self.brief = driver == "swiftshader"
        self.screen = screen
        self.folder = folder
        self.env = dict(os.environ, VK_ICD_FILENAMES=icd, VK_DRIVER_FILES=icd)
        for name in ("DISPLAY", "WAYLAND_DISPLAY", "VKSIM_DEVICE", "SDL_VIDEODRIVER"):
            self.env.pop(name, None)
        self.env.update(XDG_PICTURES_DIR=folder, XDG_VIDEOS_DIR=os.path.join(folder, "videos"),
                        XDG_DATA_HOME=os.path.join(folder, "data"),
                        XDG_CONFIG_HOME=os.path.join(folder, "config"))
        self.pictures_folder = os.path.join(folder, "vksim")
        self.videos_folder = os.path.join(folder, "videos", "vksim")

    def check(self, passed, name, why=""):
        return check(passed, f"{self.driver}: {name}", why)

    def picture_path(self, step, seed=1, more=".png", folder=None):
        return os.path.join(folder or self.pictures_folder,
                            f"{MODEL}-default-s{seed}-{step:06}{more}")

    def headless(self, *options):
        done = subprocess.run(
            [self.vksim, *OPTIONS, "--headless", "--quiet", *options], cwd=self.folder,
            env=self.env, capture_output=True, text=True, timeout=120)
        return done.stdout if done.returncode == 0 else done.stderr

    def digest(self, *options):
        found = re.search(r"digest state (\w+)", self.headless("--digest", "--out", "none",
                                                               *options))
        return found[1] if found else "no digest"

    # --- hot reload -------------------------------------------------------------------------------

    def reload(self):
        """An error in a shader is shown below the picture while the run goes on; a good edit takes
        its place."""
        folder = os.path.join(self.folder, "shaders")
        shutil.copytree(SHADERS, folder)
        path = os.path.join(folder, "view", "colour.glsl")
        with open(path, encoding="utf-8") as file:
            source = file.read()

        def save(old, new):
            assert old in source
            with open(path, "w", encoding="utf-8") as changed:
                changed.write(source.replace(old, new))

        def said(words):
            with open(os.path.join(self.folder, "stderr"), encoding="utf-8") as file:
                return words in file.read()

        def is_shown(name):
            x, y, width, height = run.place()
            column = cut(self.screen.shot(name), x + 20, y, 1, area(width, height)[1])
            return ALERT in (row[:3] for row in column)

        run = Run(self, "--hot-reload", folder)
        self.check(run.opened() or until(lambda: run.step() is not None, 60),
                   "a window with --hot-reload opens")
        before = run.picture("reload-before")
        save("tone * 255.0f", "tone ** 255.0f")
        self.check(until(lambda: said("view/colour.glsl:"), 90) and
                   until(lambda: is_shown("reload-error"), 10),
                   "an error in a shader is shown below the picture")
        step = run.step()
        self.check(until(lambda: (run.step() or 0) > step), "while the run goes on")
        run.key("space")
        self.check(until(run.paused), "it pauses")
        save("tone * 255.0f", "(1.0f - tone) * 255.0f")
        self.check(until(lambda: said("new shaders: view/"), 90) and
                   until(lambda: not is_shown("reload-mended"), 10), "a good edit mends it")
        after = run.picture("reload-after")
        middle = [sum(map(sum, rows[100:300])) for rows in (before, after)]
        self.check(abs(middle[1] - middle[0]) > 0.2 * max(middle), "and changes the picture",
                   middle)
        run.key("s", "q")
        code, _, err = run.end()
        self.check(code == 0, "the run ends with 0", f"{code}\n{err}")
        saved = max((os.path.join(self.pictures_folder, name)
                     for name in os.listdir(self.pictures_folder)), key=os.path.getmtime)
        done = subprocess.run([self.vksim, "--scene", saved, "--dry-run"], env=self.env, check=True,
                              capture_output=True, text=True, timeout=60)
        self.check("changed shaders (view/" in done.stderr,
                   "and its picture says which shaders it had", done.stderr)

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
        factor = (width - PANEL) // FIELD[0]
        self.check((width, height) == (factor * FIELD[0] + PANEL, factor * FIELD[1] + STRIP) and
                   factor > 1 and width < SCREEN[0] and height < SCREEN[1],
                   "a small field is shown larger by a whole factor", f"{width} x {height}")
        self.check(until(lambda: re.fullmatch(
            MODEL + r" \| seed 1 \| step \d+ \| [\d.]+ steps/s \| GPU [\d.]+ [mu]s/step",
            run.title())), "the title carries seed, step, steps/s and GPU time", run.title())
        before = run.step()
        self.check(until(lambda: (run.step() or 0) > before + 20), "it runs", run.title())
        rows = run.picture(f"{self.driver}-open")
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
        tall = (700, 200), (150, 500), (90, 80), (1, 1), (7, 600), (640, 480)
        for panel, size in [(False, size) for size in tall] + [
                (True, size) for size in ((90, 80), (1, 1), (900, 300))]:
            if panel and size == (90, 80) or not panel and size == tall[0]:
                run.key("Tab")
            name = f"{size[0]}x{size[1]}" + (" with the panel" if panel else "")
            placed = run.resize(*size)
            seen = area(*size, panel)
            x, y, width, height = fit(*seen)
            rows = []
            if seen[0] == 0:
                run.picture(f"{self.driver}-{name}")
                self.check(placed and run.process.poll() is None, f"it can be {name}")
                continue

            def whole():
                """The picture at its position, and the surround."""
                rows[:] = run.picture(f"{self.driver}-{name}", panel)
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
        paths = [self.picture_path(step), self.picture_path(step, more="-2.png")]
        run.resize(FIELD[0] + PANEL, FIELD[1] + STRIP)
        for path in paths:
            run.key("s")
            until(lambda path=path: os.path.exists(path), 5)
        pictures = [pixels(path, FIELD) if os.path.exists(path) else [] for path in paths]
        self.check(all(pictures), "S writes a picture of the field's size, twice without "
                   "overwriting", sorted(os.listdir(self.pictures_folder)))
        with open(os.path.join(self.folder, "stderr")) as file:
            text = file.read()
        self.check(all(f"wrote {path}" in text for path in paths), "and says so", text)
        self.check(until(lambda: run.picture(f"{self.driver}-same-size") == pictures[0], 3),
                   "a window with room for the field shows the very same pixels")
        self.headless("--steps", str(step), "--out", "wanted.png", "--overwrite", "--colormap",
                      "grey", "--normalize", "frame")
        wanted = os.path.join(self.folder, "wanted.png")
        self.check(pictures[0] and os.path.exists(wanted) and
                   pixels(wanted, FIELD) == pictures[0],
                   "the picture equals the headless one of that step")

    def annotations(self, run):
        step = run.step()
        paths = [self.picture_path(step, more=f"-{i}.png") for i in (3, 4)]
        for path in paths:
            run.key("a")
            time.sleep(0.5)
            run.key("s")
            until(lambda path=path: os.path.exists(path), 5)
        pictures = [pixels(path, FIELD) if os.path.exists(path) else [] for path in paths]
        self.check(all(pictures) and pictures[0] != pictures[1] and run.paused() and
                   run.step() == step, "A annotates the picture, and again it does not",
                   sorted(os.listdir(self.pictures_folder)))

    def full_screen(self, run):
        before = run.place()
        run.key("f")
        self.check(until(lambda: run.place() == (0, 0) + SCREEN, 5), "F fills the screen",
                   run.place())

        def filled(strip):
            """The picture is beside the panel, and above the strip if that is there."""
            seen = area(*SCREEN, True, strip)
            x, y, width, height = fit(*seen)
            rows = self.screen.shot(f"{self.driver}-full")
            edges = cut(rows, 0, 0, seen[0], y) + cut(rows, 0, y + height, seen[0],
                                                      seen[1] - y - height)
            return (all(row == bytes(SURROUND) * seen[0] for row in edges) and
                    deviation(cut(rows, x, y, width, height)) > 5)
        run.rest()
        self.check(until(lambda: filled(True), 3), "with the picture on it")
        self.check(until(lambda: filled(False), 5), "the strip hides while the mouse rests")
        self.screen.tool("mousemove_relative", "--", -5, -5)
        self.check(until(lambda: filled(True), 3), "and is back when it moves")
        run.rest()
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
            return deviation(run.picture(f"{self.driver}-mapped")) > 5
        self.check(until(shows, 5) and run.step() == step, "hidden and shown again it is whole")
        run.key("space")
        until(lambda: not run.paused(), 5)
        self.screen.tool("windowunmap", run.window)
        step = run.step()
        self.check(until(lambda: (run.step() or 0) > step + 10), "it runs on while hidden",
                   run.title())
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
        self.check(until(lambda: (run.step() or 0) > 5 and not run.paused()), "space runs on",
                   run.title())
        run.key("r")
        self.check(until(lambda: run.seed() == 2 and (run.step() or 0) > 0, 10), "R keeps the seed",
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
        until(lambda: (run.step() or 0) > 20)
        rows = run.picture(f"{self.driver}-grid")
        self.check(deviation(rows) > 5, "and shows a picture", deviation(rows))
        run.key("n")
        self.check(until(lambda: run.seed() == 2 and (run.step() or 0) > 3, 10),
                   "N takes new seeds",
                   run.title())
        run.key("space")
        until(run.paused, 5)
        time.sleep(0.3)
        step = run.step()
        run.key("s")
        path = self.picture_path(step, 2)
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

    # --- what a person does with panel, strip and brush -------------------------------------------

    def replays(self, name, out, what, drivers=("lavapipe", "swiftshader")):
        """The log of a run repeats it without a window, on all drivers."""
        for driver in drivers:
            icd = os.environ.get(f"VKSIM_TEST_{driver.upper()}_ICD", "")
            done = subprocess.run(
                [self.vksim, "--scene", name, "--headless", "--quiet", "--out", "none", "--digest"],
                cwd=self.folder, env=dict(self.env, VK_ICD_FILENAMES=icd, VK_DRIVER_FILES=icd),
                capture_output=True, text=True, timeout=120)
            self.check(done.returncode == 0 and done.stdout and done.stdout in out,
                       f"the log of {what} repeats it on {driver}",
                       f"{done.stdout}{done.stderr} wanted, got {out}")

    def log(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return json.load(file).get("events", [])

    def play(self):
        run = Run(self, "--record-events", "r.json", "--digest", "--validate=sync")
        if not self.check(run.opened(), "a window to play with opens"):
            print(f"# {run.end(1)}")
            return
        width, height = 1000, 780
        run.resize(width, height)
        until(lambda: (run.step() or 0) > 5)
        self.adjust(run, width - PANEL)
        self.paint(run)
        if not self.brief:
            self.look_closer(run, width, height)
        self.travel(run, height)
        picture = self.saved(run)
        run.key("q")
        code, out, err = run.end()
        self.check(code == 0 and "validation" not in err and "warning" not in err,
                   "the session ends with 0", f"{code}\n{err}")
        events = self.log("r.json")
        values = [event["set"] for event in events if "set" in event]
        for name, wanted in self.wanted.items():
            self.check(any(name in v and wanted in (None, v[name]) for v in values),
                       f"the log has {name} {wanted}", values)
        self.check(any(s["inverse"] for e in events for s in e.get("paint", []) if "inverse" in s)
                   and any(not s.get("inverse") for e in events for s in e.get("paint", [])) and
                   any("restart" in event for event in events),
                   "and strokes of both buttons and the restart", events[-3:])
        # SwiftShader takes long for what lavapipe has done.
        self.replays("r.json", out, "the session", sorted({"lavapipe", self.driver}))
        self.same_picture(picture)

    def continued(self):
        """A session that SIGTERM ends continues in another window, where it was, with its log."""
        run = Run(self, "--checkpoint", "k", "--record-events", "k.json", "--digest", "--watch",
                  "k.csv", "--normalize", "smooth")
        if not self.check(run.opened(), "a window with checkpoints opens"):
            print(f"# {run.end(1)}")
            return
        until(lambda: (run.step() or 0) > 5)
        run.drag([(60, 60), (120, 90), (160, 60)])
        run.key("r")
        until(lambda: (run.step() or 0) > 5)
        run.process.send_signal(signal.SIGTERM)
        code, _, err = run.end()
        before = self.log("k.json")
        self.check(code == 130 and "--resume k" in err and
                   not os.path.exists(os.path.join(self.folder, "k.csv")),
                   "SIGTERM ends it with a checkpoint", f"{code}\n{err}")
        run = Run(self, "--resume", "k", base=[])
        if not self.check(run.opened(), "it continues in a window"):
            print(f"# {run.end(1)}")
            return
        begin = run.step()
        until(lambda: (run.step() or 0) > begin + 5)
        run.drag([(60, 60), (120, 90)])
        run.key("q")
        code, out, err = run.end()
        log = self.log("k.json")
        self.check(code == 0 and "warning" not in err and len(log) > len(before) > 0 and
                   log[:len(before)] == before, "the log goes on", f"{code}\n{err}{before}{log}")
        self.replays("k.json", out, "a session that was continued", [self.driver])

    def adjust(self, run, left):
        """A slider, a number, a choice and a colour map; the keyboard."""
        self.wanted = {"sensor-distance": None, "sensor-angle": 33, "tone": "log",
                       "colormap": "grey", "view": None, "step-size": 3.5}
        if self.brief:
            del self.wanted["tone"], self.wanted["view"]
        run.rest()
        x, y, *size = run.place()
        rows = cut(self.screen.shot(f"{self.driver}-panel"), x + left, y, PANEL, size[1])
        rows_of = sliders(rows)
        if not self.check(len(rows_of) >= 5, "the panel has sliders", rows_of):
            return
        run.drag([(left + 180, rows_of[0]), (left + 210, rows_of[0]), (left + 240, rows_of[0])])
        run.process.send_signal(signal.SIGSTOP) # then all of it arrives at once
        run.click(left + 316, rows_of[1])
        run.key("3", "3", "Return")
        run.process.send_signal(signal.SIGCONT)
        time.sleep(0.5)
        run.click(left + TABS["look"], 22)
        run.click(left + 60, 84)
        if not self.brief:
            run.click(left + 289, 622)
        run.click(left + TABS["model"], 22)
        # Tabs, simulations, presets, their field, the group, and the fourth slider with its number.
        run.key("F6", *["Tab"] * 8)
        run.rest()
        self.screen.shot(f"{self.driver}-focus")
        run.key("Right", "3", "period", "5", "Return", "Escape")
        time.sleep(0.2)

    def paint(self, run):
        run.drag([(200, 300), (250, 350), (330, 360)])
        run.drag([(400, 300), (380, 340)], 3)
        run.key("ctrl+z", "ctrl+shift+z")
        time.sleep(0.3)
        run.key("space")
        until(run.paused, 5)
        run.settle()
        before = run.picture(f"{self.driver}-unpainted")
        run.drag([(100, 500), (500, 520)])
        run.drag([(100, 200), (500, 220)])
        after = run.picture(f"{self.driver}-painted")
        run.key("ctrl+z", "ctrl+z")
        self.check(after != before and until(
            lambda: run.picture(f"{self.driver}-undone") == before, 20),
            "strokes while paused show at once, and Ctrl+Z takes them back")
        run.key("ctrl+shift+z")
        run.key("c", "ctrl+z", "ctrl+shift+z", "x", "shift+c")
        if not self.brief:
            run.key("v", "shift+v", "v")
        run.settle()

    def look_closer(self, run, width, height):
        seen = area(width, height)
        run.key("0")
        whole = run.picture(f"{self.driver}-whole")
        run.wheel(300, 300, 4)
        rows = run.picture(f"{self.driver}-zoomed")
        edges = [sum(row[i:i + 3] != row[i + 3:i + 6] for i in range(0, len(row) - 3, 3))
                 for row in rows]
        self.check(rows != whole and max(edges) <= seen[0] // 6 + 1,
                   "the wheel magnifies; from 6x pixels are crisp", max(edges))
        run.key("z")
        rows = run.picture(f"{self.driver}-pixels")
        self.check(all(row[:3 * FIELD[0]] == row[3 * FIELD[0]:6 * FIELD[0]] for row in rows) and
                   rows[:FIELD[1]] == rows[FIELD[1]:2 * FIELD[1]],
                   "Z shows pixel by pixel, and a periodic field continues")
        run.key("Right")
        moved = run.picture(f"{self.driver}-moved")
        self.check([row[:-120] for row in moved] == [row[120:] for row in rows],
                   "arrows move it")
        run.drag([(300, 300), (340, 310), (340, 300)], 2)
        self.check(until(lambda: run.picture(f"{self.driver}-back") == rows, 3),
                   "and so does the middle button")
        run.key("0")
        self.check(until(lambda: run.picture(f"{self.driver}-fit") == whole, 3), "0 shows all")
        run.key("z")
        self.space(run)
        self.double_click(run, seen)
        run.wheel(300, 300, -30)

        def repeats():
            rows = [row[90:-90] for row in run.picture(f"{self.driver}-small")[30:400]]
            return all(row[:-75] == row[75:] for row in rows) and \
                rows[:-75] == rows[75:] and rows[:-25] != rows[25:]
        self.check(until(repeats, 3), "the wheel shows an eighth, and the field again and again")
        run.key("0")
        run.key("Tab")
        wide = run.picture(f"{self.driver}-wide", False)
        self.check(deviation([row[3 * seen[0]:] for row in wide]) > 5 and len(wide[0]) == 3 * width,
                   "Tab gives the panel's place to the picture")
        run.key("Tab")

    def space(self, run):
        """With the key, a drag moves the picture, and the run stays paused."""
        rows = run.picture(f"{self.driver}-space-before")
        self.screen.tool("keydown", "space", "sleep", 0.1)
        run.drag([(300, 300), (340, 310), (340, 300)])
        self.screen.tool("keyup", "space", "sleep", 0.1)
        moved = run.picture(f"{self.driver}-space")
        self.check([row[120:] for row in moved] == [row[:-120] for row in rows] and run.paused(),
                   "Space and a drag move it, and paint nothing", run.title())
        run.key("space")
        self.check(until(lambda: not run.paused(), 5), "Space alone resumes")
        run.key("space")
        until(run.paused, 5)
        run.settle()

    def double_click(self, run, seen):
        """The place is in the middle then, without what the first click has painted."""
        before = run.picture(f"{self.driver}-centre-before")
        left, top = run.place()[:2]
        self.screen.tool("mousemove", left + 120, top + 150, "click", "--repeat", 2, "--delay", 60,
                         1, "sleep", 0.3)
        run.settle()
        after = run.picture(f"{self.driver}-centre")
        right, down = seen[0] // 2 - 120, seen[1] // 2 - 150
        self.check(any([row[3 * dx:3 * (dx + 200)] for row in after[dy:dy + 200]] ==
                       [row[:600] for row in before[:200]]
                       for dx in (right, right - 1) for dy in (down, down - 1)),
                   "a double click centres its place and paints nothing")

    def travel(self, run, height):
        """Back in time, and on."""
        run.key("space")
        start = run.step()
        until(lambda: (run.step() or 0) > start + 5)
        run.key("space")
        until(run.paused, 5)
        time.sleep(0.3)
        last = run.step()
        run.click(160, height - STRIP // 2)
        self.check(until(lambda: run.paused() and run.step() < last, 10),
                   "the time line goes back", f"{last}, then {run.title()}")
        run.drag([(160, height - STRIP // 2), (330, height - STRIP // 2),
                  (600, height - STRIP // 2)])
        self.check(until(lambda: run.step() == last, 30), "and forward again",
                   f"{last}, then {run.title()}")
        run.key("comma")
        self.check(until(lambda: run.step() == last - 1, 20), "the comma goes one step back",
                   f"{last}, then {run.title()}")
        run.key("space")
        until(lambda: (run.step() or 0) > last + 3)
        run.key("r")
        until(lambda: 3 < run.step() < last)

    def saved(self, run):
        """A picture of the running simulation. Its path."""
        before = set(glob.glob(os.path.join(self.pictures_folder, "*.png")))
        run.key("s")

        def new():
            return set(glob.glob(os.path.join(self.pictures_folder, "*.png"))) - before
        self.check(until(new, 5), "S saves a picture of the running simulation")
        time.sleep(0.3)
        return max(new(), default="")

    def same_picture(self, path, size=FIELD):
        done = subprocess.run(
            [self.vksim, "--scene", path, "--headless", "--quiet", "--out", "again.png",
             "--overwrite"], cwd=self.folder, env=self.env, capture_output=True, text=True,
            timeout=120)
        again = os.path.join(self.folder, "again.png")
        self.check(done.returncode == 0 and pixels(again, size) == pixels(path, size),
                   "the scene in the picture gives the picture", f"{path} {done.stderr}")

    def new_runs(self):
        """A preset and all simulations from the panel."""
        run = Run(self, "--record-events", "n.json", "--digest", "--size", "64x64")
        if not self.check(run.opened(), "a window for several runs opens"):
            print(f"# {run.end(1)}")
            return
        width = run.place()[2]
        left = width - PANEL
        until(lambda: (run.step() or 0) > 30)
        run.click(left + 130, 144)  # the preset plain
        second = os.path.join(self.folder, "n.json")
        self.check(until(lambda: os.path.exists(second), 10) and until(
            lambda: (run.step() or 0) > 0), "a click on a preset starts it", run.title())
        run.drag([(100, 100), (150, 150)])
        names = [name for name in NAMES if name not in (MODEL, "cipher")] + [MODEL]
        run.click(left + NAMES["cipher"], 62)
        time.sleep(0.3)
        for name in names:
            run.click(left + NAMES[name], 62)
            self.check(until(lambda name=name: run.title().startswith(name + " |") and
                             (run.step() or 0) > 0, 60), f"a click on {name} opens it",
                       run.title())
        run.key("q")
        code, out, err = run.end()
        files = [f"n-{i}.json" for i in range(2, 3 + len(names))]
        self.check(all(f"the field has {size} cells" in err
                       for size in ("512x512", "32x32x32", "64x64x64")),
                   "and starts it in a size for this driver", err)
        self.check(err.count("must be image") == 1,
                   "one that needs a picture says so, and the run goes on", err)
        self.check(code == 0 and all(
            os.path.exists(os.path.join(self.folder, name)) for name in ["n.json", *files]),
            "and each run has its log", f"{code} {sorted(os.listdir(self.folder))}\n{err}")
        self.check(any("paint" in event for event in self.log("n-2.json")),
                   "the second log has the stroke", self.log("n-2.json"))
        done = self.headless_scene("n-2.json")
        self.check(done.returncode == 0, "it can be repeated", done.stderr)
        self.replays(files[-1], out, "the last of several runs")

    def preview(self):
        """The preset under the pointer runs in its tile. The window goes on, and its run is the
        same."""
        run = Run(self, "--digest", "--validate=sync")
        if not self.check(run.opened(), "a window with previews opens"):
            print(f"# {run.end(1)}")
            return
        run.resize(1000, 780)
        left, (x, y) = 1000 - PANEL, run.place()[:2]
        until(lambda: (run.step() or 0) > 5)

        def tiles():
            """The pictures of the presets network and jones, without their edges."""
            rows = self.screen.shot(f"{self.driver}-preview")
            return [cut(rows, x + left + side, y + 209, 60, 60) for side in (20, 100)]
        run.rest()
        still = tiles()
        self.screen.tool("mousemove", x + left + 50, y + 240)
        seen, step, since, longest = [], run.step(), time.monotonic(), 0

        def runs():
            """Three pictures of its run have been seen."""
            nonlocal step, since, longest
            now = tiles()
            if now[0] != still[0] and now not in seen:
                seen.append(now)
            if run.step() != step:
                step, since = run.step(), time.monotonic()
            longest = max(longest, time.monotonic() - since)
            return len(seen) >= 3
        self.check(until(runs, 60), "a preset runs under the pointer", f"{len(seen)} pictures")
        self.check(longest < 2, "and the window goes on", f"{longest} s without a step")
        self.check(all(one[1] == still[1] for one in seen), "one at a time")
        run.rest()
        self.check(until(lambda: tiles() == still, 5), "without the pointer it is still")
        run.key("space")
        until(run.paused, 5)
        time.sleep(0.3)
        step = run.step()
        run.key("q")
        code, out, err = run.end()
        self.check(code == 0 and "validation" not in err, "the session with previews ends with 0",
                   f"{code}\n{err}")
        self.check(err.count("computing on") + err.count("device 0:") <= 1,
                   "one message about the device", err)
        self.check(self.digest("--steps", str(step)) in out, "a preview changes no step", out)

    def gallery(self):
        """A saved picture appears in the gallery, leads back to its state, and is deleted."""
        shutil.rmtree(self.pictures_folder, ignore_errors=True)
        run = Run(self, "--digest", "--validate=sync")
        if not self.check(run.opened(), "a window with a gallery opens"):
            print(f"# {run.end(1)}")
            return
        run.resize(1000, 780)
        left = 1000 - PANEL
        until(lambda: (run.step() or 0) > 20)
        run.drag([(200, 300), (250, 350), (330, 360)])
        run.key("space")
        until(run.paused, 5)
        time.sleep(0.3)
        step, path = run.step(), self.saved(run)
        run.key("n", "space")
        until(lambda: run.seed() == 2 and (run.step() or 0) > 5)
        run.key("Tab", "g")

        def tile():
            """The first picture of the gallery is no plain area."""
            run.rest()
            x, y = run.place()[:2]
            return deviation(cut(self.screen.shot(f"{self.driver}-gallery"), x + left + 20,
                                 y + FIRST_TILE - 38, 84, 84)) > 5
        self.check(until(tile, 10), "the gallery shows its thumbnail")
        run.click(left + 60, FIRST_TILE)
        self.screen.shot(f"{self.driver}-gallery-look")
        run.click(left + 60, FIRST_TILE)
        run.click(left + 60, FIRST_TILE)
        self.check(until(lambda: run.paused() and (run.seed(), run.step()) == (1, step), 30),
                   "a double click returns to its state", f"{step} wanted, got {run.title()}")
        time.sleep(0.3)
        self.check(until(lambda: deviation(run.picture(f"{self.driver}-returned")) > 5, 5),
                   "and shows it")
        run.key("comma")
        self.check(until(lambda: run.step() == step - 1, 10), "from where there is a way back",
                   run.title())
        run.key("period")
        until(lambda: run.step() == step, 10)
        scene = self.headless_scene(path)
        run.key("F6", "Tab", "Tab", "Delete")
        trash = os.path.join(self.folder, "data", "Trash")
        name = os.path.basename(path)
        self.check(until(lambda: os.path.exists(os.path.join(trash, "files", name)) and
                         not os.path.exists(path), 5) and
                   os.path.exists(os.path.join(trash, "info", name + ".trashinfo")),
                   "Delete moves it to the trash", sorted(os.listdir(self.pictures_folder)))
        path = self.saved(run)
        with open(path, "wb") as file:
            file.write(b"no picture")
        left, top = run.place()[0] + left, run.place()[1]
        self.screen.tool("mousemove", left + 60, top + FIRST_TILE, "click", "--repeat", 2,
                         "--delay", 60, 1, "sleep", 0.3)
        run.rest()
        self.screen.shot(f"{self.driver}-gallery-damaged")
        run.key("q")
        code, out, err = run.end()
        self.check(code == 0 and "validation" not in err,
                   "the session with the gallery ends with 0", f"{code}\n{err}")
        self.check(err.count(f"'{path}' is not a PNG file") == 1,
                   "a damaged picture is one warning, and the run goes on", err)
        self.check(scene.returncode == 0 and scene.stdout and scene.stdout in out,
                   "the state is that of the scene in the picture",
                   f"{scene.stdout}{scene.stderr} wanted, got {out}")

    def camera(self):
        """A drag turns the camera of a volume, the wheel moves it; both are undone at once."""
        run = Run(self, base=["physarum-3d", "--size", "16x16x16", "--agents", "500", "--camera",
                              "30,20", "--record-events", "o.json"])
        if not self.check(run.opened(), "a window with a camera opens"):
            print(f"# {run.end(1)}")
            return
        run.resize(1000, 780)
        until(lambda: (run.step() or 0) > 5)
        run.drag([(200, 300), (260, 300), (320, 340)], 3)
        until(lambda step=run.step(): (run.step() or 0) > step + 3)
        run.wheel(300, 300, 3)
        until(lambda step=run.step(): (run.step() or 0) > step + 3)
        for _ in range(2):
            run.key("ctrl+z")
            until(lambda step=run.step(): (run.step() or 0) > step + 3)
        run.key("q")
        code, _, err = run.end()
        values = [event["set"] for event in self.log("o.json")]
        turned = [value["camera"] for value in values if "camera" in value]
        near = [value["zoom"] for value in values if "zoom" in value]
        self.check(code == 0 and len(turned) > 1 and turned[0] != turned[-1] == "30,20",
                   "a drag turns the camera, and is undone", f"{code} {values} {err}")
        self.check(len(near) > 1 and abs(max(near) - 1.1**3) < 0.01 and near[-1] == 1,
                   "the wheel moves it, and is undone", near)

    def motions(self):
        """A wave and morphs are events that repeat, and each is undone at once."""
        run = Run(self, "--record-events", "m.json", "--digest", "--validate=sync")
        if not self.check(run.opened(), "a window with motions opens"):
            print(f"# {run.end(1)}")
            return
        run.resize(1000, 780)
        left = 1000 - PANEL
        until(lambda: (run.step() or 0) > 5)
        run.rest()
        x, y, *size = run.place()
        rows = cut(self.screen.shot(f"{self.driver}-still"), x + left, y, PANEL, size[1])
        run.click(left + 200, sliders(rows)[0], 3)
        start = run.step()
        until(lambda: (run.step() or 0) > start + 20)
        run.rest()
        rows_of = sliders(cut(self.screen.shot(f"{self.driver}-wave"), x + left, y, PANEL, size[1]))
        run.key("ctrl+z")
        time.sleep(0.2)
        run.key("m")
        start = run.step()
        until(lambda: (run.step() or 0) > start + 20)
        run.key("m", "space")
        until(run.paused, 5)
        self.screen.tool("keydown", "shift")
        run.click(left + 130, 144)  # the second preset, at once
        self.screen.tool("keyup", "shift")
        run.key("q")
        code, out, err = run.end()
        self.check(code == 0 and "validation" not in err, "the session with motions ends with 0",
                   f"{code}\n{err}")
        events = self.log("m.json")
        steps = [event["step"] for event in events]
        waves = [event["set"]["sensor-distance"] for event in events
                 if list(event.get("set", {})) == ["sensor-distance"]]
        self.check(len(rows_of) >= len(sliders(rows)) and len(set(waves)) > 10 and
                   waves[-1] == 9 and steps == sorted(set(steps)),
                   "a wave sets its option, one event per step, until it is undone", waves)
        undone = max(at for at, event in enumerate(events)
                     if list(event.get("set", {})) == ["sensor-distance"])
        # What M goes to is left to chance, and may differ in one option; the last is the preset.
        morph = [event["set"] for event in events[undone + 1:-1]]
        self.check(len(morph) > 10 and len({str(values) for values in morph}) > 10,
                   "M sets options again and again", morph[:2])
        # SwiftShader would compile shaders for each step of a motion.
        self.replays("m.json", out, "a session with motions", ["lavapipe"])

    def path(self):
        """The right button draws a path in the chart; the options go along it until Escape or a
        click. Surprises are what the model takes. All of it repeats."""
        run = Run(self, "--record-events", "p.json", "--digest", "--validate=sync",
                  base=["gray-scott", "--size", "96x64", "--steps-per-frame", "1"])
        if not self.check(run.opened("gray-scott"), "a window with a chart opens"):
            print(f"# {run.end(1)}")
            return
        run.resize(1000, 780)
        left = 1000 - PANEL
        chart = (left + 14, 404, 312, 190)  # x, y, width, height

        def place(x, y):
            return int(chart[0] + x * chart[2]), int(chart[1] + y * chart[3])

        def play(points):
            start = run.step()
            run.drag([place(*point) for point in points], 3)
            until(lambda: (run.step() or 0) > start + 60)

        run.rest()
        play([(0.1, 0.2), (0.3, 0.3), (0.8, 0.3), (0.8, 0.8)])
        self.screen.shot(f"{self.driver}-path")
        run.key("Escape")
        time.sleep(0.3)
        first = run.step()
        until(lambda: (run.step() or 0) > first + 20)
        self.check(run.process.poll() is None, "Escape ends a path, not the run")
        run.click(left + 310, 604)  # along the crescent
        play([(0.5, 0.1), (0.5, 0.9)])
        self.screen.shot(f"{self.driver}-path-along")
        run.click(*place(0.5, 0.5))
        run.key(*["x"] * 12, "q")
        code, out, err = run.end()
        self.check(code == 0 and "validation" not in err and "is ignored" not in err,
                   "the session with paths and surprises ends with 0, and none is impossible",
                   f"{code}\n{err}")
        events = [event for event in self.log("p.json") if set(event["set"]) <= {"feed", "kill"}]
        split = [event for event in events if event["step"] <= first]
        along = [event for event in events if event["step"] > first + 20]
        kills = [event["set"]["kill"] for event in split if "kill" in event["set"]]
        self.check(len(split) > 20 and kills == sorted(set(kills)) and
                   0.034 < kills[0] < kills[-1] < 0.067,
                   "a path sets its options until Escape", split)
        # On the line itself, k is sqrt(F) / 2 - F: src/sim/gray_scott/model.c.
        both = [(event["set"]["feed"], event["set"]["kill"]) for event in along
                if len(event["set"]) == 2]
        self.check(len(both) > 10 and all(abs(f ** 0.5 / 2 - f - k) < 0.001 for f, k in both[:-1]),
                   "and goes along the crescent until a click", both)
        self.replays("p.json", out, "a session with paths")

    def headless_scene(self, name):
        return subprocess.run(
            [self.vksim, "--scene", name, "--headless", "--quiet", "--out", "none", "--digest"],
            cwd=self.folder, env=self.env, capture_output=True, text=True, timeout=120)

    # --- videos -----------------------------------------------------------------------------------

    def videos(self):
        return sorted(glob.glob(os.path.join(self.videos_folder, f"{MODEL}-*.mp4")))

    def stream(self, path):
        """(width, height, frames per second, frames) of a video."""
        done = subprocess.run(
            ["ffprobe", "-v", "error", "-count_frames", "-show_entries",
             "stream=width,height,r_frame_rate,nb_read_frames", "-of", "csv=p=0", path],
            capture_output=True, text=True, timeout=60)
        return tuple(done.stdout.strip().split(","))

    def video(self):
        """Enter records the frames that are presented, and the scene with what was done."""
        run = Run(self, "--record-events", "v.json", "--validate=sync", "--colormap", "grey")
        paused_at = None
        if not self.check(run.opened(), "a window to record from opens"):
            print(f"# {run.end(1)}")
            return
        until(lambda: (run.step() or 0) > 5)
        run.key("Return")
        before = run.step()
        until(lambda: (run.step() or 0) > before + 20)
        run.key("x")
        until(lambda: (run.step() or 0) > before + 60)
        run.key("space")
        until(run.paused, 5)
        shown = [self.saved(run)]
        paused_at = run.step()
        run.key("Return")
        self.check(until(self.videos, 10) and len(self.videos()) == 1, "Enter ends a video",
                   os.listdir(self.videos_folder))
        shown.append(self.saved(run))
        self.same_last_frame(self.videos()[0], shown)
        run.key("space")
        until(lambda: not run.paused(), 5)
        run.key("Return")
        before = run.step()
        until(lambda: (run.step() or 0) > before + 20)
        run.key("q")
        code, _, err = run.end()
        found = dict(re.findall(r"wrote (\S+\.mp4) \((\d+) frames?\)", err))
        self.check(code == 0 and len(found) == 2 and "validation" not in err,
                   "and so does the end of the run", f"{code}\n{err}")
        steps = []
        for path in self.videos():
            frames = found.get(path, "none")
            self.check(self.stream(path) == (*map(str, FIELD), "60/1", frames) and frames != "0",
                       f"a video has its {frames} frames", self.stream(path))
            steps.append(self.repeats(path))
        self.check(paused_at in steps, "a pause ends one at its step", f"{paused_at} {steps}")

    def same_last_frame(self, video, shown):
        """Pictures saved before and after the end of a video equal its last frame."""
        done = subprocess.run(["ffmpeg", "-v", "error", "-i", video, "-f", "rawvideo", "-pix_fmt",
                               "rgb24", "-"], capture_output=True, timeout=60)
        size = 3 * FIELD[0] * FIELD[1]
        last = done.stdout[-size:]
        for path, when in zip(shown, ("before", "after")):
            wanted = b"".join(pixels(path, FIELD))
            apart = sum(abs(a - b) for a, b in zip(last, wanted)) / size
            self.check(len(last) == len(wanted) == size and apart < 5,
                       f"its last frame is the picture {when} its end", apart)

    def repeats(self, name):
        """The scene of a video computes what the log of its run computes up to there. Its steps."""
        done = subprocess.run([self.vksim, "--scene", name, "--save-scene", "again.json",
                               "--overwrite", "--headless", "--quiet", "--out", "none",
                               "--digest"], cwd=self.folder, env=self.env, capture_output=True,
                              text=True, timeout=120)
        self.check(done.returncode == 0, "its scene runs", done.stderr)
        steps = self.scene("again.json").get("steps") if done.returncode == 0 else None
        log = subprocess.run([self.vksim, "--scene", "v.json", "--steps", str(steps), "--headless",
                              "--quiet", "--out", "none", "--digest"], cwd=self.folder,
                             env=self.env, capture_output=True, text=True, timeout=120)
        digests = [re.findall(r"digest state \w+", each.stdout) for each in (done, log)]
        self.check(digests[0] and digests[0] == digests[1] and
                   any("set" in event for event in self.scene("again.json").get("events", [])),
                   "and repeats what was done", f"{steps} {digests} {log.stderr}")
        return steps

    def scene(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return json.load(file)

    def no_video(self):
        """What cannot be recorded is one sentence, and the run goes on."""
        count = len(self.videos())
        for what, words, name in (
                (["--background", "transparent"], "'#000000'", "a transparent background"),
                (["--vary", "colormap=grey,ember"], "--headless with --out", "a grid")):
            run = Run(self, *what)
            if run.opened():
                run.key("Return")
                time.sleep(0.5)
                step = run.step()
                until(lambda step=step, run=run: (run.step() or 0) > step + 3, 10)
                run.key("q")
            code, _, err = run.end()
            self.check(code == 0 and len(self.videos()) == count and
                       err.count(words) == 1, f"{name} cannot be recorded",
                       f"{code}\n{err}")
        run = Run(self)
        if run.opened():
            resource.prlimit(run.process.pid, resource.RLIMIT_FSIZE, (5000, 5000))
            run.key("Return")
            step = run.step()
            until(lambda: (run.step() or 0) > step + 100)
            run.key("Return")  # or it has ended by itself; then this one is tried, too
            until(lambda: (run.step() or 0) > step + 120)
            run.key("q")
        code, _, err = run.end()
        self.check(code == 0 and re.search("cannot write '.*/physarum-", err) and
                   len(self.videos()) == count and
                   not glob.glob(self.videos_folder + "/*.part-*"),
                   "a video that cannot be written leaves no file, and the run goes on",
                   f"{code}\n{err}{os.listdir(self.videos_folder)}")

    def by_chance(self, seed, count):
        """Presses and keys at random; what they did can be repeated."""
        chance = random.Random(seed)
        run = Run(self, "--record-events", f"c{seed}.json", "--digest", "--validate=sync")
        if not self.check(run.opened(), "a window for a session by chance opens"):
            print(f"# {run.end(1)}")
            return
        left, top, width, height = run.place()
        keys = ("space period comma minus equal r n x shift+x ctrl+z ctrl+shift+z c shift+c v i a "
                "m b shift+b bracketleft bracketright z 0 Left Right Up Down Tab F6 F1 s p "
                "Return 7 BackSpace").split()
        for _ in range(count):
            steps = []
            for _ in range(10):
                at = f"mousemove {left + chance.randrange(width)} {top + chance.randrange(height)}"
                button = chance.choice((1, 1, 1, 2, 3, 4, 5))
                move = (f"mousemove_relative -- {chance.randrange(-60, 60)} "
                        f"{chance.randrange(-60, 60)}")
                steps += chance.choice((f"{at} click {button}",
                                        f"{at} click --repeat 2 --delay 50 1",
                                        f"keydown space {at} mousedown 1 {move} sleep 0.03 "
                                        "mouseup 1 keyup space",
                                        f"{at} mousedown {button} {move} sleep 0.03 "
                                        f"mouseup {button}",
                                        f"key {chance.choice(keys)}")).split()
            self.screen.tool(*steps, "sleep", 0.05)
            if run.process.poll() is not None:
                break
        self.screen.tool("windowfocus", run.window)
        self.check(run.process.poll() is None, "it goes on whatever is pressed")
        self.screen.manager.close_window(int(run.window))
        code, out, err = run.end(60)
        self.check(code == 0 and "validation" not in err, "and ends with 0", f"{code}\n{err}")
        files = glob.glob(os.path.join(self.folder, f"c{seed}*.json"))
        last = max(map(os.path.basename, files),
                   key=lambda name: int("0" + "".join(re.findall(r"-(\d+)", name))))
        self.replays(last, out, "a session by chance")

    def impossible(self):
        """Events that are impossible are a warning each, and the run goes on."""
        with open(os.path.join(self.folder, "wrong.json"), "w", encoding="utf-8") as file:
            json.dump({"simulation": MODEL, "size": "64x64", "agents": 500, "events": [
                {"step": 3, "set": {"sensor-angle": 1e9}},
                {"step": 4, "set": {"no-such-option": 1}},
                {"step": 6, "set": {"sensor-angle": 10}}]}, file)
        run = Run(self, "--scene", "wrong.json", "--steps", "20", "--digest", base=[])
        code, out, err = run.end(60)
        self.check(code == 0 and err.count("is ignored") == 2 and "no-such-option" in err,
                   "an impossible event is one warning", f"{code}\n{err}")
        done = subprocess.run([self.vksim, "--scene", "wrong.json", "--steps", "20", "--headless",
                               "--quiet", "--out", "none", "--digest"], cwd=self.folder,
                              env=self.env, capture_output=True, text=True, timeout=60)
        self.check(done.stdout and done.stdout in out, "and the run goes on", f"{done} {out}")

    def scales(self):
        """The panel on displays of other densities."""
        own = self.screen
        for dpi, scale in ((96, 1), (144, 1.5), (192, 2)):
            size = int(SCREEN[0] * scale), int(SCREEN[1] * scale)
            self.screen = Screen(own.kept, dpi, size)
            # Without RandR, whose outputs have no size in Xvfb.
            run = Run(self, "--size", "900x600", env=dict(
                self.env, DISPLAY=self.screen.display, SDL_VIDEO_X11_XRANDR="0"))
            opened = run.opened()
            rows = []
            if opened:
                width, height = run.place()[2:]
                room = 0.9 * min((size[0] - PANEL * scale) / 900, (size[1] - STRIP * scale) / 600)
                self.check(width >= int(PANEL * scale + 900 * room) and height <= size[1],
                           f"at scale {scale} the picture is larger", f"{width} x {height}")
                run.resize(*size)
                edge = size[0] - int(PANEL * scale)

                def drawn(edge=edge, rows=rows, scale=scale):
                    rows[:] = self.screen.shot(f"{self.driver}-scale-{scale}")
                    return all(row[3 * edge:3 * edge + 3] == RULE for row in rows)
                opened = until(drawn, 5)
                run.key("q")
            code, _, err = run.end()
            self.check(opened and code == 0, f"at scale {scale} the panel is as much wider",
                       f"{code}\n{err}")
            self.screen.end()
        self.screen = own

    def desktop(self):
        """A saved picture flashes, and E opens the folder of pictures."""
        programs = os.path.join(self.folder, "programs")
        opener = os.path.join(programs, "xdg-open")
        opened = os.path.join(self.folder, "opened")
        os.mkdir(programs)

        def install(text):
            with open(opener + ".new", "w", encoding="utf-8") as file:
                file.write("#!/bin/sh\n" + text)
            os.chmod(opener + ".new", 0o755)
            os.rename(opener + ".new", opener)

        def said(words):
            with open(run.stderr.name, encoding="utf-8") as file:
                return words in file.read()

        def flashes():
            run.key("s")
            x, y, width, height = run.place()
            seen = cut(self.screen.shot("flash"), x, y, *area(width, height))
            left, top, wide, high = fit(*area(width, height))
            edges = [seen[top], seen[top + high - 1]]
            return all(row[3 * left:3 * (left + wide)] == b"\xff" * 3 * wide for row in edges)
        install(f"echo \"$*\" > {opened}\n")
        run = Run(self, env=dict(self.env, DISPLAY=self.screen.display, PATH=programs))
        if not self.check(run.opened(), "a window of a desktop opens"):
            print(f"# {run.end(1)}")
            return
        self.check(until(flashes, 30), "S flashes a frame")
        run.key("e")
        self.check(until(lambda: os.path.exists(opened) and os.path.getsize(opened), 10),
                   "E calls xdg-open")
        with open(opened, encoding="utf-8") as file:
            self.check(file.read() == self.pictures_folder + "\n", "with the folder of pictures")
        time.sleep(0.5)
        install("exit 3\n")
        run.key("e")
        self.check(until(lambda: said("no program for folders"), 10), "its failure is a sentence")
        os.remove(opener)
        run.key("e")
        self.check(until(lambda: said("xdg-open is missing"), 10), "and so is its absence")
        run.key("q")
        code, _, err = run.end()
        self.check(code == 0, "the run goes on", f"{code}\n{err}")

    # --- other endings ----------------------------------------------------------------------------

    def ends(self):
        def interrupt(run):
            run.process.send_signal(signal.SIGINT)

        def close(run):
            self.screen.manager.close_window(int(run.window))

        def escape(run):
            run.key("Escape")
            time.sleep(0.5)
            self.check(run.process.poll() is None, "Escape asks first")
            run.key("Escape")

        def pause_and(action):
            def both(run):
                run.key("space")
                until(run.paused, 5)
                time.sleep(0.2)
                action(run)
            return both
        for name, action, wanted in (
                ("Escape twice", escape, 0),
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


def each_driver(usage, kind, test):
    """Calls `test` with the tests, of that kind, of each driver on the command line."""
    if len(sys.argv) < 2:
        sys.exit(usage)
    vksim = os.path.abspath(sys.argv[1])
    drivers = sys.argv[2:] or ["lavapipe", "swiftshader"]
    missing = [tool for tool in ("Xvfb", "xdotool", "import", "convert", "ffmpeg", "ffprobe")
               if not shutil.which(tool)]
    if missing:
        print(f"Bail out! missing: {', '.join(missing)}")
        sys.exit(1)
    kept = os.environ.get("VKSIM_TEST_KEEP")
    with tempfile.TemporaryDirectory(prefix="vksim-window-") as folder:
        if kept:
            os.makedirs(kept, exist_ok=True)
        screen = Screen(kept)
        try:
            for driver in drivers:
                variable = f"VKSIM_TEST_{driver.upper()}_ICD"
                icd = os.environ.get(variable, "")
                if not os.path.isfile(icd):
                    check(False, f"{driver}: there is an ICD file", f"{variable}='{icd}'")
                    continue
                own = os.path.join(folder, driver)
                os.mkdir(own)
                test(kind(vksim, driver, icd, screen, own))
        finally:
            screen.end()
    sys.exit(end())


def all_tests(tests):
    tests.finite("--steps", "60", "--validate")
    tests.session()
    tests.play()
    if tests.brief:
        return
    tests.continued()
    tests.video()
    tests.impossible()
    tests.new_runs()
    tests.motions()
    tests.path()
    tests.camera()
    tests.preview()
    tests.gallery()
    tests.by_chance(1, 12)
    tests.scales()
    tests.finite("--steps", "50", "--steps-per-frame", "7")
    tests.finite("--frames", "4", "--size", "5x3")
    tests.timings()
    tests.reload()
    tests.grid()
    tests.no_video()
    tests.desktop()
    tests.ends()
    tests.refusals()


if __name__ == "__main__":
    each_driver(__doc__, Tests, all_tests)

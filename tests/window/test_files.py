#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_files.py VKSIM [DRIVER...]: tests what the live window does with files. TAP output. As
test_window.py in all else.
"""
import glob
import json
import os
import re
import struct
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from test_window import (  # noqa: E402
    FIELD, FIRST_TILE, MODEL, NAMES, PANEL, TABS, Run, Tests, WindowManager, deviation, each_driver,
    pixels, until)


class Source(WindowManager):
    """A program from which files are dragged to a window: XDND, version 5."""

    def _announce(self):
        self.socket.settimeout(10)

    def drop(self, target, place, text, kind="text/uri-list"):
        atoms = {name: self._intern(name) for name in (
            "XdndSelection", "XdndEnter", "XdndPosition", "XdndDrop", "XdndActionCopy", kind)}
        source, data = self.next_id, text.encode()
        self._send(1, 0, struct.pack("<IIhhHHHHII", source, self.root, -1, -1, 1, 1, 0, 1, 0, 0))
        self._send(22, 0, struct.pack("<III", source, atoms["XdndSelection"], 0))
        for name, *numbers in (("XdndEnter", 5 << 24, atoms[kind], 0, 0),
                               ("XdndPosition", 0, place[0] << 16 | place[1], 0,
                                atoms["XdndActionCopy"]),
                               ("XdndDrop", 0, 0, 0, 0)):
            message = struct.pack("<BB2xII5I", 33, 32, target, atoms[name], source, *numbers)
            self._send(25, 0, struct.pack("<II", target, 0) + message)
        while True:
            event = self.events.pop(0) if self.events else self._packet()
            if event[0] & 0x7F == 30:  # SelectionRequest
                break
        when, _, asker, selection, wanted, name = struct.unpack_from("<6I", event, 4)
        self._send(18, 0, struct.pack("<IIIB3xI", asker, name, wanted, 8, len(data)) + data)
        notify = struct.pack("<BxH5I8x", 31, 0, when, asker, selection, wanted, name)
        self._send(25, 0, struct.pack("<II", asker, 0) + notify)
        time.sleep(0.5)
        self.socket.close()


class Files(Tests):
    def files(self, end):
        folder = self.videos_folder if end.endswith(".mp4") else self.pictures_folder
        return sorted(glob.glob(os.path.join(folder, "*" + end)))

    def wrote(self, run, name, seconds=60):
        """Whether the run says that it has written the file."""
        def said():
            with open(run.stderr.name, encoding="utf-8") as file:
                return f"wrote {name}\n" in file.read()
        return until(said, seconds)

    def played(self):
        """A run with a restart and strokes, paused. None: there is no window."""
        run = Run(self, "--normalize", "smooth")
        if not self.check(run.opened(), "a window opens"):
            print(f"# {run.end(1)}")
            return None
        run.resize(1000, 780)
        until(lambda: (run.step() or 0) > 10)
        run.drag([(200, 300), (250, 350), (330, 360)])
        run.key("n")
        until(lambda: run.seed() == 2 and run.step() > 10)
        run.drag([(300, 200), (150, 350)])
        until(lambda: run.step() > 30)
        run.key("space")
        until(run.paused, 5)
        time.sleep(0.3)
        return run

    # --- renderings in the background -------------------------------------------------------------

    def is_enlarged(self, large, small):
        """Means of 4x4 pixels are nearly those of the small picture, and the state is the same."""
        size = subprocess.run(["identify", "-format", "%w %h", large], capture_output=True,
                              text=True, timeout=30).stdout
        self.check(size == f"{4 * FIELD[0]} {4 * FIELD[1]}", "its sides are four times as long",
                   size)
        reduced = os.path.join(self.folder, "reduced.png")
        subprocess.run(["convert", large, "-filter", "box", "-resize", f"{FIELD[0]}x{FIELD[1]}!",
                        reduced], check=True, timeout=30)
        a, b = b"".join(pixels(reduced, FIELD)), b"".join(pixels(small, FIELD))
        error = sum(abs(x - y) for x, y in zip(a, b)) / max(len(a), 1)
        self.check(len(a) == len(b) and error < 4, "it shows what the window showed",
                   f"mean error {error}")
        states = [self.headless_scene(path).stdout for path in (large, small)]
        self.check(states[0] and states[0] == states[1], "its scene leads to the same state",
                   states)

    def rendering(self):
        run = self.played()
        if not run:
            return
        step, small = run.step(), self.saved(run)
        run.key("shift+s")
        large = self.picture_path(step, 2, "-4x.png")
        self.check(self.wrote(run, large), "Shift+S renders a larger picture",
                   self.files("-4x.png"))
        self.is_enlarged(large, small)
        self.in_gallery(run, step, 2, "-4x-2.png")
        run.key("q")
        code, _, err = run.end()
        self.check(code == 0 and err.count("-4x.png") == 1, "the session ends with 0",
                   f"{code}\n{err}")

    def tile(self, run, left):
        """Whether the first picture of the gallery is no plain area."""
        x, y = run.place()[:2]
        run.rest()
        shot = self.screen.shot("gallery-tile")
        return deviation([row[3 * (x + left + 20):3 * (x + left + 104)]
                          for row in shot[y + FIRST_TILE - 38:y + FIRST_TILE + 46]]) > 5

    def in_gallery(self, run, step, seed, more):
        """The newest file returns to its state, whose enlarged picture is `more`."""
        left = 1000 - PANEL
        run.click(left + TABS["gallery"], 22)

        self.check(until(lambda: self.tile(run, left), 5), "it is in the gallery")
        run.click(left + 60, FIRST_TILE)
        run.click(left + 60, FIRST_TILE)
        run.click(left + 60, FIRST_TILE)
        self.check(until(lambda: run.paused() and run.step() == step and run.seed() == seed, 30),
                   "a double click returns to its state", run.title())
        run.key("shift+s")
        more = self.picture_path(step, seed, more)
        size = self.wrote(run, more) and subprocess.run(
            ["identify", "-format", "%w", more], timeout=30, capture_output=True, text=True).stdout
        self.check(size == str(4 * FIELD[0]), "in a picture of the first size", size)

    def given_up(self):
        """The button in the strip, and the question before the window closes."""
        run = self.played()
        if not run:
            return
        run.key("space", "shift+Return")
        part = os.path.join(self.videos_folder, "*-4k.mp4.part-*")
        self.check(until(lambda: glob.glob(part), 20), "Shift+Enter begins a video")
        found = until(lambda: self.job(run), 5)
        self.check(found and until(lambda: not glob.glob(part), 10), "a click gives it up", found)
        run.key("shift+Return")
        until(lambda: glob.glob(part), 20)
        run.key("q")
        time.sleep(0.5)
        self.check(run.process.poll() is None and glob.glob(part), "Q asks first")
        run.key("q")
        code, _, err = run.end(10)
        self.check(code == 0 and not glob.glob(part) and not self.files("-4k.mp4"),
                   "and gives it up the second time", f"{code}\n{err}")

    def job(self, run):
        """Clicks on the progress of a rendering, which has a bar below it. True: there was one."""
        x, y, width, height = run.place()
        run.rest()
        row = self.screen.shot("job")[y + height - 46 + 11 + 20]
        bar = [i for i in range(width - PANEL - 250, width - PANEL - 60)
               if row[3 * (x + i):3 * (x + i) + 3] in (b"\x35\x35\x3c", b"\xd9\x96\x2f")]
        if len(bar) < 30:
            return False
        run.click(bar[len(bar) // 2], height - 23)
        return True

    def large_video(self):
        run = Run(self, "--steps-per-frame", "20")
        if not self.check(run.opened(), "a window opens"):
            print(f"# {run.end(1)}")
            return
        run.resize(1000, 780)
        until(lambda: (run.step() or 0) >= 60)
        run.key("space")
        until(run.paused, 5)
        time.sleep(0.3)
        step = run.step()
        run.key("shift+Return")
        video = self.picture_path(step, 1, "-4k.mp4", self.videos_folder)
        done = self.wrote(run, video, 90)
        self.in_gallery(run, step, 1, "-4x.png")
        run.key("q")
        code, _, err = run.end()
        if not self.check(code == 0 and done, "Shift+Enter renders a video", f"{code}\n{err}"):
            return
        frames = -(-step // 20) + 1
        self.check(self.stream(video) == ("2880", "2160", "60/1", str(frames)),
                   "of 4K, with all frames from the start", f"{frames} {self.stream(video)}")
        done = self.headless_scene(video)
        self.check(self.digest("--steps", str(step)) in done.stdout,
                   "its scene leads to the same state", f"{done.stdout}{done.stderr}")


    def loop(self):
        """A video whose end fades into its start, and its thumbnail in a later window."""
        run = Run(self, "--record-events", "l.json")
        if not self.check(run.opened(), "a window to record a loop from opens"):
            print(f"# {run.end(1)}")
            return
        run.resize(1000, 780)
        left = 1000 - PANEL
        run.click(left + TABS["gallery"], 22)
        run.click(left + 309, 68)
        run.rest()
        self.screen.shot("loop-option")
        before = set(self.files(".mp4"))
        run.key("Return")
        start = run.step()
        until(lambda: run.step() > start + 200, 60)
        run.key("Return")
        video = until(lambda: set(self.files(".mp4")) - before, 20)
        self.check(until(lambda: self.tile(run, left), 10), "the gallery shows it")
        run.key("q")
        code, _, err = run.end()
        if not self.check(code == 0 and video, "Enter records one", f"{code}\n{err}"):
            return
        self.is_loop(video.pop(), err)
        run = Run(self)
        if self.check(run.opened(), "a later window opens"):
            run.resize(1000, 780)
            run.click(left + TABS["gallery"], 22)
            self.check(until(lambda: self.tile(run, left), 10), "it shows the video")
            run.key("q")
        code, _, err = run.end()
        self.check(code == 0, "and ends with 0", f"{code}\n{err}")

    def is_loop(self, video, err):
        done = subprocess.run(["ffmpeg", "-v", "error", "-i", video, "-f", "rawvideo", "-pix_fmt",
                               "gray", "-"], capture_output=True, timeout=60)
        size = FIELD[0] * FIELD[1]
        frames = [done.stdout[i:i + size] for i in range(0, len(done.stdout), size)]
        said = int(re.search(r"\((\d+) frames\)", err)[1])

        def apart(a, b):
            return sum(abs(x - y) for x, y in zip(frames[a], frames[b])) / size
        middle = len(frames) // 2
        self.check(len(frames) == said > 60, "with the frames that it says", f"{said}\n{err}")
        self.check(apart(-1, 0) < 0.5 * apart(0, middle), "its end is like its start",
                   [apart(-1, 0), apart(0, middle)])

    # --- presets ----------------------------------------------------------------------------------

    def presets(self):
        """A preset is saved, starts a run, is known to the command line, and is deleted."""
        folder = os.path.join(self.env["XDG_CONFIG_HOME"], "vksim", "presets")
        os.makedirs(folder)
        with open(os.path.join(folder, "damaged.json"), "w", encoding="utf-8") as file:
            file.write("{")
        run = Run(self)
        if not self.check(run.opened(), "a window opens"):
            print(f"# {run.end(1)}")
            return
        run.resize(1000, 780)
        left = 1000 - PANEL
        until(lambda: (run.step() or 0) > 5)
        run.key("c")
        time.sleep(0.3)
        run.click(left + 100, 352)
        self.screen.tool("type", "mine")
        run.key("Return")
        path = os.path.join(folder, "mine.json")
        self.check(until(lambda: os.path.exists(path), 5), "a name in the panel saves a preset")
        time.sleep(0.5)
        self.screen.shot("preset-saved")
        until(lambda: run.step() > 100)
        before = run.step()
        run.click(left + 40, 356)
        self.check(until(lambda: run.step() < before, 10) and until(lambda: run.step() > 5, 10),
                   "a click on it starts a run", run.title())
        listed = subprocess.run([self.vksim, MODEL, "--list"], env=self.env, capture_output=True,
                                text=True, timeout=20)
        self.check("    mine " in listed.stdout and listed.stderr.count("damaged.json") == 1,
                   "--list has it, and names a damaged one", listed.stderr)
        shown = subprocess.run([self.vksim, "--preset", "mine", "--show-options"], env=self.env,
                               capture_output=True, text=True, timeout=20)
        with open(path, encoding="utf-8") as file:
            colours = json.load(file)["colormap"]
        self.check(re.search(rf"colormap +{colours}\b.*default", shown.stdout),
                   "--preset takes it", f"{colours} {shown.stderr}")
        run.click(left + 300, 388)
        trash = os.path.join(self.folder, "data", "Trash", "files", "mine.json")
        self.check(until(lambda: not os.path.exists(path) and os.path.exists(trash), 5),
                   "a button deletes it")
        run.key("q")
        code, _, err = run.end()
        self.check(code == 0 and "saved the preset" not in err, "the session ends with 0",
                   f"{code}\n{err}")


    def favourites(self):
        """Ctrl and a digit save the options, the digit brings them back, from other simulations,
        too."""
        path = os.path.join(self.env["XDG_CONFIG_HOME"], "vksim", "presets", "favourite-3.json")
        run = Run(self, "--record-events", "f.json")
        if not self.check(run.opened(), "a window opens"):
            print(f"# {run.end(1)}")
            return
        until(lambda: (run.step() or 0) > 5)
        run.key("space")
        until(run.paused, 5)
        run.key("c", "ctrl+3")
        self.check(until(lambda: os.path.exists(path), 5), "Ctrl and a digit save a favourite")
        with open(path, encoding="utf-8") as file:
            colours = json.load(file)["colormap"]
        run.key("c", "c")
        time.sleep(0.3)
        run.key("3")
        time.sleep(0.3)
        run.key("4")
        time.sleep(0.3)
        width = run.place()[2]
        run.click(width - PANEL + NAMES["gray-scott"], 62)
        until(lambda: run.title().startswith("gray-scott"), 60)
        run.key("3")
        self.check(until(lambda: run.title().startswith(MODEL), 60),
                   "the digit opens another simulation", run.title())
        run.key("q")
        code, _, err = run.end()
        values = [event["set"] for event in self.log("f.json") if "set" in event]
        self.check(values and values[-1].get("colormap") == colours,
                   "the digit takes it", f"{colours} {values}")
        self.check(code == 0 and err.count("there is no favourite-4") == 1,
                   "one that is missing is one sentence", f"{code}\n{err}")


    # --- dropped files ----------------------------------------------------------------------------

    def drop(self, run, path, kind="text/uri-list"):
        x, y = run.place()[:2]
        Source(self.screen.display[1:]).drop(int(run.window), (x + 100, y + 100),
                                             f"file://{path}\r\n", kind)

    def dropped_pictures(self):
        """A picture that is not vksim's becomes the start, and walls of a new run."""
        photo = os.path.join(self.folder, "my photo.png")
        subprocess.run(["convert", "-size", "300x200", "gradient:black-white", photo], check=True)
        run = Run(self, "--record-events", "d.json", "--digest")
        if not self.check(run.opened(), "a window opens"):
            print(f"# {run.end(1)}")
            return
        run.resize(1000, 780)
        left = 1000 - PANEL
        until(lambda: (run.step() or 0) > 20)
        self.drop(run, photo.replace(" ", "%20"))
        run.rest()
        self.screen.shot("drop")
        run.click(left + 90, 88)
        self.check(until(lambda: run.step() < 15, 10), "as start: it restarts", run.title())
        until(lambda: run.step() > 20)
        self.drop(run, photo.replace(" ", "%20"))
        run.click(left + 250, 124)
        log = os.path.join(self.folder, "d.json")
        self.check(until(lambda: os.path.exists(log), 20) and until(
            lambda: (run.step() or 0) > 3, 30), "as walls: a new run", run.title())
        self.drop(run, photo.replace(" ", "%20"))
        run.click(left + 250, 160)  # not now
        run.key("q")
        code, out, err = run.end()
        self.check(code == 0, "the session ends with 0", f"{code}\n{err}")
        sets = [event["set"] for event in self.log("d.json") if "set" in event]
        self.check(sets == [{"init": f"image:{photo}"}], "the log has the start", sets)
        with open(os.path.join(self.folder, "d-2.json"), encoding="utf-8") as file:
            scene = json.load(file)
        self.check(scene["walls"] == f"image:{photo}" and "events" not in scene,
                   "the new run has the walls", scene)
        done = self.headless_scene("d-2.json")
        self.check(done.stdout and done.stdout in out, "which its scene repeats",
                   f"{done.stdout}{done.stderr} {out}")

    def dropped_scenes(self):
        """A picture of vksim's leads to its state, a session is played."""
        run = self.played()
        if not run:
            return
        step, picture = run.step(), self.saved(run)
        session = os.path.join(self.folder, "session.json")
        scene = '{"simulation": "gray-scott", "size": "64x64", "steps": 400, "events": %s}'
        with open(session, "w", encoding="utf-8") as file:
            file.write(scene % '[{"step": 3, "set": {"feed": 0.03}}]')
        run.key("n", "space")
        until(lambda: run.seed() == 3 and run.step() > 5)
        self.drop(run, picture)
        run.rest()
        self.screen.shot("drop-own")
        run.click(1000 - PANEL + 90, 88)
        self.check(until(lambda: run.paused() and (run.seed(), run.step()) == (2, step), 30),
                   "a picture's scene leads to its state", f"{step} {run.title()}")
        self.drop(run, session)
        self.check(until(lambda: run.title().startswith("gray-scott") and run.step() > 3, 30),
                   "a session is played", run.title())
        formula = os.path.join(self.folder, "formula.json")
        with open(formula, "w", encoding="utf-8") as file:
            json.dump({"simulation": "spread", "size": "64x48", "formula": json.dumps(
                {"formula": 1, "name": "spread", "fields": {"u": {}}, "parameters": {"d": 0.2},
                 "rates": {"u": "d*lap(u)"}, "init": {"noise": {"u": "random()"}}})}, file)
        self.drop(run, formula)
        self.check(until(lambda: run.title().startswith("spread") and run.step() > 3, 30),
                   "a scene brings its formula", run.title())
        self.drop(run, session)
        until(lambda: run.title().startswith("gray-scott") and run.step() > 3, 30)
        broken = os.path.join(self.folder, "broken.json")
        with open(broken, "w", encoding="utf-8") as file:
            file.write(scene % '[{"step": 3, "set": 7}]')
        for path in (broken, self.folder, __file__, os.path.join(self.folder, "missing.png")):
            self.drop(run, path)
        self.drop(run, "/a", "text/plain")
        now = run.step()
        self.check(until(lambda: run.step() > now, 10), "the run goes on after useless ones")
        run.key("q")
        code, _, err = run.end()
        self.check(code == 0 and err.count("event 1 has a") == 1 and
                   err.count("is not a file: drop") == 1 and
                   err.count("is neither a scene nor") == 1 and err.count("missing.png") == 1,
                   "each of which is one sentence", f"{code}\n{err}")


    def formulas(self):
        """A file of formulas that is saved while it runs: an error is shown, good formulas go on
        from the state, with the values that were set."""
        def save(fields=("u",), rate="d*lap(u)", **parameters):
            model = {"formula": 1, "name": "spread", "fields": {name: {} for name in fields},
                     "parameters": {"d": 0.1, **parameters},
                     "rates": {name: rate for name in fields},
                     "init": {"noise": {name: "random()" for name in fields}}}
            with open(os.path.join(self.folder, "spread.json"), "w", encoding="utf-8") as file:
                json.dump(model, file)

        def said(words):
            with open(run.stderr.name, encoding="utf-8") as file:
                return until(lambda: file.seek(0) or words in file.read(), 30)

        save()
        cache = os.path.join(self.folder, "pictures-cache")
        env = dict(self.env, DISPLAY=self.screen.display, VKSIM_CACHE_DIR=cache)
        run = Run(self, "--hot-reload", "spread.json", "--record-events", "spread-events.json",
                  base=["spread.json", "--size", "64x48", "--d", "0.15"], env=env)
        if not self.check(run.opened("spread"), "a window with --hot-reload of formulas opens"):
            return
        self.check(until(lambda: [os.path.getsize(name) for name in glob.glob(
            os.path.join(cache, "presets", "*"))] == [128 * 128 * 4], 30),
                   "the picture of its preset is made")
        save(rate="d*lpa(u)")
        self.check(said("there is no function 'lpa'"), "an error is told")
        self.screen.shot("formulas-error")
        step = run.step()
        self.check(until(lambda: run.step() > step), "while the run goes on")
        run.key("space")
        self.check(until(run.paused), "it pauses")
        step = run.step()
        save(rate="d*lap(u) + e", e=0.25)
        self.check(said(f"step {step}: new formulas") and said("wrote spread-events.json") and
                   until(lambda: run.paused() and run.step() == step, 30),
                   "good formulas go on from the state, paused", run.title())
        run.key("space")
        self.check(until(lambda: run.step() > step, 30), "and run", run.title())
        save(("u", "v"))
        self.check(said("the run begins again"), "other fields begin again")
        save(("u", "v"), rate="d*lap(v)")
        self.check(until(lambda: os.path.exists(os.path.join(
            self.folder, "spread-events-3.json")), 30), "each version has its events")
        run.key("q")
        code, _, err = run.end()
        self.check(code == 0 and err.count(": new formulas") == 3, "the run ends with 0",
                   f"{code}\n{err}")
        scenes = []
        for number in ("", "-2", "-3"):
            with open(os.path.join(self.folder, f"spread-events{number}.json"),
                      encoding="utf-8") as file:
                scenes.append(json.load(file))
        self.check([scene["d"] for scene in scenes] == [0.15] * 3 and scenes[1]["e"] == 0.25,
                   "with the values that were set", scenes)
        self.check(["changed-shaders" in scene for scene in scenes] == [False, True, False],
                   "scenes tell of a state that they do not lead to", scenes)


def all_tests(tests):
    tests.rendering()
    tests.given_up()
    tests.large_video()
    tests.loop()
    tests.presets()
    tests.favourites()
    tests.dropped_pictures()
    tests.dropped_scenes()
    tests.formulas()


if __name__ == "__main__":
    each_driver(__doc__, Files, all_tests)

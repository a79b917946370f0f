#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_presentation.py VKSIM: tests how a window copes with surfaces and displays. TAP output.

Present modes, lost surfaces, X servers that end, several displays, and input during long steps.
Uses lavapipe (ICD file in VKSIM_TEST_LAVAPIPE_ICD), tests/cli/memory_layer.c and the tools of
test_window.py.
"""
import ctypes
import glob
import json
import os
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import test_window as window  # noqa: E402
from test_window import (MODEL, PANEL, RULE, SCREEN, Run, Screen, check, cut, end,  # noqa: E402
                         until)

LOST, OUT_OF_DATE, SUBOPTIMAL = -1000000000, -1000001004, 1000001003
NO_LONGER_FULL = -1000255000  # VK_ERROR_FULL_SCREEN_EXCLUSIVE_MODE_LOST_EXT


class Tests(window.Tests):
    def __init__(self, vksim, icd, screen, folder):
        super().__init__(vksim, "lavapipe", icd, screen, folder)

    def layered(self, **settings):
        """The environment of a run with the layer, and what it is to do."""
        return dict(self.env, DISPLAY=self.screen.display,
                    VK_ADD_LAYER_PATH=os.path.join(os.path.dirname(self.vksim), "tests"),
                    VK_INSTANCE_LAYERS="VK_LAYER_VKSIM_memory",
                    **{f"MEMORY_LAYER_{name.upper()}": str(value)
                       for name, value in settings.items()})

    def modes(self):
        for mode in ("fifo", "fifo-relaxed", "mailbox", "immediate"):
            self.finite("--steps", "20", "--present", mode, "--validate")
        code, _, err = Run(self, "--present", "fifo-relaxed", env=self.layered(modes=3)).end()
        self.check(code == 3 and "vksim: --present: " in err and
                   "has only fifo, mailbox, immediate on this display" in err,
                   "a mode that the surface lacks ends with 3, naming those it has",
                   f"{code}\n{err}")

    def surfaces(self):
        """The run goes on whatever acquiring and presenting return."""
        options = ["--steps", "30", "--digest", "--validate=sync"]
        wanted = self.digest("--steps", "30")
        for name, plan in (
                ("a surface lost while an image is acquired", {"acquire": f"3:{LOST},4:{LOST}"}),
                ("a surface lost while presenting", {"present": f"3:{LOST},4:{LOST}"}),
                ("images out of date", {"acquire": f"2:{OUT_OF_DATE},5:{OUT_OF_DATE}",
                                        "present": f"4:{OUT_OF_DATE},5:{NO_LONGER_FULL}"}),
                ("suboptimal images", {"acquire": f"0:{SUBOPTIMAL}",
                                       "present": f"0:{SUBOPTIMAL}"})):
            code, out, err = Run(self, *options, env=self.layered(**plan)).end(60)
            self.check(code == 0 and wanted in out and "validation" not in err,
                       f"the run goes on after {name}", f"{code}\n{out}{err}")
        code, _, err = Run(self, env=self.layered(acquire=f"0:{LOST}")).end()
        self.check(code == 3 and "does not keep the window's surface" in err,
                   "a surface that is lost each time ends with 3", f"{code}\n{err}")

    def queues(self):
        """A device that computes and presents with queues of two families."""
        code, out, err = Run(self, "--steps", "30", "--digest", "--validate=sync",
                             env=self.layered(queues=1, present=f"5:{LOST}")).end(60)
        self.check(code == 0 and self.digest("--steps", "30") in out and "validation" not in err,
                   "presenting from a queue of another family", f"{code}\n{out}{err}")

    def displays(self):
        """The window opens on the display with the mouse, and takes the scale of the other one."""
        library = os.path.join(self.folder, "libSDL2-2.0.so.0")
        os.symlink(os.path.join(os.path.dirname(self.vksim), "tests", "two_displays.so"), library)
        with open("/proc/self/maps", encoding="utf-8") as file:
            ctypes.CDLL("libSDL2-2.0.so.0")
            real = next(line.split()[-1] for line in file if "/libSDL2-2.0.so" in line)
        env = dict(self.env, DISPLAY=self.screen.display, LD_LIBRARY_PATH=self.folder,
                   TWO_DISPLAYS_SDL=real)
        half = SCREEN[0] // 2
        for side, scale in (("left", 1), ("right", 1.5)):
            self.screen.tool("mousemove", half + (50 if scale > 1 else -50), 50)
            run = Run(self, "--validate=sync", env=env)
            opened = run.opened()
            x, _, width, _ = run.place() if opened else (0, 0, 0, 0)
            self.check(opened and (half <= x if scale > 1 else x + width <= half),
                       f"it opens on the {side} display, where the mouse is", f"{x} {width}")
            self.check(opened and until(lambda: self.has_panel(run, scale), 5),
                       f"the panel has the scale of the {side} display")
            self.screen.tool("windowmove", run.window, 0 if scale > 1 else half, 0)
            self.check(opened and until(lambda: self.has_panel(run, 2.5 - scale), 5),
                       "and that of the other one after a move there")
            run.key("q")
            code, _, err = run.end()
            self.check(code == 0 and "validation" not in err, "Q ends it", f"{code}\n{err}")
        os.remove(library)

    def has_panel(self, run, scale):
        """Whether the left edge of the panel is where the scale puts it."""
        x, y, width, height = run.place()
        rows = cut(self.screen.shot(f"panel-{scale}"), x, y, width, height)
        edge = 3 * (width - int(PANEL * scale))
        return all(row[edge:edge + 3] == RULE for row in rows)

    def long_steps(self):
        """What is done while a step or a frame is in parts is done after it, and repeats."""
        size = 1400, 1000
        run = Run(self, "--record-events", "l.json", "--digest", "--validate=sync", "--bloom", "1",
                  base=[MODEL, "--size", f"{size[0]}x{size[1]}"])
        if self.check(run.opened(), "a window with long steps opens"):
            until(lambda: run.step() > 4, 60)
            run.key("c", "Return")
            run.drag([(100, 100), (160, 150), (220, 120)])
            run.key("s", "Tab", "x")
            run.drag([(50, 50), (90, 70)], 3)
            run.resize(700, 500)
            step = run.step()
            until(lambda: run.step() > step + 1, 60)  # else the video is not even begun
            shown = run.picture("long-before")
            self.check(until(lambda: run.picture("long-after") != shown),
                       "a picture that is made smaller shows each frame")
            run.key("Return", "z", "n", "Tab")
            until(lambda: run.seed() == 2 and run.step() > 2, 60)
            run.key("q")
        code, out, err = run.end(60)
        self.check(code == 0 and "validation" not in err and err.count("wrote ") == 3,
                   "all keys have worked", f"{code}\n{err}")
        self.replays("l.json", out, "long steps", ["lavapipe"])
        self.same_picture(*glob.glob(os.path.join(self.pictures_folder, "*.png")), size)

    def broken(self, paused):
        """The X server ends; the files of the run are complete."""
        own, what = self.screen, "paused" if paused else "running"
        self.screen = Screen(own.kept)
        run = Run(self, "--record-events", f"{what}.json", "--watch", f"{what}.csv")
        frames = []
        for video in self.videos():  # of earlier tests
            os.remove(video)
        if run.opened():
            run.key("Return")
            until(lambda: run.step() > 10)
            if paused:
                run.key("space")
                until(run.paused)
            self.screen.server.kill()
            self.screen.server.wait()
        code, _, err = run.end()
        self.check(code == 3 and err.count("vksim: the connection to the display is broken") == 1,
                   f"{what}: a display that is gone ends with 3", f"{code}\n{err}")
        for video in self.videos():
            frames.append(self.stream(video)[3])
            os.remove(video)
        self.check(len(frames) == 1 and int(frames[0]) > 1, f"{what}: its video is complete",
                   f"{frames} {os.listdir(self.folder)}")
        with open(os.path.join(self.folder, f"{what}.csv"), encoding="utf-8") as file:
            rows = file.read().splitlines()
        with open(os.path.join(self.folder, f"{what}.json"), encoding="utf-8") as file:
            scene = json.load(file)
        self.check(0 <= scene["steps"] - int(rows[-1].split(",")[1]) < 16,
                   f"{what}: so are its table and its events", f"{scene.get('steps')} {rows[-1:]}")
        self.screen = own


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    icd = os.environ.get("VKSIM_TEST_LAVAPIPE_ICD", "")
    if not os.path.isfile(icd):
        print(f"Bail out! VKSIM_TEST_LAVAPIPE_ICD='{icd}'")
        sys.exit(1)
    kept = os.environ.get("VKSIM_TEST_KEEP")
    with tempfile.TemporaryDirectory(prefix="vksim-presentation-") as folder:
        screen = Screen(kept)
        try:
            tests = Tests(os.path.abspath(sys.argv[1]), icd, screen, folder)
            tests.modes()
            tests.surfaces()
            tests.queues()
            tests.displays()
            tests.long_steps()
            tests.broken(False)
            tests.broken(True)
        finally:
            screen.end()
    sys.exit(end())


if __name__ == "__main__":
    main()

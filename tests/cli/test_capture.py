#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_capture.py VKSIM yes|no: tests --capture of a vksim built with RenderDoc's header or without
it. TAP output.

Runs on Mesa lavapipe (VKSIM_TEST_LAVAPIPE_ICD). With the header it needs renderdoccmd and xvfb-run:
captures are made, converted to XML, and their events and names compared with what the run itself
says. lavapipe lacks a feature without which RenderDoc presents a device as Vulkan 1.2, so a layer
between the two reports it (MEMORY_LAYER_REPLAY of memory_layer.c).
"""
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import zipfile
from xml.etree import ElementTree

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import check, end  # noqa: E402

OK, USAGE, DEVICE, FILE, INTERRUPTED = 0, 2, 3, 4, 130
SMALL = ["--preset", "plain", "--size", "64x48", "--agents", "600"]
LAYER = "/usr/share/vulkan/implicit_layer.d/renderdoc_capture.json"
HEADLESS = ["--headless", "--out", "none", *SMALL]


class Tool:
    """Runs vksim, alone or under RenderDoc."""

    def __init__(self, vksim, driver, folder):
        self.vksim, self.folder = os.path.abspath(vksim), folder
        self.env = {key: value for key, value in os.environ.items()
                    if not key.startswith(("VK_", "VKSIM_", "XDG_", "SDL_"))
                    and key not in ("DISPLAY", "WAYLAND_DISPLAY")}
        self.env.update(
            VK_ICD_FILENAMES=driver, VK_DRIVER_FILES=driver, HOME=folder, LC_ALL="C.UTF-8",
            VKSIM_CACHE_DIR=self.path("cache"), MEMORY_LAYER_REPLAY="1",
            VK_LAYER_PATH=os.path.join(os.path.dirname(self.vksim), "tests"),
            VK_INSTANCE_LAYERS="VK_LAYER_VKSIM_memory")

    def path(self, name):
        return os.path.join(self.folder, name)

    def command(self, *command, **more):
        """(status, standard output, standard error) of a command."""
        done = subprocess.run([str(word) for word in command], cwd=self.folder,
                              env={**self.env, **more}, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120, check=False)
        return done.returncode, done.stdout, done.stderr

    def run(self, *arguments, **more):
        return self.command(self.vksim, *arguments, **more)

    def fails(self, name, status, words, *arguments, **more):
        """The run must fail with that status and one message that has all the words."""
        got, out, err = self.run(*arguments, **more)
        last = err.splitlines()[-1] if err else ""
        check(got == status and last.startswith("vksim: ") and not out and
              all(word in last for word in words) and len(err.splitlines()) <= 2,
              name, f"expected {status} and {words}, got {got}:", err, out)

    def capture(self, name, *arguments, before=()):
        """A run under renderdoccmd: standard output and the Capture, None if there is none."""
        status, out, err = self.command(
            *before, "renderdoccmd", "capture", "-w", "-d", ".", "-c", self.path(name), self.vksim,
            *arguments)
        written = re.search(r"^vksim: wrote (.+) \(RenderDoc capture of steps (\S+)\)$", err, re.M)
        if not check(status == OK and written and os.path.isfile(written[1]),
                     f"{name}: a capture is written and its name printed", status, out, err):
            return out, None
        return out, Capture(self, written[1], written[2])


class Capture:
    """What a capture file has, read by way of renderdoccmd convert."""

    def __init__(self, tool, path, steps):
        self.steps = steps
        status, out, err = tool.command("renderdoccmd", "convert", "-f", path, "-o",
                                        path + ".zip.xml", "-c", "zip.xml")
        check(status == OK, "the capture opens again", out, err)
        self.chunks = list(ElementTree.parse(path + ".zip.xml").getroot().iter("chunk"))
        self.data = zipfile.ZipFile(path + ".zip")
        self.names = {}  # resource: name, the last one it was given
        self.events = []  # (label, name of the bound pipeline), in order of submission
        self.batches = []  # the labels of each submission
        self._read()

    @staticmethod
    def _resource(chunk, name):
        return chunk.find(f"ResourceId[@name='{name}']").text

    def _read(self):
        recorded = {}  # command buffer: its events
        for chunk in self.chunks:
            name = chunk.get("name")
            commands = chunk.find("ResourceId[@name='commandBuffer']")
            commands = commands.text if commands is not None else None
            if name == "vkSetDebugUtilsObjectNameEXT":
                self.names[self._resource(chunk, "Object")] = chunk.find("string").text
            elif name == "vkBeginCommandBuffer":
                recorded[self._resource(chunk, "CommandBuffer")
                         if commands is None else commands] = []
            elif name == "vkCmdBeginDebugUtilsLabelEXT":
                recorded[commands].append([chunk.find(".//string[@name='pLabelName']").text, None])
            elif name == "vkCmdBindPipeline" and recorded[commands]:
                event = recorded[commands][-1]
                # The clock's own pass has no label and follows the last one.
                event[1] = event[1] or self.names.get(self._resource(chunk, "pipeline"))
            elif name == "vkQueueSubmit2":
                for info in chunk.iter("ResourceId"):
                    if info.get("name") == "commandBuffer" and recorded.get(info.text):
                        self.events += recorded[info.text]
                        self.batches.append([label for label, _ in recorded[info.text]])

    def first_step(self):
        """The clock of the simulation when the capture starts."""
        clock = next(resource for resource, name in self.names.items() if name == "clock")
        bound = next(chunk for chunk in self.chunks if chunk.get("name") == "vkBindBufferMemory"
                     and self._resource(chunk, "buffer") == clock)
        memory = self._resource(bound, "memory")
        contents = next(chunk for chunk in self.chunks
                        if chunk.get("name") == "Internal::Initial Contents"
                        and self._resource(chunk, "id") == memory)
        data = self.data.read(f"{int(contents.find('buffer').text):06}")
        return struct.unpack_from("<I", data, int(bound.find("uint").text))[0]

    def passes(self, each_step):
        """[(pass, step)]: the steps of passes of a step are counted over the batches, and frames
        have the number of steps before them."""
        found = []
        done = self.first_step()
        for labels in self.batches:
            pairs = [label.split(", step ") for label in labels if ", step " in label]
            found += [(name, done + int(step)) for name, step in pairs]
            if any(name in each_step for name, _ in pairs):
                done += 1 + max(int(step) for name, step in pairs if name in each_step)
        return found


def expected(passes, steps, frames, per_frame, first, last):
    """[(pass, step)] of steps `first` to `last` - 1 by the passes of --timings=json, and the passes
    of a step."""
    each_step = [one["name"] for one in passes if one["calls"] == steps]
    each_frame = [one["name"] for one in passes if one["calls"] == frames]
    found = []
    for step in range(first, last):
        found += [(name, step) for name in each_step]
        if frames and (step + 1) % per_frame == 0:
            found += [(name, step + 1) for name in each_frame]
    return found, each_step


def compare(name, capture, passes, steps, frames, per_frame, first, last):
    want, each_step = expected(passes, steps, frames, per_frame, first, last)
    check(capture.steps == f"{first}:{last}", f"{name}: the captured steps are printed",
          capture.steps)
    check(capture.first_step() == first, f"{name}: step {first} is the first", capture.first_step())
    check(len(each_step) >= 2 and capture.passes(each_step) == want,
          f"{name}: exactly the passes of those steps and frames", "want", want, "got",
          capture.passes(each_step), capture.batches)
    wrong = [event for event in capture.events if ", step " in event[0] and
             not (event[1] or "").startswith(f"pass '{event[0].split(',')[0]}' (")]
    check(not wrong, f"{name}: every pass binds the pipeline with its name", wrong)


def test_refused(tool):
    for text in ("8", "8:", ":8", "a:b", "8:9x", "1.5:3", "-1:3", "nan:3", "1:inf", "", "8:1e16"):
        tool.fails(f"--capture '{text}' is refused", USAGE, ["--capture", "A:B"], *HEADLESS,
                   f"--capture={text}")
    for text in ("9:5", "5:5"):
        tool.fails(f"the range {text} is refused", USAGE, ["--capture", text, "no steps"],
                   *HEADLESS, "--steps", "20", "--capture", text)
    for arguments in (["--steps", "20"], ["--frames", "3", "--steps-per-frame", "10"]):
        tool.fails(f"a range outside the run is refused ({arguments[0]})", USAGE,
                   ["--capture", "outside the run", "20 steps"], *HEADLESS, *arguments,
                   "--capture", "18:21")
    tool.fails("a range outside a window's run is refused", USAGE, ["outside the run", "20 steps"],
               *SMALL, "--steps", "20", "--capture", "20:21")


def test_absent(tool):
    tool.fails("without RenderDoc's header there are no captures", DEVICE,
               ["built without RenderDoc's header"], *HEADLESS, "--capture", "1:3")


def test_not_loaded(tool):
    state = tool.path("state.npz")
    tool.fails("without RenderDoc there are no captures", DEVICE,
               ["RenderDoc is not loaded", "renderdoccmd capture"], *HEADLESS, "--steps", "20",
               "--capture", "1:3", "--save-state", state)
    check(not os.path.exists(state), "the run did not start")
    # Every version of the layer has a variable of its own that disables it.
    with open(LAYER, encoding="utf-8") as file:
        disable = json.load(file)["layer"]["disable_environment"]
    tool.fails("without RenderDoc's layer there are no captures", DEVICE,
               ["layer is not active", "renderdoccmd capture"], *HEADLESS, "--capture", "1:3",
               LD_PRELOAD="librenderdoc.so", **disable)


def test_steps(tool):
    """Steps without frames, in one batch and in several."""
    for name, first, last, steps in (("all", 0, 3, 3), ("few", 5, 9, 20), ("many", 13, 150, 160)):
        out, capture = tool.capture(name, *HEADLESS, "--steps", steps, "--capture",
                                    f"{first}:{last}", "--timings=json")
        if capture:
            passes = json.loads(out[out.index("{"):])["passes"]
            compare(name, capture, passes, steps, 0, 1, first, last)


def test_names(tool):
    """The state's arrays are buffers with their names, and a capture changes no byte."""
    arguments = [*HEADLESS, "--steps", "20", "--digest"]
    _, plain, _ = tool.run(*arguments)
    out, capture = tool.capture("names", *arguments, "--capture", "3:5", "--save-state",
                                tool.path("names.npz"))
    check(plain and plain.strip() in out, "a captured run has the digest of a plain one", plain,
          out)
    with zipfile.ZipFile(tool.path("names.npz")) as archive:
        arrays = {name[:-4] for name in archive.namelist() if name.endswith(".npy")}
    found = {re.sub(r"\.[01]$", "", name) for name in capture.names.values()} if capture else set()
    check(len(arrays) >= 3 and arrays <= found, "buffers have the names of the state's arrays",
          arrays, found)


def test_frames(tool):
    """Frames that follow a captured step are captured, too."""
    out, capture = tool.capture("frames", "--headless", "--out", "frames.y4m", *SMALL, "--frames",
                                "8", "--steps-per-frame", "3", "--capture", "5:12",
                                "--timings=json")
    if capture:
        passes = json.loads(out[out.index("{"):])["passes"]
        compare("frames", capture, passes, 21, 8, 3, 5, 12)


def test_grid(tool):
    """Several simulations are in one capture."""
    _, capture = tool.capture("grid", *HEADLESS, "--steps", "8", "--capture", "2:5", "--vary",
                              "deposit=3,5")
    labels = [label for label, _ in capture.events] if capture else []
    check(sum(label.startswith("agents,") for label in labels) == 6,
          "both cells of a grid are captured", labels)


def test_window(tool):
    """Presents do not cut a capture into frames."""
    out, capture = tool.capture("window", *SMALL, "--frames", "6", "--steps-per-frame", "2",
                                "--capture", "3:8", "--timings=json",
                                before=["xvfb-run", "-a"])
    if capture:
        passes = json.loads(out[out.index("{"):])["passes"]
        compare("window", capture, passes, 10, 6, 2, 3, 8)
        count = sum(chunk.get("name") == "vkQueuePresentKHR" for chunk in capture.chunks)
        # A panel that has changed is presented between frames, too.
        check(count >= 3, "the presents of its frames are in the capture", count)


def test_stopped(tool):
    """Ctrl-C in the range keeps the steps until then."""
    env = {**tool.env, "ENABLE_VULKAN_RENDERDOC_CAPTURE": "1", "TMPDIR": tool.folder}
    with subprocess.Popen([tool.vksim, *HEADLESS, "--steps", "1000000000", "--capture",
                           "2:1000000000"], cwd=tool.folder, env=env, stdin=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True) as process:
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    written = re.search(r"wrote (.+) \(RenderDoc capture of steps 2:(\d+)\)", err)
    check(process.returncode == INTERRUPTED and written and os.path.isfile(written[1]) and
          2 < int(written[2]) < 1000000000, "Ctrl-C ends the capture", process.returncode, err)
    if written and os.path.isfile(written[1]):
        os.remove(written[1])


def test_unwritable(tool):
    with open(tool.path("file"), "w", encoding="utf-8"):
        pass
    _, out, err = tool.command("renderdoccmd", "capture", "-w", "-d", ".", "-c",
                               tool.path("file/none"), tool.vksim, *HEADLESS, "--steps", "9",
                               "--capture", "1:3")
    check("vksim: RenderDoc could not write its capture" in err and "wrote" not in err,
          "a capture that cannot be written is an error", out, err)


def main():
    if len(sys.argv) != 3 or sys.argv[2] not in ("yes", "no"):
        print(f"usage: {sys.argv[0]} VKSIM yes|no", file=sys.stderr)
        return 2
    driver = os.environ.get("VKSIM_TEST_LAVAPIPE_ICD", "")
    if not os.path.isfile(driver):
        print(f"Bail out! VKSIM_TEST_LAVAPIPE_ICD='{driver}' is not a file; it must be the path of "
              "an ICD file (tools/test sets it)")
        return 1
    tests = [test_refused, test_absent]
    if sys.argv[2] == "yes":
        tests = [test_refused, test_not_loaded, test_steps, test_names, test_frames, test_grid,
                 test_window, test_stopped, test_unwritable]
        for program in ("renderdoccmd", "xvfb-run"):
            if not shutil.which(program):
                print(f"Bail out! there is no {program}")
                return 1
    for test in tests:
        with tempfile.TemporaryDirectory(prefix="vksim-capture-") as folder:
            test(Tool(sys.argv[1], driver, folder))
    return end()


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: MIT
"""test_failures.py [TEST...]: bad input to the Python module, and how its objects end. TAP output.

VKSIM_TEST_ROUNDS is the number of simulations that are made and closed; 1000 by default.
"""

import gc
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy as np

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import suite  # noqa: E402
import vksim  # noqa: E402

LAYERS = os.path.join(os.path.dirname(vksim.__file__), "../../tests")
ROUNDS = int(os.environ.get("VKSIM_TEST_ROUNDS", "1000"))
DIVERGES = {"name": "diverges-in-python", "rates": {"u": "1"}, "fields": {"u": {"range": [0, 10]}},
            "init": {"zero": {"u": "0"}}, "dt": 1}


class Case(unittest.TestCase):
    """What all cases need."""

    def refused(self, words, function, *arguments, error=vksim.UsageError, **named):
        with self.assertRaises(error) as caught:
            function(*arguments, **named)
        self.assertIn(words, str(caught.exception))
        return caught.exception

    def in_python(self, program, status=0, **env):
        """Runs a program, and returns what it prints."""
        done = subprocess.run([sys.executable, "-c", program], text=True, capture_output=True,
                              check=False, timeout=120, env={**os.environ, **env})
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout


class Input(Case):
    """Bad input is refused with a sentence that names what is wrong."""

    def setUp(self):
        self.sim = vksim.Simulation("gray-scott", size=(40, 24), seed=3)

    def write(self, words, value, key=slice(None), field="v", sim=None):
        sim = sim or self.sim
        before = sim.digest()
        self.refused(words, sim[field].__setitem__, key, value)
        self.assertEqual(sim.digest(), before)

    def test_arrays(self):
        good = np.zeros((24, 40), np.float32)
        self.write("field 'v' has the shape (24, 40), the array (24, 41)", np.zeros((24, 41)))
        self.write("field 'v' has the shape (24, 40), the array (40, 24)", good.T)
        self.write("field 'v' takes float16, float32 or float64 in the machine's byte order",
                   good.astype(">f4"))
        self.write("not uint8", good.astype(np.uint8))
        self.write("not complex64", good.astype(np.complex64))
        self.write("not <U1: x", "x")
        self.write("not object: None", None)
        self.write("element 0 is nan", np.full((24, 40), np.nan))
        self.write("element 0 is inf", np.full((24, 40), 1e300))
        self.write("field 'v': could not broadcast", np.zeros(3), slice(0, 2))
        self.write("element 0 is inf", float("inf"), (0, 0))
        agents = vksim.Simulation("physarum", size=(16, 16), agents=9)
        for value in (np.zeros(9), np.zeros(9, np.int32), np.zeros(9, np.uint64), [-1] * 9,
                      [2**32] * 9, 0.5, -1):
            self.write("field 'heading' takes uint32, not", value, field="heading", sim=agents)
        self.write("byte order", np.zeros(9, ">u4"), field="heading", sim=agents)

    def test_out(self):
        field = self.sim["v"]
        self.refused("(40, 24)", field.numpy, np.empty((40, 24), np.float32))
        self.refused("float64", field.numpy, np.empty((24, 40)))
        self.refused("contiguous", field.numpy, np.empty((40, 24), np.float32).T)
        fixed = np.empty((24, 40), np.float32)
        fixed.flags.writeable = False
        self.refused("writeable", field.numpy, fixed)
        self.refused("only be copied", field.__array__, copy=False, error=ValueError)
        with self.assertRaises(IndexError):
            field[24, 0] = 1

    def test_numbers(self):
        sim = self.sim
        for n, words in ((-1, "n is -1"), (2**70, "it must be 0 to"), (1.5, "whole number"),
                         (float("nan"), "whole number"), ("3", "whole number")):
            self.refused(words, sim.run, n)
        self.refused("seed is", sim.restart, 2**32)
        self.refused("frames is -1", sim.animate, -1)
        self.assertEqual(sim.steps, 0)

    def test_sharing(self):
        """Without CUDA nothing is shared, and nothing is left of the attempt."""
        sorted_agents = vksim.Simulation("physarum", size=(32, 32), agents=90,
                                         variant="sorted-2-bytes")
        self.refused("has its items sorted", sorted_agents["position"].map().__enter__)
        files = len(os.listdir("/proc/self/fd"))
        for name in ("u", "v"):
            self.refused("sharing memory needs CUDA", self.sim.share, name)
        self.refused("gray-scott has no field 'w'", self.sim.share, "w")
        gc.collect()
        self.assertEqual(len(os.listdir("/proc/self/fd")), files)
        self.assertEqual(self.sim._calls.simulations[self.sim._simulation], set())
        self.assertEqual(self.sim["v"].numpy().shape, (24, 40))

    def test_options(self):
        sim = self.sim
        for options, words in (
                ({"fed": 0.1}, "did you mean 'feed'?"),
                ({"feed": float("nan")}, "'feed' is nan; it must be a finite number"),
                ({"feed": 2}, "feed '2' is not a number from 0 to 1"),
                ({"feed": {}}, "not dict"), ({"feed": b"1"}, "not bytes"),
                ({"colormap": "a\0b"}, "null character"),
                ({"colormap": "embr"}, "did you mean 'ember'?"),
                ({"precision": "float16"}, "needs a new simulation"),
                ({"sensor_angle": 3}, "belongs to physarum")):
            before = dict(sim.options)
            self.refused(words, sim.set, **options)
            self.assertEqual(dict(sim.options), before)
            if "new simulation" not in words:
                self.refused(words, vksim.Simulation, "gray-scott", size=(8, 8), **options)
            with self.assertRaises(vksim.UsageError):
                sim.image(**options)
        self.refused("did you mean 'feed'?", sim.get, "fed")
        self.refused("did you mean 'feed'?", sim.options.__getitem__, "fed")
        self.refused("has no field 'w'; it has u, v", sim.__getitem__, "w")

    def test_creation(self):
        self.refused("nothing", vksim.Simulation, "nothing")
        self.refused("no simulation 'nothing'", vksim.options, "nothing")
        self.refused("mazs", vksim.Simulation, "gray-scott", preset="mazs")
        self.refused("size", vksim.Simulation, "gray-scott", size=(0, 5))
        self.refused("size", vksim.Simulation, "gray-scott", size=(5,))
        self.refused("seed", vksim.Simulation, "gray-scott", seed=-1)
        self.refused("none.npz", vksim.Simulation, "gray-scott", load="none.npz",
                     error=vksim.FileError)
        self.refused("no such device", vksim.Context, "no such device", error=vksim.DeviceError)
        self.refused("validation is 'all'", vksim.Context, validation="all")
        self.refused("gpu_timeout", vksim.Context, gpu_timeout=1e10)

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.npz")
            self.sim.save(path)
            self.refused("a.npz", self.sim.save, path, error=FileExistsError)
            self.sim.save(path, overwrite=True)
            self.refused("none", self.sim.save, os.path.join(folder, "none/a.npz"),
                         error=vksim.FileError)
            with open(path, "wb") as file:
                file.write(b"text")
            self.refused("a.npz", vksim.Simulation, "gray-scott", load=path,
                         error=vksim.FileError)

    def test_classes(self):
        for kind, base in ((vksim.UsageError, ValueError), (vksim.FileError, OSError),
                           (vksim.GpuError, RuntimeError), (vksim.DeviceError, RuntimeError),
                           (vksim.Stopped, RuntimeError)):
            self.assertTrue(issubclass(kind, base) and issubclass(kind, vksim.Error))

    def test_stopped(self):
        sim = vksim.Simulation(vksim.Formula(**DIVERGES), size=(8, 8))
        error = self.refused("after step", sim.run, 30, error=vksim.Stopped)
        self.assertTrue(10 <= error.step <= 30, error.step)
        self.refused("after step", sim.save, "stopped.npz", error=vksim.Stopped)
        sim.restart()
        sim.run(3)

    def test_out_of_memory(self):
        with self.assertRaises((vksim.GpuError, vksim.UsageError)):
            vksim.Simulation("gray-scott", size=(65536, 65536))
        self.sim.run(1)  # others are as they were

    def test_lost(self):
        """A device that is lost, and one that hangs: only close() works afterwards."""
        program = ("import vksim\n"
                   "context = vksim.Context(gpu_timeout=0.5)\n"
                   "sim = vksim.Simulation('gray-scott', size=(16, 16), device=context)\n"
                   "for call in (lambda: sim.run(9999), lambda: sim.run(1), sim.digest,\n"
                   "             lambda: sim['v'][:], sim.image):\n"
                   "    try: call(); print('it works')\n"
                   "    except vksim.GpuError as error: print(error)\n"
                   "sim.close(); context.close()\n"
                   "print(sim.closed, context.closed)\n")
        for what, words in (("LOST", "VK_ERROR_DEVICE_LOST"), ("HANGS", "0.5 s")):
            text = self.in_python(program, VK_LAYER_PATH=LAYERS, **{
                "VK_INSTANCE_LAYERS": "VK_LAYER_VKSIM_memory", "MEMORY_LAYER_" + what: "40"})
            self.assertEqual(text.count(words), 5, text)
            self.assertTrue(text.endswith("True True\n"), text)

    def test_older_library(self):
        fake = ("import sys, types; fake = types.ModuleType('vksim._lib')\n"
                "fake.ffi = types.SimpleNamespace(string=lambda text: text)\n"
                "fake.lib = types.SimpleNamespace(vks_version=lambda: b'0.0.9')\n"
                "sys.modules['vksim._lib'] = fake\n"
                "try: import vksim\nexcept ImportError as error: print(error)")
        self.assertEqual(self.in_python(fake), f"the module vksim {vksim.__version__} found "
                                               "libvksim 0.0.9, which is older\n")
        broken = ("import sys; sys.modules['vksim._lib'] = None\n"
                  "try: import vksim\nexcept ImportError as error: print(error)")
        self.assertIn(f"the module vksim {vksim.__version__} cannot load its libvksim",
                      self.in_python(broken))

    def test_no_loader(self):
        program = ("import os, vksim\nos.environ['VK_DRIVER_FILES'] = os.environ["
                   "'VK_ICD_FILENAMES'] = '/nowhere'\n"
                   "try: vksim.Simulation()\nexcept vksim.DeviceError as error: print(error)")
        self.assertIn("driver", self.in_python(program))


class Life(Case):
    """Objects end in any order and at any time."""

    def test_close(self):
        sim = vksim.Simulation("gray-scott", size=(8, 8))
        field, options = sim["v"], sim.options
        sim.close()
        sim.close()
        self.assertTrue(sim.closed)
        self.assertEqual(repr(sim), "<vksim.Simulation of gray-scott, closed>")
        for call in (sim.run, sim.digest, sim.image, sim.values, sim.restart, sim.timings,
                     field.numpy, sim._repr_png_, lambda: sim.steps, lambda: sim["v"],
                     lambda: sim.set(feed=0.1), lambda: options["feed"], lambda: sim.save("x.npz"),
                     lambda: sim.animate(1), lambda: sim.record(1),
                     lambda: field.__setitem__(slice(None), 0)):
            self.refused("the simulation is closed", call)
        with vksim.Simulation("gray-scott", size=(8, 8)) as other:
            other.run(1)
        self.assertTrue(other.closed)

    def test_mapped(self):
        """A mapped array is valid memory until it is gone, whatever is closed before."""
        for close in ("sim", "context", "nothing"):
            context = vksim.Context()
            sim = vksim.Simulation("gray-scott", size=(64, 64), seed=3, device=context)
            calls = sim._calls
            with sim["v"].map() as array, sim["u"].map() as other:
                expected = array.copy()
            if close != "nothing":
                (sim if close == "sim" else context).close()
                self.assertTrue(sim.closed)
                self.refused("the simulation is closed", sim.run)
            del sim, context
            gc.collect()
            np.testing.assert_array_equal(array, expected)
            self.assertEqual(len(calls.mapped), 1)
            del other
            np.testing.assert_array_equal(array[1:2], expected[1:2])
            self.assertEqual(len(calls.mapped), 1)
            del array
            self.assertEqual((len(calls.mapped), len(calls.simulations)), (0, 0))
            self.assertIsNone(calls.context)

    def test_contexts(self):
        with vksim.Context() as context:
            sim = vksim.Simulation("gray-scott", size=(8, 8), device=context)
            self.assertIs(sim.context, context)
        self.assertTrue(sim.closed and context.closed)
        self.assertEqual(repr(context), "<vksim.Context, closed>")
        self.refused("the simulation is closed", sim.run)
        self.refused("the context is closed", vksim.Simulation, size=(8, 8), device=context)
        self.refused("the context is closed", lambda: context.device)
        sim.close()
        shared = vksim.Context.shared()
        self.assertIs(vksim.Simulation("gray-scott", size=(8, 8)).context, shared)
        self.assertIs(vksim.Context.shared(), shared)
        self.assertIsNot(vksim.Context.shared("0"), shared)

    def test_loop(self):
        """No growth of memory or file descriptors; device memory is host memory here."""
        def rounds(count):
            for _ in range(count):
                vksim.Simulation("gray-scott", size=(64, 64)).run(1)
        def used():
            gc.collect()
            with open("/proc/self/statm", encoding="ascii") as file:
                pages = int(file.read().split()[1])
            return pages * resource.getpagesize(), len(os.listdir("/proc/self/fd"))
        rounds(ROUNDS // 4)
        memory, files = used()
        rounds(ROUNDS)
        after, files_after = used()
        print(f"# {ROUNDS} rounds: {(after - memory) / 1024:.0f} KiB, {files_after - files} files")
        self.assertEqual(files_after, files)
        self.assertLess(after - memory, 4e6)

    def test_context_loop(self):
        vksim.Context().close()
        files = len(os.listdir("/proc/self/fd"))
        for _ in range(10):
            vksim.Simulation("gray-scott", size=(8, 8), device=vksim.Context()).run(1)
        gc.collect()
        self.assertEqual(len(os.listdir("/proc/self/fd")), files)

    def test_collector(self):
        """Graphs of objects with cycles, collected in any order."""
        chance = random.Random(5)
        for _ in range(8):
            context = vksim.Context()
            things = [context]
            for _ in range(3):
                sim = vksim.Simulation("gray-scott", size=(8, 8), device=context)
                things += [sim, sim["v"], sim.options]
            chance.shuffle(things)
            for one in things:
                one.friend = chance.choice(things)  # cycles
            simulations = [one for one in things if isinstance(one, vksim.Simulation)]
            if chance.random() < 0.5:
                chance.choice(simulations).close()
            keep = chance.choice(things)
            keep.friend = None
            del things, sim, one, context, simulations
            gc.collect()
            if isinstance(keep, vksim.Field):
                keep.numpy()
            del keep
            gc.collect()

    def test_exit(self):
        """The process ends with objects in every state, also from a thread."""
        self.in_python(
            "import vksim, threading\n"
            "a = vksim.Simulation('gray-scott', size=(8, 8)); a.me = a; b = a['v']\n"
            "c = vksim.Simulation('gray-scott', size=(8, 8)); c.close()\n"
            "d = vksim.Simulation('gray-scott', size=(64, 64), device=vksim.Context())\n"
            "threading.Thread(target=d.run, args=(10**9,), daemon=True).start()\n"
            "import time; time.sleep(0.3)\n")

    def test_threads(self):
        sim = vksim.Simulation("gray-scott", size=(256, 256))
        other = vksim.Simulation("gray-scott", size=(8, 8), device=vksim.Context())
        def closes():
            time.sleep(0.3)
            try:
                for _ in range(200):
                    sim.steps  # pylint: disable=pointless-statement
                    time.sleep(0.001)
            except vksim.UsageError as error:
                seen.append(str(error))
            other.run(3)  # of a context of its own
            seen.append(other.steps)
            sim.close()
        seen = []
        thread = threading.Thread(target=closes)
        thread.start()
        self.refused("the simulation is closed", sim.run, 10**9)
        thread.join()
        self.assertEqual(seen, ["another thread is using this context; open one for each thread",
                                3])

    def test_interrupt(self):
        sim = vksim.Simulation("gray-scott", size=(128, 128))
        twin = vksim.Simulation("gray-scott", size=(128, 128))
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        start = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            sim.run(10**9)
        self.assertLess(time.monotonic() - start, 20)
        self.assertGreater(sim.steps, 0)
        twin.run(sim.steps)
        self.assertEqual(sim.digest(), twin.digest())

    def test_handler(self):
        """A signal's handler may use the simulation that is running, or close it."""
        sim = vksim.Simulation("gray-scott", size=(64, 64))
        seen = []
        def handler(*_):
            seen.append(sim.steps)
            sim.close()
        before = signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        try:
            self.refused("the simulation is closed", sim.run, 10**9)
        finally:
            signal.signal(signal.SIGALRM, before)
        self.assertGreater(seen[0], 0)

    def test_fork(self):
        sim = vksim.Simulation("gray-scott", size=(8, 8))
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            texts = []
            for call in (sim.run, lambda: sim["v"], vksim.Simulation, vksim.Context):
                try:
                    call()
                except RuntimeError as error:
                    texts.append(str(error))
            sim.close()
            os.write(write, "|".join(texts).encode())
            os._exit(0)
        os.close(write)
        with os.fdopen(read) as file:
            texts = file.read().split("|")
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(texts, ["a simulation does not survive fork; use spawn"] * 2
                         + ["a device was open before fork; use spawn"] * 2)
        sim.run(1)  # the parent's is as it was
        self.in_python("import os, vksim\n"  # only imported: a child may begin
                       "child = os.fork()\n"
                       "if child == 0:\n"
                       "    vksim.Simulation('gray-scott', size=(8, 8)).run(1); os._exit(7)\n"
                       "raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))", 7)


suite.main(Input, Life, only=sys.argv[1:])

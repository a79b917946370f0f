# SPDX-License-Identifier: MIT
"""test_members.py VKSIM SOURCE_ROOT [TEST...]: every member of the Python module. TAP output.

States and digests are compared with those of the tool, VKSIM. The examples of README.md and
docs/python.md are run.
"""

import csv
import io
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock

import numpy as np

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import suite  # noqa: E402
import vksim  # noqa: E402

TOOL, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])


class Case(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="vksim-python-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def refused(self, words, function, *arguments, error=vksim.UsageError, **named):
        with self.assertRaises(error) as caught:
            function(*arguments, **named)
        self.assertIn(words, str(caught.exception))


SIZE = {"width": "width", "height": "height"}
LIFE = {
    "summary": "Conway's game of life",
    "fields": {"alive": {"next": True, "help": "1 or 0"}},
    "passes": [
        {"pass": "start", "when": "start", "uses": {"alive": "write"},
         "constants": {**SIZE, "seed": "seed"}, "glsl": """
VKS_FIELD(0, writeonly, alive, float, cells);
void main() {
    uvec3 size = uvec3(constants.width, constants.height, 1u);
    uvec3 cell = vks_cell(size);
    if (vks_inside(cell, size)) {
        uint i = vks_index(cell, size);
        VKS_AT(cells, i) = float(vks_random(constants.seed, i, 0u, 0u).x >> 31);
    }
}"""},
        {"pass": "step", "uses": {"alive": ["read", "write-next"]}, "constants": SIZE, "glsl": """
VKS_FIELD(0, readonly, alive, float, cells);
VKS_FIELD(1, writeonly, alive_next, float, next);
void main() {
    uvec3 size = uvec3(constants.width, constants.height, 1u);
    uvec3 cell = vks_cell(size);
    if (!vks_inside(cell, size))
        return;
    precise float sum = 0.0f;
    for (uint i = 0u; i < 9u; i++) {
        uvec3 other = (cell + uvec3(i % 3u, i / 3u, 0u) + size - uvec3(1u, 1u, 0u)) % size;
        sum = sum + VKS_AT(cells, vks_index(other, size));
    }
    uint i = vks_index(cell, size);
    bool lives = sum == 3.0f || (sum == 4.0f && VKS_AT(cells, i) == 1.0f);
    VKS_AT(next, i) = lives ? 1.0f : 0.0f;
}"""},
    ],
}


class Tool(Case):
    """The bytes are those of the command line."""

    def compare(self, model, steps, preset, size, **options):
        words = [word for name, value in options.items()
                 for word in ("--" + name.replace("_", "-"), str(value))]
        state = self.path(model + ".npz")
        done = subprocess.run(
            [TOOL, model, "--preset", preset, "--size", "{}x{}".format(*size), "--seed", "7",
             *words, "--headless", "--steps", str(steps), "--out", "none", "--digest",
             "--save-state", state], text=True, capture_output=True, check=True, cwd=self.folder)
        digest = re.search(r"state\s+([0-9a-f]{32})", done.stdout + done.stderr)[1]
        sim = vksim.Simulation(model, preset=preset, size=size, seed=7, **options)
        sim.run(steps)
        self.assertEqual(sim.digest(), digest)
        with np.load(state) as arrays:
            for name, field in sim.fields.items():
                array = field.numpy()
                self.assertEqual(array.dtype, arrays[name].dtype)
                np.testing.assert_array_equal(array, arrays[name])
        sim.save(self.path("own.npz"))
        again = vksim.Simulation(model, load=state, device=vksim.Context.shared())
        self.assertEqual((again.steps, again.seed, again.digest()), (steps, 7, digest))
        again.run(3)
        sim.run(3)
        self.assertEqual(sim.digest(), again.digest())

    def test_gray_scott(self):
        self.compare("gray-scott", 200, "mazes", (64, 48), feed=0.03, du=0.2)

    def test_half_precision(self):
        self.compare("gray-scott", 20, "default", (32, 32), precision="float16")

    def test_physarum(self):
        self.compare("physarum", 30, "plain", (64, 48), agents=1000, sensor_angle=30)

    def test_gas(self):
        self.compare("gas", 5, "cloud", (32, 32))

    def test_document(self):
        """The digest that docs/library.md shows."""
        text = pathlib.Path(ROOT, "docs/library.md").read_text(encoding="utf-8")
        sim = vksim.Simulation("gray-scott", preset="plain", size=(128, 96), seed=5, feed=0.035,
                               kill=0.06)
        sim.run(500)
        self.assertIn(f"state {sim.digest()}\n", text)


class Bar:
    """A bar of tqdm."""

    all = []

    def __init__(self, total):
        self.seen = {"total": total, "n": 0, "closed": False}
        self.n = 0
        self.all.append(self.seen)

    def update(self, more):
        self.n += more
        self.seen["n"] = self.n

    def close(self):
        self.seen["closed"] = True


class Members(Case):
    """Each does what its docstring says."""

    def setUp(self):
        super().setUp()
        self.sim = vksim.Simulation("gray-scott", preset="mazes", size=(40, 24), seed=3)

    def test_numbers(self):
        sim = self.sim
        self.assertEqual((sim.steps, sim.seed, sim.size, sim.closed, sim.time),
                         (0, 3, (40, 24), False, 0))
        sim.run(7)
        sim.set(dt=0.5)
        self.assertEqual((sim.steps, sim.time), (7, 3.5))
        self.assertEqual(repr(sim), "<vksim.Simulation of gray-scott, 40x24 cells, 7 steps>")
        self.assertEqual(vksim.Simulation("physarum", size=(8, 8), agents=4, seed=0).seed, 0)
        volume = vksim.Simulation("physarum-3d", size="8x6x4")
        self.assertEqual(volume.size, (8, 6, 4))
        self.assertEqual(volume["trail"].shape, (4, 6, 8))

    def test_options(self):
        sim = self.sim
        sim.set(feed=0.03, colormap="magma", invert=True, crop=(1, 2, "8x8"))
        self.assertEqual([sim.get(name) for name in ("feed", "colormap", "invert", "crop", "init",
                                                     "bloom_radius", "map", "start-count")],
                         [0.03, "magma", True, "1,2,8x8", "spots", 0.05, None, 8])
        sim.set(crop=None)
        self.assertIsNone(sim.get("crop"))
        sim.options["kill"] = 0.061
        self.assertEqual(sim.options["kill"], 0.061)
        self.assertIn("bloom_radius", sim.options)
        self.assertNotIn("zzz", sim.options)
        self.assertEqual(set(sim.options), {row.name for row in vksim.options("gray-scott")})
        self.assertEqual(len(dict(sim.options)), len(sim.options))
        self.assertIn("<td>kill</td><td>0.061</td>", sim.options._repr_html_())
        species = vksim.Simulation("physarum", size=(8, 8), agents=12, species=3,
                                   sensor_angle=(20, 30, 40))
        self.assertEqual(species.get("sensor_angle"), (20, 30, 40))
        for row in vksim.options("physarum"):  # every value can be given back
            if row.change == "live":
                value = species.options[row.name]
                species.options[row.name] = value
                self.assertEqual(species.options[row.name], value)

    def test_following(self):
        """An option that follows another has its value."""
        sim = vksim.Simulation("physarum", size=(8, 8), agents=4, turn_angle="sensor-angle")
        sim.set(sensor_angle=33.25)
        self.assertEqual(sim.get("turn-angle"), 33.25)

    def test_fields(self):
        sim = self.sim
        self.assertEqual([*sim], ["u", "v"])
        field = sim["v"]
        self.assertEqual((field.name, field.shape, field.dtype), ("v", (24, 40), np.float32))
        self.assertIn("concentration", field.help)
        out = np.empty((24, 40), np.float32)
        self.assertIs(field.numpy(out), out)
        np.testing.assert_array_equal(np.asarray(field), out)
        np.testing.assert_array_equal(field[3:5, ::2], out[3:5, ::2])
        self.assertEqual(np.array(field, dtype=np.float64).dtype, np.float64)
        self.assertEqual(len(field), 24)
        mine = np.random.default_rng(1).random((24, 40)).astype(np.float32)
        field[:] = mine
        np.testing.assert_array_equal(field[...], mine)
        field[2:4, 5] = 0.5
        mine[2:4, 5] = 0.5
        np.testing.assert_array_equal(field[...], mine)
        for value in (np.asfortranarray(mine), mine.astype(np.float64), mine[::-1][::-1],
                      np.repeat(mine, 2, 1)[:, ::2], mine.tolist()):
            field[...] = 0
            field[...] = value
            np.testing.assert_array_equal(field[...], mine)
        sim.run(1)
        self.assertFalse((sim["v"][...] == mine).all())

    def test_integers(self):
        agents = vksim.Simulation("physarum", size=(16, 16), agents=9)
        heading, position = agents["heading"], agents["position"]
        self.assertEqual((heading.dtype, position.shape), (np.uint32, (9, 2)))
        heading[:] = np.arange(9, dtype=np.uint32)
        self.assertEqual(heading[:].tolist(), list(range(9)))
        heading[2] = 2**32 - 1
        self.assertEqual(int(heading[2]), 2**32 - 1)

    def test_map(self):
        """The array is the field's memory: no call copies what is written later."""
        field = self.sim["v"]
        with field.map() as array:
            np.testing.assert_array_equal(array, field.numpy())
            self.assertEqual((array.shape, array.dtype), (field.shape, field.dtype))
            with field.map() as again:
                self.assertEqual(again.ctypes.data, array.ctypes.data)
            field[3, 4] = 0.5
            self.assertEqual(array[3, 4], 0.5)
            with self.assertRaises(ValueError):
                array[3, 4] = 0
        for _ in range(2):  # the buffers take turns
            self.sim.run(1)
            with field.map() as array:
                np.testing.assert_array_equal(array, field.numpy())

    def test_restart(self):
        first = self.sim.digest()
        self.sim.run(4)
        self.sim.restart()
        self.assertEqual((self.sim.digest(), self.sim.steps), (first, 0))
        self.sim.restart(seed=4)
        self.assertEqual(self.sim.seed, 4)
        self.assertNotEqual(self.sim.digest(), first)

    def test_progress(self):
        calls = []
        self.sim.run(300, progress=lambda done, n: calls.append((done, n)))
        self.assertEqual(calls[-1], (300, 300))
        self.assertEqual(sorted(calls), calls)
        bars = types.ModuleType("tqdm")
        bars.tqdm = Bar
        with unittest.mock.patch.dict(sys.modules, tqdm=bars):
            self.sim.run(0, progress=True)
            self.sim.run(200, progress=True)
        self.assertEqual(Bar.all[-1], {"total": 200, "n": 200, "closed": True})
        sys.modules["tqdm"], real = None, sys.modules.get("tqdm")  # it cannot be imported
        stderr, sys.stderr = sys.stderr, io.StringIO()
        try:
            self.sim.run(2, progress=True)
            text = sys.stderr.getvalue()
        finally:
            sys.stderr = stderr
            del sys.modules["tqdm"]
            if real:
                sys.modules["tqdm"] = real
        self.assertTrue(text.endswith("2 of 2 steps\n"), text)
        self.sim.run(0)
        self.assertEqual(self.sim.steps, 502)

    def test_pictures(self):
        sim = self.sim
        sim.run(20)
        path = self.path("a.png")
        picture = sim.image()
        self.assertEqual((picture.shape, picture.dtype), ((24, 40, 3), np.uint8))
        other = sim.image(colormap="magma", output_size="80x0")
        self.assertEqual(other.shape, (48, 80, 3))
        np.testing.assert_array_equal(sim.image(), picture)  # the look was for one picture
        rgba = sim.image(alpha=True, background="transparent")
        self.assertEqual(rgba.shape, (24, 40, 4))
        self.assertLess(rgba[..., 3].min(), 255)
        with open(path, "wb") as file:
            file.write(sim._repr_png_())
        np.testing.assert_array_equal(decoded(path), picture)
        sim.set(background="transparent")
        with open(path, "wb") as file:
            file.write(sim._repr_png_())
        self.assertEqual(decoded(path).shape, (24, 40, 4))
        np.testing.assert_array_equal(sim.values(), sim["v"].numpy())
        np.testing.assert_array_equal(sim.values(), sim["v"].numpy())
        state = sim.digest()
        sim.image(bloom=1)
        self.assertEqual(sim.digest(), state)

    def test_picture_of_the_tool(self):
        path = self.path("tool.png")
        subprocess.run([TOOL, "gray-scott", "--preset", "mazes", "--size", "40x24", "--seed", "3",
                        "--headless", "--steps", "12", "--out", path], check=True,
                       capture_output=True)
        self.sim.run(12)
        np.testing.assert_array_equal(decoded(path)[..., :3], self.sim.image())

    def test_wide_picture(self):
        wide = vksim.Simulation("gray-scott", size=(1100, 8))
        self.assertEqual(struct.unpack(">I", wide._repr_png_()[16:20])[0], 1024)
        self.assertEqual(wide.animate(1).size[0], 640)
        self.assertEqual(wide.animate(1, output_size="700x0").size[0], 700)
        self.assertIsNone(wide.get("output-size"))

    def test_animation(self):
        twin = vksim.Simulation("gray-scott", preset="mazes", size=(40, 24), seed=3)
        video = self.sim.animate(3, steps=4, fps=12.5)
        self.assertEqual((len(video), video.size, self.sim.steps), (3, (40, 24), 8))
        for index in range(3):
            np.testing.assert_array_equal(video[index], twin.image())
            twin.run(4)
        for name in ("a.mp4", "a.webm", "a.gif", "a.png"):
            video.save(self.path(name))
            probe = subprocess.run(
                ["ffprobe", "-v", "error", "-count_frames", "-show_entries",
                 "stream=width,height,nb_read_frames", "-of", "csv=p=0", self.path(name)],
                text=True, capture_output=True, check=True)
            self.assertEqual(probe.stdout.strip().strip(","), "40,24,3", name)
        raw = subprocess.run(["ffmpeg", "-v", "error", "-i", self.path("a.png"), "-f", "rawvideo",
                              "-pix_fmt", "rgb24", "-"], capture_output=True, check=True).stdout
        self.assertEqual(raw, b"".join(video[i].tobytes() for i in range(3)))
        self.assertIn("<video controls", video._repr_html_())
        self.assertEqual(repr(video), "<vksim.Animation, 3 frames of 40x24>")
        self.refused("exists", video.save, self.path("a.gif"), error=FileExistsError)
        video.save(self.path("a.gif"), overwrite=True)
        self.refused("must end in", video.save, self.path("a.txt"))
        self.refused("cannot write", video.save, self.path("none/a.mp4"), error=vksim.FileError)
        self.refused("at least one", self.sim.animate, 0)
        self.refused("fps is 0", self.sim.animate, 1, fps=0)
        path, os.environ["PATH"] = os.environ["PATH"], ""
        try:
            self.assertIn("data:image/", video._repr_html_())
            self.refused("ffmpeg", video.save, self.path("b.mp4"), error=vksim.FileError)
        finally:
            os.environ["PATH"] = path

    def test_record(self):
        gas = vksim.Simulation("gas", preset="cloud", watch=True, size=(16, 16))
        table = gas.record(frames=3, steps=2)
        self.assertEqual(table["step"].tolist(), [0, 2, 4])
        self.assertEqual(table["time"][-1], gas.time)
        self.assertGreater(gas.time, 0)
        path = self.path("t.csv")
        table.to_csv(path)
        with open(path, encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
        self.assertEqual(rows[0], [*table])
        self.assertEqual([float(text) for text in rows[2]], [table[name][1] for name in table])
        self.assertEqual(len(table), 3)
        self.assertIn("<th>kinetic</th>", table._repr_html_())
        self.assertEqual(len(gas.record(21)), 21)
        self.assertIn("21 rows", gas.record(21)._repr_html_())
        self.assertEqual([*gas.record(1, names=["energy"])], ["step", "energy"])
        self.refused("no scalar 'x'; it has", gas.record, 1, names=["x"])
        self.refused("watch=True", self.sim.record, 1)

    def test_pandas(self):
        table = vksim.Simulation("gray-scott", size=(8, 8), watch=True).record(2, 3)
        frame = table.to_pandas()
        self.assertEqual(list(frame.columns), ["step", *list(table)[1:]])
        self.assertEqual(frame["step"].tolist(), [0, 3])

    def test_xarray(self):
        agents = vksim.Simulation("physarum", size=(16, 12), agents=9).to_xarray()
        self.assertEqual([agents[name].dims for name in ("trail", "position", "heading")],
                         [("y", "x"), ("item", "component"), ("item",)])
        self.assertEqual(agents.attrs, {"model": "physarum", "seed": 1, "steps": 0})
        volume = vksim.Simulation("physarum-3d", size=(8, 6, 4)).to_xarray(["trail"])
        self.assertEqual(volume["trail"].dims, ("z", "y", "x"))
        self.assertIn("trail", volume["trail"].attrs["long_name"])

    def test_timings(self):
        self.sim.run(10)
        rows = {row.name: row for row in self.sim.timings()}
        self.assertGreater(sum(row.calls for row in rows.values()), 1)
        self.assertGreater(max(row.total for row in rows.values()), 0)
        self.assertIn("<th>calls</th>", self.sim.timings()._repr_html_())

    def test_lists(self):
        device = vksim.devices()[0]
        self.assertEqual((device.index, device.type, device.lacks), (0, "software", ""))
        self.assertEqual(self.sim.context.device, device)
        self.assertIn(device.name, repr(self.sim.context))
        self.assertIn(device.uuid, vksim.devices()._repr_html_())
        models = {model.name: model for model in vksim.models()}
        self.assertIn("mazes", models["gray-scott"].presets)
        self.assertEqual(models["gray-scott"].inits[0], "square")
        self.assertIn("trail", models["physarum"].views)
        feed = {row.name: row for row in vksim.options("gray-scott")}["feed"]
        self.assertEqual((feed.type, feed.min, feed.max, feed.change), ("real", 0, 1, "live"))
        self.assertIn("periodic", {row.name: row for row in
                                   vksim.options("gray-scott")}["boundary"].choices)
        self.assertIn("<th>default_text</th>", vksim.options("gas")._repr_html_())
        self.assertRegex(vksim.__version__, r"^\d+\.\d+\.\d+$")


class Models(Case):
    """Models from Python."""

    def test_formula(self):
        fhn = vksim.Formula(u="lap(u) + u - u^3 - v", v="0.08*(u + 0.7 - 0.8*v) + 4*lap(v)",
                            dt=0.02)
        sim = vksim.Simulation(fhn, size=(24, 16))
        sim.run(50)
        self.assertAlmostEqual(sim.time, 1.0)
        fhn.save(self.path("fhn.json"))
        done = subprocess.run([TOOL, self.path("fhn.json"), "--size", "24x16", "--headless",
                               "--steps", "50", "--out", "none", "--digest"], text=True,
                              capture_output=True, check=True)
        self.assertIn(sim.digest(), done.stdout + done.stderr)
        same = vksim.Formula(u="lap(u) + u - u^3 - v", v="0.08*(u + 0.7 - 0.8*v) + 4*lap(v)",
                             dt=0.02)
        self.assertEqual(same.name, fhn.name)
        self.assertIn(fhn.name, [model.name for model in vksim.models()])

    def test_keys(self):
        step = vksim.Formula(name="spread-of-python", next={"u": "u + d*lap(u)"},
                             parameters={"d": 0.2}, init={"step": {"u": "x < 0.5"}})
        sim = vksim.Simulation(step, size=(16, 4), d=0.1)
        sim.run(1)
        self.assertAlmostEqual(float(sim["u"][0, 7]), 0.9, 6)
        self.assertEqual((step.name, sim.get("d")), ("spread-of-python", 0.1))
        self.refused("there is no value 'w'", vksim.Formula, u="lap(u) + w")
        self.refused("besides", vksim.Formula, u="u", rates={"v": "v"})
        self.refused("JSON", vksim.Formula, u="u", dt=float("nan"))
        self.refused("JSON", vksim.Formula, u=object())

    def test_load(self):
        path = pathlib.Path(ROOT, "models/barkley.json")
        self.assertEqual(vksim.load_model(path), "barkley")
        vksim.Simulation(path, size=(16, 16)).run(2)
        for _ in range(2):
            self.assertEqual(vksim.load_model(pathlib.Path(ROOT, "models/ripples")), "ripples")
        self.refused("none.json", vksim.load_model, self.path("none.json"),
                     error=vksim.FileError)
        self.refused("none", vksim.load_model, self.path("none"), error=vksim.FileError)

    def test_names(self):
        """Models are found by their names, as those of `vksim NAME`."""
        sim = vksim.Simulation("heat", size=(16, 8))  # one that comes with vksim
        self.assertEqual((sim.model, sim.size), ("heat", (16, 8)))
        self.assertIn("dt", {row.name for row in vksim.options("wave")})
        vksim.Formula(name="own-of-python-2", u="1", init={"zero": {"u": "0"}}).save(
            self.path("own-of-python.json"))
        self.refused("'own-of-python'", vksim.Simulation, "own-of-python")
        os.environ["VKSIM_MODEL_PATH"] = "/nowhere:" + self.folder
        self.addCleanup(os.environ.pop, "VKSIM_MODEL_PATH")
        sim = vksim.Simulation("own-of-python", size=(8, 8))
        sim.run(2)
        self.assertEqual(sim["u"][0, 0], 2)

    def test_shaders(self):
        life = vksim.Model(**LIFE)
        sim = vksim.Simulation(life, size=(16, 16))
        sim["alive"][:] = 0
        sim["alive"][2:5, 1:4] = [[0, 1, 0], [0, 0, 1], [1, 1, 1]]  # a glider
        before = sim["alive"].numpy()
        sim.run(4)
        np.testing.assert_array_equal(sim["alive"].numpy(), np.roll(before, (1, 1), (0, 1)))
        self.assertEqual(vksim.Model(**LIFE).name, life.name)
        life.save(self.path("life"))
        sim = vksim.Simulation(life, size=(32, 16), seed=5)
        sim.run(7)
        done = subprocess.run([TOOL, self.path("life"), "--size", "32x16", "--seed", "5",
                               "--headless", "--steps", "7", "--out", "none", "--digest"],
                              text=True, capture_output=True, check=True)
        self.assertIn(sim.digest(), done.stdout + done.stderr)
        self.assertRegex(repr(life), "<vksim.Model 'model-[0-9a-f]{8}': alive>")

    def test_wrong_shaders(self):
        def changed(old, new):
            start, step = LIFE["passes"]
            self.assertIn(old, step["glsl"])
            return {**LIFE, "passes": [start, {**step, "glsl": step["glsl"].replace(old, new)}]}
        self.refused("step.comp:9: ", vksim.Model, **changed("sum = 0.0f;", "sum = zero;"))
        self.refused("step.comp:9: in function main: GLSL.std.450 Exp is not exact", vksim.Model,
                     **changed("sum = 0.0f;", "sum = exp(float(cell.x));"))
        self.refused("'step' is not a name of a pass", vksim.Model,
                     **{**LIFE, "passes": LIFE["passes"] + LIFE["passes"][1:]})
        self.refused("'model.json': ", vksim.Model, passes=[{"pass": "a", "glsl": ""}])
        wrong = changed("sum == 3.0f", "sum == three")
        self.refused("three", vksim.Model, name="repaired", **wrong)
        sim = vksim.Simulation(vksim.Model(name="repaired", **LIFE), size=(8, 8))
        sim["alive"][:] = 1
        sim.run(1)
        self.assertEqual(sim["alive"][:].max(), 0)
        self.refused("there is a simulation 'repaired' already", vksim.Model, name="repaired",
                     **changed("sum == 3.0f", "sum == 2.0f"))
        self.refused("there is no key 'pases'", vksim.Model, pases=[])
        self.refused("JSON", vksim.Model, fields={"a": object()})


class Documents(Case):
    """The examples are run, in the order of the page."""

    def run_blocks(self, name):
        text = pathlib.Path(ROOT, name).read_text(encoding="utf-8")
        blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        blocks = [block for block in blocks if "import torch" not in block]  # gpu_share.py runs it
        self.assertTrue(blocks)
        program = self.path("blocks.py")
        pathlib.Path(program).write_text("\n".join(blocks), encoding="utf-8")
        done = subprocess.run([sys.executable, program], cwd=self.folder, text=True,
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_readme(self):
        self.run_blocks("README.md")

    def test_page(self):
        self.run_blocks("docs/python.md")


def decoded(path):
    """A .png file of 8 bits as an array, decoded by other people's code."""
    with open(path, "rb") as file:
        data = file.read()
    width, height, _, colour = struct.unpack(">IIBB", data[16:26])
    channels = 4 if colour == 6 else 3
    raw = subprocess.run(["convert", path, "-depth", "8", "rgba:-" if channels == 4 else "rgb:-"],
                         capture_output=True, check=True).stdout
    return np.frombuffer(raw, np.uint8).reshape(height, width, channels)


suite.main(Tool, Members, Models, Documents, only=sys.argv[3:])

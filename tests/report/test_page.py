# SPDX-License-Identifier: MIT
"""test_page.py VKSIM [NAME...] [--renew]: the HTML pages in headless Chromium. TAP output.

Made-up reports are compared, figure by figure, with the page; a real run, a sweep, rungs
and access pictures are made on Mesa lavapipe. With VKSIM_TEST_PICTURES=FOLDER the screenshots are
kept there. --renew: see messages.py.
"""

import json
import math
import os
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import traceback

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from messages import Messages  # noqa: E402
from tap import check, end  # noqa: E402

from browser import Browser  # noqa: E402
from made_up import HOSTILE, make_bare, make_hostile, make_report  # noqa: E402

MAX_PAGE = 1 << 20  # bytes without pictures
RUN = ["physarum", "--headless", "--preset", "plain", "--size", "400x200", "--agents", "2000",
       "--frames", "9"]

# The tables of a section: heads, and rows of texts or, where a cell has one, exact numbers.
TABLES = """(section) => [...document.querySelectorAll(`#${section} table`)].map((table) => ({
  heads: [...table.tHead.rows[0].cells].map((cell) => cell.textContent),
  rows: [...table.tBodies].flatMap((body) => [...body.rows]).map((row) =>
    [...row.cells].map((cell) => {
      const exact = cell.querySelector("data");
      return exact ? Number(exact.value) : cell.textContent;
    })),
}))"""
INK = """() => [...document.querySelectorAll(".chart canvas")].map((canvas) => {
  const {width, height} = canvas;
  const bytes = canvas.getContext("2d").getImageData(0, 0, width, height).data;
  const colours = new Set();
  for (let i = 0; i < bytes.length; i += 4) {
    if (bytes[i + 3] === 255) {
      colours.add(bytes[i] << 16 | bytes[i + 1] << 8 | bytes[i + 2]);
    }
  }
  return [...colours];
})"""


class Suite:
    def __init__(self, vksim, messages):
        self.vksim, self.messages = os.path.abspath(vksim), messages
        self.folder = tempfile.mkdtemp()
        self.pictures = os.environ.get("VKSIM_TEST_PICTURES")
        icd = os.environ.get("VKSIM_TEST_LAVAPIPE_ICD", "")
        self.environment = dict(os.environ, VK_DRIVER_FILES=icd, VK_ICD_FILENAMES=icd)
        self.browser = Browser()

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, *arguments, limit=None):
        environment = dict(self.environment)
        if limit is not None:  # not for the memory of the driver: see cli/memory_files.c
            module = os.path.join(os.path.dirname(self.vksim), "tests", "memory_files.so")
            environment["LD_PRELOAD"] = ":".join(filter(None, (environment.get("LD_PRELOAD"),
                                                               module)))

        def prepare():
            if limit is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
        return subprocess.run([self.vksim, *map(str, arguments)], cwd=self.folder, text=True,
                              env=environment, capture_output=True, preexec_fn=prepare,
                              timeout=120)

    def succeeds(self, what, *arguments):
        done = self.run(*arguments)
        check(done.returncode == 0, what, done.stderr)
        return done.stdout

    def fails(self, what, code, subject, *arguments, limit=None):
        done = self.run(*arguments, limit=limit)
        sentence = done.stderr.removeprefix("vksim: ").removesuffix("\n")
        wrong = self.messages.check("refused", what, sentence)
        check(done.returncode == code and not wrong and subject in sentence and
              "\n" not in sentence, what, done.returncode, done.stderr, wrong)

    def document(self, name):
        """The JSON of a page."""
        with open(self.path(f"{name}.html"), encoding="utf-8") as file:
            return json.loads(re.search('id="data">(.*?)</script>', file.read())[1])

    def replace(self, name, other, document):
        """Writes the page OTHER: NAME with another document."""
        with open(self.path(f"{name}.html"), encoding="utf-8") as file:
            before, after = re.split('(?<=id="data">).*?(?=</script>)', file.read(), maxsplit=1)
        with open(self.path(f"{other}.html"), "w", encoding="utf-8") as file:
            file.write(before + json.dumps(document).replace("<", "\\u003c") + after)

    def write(self, name, report):
        with open(self.path(name), "w", encoding="utf-8") as file:
            json.dump(report, file)

    def page(self, name, *reports):
        """Writes the page of reports."""
        for i, report in enumerate(reports):
            self.write(f"{name}{i}.json", report)
        self.succeeds(f"the page {name}", "report",
                      *(f"{name}{i}.json" for i in range(len(reports))), "--html", f"{name}.html",
                      "--overwrite")

    def show(self, name, **options):
        """Opens a page; nothing may be logged or requested but the page and its pictures."""
        self.browser.open(self.path(f"{name}.html"), **options)
        others = [url for url in self.browser.requests[1:] if not url.startswith("data:image/")]
        check(not self.browser.messages and not others, f"{name} is silent {options or ''}",
              *self.browser.messages, *others)

    def change(self, *look):
        """Another scheme or medium for the page that is open; waits until it is drawn."""
        self.browser.show(*look)
        self.browser.evaluate("new Promise((done) => requestAnimationFrame(() => "
                              "requestAnimationFrame(done)))")

    def picture(self, name):
        if self.pictures:
            self.browser.screenshot(os.path.join(self.pictures, f"{name}.png"))

    def ask(self, function, *arguments):
        return self.browser.evaluate(
            f"({function})({', '.join(json.dumps(one) for one in arguments)})")

    def tables(self, section):
        return self.ask(TABLES, section)

    def end(self):
        self.browser.close()
        shutil.rmtree(self.folder)


def is_near(a, b):
    return isinstance(a, (int, float)) and math.isclose(a, b, rel_tol=1e-12)


def column(table, head):
    index = [text.split(" ")[0] if " " not in head else text for text in table["heads"]].index(head)
    return {row[0]: row[index] for row in table["rows"]}


def check_column(what, table, head, wanted):
    got = column(table, head)
    check(got.keys() == wanted.keys() and
          all(is_near(got[name], wanted[name]) for name in wanted), what, got, wanted)


def check_figures(suite, report, name):
    """Every figure of the page is that of the report."""
    passes = [one for one in report["passes"] if one["calls"] > 0]
    table = suite.tables("passes")[0]
    check([row[0] for row in table["rows"]] == [one["name"] for one in passes],
          f"{name}: every pass has a row", table)
    timed = [one for one in passes if one["samples"] > 0]
    for head, key in (("Calls", "calls"), ("Total", "total_s"), ("Share", "share"),
                      ("Mean", "mean_s"), ("Min", "min_s"), ("Median", "p50_s"), ("Max", "max_s"),
                      ("Bytes", "bytes_per_s"), ("Operations", "operations_per_s")):
        if key not in passes[0]:
            continue
        of = passes if key == "calls" else timed
        index = [text.split(" ")[0] for text in table["heads"]].index(head)
        got = {row[0]: row[index] for row in table["rows"] if row[index] != "\u2013"}
        wanted = {one["name"]: one[key] for one in of if one[key] > 0 or "per_s" not in key}
        check(got.keys() == wanted.keys() and
              all(is_near(got[one], wanted[one]) for one in wanted), f"{name}: {key}", got, wanted)
    for phase in report.get("phases", []):
        rows = [row for table in suite.tables("phases") for row in table["rows"]]
        check(any(row[:2] == [phase["thread"], phase["name"]] and row[2] == phase["count"] and
                  is_near(row[3], phase["seconds"]) for row in rows),
              f"{name}: phase {phase['thread']}, {phase['name']}", rows)
    if report.get("step_times"):
        times = sorted(one["seconds"] for one in report["step_times"])
        spread, batches = suite.tables("steps")
        ends = (min(one["min_s"] for one in report["step_times"]),
                max(one["max_s"] for one in report["step_times"]))
        check(is_near(spread["rows"][0][1], ends[0]) and is_near(spread["rows"][0][6], ends[1])
              and is_near(spread["rows"][0][3], times[math.ceil(len(times) / 2) - 1]),
              f"{name}: the spread of the step times", spread)
        known = [[one["step"], one["steps"], one["seconds"]] for one in report["step_times"]]
        check(len(batches["rows"]) > min(len(known), 250) / 2 and
              all(row in known for row in batches["rows"]), f"{name}: batches", batches)
    if report.get("timeline"):
        by_pass, slices = suite.tables("timeline")
        totals = {}
        for one in report["timeline"]:
            totals[one["pass"]] = totals.get(one["pass"], 0) + one["end_s"] - one["begin_s"]
        check({row[0] for row in by_pass["rows"]} == totals.keys() and
              all(math.isclose(row[3], totals[row[0]], rel_tol=1e-9) for row in by_pass["rows"]),
              f"{name}: the time line by pass", by_pass, totals)
        check(all(row[0] == one["pass"] and row[1] == one["step"] and
                  is_near(row[2], one["begin_s"]) for row, one in
                  zip(slices["rows"], report["timeline"])) and
              len(slices["rows"]) == min(len(report["timeline"]), 250),
              f"{name}: every dispatch of the time line")
    ceilings = suite.tables("ceilings")
    check(not report.get("ceilings") or
          [[row[0], row[1]] for row in ceilings[0]["rows"]] ==
          [[one["name"], one["median"]] for one in report["ceilings"]], f"{name}: ceilings",
          ceilings)
    sizes = {row[0]: row[1] for row in suite.tables("memory")[0]["rows"]}
    check(sizes["Allocated at the end"] == report.get("memory", report)["allocated_bytes"],
          f"{name}: memory", sizes)


def test_figures(suite):
    report = make_report()
    suite.page("one", report)
    size = os.path.getsize(suite.path("one.html"))
    check(size < MAX_PAGE, "the page is under 1 MB", size)
    suite.show("one")
    suite.picture("light")
    check_figures(suite, report, "made up")
    check(suite.browser.evaluate("document.documentElement.lang") == "en", "the language")
    heads = suite.browser.evaluate(
        "[...document.querySelectorAll('h1, h2, h3')].map((head) => Number(head.tagName[1]))")
    check(heads.count(1) == 1 and all(b <= a + 1 for a, b in zip(heads, heads[1:])),
          "one first heading, no level left out", heads)
    command = suite.browser.evaluate("document.querySelector('.command code').textContent")
    words = subprocess.run(["sh", "-c", f"printf '%s\\n' {command}"], capture_output=True,
                           text=True, check=True).stdout.splitlines()
    check(words == report["command"], "the command line can be pasted into a shell", command)
    ink = suite.ask(INK)
    check(len(ink) == 3 and all(len(colours) > 3 for colours in ink), "three charts are drawn")
    mark = suite.browser.evaluate(
        "getComputedStyle(document.querySelector('#passes .c1')).backgroundColor")
    colour = int("%02x%02x%02x" % tuple(map(int, mark[4:-1].split(","))), 16)
    check(colour in ink[0] and colour in ink[1],
          "a pass has one colour in tables, time line and roofline", mark)


def test_conclusions(suite):
    """What takes the time, what bounds it, what idles: the first block, as in the terminal."""
    report = make_report()
    for one in report["passes"]:  # agents: twice as fast as the memory
        if one["name"] == "agents":
            one.update(bytes=2 * 4.53e12 * one["p50_s"], bytes_per_s=2 * 4.53e12)
            one["ceilings"]["copy"] = 2 * 4.53 / 4.28
    suite.page("cached", report)
    suite.show("cached")
    said = suite.browser.evaluate("[...document.querySelectorAll('#conclusions p')].map((one) => "
                                  "one.textContent.replaceAll('\u00a0', ' '))")
    told = " ".join(suite.succeeds("the same in the terminal", "report", "cached0.json").split())
    check(said[0].startswith("A step takes 12.5 \u00b5s of GPU time, and agents takes 4") and
          said[1] == "A cache serves agents: it moves 9.06 TB/s, 2.12 times what a copy through "
          "memory reaches, so memory bandwidth does not bound it." and len(said) == 2, "sentences",
          said)
    check(" ".join(said) in told.replace("'", "").replace(" us", " \u00b5s"),
          "which the terminal prints", told)
    check(suite.browser.evaluate("document.querySelector('section').id") == "conclusions" and
          suite.browser.evaluate("document.querySelector('#conclusions strong').textContent") ==
          "agents", "they are first")
    rows = {row[0]: row for row in suite.tables("passes")[0]["rows"]}
    served = {row[0]: row[-1] for row in suite.tables("roofline")[0]["rows"]}
    check("cache" in rows["agents"] and served["agents"] == "cache" and
          served["deposit"] == "memory", "a cache bounds the pass instead of memory", rows, served)
    check(suite.browser.evaluate("[...document.querySelectorAll('details')].every((one) => "
                                 "!one.open)"), "details of the device are folded")
    names = [one["name"] for one in report["passes"]]
    for width in (390, 1280):
        suite.show("cached", width=width)
        labels, over = suite.ask("""() => {
          const canvas = document.querySelector("#roofline canvas");
          const {names, roofNames, chartArea: area} = Chart.getChart(canvas);
          const overlaps = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom &&
            b.top < a.bottom;
          const boxes = [...names, ...roofNames];
          return [names.map(({name}) => name), boxes.filter((a, i) => names.includes(a) &&
            (a.left < area.left || a.right > area.right || a.top < area.top ||
             a.bottom > area.bottom || boxes.some((b, k) => k !== i && overlaps(a, b))))];
        }""")
        check(sorted(labels) == sorted(name + " (cache)" * (name == "agents") for name in names)
              and not over, f"every point has its name at {width} pixels", labels, over)


def test_colours(suite):
    """More passes than colours: the longest have their own, all others are grey."""
    passes = [dict(make_report()["passes"][1], name=f"p{i}", share=i / 190) for i in range(20)]
    suite.page("many", make_report(passes=passes, timeline=[]))
    suite.show("many", width=1600)
    shown = suite.ask("""() => [...document.querySelectorAll("#passes tbody th")].map((head) =>
      [head.textContent, getComputedStyle(head.querySelector("i")).backgroundColor])""")
    colours = dict(shown)
    grey = {colours[f"p{i}"] for i in range(8)}
    own = [colours[f"p{i}"] for i in range(8, 20)]
    check(len(grey) == 1 and len(set(own)) == 12 and not grey & set(own),
          "no colour is that of two passes", shown)


def test_bare(suite):
    suite.page("bare", make_bare())
    suite.show("bare")
    sections = suite.browser.evaluate(
        "[...document.querySelectorAll('section')].filter((section) => section.offsetHeight > 0)"
        ".map((section) => section.id)")
    check(sections == ["run", "device", "memory"], "keys that lack leave out their sections",
          sections)
    links = suite.browser.evaluate("[...document.querySelectorAll('nav a')].filter((link) => "
                                   "link.offsetHeight > 0).map((link) => link.hash.slice(1))")
    check(links == ["run", "memory"], "there are links to the other sections", links)


def test_sorting(suite):
    suite.page("one", make_report())
    suite.show("one")
    head = "document.querySelector('#passes thead').rows[0].cells[3]"
    order = "[...document.querySelectorAll('#passes tbody th')].map((cell) => cell.textContent)"
    check(suite.browser.evaluate(f"{head}.getAttribute('aria-sort')") == "none", "not sorted yet")
    means = {one["name"]: one["share"] for one in make_report()["passes"]}
    for direction, reverse in (("descending", True), ("ascending", False)):
        suite.browser.evaluate(f"{head}.querySelector('button').focus()")
        suite.browser.press("Enter")
        got = suite.browser.evaluate(order)
        check(suite.browser.evaluate(f"{head}.getAttribute('aria-sort')") == direction and
              got == sorted(means, key=means.get, reverse=reverse), f"Enter sorts {direction}", got)
    suite.browser.evaluate("document.querySelector('#passes thead button').click()")
    check(suite.browser.evaluate(order) == sorted(means), "names sort by the alphabet")
    focus = set()
    for _ in range(60):
        suite.browser.press("Tab")
        focus.add(suite.browser.evaluate("document.activeElement.tagName"))
    check({"A", "BUTTON", "SUMMARY", "DIV"} <= focus, "Tab reaches links, buttons and tables",
          focus)


def check_without_scripts(suite, name):
    """One sentence, and no head without contents."""
    hidden = "document.querySelector('noscript').offsetHeight"
    check(suite.browser.evaluate(hidden) == 0, f"{name}: no sentence about scripts")
    suite.browser.call("Emulation.setScriptExecutionDisabled", value=True)
    suite.show(name)
    suite.picture(f"{name}-without-scripts")
    said = suite.browser.evaluate("document.body.innerText")
    check("scripts are disabled here" in said and suite.browser.evaluate(hidden) > 0,
          f"{name}: without scripts a sentence says so", said)
    check(suite.browser.evaluate("[...document.querySelectorAll('section, nav, button, table')]"
                                 ".every((part) => part.offsetHeight === 0)"),
          f"{name}: without empty sections")
    suite.browser.call("Emulation.setScriptExecutionDisabled", value=False)


def test_without_scripts(suite):
    suite.page("one", make_report())
    suite.show("one")
    check_without_scripts(suite, "one")


def test_hostile(suite):
    suite.page("hostile", make_hostile())
    suite.show("hostile")
    check(suite.browser.evaluate("document.scripts.length") == 3 and
          suite.browser.evaluate("document.images.length") == 0, "no element comes from a text")
    text = suite.browser.evaluate("document.body.textContent")
    check(HOSTILE in text and "\u202e" not in text, "texts are shown as they are, but in one "
          "direction")
    with open(suite.path("hostile.html"), encoding="utf-8") as file:
        source = file.read()
    check(source.count("<script") == 3 and source.count("</script") == 3 and
          "<img" not in source, "nothing in the file looks like markup")
    # Were a text not escaped, the policy would still stop it.
    suite.browser.open(suite.path("hostile.html"))
    stopped = suite.ask("""() => {
      const script = document.createElement("script");
      script.textContent = "window.ran = true";
      document.body.append(script);
      const image = new Image();
      image.src = "http://localhost:9/x.png";
      document.body.append(image);
      return window.ran === undefined;
    }""")
    check(stopped and any("Content Security Policy" in message
                          for message in suite.browser.messages),
          "the policy stops other scripts", *suite.browser.messages)


def test_looks(suite):
    suite.page("one", make_report())
    suite.show("one", scheme="light")
    light = suite.ask(INK)
    suite.show("one", scheme="dark")
    suite.picture("dark")
    paper = suite.browser.evaluate("getComputedStyle(document.body).backgroundColor")
    check(sum(map(int, paper[4:-1].split(","))) < 120, "dark paper", paper)
    dark = suite.ask(INK)
    check(all(set(a) != set(b) for a, b in zip(light, dark)), "dark charts")
    suite.change("light")
    check(suite.ask(INK) == light, "charts follow a change of the scheme")
    for width in (320, 390, 700, 1600):
        suite.show("one", width=width)
        over = suite.browser.evaluate("document.documentElement.scrollWidth")
        check(over <= width, f"no sideways scrolling of {width} pixels", over)
        suite.picture(f"width-{width}")
    suite.show("one", scheme="dark", media="print")
    paper = suite.browser.evaluate("getComputedStyle(document.body).backgroundColor")
    check(paper == "rgb(255, 255, 255)" and suite.browser.evaluate(
        "document.querySelector('nav').offsetHeight") == 0, "paper is white, without links", paper)
    check(suite.ask(INK)[0] == light[0] or set(suite.ask(INK)[1]) & set(light[1]),
          "printed charts have the light colours")
    suite.browser.pdf(suite.path("one.pdf"))
    if suite.pictures:
        shutil.copy(suite.path("one.pdf"), suite.pictures)
    check(os.path.getsize(suite.path("one.pdf")) > 20000, "the page prints")


def test_comparison(suite):
    other = make_report(1.5, device=dict(make_report()["device"], name="AMD Instinct MI300X",
                                         driver="radv"),
                        command=["vksim", "physarum", "--headless", "--seed", "1"])
    larger = make_report(4, width=1024)
    first = make_report()
    suite.page("several", first, other, larger)
    suite.show("several", width=1400)
    suite.picture("several")
    rows = {row[0]: row[1:] for row in suite.tables("differences")[0]["rows"]}
    check(list(rows) == ["Width", "Device", "Driver", "Command line"] and
          rows["Width"] == [512, 512, 1024] and
          rows["Device"] == ["NVIDIA H200", "AMD Instinct MI300X", "NVIDIA H200"],
          "what differs is said first", rows)
    check(suite.browser.evaluate("[...document.querySelectorAll('section')].slice(0, 2).map("
                                 "(section) => section.id)") == ["conclusions", "differences"],
          "after the conclusions of each run, before any figure")
    marked = suite.browser.evaluate("[...document.querySelectorAll('mark')].map((mark) => "
                                    "mark.textContent)")
    check(marked == ["--out", "it's a test.mp4", "--seed", "1", "--out", "it's a test.mp4"],
          "words of the command lines that differ are marked", marked)
    check("Run 3 differs from run 1 in simulation or size" in
          suite.browser.evaluate("document.getElementById('differences').textContent"),
          "other work is said")
    table = suite.tables("comparison")[1]
    for one, slower, row in zip(first["passes"], other["passes"], table["rows"]):
        check(row[0] == one["name"] and is_near(row[1], one["p50_s"]) and
              is_near(row[2], slower["p50_s"]) and
              is_near(row[3], slower["p50_s"] / one["p50_s"]) and row[5] == "\u2013",
              f"the ratio of {one['name']}, and none for other work", row)
    check(len(table["rows"]) == len(first["passes"]), "every pass is compared")
    suite.page("same", first, first)
    suite.show("same")
    check("None:" in suite.browser.evaluate("document.getElementById('differences').textContent"),
          "equal runs have no differences")


def check_other(suite, name, size, pictures):
    """What pages without Chart.js have in common: their figures are those of the document."""
    path = suite.path(f"{name}.html")
    check(os.path.getsize(path) < size, f"{name}: a small page", os.path.getsize(path))
    check_without_scripts(suite, name)
    for options in ({"scheme": "dark"}, {"width": 320}):
        suite.show(name, **options)
        suite.picture(f"{name}-{'-'.join(map(str, options.values()))}")
        over = suite.browser.evaluate("document.documentElement.scrollWidth - innerWidth")
        check(over <= 0, f"{name}: no sideways scrolling {options}", over)
    suite.change("dark", "print")
    check(not suite.browser.messages, f"{name} is silent when the scheme changes",
          *suite.browser.messages)

    def attack(value):
        """Every text that is not a picture."""
        if isinstance(value, dict):
            return {key: attack(one) for key, one in value.items()}
        if isinstance(value, list):
            return [attack(one) for one in value]
        return value + HOSTILE if isinstance(value, str) and "<svg" not in value else value

    suite.replace(name, f"{name}-attacked", attack(suite.document(name)))
    for page in (f"{name}-attacked", name):
        suite.show(page)
        check(suite.browser.evaluate("document.scripts.length") == 2 and suite.browser.evaluate(
            "Promise.all([...document.images].map((image) => image.decode())).then(() => "
            "[...document.images].every((image) => image.naturalWidth > 800))") and
              suite.browser.evaluate("document.images.length") == pictures,
              f"{page}: only its own elements, every picture drawn")
        check((HOSTILE in suite.browser.evaluate("document.body.textContent")) == (page != name),
              f"{page}: texts are shown as they are")
    suite.picture(name)


def test_scaling(suite):
    out = suite.succeeds("a sweep", "scale", "physarum", "--agents", "100", "--over",
                         "size=8,16,24,32", "--over", "steps=1,2", "--repeats", "5", "--json",
                         "--report", "scaling.html")
    report = json.loads(out)
    check(suite.document("scaling")["reports"] == [report], "the page has the JSON of the sweep")
    suite.show("scaling")
    check(suite.browser.evaluate("document.querySelector('h1').textContent") ==
          "physarum over size and steps", "its title")
    for table, sweep in zip(suite.tables("sweeps"), report["scaling"]):
        for row, point in zip(table["rows"], sweep["points"]):
            last = point["median"] * point["x"] if sweep["quantity"] == "steps" else \
                point["median"] / point["cells"]
            check(all(map(is_near, row[:8], (
                point["x"], point["cells"], point["median"],
                (point["high_quartile"] - point["low_quartile"]) / point["median"],
                point["host"]["median"], point["startup_s"], last, point["share_of_copy"]))),
                f"{point['name']} is on the page", row, point)
        check(len(table["rows"]) == len(sweep["points"]), "every point has a row", table)
    said = suite.browser.evaluate("document.getElementById('sweeps').innerText")
    fit = report["scaling"][0]["fit"]
    check(f"from {fit['from']} to {fit['to']} ({fit['points']} points)" in said and
          f"{float('%.4g' % fit['p']['value']):g}" in said and "too few points" in said,
          "the fits in words", said, fit)
    options = dict(suite.tables("options")[0]["rows"])
    check(options["agents"] == "100" and set(options) == set(report["options"]), "the options",
          options)
    check_other(suite, "scaling", 300000, 2)


def test_sensitivity(suite):
    small = ["sensitivity", "--size", "32x24", "--agents", "300", "--spin-up", "20", "--steps",
             "60", "--seeds", "2", "--json"]
    report = json.loads(suite.succeeds("twins", *small, "--report", "sensitivity.html"))
    check(suite.document("sensitivity")["reports"] == [report], "the page has the JSON of twins")
    suite.show("sensitivity")
    check(suite.browser.evaluate("document.querySelector('h1').textContent") ==
          "Sensitivity of physarum, 32x24", "its title")
    for row, seed in zip(suite.tables("seeds")[0]["rows"], report["seeds"]):
        cycles = seed["cycles"]
        check(all(map(is_near, row[1:4], (seed["rate"], len(cycles), cycles[0]))) and
              row[6:] == [seed["free"]["end"]["agents"], seed["free"]["end"]["apart"]],
              f"seed {seed['seed']} is on the page", row, seed)
    said = suite.browser.evaluate("document.getElementById('growth').innerText")
    check(f"{report['rate']['mean']:.4f}" in said and "standard error" in said,
          "the exponent in words", said)
    check_other(suite, "sensitivity", 300000, 1)
    report = json.loads(suite.succeeds("a map", *small, "--over", "jitter=5,20,60", "--over-rows",
                                       "turn-angle=6,30", "--report", "map.html"))
    suite.show("map", width=320)
    rows = suite.tables("growth")[0]["rows"]
    means = [cell["mean"] for cell in report["map"]["cells"]]
    shown = [value for row in rows for value in row[1:]]
    check(len(shown) == len(means) == 6 and all(
        mean is None or abs(value - mean) < 1e-9 for value, mean in zip(shown, means)),
        "the map's numbers", rows, means)
    check(suite.browser.evaluate("document.images.length === 1 && document.images[0].decode().then("
                                 "() => document.images[0].naturalWidth > 200)") and
          suite.browser.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0,
          "the map is drawn, without sideways scrolling")


def test_ladder(suite):
    out = suite.succeeds("rungs", "bench", "gemm", "--dtype", "float16", "--sizes",
                         "16x16x16,32x32x32", "--json", "--report", "ladder.html")
    report = json.loads(out)
    check(suite.document("ladder")["reports"] == [report], "the page has the JSON of the rungs")
    suite.show("ladder")
    rungs = suite.tables("kernels")[0]
    check("Rate GFLOP/s" in rungs["heads"] and len(rungs["rows"]) == len(report["rungs"]) and
          suite.browser.evaluate("document.querySelectorAll('#kernels tbody').length") == 2,
          "a unit that fits, and sizes apart", rungs)
    said = suite.browser.evaluate("document.querySelector('#kernels .conclusion').textContent")
    check(said == report["conclusion"] and "is the fastest rung at 32x32x32: " in said,
          "the page begins with the fastest rung", said)
    most = max(1, *(rung.get("of_ceiling", 0) for rung in report["rungs"]))
    bars = suite.ask("""() => [...document.querySelectorAll("#kernels .rate .bar")].map((bar) =>
      [...bar.children].map((part) => [part.x.baseVal.value, part.width.baseVal.value]))""")
    measured = [rung for rung in report["rungs"] if "seconds" in rung]
    check(len(bars) == len(measured) and all(
        math.isclose(bar[1][1], 100 * rung["of_ceiling"] / most, rel_tol=1e-5) and
        math.isclose(bar[2][0] + bar[2][1], 100 / most, rel_tol=1e-5)
        for bar, rung in zip(bars, measured)), "a bar per rung up to its share of the ceiling",
          bars)
    noisy = [rung["rung"] for rung in measured if rung["seconds"]["high_quartile"] -
             rung["seconds"]["low_quartile"] > 0.1 * rung["seconds"]["median"]]
    check([rung["rung"] for rung in measured if rung.get("noisy")] == noisy and
          suite.browser.evaluate("[...document.querySelectorAll('.noisy th')].map((head) => "
                                 "head.textContent)") == noisy, "noisy rows are grey", noisy)
    for row, rung in zip(rungs["rows"], report["rungs"]):
        if "missing" in rung:
            check(row == [rung["rung"], rung["size"], f"needs {rung['missing']}"],
                  f"why {rung['rung']} was not measured", row)
            continue
        seconds = rung["seconds"]
        check(row[:2] == [rung["rung"], rung["size"]] and
              row[3] == rung["ceiling"] and all(map(is_near, [row[2], *row[4:8]], (
                  rung["of_ceiling"], rung["operations_per_second"], seconds["median"],
                  (seconds["high_quartile"] - seconds["low_quartile"]) / seconds["median"],
                  rung["over_first"]))) and
              row[8] == rung.get("over_before", "\u2013") and row[9].startswith(rung["help"]),
              f"{rung['rung']} of {rung['size']} is on the page", row, rung)
    check_other(suite, "ladder", 200000, 1)
    large = [rung for rung in report["rungs"] if rung["size"] == "32x32x32"]
    refused = {"rung": "first", "size": "1x1x1", "verified": False, "refused": "it is too large"}
    wrong = {"rung": "second", "size": "1x1x1", "verified": False}
    kernels = [dict(report, kernel="a", drift=0.8),
               dict(report, kernel="b", rungs=[refused, wrong, *report["rungs"]])]
    suite.replace("ladder", "all", {"reports": [{**report, "kernels": kernels, "interrupted": True,
                                                 "left": 12345}], "pictures": [[None, None]]})
    suite.show("all")
    suite.picture("all")
    best = min((rung for rung in large if "seconds" in rung),
               key=lambda rung: rung["seconds"]["median"])
    rows = suite.tables("overview")[0]["rows"]
    check([row[0] for row in rows] == ["a", "b"] and
          all(row[3] == best["rung"] and is_near(row[4], best["seconds"]["median"])
              for row in rows), "the fastest rung of each kernel", rows)
    said = suite.browser.evaluate("document.body.innerText")
    check("Interrupted: 12345 more rows" in said and "changed by \u221220 %" in said and
          "it is too large" in said and "needs it is" not in said and "wrong: not timed" in said,
          "what went wrong is said", said)


def test_access(suite):
    suite.succeeds("access pictures", "bench", "transpose", "--rungs", "rows,tile", "--sizes",
                   "64x96", "--explain", "access.html")
    report = suite.document("access")["reports"][0]
    suite.show("access")
    check(suite.browser.evaluate("document.querySelector('h1').textContent") ==
          "Memory accesses of transpose", "its title")
    def reuse(row):
        of = row.get("reuse")
        return [of["lanes"] * of["requests"] * of["workgroups"], of["lanes"], of["requests"],
                of["workgroups"]] if of else ["\u2013"] * 4

    for table, rung in zip(suite.tables("rungs"), report["rungs"]):
        check(table["rows"] == [[row["array"], row["access"], row["requests"], row["cost"],
                                 row["at_least"], row["unit"], row["at_least"] / row["cost"],
                                 row.get("degree", "\u2013"), *reuse(row)]
                                for row in rung["requests"]],
              f"the requests of {rung['rung']}", table, rung)
    texts = suite.browser.evaluate("[...document.querySelectorAll('.shader')].map((figure) => "
                                   "figure.textContent)")
    times = suite.browser.evaluate("[...document.querySelectorAll('.conclusion data')].map((one) "
                                   "=> Number(one.value))")
    check(len(texts) == 2 and "transpose_rows.comp" in texts[0] and "void main()" in texts[0] and
          "shared " in texts[1] and "SPDX" not in texts[0], "each shader is beside its picture",
          texts)
    check(times == [rung["seconds"]["median"] for rung in report["rungs"]] and min(times) > 0,
          "the time of each rung", times)
    check_other(suite, "access", 300000, 2)


def test_run(suite):
    out = suite.succeeds("a run with --report", *RUN, "--out", "v.mp4", "--report", "run.html",
                         "--timings=json", "--digest")
    report = json.loads(out)
    check(suite.document("run")["reports"] == [report], "the page has what --timings=json prints")
    suite.show("run")
    suite.picture("run")
    check_figures(suite, report, "a run")
    pictures = suite.browser.evaluate(
        "[...document.images].map((image) => [image.naturalWidth, image.naturalHeight, image.alt])")
    check(pictures == [[320, 160, f"picture of physarum at step {step}"] for step in (0, 4, 8)],
          "the first, the middle and the last frame", pictures)
    slices = report["timeline"]
    last = max(one["end_s"] for one in slices)
    check(min(one["begin_s"] for one in slices) == 0 and 0 < last < report["wall_s"],
          "the time line begins at 0 and ends within the run", last)
    check({one["step"] for one in slices} == {3, 4} and {"agents", "copy"} <= {
        one["pass"] for one in slices}, "it has the steps, the drawing and the copy of one frame",
          slices)
    main = sum(one["seconds"] for one in report["phases"] if one["thread"] == "main")
    shown = suite.browser.evaluate("document.querySelector('#phases .sum data').value")
    check(math.isclose(float(shown), main, rel_tol=1e-2), "the sum of the main thread", shown, main)
    plain = suite.succeeds("the same run without", *RUN, "--out", "w.mp4", "--digest")
    digests = [f"digest {what} {report['digest'][what]}" for what in ("state", "frames")]
    check(digests == plain.splitlines(), "the same bytes without --report", digests, plain)
    for what, arguments, count in (("only the last frame", ["--out", "last.png", "--normalize",
                                                            "frame"], 1),
                                   ("every frame, as the last one follows from them",
                                    ["--out", "all.png", "--normalize", "smooth"], 3),
                                   ("no frame", ["--out", "none"], 0)):
        suite.succeeds(f"a run that draws {what}", *RUN, *arguments, "--report", "run.html",
                       "--overwrite")
        suite.show("run")
        check(suite.browser.evaluate("document.images.length") == count,
              f"pictures of a run that draws {what}: {count}")
    small = [*RUN, "--size", "40x20", "--frames", 2, "--out", "small.mp4", "--report"]
    suite.succeeds("a short run of small frames", *small, "small.html")
    suite.show("small")
    sizes = suite.browser.evaluate("[...document.images].map((image) => image.naturalWidth)")
    check(sizes == [40, 40], "small frames stay as they are", sizes)


def test_refused(suite):
    usage, file = 2, 4
    suite.write("a.json", make_report())
    suite.succeeds("a page", "report", "a.json", "--html", "a.html", "--quiet")
    suite.fails("an existing page", file, "--overwrite", "report", "a.json", "--html",
                "a.html")
    suite.fails("a page in place of its report", usage, "a.json", "report", "a.json", "--html",
                "a.json", "--overwrite")
    suite.write("wide.json", make_report(passes=[
        {"name": f"p{i}", "samples": 1, "p50_s": 1,
         "ceilings": {f"c{16 * i + j}": 1 for j in range(16)}} for i in range(1024)]))
    suite.succeeds("thousands of ceilings", "report", "wide.json", "--html", "wide.html", "--quiet")
    check(os.path.getsize(suite.path("wide.html")) < 16 << 20, "are not as many columns")
    odd = os.fsdecode(b"odd\xff.json")
    suite.write(odd, make_report())
    suite.succeeds("a name that is not UTF-8", "report", odd, "a.json", "--html", "odd.html",
                   "--quiet")
    suite.fails("no folder", file, "missing", "report", "a.json", "--html", "missing/a.html")
    for key, value in (("phases", 5), ("timeline", {}), ("step_times", "x"), ("ceilings", None),
                       ("command", "x"), ("command", ["x"] * 100000)):
        suite.write("bad.json", make_report(**{key: value}))
        suite.fails(f"{key} as {json.dumps(value)[:20]}", file, key, "report", "bad.json",
                    "--html", "bad.html")
    for name in ("missing/r.html", "/dev/null", "a.html"):
        suite.fails(f"a run with --report {name}", file, name, *RUN, "--out", "n.mp4", "--report",
                    name)
        check(not os.path.exists(suite.path("n.mp4")), "it has not begun")
    suite.fails("one name for two files", usage, "--report", *RUN, "--out", "x.png",
                "--report", "x.png")
    # The page is larger than this limit, the other files are smaller.
    suite.fails("a full disk at the end", file, "full.html", *RUN, "--size", "40x20", "--out",
                "full.mp4", "--save-state", "full.npz", "--report", "full.html", "--quiet",
                limit=150000)
    check(sorted(name for name in os.listdir(suite.folder) if name.startswith("full")) ==
          ["full.mp4", "full.npz"], "the run's other files are whole", os.listdir(suite.folder))
    with open(suite.path("full.npz"), "rb") as state:
        check(state.read()[-22:-18] == struct.pack("<I", 0x06054b50), "with the state's end")


def main():
    renew = sys.argv[-1] == "--renew"
    messages = Messages("page", renew)
    suite = Suite(sys.argv[1], messages)
    tests = {name[5:]: test for name, test in globals().items() if name.startswith("test_")}
    if "vksim bench KERNEL" not in suite.succeeds("a list of what can be measured", "bench"):
        del tests["ladder"], tests["access"]  # -Dladder=disabled
    names = sys.argv[2:len(sys.argv) - renew] or tests
    for name in names:
        try:
            tests[name](suite)
        except Exception:  # pylint: disable=broad-except
            check(False, f"{name} ran", traceback.format_exc())
    messages.end(names, check)
    suite.end()
    return end()


if __name__ == "__main__":
    sys.exit(main())

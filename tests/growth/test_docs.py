# SPDX-License-Identifier: MIT
"""test_docs.py SOURCE_ROOT VKSIM: tests the documents. TAP output.

Links between the documents lead to files and headings. Every command line in a block of type
`console` is one of vksim, one of the scripts here, or one of a short list. Those of vksim are run
for a device that does not exist, and must all get as far as choosing it: names and values of
options are right, and all have an effect. Every kernel has its row and its lesson, which names
every rung; no text counts them. tools/docs and tools/ladder-tables would change no table. The
tables of keys and exit codes in docs/window.md and using.md are those of --help all, and the
examples of --help are run like the lines of documents. The commands of the cookbook are run with
few steps and cells.
"""

import glob
import os
import re
import shlex
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import check, end  # noqa: E402

root, vksim = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])

# Languages of blocks; only a console has commands.
LANGUAGES = {"", "console", "c", "glsl", "json", "meson", "python", "text"}
# Commands that are not ours.
OTHERS = {"meson", "sudo", "tar", "cc", "cp", "head", "python3", "export", "git", "ffmpeg",
          "./trail", "env/bin/pip", "sbatch", "seq"}
# The example of docs/adding-a-simulation.md; the test `growth` builds it and runs its lines.
EXAMPLE = "waves"
COMMANDS = {"bench", "devices", "report"}
DEVICE = "a device that is not there"
# Kernels are counted by the program.
COUNTED = re.compile(r"\b(ten|eleven|twelve|\w+teen|twenty\S*|[1-9]\d+) (kernels|rungs)\b", re.I)


def blocks(text):
    """(language, body) of the fenced blocks."""
    return re.findall(r"^```(\S*)[^\n]*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def commands(body):
    """The lines after `$ `, joined where one ends in a backslash."""
    lines = re.sub(r"\\\n", " ", body).splitlines()
    return [line[2:] for line in lines if line.startswith("$ ")]


def anchors(path):
    """Names of a document's headings, as GitHub makes them."""
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"^```.*?^```$", "", file.read(), flags=re.MULTILINE | re.DOTALL)
    names = []
    for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE):
        heading = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        names.append(f"{name}-{names.count(name)}" if name in names else name)
    return names


def wrong_with_link(document, target):
    path, _, anchor = target.partition("#")
    path = os.path.join(os.path.dirname(document), path) if path else document
    if re.match(r"\w+:", target):
        return None
    if not os.path.exists(path):
        return f"the link to {target} leads nowhere"
    if anchor and anchor not in anchors(path):
        return f"the link to {target} names no heading there: {', '.join(anchors(path))}"
    return None


def wrong_with_vksim(words, line):
    if EXAMPLE in words:
        return None
    draws = words[:1] not in (["scale"], ["onset"], ["sensitivity"], ["check"], ["selftest"],
                             ["sweep"]) and \
        "--headless" not in words
    extra = ["--headless"] if draws else []
    opens_none = words[:1] and words[0] in COMMANDS or "--dry-run" in words
    extra = [] if opens_none else [*extra, "--device", DEVICE]
    # Measuring takes minutes; its options are checked before the device.
    measures = {"VKSIM_DEVICE": DEVICE} if words[:1] == ["bench"] and words[1:] else {}
    if "--capture" in words:  # as renderdoccmd sets it
        measures["ENABLE_VULKAN_RENDERDOC_CAPTURE"] = "1"
    done = subprocess.run([vksim, *words, *extra], text=True, capture_output=True, timeout=60,
                          stdin=subprocess.DEVNULL, env={**os.environ, **measures})
    if "has no effect" in done.stderr:
        return f"{line}\n  {done.stderr.strip()}"
    if f"'{DEVICE}' is not a Vulkan device" in done.stderr:
        return None
    # Files of the reader's, which are read before, what a build may lack, and lines that print
    # something and end.
    if re.search(r"cannot read '[^']+': there is no such file|there is no checkpoint '|"
                 r"there is no sweep with the table '|"
                 r"was built without RenderDoc's header", done.stderr) or \
            (done.returncode == 0 and set(words) &
             {"--help", "--list", "--list-devices", "--version", "--dry-run", "--show-options",
              *COMMANDS}):
        return None
    return f"{line}\n  {done.stderr.strip() or done.returncode}"


def wrong_with_command(line):
    """Of a pipe, the first part counts."""
    words = shlex.split(line.split("|")[0] if " | " in line else line, comments=True)
    while words and re.match(r"[A-Z_]+=", words[0]):
        del words[0]
    name = words[0]
    if name == "renderdoccmd":  # it runs what follows
        words = words[words.index("vksim"):]
        name = "vksim"
    if name in ("vksim", "build/vksim"):
        return wrong_with_vksim(words[1:], line)
    if name == "tools/quickstart" and words[1:]:
        return wrong_with_vksim(words[1:], line)
    if name in OTHERS:
        return None
    if os.access(os.path.join(root, name), os.X_OK):
        return None
    return f"{line}\n  {name} is not a command that this test knows"


def read(*names):
    with open(os.path.join(root, *names), encoding="utf-8") as file:
        return file.read()


def check_lessons():
    """Every kernel has a row in docs/ladder.md and a lesson with its rungs."""
    listed = subprocess.run([vksim, "bench"], text=True, capture_output=True).stdout
    kernels = re.findall(r"^  (\S+) .*\n((?:    \S.*\n)+)", listed, re.MULTILINE)
    rows = {name.strip(): page
            for names, page in re.findall(r"^\| \[([^]]+)\]\((ladder/[\w-]+\.md)\)",
                                          read("docs", "ladder.md"), re.MULTILINE)
            for name in names.split(",")}
    for kernel, rungs in kernels:
        page = read("docs", rows[kernel]) if kernel in rows else ""
        wrong = [rung for rung in re.findall(r"^    (\S+) ", rungs, re.MULTILINE)
                 if rung not in re.findall(r"[*`]+([\w-]+)[*`]+", page)]
        check(page and not wrong, f"the lesson of {kernel} has its rungs", *wrong)
    check(len(kernels) > 10, f"{len(kernels)} kernels are listed")
    others = sorted(set(rows) - {kernel for kernel, _ in kernels})
    check(not others, "docs/ladder.md has rows of kernels only", *others)


def check_lists():
    """The tables of keys and exit codes in the documents have the rows of --help all."""
    shown = subprocess.run([vksim, "--help", "all"], text=True, capture_output=True,
                           check=True).stdout
    for title, page, head in (
            ("Keys in the window:", "window.md", "| key | action |\n| --- | --- |\n"),
            ("Exit codes:", "using.md", "| code | meaning |\n| --- | --- |\n")):
        lines = shown.split(f"\n{title}\n")[1].split("\n\n")[0].splitlines()
        rows = ["| " + " | ".join(re.split(" {2,}", line.strip(), maxsplit=1)) + " |"
                for line in lines]
        table = read("docs", page).split(head)[1].split("\n\n")[0].strip().splitlines()
        check(len(rows) > 5 and table == rows, f"docs/{page} has the table {title}",
              *rows)


def check_cookbook():
    """The commands of the cookbook's pictures, with few steps and cells, write these."""
    text = read("docs", "cookbook.md")
    os.symlink(os.path.join(root, "docs"), "docs")
    pictures = set(re.findall(r"\]\(cookbook/([^)]+)\)", text))
    for language, body in blocks(text):
        for line in commands(body) if language == "console" else []:
            words = shlex.split(line, comments=True)[1:]
            out = words[words.index("--out") + 1]
            if out not in pictures:
                continue
            small = {"--size": "64x48", "--agents": "500", "--steps": "6", "--warmup": "2",
                     "--output-size": "32x24"}
            words = [small.get(before, word) for before, word in zip(["", *words], words)]
            done = subprocess.run([vksim, *words, "--quiet"], text=True, capture_output=True,
                                  timeout=60, stdin=subprocess.DEVNULL)
            check(done.returncode == 0 and os.path.getsize(out) > 0, f"it makes {out}",
                  done.stderr)
            pictures.discard(out)
    check(not pictures, "each picture of the cookbook has its command", *pictures)


def check_examples():
    """The examples of --help get as far as choosing a device."""
    shown = subprocess.run([vksim, "--help"], text=True, capture_output=True, check=True).stdout
    lines = re.findall(r"^  (vksim .*)$", shown.split("\nExamples:\n")[1].split("\n\n")[0], re.M)
    wrong = [sentence for sentence in map(wrong_with_command, lines) if sentence]
    check(len(lines) == 5 and not wrong, "the examples of --help", *lines, *wrong)


def main():
    os.environ.update(VK_ICD_FILENAMES=os.environ.get("VKSIM_TEST_LAVAPIPE_ICD", ""),
                      VK_DRIVER_FILES=os.environ.get("VKSIM_TEST_LAVAPIPE_ICD", ""))
    files = sorted(glob.glob(root + "/*.md") + glob.glob(root + "/docs/**/*.md", recursive=True))
    count = 0
    with tempfile.TemporaryDirectory(prefix="vksim-docs-") as empty:
        os.chdir(empty)
        os.symlink(os.path.join(root, "shaders"), "shaders")
        os.symlink(os.path.join(root, "models"), "models")
        for path in files:
            with open(path, encoding="utf-8") as file:
                text = file.read()
            wrong = [wrong_with_link(path, link)
                     for link in re.findall(r"\]\(([^)\s]+)\)", text)]
            for language, body in blocks(text):
                lines = commands(body)
                if language not in LANGUAGES:
                    wrong.append(f"a block of type '{language}'")
                if lines and language != "console":
                    wrong.append(f"a command in a block that is not a console: {lines[0]}")
                wrong += [wrong_with_command(line) for line in lines]
                count += len(lines)
            wrong += [f"'{found[0]}' is counted by hand" for found in COUNTED.finditer(text)]
            wrong = [sentence for sentence in wrong if sentence]
            check(not wrong, os.path.relpath(path, root), *wrong)
        check_examples()
        check_cookbook()
    check_lists()
    check(count > 80, f"{count} command lines found")
    check_lessons()
    done = subprocess.run([sys.executable, os.path.join(root, "tools", "docs"), "--check"],
                          text=True, capture_output=True)
    check(done.returncode == 0, "the tables of presets are those of presets.def",
          done.stdout, done.stderr)
    done = subprocess.run([sys.executable, os.path.join(root, "tools", "ladder-tables"), "--check"],
                          text=True, capture_output=True)
    check(done.returncode == 0, "the tables of the ladder are those of its results", done.stdout,
          done.stderr)
    return end()


sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_cli_outputs.py VKSIM [NAME...]: files that are written, and what can go wrong. See
suite.py."""

import json
import os
import signal
import struct
import subprocess
import sys

sys.dont_write_bytecode = True
from suite import (FILE, OK, SMALL, USAGE, limit_files, main, npy, npz, pixels, png,  # noqa: E402
                   png_size, probe, values)


def test_outputs_refused(suite):
    suite.write("file", "x")
    os.mkdir(suite.path("folder"))
    os.mkdir(suite.path("folder.mp4"))
    for option, kind in (("--out", "mp4"), ("--out", "y4m"), ("--out", "png"),
                         ("--save-state", "npz"), ("--save-scene", "json"), ("--watch", "csv")):
        more = [] if option == "--out" else ["--out", "none"]
        for name, path in (
                ("the folder is missing", f"missing/a.{kind}"),
                ("a file stands for the folder", f"file/a.{kind}"),
                ("a folder of the kernel's", f"/proc/a.{kind}")):
            suite.fails(f"{option} .{kind}: {name}", FILE, path, *SMALL, *more, option, path)
    suite.fails("a folder for an output", FILE, "folder.mp4", *SMALL, "--out", "folder.mp4")
    suite.fails("an unknown kind lists the known", USAGE, "a.avi", *SMALL, "--out", "a.avi")
    for name, status, subject, arguments in (
            ("an unknown encoder lists them", USAGE, "--encoder", ["--encoder", "h266", "--out",
                                                                   "a.mp4"]),
            ("an encoder in another container", USAGE, "--encoder", ["--encoder", "h264", "--out",
                                                                     "a.webm"]),
            ("vp9 in .mp4", USAGE, "--encoder", ["--encoder", "vp9", "--out", "a.mp4"]),
            ("an encoder for a picture", USAGE, "--encoder", ["--encoder", "h264", "--out",
                                                              "a.png"]),
            ("a quality beyond the encoder's", USAGE, "--crf", ["--crf", 52, "--out", "a.mp4"]),
            ("a quality beyond all", USAGE, "--crf", ["--crf", 64, "--out", "a.webm"]),
            ("no quality at all", USAGE, "--crf", ["--crf", "best", "--out", "a.mp4"]),
            ("a quality for an animation", USAGE, "--crf", ["--crf", 20, "--out", "a.gif"]),
            ("a quality for standard output", USAGE, "--crf", ["--crf", 20, "--out", "-"]),
            ("16 bits in a video", USAGE, "--depth", ["--depth", 16, "--out", "a.mp4"]),
            ("10 bits of h264", USAGE, "--encoder", ["--depth", 10, "--encoder", "h264", "--out",
                                                     "a.mkv"]),
            ("8 bits in an .exr", USAGE, "--depth", ["--depth", 8, "--out", "a.exr"]),
            ("8 bits in a .vti", USAGE, "--depth", ["--depth", 8, "--out", "a.vti"]),
            ("16 bits in an animation", USAGE, "--depth", ["--depth", 16, "--out", "a.gif"]),
            ("another depth", USAGE, "--depth", ["--depth", 12, "--out", "a.png"]),
            ("a poster of a still", USAGE, "--poster", ["--poster", "--out", "a.png"]),
            ("a poster of standard output", USAGE, "--poster", ["--poster", "--out", "-"]),
            ("a poster of nothing", USAGE, "--poster", ["--poster", "--out", "none"]),
            ("a poster of arrays", USAGE, "--poster", ["--poster", "--out", "a.npy"]),
            ("a poster of numbered arrays", USAGE, "--poster", ["--poster", "--out",
                                                                "a-%03d.npy"]),
            ("a poster of numbered stills", USAGE, "--poster", ["--poster", "--out",
                                                                "a-%03d.png"]),
            ("a quality of nothing", USAGE, "--crf", ["--crf", 20, "--out", "none"]),
            ("an encoder for nothing", USAGE, "--encoder", ["--encoder", "h264", "--out", "none"]),
            ("a quality of a contact sheet", USAGE, "--crf", ["--crf", 20, "--out", "a.png",
                                                              "--collage", "1x1"]),
            ("too small for h265", USAGE, "h265 supports 16 to 16384 pixels per side",
             ["--encoder", "h265", "--size", "8x8", "--out", "a.mp4"]),
            ("too large for vp9", USAGE, "vp9", ["--size", "16400x8", "--out", "a.webm"])):
        suite.fails(name, status, subject, *SMALL, *arguments)
    suite.fails("a poster of a window", USAGE, "--poster", "--poster", "--frames", 1)
    suite.fails("no kind", USAGE, "video", *SMALL, "--out", "video")
    suite.fails("a wrong pattern", USAGE, "a_%s.png", *SMALL, "--out", "a_%s.png")
    suite.fails("two numbers", USAGE, "a_%d_%d.png", *SMALL, "--out", "a_%d_%d.png")
    suite.fails("an empty name", USAGE, "empty", *SMALL, "--out", "")
    suite.check(not suite.left_over() and not os.path.exists(suite.path("physarum.mp4")),
                "nothing is left behind", os.listdir(suite.folder))
    for option in ("--save-state", "--save-scene"):
        suite.fails(f"{option} over a file", FILE, "--overwrite", *SMALL, "--out", "none", option,
                    "file")
    suite.check(suite.read("file") == b"x", "which stays as it was")
    state = [*SMALL, "--steps", 1, "--out", "none", "--save-state"]
    suite.succeeds("a state", *state, "s.npz")
    suite.fails("two outputs of one name", USAGE, "--out", *SMALL,
                "--out", "a.png", "--save-state", "a.png")
    suite.fails("an output that is an input", USAGE, "--save-scene", "--headless", "--out", "none",
                "--load-state", "s.npz", "--save-scene", "s.npz", "--overwrite")
    suite.fails("a picture too large for .mp4", USAGE, "16384", "--headless", "--size", "20000x8",
                "--agents", 5, "--out", "large.mp4")
    suite.fails("the run's own sentence, not the cache's", FILE, "missing.npz", "--headless",
                "--out", "none", "--load-state", "missing.npz",
                env={**suite.environment(), "VKSIM_CACHE_DIR": "/proc/nowhere"})
    nan = suite.path("nan.npz")
    npz(nan, {"trail.npy": npy("<f4", (2, 2), struct.pack("<4f", 0, 0, 0, float("nan")))})
    suite.fails("also after the device was opened", FILE, "is nan", "--headless", "--out", "none",
                "--load-state", "nan.npz", env={**suite.environment(),
                                                "VKSIM_CACHE_DIR": "/proc/nowhere"})
    status, _, _ = suite.run(*SMALL, "--frames", 2, "--out", "closed.y4m",
                             preexec_fn=lambda: os.close(2))
    with open(suite.path("closed.y4m"), "rb") as video:
        suite.check(status == OK and video.read(9) == b"YUV4MPEG2" and
                    b"vksim:" not in open(suite.path("closed.y4m"), "rb").read(),
                    "a closed standard error does not end in the video")


def test_overwrite(suite):
    for option, name in (("--save-state", "kept.npz"), ("--save-scene", "kept.json")):
        suite.write(name, "precious")
        suite.succeeds(f"{name} with --overwrite", *SMALL, "--frames", 2, "--out", "none", option,
                       name, "--overwrite")
        suite.check(suite.read(name) != b"precious", f"{name} is new")
    for name in ("kept.mp4", "kept.webm", "kept.gif", "kept.y4m", "kept.png", "kept_00001.png"):
        suite.write(name, "precious")
        out = "kept_%05d.png" if "_" in name else name
        suite.fails(f"{name} is there: refused", FILE, "--overwrite", *SMALL, "--frames", 2,
                    "--out", out)
        suite.check(suite.read(name) == b"precious", f"{name} is untouched")
        if "_" in name:
            suite.check(not os.path.exists(suite.path("kept_00000.png")), "no first picture either")
        suite.succeeds(f"{name} with --overwrite", *SMALL, "--frames", 2, "--out", out,
                       "--overwrite")
        suite.check(suite.read(name) != b"precious", f"{name} is new")
    # No output may be an input, or another output.
    suite.write("image.png", png(2, 2, [bytes(6)] * 2))
    suite.write("in_002.png", png(2, 2, [bytes(6)] * 2))
    before = {name: suite.read(name)
              for name in ("kept.npz", "kept.json", "image.png", "in_002.png")}
    for name, arguments in (
            ("the state for a scene", ["--load-state", "kept.npz", "--save-scene", "kept.npz"]),
            ("the scene for a state", ["--scene", "kept.json", "--save-state", "kept.json"]),
            ("the picture", ["--init", "image:image.png", "--out", "image.png"]),
            ("the picture by another way", ["--init", "image:image.png", "--out", "./image.png"]),
            ("a picture for a state", ["--init", "image:image.png", "--save-state", "image.png"]),
            ("a numbered picture", ["--init", "image:in_002.png", "--out", "in_%03d.png"]),
            ("the same elsewhere", ["--background", "./in_002.png", "--out", "in_%03d.png"]),
            ("two outputs", ["--save-scene", "two.png", "--out", "two.png"]),
            ("the picture by its poster", ["--init", "image:image.png", "--out", "image.mp4",
                                           "--poster"]),
            ("the poster", ["--out", "two.mp4", "--poster", "--save-state", "two.png"]),
            ("the scene for a table", ["--scene", "kept.json", "--watch", "kept.json"]),
            ("the scene and the table", ["--save-scene", "two.json", "--watch", "two.json"]),
            ("two more", ["--save-scene", "two.npz", "--save-state", "two.npz"]),
            ("a trace by another way", ["--out", "none", "--timings", "--timings-out", "./two.json",
                                        "--trace", "two.json"]),
            ("a trace in the folder", ["--save-scene", f"{suite.folder}/two.json", "--trace",
                                       "two.json"]),
            ("a trace for a numbered picture", ["--out", "two_%03d.png", "--trace",
                                                "two_001.png"]),
            ("the default video and the state", ["--save-state", "physarum.mp4"]),
            ("the default video and the scene", ["--save-scene", "./physarum.mp4"]),
            ("two pictures", ["--out", "a.png", "--out", "b.mp4", "--out", "./a.png"]),
            ("a numbered picture and one of its frames", ["--out", "f_%02d.png", "--out",
                                                          "f_00.png"]),
            ("a frame and its numbered picture", ["--out", "f_00.png", "--out", "f_%02d.png"]),
            ("two numbered pictures", ["--out", "f_%d.png", "--out", "./f_0%d.png"]),
            ("the sheet", ["--out", "a-sheet.png", "--out", "a.mp4", "--collage", "1x1"])):
        status, _, err = suite.run("--headless", "--steps", 1, "--overwrite", *arguments)
        suite.check(status == USAGE and ("reads from" in err or "both name" in err or
                                         "can name the same file" in err),
                    f"an output over {name}", status, err)
    suite.check(before == {name: suite.read(name) for name in before}, "all inputs are as before")
    suite.check(not suite.left_over(), "nothing is left behind", suite.left_over())


def test_full_disk(suite):
    run = ["--headless", "--preset", "plain", "--size", "256x256", "--agents", "20k", "--frames",
           "60", "--colormap", "ember"]
    # The cache file exists already, so it is the output that reaches the limit.
    suite.succeeds("the run as it is", *run, "--out", "whole.mp4")
    for name in ("full.mp4", "full.webm", "full.mkv", "full.gif", "full.y4m", "full.npy",
                 "full.png", "full_%05d.png"):
        limit = 2000 if "png" in name else 20000
        got, _, err = suite.run(*run, "--out", name, env=suite.limited_files(),
                                preexec_fn=limit_files(limit))
        left = [file for file in os.listdir(suite.folder) if file.startswith("full")]
        whole = "%" in name and all(suite.read(file)[-8:-4] == b"IEND" for file in left)
        suite.check(got == FILE and "cannot write" in err and (whole or not left),
                    f"{name} over the limit: the partial file is removed", got, err, left)
    got, _, err = suite.run(*run, "--out", "none", "--save-state", "state.npz",
                            env=suite.limited_files(), preexec_fn=limit_files(20000))
    suite.check(got == FILE and "cannot write 'state.npz'" in err and not suite.left_over() and
                not os.path.exists(suite.path("state.npz")), "a state over the limit", got, err)
    # One report that cannot be written takes no other with it.
    few = [*SMALL, "--frames", 40, "--steps-per-frame", 20, "--out", "none", "--timings=json"]
    suite.succeeds("ceilings are kept", *few)
    got, _, err = suite.run(*few, "--timings-out", "long.json", "--trace", "short.json",
                            "--trace-steps", "1:2", env=suite.limited_files(),
                            preexec_fn=limit_files(4000))
    suite.check(got == FILE and "cannot write 'long.json'" in err and not suite.left_over() and
                not os.path.exists(suite.path("long.json")) and
                json.loads(suite.read("short.json"))["traceEvents"], "a report over the limit",
                got, err)
    # A file system that is really full, where this process may mount one.
    small = suite.path("small")
    os.mkdir(small)
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", small],
                             capture_output=True, check=False).returncode == 0
    try:
        limit = {} if mounted else {"env": suite.limited_files(), "preexec_fn": limit_files(20000)}
        for name in ("a.mp4", "a.webm", "a.gif", "a.y4m", "a.npz"):
            option = ["--out", "none", "--save-state"] if name.endswith("npz") else ["--out"]
            got, _, err = suite.run(*run, *option, f"small/{name}", **limit)
            left = os.listdir(small)
            suite.check(got == FILE and "cannot write" in err and not left and
                        (not mounted or "no space left" in err),
                        f"{name} on a small disk", got, err, left)
    finally:
        if mounted:
            subprocess.run(["umount", small], check=False)
    for arguments in (["--help"], ["--list"], [*SMALL, "--frames", 200, "--out", "-"],
                      [*SMALL, "--frames", 2, "--out", "none", "--digest"],
                      [*SMALL, "--frames", 2, "--out", "none", "--timings=json"]):
        with open("/dev/full", "wb") as full:
            got, _, err = suite.run(*arguments, stdout=full)
        suite.check(got == FILE and "standard output" in err,
                    f"a full standard output: {arguments[0]} {arguments[-1]}", got, err)


def test_broken_pipe(suite):
    with subprocess.Popen([suite.vksim, *SMALL, "--frames", "3000", "--out", "-"],
                          env=suite.environment(), cwd=suite.folder, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process:
        head = process.stdout.read(10)
        process.stdout.close()
        err = process.stderr.read().decode()
        status = process.wait(timeout=60)
    suite.check(head == b"YUV4MPEG2 " and status == FILE and "closed" in err,
                "the reader of the pipe goes away", status, err)


def test_closed_pipe(suite):
    """Tables and lists end quietly when their reader has gone, as other programs do."""
    for arguments in (["bench"], ["--help"], ["--list"], ["devices", "--json"],
                      [*SMALL, "--quiet", "--steps", 2, "--out", "none", "--timings"]):
        reader, writer = os.pipe()
        os.close(reader)
        status, _, err = suite.run(*arguments, stdout=writer)
        os.close(writer)
        suite.check(status == -signal.SIGPIPE and err == "",
                    f"a closed pipe: {arguments[0]} {arguments[-1]}", status, err)


def test_mp4(suite):
    suite.succeeds("an mp4", *SMALL, "--frames", 30, "--fps", 24, "--out", "a.mp4")
    err, stream = probe(suite.path("a.mp4"))
    suite.check(not err and stream.get("codec_name") == "h264" and
                stream.get("pix_fmt") == "yuv420p" and stream.get("nb_read_frames") == "30" and
                stream.get("r_frame_rate") == "24/1" and stream.get("color_space") == "bt709" and
                (stream.get("width"), stream.get("height")) == (32, 24),
                "H.264, yuv420p, BT.709, every frame", err, stream)
    data = suite.read("a.mp4")
    suite.check(0 < data.find(b"moov") < data.find(b"mdat"), "the index stands first")
    suite.succeeds("physarum.mp4 by default", *SMALL, "--frames", 2)
    suite.check(probe(suite.path("physarum.mp4"))[1].get("nb_read_frames") == "2", "it plays")
    got = suite.run(*SMALL, "--frames", 2, "--out", "b.mp4")[2]
    suite.check("wrote b.mp4 (2 frames" in got, "it says what it wrote", got)


def test_y4m(suite):
    suite.succeeds("NTSC's rate", *SMALL, "--frames", 3, "--fps", "30000/1001", "--out", "n.y4m",
                   "--save-scene", "ntsc.json")
    suite.check(b" F30000:1001 " in suite.read("n.y4m")[:60], "a fraction of frames per second")
    suite.succeeds("it survives a scene", "--scene", "ntsc.json", "--headless", "--out", "m.y4m")
    suite.check(suite.read("m.y4m") == suite.read("n.y4m"), "to the bit")
    suite.succeeds("a y4m", *SMALL, "--frames", 3, "--fps", 30, "--out", "a.y4m")
    data = suite.read("a.y4m")
    header = data.split(b"\n")[0].decode()
    size = 32 * 24 * 3 // 2
    suite.check(header.startswith("YUV4MPEG2 W32 H24 F30:1") and "C420" in header, "its header",
                header)
    suite.check(len(data) == len(header) + 1 + 3 * (6 + size), "its length", len(data))
    status, piped, err = suite.run(*SMALL, "--frames", 3, "--fps", 30, "--out", "-", binary=True)
    suite.check(status == OK and piped == data and "wrote" not in err,
                "the same on standard output", err)
    err, stream = probe(suite.path("a.y4m"))
    suite.check(not err and stream.get("nb_read_frames") == "3" and
                stream.get("pix_fmt") == "yuv420p", "ffprobe reads it", err, stream)


def test_png(suite):
    suite.succeeds("stills", *SMALL, "--frames", 4, "--out", "s_%05d.png")
    names = sorted(name for name in os.listdir(suite.folder) if name.startswith("s_"))
    suite.check(names == [f"s_{k:05}.png" for k in range(4)], "one file per frame", names)
    suite.succeeds("a still", *SMALL, "--frames", 4, "--out", "last.png")
    suite.check(suite.read("last.png") == suite.read("s_00003.png"), "the last frame")
    suite.check(png_size(suite.read("last.png")) == (32, 24), "its size")
    # Three steps of eight per frame: the picture is of the third.
    still = [*SMALL, "--steps", 3, "--normalize", "frame"]
    suite.succeeds("three steps", *still, "--out", "three.png")
    for more in ([], ["--digest"]):
        suite.succeeds(f"few steps {more}", *still, "--steps-per-frame", 8, *more, "--out",
                       "few.png", "--overwrite")
        suite.check(pixels(suite.path("few.png")) == pixels(suite.path("three.png")),
                    f"the last picture is of the last step {more}")
    suite.succeeds("eleven steps", *SMALL, "--steps", 11, "--steps-per-frame", 4, "--out",
                   "e%d.png")
    names = sorted(name for name in os.listdir(suite.folder) if name.startswith("e"))
    suite.check(names == [f"e{k}.png" for k in range(4)], "a frame after the last step", names)
    suite.succeeds("%d", *SMALL, "--frames", 2, "--out", "t%d.png")
    suite.check(suite.read("t1.png") == suite.read("s_00001.png"), "numbers without zeros")
    suite.succeeds("%%", *SMALL, "--frames", 1, "--out", "100%%.png")
    suite.check(os.path.exists(suite.path("100%.png")), "a percent sign")


@values
def test_odd_sizes(suite):
    for size in ("1x1", "3x5", "1023x7", "2x1", "7x1023"):
        width, height = map(int, size.split("x"))
        for out in ("odd.mp4", "odd.webm", "odd.gif", "odd.y4m", "odd.png"):
            got = suite.run("--headless", "--preset", "plain", "--size", size, "--agents", 9,
                            "--frames", 3, "--out", out, "--overwrite")
            good = got[0] == OK
            if good and out.endswith("png"):
                good = png_size(suite.read(out)) == (width, height)
            elif good:
                err, stream = probe(suite.path(out))
                even = 0 if out.endswith("gif") else 1
                good = not err and stream.get("nb_read_frames") == "3" and (
                    (stream.get("width"), stream.get("height")) ==
                    (width + width % 2 * even, height + height % 2 * even)) and (
                    got[2].count("a video's sides are even") == even)
                got = (*got, err, stream)
            suite.check(good, f"{size} to {out}", *got)
        suite.check(suite.state("--headless", "--preset", "plain", "--size", size, "--agents", 9,
                                "--steps", 20) ==
                    suite.state("--headless", "--preset", "plain", "--size", size, "--agents", 9,
                                "--steps", 20, env=suite.environment("swiftshader")),
                    f"{size}: the same digest on both drivers")
    one = suite.state(*SMALL, "--agents", 1, "--steps", 50)
    suite.check(one == suite.state(*SMALL, "--agents", 1, "--steps", 50,
                                   env=suite.environment("swiftshader")), "one agent")


def test_messages(suite):
    for arguments in (["--frames", 3, "--out", "q.mp4"], ["--steps", 5, "--out", "none"],
                      ["--frames", 2, "--out", "q.png", "--save-state", "q.npz"]):
        status, out, err = suite.run(*SMALL, *arguments, "--overwrite", "--quiet")
        suite.check(status == OK and not err and not out, f"--quiet is silent: {arguments[-1]}",
                    out, err)
    suite.fails("errors are not", USAGE, "--agents", "--quiet", "--agents", -1)
    normal = suite.run(*SMALL, "--frames", 3, "--out", "q.mp4", "--overwrite")
    suite.check(normal[0] == OK and not normal[1] and "llvmpipe" in normal[2] and
                all(line.startswith("vksim: ") for line in normal[2].splitlines()),
                "a few lines by default", normal)
    verbose = suite.run(*SMALL, "--frames", 3, "--out", "q.mp4", "--overwrite", "--verbose")
    suite.check(verbose[0] == OK and len(verbose[2]) > len(normal[2]), "more with --verbose",
                verbose)


if __name__ == "__main__":
    sys.exit(main(globals()))

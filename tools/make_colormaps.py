#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the colour maps: src/view/colormaps.def, one row per map with its colours.

    tools/make_colormaps.py           writes src/view/colormaps.def
    tools/make_colormaps.py --check   checks that it is up to date; exit status 1 if not
    tools/make_colormaps.py --sheet   writes docs/colormaps.png from src/view/colormaps.def
    tools/make_colormaps.py --show    prints the lightness along each map, for designing new ones

Needs Debian's python3-matplotlib (and NumPy), for matplotlib's tables and for the text of
the sheet. The build does not need them, because the file is in the repository. Maps made for vksim
are changed or added here, in MADE or LANDSCAPES.

Bytes are floor(channel x 255), as in docs/pictures.md.
"""
import argparse
import pathlib
import re
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLES = ROOT / "src" / "view" / "colormaps.def"
SHEET = ROOT / "docs" / "colormaps.png"

# --- computed maps -------------------------------------------------------------------------------

# Evenly spaced colours, linear in between. cyberpunk is part of the definition of the models. The
# colours of MADE were made for vksim: their lightness only rises (ink and madder: falls, for light
# background), so that the order survives in greyscale and for colour-blind readers, and faint and
# strong trails differ in hue, which gives depth.
LINEAR = {
    "grey": [(0, 0, 0), (1, 1, 1)],
    "cyberpunk": [(.02, .02, .1), (.1, 0, .3), (0, .2, .8), (0, .8, .9), (.4, 1, .6), (1, .8, 0),
                  (1, .2, .8)],
}
MADE = {
    "ember": [(.01, .01, .02), (.13, .03, .11), (.38, .06, .14), (.70, .18, .09), (.93, .45, .11),
              (.99, .77, .36), (1, .98, .87)],
    "lichen": [(.01, .03, .04), (.03, .12, .13), (.06, .27, .23), (.20, .46, .29), (.49, .66, .34),
               (.82, .84, .51), (.99, .98, .86)],
    "abyss": [(0, .01, .03), (.02, .07, .17), (.03, .20, .36), (.04, .40, .54), (.20, .63, .68),
              (.62, .85, .80), (.97, 1, .95)],
    "orchid": [(.02, .01, .05), (.13, .04, .24), (.34, .07, .43), (.60, .15, .52), (.85, .34, .55),
               (.97, .65, .62), (1, .95, .86)],
    "gold": [(.02, .02, .03), (.16, .10, .07), (.42, .26, .09), (.74, .52, .16), (.95, .80, .42),
             (1, .98, .88)],
    "dusk": [(.01, .01, .04), (.05, .07, .22), (.15, .14, .45), (.50, .18, .53), (.88, .36, .45),
             (.99, .69, .42), (1, .97, .86)],
    "copper": [(.01, .02, .04), (.04, .11, .17), (.14, .22, .28), (.50, .29, .24), (.82, .46, .27),
               (.97, .74, .49), (1, .96, .87)],
    "iris": [(.01, .01, .03), (.05, .04, .20), (.11, .12, .50), (.22, .30, .82), (.46, .55, .97),
             (.75, .80, 1), (.99, .98, 1)],
    "ink": [(.97, .95, .91), (.83, .83, .81), (.56, .60, .65), (.29, .35, .45), (.11, .15, .25),
            (.02, .03, .08)],
    "madder": [(.98, .95, .88), (.95, .80, .65), (.87, .52, .39), (.66, .25, .26), (.37, .09, .20),
               (.12, .02, .10)],
}

# Diverging maps, made for vksim: lightness (OKLab) of the centre and of the ends, and the hues of
# both arms in degrees, from the centre to the end. Both arms have the same chroma at the same
# distance from the centre: the largest that sRGB has for both, at most CHROMA and 0 in the centre.
# Entries are evenly spaced along the arms, so that equal differences of values are equal
# differences of colour.
DIVERGING = {
    "dawn": (.97, .30, (240, 268), (75, 22)),
    "aurora": (.13, .95, (262, 205), (18, 88)),
}
CHROMA = .15

# Landscapes, made for vksim: bands (from, to, first colour, last colour); linear in OKLab within a
# band, with hard edges between bands, like a shore or the foot of a wall.
LANDSCAPES = {
    "terrain": [
        (.00, .30, "#0a2342", "#1d6a96"),  # deep water
        (.30, .38, "#2f8fae", "#86cdc6"),  # shallows
        (.38, .43, "#efe1b4", "#d9c488"),  # shore
        (.43, .60, "#9dbb61", "#5b9347"),  # grass
        (.60, .75, "#42783a", "#2b5734"),  # woods
        (.75, .90, "#6f665c", "#a59d92"),  # rock
        (.90, 1.0, "#e3e8ee", "#ffffff"),  # snow
    ],
    "cave": [
        (.00, .40, "#111016", "#28232a"),  # rock
        (.40, .50, "#59504a", "#8c8073"),  # walls, lit from within
        (.50, .88, "#5f4a35", "#c9a66d"),  # floor, dark at the foot of the walls
        (.88, 1.0, "#edc67c", "#fff1c8"),  # light
    ],
}

# turbo: the published table is a Catmull-Rom spline through seven evenly spaced colours, with
# quadratic first and last pieces, rounded to five digits.
TURBO = [(.18995, .07176, .232165), (.27332, .52554, .981900), (.10342, .89600, .715000),
         (.63846, .99100, .236387), (.98000, .73000, .221613), (.89595, .27400, .041157),
         (.47960, .01583, .010553)]

# --- tables of colours ---------------------------------------------------------------------------

DISCRETE = {
    "tab10": "1f77b4 ff7f0e 2ca02c d62728 9467bd 8c564b e377c2 7f7f7f bcbd22 17becf",
    "Set1": "e41a1c 377eb8 4daf4a 984ea3 ff7f00 ffff33 a65628 f781bf 999999",
    "Set3": "8dd3c7 ffffb3 bebada fb8072 80b1d3 fdb462 b3de69 fccde5 d9d9d9 bc80bd ccebc5 ffed6f",
    "Paired": "a6cee3 1f78b4 b2df8a 33a02c fb9a99 e31a1c fdbf6f ff7f00 cab2d6 6a3d9a ffff99 b15928",
}
# From matplotlib, whose twilight has 510 entries; every second one is used.
LISTED = ["viridis", "inferno", "magma", "plasma", "cividis", "twilight"]

HEAD = """\
/* SPDX-License-Identifier: MIT */
/* Written by tools/make_colormaps.py. One row per map: VKS_COLORMAP(name, group, number of
 * colours, their red, green and blue bytes in hexadecimal), colours evenly spaced from low to high.
 *
 * viridis, inferno, magma, plasma: Nathaniel J. Smith and Stefan van der Walt (viridis also Eric
 *   Firing), CC0-1.0.
 * cividis: Jamie R. Nunez, Christopher R. Anderton and Ryan S. Renslow, from an article that is
 *   free of all copyright (CC0-1.0), https://doi.org/10.1371/journal.pone.0199239.
 * twilight: Bastian Bechtold, given to matplotlib: matplotlib's licence (based on PSF-2.0),
 *   Copyright (c) 2012- Matplotlib Development Team; All Rights Reserved. Changed: every second of
 *   its 510 colours, as bytes.
 *   The tables of these six are those of matplotlib 3.6.
 * turbo: colours by Anton Mikhailov (2019; his table is under Apache-2.0); made here by the spline
 *   that they lie on, not taken from the table.
 * Set1, Set3, Paired: colours by Cynthia A. Brewer, ColorBrewer 2.0 (Apache-2.0); tab10: Tableau's.
 * grey, cyberpunk and all others: the vksim authors, MIT. */
"""


# --- making tables -------------------------------------------------------------------------------


def to_bytes(channels):
    """Converts rows of red, green and blue in [0, 1] to bytes."""
    return [tuple(int(c * 255) for c in row) for row in channels]


def linear(colours):
    rows = []
    for i in range(256):
        at = i * (len(colours) - 1) / 255
        low = min(int(at), len(colours) - 2)
        share = at - low
        rows.append([a + share * (b - a) for a, b in zip(colours[low], colours[low + 1])])
    return to_bytes(rows)


def spline(colours):
    y = np.array(colours)
    slope = np.empty_like(y)
    slope[1:-1] = (y[2:] - y[:-2]) / 2
    slope[0] = 2 * (y[1] - y[0]) - slope[1]
    slope[-1] = 2 * (y[-1] - y[-2]) - slope[-2]
    rows = []
    for i in range(256):
        at = i * (len(y) - 1) / 255
        k = min(int(at), len(y) - 2)
        u = at - k
        rows.append(np.round((2 * u**3 - 3 * u**2 + 1) * y[k] + (u**3 - 2 * u**2 + u) * slope[k]
                             + (3 * u**2 - 2 * u**3) * y[k + 1] + (u**3 - u**2) * slope[k + 1], 5))
    return to_bytes(rows)


def from_hex(text):
    return np.frombuffer(bytes.fromhex(text), np.uint8).reshape(-1, 3)


LMS = np.array([[.4122214708, .5363325363, .0514459929], [.2119034982, .6806995451, .1073969566],
                [.0883024619, .2817188376, .6299787005]])
LAB = np.array([[.2104542553, .7936177850, -.0040720468],
                [1.9779984951, -2.4285922050, .4505937099],
                [.0259040371, .7827717662, -.8086757660]])


def oklab(colours):
    """Converts sRGB bytes, one row per colour, to OKLab: lightness, green-red and blue-yellow."""
    c = np.asarray(colours) / 255
    light = np.where(c <= .04045, c / 12.92, ((c + .055) / 1.055)**2.4)
    return np.cbrt(light @ LMS.T) @ LAB.T


def cielab(colours):
    """Converts sRGB bytes to CIELAB, for D65."""
    c = np.asarray(colours) / 255
    light = np.where(c <= .04045, c / 12.92, ((c + .055) / 1.055)**2.4)
    xyz = light @ np.array([[.4124564, .2126729, .0193339], [.3575761, .7151522, .1191920],
                            [.1804375, .0721750, .9503041]]) / [.95047, 1, 1.08883]
    f = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return np.stack([116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])],
                    axis=1)


def from_oklab(lab, whole=True):
    light = np.clip((lab @ np.linalg.inv(LAB).T)**3 @ np.linalg.inv(LMS).T, 0, 1)
    c = np.where(light <= .0031308, light * 12.92, 1.055 * light**(1 / 2.4) - .055)
    return np.rint(c * 255).astype(int) if whole else c * 255


def banded(bands):
    rows = []
    for i in range(256):
        at = i / 255
        low, high, *ends = next(band for band in bands if at < band[1] or band is bands[-1])
        first, last = oklab(np.concatenate([from_hex(end[1:]) for end in ends]))
        rows.append(tuple(from_oklab(first + (at - low) / (high - low) * (last - first))))
    return rows


def in_gamut(light, hues, chroma):
    """Whether sRGB has the colours of that lightness and chroma, of all hues."""
    lab = np.array([[light, chroma * np.cos(hue), chroma * np.sin(hue)] for hue in hues])
    linear_light = (lab @ np.linalg.inv(LAB).T)**3 @ np.linalg.inv(LMS).T
    return bool(((linear_light > -1e-4) & (linear_light < 1 + 1e-4)).all())


def diverging(centre, end, *arms, count=513):
    """Both arms, from one end over the centre to the other."""
    share = np.linspace(0, 1, count)
    light = centre + share * (end - centre)
    hues = [np.radians(first + share * (last - first)) for first, last in arms]
    chromas = np.linspace(0, CHROMA, 301)
    fits = [max(c for c in chromas if in_gamut(level, pair, c))
            for level, *pair in zip(light, *hues)]
    # The largest chroma has corners, which a running mean rounds.
    wanted = np.minimum(np.array(fits), CHROMA * np.sin(np.minimum(share * 2.2, 1) * np.pi / 2))
    wide = np.pad(wanted, 40, mode="edge")
    chroma = np.minimum(np.convolve(wide, np.ones(81) / 81, "valid"), fits)
    chroma -= chroma[0] * (1 - share)**8
    sides = []
    for hue in hues:
        lab = np.stack([light, chroma * np.cos(hue), chroma * np.sin(hue)], axis=1)
        steps = np.linalg.norm(np.diff(cielab(from_oklab(lab, whole=False)), axis=0), axis=1)
        way = np.concatenate([[0], np.cumsum(steps)])
        # 255 steps over both arms: the centre is half a step from entries 127 and 128.
        at = way[-1] * (np.arange(128) + .5) / 127.5
        sides.append(from_oklab(np.stack([np.interp(at, way, axis) for axis in lab.T], axis=1)))
    return [tuple(row) for row in np.concatenate([sides[0][::-1], sides[1]])]


def listed(name):
    from matplotlib import _cm_listed

    table = getattr(_cm_listed, f"_{name}_data")
    return to_bytes([table[min(int(i / 255 * len(table)), len(table) - 1)] for i in range(256)])


def maps():
    """Name, group and bytes of every map, in the order of --list."""
    for name, colours in LINEAR.items():
        yield name, "SEQUENTIAL", linear(colours)
    for name in LISTED:
        if name != "twilight":
            yield name, "SEQUENTIAL", listed(name)
    yield "turbo", "SEQUENTIAL", spline(TURBO)
    for name, colours in MADE.items():
        yield name, "SEQUENTIAL", linear(colours)
    for name, arms in DIVERGING.items():
        yield name, "DIVERGING", diverging(*arms)
    yield "twilight", "CYCLIC", listed("twilight")
    for name, colours in DISCRETE.items():
        yield name, "DISCRETE", [tuple(row) for row in from_hex(colours)]
    for name, bands in LANDSCAPES.items():
        yield name, "LANDSCAPE", banded(bands)


def text():
    lines = [HEAD.rstrip()]
    for name, group, colours in maps():
        digits = "".join(f"{c:02x}" for row in colours for c in row)
        lines.append(f'VKS_COLORMAP("{name}", {group}, {len(colours)},')
        lines += [f'    "{digits[i:i + 90]}"' for i in range(0, len(digits), 90)]
        lines[-1] += ")"
    return "\n".join(lines) + "\n"


def check_against_matplotlib():
    """Checks that computed maps equal those of the same name in matplotlib."""
    from matplotlib import _cm, _cm_listed

    turbo = to_bytes(np.array(_cm_listed._turbo_data))
    assert spline(TURBO) == turbo, "turbo is not matplotlib's"
    for name, colours in DISCRETE.items():
        theirs = np.rint(np.array(getattr(_cm, f"_{name}_data")) * 255).astype(int)
        assert (theirs == from_hex(colours)).all(), f"{name} is not matplotlib's"


# --- looking at them -----------------------------------------------------------------------------


def read_tables():
    """The rows of src/view/colormaps.def: name, group, bytes."""
    rows = re.findall(r'^VKS_COLORMAP\("(\w+)", (\w+), \d+,([^)]*)\)', TABLES.read_text(), re.M)
    return [(name, group, from_hex("".join(re.findall(r'"(\w+)"', digits))))
            for name, group, digits in rows]


def spread(colours):
    """256 entries: colour floor(i n / 255), so that all colours get about as many entries."""
    n = len(colours)
    return colours[np.minimum(np.arange(256) * n // 255, n - 1)] if n != 256 else colours


def show():
    print("lightness (OKLab, 0 to 100) at the ends, and where it goes against its way most;\n"
          "largest over smallest difference of colour between entries 8 apart (CIELAB), on either\n"
          "side of the middle")
    for name, group, colours in read_tables():
        if group != "DISCRETE":
            light = 100 * oklab(colours)[:, 0]
            steps = np.concatenate([np.linalg.norm(half[8:] - half[:-8], axis=1)
                                    for half in np.split(cielab(colours), 2)])
            way = np.sign(light[-1] - light[0]) or 1
            against = min((way * np.diff(light)).min(), 0)
            print(f"{name:10} {light[0]:6.1f} {light[-1]:6.1f} {against:8.3f} "
                  f"{steps.max() / max(steps.min(), 1e-9):8.2f}")


def sheet():
    """All maps as strips above their lightness in grey, in two columns."""
    from matplotlib import get_data_path
    from PIL import Image, ImageDraw, ImageFont

    wide, high, thin, pitch, left, column, margin = 360, 20, 6, 38, 100, 500, 24
    font, small = (ImageFont.truetype(f"{get_data_path()}/fonts/ttf/DejaVuSans.ttf", size)
                   for size in (15, 12))
    parts = [[("sequential, published",
               lambda name, group: group == "SEQUENTIAL" and name not in MADE),
              ("cyclic", lambda name, group: group == "CYCLIC"),
              ("discrete", lambda name, group: group == "DISCRETE")],
             [("sequential, made for vksim", lambda name, group: name in MADE),
              ("diverging, made for vksim", lambda name, group: group == "DIVERGING"),
              ("landscape", lambda name, group: group == "LANDSCAPE")]]
    picture = Image.new("RGB", (2 * column + 10, 646), "white")
    draw = ImageDraw.Draw(picture)
    for x, part in zip((margin, margin + column), parts):
        y = margin - 8
        for title, belongs in part:
            draw.text((x, y), title, "#8a8a8a", small)
            y += 24
            for name, group, colours in read_tables():
                if not belongs(name, group):
                    continue
                entries = spread(colours)[np.arange(wide) * 256 // wide]
                light = from_oklab(oklab(entries) * [1, 0, 0])
                draw.text((x, y + high // 2), name, "#202020", font, anchor="lm")
                draw.rectangle((x + left - 1, y - 1, x + left + wide, y + high + thin), "#d8d8d8")
                for band, top, tall in ((entries, y, high), (light, y + high, thin)):
                    strip = np.broadcast_to(band.astype(np.uint8), (tall, wide, 3))
                    picture.paste(Image.fromarray(np.ascontiguousarray(strip)), (x + left, top))
                y += pitch
            y += 10
    picture.save(SHEET, optimize=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="say whether the maps are up to date")
    parser.add_argument("--sheet", action="store_true", help="write docs/colormaps.png")
    parser.add_argument("--show", action="store_true", help="print how lightness runs")
    arguments = parser.parse_args()
    if arguments.show:
        show()
        return 0
    if arguments.sheet:
        sheet()
        return 0
    check_against_matplotlib()
    wanted = text()
    if arguments.check:
        same = TABLES.read_text() == wanted
        print(f"{TABLES.relative_to(ROOT)} is {'' if same else 'not '}up to date")
        return 0 if same else 1
    TABLES.write_text(wanted)
    return 0


if __name__ == "__main__":
    sys.exit(main())

/* SPDX-License-Identifier: MIT */
#include "out/colormap.h"

enum { MAX_ANCHORS = 9 };

struct map {
    const char *name;
    int anchors; /* evenly spaced from 0 to 1 */
    double colours[MAX_ANCHORS][3];
};

/* cyberpunk is given by the models' definition; the others were made for vksim: anchors whose
 * lightness only rises (ink and madder: falls, for a light ground), so that grey prints and
 * colour-blind eyes keep the order. The hue of faint and of strong trails differs: depth. */
/* clang-format off: a row an option */
static const struct map maps[] = {
    {"grey", 2, {{0, 0, 0}, {1, 1, 1}}},
    {"cyberpunk",
     7,
     {{.02, .02, .1}, {.1, 0, .3}, {0, .2, .8}, {0, .8, .9}, {.4, 1, .6}, {1, .8, 0}, {1, .2, .8}}},
    {"ember",
     7,
     {{.01, .01, .02},
      {.13, .03, .11},
      {.38, .06, .14},
      {.70, .18, .09},
      {.93, .45, .11},
      {.99, .77, .36},
      {1, .98, .87}}},
    {"lichen",
     7,
     {{.01, .03, .04},
      {.03, .12, .13},
      {.06, .27, .23},
      {.20, .46, .29},
      {.49, .66, .34},
      {.82, .84, .51},
      {.99, .98, .86}}},
    {"abyss",
     7,
     {{0, .01, .03},
      {.02, .07, .17},
      {.03, .20, .36},
      {.04, .40, .54},
      {.20, .63, .68},
      {.62, .85, .80},
      {.97, 1, .95}}},
    {"orchid",
     7,
     {{.02, .01, .05},
      {.13, .04, .24},
      {.34, .07, .43},
      {.60, .15, .52},
      {.85, .34, .55},
      {.97, .65, .62},
      {1, .95, .86}}},
    {"gold",
     6,
     {{.02, .02, .03},
      {.16, .10, .07},
      {.42, .26, .09},
      {.74, .52, .16},
      {.95, .80, .42},
      {1, .98, .88}}},
    {"ink",
     6,
     {{.97, .95, .91},
      {.83, .83, .81},
      {.56, .60, .65},
      {.29, .35, .45},
      {.11, .15, .25},
      {.02, .03, .08}}},
    {"dusk",
     7,
     {{.01, .01, .04},
      {.05, .07, .22},
      {.15, .14, .45},
      {.50, .18, .53},
      {.88, .36, .45},
      {.99, .69, .42},
      {1, .97, .86}}},
    {"copper",
     7,
     {{.01, .02, .04},
      {.04, .11, .17},
      {.14, .22, .28},
      {.50, .29, .24},
      {.82, .46, .27},
      {.97, .74, .49},
      {1, .96, .87}}},
    {"iris",
     7,
     {{.01, .01, .03},
      {.05, .04, .20},
      {.11, .12, .50},
      {.22, .30, .82},
      {.46, .55, .97},
      {.75, .80, 1},
      {.99, .98, 1}}},
    {"madder",
     6,
     {{.98, .95, .88},
      {.95, .80, .65},
      {.87, .52, .39},
      {.66, .25, .26},
      {.37, .09, .20},
      {.12, .02, .10}}},
};
/* clang-format on */

enum { MAPS = sizeof(maps) / sizeof(maps[0]) };

const char *const vks_colormap_names[] = {"grey",   "cyberpunk", "ember", "lichen", "abyss",
                                          "orchid", "gold",      "ink",   "dusk",   "copper",
                                          "iris",   "madder",    NULL};
_Static_assert(sizeof(vks_colormap_names) / sizeof(vks_colormap_names[0]) == MAPS + 1,
               "a name a map");

void vks_colormap_fill(size_t map, uint32_t palette[256])
{
    const struct map *m = &maps[map < MAPS ? map : 0];
    for (int i = 0; i < 256; i++) {
        double at = i * (double)(m->anchors - 1) / 255;
        int low = (int)at < m->anchors - 1 ? (int)at : m->anchors - 2;
        double share = at - low;
        uint32_t word = 0xff000000;
        for (int c = 0; c < 3; c++) {
            double from = m->colours[low][c], to = m->colours[low + 1][c];
            double value = (from + share * (to - from)) * 255;
            word |= (uint32_t)value << (8 * c);
        }
        palette[i] = word;
    }
}

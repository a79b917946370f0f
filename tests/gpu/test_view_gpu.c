/* SPDX-License-Identifier: MIT */
/* The passes that draw a field, on a device, against their C twin (tests/sim/view_reference.c): the
 * values, the picture with 8 and with 16 bits and the YUV planes, byte for byte, for all kinds of
 * sizes and looks. */
#include "gpu_test.h"

#include <math.h>
#include <unistd.h>

#include <png.h>

#include "annotation_reference.h"
#include "base/error.h"
#include "base/exact.h"
#include "view/bands.h"
#include "view_reference.h"
#include "share.h"

enum { FRAMES = 3 };

/* The content of a field in frames 0, 1, 2. */
enum content { WAVES, NOISE, FLAT, LATE, TINY, DECADES, VAST };

struct test_case {
    const char *name;
    uint32_t width, height; /* of the field */
    const char *crop, *size;
    bool fit_crop;
    const char *normalize;  /* NULL: frame */
    double gamma, contrast; /* 0: 1 */
    double hillshade, bloom;
    const char *light; /* NULL: 315,45 */
    double gloss, bloom_radius;
    const char *background; /* "FILE": a picture with alpha; "OPAQUE": one without */
    bool invert, discrete, halves, has_fallback;
    bool once;  /* one frame instead of three */
    bool large; /* only the picture, only once and in two bands */
    enum content content;
    uint32_t depth; /* of a volume; 0: a plane */
    const char *axis, *project, *slice;
    bool logarithmic;
    bool wide;             /* fields in several buffers */
    bool texels;           /* fields are read as texel buffers, where the device should */
    uint32_t planes, only; /* of a field that is mixed; 0: it has one */
    bool strongest;
    bool masked; /* some cells in a colour of their own */
    enum { NOT_ANNOTATED, WITH_CLOCK, WITH_STEPS, WITH_TIME } annotated;
    uint32_t box;      /* annotated: cells of a unit of length; 0: lengths are in cells */
    const char *title; /* annotated; NULL: "field" */
};

static const struct test_case cases[] = {
    {"whole", 64, 48},
    {"whole, 1 x 1", 1, 1},
    {"whole, halves", 64, 49, .halves = true},
    {"whole, or else", 61, 43, .has_fallback = true, .content = FLAT},
    {"whole, or else, not needed", 61, 43, .has_fallback = true},
    {"whole, halves or else", 62, 43, .has_fallback = true, .content = LATE, .halves = true},
    {"fours, or else", 60, 43, .has_fallback = true, .content = FLAT},
    {"fours, halves or else", 64, 43, .has_fallback = true, .content = LATE, .halves = true},
    {"fours, halves, the last four by two", 60, 37, .halves = true},
    {"fours, halves or else, the last four by two", 60, 37, .has_fallback = true, .content = LATE,
     .halves = true},
    {"texels", 64, 48, .texels = true},
    {"texels, or else", 60, 43, .has_fallback = true, .content = LATE, .texels = true},
    {"texels, halves, half a texel at the end", 60, 37, .halves = true, .texels = true},
    {"texels, halves or else", 60, 37, .has_fallback = true, .content = LATE, .halves = true,
     .texels = true},
    {"texels, odd sides", 75, 51, .texels = true},
    {"texels, a resized picture", 64, 48, NULL, "60x37", .texels = true},
    {"smooth, or else, late", 61, 43, .has_fallback = true, .content = LATE, .normalize = "smooth"},
    {"crop", 64, 48, "3,5,17x11"},
    {"crop to a cell", 64, 48, "63,47,1x1"},
    {"crop, halves", 64, 48, "3,5,17x11", .halves = true},
    {"down", 101, 67, NULL, "33x20"},
    {"down to one", 101, 67, NULL, "1x1"},
    {"down by a bit", 101, 67, NULL, "100x66"},
    {"down by far", 1023, 517, NULL, "7x3"},
    {"down across", 101, 67, NULL, "33x67"},
    {"down down", 101, 67, NULL, "101x20"},
    {"down, halves", 102, 67, NULL, "33x20", .halves = true},
    {"down, a part", 101, 67, "11,7,77x50", "33x20"},
    {"up", 23, 17, NULL, "101x67"},
    {"up across", 23, 17, NULL, "101x17"},
    {"up down", 23, 17, NULL, "23x67"},
    {"up, a part", 40, 30, "11,7,23x17", "101x67"},
    {"up, a part at the corner", 40, 30, "35,0,5x3", "50x40", .content = NOISE},
    {"up from one", 1, 1, NULL, "20x10"},
    {"up from a row", 37, 1, NULL, "100x30"},
    {"up from a column", 1, 37, NULL, "30x100"},
    {"up, halves", 24, 17, NULL, "101x67", .halves = true},
    {"up, noise", 23, 17, NULL, "64x64", .content = NOISE},
    {"up and down", 20, 90, "1,2,17x80", "70x31"},
    {"down and up", 90, 20, "2,1,80x17", "31x70"},
    {"down and up, halves", 90, 20, "2,1,80x17", "31x70", .halves = true},
    {"fit", 64, 48, NULL, "40x40", .fit_crop = true},
    {"flat, down", 101, 67, NULL, "33x20", .content = FLAT},
    {"flat, up", 23, 17, NULL, "101x67", .content = FLAT},
    {"tiny values, up", 23, 17, NULL, "50x50", .content = TINY},
    {"down, or else", 101, 67, NULL, "33x20", .has_fallback = true, .content = FLAT},
    {"up and down, or else, late", 20, 90, "1,2,17x80", "70x31", .has_fallback = true,
     .content = LATE, .normalize = "smooth"},
    {"crop, or else, halves", 64, 48, "3,5,17x11", .has_fallback = true, .content = LATE,
     .halves = true},
    {"gamma and contrast", 64, 48, .gamma = 0.5, .contrast = 1.2},
    {"gamma 2.2, fixed", 64, 48, NULL, "99x20", .gamma = 2.2, .normalize = "fixed:-0.5:3.25"},
    {"inverted, discrete", 64, 48, .invert = true, .discrete = true},
    {"hillshade", 64, 48, .hillshade = 1},
    {"hillshade, steep", 37, 21, .hillshade = 100, .content = NOISE, .gamma = 0.5},
    {"hillshade, up", 37, 21, NULL, "90x90", .hillshade = 2},
    {"hillshade, lit from the right", 64, 48, .hillshade = 3, .light = "80,20", .gloss = 0.8},
    {"hillshade, lit from above", 37, 21, .hillshade = 100, .light = "-30,90", .gloss = 1,
     .content = NOISE},
    {"symmetric", 64, 48, .normalize = "symmetric", .content = NOISE, .gamma = 0.5},
    {"symmetric, fixed, contrast", 60, 43, .normalize = "symmetric:0.3", .gamma = 0.7,
     .contrast = 1.3, .content = NOISE},
    {"symmetric, log, all", 64, 48, .normalize = "symmetric", .content = NOISE, .logarithmic = true,
     .bloom = 1, .hillshade = 1, .background = "#102030", .gloss = 0.3},
    {"bloom, narrow", 64, 48, .bloom = 1, .bloom_radius = 0.001},
    {"bloom, wide", 77, 49, .bloom = 1, .bloom_radius = 0.25},
    {"hillshade, one pixel", 1, 1, .hillshade = 1},
    {"bloom", 64, 48, .bloom = 1},
    {"bloom, most", 65, 49, .bloom = 8, .gamma = 0.5},
    {"bloom, one pixel", 1, 1, .bloom = 1},
    {"bloom, a row", 77, 1, .bloom = 1},
    {"bloom, blocks of 2", 515, 513, .bloom = 1, .normalize = "fixed:0:1", .once = true},
    {"bloom, blocks of 16", 4097, 4099, .bloom = 2, .normalize = "fixed:0:1", .large = true},
    {"transparent", 64, 48, .background = "transparent"},
    {"transparent, bloom", 64, 48, .background = "transparent", .bloom = 1},
    {"colour", 64, 48, .background = "#1a2B3c"},
    {"picture", 63, 47, .background = "FILE"},
    {"picture, opaque", 63, 47, NULL, "70x20", .background = "OPAQUE"},
    {"log", 64, 48, .logarithmic = true},
    {"log, decades", 64, 48, .logarithmic = true, .content = DECADES},
    {"log, decades, gamma 0.5", 61, 43, .logarithmic = true, .content = DECADES, .gamma = 0.5},
    {"log, one decade", 64, 48, NULL, "33x20", .logarithmic = true, .content = DECADES,
     .normalize = "fixed:10:100"},
    {"log, below 0", 64, 48, .logarithmic = true, .normalize = "fixed:-3:-1"},
    {"log, from 0 on", 64, 48, .logarithmic = true, .normalize = "fixed:0:0.5"},
    {"log, tiny values", 64, 48, .logarithmic = true, .content = TINY},
    {"log, vast values", 64, 48, .logarithmic = true, .content = VAST},
    {"log, flat", 23, 17, .logarithmic = true, .content = FLAT},
    {"log, smooth, or else, late", 61, 43, .has_fallback = true, .content = LATE,
     .normalize = "smooth", .logarithmic = true},
    {"log, halves", 64, 49, .halves = true, .logarithmic = true},
    {"log, all", 90, 41, "5,6,80x30", "70x61", .background = "#102030", .bloom = 1.5,
     .hillshade = 0.7, .gamma = 0.5, .content = DECADES, .logarithmic = true,
     .normalize = "smooth"},
    {"volume", 19, 13, .depth = 7},
    {"volume, front", 19, 13, .depth = 7, .slice = "0"},
    {"volume, back", 19, 13, .depth = 7, .slice = "1", .project = "slice", .axis = "z"},
    {"volume, a seventh", 19, 13, .depth = 7, .slice = "0.142857142"},
    {"volume, along x", 19, 13, .depth = 7, .axis = "x", .slice = "0.9"},
    {"volume, along y", 19, 13, .depth = 7, .axis = "y", .slice = "0.2"},
    {"mean along x", 19, 13, .depth = 7, .axis = "x", .project = "mean", .content = NOISE},
    {"mean along y", 19, 13, .depth = 7, .axis = "y", .project = "mean", .content = NOISE},
    {"mean along z", 19, 13, .depth = 7, .axis = "z", .project = "mean", .content = NOISE},
    {"greatest along x", 19, 13, .depth = 7, .axis = "x", .project = "max", .content = NOISE},
    {"greatest along y", 19, 13, .depth = 7, .axis = "y", .project = "max", .content = NOISE},
    {"greatest along z", 19, 13, .depth = 7, .project = "max", .content = NOISE},
    {"column along x", 19, 13, .depth = 7, .axis = "x", .project = "column", .content = NOISE},
    {"column along y", 19, 13, .depth = 7, .axis = "y", .project = "column", .content = NOISE},
    {"column along z", 19, 13, .depth = 7, .project = "column", .content = NOISE},
    {"column, log, bloom, relief", 31, 29, .depth = 23, .axis = "y", .project = "column",
     .content = DECADES, .logarithmic = true, .bloom = 1, .hillshade = 1},
    {"column, tiny values", 19, 13, .depth = 7, .project = "column", .content = TINY},
    {"volume, one column", 1, 1, .depth = 37, .axis = "x", .project = "mean"},
    {"volume, one row", 37, 1, .depth = 2, .axis = "y", .project = "max"},
    {"volume, halves", 18, 13, .depth = 5, .axis = "x", .project = "column", .halves = true},
    {"volume, halves, a slice", 18, 13, .depth = 5, .axis = "y", .halves = true},
    {"volume, halves, greatest", 18, 13, .depth = 5, .project = "max", .halves = true},
    {"volume, a part, larger", 24, 20, "3,2,17x8", "40x40", .depth = 11, .axis = "x",
     .project = "mean"},
    {"volume, smaller, or else, late", 24, 20, NULL, "9x7", .depth = 11, .axis = "y",
     .project = "max", .has_fallback = true, .content = LATE, .normalize = "smooth"},
    {"volume, or else", 24, 20, .depth = 11, .project = "column", .has_fallback = true,
     .content = FLAT},
    {"volume, or else, halves, larger", 24, 20, NULL, "50x45", .depth = 11, .axis = "x",
     .has_fallback = true, .content = FLAT, .halves = true},
    {"volume in chunks", 40, 30, .depth = 9, .axis = "x", .project = "column", .wide = true},
    {"volume in chunks, along y", 40, 30, .depth = 9, .axis = "y", .project = "mean",
     .halves = true, .wide = true},
    {"volume in chunks, along z", 40, 30, NULL, "77x50", .depth = 9, .project = "max",
     .has_fallback = true, .content = LATE, .wide = true},
    {"volume in chunks, a slice", 40, 30, .depth = 9, .axis = "y", .hillshade = 1, .bloom = 1,
     .wide = true},
    {"sum", 64, 48, .planes = 3},
    {"sum of 2", 61, 43, .planes = 2, .gamma = 0.5},
    {"sum of 8", 64, 48, .planes = 8, .content = NOISE},
    {"sum, halves", 62, 43, .planes = 3, .halves = true},
    {"sum, one pixel", 1, 1, .planes = 4},
    {"sum, flat", 23, 17, NULL, "31x20", .planes = 3, .content = FLAT},
    {"strongest", 64, 48, .planes = 3, .strongest = true},
    {"strongest of 8, equals", 64, 48, .planes = 8, .strongest = true,
     .normalize = "fixed:-0.25:0.25"},
    {"only the first", 64, 48, .planes = 3, .only = 1},
    {"only the second, inverted, larger", 23, 17, NULL, "61x67", .planes = 3, .only = 2,
     .invert = true},
    {"only the last, halves, bloom", 62, 43, .planes = 8, .only = 8, .halves = true, .bloom = 1},
    {"planes, crop", 64, 48, "3,5,17x11", .planes = 3},
    {"planes, down", 101, 67, NULL, "33x20", .planes = 3},
    {"planes, down across", 101, 67, NULL, "33x67", .planes = 5, .strongest = true},
    {"planes, up", 23, 17, NULL, "101x67", .planes = 3, .content = NOISE},
    {"planes, up and down", 20, 90, "1,2,17x80", "70x31", .planes = 3},
    {"planes, down and up, halves", 90, 20, "2,1,80x17", "31x70", .planes = 4, .halves = true},
    {"planes, inverted, log, smooth", 64, 48, .planes = 3, .invert = true, .logarithmic = true,
     .content = DECADES, .normalize = "smooth"},
    {"planes, hillshade", 37, 21, .planes = 3, .hillshade = 2, .content = NOISE},
    {"planes, hillshade, log, strongest", 64, 48, NULL, "50x61", .planes = 5, .strongest = true,
     .hillshade = 1, .logarithmic = true},
    {"planes, bloom", 64, 48, .planes = 3, .bloom = 1},
    {"planes, bloom, strongest", 65, 49, .planes = 8, .strongest = true, .bloom = 8, .gamma = 0.5},
    {"planes, bloom, blocks of 2", 515, 513, .planes = 2, .bloom = 1, .once = true},
    {"planes, transparent", 64, 48, .planes = 3, .background = "transparent"},
    {"planes, colour", 64, 48, .planes = 3, .background = "#1a2B3c", .bloom = 1},
    {"mask", 64, 48, .masked = true},
    {"mask, odd sides", 61, 43, .masked = true, .once = true},
    {"mask, a part", 64, 48, "3,5,37x29", .masked = true, .once = true},
    {"mask, down", 101, 67, NULL, "33x20", .masked = true, .once = true},
    {"mask, down to one", 101, 67, NULL, "1x1", .masked = true, .once = true},
    {"mask, up, a part", 40, 30, "11,7,23x17", "101x67", .masked = true, .once = true},
    {"mask, down across and up down", 64, 20, NULL, "31x47", .masked = true, .once = true},
    {"mask, bloom, hillshade", 65, 49, NULL, "77x30", .masked = true, .once = true, .bloom = 1,
     .hillshade = 2},
    {"mask, transparent", 64, 48, NULL, "50x61", .masked = true, .background = "transparent"},
    {"mask, on a colour", 64, 48, .masked = true, .once = true, .background = "#204060"},
    {"mask, planes", 64, 48, NULL, "50x61", .masked = true, .once = true, .planes = 3},
    {"mask, or else", 61, 43, .masked = true, .has_fallback = true, .content = LATE},
    {"planes in chunks", 40, 30, .planes = 7, .strongest = true, .wide = true},
    {"planes in chunks, smaller", 40, 30, NULL, "30x17", .planes = 7, .bloom = 1, .hillshade = 1,
     .wide = true},
    {"planes, all", 90, 41, "5,6,80x30", "70x61", .background = "FILE", .bloom = 1.5,
     .hillshade = 0.7, .gamma = 0.5, .contrast = 1.2, .invert = true, .normalize = "smooth",
     .planes = 4},
    {"annotated", 300, 260, .annotated = WITH_CLOCK},
    {"annotated, smooth, or else, with steps", 200, 161, .annotated = WITH_STEPS,
     .has_fallback = true, .content = LATE, .normalize = "smooth"},
    {"annotated, with a time, in boxes", 32, 24, NULL, "320x240", .annotated = WITH_TIME, .box = 32,
     .gamma = 0.5},
    {"annotated, large", 40, 30, NULL, "1400x1050", .annotated = WITH_CLOCK, .once = true,
     .normalize = "fixed:0:0.45"},
    {"annotated, symmetric, contrast, inverted", 32, 32, NULL, "256x256", .annotated = WITH_TIME,
     .normalize = "symmetric", .gamma = 0.7, .contrast = 1.4, .invert = true},
    {"annotated, logarithmic", 32, 32, NULL, "256x256", .annotated = WITH_STEPS,
     .logarithmic = true, .content = DECADES},
    {"annotated, logarithmic, within a decade", 32, 32, NULL, "256x256", .annotated = WITH_CLOCK,
     .logarithmic = true, .normalize = "fixed:0.8:2.2"},
    {"annotated, small range", 32, 32, NULL, "300x250", .annotated = WITH_CLOCK, .once = true,
     .normalize = "fixed:0.98301:0.9912"},
    {"annotated, tiny values", 32, 32, NULL, "256x256", .annotated = WITH_CLOCK, .once = true,
     .content = TINY},
    {"annotated, vast values", 32, 32, NULL, "256x256", .annotated = WITH_CLOCK, .once = true,
     .content = VAST},
    {"annotated, flat", 32, 32, NULL, "256x256", .annotated = WITH_CLOCK, .once = true,
     .content = FLAT},
    {"annotated, planes", 48, 32, NULL, "384x256", .planes = 5, .annotated = WITH_CLOCK,
     .once = true},
    {"annotated, one plane", 48, 32, NULL, "384x256", .planes = 5, .only = 2,
     .annotated = WITH_CLOCK, .once = true},
    {"annotated, a column", 16, 16, NULL, "256x256", .depth = 5, .project = "column",
     .annotated = WITH_CLOCK, .once = true},
    {"annotated, a mean", 16, 16, NULL, "512x400", .depth = 5, .project = "mean",
     .annotated = WITH_CLOCK, .once = true},
    {"annotated, stretched: no scale", 32, 32, NULL, "300x200", .annotated = WITH_CLOCK,
     .once = true},
    {"annotated, a long title", 256, 256, .annotated = WITH_CLOCK, .once = true,
     .title = "a title that does not fit"},
    {"annotated, on white", 32, 32, NULL, "256x256", .annotated = WITH_CLOCK, .once = true,
     .background = "#ffffff", .hillshade = 1},
    {"annotated, transparent, masked", 256, 200, .annotated = WITH_STEPS, .once = true,
     .background = "transparent", .masked = true},
    {"annotated, narrow", 110, 300, .annotated = WITH_STEPS},
    {"annotated, low", 400, 60, .annotated = WITH_CLOCK},
    {"annotated, no room for bars", 100, 80, .annotated = WITH_TIME},
    {"annotated, no room", 64, 64, .annotated = WITH_CLOCK},
    {"annotated, a pixel", 1, 1, .annotated = WITH_CLOCK},
    {"all", 90, 41, "5,6,80x30", "70x61", .background = "FILE", .bloom = 1.5, .hillshade = 0.7,
     .gamma = 0.5, .contrast = 1.2, .invert = true, .normalize = "smooth"},
};

/* --- fields ----------------------------------------------------------------------------------- */

static uint16_t half_of(float value)
{
    const uint32_t bits = bits_of(value), size = bits & 0x7fffffff;
    if (size < 0x38800000) { /* below 2^-14: 0 */
        return (uint16_t)(bits >> 31 << 15);
    }
    return (uint16_t)(bits >> 31 << 15 | (size - 0x38000000) >> 13);
}

/* By its definition. */
static float float_of_half(uint16_t half)
{
    const int exponent = half >> 10 & 31;
    const float size = exponent ? ldexpf((float)(1024 + (half & 1023)), exponent - 25) : 0;
    return half & 0x8000 ? -size : size;
}

/* Planes of the field: of a volume, or mixed. */
static uint32_t layers_of(const struct test_case *row)
{
    return row->depth ? row->depth : row->planes ? row->planes : 1;
}

static size_t cells_of(const struct test_case *row)
{
    return (size_t)row->width * row->height * layers_of(row);
}

/* The field of a frame: waves of another height and with another offset each. */
static void fill(const struct test_case *row, bool other, uint32_t frame, float *cells)
{
    uint64_t random = frame * 77 + other;
    const bool flat = !other && (row->content == FLAT || (row->content == LATE && frame != 1));
    for (uint32_t i = 0; i < cells_of(row); i++) {
        const uint32_t x = i % row->width, line = i / row->width;
        const uint32_t y = line % row->height, z = line / row->height;
        double value =
            sin(0.31 * x + 0.2 * frame + 0.7 * z) * cos(0.23 * y) * (1 + frame) + 0.4 * other;
        value += row->content == NOISE ? between(&random, -1, 1) : 0;
        value = row->content == DECADES ? pow(10, 4 * value - 1) : value;
        value *= row->content == TINY ? 1e-17 : row->content == VAST ? 1e25 : 1;
        float cell = vks_flush(flat ? 1234.5678f : (float)value);
        cells[i] = row->halves ? float_of_half(half_of(cell)) : cell;
    }
}

/* Its plane. */
static void flatten(const struct test_case *row, const float *cells, float *plane)
{
    uint32_t columns, rows;
    const enum view_axis axis = row->axis ? (enum view_axis)(row->axis[0] - 'x') : VIEW_ALONG_Z;
    const enum view_project project = !row->project                         ? VIEW_SLICE
                                      : strcmp(row->project, "column") == 0 ? VIEW_COLUMN
                                      : strcmp(row->project, "max") == 0    ? VIEW_MAX
                                      : strcmp(row->project, "mean") == 0   ? VIEW_MEAN
                                                                            : VIEW_SLICE;
    if (row->depth == 0) {
        const size_t size = cells_of(row) / layers_of(row);
        memcpy(plane, cells, cells_of(row) * sizeof(*plane));
        for (size_t i = 0; row->only && i < size; i++) {
            plane[i] = vks_flush(cells[(row->only - 1) * size + i]);
        }
        return;
    }
    view_flatten(cells, row->depth, row->height, row->width, axis, project,
                 row->slice ? strtod(row->slice, NULL) : 0.5, plane, &columns, &rows);
}

static void upload(struct vks_graph *graph, const char *field, const float *cells, size_t count,
                   bool halves)
{
    if (!halves) {
        ASSERT_FINE(vks_graph_upload(graph, field, cells));
        return;
    }
    uint16_t *packed = allocate(count * sizeof(*packed));
    for (size_t i = 0; i < count; i++) {
        packed[i] = half_of(cells[i]);
    }
    ASSERT_FINE(vks_graph_upload(graph, field, packed));
    free(packed);
}

/* --- looks ------------------------------------------------------------------------------------ */

static char picture_path[256];

/* Writes a PNG of the picture's size; returns the expected background. */
static uint32_t *make_background(uint32_t width, uint32_t height, bool opaque)
{
    const size_t pixels = (size_t)width * height;
    uint32_t *background = allocate(pixels * sizeof(*background));
    uint64_t random = pixels;
    for (size_t i = 0; i < pixels; i++) {
        background[i] = (uint32_t)next_word(&random) | (opaque ? 0xff000000 : 0);
        if (i % 7 == 0 && !opaque) {
            background[i] &= 0xffffff;
        }
    }
    png_image image = {
        .version = PNG_IMAGE_VERSION, .width = width, .height = height, .format = PNG_FORMAT_RGBA};
    assert_true(png_image_write_to_file(&image, picture_path, 0, background, 0, NULL));
    for (size_t i = 0; i < pixels; i++) { /* transparent pixels have no colour */
        background[i] = background[i] >> 24 ? background[i] : 0;
    }
    return background;
}

/* Colours and, among them, maps: a discrete one too. */
static struct vks_mix mix_of(const struct test_case *row)
{
    return (struct vks_mix){.planes = row->planes,
                            .only = row->only,
                            .strongest = row->strongest,
                            .names = {"first", NULL, "third"},
                            .colours = {"#ff5040", "viridis", "#3ca0ff", "tab10", "#78e65a",
                                        "#ffd246", "#c864ff", "#f0f0f0"},
                            .option = "colours"};
}

/* The palette of a plane, by its definition. */
static bool palette_of(const struct test_case *row, uint32_t plane, uint32_t palette[256])
{
    const struct vks_mix mix = mix_of(row);
    struct vks_colormap map = {0};
    unsigned red, green, blue;
    if (sscanf(mix.colours[plane], "#%2x%2x%2x", &red, &green, &blue) == 3) {
        for (uint32_t i = 0; i < 256; i++) {
            map.entries[i] = (i * red + 127) / 255 | (i * green + 127) / 255 << 8 |
                             (i * blue + 127) / 255 << 16 | 0xff000000;
        }
    } else {
        ASSERT_FINE(vks_colormap_load(mix.colours[plane], &map));
    }
    for (uint32_t i = 0; i < 256; i++) {
        palette[i] = map.entries[row->invert ? 255 - i : i];
    }
    return map.discrete;
}

static struct vks_look look_of(const struct test_case *row)
{
    const bool is_file = row->background && row->background[0] >= 'A' && row->background[0] <= 'Z';
    struct vks_look look = {
        .normalize = (char *)(uintptr_t)(row->normalize ? row->normalize : "frame"),
        .axis = (char *)(uintptr_t)row->axis,
        .project = (char *)(uintptr_t)row->project,
        .slice = (char *)(uintptr_t)row->slice,
        .tone = row->logarithmic ? VKS_TONE_LOG : VKS_TONE_LINEAR,
        .gamma = row->gamma > 0 ? row->gamma : 1,
        .contrast = row->contrast > 0 ? row->contrast : 1,
        .colormap = (char *)(uintptr_t) "viridis", /* unless the test has its own */
        .invert = row->invert,
        .hillshade = row->hillshade,
        .bloom = row->bloom,
        .light = (char *)(uintptr_t)row->light,
        .gloss = row->gloss,
        .bloom_radius = row->bloom_radius > 0 ? row->bloom_radius : 0.05,
        .background = (char *)(uintptr_t)(is_file ? picture_path : row->background),
        .crop = (char *)(uintptr_t)row->crop,
        .output_size = (char *)(uintptr_t)row->size,
        .fit = row->fit_crop ? VKS_FIT_CROP : VKS_FIT_STRETCH,
        .zoom = 1,
        .annotate = row->annotated != NOT_ANNOTATED,
    };
    const struct vks_size size = {row->width, row->height, row->depth > 0 ? row->depth : 1};
    ASSERT_FINE(vks_look_finish(&look, size, false));
    const struct vks_mix mix = mix_of(row);
    ASSERT_FINE(vks_look_mix(&look, &mix));
    const struct vks_mask mask = {row->masked ? "mask" : NULL, "#5a8c1e", "colour"};
    ASSERT_FINE(vks_look_mask(&look, &mask));
    return look;
}

static bool is_mixed(const struct test_case *row)
{
    return row->planes && !row->only;
}

/* The twin, which parses the texts itself. */
static struct view_reference twin_of(const struct test_case *row, const uint32_t *palette)
{
    const bool deep = row->depth > 0;
    const char axis = row->axis ? row->axis[0] : 'z';
    struct view_reference twin =
        view_of_field(deep && axis == 'x' ? row->height : row->width,
                      deep && axis != 'z' ? row->depth : row->height, palette);
    double low = 0, high = 1;
    unsigned red, green, blue;
    if (row->crop) {
        assert_int_equal(
            sscanf(row->crop, "%u,%u,%ux%u", &twin.x, &twin.y, &twin.part_width, &twin.part_height),
            4);
    }
    twin.width = twin.part_width;
    twin.height = twin.part_height;
    if (row->size) {
        assert_int_equal(sscanf(row->size, "%ux%u", &twin.width, &twin.height), 2);
    }
    if (row->fit_crop) { /* the one row: 64 x 48 to a square */
        twin.x = 8;
        twin.part_width = 48;
    }
    if (row->normalize && sscanf(row->normalize, "fixed:%lf:%lf", &low, &high) == 2) {
        twin.mode = VIEW_OF_FIXED;
    } else if (row->normalize && sscanf(row->normalize, "symmetric:%lf", &high) == 1) {
        twin.mode = VIEW_OF_FIXED;
        twin.symmetric = true;
    } else if (row->normalize) {
        twin.symmetric = strcmp(row->normalize, "symmetric") == 0;
        twin.mode = VIEW_OF_SMOOTH;
    }
    twin.low = (float)low;
    twin.high = (float)high;
    twin.gamma = row->gamma > 0 ? (float)row->gamma : 1;
    twin.contrast = row->contrast > 0 ? (float)row->contrast : 1;
    twin.hillshade = row->hillshade;
    twin.bloom = row->bloom;
    if (row->light) {
        assert_int_equal(sscanf(row->light, "%lf,%lf", &twin.light[0], &twin.light[1]), 2);
    }
    twin.gloss = row->gloss;
    twin.bloom_radius = row->bloom_radius;
    twin.discrete = row->discrete;
    twin.planes = is_mixed(row) ? row->planes : 0;
    twin.strongest = row->strongest && is_mixed(row);
    twin.logarithmic = row->logarithmic;
    if (row->background && sscanf(row->background, "#%2x%2x%2x", &red, &green, &blue) == 3) {
        twin.background = VIEW_ON_COLOUR;
        twin.colour = red | green << 8 | blue << 16 | 0xff000000;
    } else if (row->background) {
        twin.background = row->background[0] == 't' ? VIEW_ON_TRANSPARENCY : VIEW_ON_IMAGE;
    }
    return twin;
}

/* --- annotations ------------------------------------------------------------------------------ */

static const uint32_t step_counts[FRAMES] = {1234567, UINT32_MAX, 0};
/* Just below half of the last decimal, just below an integer, and just above half: 0.0000,
 * 12,346.0000 and 1.5001. */
static const uint64_t times[FRAMES] = {54975581, UINT64_C(0x3039ffffff0000),
                                       UINT64_C(0x18000000000) + 54975582};

static struct vks_labels labels_of(const struct test_case *row)
{
    return (struct vks_labels){.title = row->title ? row->title : "field",
                               .unit = "unit / m",
                               .fallback = "other",
                               .time = row->annotated == WITH_TIME ? "when" : NULL,
                               .steps = row->annotated == WITH_STEPS ? "moment" : NULL,
                               .box = row->box};
}

static struct annotation_reference annotation_of(const struct test_case *row)
{
    const bool mean = row->project && strcmp(row->project, "mean") == 0;
    return (struct annotation_reference){.title = row->title  ? row->title
                                                  : row->only ? "field 2"
                                                              : "field",
                                         .unit = "unit / m",
                                         .fallback = "other",
                                         .names = {"first", "2", "third", "4", "5", "6", "7", "8"},
                                         .kind = mean           ? "mean "
                                                 : row->project ? "column "
                                                                : NULL,
                                         .summed = row->project && !mean,
                                         .light = row->background && row->background[0] == '#' &&
                                                  row->background[1] == 'f',
                                         .has_time = row->annotated == WITH_TIME,
                                         .box = row->box};
}

static void upload_times(struct vks_graph *graph, uint32_t frame)
{
    ASSERT_FINE(vks_graph_upload(graph, "moment", &step_counts[frame]));
    ASSERT_FINE(vks_graph_upload(graph, "when", &times[frame]));
}

/* --- the test --------------------------------------------------------------------------------- */

/* A picture that is drawn in bands: its graph is declared again for each part of it. */
struct banded {
    const struct test_case *row;
    struct vks_view_params params;
    struct vks_graph *graph;
    struct vks_bands bands;
    uint32_t rows_seen; /* of watched words, with a frame */
};

static void count_row(void *user, const struct vks_row *row)
{
    struct banded *banded = user;
    banded->rows_seen += row->frame;
}

static uint8_t mask_of(uint32_t x, uint32_t y)
{
    return (x / 3 + y / 5) % 3 == 0 || x == y;
}

static enum vks_result fill_mask(const void *user, const struct vks_field *field,
                                 const struct vks_source *source, void *out)
{
    const struct test_case *row = user;
    uint32_t *words = out;
    (void)source;
    for (uint32_t y = 0; y < row->height; y++) {
        for (uint32_t x = 0; x < row->width; x++) {
            words[y * field->shape[1] + x / 32] |= (uint32_t)mask_of(x, y) << x % 32;
        }
    }
    return VKS_OK;
}

static void declare_fields(const struct test_case *row, struct vks_declaration *declaration)
{
    if (row->masked) {
        VKS_FIELD(declaration, .name = "mask", .element = VKS_U32, .rank = 2,
                  .shape = {row->height, (row->width + 31) / 32}, .fill = fill_mask, .user = row,
                  .made_from = row->name);
    }
    declaration->software.texels = row->texels ? vks_graph_limits(&gpu).software.texels : 0;
    VKS_FIELD(declaration, .name = "word", .element = VKS_U32, .rank = 1, .shape = {1},
              .watched = VKS_SCALARS({"word"}));
    VKS_FIELD(declaration, .name = "moment", .element = VKS_U32, .rank = 1, .shape = {1});
    VKS_FIELD(declaration, .name = "when", .element = VKS_U32X2, .rank = 1, .shape = {1});
    static const char *const fields[] = {"one", "two"};
    const bool layered = row->depth || row->planes;
    for (size_t i = 0; i < 2; i++) {
        vks_declare_field(declaration,
                          &(struct vks_field){.name = fields[i],
                                              .element = row->halves ? VKS_F16 : VKS_F32,
                                              .rank = layered ? 3 : 2,
                                              .shape = {layered ? layers_of(row) : row->height,
                                                        layered ? row->height : row->width,
                                                        layered ? row->width : 0}});
    }
}

static enum vks_result update_band(void *user, enum vks_view_part part, uint32_t row)
{
    struct banded *banded = user;
    struct vks_declaration declaration = {0};
    banded->params.part = part;
    banded->params.row = row;
    declare_fields(banded->row, &declaration);
    vks_declare_view(&declaration, &banded->params);
    const enum vks_result result = vks_graph_update(banded->graph, &declaration);
    vks_declaration_free(&declaration);
    return result == VKS_OK ? vks_graph_fill(banded->graph, true, NULL) : result;
}

/* Compares a plane of a band with that of the picture in one piece. */
static void check_plane(const struct banded *banded, const char *name, uint32_t frame, uint32_t row,
                        uint32_t skip, const void *expected, size_t row_bytes)
{
    const struct vks_declaration *declaration = vks_graph_declaration(banded->graph);
    const struct vks_field *field = &declaration->fields[vks_find_field(declaration, name)];
    const uint32_t left = banded->bands.height - row;
    const uint32_t rows = left < banded->bands.rows ? left : banded->bands.rows;
    unsigned char *got = allocate(vks_field_bytes(field));
    if (banded->bands.rows > 1 && banded->row->bloom <= 0) { /* a glow has whole blocks */
        assert_in_range(vks_field_bytes(field), 1, banded->params.max_bytes);
    }
    download(banded->graph, name, got);
    assert_same(name, frame, got + skip * row_bytes,
                (const unsigned char *)expected + row * row_bytes, rows * row_bytes);
    free(got);
}

/* Draws in bands; all planes equal those of the picture in one piece. Watched words arrive once per
 * picture. */
static void check_bands(struct banded *banded, uint32_t frame, const struct view_frame *expected,
                        uint32_t width)
{
    const struct vks_bands *bands = &banded->bands;
    ASSERT_FINE(vks_bands_begin(bands));
    for (uint32_t row = 0; row < bands->height; row += bands->rows) {
        uint64_t value;
        ASSERT_FINE(vks_bands_draw(bands, row, NULL, NULL, &value));
        check_plane(banded, "picture", frame, row, 0, expected->pixels, (size_t)width * 4);
        if (banded->params.planes & vks_plane_bit(VKS_PLANE_RGBA16)) {
            check_plane(banded, "picture16", frame, row, 0, expected->deep, (size_t)width * 8);
        }
        if ((banded->params.planes & vks_plane_bit(VKS_PLANE_VALUES))) {
            const struct vks_declaration *declaration = vks_graph_declaration(banded->graph);
            const struct vks_field *values =
                &declaration->fields[vks_find_field(declaration, "values")];
            const uint32_t first =
                vks_view_first_value(bands->height, bands->rows, (uint32_t)values->shape[0], row);
            check_plane(banded, "values", frame, row, row - first, expected->values,
                        (size_t)width * 4);
        }
    }
    ASSERT_FINE(vks_graph_wait(banded->graph));
    if (bands->rows < bands->height) {
        assert_int_equal(banded->rows_seen, frame + 1);
    }
}

static void open_banded(struct banded *banded, const uint32_t *palette, uint32_t height)
{
    struct vks_declaration declaration = {0};
    declare_fields(banded->row, &declaration);
    vks_declare_view(&declaration, &banded->params);
    ASSERT_FINE(vks_graph_create(&gpu, &declaration, &banded->graph));
    vks_declaration_free(&declaration);
    ASSERT_FINE(vks_graph_start(banded->graph, 0, true));
    ASSERT_FINE(vks_graph_fill(banded->graph, false, NULL));
    if (banded->row->planes == 0) {
        ASSERT_FINE(vks_graph_upload(banded->graph, "palette", palette));
    }
    banded->bands = (struct vks_bands){.graph = banded->graph,
                                       .height = height,
                                       .rows = vks_band_rows(banded->graph),
                                       .user = banded,
                                       .update = update_band};
    vks_graph_on_row(banded->graph, count_row, banded);
    assert_in_range(banded->bands.rows, 1,
                    height > 1 && banded->row->bloom <= 0 ? height - 1 : height);
}

/* Buffers for about this part of the picture; the last are bands of one row, or of one block. */
enum { BANDED = 3 };
static const uint64_t parts_of_picture[BANDED] = {2, 5, 100};

/* The picture must not depend on the planes that are wanted, nor on bands. */
static void check(const struct test_case *row, unsigned wanted)
{
    const size_t cells = cells_of(row);
    struct vks_declaration *declaration = calloc(1, sizeof(*declaration));
    struct vks_graph *graph = NULL;
    uint32_t colours[256], turned[256], palette[257];
    const struct vks_look look = look_of(row);
    const struct vks_view_params params = {.displayed = "one",
                                           .fallback = row->has_fallback ? "two" : NULL,
                                           .look = &look,
                                           .labels = labels_of(row),
                                           .planes = wanted};
    assert_non_null(declaration);
    for (uint32_t i = 0; i < 256; i++) {
        colours[i] = 0xff000000 | (i * i / 255) << 16 | (255 - i) << 8 | (i * 7 & 0xff);
        turned[row->invert ? 255 - i : i] = colours[i];
    }
    struct view_reference twin = twin_of(row, turned);
    uint32_t palettes[VKS_MAX_MIX][256];
    for (uint32_t i = 0; i < row->planes; i++) {
        twin.discretes[i] = palette_of(row, i, palettes[i]);
        twin.palettes[i] = palettes[i];
    }
    if (row->only) {
        twin.palette = palettes[row->only - 1];
        twin.discrete = twin.discretes[row->only - 1];
    }
    const size_t pixels = (size_t)twin.width * twin.height;
    uint8_t *mask = row->masked ? allocate((size_t)row->width * row->height) : NULL;
    for (uint32_t i = 0; mask && i < row->width * row->height; i++) {
        mask[i] = mask_of(i % row->width, i / row->width);
    }
    twin.mask = mask;
    twin.mask_colour = 0xff1e8c5a;
    struct annotation_reference annotation = annotation_of(row);
    twin.annotation = row->annotated ? &annotation : NULL;
    uint32_t *background = NULL;
    if (twin.background == VIEW_ON_IMAGE) {
        twin.image = background =
            make_background(twin.width, twin.height, row->background[0] == 'O');
    }
    declare_fields(row, declaration);
    vks_declare_view(declaration, &params);
    ASSERT_FINE(vks_graph_create(&gpu, declaration, &graph));
    assert_int_equal(vks_graph_piece(graph, "one", 0).size < cells * (row->halves ? 2 : 4),
                     row->wide);
    ASSERT_FINE(vks_graph_start(graph, 0, true));
    ASSERT_FINE(vks_graph_fill(graph, false, NULL));
    vks_view_palette(&look, colours, row->discrete, palette);
    if (row->planes == 0) {
        ASSERT_FINE(vks_graph_upload(graph, "palette", palette));
    }
    const uint64_t mixed = is_mixed(row) ? row->planes : 1;
    const uint64_t deep = wanted & vks_plane_bit(VKS_PLANE_RGBA16) ? 8 : 4;
    const bool has_values = row->size || row->crop || row->halves;
    const uint64_t bytes = (has_values && mixed > 2 ? 4 * mixed : deep) * pixels;
    struct banded banded[BANDED] = {0};
    for (size_t i = 0; i < (row->large ? 1 : BANDED); i++) {
        banded[i] = (struct banded){.row = row, .params = params};
        banded[i].params.planes &=
            vks_plane_bit(VKS_PLANE_RGBA16) | (mixed > 1 ? 0 : vks_plane_bit(VKS_PLANE_VALUES));
        banded[i].params.max_bytes = bytes / parts_of_picture[i] + 1;
        open_banded(&banded[i], palette, twin.height);
    }
    uint32_t coded_width, coded_height;
    vks_coded_size(twin.width, twin.height, &coded_width, &coded_height);
    const size_t coded = (size_t)coded_width * coded_height * 3 / 2;
    float *one = allocate(cells * 4), *two = allocate(cells * 4);
    float *plane = allocate(cells * 4), *plane_fallback = allocate(cells * 4);
    struct view_frame frame = {.values = allocate(mixed * pixels * 4),
                               .pixels = allocate(pixels * 4),
                               .deep = allocate(pixels * 8)};
    unsigned char *yuv = allocate(coded);
    unsigned char *got = allocate((mixed + 1) * pixels * 8 + coded * 2 + cells * 4);
    uint16_t *yuv10 = allocate(coded * 2);
    for (uint32_t i = 0; i < (row->once || row->large ? 1 : FRAMES); i++) {
        uint64_t value;
        fill(row, false, i, one);
        fill(row, true, i, two);
        flatten(row, one, plane);
        flatten(row, two, plane_fallback);
        annotation.amount = row->annotated == WITH_TIME    ? times[i]
                            : row->annotated == WITH_STEPS ? step_counts[i]
                                                           : 0;
        view_draw(&twin, plane, row->has_fallback ? plane_fallback : NULL, &frame);
        for (size_t j = 0; j < BANDED && banded[j].graph; j++) {
            upload(banded[j].graph, "one", one, cells, row->halves);
            upload(banded[j].graph, "two", two, cells, row->halves);
            upload_times(banded[j].graph, i);
            check_bands(&banded[j], i, &frame, twin.width);
        }
        if (row->large) {
            break;
        }
        upload(graph, "one", one, cells, row->halves);
        upload(graph, "two", two, cells, row->halves);
        upload_times(graph, i);
        ASSERT_FINE(vks_graph_frame(graph, NULL, NULL, VK_NULL_HANDLE, VK_NULL_HANDLE, &value));
        if (wanted & vks_plane_bit(VKS_PLANE_VALUES)) {
            download(graph, "values", got);
            assert_same("the values", i, got, frame.values, mixed * pixels * 4);
        }
        download(graph, "picture", got);
        assert_same("the picture", i, got, frame.pixels, pixels * 4);
        if (wanted & vks_plane_bit(VKS_PLANE_RGBA16)) {
            download(graph, "picture16", got);
            assert_same("the picture of 16 bits", i, got, frame.deep, pixels * 8);
        }
        if (wanted & vks_plane_bit(VKS_PLANE_YUV)) {
            view_planes(twin.width, twin.height, frame.pixels, yuv);
            download(graph, "planes", got);
            assert_same("the planes", i, got, yuv, coded);
        }
        if (wanted & vks_plane_bit(VKS_PLANE_YUV10)) {
            view_planes10(twin.width, twin.height, frame.deep, yuv10);
            download(graph, "planes10", got);
            assert_same("the planes of 10 bits", i, got, yuv10, coded * 2);
        }
        if (wanted & vks_plane_bit(VKS_PLANE_CELLS)) {
            download(graph, "view_cells", got);
            assert_same("the cells", i, got, row->only ? plane : one,
                        cells * 4 / (row->only ? row->planes : 1));
        }
    }
    for (size_t i = 0; i < BANDED; i++) {
        vks_graph_destroy(banded[i].graph);
    }
    vks_graph_destroy(graph);
    free(got);
    free(yuv10);
    free(yuv);
    free(frame.deep);
    free(frame.pixels);
    free(frame.values);
    free(plane_fallback);
    free(plane);
    free(two);
    free(one);
    free(background);
    free(mask);
    free_declaration(declaration);
}

static void test_case(void **state)
{
    const struct test_case *row = *state;
    const bool clear = row->background && (row->background[0] == 't' || row->background[0] == 'F');
    const uint64_t range = gpu.field_range;
    gpu.field_range = row->wide ? 1000 : range;
    check(row, 0);
    if (!row->large) {
        const unsigned opaque = vks_plane_bit(VKS_PLANE_YUV) | vks_plane_bit(VKS_PLANE_YUV10);
        check(row, vks_plane_bit(VKS_PLANE_RGBA16) | vks_plane_bit(VKS_PLANE_VALUES) |
                       vks_plane_bit(VKS_PLANE_CELLS) | (clear ? 0 : opaque));
    }
    gpu.field_range = range;
}

/* Values of several planes are not in bands. */
static void test_values_of_planes(void **state)
{
    (void)state;
    const struct test_case row = {"", 16, 8, .planes = 3};
    const struct vks_look look = look_of(&row);
    for (unsigned values = 0; values < 2; values++) {
        struct vks_declaration declaration = {0};
        declare_fields(&row, &declaration);
        vks_declare_view(&declaration,
                         &(struct vks_view_params){.displayed = "one",
                                                   .look = &look,
                                                   .planes = values << VKS_PLANE_VALUES,
                                                   .max_bytes = 100});
        ASSERT_FINE(declaration.result);
        const struct vks_field *picture =
            &declaration.fields[vks_find_field(&declaration, "picture")];
        assert_int_equal(picture->shape[0], values ? 8 : 1);
        assert_int_equal(vks_view_value_planes(&declaration), values ? 3 : 1);
        vks_declaration_free(&declaration);
    }
}

/* A video has no transparency. */
static void test_refusals(void **state)
{
    (void)state;
    struct test_case row = {"", 8, 8, .background = "transparent"};
    struct vks_look look = look_of(&row);
    struct vks_declaration *declaration = calloc(1, sizeof(*declaration));
    struct vks_view_params params = {
        .displayed = "one", .look = &look, .planes = vks_plane_bit(VKS_PLANE_YUV10)};
    struct vks_graph *graph = NULL;
    assert_non_null(declaration);
    const struct vks_field field = {.name = "one", .element = VKS_F32, .rank = 2, .shape = {8, 8}};
    vks_declare_field(declaration, &field);
    vks_declare_view(declaration, &params);
    assert_int_equal(declaration->result, VKS_ERROR_USAGE);
    assert_non_null(strstr(vks_error_text(), "this output has no transparency"));

    vks_declaration_free(declaration);
    row.background = "FILE";
    look = look_of(&row);
    free(make_background(8, 8, false));
    vks_declare_field(declaration, &field);
    vks_declare_view(declaration, &params);
    ASSERT_FINE(vks_graph_create(&gpu, declaration, &graph));
    ASSERT_FINE(vks_graph_start(graph, 0, true));
    assert_int_equal(vks_graph_fill(graph, false, NULL), VKS_ERROR_USAGE);
    assert_non_null(strstr(vks_error_text(), "is transparent in places"));
    unlink(picture_path);
    assert_int_equal(vks_graph_fill(graph, false, NULL), VKS_ERROR_FILE);
    assert_non_null(strstr(vks_error_text(), "background"));
    vks_graph_destroy(graph);
    free_declaration(declaration);
}

/* With --every N one case in N, and none that is large; with --only PATTERN those cases. */
int main(int argc, char **argv)
{
    enum { CASES = sizeof(cases) / sizeof(cases[0]) };
    struct CMUnitTest tests[CASES + 2] = {cmocka_unit_test(test_refusals),
                                          cmocka_unit_test(test_values_of_planes)};
    share_read(argc, argv);
    for (size_t i = 0; i < CASES; i++) { /* cmocka leaves out tests without a function */
        tests[i + 2] = (struct CMUnitTest){
            .name = cases[i].name,
            .test_func = share_due() && (share_is_all() || !cases[i].large) ? test_case : NULL,
            .initial_state = (void *)(uintptr_t)&cases[i]};
    }
    const char *base = getenv("TMPDIR");
    snprintf(picture_path, sizeof(picture_path), "%.200s/vksim-view-%ld.png",
             base && *base ? base : "/tmp", (long)getpid());
    if (argc > 2 && strcmp(argv[1], "--only") == 0) {
        cmocka_set_test_filter(argv[2]);
    }
    open_gpu(&(struct vks_gpu_params){.no_disk_cache = true});
    int failed = cmocka_run_group_tests_name("view", tests, NULL, NULL);
    vks_gpu_close(&gpu);
    unlink(picture_path);
    return failed;
}

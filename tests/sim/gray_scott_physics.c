/* SPDX-License-Identifier: MIT */
#include "gray_scott_physics.h"

#include <math.h>
#include <stdio.h>

#include "base/exact.h"

static const double pi = 3.14159265358979323846;

enum { MAX_CELLS = 48 * 48 };

static const char *const stencils[] = {"five-point", "nine-point"};
static const char *const boundaries[] = {"periodic", "no-flux"};

/* The fields of a run and of another to compare with. */
static float u[MAX_CELLS], v[MAX_CELLS], other_u[MAX_CELLS], other_v[MAX_CELLS];

static bool run(const struct gray_scott_lab *lab, uint32_t width, uint32_t height,
                const char *options, uint32_t steps, float *field_u, float *field_v)
{
    return lab->run(lab->self, width, height, options, steps, field_u, field_v);
}

/* The options with stencil and boundary, valid until the next call. */
static const char *with(const char *options, int stencil, int boundary)
{
    static char text[160];
    (void)snprintf(text, sizeof(text), "%s stencil=%s boundary=%s", options, stencils[stencil],
                   boundaries[boundary]);
    return text;
}

/* Random values in [low, high) that are exact as halves: multiples of 2^-9 below 1. */
static void fill(float *field, size_t cells, uint32_t seed, double low, double high)
{
    for (size_t cell = 0; cell < cells; cell++) {
        double word = vks_random(seed, (uint32_t)cell, 0, 99).x * 0x1p-32;
        field[cell] = (float)(floor((low + (high - low) * word) * 512.0) / 512.0);
    }
}

static void set(float *field, size_t cells, double value)
{
    for (size_t cell = 0; cell < cells; cell++) {
        field[cell] = (float)value;
    }
}

static double sum_of(const float *field, size_t cells)
{
    double sum = 0.0;
    for (size_t cell = 0; cell < cells; cell++) {
        sum += field[cell];
    }
    return sum;
}

/* --- waves -------------------------------------------------------------------------------- */

struct wave {
    int across, down; /* waves in the width and in the height; between walls, half waves */
};

enum { WAVE_WIDTH = 32, WAVE_HEIGHT = 24 };

/* A mode of the discrete Laplacian at a cell: a sine on the torus; cosines between walls, which are
 * half a cell beyond the centre of the last cell. */
static double mode_at(struct wave wave, int boundary, uint32_t y, uint32_t x)
{
    double qx = 2.0 * pi * wave.across / WAVE_WIDTH, qy = 2.0 * pi * wave.down / WAVE_HEIGHT;
    return boundary == 1 ? cos(qx / 2.0 * (x + 0.5)) * cos(qy / 2.0 * (y + 0.5))
                         : sin(qx * x + qy * y);
}

/* Its negated eigenvalue. */
static double eigenvalue(struct wave wave, int stencil, int boundary)
{
    double half = boundary == 1 ? 0.5 : 1.0;
    double cx = cos(half * 2.0 * pi * wave.across / WAVE_WIDTH);
    double cy = cos(half * 2.0 * pi * wave.down / WAVE_HEIGHT);
    return stencil == 1 ? (20.0 - 8.0 * cx - 8.0 * cy - 4.0 * cx * cy) / 6.0
                        : 4.0 - 2.0 * cx - 2.0 * cy;
}

/* The amplitude of the mode in the field, in arbitrary units. */
static double amplitude(const float *field, struct wave wave, int boundary)
{
    double sum = 0.0;
    for (uint32_t y = 0; y < WAVE_HEIGHT; y++) {
        for (uint32_t x = 0; x < WAVE_WIDTH; x++) {
            sum += field[y * WAVE_WIDTH + x] * mode_at(wave, boundary, y, x);
        }
    }
    return sum;
}

/* Without reaction and feed a wave is multiplied by 1 - D dt L per step, L the eigenvalue. The loss
 * must be accurate to 1e-5. */
static bool wave_decays(const struct gray_scott_lab *lab, struct wave wave, int stencil,
                        int boundary, bool of_v)
{
    float *waved = of_v ? v : u;
    set(of_v ? u : v, WAVE_WIDTH * WAVE_HEIGHT, 0.0);
    for (uint32_t y = 0; y < WAVE_HEIGHT; y++) {
        for (uint32_t x = 0; x < WAVE_WIDTH; x++) {
            waved[y * WAVE_WIDTH + x] = (float)(0.5 + 0.4 * mode_at(wave, boundary, y, x));
        }
    }
    double before = amplitude(waved, wave, boundary);
    double loss = (of_v ? 0.09 : 0.17) * 1.25 * eigenvalue(wave, stencil, boundary);
    /* Until about a third remains. */
    uint32_t steps = (uint32_t)fmin(ceil(-1.0 / log(1.0 - loss)), 100.0);
    if (!run(lab, WAVE_WIDTH, WAVE_HEIGHT,
             with("feed=0 kill=0 du=0.17 dv=0.09 dt=1.25", stencil, boundary), steps, u, v)) {
        return false;
    }
    double left = amplitude(waved, wave, boundary) / before;
    double measured = left > 0.0 ? 1.0 - pow(left, 1.0 / steps) : NAN;
    bool good = fabs(measured / loss - 1.0) <= 1e-5;
    if (!good) {
        printf("# %s %s, %s, wave (%d, %d): a step takes %.9f of it, not %.9f\n", stencils[stencil],
               boundaries[boundary], of_v ? "v" : "u", wave.across, wave.down, measured, loss);
    }
    return good;
}

static bool waves_decay(const struct gray_scott_lab *lab)
{
    static const struct wave waves[] = {{1, 0}, {0, 1}, {3, 2}, {8, 0}, {9, 6}};
    bool good = true;
    for (int kind = 0; kind < 4; kind++) {
        for (size_t i = 0; i < 2 * sizeof(waves) / sizeof(waves[0]); i++) {
            good = wave_decays(lab, waves[i / 2], kind & 1, kind >> 1, i % 2 == 1) && good;
        }
    }
    return good;
}

/* --- conservation ------------------------------------------------------------------------- */

/* Without feed and kill the sum of u and v is conserved, with and without reaction. The weights of
 * a step add up to exactly 1, so that only rounding is left. In a step u is rounded at its two
 * products and two sums, v likewise and at the sums over neighbours before: less than 2^-22 per
 * cell and step if all roundings were maximal and of the same sign. They are not: a sixteenth of
 * that is allowed. */
static bool sum_stays(const struct gray_scott_lab *lab, uint32_t width, uint32_t height,
                      const char *options, double max_v)
{
    enum { STEPS = 300 };
    const size_t cells = (size_t)width * height;
    fill(u, cells, 1, 0.1, 0.9);
    fill(v, cells, 2, 0.0, max_v);
    double before = sum_of(u, cells) + sum_of(v, cells);
    if (!run(lab, width, height, options, STEPS, u, v)) {
        return false;
    }
    double change = (sum_of(u, cells) + sum_of(v, cells) - before) / ((double)cells * STEPS);
    bool good = fabs(change) <= 0x1p-26;
    if (!good) {
        printf("# %ux%u %s: a step adds %g to a cell\n", width, height, options, change);
    }
    return good;
}

static bool sums_stay(const struct gray_scott_lab *lab)
{
    bool good = true;
    for (int kind = 0; kind < 4; kind++) {
        const char *options = with("feed=0 kill=0 du=0.19 dv=0.07 dt=1.1", kind & 1, kind >> 1);
        good = sum_stays(lab, 31, 17, options, 0.0) && good;
        good = sum_stays(lab, 31, 17, options, 0.1) && good;
    }
    good = sum_stays(lab, 2, 3, with("feed=0 kill=0", 1, 1), 0.1) && good;
    return sum_stays(lab, 1, 36, with("feed=0 kill=0", 0, 0), 0.1) && good;
}

/* --- states that rest --------------------------------------------------------------------- */

static bool is_even(const float *field, size_t cells)
{
    for (size_t cell = 1; cell < cells; cell++) {
        if (field[cell] != field[0]) {
            return false;
        }
    }
    return true;
}

/* (1, 0) to the bit, whatever the rates. With nine points that needs D dt <= 0.3: beyond it 20
 * times a neighbour's weight is over 1 and may need one bit more than a float has. */
static bool empty_state_rests(const struct gray_scott_lab *lab)
{
    static const char *const options[] = {
        "feed=0.037 kill=0.06",
        "feed=0.0620127 kill=0.0609321 du=0.2097 dv=0.105 dt=0.913 stencil=nine-point",
        "feed=1 kill=0 du=0.1234567 dv=0.1 boundary=no-flux",
        "feed=0 kill=1 du=0.2345678 dv=0.11 stencil=nine-point boundary=no-flux",
        "feed=0.3 kill=0.1 du=0.0000017 dv=0 dt=2.3 precision=float16",
        "feed=0.0312345 kill=0.0565 du=0.29 dv=0.15 stencil=nine-point precision=float16",
    };
    enum { WIDTH = 12, HEIGHT = 9, CELLS = WIDTH * HEIGHT };
    bool good = true;
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        set(u, CELLS, 1.0);
        set(v, CELLS, 0.0);
        if (!run(lab, WIDTH, HEIGHT, options[i], 1000, u, v)) {
            return false;
        }
        if (!is_even(u, CELLS) || u[0] != 1.0f || !is_even(v, CELLS) || v[0] != 0.0f) {
            printf("# %s: (1, 0) became (%.9g, %.9g)\n", options[i], u[0], v[0]);
            good = false;
        }
    }
    return good;
}

/* The state (u, v) = ((1 - s) / 2, F (1 + s) / (2 (F + k))), s^2 = 1 - 4 (F + k)^2 / F, where it is
 * stable against uniform perturbations and waves: within a few units in the last place. */
static bool full_state_rests(const struct gray_scott_lab *lab)
{
    enum { WIDTH = 12, HEIGHT = 9, CELLS = WIDTH * HEIGHT };
    static const struct {
        double feed, kill;
        const char *rest;
        double unit; /* in the last place of u and v, which are in [1/8, 1) */
    } rows[] = {
        {0.06, 0.04, "", 0x1p-24},
        {0.06, 0.04, "stencil=nine-point boundary=no-flux", 0x1p-24},
        {0.09, 0.05, "boundary=no-flux dt=0.8", 0x1p-24},
        {0.05, 0.03, "stencil=nine-point", 0x1p-24},
        {0.09, 0.05, "precision=float16", 0x1p-11},
    };
    bool good = true;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        double feed = rows[i].feed, both = feed + rows[i].kill;
        double s = sqrt(1.0 - 4.0 * both * both / feed);
        double full_u = (1.0 - s) / 2.0, full_v = feed * (1.0 + s) / (2.0 * both);
        char options[160];
        (void)snprintf(options, sizeof(options), "feed=%g kill=%g %s", feed, rows[i].kill,
                       rows[i].rest);
        set(u, CELLS, full_u);
        set(v, CELLS, full_v);
        if (!run(lab, WIDTH, HEIGHT, options, 1000, u, v)) {
            return false;
        }
        double off_u = fabs(u[0] - full_u) / rows[i].unit;
        double off_v = fabs(v[0] - full_v) / rows[i].unit;
        if (!is_even(u, CELLS) || !is_even(v, CELLS) || off_u > 8.0 || off_v > 8.0) {
            printf("# %s: (%.9f, %.9f) became (%.9f, %.9f), off by %.1f and %.1f units\n", options,
                   full_u, full_v, u[0], v[0], off_u, off_v);
            good = false;
        }
    }
    return good;
}

/* --- symmetries --------------------------------------------------------------------------- */

/* Spots that keep moving, so that no symmetry is trivial. */
static const char lively[] = "feed=0.03 kill=0.055 du=0.19 dv=0.09";

static void random_fields(size_t cells, uint32_t seed)
{
    fill(u, cells, seed, 0.3, 1.0);
    fill(v, cells, seed + 1, 0.0, 0.4);
}

enum image { LEFT_RIGHT, TOP_BOTTOM, ROWS_COLUMNS, MOVED };
static const char *const images[] = {"left and right swapped", "top and bottom swapped",
                                     "rows and columns swapped", "moved"};

/* The place of cell (y, x) in the image; ROWS_COLUMNS requires a square. */
static size_t image_of(enum image image, uint32_t width, uint32_t height, uint32_t y, uint32_t x)
{
    uint32_t row = y, column = x;
    if (image == LEFT_RIGHT) {
        column = width - 1 - x;
    } else if (image == TOP_BOTTOM) {
        row = height - 1 - y;
    } else if (image == ROWS_COLUMNS) {
        row = x;
        column = y;
    } else {
        row = (y + height / 2) % height;
        column = (x + width / 3 + 1) % width;
    }
    return (size_t)row * width + column;
}

/* The image of a run is the run of the image, to the bit. */
static bool image_stays(const struct gray_scott_lab *lab, enum image image, uint32_t width,
                        uint32_t height, const char *options)
{
    enum { STEPS = 200 };
    random_fields((size_t)width * height, 5);
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            size_t to = image_of(image, width, height, y, x);
            other_u[to] = u[(size_t)y * width + x];
            other_v[to] = v[(size_t)y * width + x];
        }
    }
    if (!run(lab, width, height, options, STEPS, u, v) ||
        !run(lab, width, height, options, STEPS, other_u, other_v)) {
        return false;
    }
    if (width > 8 && is_even(v, (size_t)width * height)) {
        printf("# %ux%u %s: an even field proves nothing\n", width, height, options);
        return false;
    }
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            size_t cell = (size_t)y * width + x, to = image_of(image, width, height, y, x);
            if (u[cell] != other_u[to] || v[cell] != other_v[to]) {
                printf("# %ux%u %s, %s: (%.9g, %.9g) at (%u, %u), its image (%.9g, %.9g)\n", width,
                       height, options, images[image], u[cell], v[cell], y, x, other_u[to],
                       other_v[to]);
                return false;
            }
        }
    }
    return true;
}

static bool mirrors_stay(const struct gray_scott_lab *lab)
{
    bool good = true;
    for (int kind = 0; kind < 4; kind++) {
        const char *options = with(lively, kind & 1, kind >> 1);
        uint32_t width = kind < 2 ? 24 : 19, height = kind < 2 ? 17 : 26;
        good = image_stays(lab, LEFT_RIGHT, width, height, options) && good;
        good = image_stays(lab, TOP_BOTTOM, width, height, options) && good;
    }
    /* Corners are summed row by row: this is for five points. */
    good = image_stays(lab, ROWS_COLUMNS, 20, 20, with(lively, 0, 0)) && good;
    return image_stays(lab, ROWS_COLUMNS, 17, 17, with(lively, 0, 1)) && good;
}

/* A torus has no first cell. */
static bool tori_have_no_seam(const struct gray_scott_lab *lab)
{
    bool good = image_stays(lab, MOVED, 24, 17, with(lively, 0, 0));
    good = image_stays(lab, MOVED, 9, 38, with(lively, 1, 0)) && good;
    good = image_stays(lab, MOVED, 20, 20, with(lively, 1, 0)) && good;
    return image_stays(lab, MOVED, 3, 2, with(lively, 0, 0)) && good;
}

/* A field between walls is a quarter of a torus that holds its mirror images. */
static bool walls_are_mirrors(const struct gray_scott_lab *lab)
{
    static const uint32_t sizes[][2] = {{16, 11}, {5, 24}, {2, 9}, {1, 1}};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        uint32_t width = sizes[i][0], height = sizes[i][1];
        int stencil = (int)(i + 1) % 2;
        random_fields((size_t)width * height, 7);
        for (uint32_t y = 0; y < 2 * height; y++) {
            for (uint32_t x = 0; x < 2 * width; x++) {
                uint32_t row = y < height ? y : 2 * height - 1 - y;
                uint32_t column = x < width ? x : 2 * width - 1 - x;
                other_u[y * 2 * width + x] = u[row * width + column];
                other_v[y * 2 * width + x] = v[row * width + column];
            }
        }
        if (!run(lab, width, height, with(lively, stencil, 1), 200, u, v) ||
            !run(lab, 2 * width, 2 * height, with(lively, stencil, 0), 200, other_u, other_v)) {
            return false;
        }
        for (uint32_t y = 0; y < height; y++) {
            for (uint32_t x = 0; x < width; x++) {
                uint32_t cell = y * width + x, there = y * 2 * width + x;
                if (u[cell] != other_u[there] || v[cell] != other_v[there]) {
                    printf("# %ux%u %s: (%.9g, %.9g) at (%u, %u), among mirrors (%.9g, %.9g)\n",
                           width, height, stencils[stencil], u[cell], v[cell], y, x, other_u[there],
                           other_v[there]);
                    return false;
                }
            }
        }
    }
    return true;
}

const struct gray_scott_law gray_scott_laws[] = {
    {"waves decay at the rate of the stencil", waves_decay},
    {"u + v is conserved without feed and kill", sums_stay},
    {"the state (1, 0) rests to the bit", empty_state_rests},
    {"the other even state rests", full_state_rests},
    {"mirror images stay mirror images to the bit", mirrors_stay},
    {"walls are mirrors to the bit", walls_are_mirrors},
    {"a torus has no seam, to the bit", tori_have_no_seam},
};
const size_t gray_scott_law_count = sizeof(gray_scott_laws) / sizeof(gray_scott_laws[0]);

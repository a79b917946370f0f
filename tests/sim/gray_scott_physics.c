/* SPDX-License-Identifier: MIT */
#include "gray_scott_physics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"

static const double pi = 3.14159265358979323846;

enum { MOST_CELLS = 128 * 128 };

static const char *const stencils[] = {"five-point", "nine-point"};
static const char *const boundaries[] = {"periodic", "no-flux"};
static const char *const precisions[] = {"float32", "float16"};

/* u and v before and after; one set for all laws. */
static float u[MOST_CELLS], v[MOST_CELLS], u2[MOST_CELLS], v2[MOST_CELLS];

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

/* Random values in [low, high) that a half holds too: multiples of 2^-9 below 1. */
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
    int across, down; /* waves in the width and in the height; half waves between walls */
};

/* A mode of the discrete Laplacian: of the torus, or between walls half a cell beyond the last
 * middle. And its wave numbers. */
static double mode_at(struct wave wave, int boundary, uint32_t width, uint32_t height, uint32_t y,
                      uint32_t x, double *qx, double *qy)
{
    bool walls = boundary == 1;
    *qx = (walls ? pi : 2.0 * pi) * wave.across / width;
    *qy = (walls ? pi : 2.0 * pi) * wave.down / height;
    return walls ? cos(*qx * (x + 0.5)) * cos(*qy * (y + 0.5)) : sin(*qx * x + *qy * y);
}

/* Its eigenvalue, with the opposite sign. */
static double eigenvalue(int stencil, double qx, double qy)
{
    double five = 4.0 - 2.0 * cos(qx) - 2.0 * cos(qy);
    double nine = (20.0 - 8.0 * cos(qx) - 8.0 * cos(qy) - 4.0 * cos(qx) * cos(qy)) / 6.0;
    return stencil == 1 ? nine : five;
}

/* For diagonal waves of the torus: cos qx cos qy is of standing waves; a travelling one, as
 * sin(qx x + qy y), sees the corners one by one. */
static double of_corners(int stencil, int boundary, double qx, double qy)
{
    double travelling = 2.0 * cos(qx + qy) + 2.0 * cos(qx - qy);
    (void)stencil;
    (void)boundary;
    return travelling;
}

/* Without reaction and feed a wave decays by 1 - D dt L a step, L the eigenvalue. The rate of decay
 * must be right to 1e-5: the grid of 2^-26 that the coefficients lie on gives up to 3e-7, rounding
 * of a wave that is a thousandth smaller each step a few 1e-6. */
static bool wave_decays(const struct gray_scott_lab *lab, struct wave wave, int stencil,
                        int boundary, bool of_v)
{
    enum { WIDTH = 64, HEIGHT = 48 };
    double qx = 0.0, qy = 0.0, before = 0.0, after = 0.0, square = 0.0;
    float *waved = of_v ? v : u;
    set(of_v ? u : v, WIDTH * HEIGHT, 0.0);
    for (uint32_t y = 0; y < HEIGHT; y++) {
        for (uint32_t x = 0; x < WIDTH; x++) {
            double mode = mode_at(wave, boundary, WIDTH, HEIGHT, y, x, &qx, &qy);
            waved[y * WIDTH + x] = (float)(0.5 + 0.4 * mode);
            before += waved[y * WIDTH + x] * mode;
            square += mode * mode;
        }
    }
    double diffusion = of_v ? 0.09 : 0.17, dt = 1.25;
    double factor = 1.0 - diffusion * dt * eigenvalue(stencil, qx, qy);
    uint32_t steps = (uint32_t)fmin(fmax(1.0, round(-1.0 / log(fabs(factor)))), 300.0);
    if (!run(lab, WIDTH, HEIGHT, with("feed=0 kill=0 du=0.17 dv=0.09 dt=1.25", stencil, boundary),
             steps, u, v)) {
        return false;
    }
    for (uint32_t y = 0; y < HEIGHT; y++) {
        for (uint32_t x = 0; x < WIDTH; x++) {
            after += waved[y * WIDTH + x] *
                     mode_at(wave, boundary, WIDTH, HEIGHT, y, x, &qx, &qy);
        }
    }
    double measured = pow(fabs(after / before), 1.0 / steps);
    double error = fabs((1.0 - measured) / (1.0 - fabs(factor)) - 1.0);
    if (error > 1e-5 || measured * fabs(factor) == 0.0) {
        printf("# %s %s, %c, wave (%d, %d): a step leaves %.9f of it, not %.9f (square %g)\n",
               stencils[stencil], boundaries[boundary], of_v ? 'v' : 'u', wave.across, wave.down,
               measured, factor, square);
        return false;
    }
    return true;
}

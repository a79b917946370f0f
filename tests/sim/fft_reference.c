/* SPDX-License-Identifier: MIT */
#include "fft_reference.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/exact.h"

struct complex {
    float re, im;
};

static void *allocate(size_t size)
{
    void *memory = malloc(size);
    if (!memory) {
        fprintf(stderr, "fft_reference: out of memory\n");
        exit(1);
    }
    return memory;
}

void fft_reference_root(size_t j, size_t count, float root[2])
{
    static const double pi = 3.14159265358979323846;
    const double angle = 2 * pi * (double)j / (double)count;
    const bool whole = 4 * j % count == 0; /* quarter turns, where pi is not exact enough */
    root[0] = (float)(whole ? round(cos(angle)) : cos(angle));
    root[1] = (float)(whole ? round(-sin(angle)) : -sin(angle));
}

/* Entry half + j is the root of j / (2 half) turns. */
static struct complex *new_roots(const size_t shape[3])
{
    size_t longest = 1;
    for (int axis = 0; axis < 3; axis++) {
        longest = shape[axis] > longest ? shape[axis] : longest;
    }
    struct complex *roots = allocate(longest * sizeof(*roots));
    for (size_t half = 1; half < longest; half *= 2) {
        for (size_t j = 0; j < half; j++) {
            float root[2];
            fft_reference_root(j, 2 * half, root);
            roots[half + j] = (struct complex){root[0], root[1]};
        }
    }
    return roots;
}

/* One line in place: `line` has `count` values `stride` apart. */
static void transform(const struct complex *roots, struct complex *line, size_t stride,
                      size_t count, bool inverse)
{
    /* Bits of each position reversed. */
    for (size_t i = 0; i < count; i++) {
        size_t reversed = 0;
        for (size_t bit = 1; bit < count; bit *= 2) {
            reversed = 2 * reversed + (i & bit ? 1 : 0);
        }
        if (i < reversed) {
            const struct complex swapped = line[i * stride];
            line[i * stride] = line[reversed * stride];
            line[reversed * stride] = swapped;
        }
    }
    for (size_t half = 1; half < count; half *= 2) {
        for (size_t j = 0; j < half; j++) {
            const struct complex root = roots[half + j];
            const struct complex w = {root.re, inverse ? -root.im : root.im};
            for (size_t block = 0; block < count; block += 2 * half) {
                struct complex *upper = &line[(block + j) * stride];
                struct complex *lower = &line[(block + j + half) * stride];
                const struct complex a = *upper, b = *lower;
                const struct complex turned = {w.re * b.re - w.im * b.im,
                                               w.re * b.im + w.im * b.re};
                *upper = (struct complex){a.re + turned.re, a.im + turned.im};
                *lower = (struct complex){a.re - turned.re, a.im - turned.im};
            }
        }
    }
    for (size_t i = 0; i < count; i++) {
        line[i * stride].re = vks_flush(line[i * stride].re);
        line[i * stride].im = vks_flush(line[i * stride].im);
    }
}

static void transform_axis(const size_t shape[3], const struct complex *roots,
                           struct complex *waves, int axis, bool inverse)
{
    const size_t cells = shape[0] * shape[1] * shape[2];
    const size_t stride = axis == 2 ? 1 : axis == 1 ? shape[2] : shape[2] * shape[1];
    for (size_t i = 0; i < cells; i++) {
        if (i / stride % shape[axis] == 0 && shape[axis] > 1) {
            transform(roots, waves + i, stride, shape[axis], inverse);
        }
    }
}

static float symbol_at(const struct fft_reference *fft, int axis, size_t k)
{
    return fft->symbol[axis] ? vks_flush(fft->symbol[axis][k]) : 0;
}

static void multiply(const struct fft_reference *fft, struct complex *waves)
{
    const size_t *shape = fft->shape;
    const size_t cells = shape[0] * shape[1] * shape[2];
    const float factor = vks_flush((float)((double)fft->factor / (double)cells));
    for (size_t i = 0; i < cells; i++) {
        const float z = symbol_at(fft, 0, i / (shape[2] * shape[1]));
        const float y = symbol_at(fft, 1, i / shape[2] % shape[1]);
        const float x = symbol_at(fft, 2, i % shape[2]);
        const float sum = (z + y) + x;
        const bool left_out = i == 0 || vks_flush(sum) == 0;
        const float multiplier = left_out ? 0 : factor * vks_reciprocal(sum);
        waves[i].re = vks_flush(waves[i].re * multiplier);
        waves[i].im = vks_flush(waves[i].im * multiplier);
    }
}

void fft_reference(const struct fft_reference *fft, const float *source, float *target)
{
    const size_t cells = fft->shape[0] * fft->shape[1] * fft->shape[2];
    struct complex *waves = allocate(cells * sizeof(*waves));
    struct complex *roots = new_roots(fft->shape);
    for (size_t i = 0; i < cells; i++) {
        waves[i] = (struct complex){vks_flush(source[i] - fft->mean), 0};
    }
    for (int axis = 2; axis >= 0; axis--) {
        transform_axis(fft->shape, roots, waves, axis, false);
    }
    multiply(fft, waves);
    for (int axis = 0; axis < 3; axis++) {
        transform_axis(fft->shape, roots, waves, axis, true);
    }
    for (size_t i = 0; i < cells; i++) {
        target[i] = waves[i].re;
    }
    free(roots);
    free(waves);
}

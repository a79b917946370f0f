/* SPDX-License-Identifier: MIT */
#include "io/resize.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

/* The C library's sine may differ in the last bit between systems. Only double + - * / in a fixed
 * order are used here, and floor, which is exact. */
#if defined(__FAST_MATH__) || FLT_EVAL_METHOD != 0
#error "exact arithmetic needs IEEE double evaluation"
#endif

static const double radius = VKS_LANCZOS_RADIUS;

/* The source pixels of one resized pixel, along one axis. */
struct taps {
    uint32_t first, count;
    double sum; /* of the weights */
};

struct axis {
    struct taps *taps; /* one per resized pixel */
    double *weights;   /* `max_count` per resized pixel, the first `count` of them used */
    uint32_t max_count;
};

/* sin(pi x): subtracts the nearest integer, which is exact (and gives exactly 0 for integers), then
 * uses the Taylor series up to z^21, whose next term is under 2e-18 for |z| <= pi/2. */
static double sin_pi(double x)
{
    static const double pi = 3.14159265358979323846;
    static const double coefficients[] = {
        1.0 / 51090942171709440000.0,
        -1.0 / 121645100408832000.0,
        1.0 / 355687428096000.0,
        -1.0 / 1307674368000.0,
        1.0 / 6227020800.0,
        -1.0 / 39916800.0,
        1.0 / 362880.0,
        -1.0 / 5040.0,
        1.0 / 120.0,
        -1.0 / 6.0,
    };
    double whole = floor(x + 0.5);
    double z = pi * (x - whole);
    double square = z * z;
    double series = coefficients[0];
    for (size_t i = 1; i < VKS_COUNT(coefficients); i++) {
        series = series * square + coefficients[i];
    }
    double sine = z + z * (square * series);
    double half = whole * 0.5;
    return half == floor(half) ? sine : -sine;
}

static double sinc(double x)
{
    static const double pi = 3.14159265358979323846;
    return x == 0.0 ? 1.0 : sin_pi(x) / (pi * x);
}

double vks_lanczos(double x)
{
    return x > -radius && x < radius ? sinc(x) * sinc(x / radius) : 0.0;
}

static void free_axis(struct axis *axis)
{
    free(axis->weights);
    free(axis->taps);
}

/* Pixel i covers [i, i + 1): its centre is at i + 0.5. */
static enum vks_result make_axis(struct axis *axis, uint32_t size, double begin, double length,
                                 uint32_t new_size)
{
    double scale = length / (double)new_size;
    double widening = scale > 1.0 ? scale : 1.0;
    double reach = radius * widening;
    double span = 2.0 * floor(reach) + 3.0;
    axis->max_count = span < (double)size ? (uint32_t)span : size;
    axis->taps = calloc(new_size, sizeof(*axis->taps));
    axis->weights = calloc(new_size, axis->max_count * sizeof(*axis->weights));
    if (!axis->taps || !axis->weights) {
        free_axis(axis);
        return vks_fail_memory();
    }
    for (uint32_t i = 0; i < new_size; i++) {
        double centre = begin + ((double)i + 0.5) * scale;
        if (!(centre >= 0.0 && centre < (double)size)) {
            continue; /* no taps */
        }
        double low = floor(centre - reach + 0.5), high = floor(centre + reach + 0.5);
        uint32_t first = low > 0.0 ? (uint32_t)low : 0;
        uint32_t end = high < (double)size ? (uint32_t)high : size;
        double *weights = axis->weights + (size_t)i * axis->max_count;
        struct taps *taps = &axis->taps[i];
        taps->first = first;
        taps->count = end - first;
        for (uint32_t k = 0; k < taps->count; k++) {
            weights[k] = vks_lanczos(((double)(first + k) + 0.5 - centre) / widening);
            taps->sum += weights[k];
        }
    }
    return VKS_OK;
}

/* Resizes one source row, in [0, 1], to the new width. */
static void resize_row(const struct axis *axis, const double *row, double *resized,
                       uint32_t new_width)
{
    for (uint32_t x = 0; x < new_width; x++) {
        struct taps taps = axis->taps[x];
        const double *weights = axis->weights + (size_t)x * axis->max_count;
        double sum = 0.0;
        for (uint32_t k = 0; k < taps.count; k++) {
            sum += weights[k] * row[taps.first + k];
        }
        resized[x] = taps.count > 0 ? sum / taps.sum : 0.0;
    }
}

/* Rows of the new width are kept in a ring of as many as one resized row needs, so that memory does
 * not grow with the image's height. */
enum vks_result vks_resize_window(const uint32_t *pixels, uint32_t width, uint32_t height,
                                  double full, float *resized, uint32_t new_width,
                                  uint32_t new_height, uint32_t first, uint32_t rows,
                                  const struct vks_window *window)
{
    struct axis across, down;
    enum vks_result result = make_axis(&across, width, window->x, window->width, new_width);
    if (result != VKS_OK) {
        return result;
    }
    result = make_axis(&down, height, window->y, window->height, new_height);
    if (result != VKS_OK) {
        free_axis(&across);
        return result;
    }
    double *row = calloc(width, sizeof(*row));
    double *sums = calloc(new_width, sizeof(*sums));
    double *ring = calloc(down.max_count, new_width * sizeof(*ring));
    if (!row || !sums || !ring) {
        result = vks_fail_memory();
        goto done;
    }
    uint32_t ready = down.taps[first].first; /* the next source row for the ring */
    for (uint32_t y = 0; y < rows; y++) {
        struct taps taps = down.taps[first + y];
        for (; ready < taps.first + taps.count; ready++) {
            for (uint32_t x = 0; x < width; x++) {
                row[x] = (double)pixels[(size_t)ready * width + x] / full;
            }
            resize_row(&across, row, ring + (size_t)(ready % down.max_count) * new_width,
                       new_width);
        }
        for (uint32_t x = 0; x < new_width; x++) {
            sums[x] = 0.0;
        }
        for (uint32_t k = 0; k < taps.count; k++) {
            double weight = down.weights[(size_t)(first + y) * down.max_count + k];
            const double *from = ring + (size_t)((taps.first + k) % down.max_count) * new_width;
            for (uint32_t x = 0; x < new_width; x++) {
                sums[x] += weight * from[x];
            }
        }
        for (uint32_t x = 0; x < new_width; x++) {
            double value = taps.count > 0 ? sums[x] / taps.sum : 0.0;
            value = value < 0.0 ? 0.0 : value > 1.0 ? 1.0 : value;
            resized[(size_t)y * new_width + x] = (float)value;
        }
    }
done:
    free(ring);
    free(sums);
    free(row);
    free_axis(&down);
    free_axis(&across);
    return result;
}

enum vks_result vks_resize(const uint32_t *pixels, uint32_t width, uint32_t height, double full,
                           float *resized, uint32_t new_width, uint32_t new_height, uint32_t first,
                           uint32_t rows)
{
    const struct vks_window whole = {0, 0, width, height};
    return vks_resize_window(pixels, width, height, full, resized, new_width, new_height, first,
                             rows, &whole);
}

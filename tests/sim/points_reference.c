/* SPDX-License-Identifier: MIT */
#include "points_reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "camera_reference.h"

/* The pixel of a position along one axis, -1 outside: (cell - from) size / length with the cell as
 * a fraction, of which 32 bits are kept. */
static int64_t along(uint32_t position, uint32_t side, uint32_t from, uint32_t length,
                     uint32_t size)
{
    const int64_t cell = (int64_t)((uint64_t)position * side) - ((int64_t)from << 32);
    const int64_t end = (int64_t)length << 32;
    return cell < 0 || cell >= end ? -1 : cell * size / end;
}

/* The extent of a side on the picture, in pixels in 2^-shift. */
static int64_t whole(float length, float share)
{
    const float seen = length * share, up = seen + 0.5f;
    return (int64_t)floorf(up);
}

struct turned {
    int64_t across_x, across_y, down_x, down_y, down_z;
    int shift;
};

static struct turned turn(const struct points_reference *points)
{
    const vks_vec2 tilt = vks_sincos(camera_angle(points->elevation));
    const vks_vec2 turn =
        vks_sincos(camera_angle(points->azimuth) + camera_angle(points->spin) * points->step);
    const double w = points->width, h = points->height, d = points->depth;
    const double pixels = camera_scale((uint32_t[]){points->width, points->height, points->depth},
                                       (uint32_t[]){points->picture_width, points->picture_height},
                                       tilt, points->zoom);
    const double z = pixels * d * (double)tilt.y;
    double longest = fmax(points->picture_width, points->picture_height);
    longest = fmax(longest, fmax(z, pixels * fmax(w, h)));
    struct turned turned = {.shift = 24};
    while (turned.shift > 3 && longest * pow(2, turned.shift) > 536870912) {
        turned.shift--;
    }
    const double unit = pow(2, turned.shift);
    const float x = vks_flush((float)(pixels * w * unit));
    const float y = vks_flush((float)(pixels * h * unit));
    turned.across_x = whole(x, turn.y);
    turned.across_y = whole(y, turn.x);
    turned.down_x = whole(vks_flush((float)(pixels * w * (double)tilt.x * unit)), -turn.x);
    turned.down_y = whole(vks_flush((float)(pixels * h * (double)tilt.x * unit)), turn.y);
    turned.down_z = (int64_t)floor(z * unit + 0.5);
    return turned;
}

/* The pixel at a distance from the middle, in 2^-(32 + shift) pixels; -1 outside. */
static int64_t pixel(int64_t distance, int shift, uint32_t size)
{
    const int64_t from_edge = distance + ((int64_t)size << (31 + shift));
    const int64_t at = from_edge >> (32 + shift);
    return at >= 0 && at < size ? at : -1;
}

void points_count(const struct points_reference *points, float *values)
{
    const size_t pixels = (size_t)points->picture_width * points->picture_height;
    uint32_t *counts = calloc(pixels, sizeof(*counts));
    const bool turns_box = points->axis == 0;
    struct turned turned = {0};
    if (!counts) {
        abort();
    }
    if (turns_box) {
        turned = turn(points);
    }
    for (size_t i = 0; i < points->count; i++) {
        int64_t column, row;
        if (turns_box) {
            const int64_t x = (int64_t)points->x[i] - INT64_C(2147483648);
            const int64_t y = (int64_t)points->y[i] - INT64_C(2147483648);
            const int64_t z = (int64_t)points->z[i] - INT64_C(2147483648);
            column = pixel(x * turned.across_x + y * turned.across_y, turned.shift,
                           points->picture_width);
            row = pixel(x * turned.down_x + y * turned.down_y + z * turned.down_z, turned.shift,
                        points->picture_height);
        } else {
            const bool is_x = points->axis == 'x', is_z = points->axis == 'z';
            column =
                along(is_x ? points->y[i] : points->x[i], is_x ? points->height : points->width,
                      points->part_x, points->part_width, points->picture_width);
            row = along(is_z ? points->y[i] : points->z[i], is_z ? points->height : points->depth,
                        points->part_y, points->part_height, points->picture_height);
        }
        if (column >= 0 && row >= 0) {
            counts[(size_t)row * points->picture_width + (size_t)column]++;
        }
    }
    for (size_t i = 0; i < pixels; i++) {
        values[i] = (float)counts[i];
    }
    free(counts);
}

/* --- soft, with a tint ------------------------------------------------------------------------ */

/* Units of 2^-8 of log2 of the square, from -32768 on; 0 for no quantity. */
static uint32_t code_of(const struct points_reference *points, size_t i)
{
    const bool vector = points->tint[1] != NULL;
    float size = fabsf(points->tint[0][i]);
    if (vector) {
        const float z = points->tint[0][i], y = points->tint[1][i], x = points->tint[2][i];
        const float xx = x * x, yy = y * y, zz = z * z, xy = xx + yy;
        size = xy + zz;
    }
    if (size < ldexpf(1, -60)) {
        return 0;
    }
    const float log = vks_log2(size < ldexpf(1, 60) ? size : ldexpf(1, 60));
    return (uint32_t)(int32_t)floorf(log * (vector ? 256.0f : 512.0f)) + 32768;
}

/* The code of tint 0, and tints per code. */
static void tint_range(const uint32_t *codes, size_t count, float range[2])
{
    uint64_t n = 0, sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        n += codes[i] > 0;
        sum += codes[i];
        squares += (uint64_t)codes[i] * codes[i];
    }
    const float mean = n ? vks_divide((float)sum, (float)n) : 0;
    const float square = n ? vks_divide((float)squares, (float)n) : 0;
    const float mean_square = mean * mean, variance = square - mean_square;
    float reach = 2.0f * vks_sqrt(variance > 0 ? variance : 0);
    reach = reach > 128 ? reach : 128;
    range[0] = vks_flush(mean - reach);
    range[1] = 2047.5f * vks_reciprocal(reach);
}

/* Where the middle of the box is, from the corner of the picture. */
struct seen {
    struct turned turned;
    int64_t middle_x, middle_y;
};

static struct seen see(const struct points_reference *points)
{
    struct seen seen = {0};
    if (points->axis == 0) {
        seen.turned = turn(points);
        seen.middle_x = (int64_t)points->picture_width << (seen.turned.shift - 1);
        seen.middle_y = (int64_t)points->picture_height << (seen.turned.shift - 1);
        return seen;
    }
    const double columns = points->axis == 'x' ? points->height : points->width;
    const double rows = points->axis == 'z' ? points->height : points->depth;
    const double wide = columns * points->picture_width / points->part_width;
    const double high = rows * points->picture_height / points->part_height;
    const double longest =
        fmax(fmax(points->picture_width, points->picture_height), fmax(wide, high));
    struct turned *turned = &seen.turned;
    for (turned->shift = 24; turned->shift > 3 && longest * pow(2, turned->shift) > 536870912;) {
        turned->shift--;
    }
    const float x = (float)(wide * pow(2, turned->shift));
    const float y = (float)(high * pow(2, turned->shift));
    *(points->axis == 'x' ? &turned->across_y : &turned->across_x) = whole(x, 1);
    *(points->axis == 'z' ? &turned->down_y : &turned->down_z) = whole(y, 1);
    seen.middle_x = (int64_t)floor((double)x * (0.5 - points->part_x / columns) + 0.5);
    seen.middle_y = (int64_t)floor((double)y * (0.5 - points->part_y / rows) + 0.5);
    return seen;
}

/* In 1/256 pixels from the middle of the first one. */
static int64_t place_of(int64_t distance, int64_t middle, int shift)
{
    const int64_t units = (distance >> 32) + middle - (INT64_C(1) << (shift - 1));
    return shift >= 8 ? units >> (shift - 8) : units * (1 << (8 - shift));
}

void points_splat(const struct points_reference *points, float *values, uint32_t *tints)
{
    const int64_t width = points->picture_width, height = points->picture_height;
    const int64_t columns = width + 2, rows = height + 2;
    uint64_t *weights = calloc((size_t)(columns * rows), sizeof(*weights));
    uint64_t *products = calloc((size_t)(columns * rows), sizeof(*products));
    uint32_t *codes = calloc(points->count, sizeof(*codes));
    if (!weights || !products || !codes) {
        abort();
    }
    const struct seen seen = see(points);
    const struct turned *turned = &seen.turned;
    float range[2];
    for (size_t i = 0; i < points->count; i++) {
        codes[i] = code_of(points, i);
    }
    tint_range(codes, points->count, range);
    for (size_t i = 0; i < points->count; i++) {
        const int64_t x = (int64_t)points->x[i] - INT64_C(2147483648);
        const int64_t y = (int64_t)points->y[i] - INT64_C(2147483648);
        const int64_t z = (points->z ? (int64_t)points->z[i] : 0) - INT64_C(2147483648);
        const int64_t across =
            place_of(x * turned->across_x + y * turned->across_y, seen.middle_x, turned->shift);
        const int64_t down = place_of(x * turned->down_x + y * turned->down_y + z * turned->down_z,
                                      seen.middle_y, turned->shift);
        const float above = ((float)codes[i] - range[0]) * range[1];
        const float up = above + 0.5f;
        const uint64_t tint = (uint64_t)(up < 0 ? 0 : up > 4095 ? 4095 : up);
        for (int corner = 0; corner < 4; corner++) {
            const int64_t column = (across >> 8) + 1 + corner % 2;
            const int64_t row = (down >> 8) + 1 + corner / 2;
            const int64_t part_x = corner % 2 ? (across & 255) : 256 - (across & 255);
            const int64_t part_y = corner / 2 ? (down & 255) : 256 - (down & 255);
            if (column >= 0 && column < columns && row >= 0 && row < rows) {
                weights[row * columns + column] += (uint64_t)(part_x * part_y);
                products[row * columns + column] += (uint64_t)(part_x * part_y) * tint;
            }
        }
    }
    for (int64_t at = 0; at < width * height; at++) {
        uint64_t weight = 0, product = 0;
        for (int64_t i = 0; i < 9; i++) {
            const int64_t from = (at / width + i / 3) * columns + at % width + i % 3;
            const uint64_t share = (i % 3 == 1 ? 2U : 1U) * (i / 3 == 1 ? 2U : 1U);
            weight += share * weights[from];
            product += share * products[from];
        }
        values[at] = (float)weight * 0x1p-20f;
        const float tint =
            weight ? vks_divide((float)product * 0x1p-20f, values[at]) * 16.0036621f + 0.5f : 0.5f;
        tints[at] = (uint32_t)(tint < 65535 ? tint : 65535);
    }
    free(codes);
    free(products);
    free(weights);
}

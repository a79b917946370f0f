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

/* SPDX-License-Identifier: MIT */
#include "brush_reference.h"

#include <math.h>

#include "base/exact.h"

enum { AXES = 3, IMAGES = 3, UNIT = 64 };

/* floor(64 share side / 65536) */
static int64_t units_of(int64_t share, uint32_t side)
{
    return (int64_t)floor((double)share * side / 1024);
}

static uint32_t shortest_of(const uint32_t sides[AXES])
{
    uint32_t shortest = 0;
    for (int i = 0; i < AXES; i++) {
        if (sides[i] > 1 && (shortest == 0 || sides[i] < shortest)) {
            shortest = sides[i];
        }
    }
    return shortest;
}

/* A segment in 1/64 cells. */
struct segment {
    int64_t start[AXES], along[AXES];
    float inverse; /* 1 / length^2 */
};

static struct segment segment_of(const uint32_t sides[AXES], const struct vks_stroke *stroke)
{
    const int64_t from[AXES] = {stroke->x, stroke->y, (int64_t)stroke->z + 32768};
    const int64_t to[AXES] = {stroke->x2, stroke->y2, (int64_t)stroke->z2 + 32768};
    struct segment segment = {.inverse = 0};
    double square = 0;
    for (int i = 0; i < AXES; i++) {
        segment.start[i] = sides[i] == 1 ? UNIT / 2 : units_of(from[i], sides[i]);
        segment.along[i] = sides[i] == 1 ? 0 : units_of(to[i], sides[i]) - segment.start[i];
        square += (double)segment.along[i] * (double)segment.along[i];
    }
    if (square > 0) {
        segment.inverse = (float)(1 / square);
    }
    return segment;
}

/* Squared distance from an image of the segment. */
static float square_of(const struct segment *segment, const int64_t place[AXES],
                       const int64_t moved[AXES])
{
    float a[AXES], e[AXES], square[AXES];
    for (int i = 0; i < AXES; i++) {
        a[i] = (float)(place[i] - segment->start[i] - moved[i]);
        e[i] = (float)segment->along[i];
    }
    const float t = ((a[0] * e[0] + a[1] * e[1]) + a[2] * e[2]) * segment->inverse;
    const float share = t < 0 ? 0 : t > 1 ? 1 : t;
    for (int i = 0; i < AXES; i++) {
        const float part = share * e[i];
        const float distance = a[i] - part;
        square[i] = distance * distance;
    }
    return (square[0] + square[1]) + square[2];
}

/* The smallest of all images. */
static float least_square(const struct brush_grid *grid, const uint32_t sides[AXES],
                          const struct segment *segment, const int64_t place[AXES])
{
    const int64_t images = grid->closed ? 0 : IMAGES;
    float least = INFINITY;
    for (int64_t z = -images; z <= images; z++) {
        for (int64_t y = -images; y <= images; y++) {
            for (int64_t x = -images; x <= images; x++) {
                const int64_t steps[AXES] = {x, y, z};
                int64_t moved[AXES];
                for (int i = 0; i < AXES; i++) {
                    moved[i] = sides[i] == 1 ? 0 : steps[i] * UNIT * sides[i];
                }
                least = fminf(least, square_of(segment, place, moved));
            }
        }
    }
    return least;
}

float brush_weight(const struct brush_grid *grid, const struct vks_stroke *stroke,
                   const int64_t place[AXES])
{
    const uint32_t sides[AXES] = {grid->width, grid->height, grid->depth};
    const struct segment segment = segment_of(sides, stroke);
    const float radius = (float)fmax(stroke->radius * (double)shortest_of(sides) / 1024, 56);
    const float square = least_square(grid, sides, &segment, place);
    const float strength = (float)stroke->strength / 65536;
    const float limit = radius * radius;
    if (square >= limit) {
        return 0;
    }
    if (stroke->soft == 0) {
        return strength;
    }
    const float sharpness = (float)(1 / ((double)radius * stroke->soft / 65536));
    const float inward = (radius - vks_sqrt(square)) * sharpness;
    const float s = inward < 0 ? 0 : inward > 1 ? 1 : inward;
    const float slope = 2 * s;
    const float weight = (s * s) * (3 - slope);
    return vks_flush(weight * strength);
}

float brush_weight_of_cell(const struct brush_grid *grid, const struct vks_stroke *stroke,
                           uint32_t x, uint32_t y, uint32_t z)
{
    const int64_t place[AXES] = {(int64_t)UNIT * x + UNIT / 2, (int64_t)UNIT * y + UNIT / 2,
                                 (int64_t)UNIT * z + UNIT / 2};
    return brush_weight(grid, stroke, place);
}

float brush_changed(const struct brush_change *change, float value, float weight)
{
    if (!(weight > 0)) {
        return value;
    }
    const float part = weight * change->amount;
    const float left = 1 - weight;
    const float kept = change->adds ? value : value * left;
    const float next = vks_flush(kept + part);
    return next < 0 ? 0 : next > change->max ? change->max : next;
}

uint32_t brush_stream(const struct vks_stroke *stroke)
{
    const vks_uvec4 first = vks_random((uint32_t)stroke->x, (uint32_t)stroke->y,
                                       (uint32_t)stroke->z, stroke->radius);
    const vks_uvec4 second = vks_random(first.x, (uint32_t)stroke->x2, (uint32_t)stroke->y2,
                                        (uint32_t)stroke->z2);
    return second.x | 0x80000000U;
}

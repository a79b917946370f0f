/* SPDX-License-Identifier: MIT */
#include "rays_reference.h"

#include <math.h>
#include <stddef.h>

#include "base/exact.h"
#include "camera_reference.h"

/* An axis of the volume, and the ray along it. */
struct side {
    size_t stride;
    uint32_t cells;
    float sight; /* component of the line of sight */
    float place; /* where the ray passes the middle of the box */
};

static float least(float a, float b)
{
    return a < b ? a : b;
}

static float most(float a, float b)
{
    return a > b ? a : b;
}

/* The first of two neighbouring cells and the second one's share. */
static uint32_t neighbour(const struct side *side, float at, float *share)
{
    float from_first = at - 0.5f;
    from_first = least(most(from_first, 0.0f), (float)(side->cells - 1));
    *share = from_first - floorf(from_first);
    return (uint32_t)from_first;
}

static float between(float a, float b, float share)
{
    const float part = (b - a) * share;
    return a + part;
}

/* A layer, where the ray is at these places of its two axes. */
static float look_up(const float *layer, const struct side sides[2], const float places[2])
{
    float shares[2], lines[2];
    size_t offsets[2][2];
    for (int axis = 0; axis < 2; axis++) {
        const uint32_t cell = neighbour(&sides[axis], places[axis], &shares[axis]);
        const uint32_t next = cell + 1 < sides[axis].cells ? cell + 1 : cell;
        offsets[axis][0] = cell * sides[axis].stride;
        offsets[axis][1] = next * sides[axis].stride;
    }
    for (int i = 0; i < 2; i++) {
        const float *line = layer + offsets[1][i];
        lines[i] = between(line[offsets[0][0]], line[offsets[0][1]], shares[0]);
    }
    return between(lines[0], lines[1], shares[1]);
}

/* Cuts `ends` to where the ray is within one side. */
static void cut(float ends[2], const struct side *side, float rate, float middle)
{
    if (rate == 0.0f) {
        if (side->place < 0.0f || side->place >= (float)side->cells) {
            ends[1] = ends[0] = 0;
        }
        return;
    }
    const float slope = vks_reciprocal(rate);
    const float enters = (0.0f - side->place) * slope;
    const float leaves = ((float)side->cells - side->place) * slope;
    const float a = middle + enters, b = middle + leaves;
    ends[0] = most(ends[0], least(a, b));
    ends[1] = least(ends[1], most(a, b));
}

/* The value of a ray through layers across sides[2]. */
static float cast(const struct rays_reference *rays, const struct side sides[3], float absorption)
{
    const struct side *deep = &sides[2];
    const float inverse = vks_reciprocal(deep->sight);
    const float rates[2] = {sides[0].sight * inverse, sides[1].sight * inverse};
    float ends[2] = {0, (float)deep->cells}, value = 0;
    cut(ends, &sides[0], rates[0], deep->place);
    cut(ends, &sides[1], rates[1], deep->place);
    if (!(ends[0] < ends[1])) {
        return 0;
    }
    const float length = fabsf(inverse), exponent = absorption * length;
    const float passed = vks_exp(-exponent), cover = 1.0f - passed;
    const float half = 0.5f * cover, bend = half * cover;
    const bool forwards = deep->sight > 0.0f;
    for (uint32_t i = 0; i < deep->cells; i++) {
        const uint32_t layer = forwards ? deep->cells - 1 - i : i;
        if ((float)(layer + 1) <= ends[0] || (float)layer >= ends[1]) {
            continue;
        }
        const float from = most(ends[0], (float)layer), to = least(ends[1], (float)(layer + 1));
        const float weight = to - from, sum = from + to, centre = 0.5f * sum;
        const float beyond = centre - deep->place;
        float places[2];
        for (int axis = 0; axis < 2; axis++) {
            const float moved = rates[axis] * beyond;
            places[axis] = sides[axis].place + moved;
        }
        const float found = look_up(rays->cells + layer * deep->stride, sides, places);
        if (rays->column) {
            const float part = weight * found;
            value = value + part;
        } else {
            const float rest = 1.0f - weight, bent = rest * bend, all = cover + bent;
            const float share = weight * all, contrast = found - value, part = share * contrast;
            value = value + part;
        }
    }
    return rays->column ? value * length : value;
}

/* The distance of a pixel's middle from that of the picture, in cells. */
static float away(uint32_t pixel, uint32_t size, float half_pixel)
{
    return (float)(2 * (int64_t)pixel + 1 - (int64_t)size) * half_pixel;
}

static float sum_of(float a, float b, float c, float d)
{
    const float first = a * b, second = c * d;
    return first + second;
}

void rays_cast(const struct rays_reference *rays, float *values)
{
    const vks_vec2 tilt = vks_sincos(camera_angle(rays->elevation));
    const vks_vec2 turn =
        vks_sincos(camera_angle(rays->azimuth) + camera_angle(rays->spin) * rays->step);
    const double w = rays->width, h = rays->height, d = rays->depth;
    const double pixels =
        camera_scale((uint32_t[]){rays->width, rays->height, rays->depth},
                     (uint32_t[]){rays->picture_width, rays->picture_height}, tilt, rays->zoom);
    const float half_pixel = vks_flush((float)(0.5 / pixels));
    const float absorption = vks_flush((float)(2 / ((w + h + d) / 3)));
    for (uint32_t row = 0; row < rays->picture_height; row++) {
        const float down = away(row, rays->picture_height, half_pixel);
        const float tilted = down * tilt.x;
        for (uint32_t column = 0; column < rays->picture_width; column++) {
            const float across = away(column, rays->picture_width, half_pixel);
            const struct side x = {1, rays->width, turn.x * tilt.y,
                                   sum_of(across, turn.y, -tilted, turn.x) + (float)w * 0.5f};
            const struct side y = {rays->width, rays->height, -turn.y * tilt.y,
                                   sum_of(across, turn.x, tilted, turn.y) + (float)h * 0.5f};
            const struct side z = {(size_t)rays->width * rays->height, rays->depth, tilt.x,
                                   down * tilt.y + (float)d * 0.5f};
            const float sizes[3] = {fabsf(x.sight), fabsf(y.sight), fabsf(z.sight)};
            struct side sides[3] = {x, y, z};
            if (sizes[0] > sizes[2] && sizes[0] >= sizes[1]) {
                sides[0] = z;
                sides[2] = x;
            } else if (sizes[1] > sizes[2]) {
                sides[1] = z;
                sides[2] = y;
            }
            values[(size_t)row * rays->picture_width + column] =
                vks_flush(cast(rays, sides, absorption));
        }
    }
}

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

void brush_way(const struct brush_grid *grid, const struct vks_stroke *stroke, int64_t way[AXES])
{
    const uint32_t sides[AXES] = {grid->width, grid->height, grid->depth};
    const struct segment segment = segment_of(sides, stroke);
    for (int i = 0; i < AXES; i++) {
        way[i] = segment.along[i];
    }
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

/* Whether an image's segment is certainly farther away than the radius along this axis alone. */
static bool is_far(int64_t at, int64_t along, float radius)
{
    const int64_t first = along < 0 ? along : 0, last = along < 0 ? 0 : along;
    const int64_t gap = at < first ? first - at : at - last;
    return (float)gap > 2 * radius;
}

/* The smallest of all images that may be nearer than the radius. */
static float least_square(const struct brush_grid *grid, const uint32_t sides[AXES],
                          const struct segment *segment, const int64_t place[AXES], float radius)
{
    float least = INFINITY;
    int64_t images[AXES], step[AXES], moved[AXES];
    for (int i = 0; i < AXES; i++) {
        images[i] = grid->closed || sides[i] == 1 ? 0 : IMAGES;
        step[i] = (int64_t)UNIT * sides[i];
    }
    for (int64_t z = -images[2]; z <= images[2]; z++) {
        moved[2] = z * step[2];
        if (is_far(place[2] - segment->start[2] - moved[2], segment->along[2], radius)) {
            continue;
        }
        for (int64_t y = -images[1]; y <= images[1]; y++) {
            moved[1] = y * step[1];
            if (is_far(place[1] - segment->start[1] - moved[1], segment->along[1], radius)) {
                continue;
            }
            for (int64_t x = -images[0]; x <= images[0]; x++) {
                moved[0] = x * step[0];
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
    const float square = least_square(grid, sides, &segment, place, radius);
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

/* --- Physarum -------------------------------------------------------------------------------- */

/* The number of the stroke's random stream. */
static uint32_t stream_of(const struct vks_stroke *stroke)
{
    const vks_uvec4 first =
        vks_random((uint32_t)stroke->x, (uint32_t)stroke->y, (uint32_t)stroke->z, stroke->radius);
    const vks_uvec4 second =
        vks_random(first.x, (uint32_t)stroke->x2, (uint32_t)stroke->y2, (uint32_t)stroke->z2);
    return second.x | 0x80000000U;
}

static bool is_wall(const struct brush_grid *grid, const uint32_t *walls, uint32_t x, uint32_t y)
{
    const size_t words = (grid->width + 31) / 32;
    return walls && (walls[y * words + x / 32] >> x % 32 & 1) != 0;
}

static uint32_t cell_of(uint32_t position, uint32_t side)
{
    return (uint32_t)((uint64_t)position * side >> 32);
}

static bool is_walled(const struct brush_grid *grid, const uint32_t *walls, const uint32_t place[2])
{
    return is_wall(grid, walls, cell_of(place[1], grid->width), cell_of(place[0], grid->height));
}

static float fraction_of(uint32_t word)
{
    return (float)(word >> 8) * 0x1p-24F;
}

/* A place along an axis in 1/64 cells, from the start of the segment in the field. */
static uint32_t position_of(int64_t start, int64_t along, float share, float offset, uint32_t side)
{
    const int64_t length = (int64_t)UNIT * side;
    const int64_t first = ((start % length) + length) % length;
    const float part = share * (float)along;
    const float middle = (float)first + part;
    const float sides = (middle + offset) * vks_reciprocal((float)length);
    return vks_displacement(sides < 0 ? -1.0F : 1.0F, fabsf(sides));
}

/* A random place in the stroke. */
static void place_in(const struct brush_grid *grid, const struct vks_stroke *stroke, uint32_t along,
                     vks_uvec4 r, uint32_t place[2])
{
    const uint32_t sides[AXES] = {grid->width, grid->height, 1};
    const struct segment segment = segment_of(sides, stroke);
    const float radius = (float)fmax(stroke->radius * (double)shortest_of(sides) / 1024, 56);
    const vks_vec2 direction = vks_sincos(r.y);
    const float distance = vks_sqrt(fraction_of(r.x)) * radius;
    const float down = distance * direction.x, right = distance * direction.y;
    const float share = fraction_of(along);
    place[0] = position_of(segment.start[1], segment.along[1], share, down, grid->height);
    place[1] = position_of(segment.start[0], segment.along[0], share, right, grid->width);
}

void brush_move_agents(const struct brush_grid *grid, const struct vks_stroke *stroke,
                       struct brush_agents *agents)
{
    const uint32_t stream = stream_of(stroke);
    for (uint64_t i = 0; i < agents->count; i++) {
        uint32_t *at = agents->position + 2 * i;
        const vks_uvec4 a = vks_random(agents->seed, (uint32_t)i, agents->step, stream);
        const vks_uvec4 b =
            vks_random(agents->seed, (uint32_t)i, agents->step, stream ^ 0x40000000U);
        const int64_t place[AXES] = {cell_of(at[1], UNIT * grid->width),
                                     cell_of(at[0], UNIT * grid->height), UNIT / 2};
        const float share = stroke->inverse ? brush_weight(grid, stroke, place)
                                            : (float)stroke->strength / 65536 / 256;
        uint32_t target[2] = {b.x, b.y};
        if (!stroke->inverse) {
            place_in(grid, stroke, a.y, b, target);
        }
        if (fraction_of(a.x) < share && !is_walled(grid, agents->walls, target)) {
            at[0] = target[0];
            at[1] = target[1];
            agents->heading[i] = a.z;
        }
    }
}

/* The first cell in reading order that is open. */
static uint32_t open_cell(const struct brush_grid *grid, const uint32_t *walls)
{
    uint32_t cell = 0;
    while (is_wall(grid, walls, cell % grid->width, cell / grid->width)) {
        cell++;
    }
    return cell;
}

/* The first position in a row or column. */
static uint32_t first_position(uint32_t cell, uint32_t side)
{
    return (uint32_t)((((uint64_t)cell << 32) + side - 1) / side);
}

/* As an agent that starts in a wall. */
static void leave_wall(const struct brush_grid *grid, struct brush_agents *agents, uint64_t agent)
{
    uint32_t *at = agents->position + 2 * agent;
    for (uint32_t attempt = 0; attempt < 64; attempt++) {
        const vks_uvec4 r = vks_random(agents->seed, (uint32_t)agent, agents->step, 16 + attempt);
        at[0] = r.x - r.x * grid->height / grid->height;
        at[1] = r.y - r.y * grid->width / grid->width;
        agents->heading[agent] = r.z;
        if (!is_walled(grid, agents->walls, at)) {
            return;
        }
    }
    const uint32_t cell = open_cell(grid, agents->walls);
    at[0] = first_position(cell / grid->width, grid->height);
    at[1] = first_position(cell % grid->width, grid->width);
    agents->heading[agent] = vks_random(agents->seed, (uint32_t)agent, agents->step, 16).z;
}

void brush_build_walls(const struct brush_grid *grid, const struct vks_stroke *stroke,
                       struct brush_agents *agents)
{
    const uint32_t width = grid->width, height = grid->height;
    const uint32_t open = open_cell(grid, agents->walls);
    for (uint32_t cell = 0; cell < width * height; cell++) {
        const uint32_t x = cell % width, y = cell / width;
        uint32_t *word = &agents->walls[y * ((width + 31) / 32) + x / 32];
        if (brush_weight_of_cell(grid, stroke, x, y, 0) > 0) {
            *word &= ~(1U << x % 32);
            *word |= !stroke->inverse && cell != open ? 1U << x % 32 : 0;
        }
    }
    for (uint64_t i = 0; i < agents->count; i++) {
        if (is_walled(grid, agents->walls, agents->position + 2 * i)) {
            leave_wall(grid, agents, i);
        }
    }
    for (uint32_t i = 0; i < agents->planes * width * height; i++) {
        const uint32_t cell = i % (width * height);
        if (is_wall(grid, agents->walls, cell % width, cell / width)) {
            agents->trail[i] = 0;
        }
    }
}

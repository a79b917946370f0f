/* SPDX-License-Identifier: MIT */
#include "physarum_3d_reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"

enum { Z, Y, X };

size_t physarum_3d_cells(const struct physarum_3d_state *state)
{
    return (size_t)state->sides[Z] * state->sides[Y] * state->sides[X];
}

static float real(double value)
{
    return vks_flush((float)value);
}

static uint32_t angle(double degrees)
{
    return (uint32_t)(int64_t)llround(degrees / 360 * 4294967296.0);
}

static size_t cell_at(const struct physarum_3d_state *state, const uint32_t place[3])
{
    size_t cell = 0;
    for (int axis = Z; axis <= X; axis++) {
        cell = cell * state->sides[axis] + vks_high(place[axis], state->sides[axis]);
    }
    return cell;
}

/* --- food ------------------------------------------------------------------------------------ */

struct points {
    double (*rows)[4]; /* x, y, z, weight */
    size_t count;
};

static bool read_points(const char *path, struct points *points)
{
    char line[256];
    FILE *file = fopen(path, "r");
    points->rows = calloc(10000, sizeof(*points->rows));
    while (file && points->rows && points->count < 10000 && fgets(line, sizeof(line), file)) {
        double *row = points->rows[points->count];
        row[3] = 1.0;
        points->count += sscanf(line, "%lf,%lf,%lf,%lf", &row[0], &row[1], &row[2], &row[3]) >= 3;
    }
    const bool good = file && points->count > 0;
    if (file) {
        (void)fclose(file);
    }
    return good;
}

/* The corner and the size of the box, and where it begins in the volume. */
static void place_box(const struct physarum_3d_state *state, const struct points *points,
                      double low[3], double start[3], double *scale)
{
    const struct physarum_3d_settings *s = &state->settings;
    double high[3], longest = 0.0;
    for (int i = 0; i < 3; i++) {
        low[i] = INFINITY;
        high[i] = -INFINITY;
        for (size_t p = 0; p < points->count; p++) {
            low[i] = fmin(low[i], points->rows[p][i]);
            high[i] = fmax(high[i], points->rows[p][i]);
        }
        longest = fmax(longest, high[i] - low[i]);
    }
    *scale = INFINITY;
    for (int i = 0; i < 3; i++) {
        const bool given = s->box[3] > s->box[0];
        low[i] = given ? s->box[i] : low[i] - s->points_margin * longest;
        high[i] = given ? s->box[3 + i] : high[i] + s->points_margin * longest;
        *scale = fmin(*scale, state->sides[X - i] / (high[i] - low[i]));
    }
    for (int i = 0; i < 3; i++) {
        start[i] = 0.5 * (state->sides[X - i] - (high[i] - low[i]) * *scale);
    }
}

/* Points on the edge of the box are in no case. */
static bool place_food(struct physarum_3d_state *state)
{
    const struct physarum_3d_settings *s = &state->settings;
    const size_t cells = physarum_3d_cells(state);
    struct points points = {0};
    uint64_t *sums = calloc(cells, sizeof(*sums));
    state->food = calloc(cells, sizeof(*state->food));
    const bool good = read_points(s->points, &points) && sums && state->food;
    double low[3], start[3], scale;
    if (good) {
        place_box(state, &points, low, start, &scale);
    }
    for (size_t p = 0; good && p < points.count; p++) {
        double at[3];
        bool inside = true;
        for (int i = 0; i < 3; i++) {
            at[i] = floor((points.rows[p][i] - low[i]) * scale + start[i]);
            inside = inside && at[i] >= 0.0 && at[i] < state->sides[X - i];
        }
        if (inside) {
            const size_t cell =
                ((size_t)at[2] * state->sides[Y] + (size_t)at[1]) * state->sides[X] + (size_t)at[0];
            sums[cell] += (uint64_t)floor(points.rows[p][3] * s->food_strength * 0x1p20 + 0.5);
        }
    }
    for (size_t cell = 0; good && cell < cells; cell++) {
        state->food[cell] = real((double)sums[cell] * 0x1p-20);
    }
    free(sums);
    free(points.rows);
    return good;
}

/* --- the start ------------------------------------------------------------------------------- */

static uint32_t first_of_cell(uint32_t place, uint32_t side)
{
    return place - place * side / side;
}

static void start_agent(struct physarum_3d_state *state, uint32_t i)
{
    const vks_uvec4 r = vks_random(state->seed, i, 0, 0), q = vks_random(state->seed, i, 0, 1);
    const uint32_t words[3] = {r.x, r.y, r.z};
    for (int axis = Z; axis <= X; axis++) {
        state->place[axis][i] = first_of_cell(words[axis], state->sides[axis]);
    }
    const float z = (float)(q.y >> 8) * 0x1p-23f - 1.0f;
    const float square = 1.0f - z * z;
    const float radius = vks_sqrt(square > 0.0f ? square : 0.0f);
    const vks_vec2 sc = vks_sincos(q.x);
    state->direction[Z][i] = z;
    state->direction[Y][i] = radius * sc.x;
    state->direction[X][i] = radius * sc.y;
}

struct physarum_3d_state *physarum_3d_create(uint32_t width, uint32_t height, uint32_t depth,
                                             uint32_t seed,
                                             const struct physarum_3d_settings *settings)
{
    struct physarum_3d_state *state = calloc(1, sizeof(*state));
    if (!state) {
        return NULL;
    }
    state->sides[Z] = depth;
    state->sides[Y] = height;
    state->sides[X] = width;
    state->seed = seed;
    state->settings = *settings;
    const size_t cells = physarum_3d_cells(state), agents = (size_t)settings->agents;
    state->trail = calloc(cells, sizeof(float));
    state->trace = calloc(cells, sizeof(float));
    state->counts = calloc(cells, sizeof(uint32_t));
    bool good = state->trail && state->trace && state->counts;
    for (int axis = Z; axis <= X; axis++) {
        state->place[axis] = calloc(agents, sizeof(uint32_t));
        state->direction[axis] = calloc(agents, sizeof(float));
        state->deposited[axis] = calloc(cells, sizeof(float));
        good = good && state->place[axis] && state->direction[axis] && state->deposited[axis];
    }
    good = good && (!settings->points[0] || place_food(state));
    for (uint32_t i = 0; good && i < agents; i++) {
        start_agent(state, i);
    }
    if (!good) {
        physarum_3d_free(state);
    }
    return good ? state : NULL;
}

void physarum_3d_free(struct physarum_3d_state *state)
{
    for (int axis = Z; state && axis <= X; axis++) {
        free(state->place[axis]);
        free(state->direction[axis]);
        free(state->deposited[axis]);
    }
    if (state) {
        free(state->trail);
        free(state->trace);
        free(state->food);
        free(state->counts);
    }
    free(state);
}

/* --- agents ---------------------------------------------------------------------------------- */

/* The place at `length` cells along the direction, times `stretch`. */
static void move_along(const struct physarum_3d_state *state, const float d[3], double length,
                       float stretch, uint32_t place[3])
{
    for (int axis = Z; axis <= X; axis++) {
        const float sides = real(length / state->sides[axis]) * stretch;
        place[axis] += vks_displacement(d[axis], sides);
    }
}

static float power_of_reading(const struct physarum_3d_state *state, const uint32_t place[3],
                              const float d[3], float stretch)
{
    uint32_t at[3] = {place[Z], place[Y], place[X]};
    move_along(state, d, state->settings.sensor_distance, stretch, at);
    const float trail = state->trail[cell_at(state, at)];
    return vks_pow(trail < 0x1p20f ? trail : 0x1p20f, real(state->settings.sharpness));
}

static int32_t add_bytes(uint32_t word)
{
    return (int32_t)((word & 255) + (word >> 8 & 255) + (word >> 16 & 255) + (word >> 24)) - 510;
}

static float stretch_of(const struct physarum_3d_state *state, uint32_t i)
{
    if (!state->settings.distance_spread) {
        return 1.0f;
    }
    const vks_uvec4 q = vks_random(state->seed, i, (uint32_t)state->step, 3);
    const int32_t a = add_bytes(q.x), b = add_bytes(q.y), c = add_bytes(q.z);
    return vks_sqrt((float)(a * a + b * b + c * c)) * real(1 / 235.6);
}

static void perpendicular(const float d[3], uint32_t azimuth, float e[3])
{
    const float g = d[Z] < 0.0f ? -1.0f : 1.0f;
    const float a = 0.0f - vks_reciprocal(g + d[Z]);
    const float b = d[X] * d[Y] * a;
    const float first[3] = {0.0f - g * d[X], g * b, 1.0f + g * (d[X] * d[X] * a)};
    const float second[3] = {0.0f - d[Y], g + d[Y] * d[Y] * a, b};
    const vks_vec2 sc = vks_sincos(azimuth);
    for (int axis = Z; axis <= X; axis++) {
        e[axis] = sc.y * first[axis] + sc.x * second[axis];
    }
}

/* d, turned towards e. */
static void turned(const float d[3], const float e[3], double degrees, float to[3])
{
    const vks_vec2 sc = vks_sincos(angle(degrees));
    for (int axis = Z; axis <= X; axis++) {
        to[axis] = sc.y * d[axis] + sc.x * e[axis];
    }
}

static void renew(float d[3])
{
    const float square = (d[Z] * d[Z] + d[Y] * d[Y]) + d[X] * d[X];
    const float scale = 1.5f - 0.5f * square;
    for (int axis = Z; axis <= X; axis++) {
        d[axis] = vks_flush(d[axis] * scale);
    }
}

static void move_agent(struct physarum_3d_state *state, uint32_t i)
{
    const struct physarum_3d_settings *s = &state->settings;
    const vks_uvec4 r = vks_random(state->seed, i, (uint32_t)state->step, 2);
    uint32_t place[3];
    float d[3], e[3], side[3];
    for (int axis = Z; axis <= X; axis++) {
        place[axis] = state->place[axis][i];
        d[axis] = state->direction[axis][i];
    }
    const float stretch = stretch_of(state, i);
    perpendicular(d, r.x, e);
    turned(d, e, s->sensor_angle, side);
    const float front = power_of_reading(state, place, d, stretch);
    const float beside = power_of_reading(state, place, side, stretch);
    if ((float)(r.y >> 8) * 0x1p-24f * (front + beside) < beside) {
        turned(d, e, s->turn_angle, side);
        memcpy(d, side, sizeof(d));
        renew(d);
    }
    move_along(state, d, s->step_size, 1.0f, place);
    state->counts[cell_at(state, place)]++;
    if (s->lifetime > 0) {
        const vks_uvec4 q = vks_random(state->seed, i, (uint32_t)state->step, 4);
        if (q.w < (UINT64_C(1) << 32) / s->lifetime) {
            const uint32_t words[3] = {q.x, q.y, q.z};
            for (int axis = Z; axis <= X; axis++) {
                place[axis] = first_of_cell(words[axis], state->sides[axis]);
            }
        }
    }
    for (int axis = Z; axis <= X; axis++) {
        state->place[axis][i] = place[axis];
        state->direction[axis][i] = d[axis];
    }
}

/* --- the field ------------------------------------------------------------------------------- */

/* Sums of three cells along an axis around each, periodic. */
static void sum_along(const struct physarum_3d_state *state, int axis, const float *from, float *to)
{
    size_t stride = 1;
    for (int i = X; i > axis; i--) {
        stride *= state->sides[i];
    }
    const size_t side = state->sides[axis];
    for (size_t cell = 0; cell < physarum_3d_cells(state); cell++) {
        const size_t at = cell / stride % side;
        const size_t line = cell - at * stride;
        const float before = from[line + (at + side - 1) % side * stride];
        const float after = from[line + (at + 1) % side * stride];
        to[cell] = (before + from[cell]) + after;
    }
}

static void update_field(struct physarum_3d_state *state)
{
    const struct physarum_3d_settings *s = &state->settings;
    const size_t cells = physarum_3d_cells(state);
    float *d = state->deposited[0], *a = state->deposited[1], *b = state->deposited[2];
    for (size_t cell = 0; cell < cells; cell++) {
        const float count = (float)state->counts[cell];
        d[cell] = state->trail[cell] + count * real(s->deposit);
        if (state->food) {
            d[cell] = d[cell] + state->food[cell];
        }
        state->trace[cell] = vks_flush(state->trace[cell] * real(1 - s->trace_decay) + count);
        state->counts[cell] = 0;
    }
    sum_along(state, X, d, a);
    sum_along(state, Y, a, b);
    sum_along(state, Z, b, a);
    for (size_t cell = 0; cell < cells; cell++) {
        const float mean = a[cell] * real(1.0 / 27);
        const float mixed = real(1 - s->diffuse) * d[cell] + real(s->diffuse) * mean;
        state->trail[cell] = vks_flush(real(1 - s->decay) * mixed);
    }
}

void physarum_3d_step(struct physarum_3d_state *state)
{
    for (uint32_t i = 0; i < state->settings.agents; i++) {
        move_agent(state, i);
    }
    update_field(state);
    state->step++;
}

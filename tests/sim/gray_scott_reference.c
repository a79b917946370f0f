/* SPDX-License-Identifier: MIT */
#include "gray_scott_reference.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"

/* Rounds to a multiple of 2^-bits. */
static double quantised(double value, int bits)
{
    return ldexp(nearbyint(ldexp(value, bits)), -bits);
}

static struct gray_scott_constants constants_of(const struct gray_scott_settings *settings)
{
    bool nine = settings->stencil == GRAY_SCOTT_NINE_POINT;
    double neighbours = nine ? 20.0 : 4.0, divisor = nine ? 6.0 : 1.0;
    int bits = nine ? 25 : 26;
    double bu = quantised(settings->du * settings->dt / divisor, bits);
    double bv = quantised(settings->dv * settings->dt / divisor, bits);
    return (struct gray_scott_constants){
        .bu = (float)bu,
        .bv = (float)bv,
        .f = (float)quantised(settings->feed * settings->dt, 24),
        .k = (float)quantised(settings->kill * settings->dt, 24),
        .rest_u = (float)(1.0 - neighbours * bu),
        .rest_v = (float)(1.0 - neighbours * bv),
        .dt = (float)settings->dt,
    };
}

static bool has_map(const struct gray_scott_settings *settings)
{
    return settings->map[1] > 0.0;
}

/* The range of F (0) or k (1): from dark or the start to bright or the end. */
static void range_of(const struct gray_scott_settings *settings, int which, double range[2])
{
    const double *given = which == 0 ? settings->feed_range : settings->kill_range;
    const char *file = which == 0 ? settings->feed_map : settings->kill_map;
    double plain = which == 0 ? settings->feed : settings->kill;
    bool mapped = has_map(settings), pictured = file[0] != '\0';
    for (int end = 0; end < 2; end++) {
        range[end] = mapped ? settings->map[2 * which + end] : pictured ? given[end] : plain;
    }
}

double gray_scott_stable_dt(const struct gray_scott_settings *settings)
{
    double largest = settings->stencil == GRAY_SCOTT_NINE_POINT ? 16.0 / 3.0 : 8.0;
    double feed[2], kill[2];
    range_of(settings, 0, feed);
    range_of(settings, 1, kill);
    if (settings->rates == GRAY_SCOTT_PAINTED) {
        feed[1] = fmax(feed[1], 0.125);
        kill[1] = fmax(kill[1], 0.125);
    }
    double of_u = 2.0 / (largest * settings->du + feed[1]);
    double of_v = 2.0 / (largest * settings->dv + feed[1] + kill[1]);
    return fmin(fmin(of_u, of_v), 1.0 / (feed[1] + kill[1]));
}

struct gray_scott_state *gray_scott_create(uint32_t width, uint32_t height, uint32_t seed,
                                           const struct gray_scott_settings *settings)
{
    struct gray_scott_state *state = calloc(1, sizeof(*state));
    if (state == NULL) {
        return NULL;
    }
    size_t cells = (size_t)width * height;
    state->width = width;
    state->height = height;
    state->seed = seed;
    state->settings = *settings;
    state->constants = constants_of(settings);
    state->u = calloc(cells, sizeof(float));
    state->v = calloc(cells, sizeof(float));
    state->next_u = calloc(cells, sizeof(float));
    state->next_v = calloc(cells, sizeof(float));
    if (state->u == NULL || state->v == NULL || state->next_u == NULL || state->next_v == NULL) {
        gray_scott_free(state);
        state = NULL;
    }
    return state;
}

void gray_scott_free(struct gray_scott_state *state)
{
    if (state != NULL) {
        free(state->next_v);
        free(state->next_u);
        free(state->paint_share);
        free(state->paint_kill);
        free(state->paint_feed);
        free(state->kill_rate);
        free(state->feed_rate);
        free(state->v);
        free(state->u);
        free(state);
    }
}

/* The nearest multiple of 2^-24, ties up. */
static float on_grid(float rate)
{
    float units = rate * 0x1p24f + 0.5f;
    return floorf(units) * 0x1p-24f;
}

/* The rate per step at a place of the range, 0 to 1. */
static float rate_at(const struct gray_scott_settings *settings, const double range[2], float place)
{
    float low = (float)(range[0] * settings->dt);
    float rise = (float)((range[1] - range[0]) * settings->dt);
    float more = rise * place;
    return on_grid(low + more);
}

/* The rate per step where a share of it is painted. */
static float painted(float rate, float paint, float share, float dt)
{
    float left = 1.0f - share;
    float kept = rate * left, added = paint * dt;
    return on_grid(kept + added);
}

/* How far along a side, from 0 to 1. */
static float place_of(uint32_t at, uint32_t side)
{
    float part = side > 1 ? (float)(1.0 / (side - 1)) : 0.0f;
    return (float)at * part;
}

bool gray_scott_set_rates(struct gray_scott_state *state, const float *feed_brightness,
                          const float *kill_brightness)
{
    const struct gray_scott_settings *settings = &state->settings;
    bool is_painted = settings->rates == GRAY_SCOTT_PAINTED;
    if (!has_map(settings) && feed_brightness == NULL && kill_brightness == NULL && !is_painted) {
        return true;
    }
    size_t cells = (size_t)state->width * state->height;
    if (is_painted) {
        state->paint_feed = calloc(cells, sizeof(float));
        state->paint_kill = calloc(cells, sizeof(float));
        state->paint_share = calloc(cells, sizeof(float));
        if (!state->paint_feed || !state->paint_kill || !state->paint_share) {
            return false;
        }
    }
    double feed[2], kill[2];
    range_of(settings, 0, feed);
    range_of(settings, 1, kill);
    state->feed_rate = calloc(cells, sizeof(float));
    state->kill_rate = calloc(cells, sizeof(float));
    if (state->feed_rate == NULL || state->kill_rate == NULL) {
        return false;
    }
    for (uint32_t y = 0; y < state->height; y++) {
        for (uint32_t x = 0; x < state->width; x++) {
            size_t cell = (size_t)y * state->width + x;
            float up = place_of(state->height - 1 - y, state->height);
            float across = place_of(x, state->width);
            up = feed_brightness != NULL ? feed_brightness[cell] : up;
            across = kill_brightness != NULL ? kill_brightness[cell] : across;
            state->feed_rate[cell] = rate_at(settings, feed, up);
            state->kill_rate[cell] = rate_at(settings, kill, across);
        }
    }
    return true;
}

/* --- storage ------------------------------------------------------------------------------ */

uint16_t gray_scott_to_half(float value)
{
    if (value < 0x1p-14f) {
        return 0;
    }
    int exponent;
    double fraction = frexp(value, &exponent);     /* value = fraction 2^exponent, in [1/2, 1) */
    double units = nearbyint(ldexp(fraction, 11)); /* a half has 11 bits: 1024 to 2048 */
    return (uint16_t)((exponent + 14) * 1024 + (int)units - 1024);
}

float gray_scott_from_half(uint16_t half)
{
    unsigned exponent = half >> 10, fraction = half & 1023;
    return half == 0 ? 0.0f : (float)ldexp(1024.0 + fraction, (int)exponent - 25);
}

static float clipped(float x)
{
    return x < 0x1p-60f ? 0.0f : x > 1.0f ? 1.0f : x;
}

static float stored(const struct gray_scott_state *state, float x)
{
    bool half = state->settings.precision == GRAY_SCOTT_FLOAT16;
    return half ? gray_scott_from_half(gray_scott_to_half(x)) : x;
}

/* --- starts ------------------------------------------------------------------------------- */

static uint64_t whole(double value)
{
    return (uint64_t)round(value);
}

/* The number of 2^32 random words below the share; at most all but one. */
static uint32_t share_of(double share)
{
    return (uint32_t)fmin(floor(share * 4294967296.0), 4294967295.0);
}

static uint64_t square_of(uint32_t one, uint32_t other, uint32_t side, bool wraps)
{
    uint64_t apart = one > other ? one - other : other - one;
    if (wraps && side - apart < apart) {
        apart = side - apart;
    }
    return apart * apart;
}

static bool in_a_spot(const struct gray_scott_state *state, uint32_t y, uint32_t x)
{
    const struct gray_scott_settings *settings = &state->settings;
    bool wraps = settings->boundary == GRAY_SCOTT_PERIODIC;
    for (uint32_t i = 0; i < settings->start_count; i++) {
        vks_uvec4 r = vks_random(state->seed, i, 0, 0);
        uint64_t distance = square_of(y, vks_high(r.y, state->height), state->height, wraps) +
                            square_of(x, vks_high(r.x, state->width), state->width, wraps);
        if (distance <= settings->start_grain * settings->start_grain) {
            return true;
        }
    }
    return false;
}

static bool in_a_block(const struct gray_scott_state *state, uint32_t y, uint32_t x)
{
    uint32_t grain = (uint32_t)state->settings.start_grain;
    uint32_t blocks = state->width / grain + (state->width % grain > 0);
    uint32_t item = y / grain * blocks + x / grain;
    return vks_random(state->seed, item, 0, 1).x < share_of(state->settings.start_share);
}

/* True where (u, v) is (0.5, 0.25). Distances from the middle are doubled, so that they are
 * integers. */
static bool in_shape(const struct gray_scott_state *state, enum gray_scott_start_kind kind,
                     uint32_t y, uint32_t x)
{
    int64_t across = 2 * (int64_t)x + 1 - state->width;
    int64_t down = 2 * (int64_t)y + 1 - state->height;
    uint64_t squares = (uint64_t)(across * across + down * down);
    uint32_t shorter = state->width < state->height ? state->width : state->height;
    double diameter = 2.0 * state->settings.start_radius * shorter;
    uint64_t disc = whole(diameter * diameter);
    disc = disc < 3 ? 3 : disc;

    switch (kind) {
    case GRAY_SCOTT_SQUARE: {
        int64_t half = (int64_t)whole(diameter);
        half = half < 2 ? 2 : half;
        return llabs(across) < half && llabs(down) < half;
    }
    case GRAY_SCOTT_DISC:
        return squares < disc;
    case GRAY_SCOTT_RING:
        return squares < disc && squares >= whole(0.75 * diameter * (0.75 * diameter));
    case GRAY_SCOTT_INVERSE:
        return squares >= disc;
    case GRAY_SCOTT_SPOTS:
        return in_a_spot(state, y, x);
    case GRAY_SCOTT_NOISE:
        return in_a_block(state, y, x);
    }
    return false;
}

/* In [-1, 1). */
static float noise_of(uint32_t word)
{
    return (float)(word >> 8) * 0x1p-23f - 1.0f;
}

static void put(struct gray_scott_state *state, uint32_t y, uint32_t x, float u, float v)
{
    size_t cell = (size_t)y * state->width + x;
    float noise = (float)state->settings.start_noise;
    if (noise > 0.0f) {
        vks_uvec4 r = vks_random(state->seed, (uint32_t)cell, 0, 2);
        float of_u = noise * noise_of(r.x), of_v = noise * noise_of(r.y);
        u = u + of_u;
        v = v + of_v;
    }
    state->u[cell] = stored(state, clipped(u));
    state->v[cell] = stored(state, clipped(v));
}

void gray_scott_start(struct gray_scott_state *state, enum gray_scott_start_kind kind)
{
    state->step = 0;
    for (uint32_t y = 0; y < state->height; y++) {
        for (uint32_t x = 0; x < state->width; x++) {
            bool inside = in_shape(state, kind, y, x);
            put(state, y, x, inside ? 0.5f : 1.0f, inside ? 0.25f : 0.0f);
        }
    }
}

void gray_scott_start_image(struct gray_scott_state *state, const float *brightness)
{
    state->step = 0;
    for (uint32_t y = 0; y < state->height; y++) {
        for (uint32_t x = 0; x < state->width; x++) {
            float b = brightness[(size_t)y * state->width + x];
            put(state, y, x, 1.0f - 0.5f * b, 0.25f * b);
        }
    }
}

/* --- a step ------------------------------------------------------------------------------- */

/* The cell before (-1), at (0) or after (1) `at` on a side. */
static size_t neighbour(uint32_t at, int offset, uint32_t side, bool wraps)
{
    int64_t there = (int64_t)at + offset;
    if (there < 0) {
        there = wraps ? (int64_t)side - 1 : 0;
    } else if (there >= side) {
        there = wraps ? 0 : (int64_t)side - 1;
    }
    return (size_t)there;
}

struct neighbours {
    size_t row[3], column[3]; /* above, here, below; left, here, right */
};

static float sum_of(const struct gray_scott_state *state, const float *field,
                    const struct neighbours *at)
{
    const float *above = field + at->row[0] * state->width;
    const float *here = field + at->row[1] * state->width;
    const float *below = field + at->row[2] * state->width;
    size_t left = at->column[0], middle = at->column[1], right = at->column[2];
    float edges = (above[middle] + below[middle]) + (here[left] + here[right]);
    if (state->settings.stencil == GRAY_SCOTT_FIVE_POINT) {
        return edges;
    }
    float corners = (above[left] + above[right]) + (below[left] + below[right]);
    return 4.0f * edges + corners;
}

void gray_scott_step(struct gray_scott_state *state)
{
    const struct gray_scott_constants *c = &state->constants;
    bool wraps = state->settings.boundary == GRAY_SCOTT_PERIODIC;
    for (uint32_t y = 0; y < state->height; y++) {
        for (uint32_t x = 0; x < state->width; x++) {
            struct neighbours at;
            for (int i = 0; i < 3; i++) {
                at.row[i] = neighbour(y, i - 1, state->height, wraps);
                at.column[i] = neighbour(x, i - 1, state->width, wraps);
            }
            size_t cell = (size_t)y * state->width + x;
            float f = state->feed_rate != NULL ? state->feed_rate[cell] : c->f;
            float k = state->kill_rate != NULL ? state->kill_rate[cell] : c->k;
            if (state->paint_share != NULL) {
                float share = state->paint_share[cell];
                f = painted(f, state->paint_feed[cell], share, c->dt);
                k = painted(k, state->paint_kill[cell], share, c->dt);
            }
            float g = f + k;
            float au = c->rest_u - f, av = c->rest_v - g;
            float u = state->u[cell], v = state->v[cell];
            float su = sum_of(state, state->u, &at), sv = sum_of(state, state->v, &at);
            float squared = v * v;
            float product = u * squared;
            float r = c->dt * product;
            float own_u = au * u, around_u = c->bu * su;
            float own_v = av * v, around_v = c->bv * sv;
            float spread_u = own_u + around_u;
            float fed_u = spread_u + f;
            float spread_v = own_v + around_v;
            state->next_u[cell] = stored(state, clipped(fed_u - r));
            state->next_v[cell] = stored(state, clipped(spread_v + r));
        }
    }
    float *u = state->u, *v = state->v;
    state->u = state->next_u;
    state->v = state->next_v;
    state->next_u = u;
    state->next_v = v;
    state->step++;
}

/* SPDX-License-Identifier: MIT */
#include "cipher_reference.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"

/* --- numbers --------------------------------------------------------------------------------- */

void cipher_key(const char *text, uint32_t key[4])
{
    vks_uvec4 k = {0, 0, 0, 0};
    const uint32_t length = (uint32_t)strlen(text);
    for (uint32_t j = 0; j < length; j++) {
        k = vks_random(k.x ^ (unsigned char)text[j], k.y, k.z + j, k.w);
    }
    k = vks_random(k.x, k.y ^ length, k.z, k.w ^ 0x6b657973U);
    memcpy(key, (uint32_t[]){k.x, k.y, k.z, k.w}, 4 * sizeof(*key));
}

static vks_uvec4 keyed(const struct cipher_state *state, uint32_t item, uint32_t step,
                       uint32_t stream)
{
    const uint32_t *key = state->key;
    const vks_uvec4 a = vks_random(key[0], item, step, key[1]);
    return vks_random(a.x ^ key[2], a.y, a.z ^ stream, a.w ^ key[3]);
}

static uint32_t angle_of(double degrees)
{
    return (uint32_t)(int64_t)llround(degrees / 360.0 * 4294967296.0);
}

static float real_of(double value)
{
    return vks_flush((float)value);
}

/* a + b and a - b modulo 2^32. */
static int32_t plus(int32_t a, int64_t b)
{
    return (int32_t)(uint32_t)((int64_t)a + b);
}

/* floor(v q / 2^16). */
static int64_t scaled(int32_t v, double q)
{
    const int64_t product = (int64_t)v * (int64_t)q;
    const int64_t quotient = product / 65536;
    return quotient * 65536 > product ? quotient - 1 : quotient;
}

/* --- the state ------------------------------------------------------------------------------- */

void cipher_free(struct cipher_state *state)
{
    if (state != NULL) {
        free(state->counts);
        free(state->registers);
        free(state->heading);
        free(state->position);
        free(state->reservoir);
        free(state->trail);
        free(state);
    }
}

struct cipher_state *cipher_create(uint32_t width, uint32_t height, const float *brightness,
                                   const struct cipher_settings *settings)
{
    const size_t cells = (size_t)width * height, agents = (size_t)settings->agents;
    struct cipher_state *state = calloc(1, sizeof(*state));
    if (state == NULL) {
        return NULL;
    }
    state->width = width;
    state->height = height;
    state->settings = *settings;
    cipher_key(settings->key, state->key);
    state->trail = calloc(cells, sizeof(int32_t));
    state->reservoir = calloc(cells * settings->reservoirs, sizeof(int32_t));
    state->position = calloc(2 * agents, sizeof(uint32_t));
    state->heading = calloc(agents, sizeof(uint32_t));
    state->registers = calloc(agents * settings->registers, sizeof(uint32_t));
    state->counts = calloc(cells, sizeof(uint32_t));
    if (state->trail == NULL || state->reservoir == NULL || state->position == NULL ||
        state->heading == NULL || state->registers == NULL || state->counts == NULL) {
        cipher_free(state);
        return NULL;
    }
    for (size_t cell = 0; cell < cells; cell++) {
        state->trail[cell] = ((int32_t)lround(255.0 * (double)brightness[cell]) - 128) * 65536;
    }
    const uint32_t jitter = angle_of(settings->jitter);
    const uint32_t most = jitter < 0x7fffffffU ? jitter : 0x7fffffffU;
    for (uint32_t i = 0; i < agents; i++) {
        const vks_uvec4 r = keyed(state, i, 0xffffffffU, 1);
        state->position[2 * i] = r.x;
        state->position[2 * i + 1] = r.y;
        state->heading[i] = r.z;
        for (uint32_t k = 0; k < settings->registers; k++) {
            state->registers[k * agents + i] =
                vks_high(keyed(state, i, k, 2).x, 2 * most + 1) - most;
        }
    }
    return state;
}

/* --- agents ---------------------------------------------------------------------------------- */

static int32_t sense(const struct cipher_state *state, uint32_t agent, float sine, float cosine)
{
    const double distance = state->settings.sensor_distance;
    const uint32_t y =
        state->position[2 * agent] + vks_displacement(sine, real_of(distance / state->height));
    const uint32_t x =
        state->position[2 * agent + 1] + vks_displacement(cosine, real_of(distance / state->width));
    return state
        ->trail[(size_t)vks_high(y, state->height) * state->width + vks_high(x, state->width)];
}

static uint32_t turn_of(const struct cipher_state *state, uint32_t agent)
{
    const uint32_t turn = angle_of(state->settings.turn_angle);
    const vks_vec2 h = vks_sincos(state->heading[agent]);
    const vks_vec2 a = vks_sincos(angle_of(state->settings.sensor_angle));
    const float sine_cosine = h.x * a.y, cosine_sine = h.y * a.x;
    const float cosine_cosine = h.y * a.y, sine_sine = h.x * a.x;
    const int32_t front = sense(state, agent, h.x, h.y);
    const int32_t left = sense(state, agent, sine_cosine + cosine_sine, cosine_cosine - sine_sine);
    const int32_t right = sense(state, agent, sine_cosine - cosine_sine, cosine_cosine + sine_sine);
    return left > front && left > right ? turn : right > front && right > left ? 0 - turn : 0;
}

/* The register that agent i has at that moment. */
static uint32_t *register_of(const struct cipher_state *state, uint32_t agent, uint32_t moment)
{
    const uint64_t agents = state->settings.agents;
    const uint32_t plane = (uint32_t)(moment % state->settings.registers);
    const uint32_t offset = vks_high(keyed(state, plane, moment, 5).x, (uint32_t)agents);
    return &state->registers[plane * agents + (agent + offset) % agents];
}

static void steer(struct cipher_state *state)
{
    for (uint32_t i = 0; i < state->settings.agents; i++) {
        uint32_t *word = register_of(state, i, state->moment);
        *word += turn_of(state, i);
        state->heading[i] += *word;
    }
}

static void unsteer(struct cipher_state *state)
{
    for (uint32_t i = 0; i < state->settings.agents; i++) {
        uint32_t *word = register_of(state, i, state->moment);
        state->heading[i] -= *word;
        *word -= turn_of(state, i);
    }
}

static void move(struct cipher_state *state, bool back)
{
    const double length = state->settings.step_size;
    for (uint32_t i = 0; i < state->settings.agents; i++) {
        const vks_vec2 h = vks_sincos(state->heading[i]);
        const uint32_t dy = vks_displacement(h.x, real_of(length / state->height));
        const uint32_t dx = vks_displacement(h.y, real_of(length / state->width));
        state->position[2 * i] += back ? 0 - dy : dy;
        state->position[2 * i + 1] += back ? 0 - dx : dx;
    }
}

/* --- the trail ------------------------------------------------------------------------------- */

static void deposit(struct cipher_state *state, bool back)
{
    const size_t cells = (size_t)state->width * state->height;
    const int64_t each = (int64_t)floor(state->settings.deposit * 65536.0 + 0.5);
    const int64_t even = each * (int64_t)state->settings.agents / (int64_t)cells;
    memset(state->counts, 0, cells * sizeof(*state->counts));
    for (uint32_t i = 0; i < state->settings.agents; i++) {
        const uint32_t row = vks_high(state->position[2 * i], state->height);
        const uint32_t column = vks_high(state->position[2 * i + 1], state->width);
        state->counts[(size_t)row * state->width + column]++;
    }
    for (size_t cell = 0; cell < cells; cell++) {
        const int64_t gain = each * state->counts[cell] - even;
        state->trail[cell] = plus(state->trail[cell], back ? -gain : gain);
    }
}

/* Rotates every cell with one of a reservoir. */
static void decay(struct cipher_state *state, bool back)
{
    const uint32_t width = state->width, height = state->height;
    const double cosine = 1.0 - state->settings.decay;
    const double qt = floor(65536.0 * sqrt((1.0 - cosine) / (1.0 + cosine)) + 0.5);
    const double qs = floor(65536.0 * sqrt(1.0 - cosine * cosine) + 0.5);
    const uint32_t plane = (uint32_t)(state->moment % state->settings.reservoirs);
    const vks_uvec4 r = keyed(state, plane, state->moment, 3);
    const uint32_t down = vks_high(r.x, height), along = vks_high(r.y, width);
    const int sign = (r.z >> 31 ? -1 : 1) * (back ? -1 : 1);
    int32_t *reservoir = state->reservoir + (size_t)plane * width * height;
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            int32_t *t = &state->trail[(size_t)y * width + x];
            int32_t *m = &reservoir[(size_t)((y + down) % height) * width + (x + along) % width];
            *t = plus(*t, -sign * scaled(*m, qt));
            *m = plus(*m, sign * scaled(*t, qs));
            *t = plus(*t, -sign * scaled(*m, qt));
        }
    }
}

/* Turns some blocks of 2 x 2 cells. */
static void diffuse(struct cipher_state *state, bool back)
{
    const uint32_t width = state->width, height = state->height, odd = state->moment % 2;
    const double threshold = fmin(floor(4294967296.0 * state->settings.diffuse), 4294967295.0);
    for (uint32_t a = 0; a < height / 2; a++) {
        for (uint32_t b = 0; b < width / 2; b++) {
            const vks_uvec4 r = keyed(state, a * (width / 2) + b, state->moment, 4);
            const uint32_t quarters = r.x < threshold ? 1 + vks_high(r.y, 3) : 0;
            const uint32_t top = 2 * a + odd, left = 2 * b + odd;
            const uint32_t bottom = (top + 1) % height, right = (left + 1) % width;
            /* Clockwise around the block. */
            int32_t *cells[] = {
                &state->trail[(size_t)top * width + left],
                &state->trail[(size_t)top * width + right],
                &state->trail[(size_t)bottom * width + right],
                &state->trail[(size_t)bottom * width + left],
            };
            for (uint32_t turns = back ? (4 - quarters) % 4 : quarters; turns > 0; turns--) {
                const int32_t last = *cells[3];
                *cells[3] = *cells[2];
                *cells[2] = *cells[1];
                *cells[1] = *cells[0];
                *cells[0] = last;
            }
        }
    }
}

void cipher_forward(struct cipher_state *state)
{
    steer(state);
    move(state, false);
    deposit(state, false);
    decay(state, false);
    diffuse(state, false);
    state->moment++;
}

void cipher_backward(struct cipher_state *state)
{
    state->moment--;
    diffuse(state, true);
    decay(state, true);
    deposit(state, true);
    move(state, true);
    unsteer(state);
}

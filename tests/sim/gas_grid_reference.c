/* SPDX-License-Identifier: MIT */
#include "gas_grid_reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../numbers.h"
#include "base/exact.h"
#include "fft_reference.h"

static const double pi = 3.14159265358979323846;
static const float tiny = 0x1p-60f, huge = 0x1p60f;

/* t and s of a face along n. */
static const int across[3][2] = {{1, 2}, {0, 2}, {0, 1}};

/* W: of a node or of one side of a face; u along n, t, s. All 0 where it is empty. */
struct primitives {
    float density, u[3], p;
};

/* Density, momenta along n, t, s and energy, with their fluxes along n. */
struct side {
    struct primitives w;
    float c, value[5], flux[5];
};

/* A share of a node that a face keeps or gives. */
struct share {
    float value[5];
    float min; /* b */
};

static float smaller(float a, float b)
{
    return b < a ? b : a;
}

static float larger(float a, float b)
{
    return a < b ? b : a;
}

static float magnitude(float a)
{
    return a < 0.0f ? -a : a;
}

/* |a|^2 of components in their order. */
static float square(const float a[3])
{
    return (a[0] * a[0] + a[1] * a[1]) + a[2] * a[2];
}

static float to_float(double value)
{
    return vks_flush((float)value);
}

static uint32_t side_of(const struct gas_grid_state *state, int axis)
{
    return axis == 0 ? state->depth : axis == 1 ? state->height : state->width;
}

static bool active(const struct gas_grid_state *state, int axis)
{
    return side_of(state, axis) > 1;
}

/* The node `by` nodes further along an axis, 0 <= by < its side. */
static size_t beyond(const struct gas_grid_state *state, size_t node, int axis, uint32_t by)
{
    size_t stride = axis == 0 ? (size_t)state->height * state->width : axis == 1 ? state->width : 1;
    size_t side = side_of(state, axis);
    size_t place = node / stride % side;
    return node + (place + by) % side * stride - place * stride;
}

static size_t next(const struct gas_grid_state *state, size_t node, int axis)
{
    return beyond(state, node, axis, 1);
}

static size_t before(const struct gas_grid_state *state, size_t node, int axis)
{
    return beyond(state, node, axis, side_of(state, axis) - 1);
}

/* --- set-up ------------------------------------------------------------------------------- */

static struct gas_grid_constants constants_of(const struct gas_grid_state *state)
{
    const struct gas_grid_settings *s = &state->settings;
    double longest = fmax(state->depth, fmax(state->height, state->width));
    return (struct gas_grid_constants){
        .gamma = to_float(s->gamma),
        .g1 = to_float(s->gamma - 1.0),
        .inverse_g1 = to_float(1.0 / (s->gamma - 1.0)),
        .inverse_gamma = to_float(1.0 / s->gamma),
        .h = to_float(1.0 / longest),
        .h2 = to_float(1.0 / (longest * longest)),
        .per_h = to_float(longest),
        .per_cfl = to_float(1.0 / s->cfl),
        .per_diffusion = to_float(1.0 / 0.15),
        .per_nodes = to_float(1.0 / (double)state->nodes),
        .half_per_h = to_float(0.5 * longest),
        .longest = to_float(s->dt),
        .conductivity = to_float(s->conductivity),
    };
}

/* The squares of the wave numbers along an axis. */
static float *symbol_of(const struct gas_grid_state *state, int axis)
{
    uint32_t side = side_of(state, axis);
    float *symbol = calloc(side, sizeof(*symbol));
    double longest = fmax(state->depth, fmax(state->height, state->width));
    for (uint32_t n = 0; symbol != NULL && n < side; n++) {
        double wave = 2.0 * pi * (n > side / 2 ? side - n : n) * longest / side;
        symbol[n] = to_float(wave * wave);
    }
    return symbol;
}

static bool allocate(struct gas_grid_state *state)
{
    float **const fields[] = {&state->pressure, &state->opening, &state->contrast,
                              &state->potential};
    bool complete = true;
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        *fields[i] = calloc(state->nodes, sizeof(float));
        complete = complete && *fields[i] != NULL;
    }
    for (int f = 0; f < GAS_GRID_FIELDS; f++) {
        state->field[f] = calloc(state->nodes, sizeof(float));
        state->middle[f] = calloc(state->nodes, sizeof(float));
        state->change[f] = calloc(state->nodes, sizeof(float));
        complete = complete && state->field[f] != NULL && state->middle[f] != NULL &&
                   state->change[f] != NULL;
    }
    for (int axis = 0; axis < 3; axis++) {
        state->velocity[axis] = calloc(state->nodes, sizeof(float));
        state->acceleration[axis] = calloc(state->nodes, sizeof(float));
        complete = complete && state->velocity[axis] != NULL && state->acceleration[axis] != NULL;
        if (state->settings.gravity > 0.0) {
            state->symbol[axis] = symbol_of(state, axis);
            complete = complete && state->symbol[axis] != NULL;
        }
    }
    state->faces = calloc(state->nodes, sizeof(*state->faces));
    complete = complete && state->faces != NULL;
    return gas_tracers_create(&state->tracers, state->settings.particles, state->nodes) && complete;
}

struct gas_grid_state *gas_grid_create(uint32_t width, uint32_t height, uint32_t depth,
                                       const struct gas_grid_settings *settings)
{
    struct gas_grid_state *state = calloc(1, sizeof(*state));
    if (state == NULL) {
        return NULL;
    }
    state->width = width;
    state->height = height;
    state->depth = depth;
    state->nodes = (size_t)width * height * depth;
    state->settings = *settings;
    state->constants = constants_of(state);
    if (!allocate(state)) {
        gas_grid_free(state);
        return NULL;
    }
    const uint32_t side[3] = {depth, height, width};
    const struct gas_exchange_settings exchange = {
        .boltzmann = settings->boltzmann,
        .planck = settings->planck,
        .exchange_time = settings->exchange_time,
        .conductivity = settings->conductivity,
    };
    state->tracers.exchange = gas_exchange_of(&exchange, side, settings->particles);
    return state;
}

void gas_grid_free(struct gas_grid_state *state)
{
    if (state == NULL) {
        return;
    }
    for (int f = 0; f < GAS_GRID_FIELDS; f++) {
        free(state->field[f]);
        free(state->middle[f]);
        free(state->change[f]);
    }
    for (int axis = 0; axis < 3; axis++) {
        free(state->velocity[axis]);
        free(state->acceleration[axis]);
        free(state->symbol[axis]);
    }
    free(state->pressure);
    free(state->opening);
    free(state->contrast);
    free(state->potential);
    free(state->faces);
    gas_tracers_free(&state->tracers);
    free(state);
}

double gas_grid_time(const struct gas_grid_state *state)
{
    return state->clockwork[GAS_TIME_LOW] * 0x1p-40 + state->clockwork[GAS_TIME_HIGH] * 0x1p-8;
}

static uint64_t units_of_time(const struct gas_grid_state *state)
{
    return (uint64_t)state->clockwork[GAS_TIME_HIGH] << 32 | state->clockwork[GAS_TIME_LOW];
}

double gas_grid_last_dt(const struct gas_grid_state *state)
{
    return float_of(state->clockwork[GAS_LAST_DT]);
}

/* --- nodes -------------------------------------------------------------------------------- */

static bool empty(const struct gas_grid_state *state, float density)
{
    return density <= state->vacuum || density == 0.0f;
}

/* 1 / density and velocities of a node of U, or 0 of an empty one. Returns the kinetic energy. */
static float move_with(const struct gas_grid_state *state, float *const u[GAS_GRID_FIELDS],
                       size_t node, float *v, float velocity[3])
{
    float r = u[GAS_DENSITY][node];
    if (empty(state, r)) {
        *v = 0.0f;
        velocity[0] = velocity[1] = velocity[2] = 0.0f;
        return 0.0f;
    }
    *v = vks_reciprocal(r);
    float product[3];
    for (int axis = 0; axis < 3; axis++) {
        float m = u[GAS_MOMENTUM_Z + axis][node];
        velocity[axis] = vks_flush(m * *v);
        product[axis] = m * velocity[axis];
    }
    return 0.5f * ((product[0] + product[1]) + product[2]);
}

static float sound(const struct gas_grid_state *state, float p, float v)
{
    return vks_sqrt(vks_flush(vks_flush(state->constants.gamma * p) * v));
}

/* e_th of a node of U that has gas. */
static float heat_with(float *const u[GAS_GRID_FIELDS], size_t node, float kinetic)
{
    float energy = u[GAS_ENERGY][node], internal = u[GAS_INTERNAL][node];
    float thermal = energy - kinetic;
    return thermal > 0.001f * energy ? thermal : internal > 0.0f ? internal : larger(thermal, 0.0f);
}

bool gas_grid_empty(const struct gas_grid_state *state, size_t node)
{
    return empty(state, state->field[GAS_DENSITY][node]);
}

float gas_grid_heat(const struct gas_grid_state *state, size_t node)
{
    float v, velocity[3];
    return heat_with(state->field, node, move_with(state, state->field, node, &v, velocity));
}

/* Stores the primitives of a node of U. Returns its speed of sound. */
static float primitives_of(struct gas_grid_state *state, float *const u[GAS_GRID_FIELDS],
                           size_t node)
{
    float v, velocity[3];
    float kinetic = move_with(state, u, node, &v, velocity);
    float p = 0.0f, c = 0.0f;
    if (!empty(state, u[GAS_DENSITY][node])) {
        p = vks_flush(state->constants.g1 * heat_with(u, node, kinetic));
        c = sound(state, p, v);
    }
    for (int axis = 0; axis < 3; axis++) {
        state->velocity[axis][node] = velocity[axis];
    }
    state->pressure[node] = p;
    return c;
}

/* The internal energy of a node of U, synchronised. */
static float synchronised(const struct gas_grid_state *state, float *const u[GAS_GRID_FIELDS],
                          size_t node)
{
    float v, velocity[3];
    float kinetic = move_with(state, u, node, &v, velocity);
    float max = u[GAS_ENERGY][node];
    for (int axis = 0; axis < 3; axis++) {
        if (active(state, axis)) {
            max = larger(max, u[GAS_ENERGY][before(state, node, axis)]);
            max = larger(max, u[GAS_ENERGY][next(state, node, axis)]);
        }
    }
    float thermal = u[GAS_ENERGY][node] - kinetic, internal = u[GAS_INTERNAL][node];
    float e = thermal > vks_flush(0.1f * max) ? thermal
              : internal > 0.0f               ? internal
                                              : larger(thermal, 0.0f);
    return vks_flush(e);
}

static void measure_mean(struct gas_grid_state *state)
{
    if (state->clockwork[GAS_MEAN] != 0) {
        return;
    }
    float max = 0.0f;
    for (size_t node = 0; node < state->nodes; node++) {
        max = larger(max, state->field[GAS_DENSITY][node]);
    }
    float mean = 0.0f;
    if (max > 0.0f) {
        int32_t scale = 29 - ((int32_t)(bits_of(max) >> 23) - 127);
        vks_uvec2 sum = {0, 0};
        for (size_t node = 0; node < state->nodes; node++) {
            vks_uvec2 amount = vks_fixed(state->field[GAS_DENSITY][node], vks_power_of_two(scale));
            sum = vks_fixed_add(sum, amount);
        }
        mean =
            vks_flush(vks_from_fixed(sum, vks_power_of_two(-scale)) * state->constants.per_nodes);
    }
    state->clockwork[GAS_MEAN] = bits_of(larger(mean, tiny));
}

void gas_grid_prepare(struct gas_grid_state *state)
{
    measure_mean(state);
    float mean = float_of(state->clockwork[GAS_MEAN]);
    state->vacuum = vks_flush(1e-10f * mean);
    float thin = vks_flush(0.01f * mean);
    for (size_t node = 0; node < state->nodes; node++) {
        state->field[GAS_INTERNAL][node] = synchronised(state, state->field, node);
    }
    state->diffusivity = 0.0f;
    memset(state->rate, 0, sizeof(state->rate));
    for (size_t node = 0; node < state->nodes; node++) {
        float c = primitives_of(state, state->field, node);
        for (int axis = 0; axis < 3; axis++) {
            if (active(state, axis)) {
                state->rate[axis] =
                    larger(state->rate[axis], magnitude(state->velocity[axis][node]) + c);
            }
        }
        float density = state->field[GAS_DENSITY][node];
        if (density >= thin && !empty(state, density)) {
            float diffusivity = vks_flush(state->constants.conductivity * vks_reciprocal(density));
            state->diffusivity = larger(state->diffusivity, diffusivity);
        }
    }
}

/* --- gravity ------------------------------------------------------------------------------ */

void gas_grid_gravity(struct gas_grid_state *state)
{
    float mean = float_of(state->clockwork[GAS_MEAN]);
    for (size_t node = 0; node < state->nodes; node++) {
        state->contrast[node] = vks_flush(state->field[GAS_DENSITY][node] - mean);
    }
    const struct fft_reference fft = {
        .shape = {state->depth, state->height, state->width},
        .factor = to_float(-4.0 * pi * state->settings.gravity),
        .symbol = {state->symbol[0], state->symbol[1], state->symbol[2]},
    };
    fft_reference(&fft, state->contrast, state->potential);
    state->g2 = 0.0f;
    for (size_t node = 0; node < state->nodes; node++) {
        float part[3] = {0.0f};
        for (int axis = 0; axis < 3; axis++) {
            if (active(state, axis)) {
                float difference = state->potential[before(state, node, axis)] -
                                   state->potential[next(state, node, axis)];
                part[axis] = vks_flush(difference * state->constants.half_per_h);
            }
            state->acceleration[axis][node] = part[axis];
        }
        state->g2 = larger(state->g2, vks_flush(square(part)));
    }
}

/* --- time step and kick ---------------------------------------------------------------------- */

bool gas_grid_time_step(struct gas_grid_state *state)
{
    const struct gas_grid_constants *k = &state->constants;
    float fast = 0.0f;
    for (int axis = 0; axis < 3; axis++) {
        fast = fast + state->rate[axis];
    }
    float per_dt = vks_flush(vks_flush(fast * k->per_h) * k->per_cfl);
    if (k->conductivity > 0.0f) {
        float diffusion = (state->diffusivity * (k->per_h * k->per_h)) * k->per_diffusion;
        per_dt = vks_flush(per_dt + diffusion);
    }
    per_dt = smaller(per_dt, huge);
    float dt = per_dt * k->longest > 1.0f ? vks_reciprocal(per_dt) : k->longest;
    if (state->settings.gravity > 0.0 && state->g2 >= tiny) {
        float slow = vks_sqrt(vks_flush(k->h * vks_reciprocal(vks_sqrt(state->g2))));
        dt = smaller(dt, 0.25f * slow);
    }
    dt = floorf(dt * 0x1p40f) * 0x1p-40f;
    if (dt == 0.0f) {
        return false;
    }
    uint64_t time = units_of_time(state), units = (uint64_t)((double)dt * 0x1p40);
    if (state->settings.end > 0 && units >= state->settings.end - time) {
        units = state->settings.end - time;
        dt = (float)units * 0x1p-40f;
    }
    state->lambda = dt * k->per_h;
    state->cap = vks_flush((0.15f * k->h2) * vks_reciprocal(dt));
    state->half = 0.5f * (float_of(state->clockwork[GAS_LAST_DT]) + dt);
    float kick =
        state->settings.gravity > 0.0 ? vks_flush(vks_sqrt(state->g2) * state->half) : 0.0f;
    float weight[3], weights = 0.0f;
    for (int axis = 0; axis < 3; axis++) {
        weight[axis] =
            active(state, axis) ? larger(state->rate[axis] + kick, 0x1p-6f * (fast + kick)) : 0.0f;
        weights = weights + weight[axis];
    }
    for (int axis = 0; axis < 3; axis++) {
        state->share[axis] =
            weight[axis] >= tiny
                ? vks_flush((weights * vks_reciprocal(weight[axis])) * (2.0f * state->lambda))
                : 0.0f;
    }
    state->clockwork[GAS_TIME_LOW] = (uint32_t)(time + units);
    state->clockwork[GAS_TIME_HIGH] = (uint32_t)((time + units) >> 32);
    state->clockwork[GAS_LAST_DT] = bits_of(dt);
    return true;
}

static void kick(struct gas_grid_state *state)
{
    for (size_t node = 0; node < state->nodes; node++) {
        float r = state->field[GAS_DENSITY][node];
        if (empty(state, r)) {
            continue;
        }
        float v = vks_reciprocal(r), work = 0.0f;
        for (int axis = 0; axis < 3; axis++) {
            if (!active(state, axis)) {
                continue;
            }
            float *m = &state->field[GAS_MOMENTUM_Z + axis][node];
            float push = vks_flush(vks_flush(state->acceleration[axis][node] * state->half) * r);
            work = work + vks_flush(push * v) * (*m + 0.5f * push);
            *m = vks_flush(*m + push);
            state->velocity[axis][node] = vks_flush(*m * v);
        }
        state->field[GAS_ENERGY][node] = vks_flush(state->field[GAS_ENERGY][node] + work);
    }
}

/* --- faces -------------------------------------------------------------------------------- */

static struct primitives at_node(const struct gas_grid_state *state,
                                 float *const u[GAS_GRID_FIELDS], size_t node, int axis)
{
    float density = u[GAS_DENSITY][node];
    return (struct primitives){
        .density = empty(state, density) ? 0.0f : density,
        .u = {state->velocity[axis][node], state->velocity[across[axis][0]][node],
              state->velocity[across[axis][1]][node]},
        .p = state->pressure[node],
    };
}

static float slope(float a, float b)
{
    float mean = 0.5f * (a + b);
    if (a > 0.0f && b > 0.0f) {
        return smaller(mean, smaller(2.0f * a, 2.0f * b));
    }
    if (a < 0.0f && b < 0.0f) {
        return larger(mean, larger(2.0f * a, 2.0f * b));
    }
    return 0.0f;
}

/* The middle one of three nodes at its lower (-0.5) or upper (0.5) face. */
static struct primitives at_face(const struct gas_grid_state *state, const struct primitives *low,
                                 const struct primitives *w, const struct primitives *high,
                                 float half)
{
    if (low->density == 0.0f || w->density == 0.0f || high->density == 0.0f) {
        return *w;
    }
    struct primitives face;
    face.density =
        vks_flush(w->density + half * slope(w->density - low->density, high->density - w->density));
    face.p = vks_flush(w->p + half * slope(w->p - low->p, high->p - w->p));
    for (int i = 0; i < 3; i++) {
        face.u[i] = vks_flush(w->u[i] + half * slope(w->u[i] - low->u[i], high->u[i] - w->u[i]));
    }
    return face.density > state->vacuum && face.p >= 0.0f ? face : *w;
}

static struct side side_from(const struct gas_grid_state *state, const struct primitives *w)
{
    struct side side = {.w = *w};
    if (w->density == 0.0f) {
        return side;
    }
    float energy =
        vks_flush(w->p * state->constants.inverse_g1 + vks_flush(0.5f * w->density) * square(w->u));
    float q = vks_flush(w->density * w->u[0]);
    side.c = sound(state, w->p, vks_reciprocal(w->density));
    side.value[0] = w->density;
    side.value[1] = q;
    side.value[2] = vks_flush(w->density * w->u[1]);
    side.value[3] = vks_flush(w->density * w->u[2]);
    side.value[4] = energy;
    side.flux[0] = q;
    side.flux[1] = q * w->u[0] + w->p;
    side.flux[2] = q * w->u[1];
    side.flux[3] = q * w->u[2];
    side.flux[4] = (energy + w->p) * w->u[0];
    return side;
}

static struct gas_grid_face rusanov(const struct side *l, const struct side *r)
{
    struct gas_grid_face face = {0};
    float s = larger(magnitude(l->w.u[0]) + l->c, magnitude(r->w.u[0]) + r->c);
    for (int i = 0; i < 5; i++) {
        face.flux[i] = 0.5f * (l->flux[i] + r->flux[i]) - (0.5f * s) * (r->value[i] - l->value[i]);
    }
    face.velocity = 0.5f * (l->w.u[0] + r->w.u[0]);
    return face;
}

/* The flux and velocity of one side alone. */
static struct gas_grid_face carried(const struct side *side)
{
    struct gas_grid_face face = {.velocity = side->w.u[0]};
    memcpy(face.flux, side->flux, sizeof(face.flux));
    return face;
}

/* The threshold below which a speed counts as 0 at a face. */
static float small_speed(float slow, float fast)
{
    return vks_flush(0x1p-40f * larger(magnitude(slow), magnitude(fast)));
}

static struct gas_grid_face at_vacuum(const struct gas_grid_state *state, const struct side *l,
                                      const struct side *r)
{
    const struct gas_grid_constants *k = &state->constants;
    bool gas_left = l->w.density != 0.0f;
    const struct side *gas = gas_left ? l : r;
    float u = gas->w.u[0], c = gas->c, front = c * (2.0f * k->inverse_g1);
    float slow = gas_left ? u - c : u - front, fast = gas_left ? u + front : u + c;
    if (gas_left ? slow >= 0.0f : fast <= 0.0f) {
        return carried(gas);
    }
    if (gas_left ? fast <= 0.0f : slow >= 0.0f) {
        return (struct gas_grid_face){0};
    }
    float w = fast - slow;
    if (magnitude(w) < larger(tiny, small_speed(slow, fast))) {
        return rusanov(l, r);
    }
    struct gas_grid_face face = {0};
    float v = vks_reciprocal(w);
    for (int i = 0; i < 5; i++) {
        face.flux[i] = gas_left
                           ? (fast * gas->flux[i] + (slow * fast) * (0.0f - gas->value[i])) * v
                           : ((0.0f - slow) * gas->flux[i] + (slow * fast) * gas->value[i]) * v;
    }
    face.velocity = gas_left ? u + c * k->inverse_gamma : u - c * k->inverse_gamma;
    return face;
}

static struct gas_grid_face hllc(const struct gas_grid_state *state, const struct side *l,
                                 const struct side *r)
{
    float a = vks_sqrt(l->w.density), b = vks_sqrt(r->w.density), i = vks_reciprocal(a + b);
    float u[3];
    for (int d = 0; d < 3; d++) {
        u[d] = (a * l->w.u[d] + b * r->w.u[d]) * i;
    }
    float h_l = (l->value[4] + l->w.p) * vks_reciprocal(l->w.density);
    float h_r = (r->value[4] + r->w.p) * vks_reciprocal(r->w.density);
    float h = (a * h_l + b * h_r) * i;
    float c = vks_sqrt(vks_flush(larger(0.0f, state->constants.g1 * (h - 0.5f * square(u)))));
    float slow = smaller(l->w.u[0] - l->c, u[0] - c), fast = larger(r->w.u[0] + r->c, u[0] + c);
    if (slow >= 0.0f) {
        return carried(l);
    }
    if (fast <= 0.0f) {
        return carried(r);
    }
    float a_l = vks_flush(l->w.density * (slow - l->w.u[0]));
    float a_r = vks_flush(r->w.density * (fast - r->w.u[0]));
    float d = a_l - a_r, z = small_speed(slow, fast);
    if (magnitude(d) < larger(tiny, vks_flush(z * larger(l->w.density, r->w.density)))) {
        return rusanov(l, r);
    }
    float star =
        vks_flush(((r->w.p - l->w.p) + (a_l * l->w.u[0] - a_r * r->w.u[0])) * vks_reciprocal(d));
    const struct side *k = star >= 0.0f ? l : r;
    float speed = star >= 0.0f ? slow : fast, a_k = star >= 0.0f ? a_l : a_r;
    float w = speed - star;
    if (magnitude(w) < larger(tiny, z)) {
        return rusanov(l, r);
    }
    float x = vks_reciprocal(w), f = vks_flush(a_k * x), y = star - k->w.u[0];
    float energy = f * (k->value[4] * vks_reciprocal(k->w.density) + y * star);
    const float value[5] = {
        f,
        vks_flush(f * star),
        vks_flush(f * k->w.u[1]),
        vks_flush(f * k->w.u[2]),
        energy + vks_flush(y * x) * k->w.p,
    };
    struct gas_grid_face face = {.velocity = star};
    for (int q = 0; q < 5; q++) {
        face.flux[q] = k->flux[q] + speed * (value[q] - k->value[q]);
    }
    return face;
}

/* --- positivity --------------------------------------------------------------------------- */

static struct share keep(const struct share *node, float signed_k, const float flux[5])
{
    struct share share = {.min = node->min};
    for (int i = 0; i < 5; i++) {
        share.value[i] = node->value[i] + signed_k * flux[i];
    }
    return share;
}

static bool good(const struct share *share)
{
    float r = share->value[0], energy = vks_flush(1.001f * share->value[4]);
    return r >= share->min && energy * r >= vks_flush(0.5f * square(&share->value[1]));
}

static float surplus(const struct share *share)
{
    float r = share->value[0];
    return 1.001f * share->value[4] -
           vks_flush(0.5f * square(&share->value[1])) * (r >= tiny ? vks_reciprocal(r) : huge);
}

static float shrunk(float a, float b)
{
    float ratio = b > tiny ? vks_flush((a * vks_reciprocal(b)) * (1.0f - 0x1p-12f)) : 0.0f;
    return smaller(ratio, 1.0f);
}

/* A node's stake in a face; all 0 if it is empty. */
static struct share stake(const struct primitives *node, float energy)
{
    struct share share = {.value = {node->density}, .min = vks_flush(0x1p-16f * node->density)};
    for (int i = 0; i < 3; i++) {
        share.value[1 + i] = vks_flush(node->density * node->u[i]);
    }
    share.value[4] = node->density == 0.0f ? 0.0f : energy;
    return share;
}

static bool both_good(const struct share node[2], float k, const struct gas_grid_face *face)
{
    struct share left = keep(&node[0], -k, face->flux), right = keep(&node[1], k, face->flux);
    return good(&left) && good(&right);
}

/* Mixes a flux with another one as far as the shares of both nodes need it. */
static void mix(const struct share node[2], float k, const struct gas_grid_face *low,
                struct gas_grid_face *face)
{
    const float sign[2] = {-k, k};
    struct share share[2], first[2];
    float theta = 1.0f, energy_theta = 1.0f;
    for (int i = 0; i < 2; i++) {
        share[i] = keep(&node[i], sign[i], face->flux);
        first[i] = keep(&node[i], sign[i], low->flux);
        float r = share[i].value[0], r1 = first[i].value[0], b = node[i].min;
        if (r < b) {
            theta = smaller(theta, r1 > b ? shrunk(r1 - b, r1 - r) : 0.0f);
        }
    }
    for (int q = 0; q < 5; q++) {
        face->flux[q] = low->flux[q] + theta * (face->flux[q] - low->flux[q]);
    }
    for (int i = 0; i < 2; i++) {
        share[i] = keep(&node[i], sign[i], face->flux);
        float now = surplus(&share[i]), then = surplus(&first[i]);
        if (now < 0.0f) {
            energy_theta = smaller(energy_theta, then > 0.0f ? shrunk(then, then - now) : 0.0f);
        }
    }
    for (int q = 0; q < 5; q++) {
        face->flux[q] = low->flux[q] + energy_theta * (face->flux[q] - low->flux[q]);
    }
    face->velocity = low->velocity + energy_theta * (theta * (face->velocity - low->velocity));
    face->heat = energy_theta * (theta * face->heat);
}

static void limit(const struct gas_grid_state *state, const struct primitives *w_l, float energy_l,
                  const struct primitives *w_r, float energy_r, float k, struct gas_grid_face *face)
{
    const struct share node[2] = {stake(w_l, energy_l), stake(w_r, energy_r)};
    if (both_good(node, k, face)) {
        return;
    }
    const struct side l = side_from(state, w_l), r = side_from(state, w_r);
    const struct gas_grid_face none = {0};
    struct gas_grid_face low = rusanov(&l, &r);
    if (!both_good(node, k, &low)) {
        mix(node, k, &none, &low);
    }
    mix(node, k, &low, face);
}

/* --- one face, one stage, one step -------------------------------------------------------- */

/* Heat per volume and mass of one side, 0 where it is empty. */
static float temperature(const struct gas_grid_state *state, const struct primitives *w)
{
    if (w->density == 0.0f) {
        return 0.0f;
    }
    return vks_flush(vks_flush(w->p * state->constants.inverse_g1) * vks_reciprocal(w->density));
}

/* The face between a node and the next one along the axis. */
static struct gas_grid_face face_of(const struct gas_grid_state *state,
                                    float *const u[GAS_GRID_FIELDS], size_t node, int axis)
{
    const struct gas_grid_constants *k = &state->constants;
    size_t right = next(state, node, axis);
    const struct primitives w[4] = {
        at_node(state, u, before(state, node, axis), axis),
        at_node(state, u, node, axis),
        at_node(state, u, right, axis),
        at_node(state, u, next(state, right, axis), axis),
    };
    bool gas_left = w[1].density != 0.0f, gas_right = w[2].density != 0.0f;
    struct gas_grid_face face = {0};
    if (!gas_left && !gas_right) {
        return face;
    }
    const struct primitives w_l = at_face(state, &w[0], &w[1], &w[2], 0.5f);
    const struct primitives w_r = at_face(state, &w[1], &w[2], &w[3], -0.5f);
    const struct side l = side_from(state, &w_l), r = side_from(state, &w_r);
    face = gas_left && gas_right ? hllc(state, &l, &r) : at_vacuum(state, &l, &r);
    if (gas_left && gas_right && k->conductivity > 0.0f) {
        float kappa =
            smaller(k->conductivity, vks_flush(state->cap * smaller(w[1].density, w[2].density)));
        float difference = temperature(state, &w[2]) - temperature(state, &w[1]);
        face.heat = vks_flush((kappa * difference) * k->per_h);
        face.flux[4] = face.flux[4] - face.heat;
    }
    limit(state, &w[1], u[GAS_ENERGY][node], &w[2], u[GAS_ENERGY][right], state->share[axis],
          &face);
    for (int q = 0; q < 5; q++) {
        face.flux[q] = vks_flush(face.flux[q]);
    }
    face.velocity = vks_flush(face.velocity);
    face.internal =
        vks_flush(face.flux[0] * temperature(state, face.flux[0] >= 0.0f ? &w_l : &w_r));
    face.internal = vks_flush(face.internal - face.heat);
    return face;
}

/* R(U), and S + p V for the internal energy, into `change`. */
static void differences(struct gas_grid_state *state, float *const u[GAS_GRID_FIELDS])
{
    bool first = true;
    for (int axis = 0; axis < 3; axis++) {
        if (!active(state, axis)) {
            continue;
        }
        for (size_t node = 0; node < state->nodes; node++) {
            state->faces[node] = face_of(state, u, node, axis);
        }
        const int fields[5] = {GAS_DENSITY, GAS_MOMENTUM_Z + axis, GAS_MOMENTUM_Z + across[axis][0],
                               GAS_MOMENTUM_Z + across[axis][1], GAS_ENERGY};
        for (size_t node = 0; node < state->nodes; node++) {
            const struct gas_grid_face *high = &state->faces[node];
            const struct gas_grid_face *low = &state->faces[before(state, node, axis)];
            for (int q = 0; q < 5; q++) {
                float *sum = &state->change[fields[q]][node];
                float difference = high->flux[q] - low->flux[q];
                *sum = first ? difference : *sum + difference;
            }
            float carried_heat = high->internal - low->internal;
            float volume = high->velocity - low->velocity;
            float *sum = &state->change[GAS_INTERNAL][node], *opening = &state->opening[node];
            *sum = first ? carried_heat : *sum + carried_heat;
            *opening = first ? volume : *opening + volume;
        }
        first = false;
    }
    for (size_t node = 0; node < state->nodes; node++) {
        float *sum = &state->change[GAS_INTERNAL][node];
        *sum = first ? 0.0f : *sum + state->pressure[node] * state->opening[node];
    }
}

void gas_grid_right_hand_side(struct gas_grid_state *state)
{
    differences(state, state->field);
}

static void stage_one(struct gas_grid_state *state)
{
    differences(state, state->field);
    for (int f = 0; f < GAS_GRID_FIELDS; f++) {
        for (size_t node = 0; node < state->nodes; node++) {
            state->middle[f][node] =
                vks_flush(state->field[f][node] - state->lambda * state->change[f][node]);
        }
    }
    for (size_t node = 0; node < state->nodes; node++) {
        primitives_of(state, state->middle, node);
    }
}

static bool stage_two(struct gas_grid_state *state)
{
    differences(state, state->middle);
    bool sound_state = true;
    for (size_t node = 0; node < state->nodes; node++) {
        for (int f = 0; f < GAS_GRID_FIELDS; f++) {
            float middle = f == GAS_INTERNAL ? synchronised(state, state->middle, node)
                                             : state->middle[f][node];
            float after = middle - state->lambda * state->change[f][node];
            state->field[f][node] = vks_flush(0.5f * state->field[f][node] + 0.5f * after);
        }
        sound_state = sound_state && state->field[GAS_DENSITY][node] >= 0.0f &&
                      state->field[GAS_ENERGY][node] >= 0.0f;
    }
    return sound_state;
}

bool gas_grid_step(struct gas_grid_state *state)
{
    if (state->settings.end > 0 && units_of_time(state) >= state->settings.end) {
        measure_mean(state);
        return true;
    }
    gas_grid_prepare(state);
    if (state->settings.gravity > 0.0) {
        gas_grid_gravity(state);
    }
    if (!gas_grid_time_step(state)) {
        return false;
    }
    if (state->settings.gravity > 0.0) {
        kick(state);
    }
    gas_tracers_sample(state);
    stage_one(state);
    bool sound_state = stage_two(state);
    gas_tracers_advect(state);
    return sound_state;
}

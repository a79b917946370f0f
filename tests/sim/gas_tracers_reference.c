/* SPDX-License-Identifier: MIT */
#include "gas_tracers_reference.h"

#include <math.h>
#include <stdlib.h>

#include "../numbers.h"
#include "base/exact.h"
#include "gas_grid_reference.h"
#include "gas_place_reference.h"

bool gas_tracers_create(struct gas_tracers *tracers, uint64_t count, size_t nodes)
{
    float **const of_tracers[] = {
        &tracers->velocity[0], &tracers->velocity[1], &tracers->velocity[2], &tracers->mass,
        &tracers->heat,        &tracers->oscillator,  &tracers->frequency,   &tracers->gain,
    };
    bool complete = true;
    tracers->count = count;
    for (size_t i = 0; i < sizeof(of_tracers) / sizeof(of_tracers[0]); i++) {
        *of_tracers[i] = calloc(count + 1, sizeof(float));
        complete = complete && *of_tracers[i] != NULL;
    }
    for (int axis = 0; axis < 3; axis++) {
        tracers->position[axis] = calloc(count + 1, sizeof(uint32_t));
        complete = complete && tracers->position[axis] != NULL;
    }
    tracers->sum = calloc(nodes, sizeof(uint64_t));
    tracers->share = calloc(nodes, sizeof(float));
    return complete && tracers->sum != NULL && tracers->share != NULL;
}

void gas_tracers_free(struct gas_tracers *tracers)
{
    for (int axis = 0; axis < 3; axis++) {
        free(tracers->position[axis]);
        free(tracers->velocity[axis]);
    }
    free(tracers->mass);
    free(tracers->heat);
    free(tracers->oscillator);
    free(tracers->frequency);
    free(tracers->gain);
    free(tracers->sum);
    free(tracers->share);
}

/* --- the gas around a place ------------------------------------------------------------------- */

struct around {
    bool is_gas;
    float velocity[3], heat;
};

static struct around gas_around(const struct gas_grid_state *state, const uint32_t position[3])
{
    const uint32_t side[3] = {state->depth, state->height, state->width};
    const struct gas_place place = gas_place_of(side, position);
    float density = 0, momentum[3] = {0}, heat = 0;
    struct around around = {0};
    for (unsigned corner = 0; corner < 8; corner++) {
        const size_t node = place.node[corner];
        const float w = place.weight[corner];
        if (gas_grid_empty(state, node)) {
            continue;
        }
        density = density + w * state->field[GAS_DENSITY][node];
        for (int axis = 0; axis < 3; axis++) {
            momentum[axis] = momentum[axis] + w * state->field[GAS_MOMENTUM_Z + axis][node];
        }
        heat = heat + w * gas_grid_heat(state, node);
    }
    density = vks_flush(density);
    around.is_gas = density > state->vacuum && density > 0;
    if (around.is_gas) {
        const float v = vks_reciprocal(density);
        for (int axis = 0; axis < 3; axis++) {
            around.velocity[axis] = vks_flush(momentum[axis] * v);
        }
        around.heat = vks_flush(heat * v);
    }
    return around;
}

static void advected(const struct gas_grid_state *state, const uint32_t from[3],
                     const float velocity[3], uint32_t to[3])
{
    const uint32_t side[3] = {state->depth, state->height, state->width};
    for (int axis = 0; axis < 3; axis++) {
        const float per_side = vks_flush((float)(1.0 / side[axis]));
        const float sides = vks_flush(state->lambda * per_side);
        to[axis] = from[axis] + (side[axis] > 1 ? vks_displacement(velocity[axis], sides) : 0);
    }
}

void gas_tracers_sample(struct gas_grid_state *state)
{
    struct gas_tracers *tracers = &state->tracers;
    for (uint64_t i = 0; i < tracers->count; i++) {
        const uint32_t from[3] = {tracers->position[0][i], tracers->position[1][i],
                                  tracers->position[2][i]};
        const struct around around = gas_around(state, from);
        for (int axis = 0; axis < 3 && around.is_gas; axis++) {
            tracers->velocity[axis][i] = around.velocity[axis];
        }
    }
}

static void advect(struct gas_grid_state *state, uint64_t i)
{
    struct gas_tracers *tracers = &state->tracers;
    const uint32_t from[3] = {tracers->position[0][i], tracers->position[1][i],
                              tracers->position[2][i]};
    const float v[3] = {tracers->velocity[0][i], tracers->velocity[1][i], tracers->velocity[2][i]};
    uint32_t to[3];
    float mean[3];
    advected(state, from, v, to);
    const struct around ahead = gas_around(state, to);
    for (int axis = 0; axis < 3; axis++) {
        const float u = ahead.is_gas ? ahead.velocity[axis] : v[axis];
        mean[axis] = vks_flush(0.5f * (v[axis] + u));
    }
    advected(state, from, mean, to);
    const struct around around = gas_around(state, to);
    for (int axis = 0; axis < 3; axis++) {
        tracers->position[axis][i] = to[axis];
        tracers->velocity[axis][i] = around.is_gas ? around.velocity[axis] : v[axis];
    }
    tracers->heat[i] = around.is_gas ? around.heat : tracers->heat[i];
}

/* --- exchange --------------------------------------------------------------------------------- */

static struct gas_place place_at(const struct gas_grid_state *state, uint64_t i)
{
    const struct gas_tracers *tracers = &state->tracers;
    const uint32_t side[3] = {state->depth, state->height, state->width};
    const uint32_t position[3] = {tracers->position[0][i], tracers->position[1][i],
                                  tracers->position[2][i]};
    return gas_place_of(side, position);
}

/* Gains, all or those over 0, to the nodes. */
static void deposit(struct gas_grid_state *state, int32_t exponent, bool above_zero)
{
    struct gas_tracers *tracers = &state->tracers;
    for (uint64_t i = 0; i < tracers->count; i++) {
        if (!above_zero || tracers->gain[i] > 0) {
            const struct gas_place place = place_at(state, i);
            gas_place_add(tracers->sum, &place, tracers->gain[i], vks_power_of_two(exponent));
        }
    }
}

/* Returns a node's deposits per volume and clears them. */
static float taken_from(struct gas_grid_state *state, size_t node, int32_t exponent)
{
    const double per_h = fmax(state->depth, fmax(state->height, state->width));
    const float per_h3 = vks_flush((float)(per_h * per_h * per_h));
    const float sum = gas_from_fixed(state->tracers.sum[node], vks_power_of_two(-exponent));
    state->tracers.sum[node] = 0;
    return vks_flush(sum * per_h3);
}

static void allot(struct gas_grid_state *state, size_t node, int32_t exponent)
{
    const float requested = taken_from(state, node, exponent);
    float *share = &state->tracers.share[node];
    if (gas_grid_empty(state, node)) {
        *share = -1;
        return;
    }
    const float heat = gas_grid_heat(state, node), energy = state->field[GAS_ENERGY][node];
    const float spare = 0.5f * (heat < energy ? heat : energy);
    *share = spare < requested ? vks_flush(spare * vks_reciprocal(requested)) : 1;
}

static void apply_gain(struct gas_grid_state *state, uint64_t i)
{
    struct gas_tracers *tracers = &state->tracers;
    const struct gas_place place = place_at(state, i);
    const float request = tracers->gain[i], before = tracers->oscillator[i], m = tracers->mass[i];
    float share = 1;
    for (unsigned corner = 0; corner < 8; corner++) {
        if (place.weight[corner] > 0) {
            share = fminf(share, tracers->share[place.node[corner]]);
        }
    }
    tracers->gain[i] = 0;
    if (request == 0 || share < 0) {
        return;
    }
    const float gain = request > 0 ? vks_flush(request * share) : request;
    const float sum = vks_flush(before + gain * vks_reciprocal(m)), after = sum > 0 ? sum : 0;
    const float taken = vks_flush(m * vks_flush(after - before));
    if (fabsf(taken) <= 1.5f * fabsf(gain)) {
        tracers->oscillator[i] = after;
        tracers->gain[i] = taken;
    }
}

static void exchange(struct gas_grid_state *state)
{
    struct gas_tracers *tracers = &state->tracers;
    const float mean = float_of(state->clockwork[GAS_MEAN]);
    const float dt = float_of(state->clockwork[GAS_LAST_DT]);
    float max = 0;
    int32_t bits = 0;
    for (uint64_t i = 0; i < tracers->count; i++) {
        float heat = tracers->heat[i], oscillator = tracers->oscillator[i];
        gas_exchange(&tracers->exchange, mean, dt, tracers->mass[i], tracers->frequency[i], &heat,
                     &oscillator);
        const float gain = vks_flush(oscillator - tracers->oscillator[i]);
        tracers->gain[i] = vks_flush(tracers->mass[i] * gain);
        max = fmaxf(max, fabsf(tracers->gain[i]));
    }
    for (uint64_t rest = tracers->count - 1; rest != 0; rest >>= 1) {
        bits++;
    }
    const int32_t finest = 59 - bits - gas_exponent_of(max);
    const int32_t exponent = finest < 126 ? finest : 126;
    deposit(state, exponent, true);
    for (size_t node = 0; node < state->nodes; node++) {
        allot(state, node, exponent);
    }
    for (uint64_t i = 0; i < tracers->count; i++) {
        apply_gain(state, i);
    }
    deposit(state, exponent, false);
    for (size_t node = 0; node < state->nodes; node++) {
        const float taken = taken_from(state, node, exponent);
        float *energy = &state->field[GAS_ENERGY][node];
        float *internal = &state->field[GAS_INTERNAL][node];
        *energy = vks_flush(*energy - taken);
        *internal = fmaxf(0, vks_flush(*internal - taken));
    }
}

void gas_tracers_advect(struct gas_grid_state *state)
{
    for (uint64_t i = 0; i < state->tracers.count; i++) {
        advect(state, i);
    }
    if (state->tracers.exchange.on) {
        exchange(state);
    }
}

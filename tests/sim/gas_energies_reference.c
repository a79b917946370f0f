/* SPDX-License-Identifier: MIT */
#include "gas_energies_reference.h"

#include <math.h>
#include <stdlib.h>

#include "../numbers.h"
#include "base/exact.h"

enum { TALLY_KINETIC, TALLY_HEAT, TALLY_OSCILLATORS, TALLY_POTENTIAL, TALLY_WORK, TALLY_PULL };
enum { TALLIES = 6 };

/* The terms of the sums, one per particle or node. */
struct tally {
    float *values[TALLIES];
    uint64_t counts[TALLIES];
};

static bool allocate(struct tally *tally)
{
    bool complete = true;
    for (int i = 0; i < TALLIES; i++) {
        tally->values[i] = calloc(tally->counts[i] + 1, sizeof(float));
        complete = complete && tally->values[i] != NULL;
    }
    return complete;
}

static void clear(struct tally *tally)
{
    for (int i = 0; i < TALLIES; i++) {
        free(tally->values[i]);
    }
}

static float sum_of(const struct tally *tally, int which)
{
    const float *values = tally->values[which];
    const uint64_t count = tally->counts[which];
    float max = 0.0f;
    for (uint64_t i = 0; i < count; i++) {
        max = fmaxf(max, fabsf(values[i]));
    }
    int bits = 0;
    while (count > 1 && (count - 1) >> bits > 0) {
        bits++;
    }
    int exponent = 60 - bits - gas_exponent_of(max);
    exponent = exponent < 126 ? exponent : 126;
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        sum += gas_fixed(values[i], vks_power_of_two(exponent));
    }
    return gas_from_fixed(sum, vks_power_of_two(-exponent));
}

/* The energies. Values of nodes are per volume; on a grid, so are kinetic energy and heat. */
static void finish(const struct tally *tally, bool on_grid, float h, float h2, float dt,
                   float energies[GAS_ENERGIES])
{
    float sums[TALLIES];
    for (int i = 0; i < TALLIES; i++) {
        sums[i] = sum_of(tally, i);
        if (i >= TALLY_POTENTIAL || (on_grid && i != TALLY_OSCILLATORS)) {
            sums[i] = vks_flush(vks_flush(sums[i] * h) * h2);
        }
    }
    float late = 0.5f * dt;
    float square = vks_flush(0.5f * late * sums[TALLY_PULL]);
    float work = vks_flush(vks_flush(sums[TALLY_WORK] + square) * late);
    float kinetic = vks_flush(sums[TALLY_KINETIC] + work);
    energies[GAS_KINETIC] = kinetic;
    energies[GAS_HEAT] = sums[TALLY_HEAT];
    energies[GAS_OSCILLATORS] = sums[TALLY_OSCILLATORS];
    energies[GAS_POTENTIAL] = sums[TALLY_POTENTIAL];
    energies[GAS_ALL] =
        vks_flush(((kinetic + sums[TALLY_HEAT]) + sums[TALLY_OSCILLATORS]) + sums[TALLY_POTENTIAL]);
}

/* Adds a node's terms of gravity: density, potential and acceleration, and work per volume and
 * time. */
static void weigh(const struct tally *tally, uint64_t node, float density, float potential,
                  const float g[3], float work)
{
    tally->values[TALLY_POTENTIAL][node] = vks_flush(vks_flush(0.5f * potential) * density);
    tally->values[TALLY_WORK][node] = vks_flush(work);
    tally->values[TALLY_PULL][node] =
        vks_flush(vks_flush((g[0] * g[0] + g[1] * g[1]) + g[2] * g[2]) * density);
}

bool gas_particles_energies(struct gas_particles_state *state, float energies[GAS_ENERGIES])
{
    const uint64_t nodes = gas_particles_nodes_of(state), count = state->count;
    struct tally tally = {.counts = {count, count, count, nodes, nodes, nodes}};
    const bool good = allocate(&tally);
    for (uint64_t i = 0; good && i < count; i++) {
        const float v[3] = {state->velocity[GAS_Z][i], state->velocity[GAS_Y][i],
                            state->velocity[GAS_X][i]};
        const float motion = vks_flush(0.5f * ((v[0] * v[0] + v[1] * v[1]) + v[2] * v[2]));
        tally.values[TALLY_KINETIC][i] = vks_flush(motion * state->mass[i]);
        tally.values[TALLY_HEAT][i] = vks_flush(state->heat[i] * state->mass[i]);
        tally.values[TALLY_OSCILLATORS][i] = vks_flush(state->oscillator[i] * state->mass[i]);
    }
    if (good && state->settings.gravity > 0.0) {
        if (state->clockwork[GAS_MEAN] == 0) {
            gas_particles_units(state);
        }
        gas_particles_deposit(state);
        gas_particles_nodes(state);
        gas_particles_gravity(state);
        for (uint64_t n = 0; n < nodes; n++) {
            const float g[3] = {state->pull[GAS_Z][n], state->pull[GAS_Y][n],
                                state->pull[GAS_X][n]};
            const float work =
                (state->velocity_at[GAS_Z][n] * g[0] + state->velocity_at[GAS_Y][n] * g[1]) +
                state->velocity_at[GAS_X][n] * g[2];
            weigh(&tally, n, state->density[n], state->potential[n], g,
                  vks_flush(work) * state->density[n]);
        }
    }
    if (good) {
        finish(&tally, false, state->constants.h, state->constants.h2,
               float_of(state->clockwork[GAS_LAST_DT]), energies);
    }
    clear(&tally);
    return good;
}

bool gas_grid_energies(struct gas_grid_state *state, float energies[GAS_ENERGIES])
{
    const uint64_t nodes = state->nodes, count = state->tracers.count;
    struct tally tally = {.counts = {nodes, nodes, count, nodes, nodes, nodes}};
    const bool good = allocate(&tally);
    if (good && state->clockwork[GAS_MEAN] == 0) {
        gas_grid_prepare(state);
    }
    for (uint64_t i = 0; good && i < count; i++) {
        tally.values[TALLY_OSCILLATORS][i] =
            vks_flush(state->tracers.oscillator[i] * state->tracers.mass[i]);
    }
    if (good && state->settings.gravity > 0.0) {
        gas_grid_pull(state);
    }
    for (uint64_t n = 0; good && n < nodes; n++) {
        const float density = state->field[GAS_DENSITY][n], energy = state->field[GAS_ENERGY][n];
        const float m[3] = {state->field[GAS_MOMENTUM_Z][n], state->field[GAS_MOMENTUM_Y][n],
                            state->field[GAS_MOMENTUM_X][n]};
        float motion = 0.0f;
        if (!gas_grid_empty(state, n)) {
            const float v = vks_reciprocal(density);
            const float u[3] = {vks_flush(m[0] * v), vks_flush(m[1] * v), vks_flush(m[2] * v)};
            motion = 0.5f * ((m[0] * u[0] + m[1] * u[1]) + m[2] * u[2]);
        }
        const float heat = vks_flush(energy - motion);
        tally.values[TALLY_HEAT][n] = heat;
        tally.values[TALLY_KINETIC][n] = vks_flush(energy - heat);
        if (state->settings.gravity > 0.0) {
            const float g[3] = {state->acceleration[0][n], state->acceleration[1][n],
                                state->acceleration[2][n]};
            weigh(&tally, n, density, state->potential[n], g,
                  (m[0] * g[0] + m[1] * g[1]) + m[2] * g[2]);
        }
    }
    if (good) {
        finish(&tally, true, state->constants.h, state->constants.h2,
               float_of(state->clockwork[GAS_LAST_DT]), energies);
    }
    clear(&tally);
    return good;
}

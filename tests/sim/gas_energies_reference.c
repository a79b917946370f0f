/* SPDX-License-Identifier: MIT */
#include "gas_energies_reference.h"

#include <math.h>
#include <stdlib.h>

#include "../numbers.h"
#include "base/exact.h"

enum { SUM_KINETIC, SUM_HEAT, SUM_OSCILLATORS, SUM_POTENTIAL, SUM_WORK, SUM_ACCELERATION };
enum { SUM_COUNT = 6 };

/* The terms of the totals, one per particle or node. */
struct terms {
    float *values[SUM_COUNT];
    uint64_t counts[SUM_COUNT];
};

static bool allocate(struct terms *terms)
{
    bool complete = true;
    for (int i = 0; i < SUM_COUNT; i++) {
        terms->values[i] = calloc(terms->counts[i] + 1, sizeof(float));
        complete = complete && terms->values[i] != NULL;
    }
    return complete;
}

static void clear(struct terms *terms)
{
    for (int i = 0; i < SUM_COUNT; i++) {
        free(terms->values[i]);
    }
}

static float sum_of(const struct terms *terms, int which)
{
    const float *values = terms->values[which];
    const uint64_t count = terms->counts[which];
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
static void finish(const struct terms *terms, bool on_grid, float h, float h2, float dt,
                   float energies[GAS_ENERGIES])
{
    float totals[SUM_COUNT];
    for (int i = 0; i < SUM_COUNT; i++) {
        totals[i] = sum_of(terms, i);
        if (i >= SUM_POTENTIAL || (on_grid && i != SUM_OSCILLATORS)) {
            totals[i] = vks_flush(vks_flush(totals[i] * h) * h2);
        }
    }
    float half_step = 0.5f * dt;
    float square = vks_flush(0.5f * half_step * totals[SUM_ACCELERATION]);
    float work = vks_flush(vks_flush(totals[SUM_WORK] + square) * half_step);
    float kinetic = vks_flush(totals[SUM_KINETIC] + work);
    energies[GAS_KINETIC] = kinetic;
    energies[GAS_HEAT] = totals[SUM_HEAT];
    energies[GAS_OSCILLATORS] = totals[SUM_OSCILLATORS];
    energies[GAS_POTENTIAL] = totals[SUM_POTENTIAL];
    energies[GAS_ALL] =
        vks_flush(((kinetic + totals[SUM_HEAT]) + totals[SUM_OSCILLATORS]) + totals[SUM_POTENTIAL]);
}

/* Adds a node's terms of gravity: density, potential and acceleration, and work per volume and
 * time. */
static void weigh(const struct terms *terms, uint64_t node, float density, float potential,
                  const float g[3], float work)
{
    terms->values[SUM_POTENTIAL][node] = vks_flush(vks_flush(0.5f * potential) * density);
    terms->values[SUM_WORK][node] = vks_flush(work);
    terms->values[SUM_ACCELERATION][node] =
        vks_flush(vks_flush((g[0] * g[0] + g[1] * g[1]) + g[2] * g[2]) * density);
}

bool gas_particles_energies(struct gas_particles_state *state, float energies[GAS_ENERGIES])
{
    const uint64_t nodes = gas_particles_nodes_of(state), count = state->count;
    struct terms terms = {.counts = {count, count, count, nodes, nodes, nodes}};
    const bool good = allocate(&terms);
    for (uint64_t i = 0; good && i < count; i++) {
        const float v[3] = {state->velocity[GAS_Z][i], state->velocity[GAS_Y][i],
                            state->velocity[GAS_X][i]};
        const float motion = vks_flush(0.5f * ((v[0] * v[0] + v[1] * v[1]) + v[2] * v[2]));
        terms.values[SUM_KINETIC][i] = vks_flush(motion * state->mass[i]);
        terms.values[SUM_HEAT][i] = vks_flush(state->heat[i] * state->mass[i]);
        terms.values[SUM_OSCILLATORS][i] = vks_flush(state->oscillator[i] * state->mass[i]);
    }
    if (good && state->settings.gravity > 0.0) {
        if (state->clockwork[GAS_MEAN] == 0) {
            gas_particles_units(state);
        }
        gas_particles_deposit(state);
        gas_particles_nodes(state);
        gas_particles_gravity(state);
        for (uint64_t n = 0; n < nodes; n++) {
            const float g[3] = {state->acceleration[GAS_Z][n], state->acceleration[GAS_Y][n],
                                state->acceleration[GAS_X][n]};
            const float work =
                (state->velocity_at[GAS_Z][n] * g[0] + state->velocity_at[GAS_Y][n] * g[1]) +
                state->velocity_at[GAS_X][n] * g[2];
            weigh(&terms, n, state->density[n], state->potential[n], g,
                  vks_flush(work) * state->density[n]);
        }
    }
    if (good) {
        finish(&terms, false, state->constants.h, state->constants.h2,
               float_of(state->clockwork[GAS_LAST_DT]), energies);
    }
    clear(&terms);
    return good;
}

bool gas_grid_energies(struct gas_grid_state *state, float energies[GAS_ENERGIES])
{
    const uint64_t nodes = state->nodes, count = state->tracers.count;
    struct terms terms = {.counts = {nodes, nodes, count, nodes, nodes, nodes}};
    const bool good = allocate(&terms);
    if (good && state->clockwork[GAS_MEAN] == 0) {
        gas_grid_prepare(state);
    }
    for (uint64_t i = 0; good && i < count; i++) {
        terms.values[SUM_OSCILLATORS][i] =
            vks_flush(state->tracers.oscillator[i] * state->tracers.mass[i]);
    }
    if (good && state->settings.gravity > 0.0) {
        gas_grid_gravity(state);
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
        terms.values[SUM_HEAT][n] = heat;
        terms.values[SUM_KINETIC][n] = vks_flush(energy - heat);
        if (state->settings.gravity > 0.0) {
            const float g[3] = {state->acceleration[0][n], state->acceleration[1][n],
                                state->acceleration[2][n]};
            weigh(&terms, n, density, state->potential[n], g,
                  (m[0] * g[0] + m[1] * g[1]) + m[2] * g[2]);
        }
    }
    if (good) {
        finish(&terms, true, state->constants.h, state->constants.h2,
               float_of(state->clockwork[GAS_LAST_DT]), energies);
    }
    clear(&terms);
    return good;
}

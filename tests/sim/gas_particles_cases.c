/* SPDX-License-Identifier: MIT */
/* Recorded runs of the gas of particles, by the reference. */
#include <math.h>

#include "gas_cases.h"
#include "gas_particles_reference.h"
#include "gas_start_reference.h"

static void *begin(const struct gas_case *row)
{
    struct gas_options options;
    struct gas_start start = {0};
    struct gas_particles_state *state = NULL;
    if (gas_options_parse(row->options, &options) &&
        gas_start_init(&start, row->start, row->depth, row->height, row->width, GAS_SEED,
                       &options)) {
        const struct gas_particles_settings settings = {
            .gamma = options.gamma,
            .gravity = options.gravity,
            .conductivity = options.conductivity,
            .dt = options.dt,
            .cfl = options.cfl,
            .end = (uint64_t)llround(options.end_time * 0x1p40),
            .mixing = options.mixing,
            .boltzmann = options.boltzmann,
            .planck = options.planck,
            .exchange_time = options.exchange_time};
        state =
            gas_particles_create(row->depth, row->height, row->width, options.particles, &settings);
    }
    if (state) {
        gas_start_particles(&start, state->position, state->velocity, state->mass, state->heat);
        gas_start_frequencies(&start, state->frequency);
    }
    gas_start_free(&start);
    return state;
}

static bool step(void *state)
{
    return gas_particles_step(state);
}

static void end(void *state)
{
    gas_particles_free(state);
}

static const char *field(void *reference, size_t index, void **data, size_t *bytes)
{
    const struct gas_particles_state *state = reference;
    const struct {
        const char *name;
        void *data;
    } fields[] = {
        {"z", state->position[GAS_Z]},
        {"y", state->position[GAS_Y]},
        {"x", state->position[GAS_X]},
        {"vz", state->velocity[GAS_Z]},
        {"vy", state->velocity[GAS_Y]},
        {"vx", state->velocity[GAS_X]},
        {"mass", state->mass},
        {"heat", state->heat},
        {"oscillator", state->oscillator},
        {"frequency", state->frequency},
        {"clockwork", (void *)state->clockwork},
    };
    const size_t count = sizeof(fields) / sizeof(fields[0]);
    if (index >= count) {
        return NULL;
    }
    *data = fields[index].data;
    *bytes = index + 1 < count ? 4 * state->count : sizeof(state->clockwork);
    return fields[index].name;
}

static bool energies(void *state, float out[GAS_ENERGIES])
{
    return gas_particles_energies(state, out);
}

const struct gas_reference gas_particles_reference = {begin, step, end, field, energies};

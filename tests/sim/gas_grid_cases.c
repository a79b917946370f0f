/* SPDX-License-Identifier: MIT */
/* Recorded runs of the gas on a grid, by the reference. */
#include <math.h>

#include "gas_cases.h"
#include "gas_grid_reference.h"
#include "gas_start_reference.h"

static void *begin(const struct gas_case *row)
{
    struct gas_options options;
    struct gas_start start = {0};
    struct gas_grid_state *state = NULL;
    if (gas_options_parse(row->options, &options) &&
        gas_start_init(&start, row->start, row->depth, row->height, row->width, GAS_SEED,
                       &options)) {
        const struct gas_grid_settings settings = {.gamma = options.gamma,
                                                   .gravity = options.gravity,
                                                   .conductivity = options.conductivity,
                                                   .dt = options.dt,
                                                   .cfl = options.cfl,
                                                   .end =
                                                       (uint64_t)llround(options.end_time * 0x1p40),
                                                   .particles = options.particles,
                                                   .boltzmann = options.boltzmann,
                                                   .planck = options.planck,
                                                   .exchange_time = options.exchange_time};
        state = gas_grid_create(row->width, row->height, row->depth, &settings);
    }
    if (state) {
        const struct gas_tracers *tracers = &state->tracers;
        gas_start_grid(&start, state->field);
        if (tracers->count > 0) {
            gas_start_particles(&start, tracers->position, tracers->velocity, tracers->mass,
                                tracers->heat);
            gas_start_frequencies(&start, tracers->frequency);
        }
    }
    gas_start_free(&start);
    return state;
}

static bool step(void *state)
{
    return gas_grid_step(state);
}

static void end(void *state)
{
    gas_grid_free(state);
}

static const char *field(void *reference, size_t index, void **data, size_t *bytes)
{
    struct gas_grid_state *state = reference;
    const struct gas_tracers *tracers = &state->tracers;
    const size_t of_nodes = state->nodes * sizeof(float), of_tracers = tracers->count * 4;
    const struct {
        const char *name;
        void *data;
        size_t bytes;
    } fields[] = {
        {"density", state->field[GAS_DENSITY], of_nodes},
        {"momentum_z", state->field[GAS_MOMENTUM_Z], of_nodes},
        {"momentum_y", state->field[GAS_MOMENTUM_Y], of_nodes},
        {"momentum_x", state->field[GAS_MOMENTUM_X], of_nodes},
        {"energy", state->field[GAS_ENERGY], of_nodes},
        {"internal", state->field[GAS_INTERNAL], of_nodes},
        {"z", tracers->position[0], of_tracers},
        {"y", tracers->position[1], of_tracers},
        {"x", tracers->position[2], of_tracers},
        {"vz", tracers->velocity[0], of_tracers},
        {"vy", tracers->velocity[1], of_tracers},
        {"vx", tracers->velocity[2], of_tracers},
        {"mass", tracers->mass, of_tracers},
        {"heat", tracers->heat, of_tracers},
        {"oscillator", tracers->oscillator, of_tracers},
        {"frequency", tracers->frequency, of_tracers},
    };
    const size_t without = GAS_GRID_FIELDS, all = sizeof(fields) / sizeof(fields[0]);
    const size_t count = tracers->count > 0 ? all : without;
    if (index < count) {
        *data = fields[index].data;
        *bytes = fields[index].bytes;
        return fields[index].name;
    }
    *data = state->clockwork;
    *bytes = sizeof(state->clockwork);
    return index == count ? "clockwork" : NULL;
}

static bool energies(void *state, float out[GAS_ENERGIES])
{
    return gas_grid_energies(state, out);
}

const struct gas_reference gas_grid_reference = {begin, step, end, field, energies};

/* SPDX-License-Identifier: MIT */
/* Recorded runs of the gas on a grid, by the reference. */
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
                                                   .cfl = options.cfl};
        state = gas_grid_create(row->width, row->height, row->depth, &settings);
    }
    if (state) {
        gas_start_grid(&start, state->field);
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
    static const char *const names[GAS_GRID_FIELDS] = {
        [GAS_DENSITY] = "density",       [GAS_MOMENTUM_Z] = "momentum_z",
        [GAS_MOMENTUM_Y] = "momentum_y", [GAS_MOMENTUM_X] = "momentum_x",
        [GAS_ENERGY] = "energy",         [GAS_INTERNAL] = "internal",
    };
    struct gas_grid_state *state = reference;
    if (index < GAS_GRID_FIELDS) {
        *data = state->field[index];
        *bytes = state->nodes * sizeof(float);
        return names[index];
    }
    *data = state->clockwork;
    *bytes = sizeof(state->clockwork);
    return index == GAS_GRID_FIELDS ? "clockwork" : NULL;
}

const struct gas_reference gas_grid_reference = {begin, step, end, field};

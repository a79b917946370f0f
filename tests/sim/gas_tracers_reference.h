/* SPDX-License-Identifier: MIT */
/* "Tracers" of docs/sims/gas.md in plain C, over the grid's reference. */
#ifndef VKS_TESTS_SIM_GAS_TRACERS_REFERENCE_H
#define VKS_TESTS_SIM_GAS_TRACERS_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gas_exchange_reference.h"

struct gas_grid_state;

struct gas_tracers {
    uint64_t count;
    struct gas_exchange exchange;
    uint32_t *position[3]; /* z, y, x; fractions of the side in 2^-32 */
    float *velocity[3];
    float *mass, *heat, *oscillator, *frequency;

    /* Scratch: of the tracers, and of the nodes. */
    float *gain;
    uint64_t *sum;
    float *share;
};

/* All 0; false when memory ran out. gas_tracers_free() either way. */
bool gas_tracers_create(struct gas_tracers *tracers, uint64_t count, size_t nodes);
void gas_tracers_free(struct gas_tracers *tracers);

/* Before the first stage, and after the second. */
void gas_tracers_sample(struct gas_grid_state *state);
void gas_tracers_advect(struct gas_grid_state *state);

#endif

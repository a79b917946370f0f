/* SPDX-License-Identifier: MIT */
/* The place of a particle or tracer among the nodes, and its deposits: docs/sims/gas.md in plain
 * C. */
#ifndef VKS_TESTS_SIM_GAS_PLACE_REFERENCE_H
#define VKS_TESTS_SIM_GAS_PLACE_REFERENCE_H

#include <stdint.h>

/* The eight nodes around a place and their weights; skipped ones have weight 0. */
struct gas_place {
    uint64_t node[8];
    float weight[8];
    unsigned nearest; /* number of a corner */
};

/* Sides and position z, y, x. */
struct gas_place gas_place_of(const uint32_t side[3], const uint32_t position[3]);

/* Adds an amount to the sums of the nodes in units of 1 / scale. */
void gas_place_add(uint64_t *sums, const struct gas_place *place, float amount, float scale);

/* Fixed-point sums as in the library. */
uint64_t gas_fixed(float amount, float scale);
float gas_from_fixed(uint64_t sum, float unit);

/* 2^e <= a < 2^(e + 1); -60 for 0. */
int32_t gas_exponent_of(float a);

#endif

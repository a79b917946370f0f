/* SPDX-License-Identifier: MIT */
/* What the tests of the gas's two methods on a device share. */
#ifndef VKS_TESTS_SIM_GAS_TEST_H
#define VKS_TESTS_SIM_GAS_TEST_H

#include "sim_test.h"

/* A run that a method's reference repeats, from the state at its start. */
struct gas_case {
    const char *name;
    uint32_t width, height, depth;
    const char *start, *options;
    uint32_t steps;
};

/* The run of a case; `method` is "method=..." and what else it needs. */
struct sim_run gas_run_of(const struct gas_case *row, const char *method);

/* Reads the field into `data` of that size. */
bool gas_read(vks_simulation *simulation, const char *field, void *data, size_t size);
/* True if the field has these bytes on the device; otherwise says where they differ first. */
bool gas_same(vks_simulation *simulation, const char *field, const void *expected, size_t size);

/* Every case on the device against the reference, byte for byte. */
void gas_test_grid(vks_context *context);
void gas_test_particles(vks_context *context);

#endif

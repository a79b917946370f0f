/* SPDX-License-Identifier: MIT */
/* What the tests of the gas's two methods on a device share. */
#ifndef VKS_TESTS_SIM_GAS_TEST_H
#define VKS_TESTS_SIM_GAS_TEST_H

#include "gas_cases.h"
#include "sim_test.h"

/* True if the device has the reference's state, with the clockwork or without it; otherwise says
 * where they differ first. */
bool gas_same_state(vks_simulation *simulation, const struct gas_reference *reference, void *state,
                    bool with_clockwork);

/* The laws of runs: gas_runs_test.c. */
void gas_test_runs(vks_context *context);
/* States from outside: gas_state_test.c. */
void gas_test_states(vks_context *context);

/* The run of a case. */
struct sim_run gas_run_of(const struct gas_case *row);

#endif

/* SPDX-License-Identifier: MIT */
/* Shared by the tests of both methods of the gas on a device. */
#ifndef VKS_TESTS_SIM_GAS_TEST_H
#define VKS_TESTS_SIM_GAS_TEST_H

#include "gas_cases.h"
#include "sim_test.h"

/* True if the device has the reference's state, with or without the clockwork; otherwise reports
 * the first difference. */
bool gas_same_state(vks_simulation *simulation, const struct gas_reference *reference, void *state,
                    bool with_clockwork);

/* The laws of runs: gas_runs_test.c. */
void gas_test_runs(vks_context *context);
/* External states: gas_state_test.c. */
void gas_test_states(vks_context *context);

/* The run of a case. */
struct sim_run gas_run_of(const struct gas_case *row);

#endif

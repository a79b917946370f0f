/* SPDX-License-Identifier: MIT */
#include "gas_test.h"
void gas_test_runs(vks_context *context){(void)context;}
void gas_test_states(vks_context *context){(void)context;}

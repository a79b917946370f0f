/* SPDX-License-Identifier: MIT */
/* Crowds of agents, whose counts do not fit the bytes of the deposits. */
#ifndef VKS_TESTS_SIM_PHYSARUM_CROWDS_H
#define VKS_TESTS_SIM_PHYSARUM_CROWDS_H

#include "api/simulation.h"

void physarum_test_crowds(vks_context *context);

#endif

/* SPDX-License-Identifier: MIT */
/* Words of the gas's clockwork: docs/sims/gas.md, "The clock". */
#ifndef VKS_TESTS_SIM_GAS_CLOCKWORK_H
#define VKS_TESTS_SIM_GAS_CLOCKWORK_H

enum {
    GAS_TIME_LOW,
    GAS_TIME_HIGH,
    GAS_LAST_DT,
    GAS_MEAN,
    GAS_MASS_EXPONENT,
    GAS_ENERGY_EXPONENT,
    GAS_MOMENTUM_EXPONENT,
    GAS_TOTAL_MASS,
    GAS_TOTAL_ENERGY_LOW,
    GAS_TOTAL_ENERGY_HIGH,
    GAS_CLOCKWORK_WORDS = 16
};

#endif

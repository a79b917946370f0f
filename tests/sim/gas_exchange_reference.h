/* SPDX-License-Identifier: MIT */
/* "Exchange" of docs/sims/gas.md in plain C, for particles and tracers. */
#ifndef VKS_TESTS_SIM_GAS_EXCHANGE_REFERENCE_H
#define VKS_TESTS_SIM_GAS_EXCHANGE_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

/* The options by their names. */
struct gas_exchange_settings {
    double boltzmann, planck, exchange_time, conductivity;
};

/* Constants computed once on the host. */
struct gas_exchange {
    bool on;
    float boltzmann, quantum, per_tau, leak;
};
struct gas_exchange gas_exchange_of(const struct gas_exchange_settings *settings,
                                    const uint32_t side[3], uint64_t particles);

/* Exchanges for `dt` in gas of that mean density. */
void gas_exchange(const struct gas_exchange *exchange, float mean, float dt, float mass,
                  float frequency, float *heat, float *oscillator);

#endif

/* SPDX-License-Identifier: MIT */
/* Exchange between heat and oscillators in float64: the equations of docs/sims/gas.md with the C
 * library's functions, for whole particles. */
#ifndef VKS_TESTS_SIM_GAS_EXCHANGE_MODEL_H
#define VKS_TESTS_SIM_GAS_EXCHANGE_MODEL_H

struct gas_exchange_model {
    double boltzmann, planck; /* k_B and hbar */
    double exchange_time;     /* 0: mass / leak */
    double leak;
};

/* Energy of an oscillator in equilibrium at temperature t; `slope` gets its derivative. */
double gas_exchange_model_equilibrium(const struct gas_exchange_model *model, double frequency,
                                      double t, double *slope);

/* Exchanges for dt; heat and oscillator of the whole particle. */
void gas_exchange_model_step(const struct gas_exchange_model *model, double dt, double mass,
                             double frequency, double *heat, double *oscillator);

#endif

/* SPDX-License-Identifier: MIT */
#include "gas_exchange_model.h"

#include <math.h>

double gas_exchange_model_equilibrium(const struct gas_exchange_model *model, double frequency,
                                      double t, double *slope)
{
    double x = t > 0.0 ? model->planck * fabs(frequency) / (model->boltzmann * t) : INFINITY;
    double r = x == 0.0 ? 1.0 : x < 700.0 ? x / expm1(x) : 0.0;
    *slope = x < 700.0 ? model->boltzmann * r * (r + x) : 0.0;
    return t > 0.0 ? model->boltzmann * t * r : 0.0;
}

void gas_exchange_model_step(const struct gas_exchange_model *model, double dt, double mass,
                             double frequency, double *heat, double *oscillator)
{
    double sum = *heat + *oscillator;
    double q = sum;
    double slope = 0.0;
    for (int iteration = 0; iteration < 60; iteration++) {
        double e = gas_exchange_model_equilibrium(model, frequency, q / mass, &slope);
        q = fmin(fmax(q - (q + e - sum) / (1.0 + slope / mass), 0.0), sum);
    }
    gas_exchange_model_equilibrium(model, frequency, q / mass, &slope);
    double tau = model->exchange_time > 0.0 ? model->exchange_time : mass / model->leak;
    double alpha = -expm1(-dt / tau * (1.0 + slope / mass));
    double gain = fmin(fmax(alpha * (sum - q - *oscillator), -*oscillator), *heat);
    *oscillator += gain;
    *heat -= gain;
}

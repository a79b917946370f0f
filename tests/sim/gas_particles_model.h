/* SPDX-License-Identifier: MIT */
/* The gas of particles in float64: the formulas of docs/sims/gas.md with the C library's functions,
 * no fixed point and a Fourier sum for gravity. It shares the options and the layout of the arrays
 * with the reference, and no arithmetic. */
#ifndef VKS_TESTS_SIM_GAS_PARTICLES_MODEL_H
#define VKS_TESTS_SIM_GAS_PARTICLES_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "gas_particles_reference.h"

struct gas_particles_model {
    uint32_t side[3]; /* D, H, W */
    uint64_t count;
    struct gas_particles_settings settings;
    /* Of the exchange between heat and oscillators, hbar and k_B; boltzmann 0 turns it off. */
    double planck, boltzmann;
    double empty; /* nodes of less mass are empty */

    double *position[3]; /* fractions of the side, [0, 1) */
    double *velocity[3];
    double *mass, *heat, *oscillator, *frequency;
    double time, dt; /* dt: of the last step, 0 before the first, then of this one */
    double dt_last;  /* of the step before */
    double smooth;   /* changes of velocities that are not limited, in speeds of sound */

    /* One per node. */
    bool *occupied;
    double *density, *velocity_at[3], *heat_at, *kinetic_at, *dispersion_at;
    double *share; /* of the deviations from the mean that the step removes */
    double *potential, *acceleration[3];
    double *p, *c, *predicted_p, *predicted_u[3], *slope_u[3], *slope_p[3];
    double *new_u[3], *change; /* u' and e' - e */
};

/* The same moment of the same run as `state`, before its next step; NULL when memory ran out. */
struct gas_particles_model *gas_particles_model_create(const struct gas_particles_state *state);
void gas_particles_model_free(struct gas_particles_model *model); /* takes NULL */
void gas_particles_model_step(struct gas_particles_model *model);

/* The parts of a step: node states and gravity; dt and shares; the rest, with the current dt and
 * shares. */
void gas_particles_model_measure(struct gas_particles_model *model);
void gas_particles_model_time_step(struct gas_particles_model *model);
void gas_particles_model_advance(struct gas_particles_model *model);

#endif

/* SPDX-License-Identifier: MIT */
/* The gas on a grid as equations, in double: finite volumes with HLLC fluxes, monotonised central
 * slopes, total and internal energy, two-stage Runge-Kutta. Shares no text with the reference. */
#ifndef VKS_TESTS_SIM_GAS_GRID_MODEL_H
#define VKS_TESTS_SIM_GAS_GRID_MODEL_H

#include <stddef.h>

enum { GAS_MODEL_FIELDS = 6 }; /* density, momenta z, y, x, energy, internal energy */

struct gas_model_parameters {
    double gamma, conductivity, cfl, longest;
    double vacuum; /* density up to which a node is empty */
};

struct gas_model {
    size_t side[3], nodes; /* z, y, x */
    double h;
    struct gas_model_parameters parameters;
    double *field[GAS_MODEL_FIELDS];
    double *rates[GAS_MODEL_FIELDS]; /* dU/dt */
    double *primitive[5];            /* density, u, p */
    double *save[GAS_MODEL_FIELDS];
    double fastest[3]; /* |u| + c along each axis at the start of the step */
};

/* All fields are 0; NULL when memory ran out. */
struct gas_model *gas_model_create(size_t depth, size_t height, size_t width,
                                   const struct gas_model_parameters *parameters);
void gas_model_free(struct gas_model *model); /* takes NULL */

void gas_model_synchronise(struct gas_model *model);
/* The longest stable step; measures `fastest`. */
double gas_model_longest_dt(struct gas_model *model);
/* dU/dt for a step of dt, which limits the fluxes. This and a step end the program when memory runs
 * out. */
void gas_model_find_rates(struct gas_model *model, double dt);
/* One step of dt with the acceleration g (z, y, x, of the nodes; NULL: none) for `half` before it.
 */
void gas_model_step(struct gas_model *model, double dt, double *const g[3], double half);

#endif

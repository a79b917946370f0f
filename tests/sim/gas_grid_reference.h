/* SPDX-License-Identifier: MIT */
/* `--method grid` of docs/sims/gas.md in plain C, one thread, operation by operation: the bytes
 * that every device must produce. */
#ifndef VKS_TESTS_SIM_GAS_GRID_REFERENCE_H
#define VKS_TESTS_SIM_GAS_GRID_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gas_clockwork.h"
#include "gas_tracers_reference.h"

enum gas_grid_field {
    GAS_DENSITY,
    GAS_MOMENTUM_Z,
    GAS_MOMENTUM_Y,
    GAS_MOMENTUM_X,
    GAS_ENERGY,
    GAS_INTERNAL,
    GAS_GRID_FIELDS
};

/* The options by their names. */
struct gas_grid_settings {
    double gamma, gravity, conductivity;
    double dt; /* the longest step */
    double cfl;
    uint64_t end; /* of time, in units of 2^-40; 0: none */
    /* of tracers */
    uint64_t particles;
    double boltzmann, planck, exchange_time;
};

/* Constants computed once on the host. */
struct gas_grid_constants {
    float gamma, g1, inverse_g1, inverse_gamma;
    float h, h2, per_h, half_per_h, per_cfl, per_diffusion, per_nodes;
    float longest, conductivity;
};

/* The flux through the upper face of a node along one axis. */
struct gas_grid_face {
    float flux[5]; /* density, momenta along n, t and s, energy */
    float internal, velocity;
    float heat; /* q, by conduction */
};

struct gas_grid_state {
    uint32_t width, height, depth;
    size_t nodes;
    float *field[GAS_GRID_FIELDS]; /* (depth, height, width) each */
    uint32_t clockwork[GAS_CLOCKWORK_WORDS];
    struct gas_grid_settings settings;
    struct gas_grid_constants constants;
    struct gas_tracers tracers;

    /* Scratch; the axes are z, y, x. */
    float *velocity[3], *pressure;  /* primitives */
    float *opening;                 /* V */
    float *contrast, *potential;    /* of gravity */
    float *symbol[3];               /* of the axes, one per wave number; NULL without gravity */
    float *acceleration[3];         /* g of the density before the step, 0 without gravity */
    float *middle[GAS_GRID_FIELDS]; /* U1 */
    float *change[GAS_GRID_FIELDS]; /* R; S + p V for the internal energy */
    struct gas_grid_face *faces;    /* of one axis */
    float vacuum, rate[3], diffusivity, g2; /* g2: the largest |g|^2 */
    float lambda, share[3], cap, half;      /* results of the time step */
};

/* All fields are 0; NULL when memory ran out. Sides are at least 1. */
struct gas_grid_state *gas_grid_create(uint32_t width, uint32_t height, uint32_t depth,
                                       const struct gas_grid_settings *settings);
/* One step. False if the run ends with an error according to the document. */
bool gas_grid_step(struct gas_grid_state *state);
void gas_grid_free(struct gas_grid_state *state); /* takes NULL */

/* The time since the start and the length of the last step. */
double gas_grid_time(const struct gas_grid_state *state);
double gas_grid_last_dt(const struct gas_grid_state *state);

/* No gas in the node; its thermal energy per volume, of the state as stored, if there is gas. */
bool gas_grid_empty(const struct gas_grid_state *state, size_t node);
float gas_grid_heat(const struct gas_grid_state *state, size_t node);

/* Parts of a step: "Prepare" with the mean density, "Time step" (false: dt is 0), and `change` of
 * the fields with the primitives that Prepare stored. */
void gas_grid_prepare(struct gas_grid_state *state);
/* The acceleration of the current density, and the max |g|^2; with gravity on. */
void gas_grid_gravity(struct gas_grid_state *state);
bool gas_grid_time_step(struct gas_grid_state *state);
void gas_grid_right_hand_side(struct gas_grid_state *state);

#endif

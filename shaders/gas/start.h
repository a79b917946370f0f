/* SPDX-License-Identifier: MIT */
/* Constants of the gas's initial conditions, read as C and as GLSL: docs/sims/gas.md. */
#ifndef VKS_GAS_START_H
#define VKS_GAS_START_H

#include "lib/shared.h"

struct gas_start_params {
    VKS_UINT width, height, depth; /* nodes */
    VKS_UINT seed;
    VKS_UINT modes; /* rows of the table of waves */
    VKS_UINT clumps;
    VKS_UINT axis;                   /* tube: 0 z, 1 y, 2 x */
    VKS_UINT node_z, node_y, node_x; /* spacing of nodes, fractions of the side in 2^-32 */
    float side_z, side_y, side_x;    /* of the box; 0 of an inert axis */
    float temperature, ratio, per_ratio;
    float speed, growth;              /* growth: velocity per displacement */
    float radius, per_edge, per_area; /* per_area: 1 / radius^2 */
    float peak;                       /* blast: heat per volume in the middle */
    float per_clump;                  /* 1 / radius^2 of a clump */
    /* of particles only */
    VKS_UINT particles;
    VKS_UINT outside; /* cloud: those in the thin gas, the first ones */
    VKS_UINT jitter;  /* places are moved at random by less than this; 0: not */
    float per_side_z, per_side_y, per_side_x; /* 1 / side; 0 of an inert axis */
    float mass;                               /* of a particle at density 1 */
};

/* Values of the specialization constant `start`, in the order of the model's `starts`. */
#define GAS_WAVES 0
#define GAS_CLOUD 1
#define GAS_TUBE 2
#define GAS_BLAST 3
#define GAS_SHEAR 4

/* A row of the field "modes": wave numbers, phase, amplitude of the density, and a vector. */
#define MODE_NUMBER 0 /* z, y, x */
#define MODE_PHASE 3
#define MODE_DENSITY 4
#define MODE_VECTOR 5 /* z, y, x */
#define MODE_WORDS 8

#endif

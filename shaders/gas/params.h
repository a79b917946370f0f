/* SPDX-License-Identifier: MIT */
/* Constants of the gas passes, read as C and as GLSL: docs/sims/gas.md. */
#ifndef VKS_GAS_PARAMS_H
#define VKS_GAS_PARAMS_H

#include "lib/shared.h"

struct gas_params {
    VKS_UINT width, height, depth; /* nodes */
    float gamma, g1, inverse_g1, inverse_gamma;
    float h, per_h, h2;        /* distance of nodes, 1 / h, h^2 */
    float half_per_h;          /* of active axes */
    float per_cfl;             /* 1 / cfl */
    float conductivity;
    float longest;             /* dt at most */
    float per_nodes;           /* 1 / number of nodes */
};

/* Words of the field "clockwork", which is state. */
#define CLOCK_TIME 0   /* low, high: units of 2^-40 */
#define CLOCK_DT 2     /* of the last step */
#define CLOCK_MEAN 3   /* mean density; 0: not measured yet */
#define CLOCK_WORDS 16

/* The field "limits": maxima of floats that are not negative, as their bits. */
#define LIMIT_RATE 0   /* of |u| + c along z, y, x */
#define LIMIT_SPREAD 3 /* conductivity / density */
#define LIMIT_PULL 4   /* |g|^2 */
#define LIMIT_COUNT 8

/* The field "moment": what "choose" finds for this step. */
#define MOMENT_DT 0
#define MOMENT_LAMBDA 1
#define MOMENT_CAP 2
#define MOMENT_HALF 3
#define MOMENT_SHARE 4 /* along z, y, x */
#define MOMENT_COUNT 8

/* The field "status": why a run ends. */
#define STATUS_NEGATIVE 1
#define STATUS_STALLED 2

#endif

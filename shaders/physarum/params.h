/* SPDX-License-Identifier: MIT */
/* Constants of the Physarum passes; docs/sims/physarum.md names each. */
#ifndef VKS_PHYSARUM_PARAMS_H
#define VKS_PHYSARUM_PARAMS_H

#include "lib/shared.h"

struct physarum_params {
    VKS_UINT width, height; /* cells */
    VKS_UINT agents;
    VKS_UINT seed;
    VKS_UINT sensor_angle, turn_angle, jitter; /* binary angles */
    float sensor_sine, sensor_cosine;
    float sensor_x, sensor_y; /* sensor distance in 2^-32 sides */
    float move_x, move_y;     /* step size in 2^-32 sides */
    float start_x, start_y;   /* start radius in sides */
    float deposit;
    float keep;                     /* 1 - decay */
    float blurred, sharp;           /* diffuse, 1 - diffuse */
    float inverse_area;             /* 1 / diffuse-size^2 */
    VKS_UINT radius;                /* (diffuse-size - 1) / 2 */
    VKS_UINT block_bits;            /* k: the start has 2^k x 2^k blocks */
    VKS_UINT order_high, order_low; /* Q: 2^64 / agents */
    /* log2 of the cells along the sides of a block, whose spilled counts are marked together. */
    VKS_UINT block_rows_bits, block_columns_bits;
    VKS_UINT blocks;     /* in a row */
    VKS_UINT curve_bits; /* squares of 2^n tiles have a Hilbert curve each */
    VKS_UINT steps;      /* of a dispatch */
};

#define PHYSARUM_TILE 8u /* cells along a side of a tile */

/* Values of the specialization constants. */
#define PHYSARUM_NEAREST 0
#define PHYSARUM_BILINEAR 1
#define PHYSARUM_MAX 0
#define PHYSARUM_JONES 1
#define PHYSARUM_PERIODIC 0
#define PHYSARUM_ZERO 1
#define PHYSARUM_RANDOM 0
#define PHYSARUM_DISC 1
#define PHYSARUM_RING 2
#define PHYSARUM_POINT 3

#endif

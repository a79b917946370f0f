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
    float deposit;
    float keep;           /* 1 - decay */
    float blurred, sharp; /* diffuse, 1 - diffuse */
    float inverse_area;   /* 1 / diffuse-size^2 */
    VKS_UINT radius;      /* (diffuse-size - 1) / 2 */
    /* log2 of the cells along the sides of a block, whose spilled counts are marked together. */
    VKS_UINT block_rows_bits, block_columns_bits;
    VKS_UINT blocks;        /* in a row */
    VKS_UINT curve_bits;    /* squares of 2^n tiles have a Hilbert curve each */
    VKS_UINT steps;         /* of a dispatch */
    float deposit_power;    /* with PHYSARUM_POWER */
    VKS_UINT deposit_limit; /* agents of a cell; 0: none */
};

/* Of the pass that places agents. */
struct physarum_start_params {
    VKS_UINT width, height; /* cells */
    VKS_UINT agents;
    VKS_UINT seed;
    float radius_x, radius_y;       /* in sides */
    VKS_UINT block_bits;            /* k: there are 2^k x 2^k blocks */
    VKS_UINT order_high, order_low; /* Q: 2^64 / agents */
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
/* The deposit of n agents of a cell: n, at most the limit, its root, or a power of it. */
#define PHYSARUM_LINEAR 0
#define PHYSARUM_LIMITED 1
#define PHYSARUM_ROOT 2
#define PHYSARUM_POWER 3
/* The share of the second point: none, one number, an image, or a spot. */
#define PHYSARUM_NO_BLEND 0
#define PHYSARUM_BLEND 1
#define PHYSARUM_BLEND_MAP 2
#define PHYSARUM_BLEND_SPOT 3

/* Words of the field `parameters`: floats unless noted. First both points of the parameter space,
 * in cells and turns; each quantity has its base, gain and power. */
#define PHYSARUM_DISTANCE 0u
#define PHYSARUM_SENSOR_ANGLE 3u
#define PHYSARUM_TURN_ANGLE 6u
#define PHYSARUM_STEP_SIZE 9u
#define PHYSARUM_JITTER 12u
#define PHYSARUM_SCALE 13u /* 1 / trail-full */
#define PHYSARUM_AHEAD 14u
#define PHYSARUM_BELOW 15u
#define PHYSARUM_POINT_WORDS 16u
#define PHYSARUM_SHARE 32u          /* of the second point */
#define PHYSARUM_SPOT_Y 33u         /* 2^-32 sides, uint */
#define PHYSARUM_SPOT_X 34u         /* the same */
#define PHYSARUM_SPOT_SHARPNESS 35u /* 1 / radius^2 */
#define PHYSARUM_INVERSE_HEIGHT 36u
#define PHYSARUM_INVERSE_WIDTH 37u
#define PHYSARUM_RESTARTS 38u /* the largest random word with which an agent restarts, uint */
#define PHYSARUM_WORDS 39u

#endif

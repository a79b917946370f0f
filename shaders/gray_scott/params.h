/* SPDX-License-Identifier: MIT */
/* Constants of the Gray-Scott passes, read as C and as GLSL; docs/sims/gray-scott.md. */
#ifndef VKS_GRAY_SCOTT_PARAMS_H
#define VKS_GRAY_SCOTT_PARAMS_H

#include "lib/shared.h"

struct gray_scott_start {
    VKS_UINT width, height; /* cells */
    VKS_UINT seed;
    VKS_UINT half_side;    /* of the square, in half cells */
    VKS_UINT outer, inner; /* squared radii of disc and ring, in half cells */
    VKS_UINT spots;
    VKS_UINT grain; /* radius of a spot, side of a block of noise */
    VKS_UINT share; /* of the blocks that are filled, in 2^-32 */
    float noise;
    VKS_UINT first, rows; /* of the field in the grid, around the torus */
};

struct gray_scott_rates {
    VKS_UINT width, height;
    float feed, feed_rise;     /* F dt at the bottom, and the increase to the top */
    float kill, kill_rise;     /* k dt at the left, and the increase to the right */
    float per_column, per_row; /* 1 / (side - 1), 0 for a side of 1 */
    VKS_UINT first, rows;      /* as above */
};

struct gray_scott_step {
    VKS_UINT width, height;
    float own_u, own_v;   /* weight of a cell's own value; without the rates, if they vary */
    float near_u, near_v; /* weight of the sum over the neighbours */
    float feed;           /* F dt, unless it varies over the field */
    float dt;
    /* Fused steps: the valid part of a tile, and its margins. */
    VKS_UINT steps;
    VKS_UINT inner_width, inner_height;
    VKS_UINT margin_x, margin_y;
};

/* Values of the specialization constant `start`, in the order of the model's `starts`. */
#define GRAY_SCOTT_SQUARE 0
#define GRAY_SCOTT_DISC 1
#define GRAY_SCOTT_RING 2
#define GRAY_SCOTT_SPOTS 3
#define GRAY_SCOTT_NOISE 4
#define GRAY_SCOTT_INVERSE 5

/* `stencil` and `boundary`, in the order of the option's choices. */
#define GRAY_SCOTT_FIVE 0
#define GRAY_SCOTT_NINE 1
#define GRAY_SCOTT_PERIODIC 0
#define GRAY_SCOTT_NO_FLUX 1

#endif

/* SPDX-License-Identifier: MIT */
/* Constants of the waves passes, read as C and as GLSL. */
#ifndef VKS_WAVES_PARAMS_H
#define VKS_WAVES_PARAMS_H

#include "lib/shared.h"

/* Of the start only. */
struct waves_start {
    VKS_UINT width, height, depth; /* cells */
    VKS_UINT seed;
    VKS_UINT drops;
    VKS_UINT radius;    /* of a drop, in cells */
    float inverse_area; /* 1 / radius^2 */
};

struct waves_params {
    VKS_UINT width, height, depth; /* cells */
    float pull;                    /* speed^2 */
    float keep;                    /* 1 - damping */
    float bottom;                  /* height of the ground */
};

/* Values of the specialization constant `start`, in the order of the model's `starts`. */
#define WAVES_DROPS 0
#define WAVES_MIDDLE 1

#endif

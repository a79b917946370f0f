/* SPDX-License-Identifier: MIT */
/* Constants of the pooling kernels (src/ladder/pool.c). */
#ifndef VKS_LADDER_POOL_PARAMS_H
#define VKS_LADDER_POOL_PARAMS_H

#include "lib/shared.h"

struct pool_params {
    VKS_UINT width, height; /* of the result */
    VKS_UINT source_pitch;  /* elements from row to row */
    VKS_UINT result_pitch;
    VKS_UINT source_height;
};

#endif

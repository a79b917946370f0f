/* SPDX-License-Identifier: MIT */
/* Constants of the rungs of gemm: result (rows x columns) = left (rows x depth) times right (depth
 * x columns). Pitches are elements from row to row; rows begin at multiples of 16 bytes. */
#ifndef VKS_LADDER_GEMM_H
#define VKS_LADDER_GEMM_H

#include "lib/shared.h"

struct gemm_params {
    VKS_UINT rows, columns, depth;
    VKS_UINT left_pitch, right_pitch, result_pitch;
};

#endif

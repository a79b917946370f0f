/* SPDX-License-Identifier: MIT */
/* Constants of the ladder's kernels, and what their inputs hold. A vector is a matrix of one row.
 * Rows are padded to a multiple of 16 bytes, and inputs have zeros there. */
#ifndef VKS_LADDER_RUNG_H
#define VKS_LADDER_RUNG_H

#include "lib/shared.h"

struct rung_params {
    VKS_UINT width, height; /* of the first input */
    VKS_UINT source_pitch;  /* elements from row to row */
    VKS_UINT result_pitch;
    VKS_UINT lanes; /* invocations of the dispatch */
};

/* Of the shaders that fill inputs. */
struct input_params {
    VKS_UINT count; /* elements, padding included */
    VKS_UINT columns, pitch;
    VKS_UINT addend; /* different for each input */
    VKS_UINT shift;  /* 20 - bits */
    float offset, scale;
    VKS_UINT specials; /* 1: some elements are RUNG_SPECIAL */
};

/* A pseudorandom integer below 2^20, which a float32 holds. */
#define RUNG_MIX(x) (((x) ^ ((x) >> 15)) * 2246822519u)
#define RUNG_WORD(index, addend) (RUNG_MIX((index)*2654435769u + (addend)) >> 12)

/* The index is that of a special element: number 0 NaN, 1 infinity, 2 -infinity, 3 the largest. */
#define RUNG_IS_SPECIAL(index) ((index) % 331u == 7u)
#define RUNG_SPECIAL(index) ((index) / 331u % 4u)

#endif

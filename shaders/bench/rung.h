/* SPDX-License-Identifier: MIT */
/* Constants of the ladder's kernels (src/bench/rung.h). A vector is a matrix of one row. Rows are
 * padded to a multiple of four words, so that each begins at a multiple of 16 bytes. */
#ifndef VKS_BENCH_RUNG_H
#define VKS_BENCH_RUNG_H

#include "lib/shared.h"

struct rung_params {
    VKS_UINT width, height; /* of the source */
    VKS_UINT source_pitch;  /* words from row to row */
    VKS_UINT result_pitch;
    VKS_UINT lanes;  /* invocations of the dispatch */
    VKS_UINT addend; /* of RUNG_WORD: different in each source */
};

/* The content of word `index` of a source: an integer below 2^20, which a float32 holds. */
#define RUNG_WORD(index, addend) (((index)*2654435769u + (addend)) >> 12)

#endif

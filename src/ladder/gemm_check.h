/* SPDX-License-Identifier: MIT */
/* Checks products of matrices. */
#ifndef VKS_LADDER_GEMM_CHECK_H
#define VKS_LADDER_GEMM_CHECK_H

#include "ladder/ladder.h"

/* Checks that `result` is the product of `left` and `right` (the kernel gemm). Small products are
 * computed in full; of large ones, whose sums must be integers, each row is multiplied by a
 * pseudorandom vector in arithmetic modulo 2^64 (Freivalds' check), and a wrong row is then
 * computed in full to find its first wrong element. */
enum vks_result vks_gemm_check(const struct vks_ladder_task *task, struct vks_graph *graph,
                               uint32_t runs);

#endif

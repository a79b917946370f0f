/* SPDX-License-Identifier: MIT */
/* RMS norm, x / sqrt(mean(x^2) + epsilon) * weight: what the kernels of vectors and of matrices
 * share. A vector is a matrix of one row. */
#ifndef VKS_LADDER_RMSNORM_H
#define VKS_LADDER_RMSNORM_H

#include "ladder/ladder.h"

void vks_rmsnorm_buffers(const struct vks_ladder_task *task, struct vks_ladder_buffer *buffer);
double vks_rmsnorm_bytes(const struct vks_ladder_task *task);
double vks_rmsnorm_operations(const struct vks_ladder_task *task);

/* `chain`: most additions that follow each other in the sum of a row's squares. */
enum vks_result vks_rmsnorm_check(const struct vks_ladder_task *task, struct vks_graph *graph,
                                  uint32_t chain);

#endif

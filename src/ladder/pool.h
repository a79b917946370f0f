/* SPDX-License-Identifier: MIT */
/* Pooling: what the kernels of the maximum and of the mean share. */
#ifndef VKS_LADDER_POOL_H
#define VKS_LADDER_POOL_H

#include "ladder/ladder.h"

#define VKS_POOL_AXES "WIDTHxHEIGHTxWINDOWxSTRIDE"
#define VKS_POOL_SIZES "8192x8192x2x2,8192x8192x3x2,8192x8192x3x1,8192x8192x8x1"
#define VKS_POOL_SOFTWARE_SIZES "256x256x2x2,509x515x3x1"
#define VKS_POOL_AWKWARD_SIZES "1x1x1x1,2x301x2x1,2003x5x5x3,33x31x3x7,64x16x4x4,67x131x3x2"

const char *vks_pool_refuse(const struct vks_ladder_size *size, char text[128]);
void vks_pool_buffers(const struct vks_ladder_task *task, struct vks_ladder_buffer *buffer);
double vks_pool_bytes(const struct vks_ladder_task *task);
double vks_pool_operations(const struct vks_ladder_task *task);

/* Of the maximum, or of the mean if the kernel is "pool-mean". */
extern const struct vks_rung vks_pool_rungs[];
enum vks_result vks_pool_check(const struct vks_ladder_task *task, struct vks_graph *graph,
                               uint32_t runs);

#endif

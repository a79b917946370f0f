/* SPDX-License-Identifier: MIT */
/* The sizes of cooperative matrices that a device offers. All here are of float16, with sums of
 * float32. */
#ifndef VKS_GPU_MATRIX_H
#define VKS_GPU_MATRIX_H

#include "gpu/device.h"
#include "gpu/features.h"

/* Of a product: rows x depth times depth x columns. */
struct vks_matrix_size {
    uint32_t rows, columns, depth;
};

/* The largest size that subgroups multiply, whose sides are multiples of eight: VKS_ERROR_DEVICE if
 * there is none. */
enum vks_result vks_gpu_matrix_size(const struct vks_gpu *gpu, struct vks_matrix_size *size);

/* What the device or this build lacks to run a shader that needs the feature: a phrase, or NULL. */
const char *vks_gpu_missing(const struct vks_gpu *gpu, enum vks_feature feature,
                            const char *shader);

/* VKS_OK if workgroups of that many lanes multiply matrices of this size; else VKS_ERROR_DEVICE. */
enum vks_result vks_gpu_workgroup_matrix(const struct vks_gpu *gpu, uint32_t lanes,
                                         const struct vks_matrix_size *size);

#endif

/* SPDX-License-Identifier: MIT */
/* Optional features, beyond the portability floor. Each is enabled if the device has it and
 * something uses it. No simulation result may depend on one. */
#ifndef VKS_GPU_FEATURES_H
#define VKS_GPU_FEATURES_H

#include <stdbool.h>

#include <vksim/result.h>

struct vks_gpu;

enum vks_feature {
    VKS_FEATURE_NONE,          /* always available */
    VKS_FEATURE_SUBGROUP_SUMS, /* sums and votes across subgroups in compute shaders */
    VKS_FEATURE_SUBGROUP_SHUFFLES,
    VKS_FEATURE_FLOAT16,
    VKS_FEATURE_COOPERATIVE_MATRIX,
    VKS_FEATURE_WORKGROUP_MATRIX, /* cooperative matrices of a whole workgroup */
    VKS_FEATURE_CALIBRATED_TIMESTAMPS,
    VKS_FEATURE_MEMORY_BUDGET,
    VKS_FEATURE_MAPPED_MEMORY,       /* VKS_MEMORY_MAPPED exists */
    VKS_FEATURE_PIPELINE_STATISTICS, /* only with vks_gpu_params.statistics */
    VKS_FEATURE_SWAPCHAIN,           /* only with vks_gpu_params.instance_extensions */
    VKS_FEATURE_COUNT,
};

/* Such as "float16 arithmetic": a static string. */
const char *vks_feature_name(enum vks_feature feature);

/* True if the device has the feature and it is enabled. */
bool vks_gpu_has(const struct vks_gpu *gpu, enum vks_feature feature);

/* VKS_OK if vks_gpu_has(); else VKS_ERROR_DEVICE: `who` ("pass 'multiply'") needs it. */
enum vks_result vks_gpu_need(const struct vks_gpu *gpu, enum vks_feature feature, const char *who);

#endif

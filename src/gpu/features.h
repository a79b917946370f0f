/* SPDX-License-Identifier: MIT */
/* What some devices offer beyond the portability floor. Each feature is enabled where the device
 * has it and something uses it; nothing that a simulation computes may depend on one. */
#ifndef VKS_GPU_FEATURES_H
#define VKS_GPU_FEATURES_H

#include <stdbool.h>

#include <vksim/result.h>

struct vks_gpu;

enum vks_feature {
    VKS_FEATURE_NONE,          /* every device has it */
    VKS_FEATURE_SUBGROUP_SUMS, /* sums and votes across subgroups in compute shaders */
    VKS_FEATURE_FLOAT16,
    VKS_FEATURE_COOPERATIVE_MATRIX,
    VKS_FEATURE_CALIBRATED_TIMESTAMPS,
    VKS_FEATURE_MEMORY_BUDGET,
    VKS_FEATURE_PIPELINE_STATISTICS, /* only with vks_gpu_params.statistics */
    VKS_FEATURE_SWAPCHAIN,           /* only with vks_gpu_params.instance_extensions */
    VKS_FEATURE_COUNT,
};

/* "float16 arithmetic" and the like: a static string. */
const char *vks_feature_name(enum vks_feature feature);

/* True if the device has the feature and it is enabled. */
bool vks_gpu_has(const struct vks_gpu *gpu, enum vks_feature feature);

/* VKS_OK if vks_gpu_has(); else VKS_ERROR_DEVICE with a message that says that `who` ("pass
 * 'multiply'") needs it. */
enum vks_result vks_gpu_need(const struct vks_gpu *gpu, enum vks_feature feature, const char *who);

#endif

/* SPDX-License-Identifier: MIT */
/* Optional features, beyond the portability floor. Each is enabled if the device has it and
 * something uses it. No simulation result may depend on one. */
#ifndef VKS_GPU_FEATURES_H
#define VKS_GPU_FEATURES_H

#include <stdbool.h>

#include <vksim/model.h>

struct vks_gpu;

/* Such as "float16 arithmetic": a static string. */
const char *vks_feature_name(enum vks_feature feature);

/* True if the device has the feature and it is enabled. */
bool vks_gpu_has(const struct vks_gpu *gpu, enum vks_feature feature);

/* VKS_OK if vks_gpu_has(); else VKS_ERROR_DEVICE: `who` ("pass 'multiply'") needs it. */
enum vks_result vks_gpu_need(const struct vks_gpu *gpu, enum vks_feature feature, const char *who);

#endif

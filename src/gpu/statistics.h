/* SPDX-License-Identifier: MIT */
/* What the driver's compiler reports about a pipeline. */
#ifndef VKS_GPU_STATISTICS_H
#define VKS_GPU_STATISTICS_H

#include "gpu/device.h"

/* Calls `each` with every statistic, in the driver's words, and returns their number. Without
 * VKS_FEATURE_PIPELINE_STATISTICS there are none. */
unsigned vks_pipeline_statistics(const struct vks_gpu *gpu, VkPipeline pipeline,
                                 void (*each)(void *user, const char *name, double value),
                                 void *user);

#endif

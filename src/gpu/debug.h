/* SPDX-License-Identifier: MIT */
/* Names of Vulkan objects and labels in command buffers, for messages of the validation layers and
 * for debuggers and profilers. Nothing is formatted where the loader has no VK_EXT_debug_utils. A
 * name that cannot be set is not a failure, because only messages need it. */
#ifndef VKS_GPU_DEBUG_H
#define VKS_GPU_DEBUG_H

#include "gpu/device.h"

/* Names an object of the device: any but the instance, physical devices and surfaces, whose handles
 * loaders mix up. `handle` is the Vulkan handle, cast; 0 is fine. Names longer than 127 bytes are
 * cut. */
void vks_gpu_name(const struct vks_gpu *gpu, VkObjectType type, uint64_t handle, const char *format,
                  ...) VKS_PRINTF(4, 5);

/* Labels the commands recorded between the two calls; labels nest. */
void vks_gpu_label_begin(const struct vks_gpu *gpu, VkCommandBuffer commands, const char *format,
                         ...) VKS_PRINTF(3, 4);
void vks_gpu_label_end(const struct vks_gpu *gpu, VkCommandBuffer commands);

#endif

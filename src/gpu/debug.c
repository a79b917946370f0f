/* SPDX-License-Identifier: MIT */
#include "gpu/debug.h"

#include <stdarg.h>
#include <stdio.h>

enum { MAX_NAME = 128 };

void vks_gpu_name(const struct vks_gpu *gpu, VkObjectType type, uint64_t handle, const char *format,
                  ...)
{
    char name[MAX_NAME];
    if (!gpu->debug.set_name || handle == 0) {
        return;
    }
    va_list args;
    va_start(args, format);
    vsnprintf(name, sizeof(name), format, args);
    va_end(args);
    (void)gpu->debug.set_name(gpu->device,
                              &(VkDebugUtilsObjectNameInfoEXT){
                                  .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
                                  .objectType = type,
                                  .objectHandle = handle,
                                  .pObjectName = name,
                              });
}

void vks_gpu_label_begin(const struct vks_gpu *gpu, VkCommandBuffer commands, const char *format,
                         ...)
{
    char name[MAX_NAME];
    if (!gpu->debug.begin_label) {
        return;
    }
    va_list args;
    va_start(args, format);
    vsnprintf(name, sizeof(name), format, args);
    va_end(args);
    gpu->debug.begin_label(commands, &(VkDebugUtilsLabelEXT){
                                         .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT,
                                         .pLabelName = name,
                                     });
}

void vks_gpu_label_end(const struct vks_gpu *gpu, VkCommandBuffer commands)
{
    if (gpu->debug.end_label) {
        gpu->debug.end_label(commands);
    }
}

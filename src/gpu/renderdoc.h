/* SPDX-License-Identifier: MIT */
/* Captures of a device's commands by RenderDoc, through its in-application API. RenderDoc by
 * itself captures what happens between two presents, and pure compute has none, so captures are
 * started and ended explicitly. One at a time in a process. */
#ifndef VKS_GPU_RENDERDOC_H
#define VKS_GPU_RENDERDOC_H

#include "gpu/device.h"

/* VKS_OK if captures of this device are possible: RenderDoc is loaded and its Vulkan layer active.
 * Otherwise VKS_ERROR_DEVICE. NULL, before a device is opened: VKS_OK if RenderDoc is loaded, or
 * the environment asks for its layer, which loads it. */
enum vks_result vks_renderdoc_check(const struct vks_gpu *gpu);

/* Starts a capture; everything submitted until its end belongs to it. The GPU must be idle. */
enum vks_result vks_renderdoc_start(const struct vks_gpu *gpu);

/* Ends the capture and writes its file, whose name RenderDoc chooses: *path, to be freed. The GPU
 * must be idle. */
enum vks_result vks_renderdoc_end(const struct vks_gpu *gpu, char **path);

#endif

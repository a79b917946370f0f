/* SPDX-License-Identifier: MIT */
#ifndef VKS_GPU_BUFFER_H
#define VKS_GPU_BUFFER_H

#include "gpu/device.h"

enum vks_memory {
    VKS_MEMORY_DEVICE,   /* for shaders; the processor never touches it */
    VKS_MEMORY_UPLOAD,   /* written by the processor, copied from */
    VKS_MEMORY_READBACK, /* copied to, read by the processor: cached, or reading crawls */
};

struct vks_buffer {
    VkBuffer buffer;
    VkDeviceMemory memory;
    VkDeviceSize size;
    void *map;     /* UPLOAD and READBACK: always mapped */
    bool coherent; /* READBACK: no invalidation needed */
};

/* `size` over 0. VKS_ERROR_GPU when memory is short: says `what`, how much it needs and how much
 * the device has. */
enum vks_result vks_buffer_create(struct vks_gpu *gpu, struct vks_buffer *buffer, uint64_t size,
                                  enum vks_memory kind, const char *what);
/* The GPU must be done with it. A zeroed structure is fine. */
void vks_buffer_destroy(struct vks_gpu *gpu, struct vks_buffer *buffer);
/* READBACK: makes what the GPU wrote visible to the processor. */
enum vks_result vks_buffer_invalidate(struct vks_gpu *gpu, const struct vks_buffer *buffer);

/* The best memory type among the bits `allowed` for that use, or -1. */
int vks_memory_type(const struct vks_gpu *gpu, uint32_t allowed, enum vks_memory kind);

/* "1.5 GiB" and the like into `text`; returns it. */
const char *vks_format_bytes(uint64_t bytes, char text[32]);

#endif

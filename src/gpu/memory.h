/* SPDX-License-Identifier: MIT */
/* Device memory: the type for each use, counted allocations, how much is free. */
#ifndef VKS_GPU_MEMORY_H
#define VKS_GPU_MEMORY_H

#include "gpu/device.h"

enum vks_memory {
    VKS_MEMORY_DEVICE,   /* for shaders; the processor never touches it */
    VKS_MEMORY_UPLOAD,   /* written by the processor, copied from */
    VKS_MEMORY_READBACK, /* copied to, read by the processor: cached, or reading crawls */
};

/* The best memory type among the bits `allowed` for that use, or -1. */
int vks_memory_type(const struct vks_gpu *gpu, uint32_t allowed, enum vks_memory kind);

/* One VkDeviceMemory. */
struct vks_block {
    VkDeviceMemory memory;
    VkDeviceSize size;
    uint32_t type;
    void *map; /* NULL unless it was asked for */
};

struct vks_block_params {
    VkDeviceSize size; /* over 0 */
    uint32_t type;
    bool map;          /* for the processor, as long as the block lives */
    const void *chain; /* what extends VkMemoryAllocateInfo, or NULL */
    const char *what;  /* "the field 'trail'": for messages, and the name of the object */
    uint64_t needs;    /* bytes given in messages; 0: `size` */
};

/* VKS_ERROR_GPU when memory is short: the message gives `what`, how much it needs, how much the
 * device has and how much of that is free. On failure the block is zero. */
enum vks_result vks_block_allocate(struct vks_gpu *gpu, struct vks_block *block,
                                   const struct vks_block_params *params);
/* The GPU must be done with it. A zeroed structure is fine. */
void vks_block_free(struct vks_gpu *gpu, struct vks_block *block);

/* The largest heap of the device's own memory, as it is now. */
struct vks_budget {
    uint64_t size; /* bytes of the heap */
    uint64_t free; /* bytes that this process may still use */
    bool known;    /* the driver counts; else (no VK_EXT_memory_budget) `free` is only what has not
                    * been allocated through this header */
};
struct vks_budget vks_gpu_budget(const struct vks_gpu *gpu);

/* "1.5 GiB" and the like into `text`; returns it. */
const char *vks_format_bytes(uint64_t bytes, char text[32]);

#endif

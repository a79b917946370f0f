/* SPDX-License-Identifier: MIT */
/* Device memory: types by use, counted allocations, the budget. */
#ifndef VKS_GPU_MEMORY_H
#define VKS_GPU_MEMORY_H

#include "gpu/device.h"

enum vks_memory {
    VKS_MEMORY_DEVICE,   /* for shaders; the host never accesses it */
    VKS_MEMORY_STATE,    /* the same, but mapped where the largest heap is the host's as well */
    VKS_MEMORY_EXPORTED, /* as DEVICE, for other APIs too: an allocation of its own */
    VKS_MEMORY_UPLOAD,   /* written by the host, copied from */
    VKS_MEMORY_READBACK, /* copied to, read by the host: cached, because uncached reads are slow */
    VKS_MEMORY_HOST,     /* the host's, which it reads and writes, for copies and shaders */
    VKS_MEMORY_MAPPED,   /* the device's, written by the host and read by shaders; needs
                          * VKS_FEATURE_MAPPED_MEMORY */
};

#define VKS_MAPPED_MEMORY_FLAGS                                                  \
    (VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | \
     VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)

/* The best memory type for that use among the bits `allowed`, or -1. */
int vks_memory_type(const struct vks_gpu *gpu, uint32_t allowed, enum vks_memory kind);
/* Whether memory for that use is mapped if it has that type. */
bool vks_memory_is_mapped(const struct vks_gpu *gpu, enum vks_memory kind, uint32_t type);

/* One VkDeviceMemory. */
struct vks_block {
    VkDeviceMemory memory;
    VkDeviceSize size;
    uint32_t type;
    void *map; /* NULL unless requested */
};

struct vks_block_params {
    VkDeviceSize size; /* over 0 */
    uint32_t type;
    bool map;          /* map it for the host until it is freed */
    const void *chain; /* extends VkMemoryAllocateInfo; or NULL */
    const char *what;  /* "the field 'trail'": for messages and the object's name */
    uint64_t needs;    /* bytes for messages; 0: `size` */
};

/* If memory is short, waits for the device and tries once more. VKS_ERROR_GPU: out of memory; the
 * message gives `what`, the bytes it needs, and the heap's total and free bytes. On failure the
 * block is zero. */
enum vks_result vks_block_allocate(struct vks_gpu *gpu, struct vks_block *block,
                                   const struct vks_block_params *params);
/* The GPU must no longer use it. A zeroed structure is fine. */
void vks_block_free(struct vks_gpu *gpu, struct vks_block *block);

/* The current state of the largest device-local heap. */
struct vks_budget {
    uint64_t size;  /* bytes of the heap */
    uint64_t limit; /* bytes that the process may use: its budget, or the whole heap */
    uint64_t free;  /* bytes that this process may still use */
    bool known; /* reported by the driver; else `free` only subtracts this process's allocations */
};
struct vks_budget vks_gpu_budget(const struct vks_gpu *gpu);
/* That of the heap of the best memory type for a use. */
struct vks_budget vks_memory_budget(const struct vks_gpu *gpu, enum vks_memory kind);

/* The memory of the device that vks_gpu_open() would open, and its name, without opening it. */
enum vks_result vks_memory_survey(const char *device, struct vks_device_info *info,
                                  struct vks_budget *budget);

/* Writes, for example, "1.5 GiB" to `text` and returns it. */
const char *vks_format_bytes(uint64_t bytes, char text[32]);

#endif

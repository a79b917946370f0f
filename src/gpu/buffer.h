/* SPDX-License-Identifier: MIT */
#ifndef VKS_GPU_BUFFER_H
#define VKS_GPU_BUFFER_H

#include "gpu/memory.h"

struct vks_buffer {
    VkBuffer buffer;
    VkDeviceSize size;
    VkDeviceMemory memory; /* its own or an arena's; the buffer is at `offset` */
    VkDeviceSize offset;
    struct vks_block own;    /* zero for a buffer of an arena */
    void *map;               /* NULL if vks_memory_is_mapped() is false */
    bool coherent;           /* READBACK: no invalidation needed */
    VkDeviceAddress address; /* 0 unless requested (gpu/arena.h) */
};

/* A buffer with its own memory, such as staging. `size` is over 0. VKS_ERROR_GPU: out of memory, as
 * vks_block_allocate(). `what` also names the objects. */
enum vks_result vks_buffer_create(struct vks_gpu *gpu, struct vks_buffer *buffer, uint64_t size,
                                  enum vks_memory kind, const char *what);
/* The GPU must no longer use it. A zeroed structure is fine. Not for buffers of an arena. */
void vks_buffer_destroy(struct vks_gpu *gpu, struct vks_buffer *buffer);
/* READBACK: makes GPU writes visible to the host. */
enum vks_result vks_buffer_invalidate(struct vks_gpu *gpu, const struct vks_buffer *buffer);

/* The two halves of creating one, for vks_buffer_create() and arenas. On failure the first leaves
 * it zero. `addressed`: shaders also access it by address. `texels`: they also read it as a texel
 * buffer; it is padded to 16 bytes, the largest texel. */
enum vks_result vks_buffer_make(struct vks_gpu *gpu, struct vks_buffer *buffer, uint64_t size,
                                enum vks_memory kind, bool addressed, bool texels);
enum vks_result vks_buffer_bind(struct vks_gpu *gpu, struct vks_buffer *buffer,
                                const struct vks_block *block, VkDeviceSize offset);

#endif

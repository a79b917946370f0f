/* SPDX-License-Identifier: MIT */
/* Many buffers in few allocations: drivers limit the number of allocations, and each costs time. */
#ifndef VKS_GPU_ARENA_H
#define VKS_GPU_ARENA_H

#include "gpu/buffer.h"

/* A field: one buffer or several of the same size. */
struct vks_arena_item {
    const char *name; /* "trail": name of the buffers, also in messages; copied */
    uint64_t size;    /* bytes of one copy, over 0 */
    uint64_t chunk;   /* a copy is split into buffers of at most this size; 0: never */
    uint32_t copies;  /* 2 for a double-buffered field; 0: 1 */
    uint64_t
        alignment; /* of its offset in an allocation, a power of two; 0: the device's minimum */
    enum vks_memory kind;
    bool addressed; /* its buffers have an `address` */
    bool texels;    /* shaders also read them as texel buffers */
};

struct vks_arena {
    struct vks_buffer *buffers; /* item by item, copy by copy, chunk by chunk */
    size_t buffer_count;
    struct vks_block *blocks; /* the allocations */
    size_t block_count;
};

/* Buffers of one copy of the item. */
size_t vks_arena_chunks(const struct vks_arena_item *item);

/* Creates the buffers of all items. Small buffers share allocations, at least one per memory type.
 * A buffer of `dedicated` bytes or more (0: 256 MiB), or one for which the driver prefers it, gets
 * a dedicated allocation. If that exceeds the device's limit of allocations, only buffers that
 * require a dedicated allocation get one. A large block that cannot be allocated is retried buffer
 * by buffer. VKS_ERROR_GPU: the message names the item that did not fit, its size and the free
 * memory. On failure *arena is zero. */
enum vks_result vks_arena_create(struct vks_gpu *gpu, struct vks_arena *arena,
                                 const struct vks_arena_item *items, size_t count,
                                 uint64_t dedicated);
/* The GPU must no longer use it. A zeroed structure is fine. */
void vks_arena_destroy(struct vks_gpu *gpu, struct vks_arena *arena);

#endif

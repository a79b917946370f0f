/* SPDX-License-Identifier: MIT */
/* Many buffers in few allocations: drivers limit the number of allocations, and each costs time. */
#ifndef VKS_GPU_ARENA_H
#define VKS_GPU_ARENA_H

#include "gpu/buffer.h"

/* A field: one buffer or several of the same size. */
struct vks_arena_item {
    const char *name; /* "trail": of the buffers, and in messages; copied */
    uint64_t size;    /* bytes of one copy, over 0 */
    uint64_t chunk;   /* a copy is split into buffers of at most this size; 0: never */
    uint32_t copies;  /* 2 for a double-buffered field; 0: 1 */
    uint64_t
        alignment; /* of its place in an allocation, a power of two; 0: what the device needs */
    enum vks_memory kind;
    bool addressed; /* its buffers have an `address` */
};

struct vks_arena {
    struct vks_buffer *buffers; /* item by item, copy by copy, chunk by chunk */
    size_t buffer_count;
    struct vks_block *blocks; /* the allocations */
    size_t block_count;
};

/* Buffers of one copy of the item. */
size_t vks_arena_chunks(const struct vks_arena_item *item);

/* Makes the buffers of all items: small ones share allocations, one for each memory type or more
 * where the device limits their size; one of `dedicated` bytes or more (0: 256 MiB) gets its own,
 * and so does one for which the driver prefers that. Where that makes more allocations than the
 * device allows, only buffers for which it requires one get their own. A large block that cannot be
 * allocated is retried buffer by buffer. VKS_ERROR_GPU: the message names the item that did not
 * fit, what it needs and what is free. On failure nothing is left and *arena is zero. */
enum vks_result vks_arena_create(struct vks_gpu *gpu, struct vks_arena *arena,
                                 const struct vks_arena_item *items, size_t count,
                                 uint64_t dedicated);
/* The GPU must be done with all of it. A zeroed structure is fine. */
void vks_arena_destroy(struct vks_gpu *gpu, struct vks_arena *arena);

#endif

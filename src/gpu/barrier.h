/* SPDX-License-Identifier: MIT */
/* Barriers derived from what commands read and write: a pure function, no Vulkan calls.
 *
 * Commands are given in the order in which they will be recorded. A barrier is asked for as late
 * as possible, that is exactly where a hazard would otherwise arise, and is a global memory
 * barrier that orders everything pending; for one order of commands no fewer barriers will do. */
#ifndef VKS_GPU_BARRIER_H
#define VKS_GPU_BARRIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <volk.h>

#include <vksim/result.h>

struct vks_resource_use {
    uint32_t resource; /* below the sync's count */
    VkPipelineStageFlags2 stage;
    VkAccessFlags2 access;
};

struct vks_barrier {
    bool needed;
    VkPipelineStageFlags2 src_stage, dst_stage;
    VkAccessFlags2 src_access, dst_access;
};

/* What is known of a resource. Zero: nothing pending. */
struct vks_resource_state {
    VkPipelineStageFlags2 write_stage; /* last write, 0 if none is pending */
    VkAccessFlags2 write_access;
    VkPipelineStageFlags2 visible_stage; /* where that write is already visible */
    VkAccessFlags2 visible_access;
    VkPipelineStageFlags2 read_stage;    /* reads since the last write */
    VkPipelineStageFlags2 ordered_stage; /* stages that already run after those reads */
};

struct vks_sync {
    struct vks_resource_state *resources; /* heap */
    uint32_t count;
};

/* `count` resources of which nothing is pending; the caller frees with vks_sync_free().
 * VKS_ERROR_GPU when memory ran out. */
enum vks_result vks_sync_create(struct vks_sync *sync, uint32_t count);
void vks_sync_free(struct vks_sync *sync); /* leaves a zeroed structure; one is fine */

/* Every resource may have been written or read by anything, as at the start of a command buffer. */
void vks_sync_unknown(struct vks_sync *sync);

/* The barrier that must precede a command with these uses; updates `sync` for the barrier and the
 * command. The same resource may be named several times. */
struct vks_barrier vks_sync_next(struct vks_sync *sync, const struct vks_resource_use *uses,
                                 size_t count);

/* The barrier as Vulkan wants it. */
void vks_barrier_record(const struct VolkDeviceTable *vk, VkCommandBuffer commands,
                        const struct vks_barrier *barrier);

#endif

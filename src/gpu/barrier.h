/* SPDX-License-Identifier: MIT */
/* Barriers derived from what commands read and write: a pure function, no Vulkan calls.
 *
 * Commands are passed in recording order. A barrier is requested as late as possible, exactly where
 * a hazard would arise, and is a global memory barrier that orders everything pending. That is the
 * minimum number of barriers for a given order of commands. */
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

/* Pending accesses to a resource. Zero: none. */
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

/* `count` resources without pending accesses; free with vks_sync_free(). VKS_ERROR_GPU: out of
 * memory. */
enum vks_result vks_sync_create(struct vks_sync *sync, uint32_t count);
void vks_sync_free(struct vks_sync *sync); /* zeroes it; a zeroed structure is fine */

/* Assumes any access to every resource, as at the start of a command buffer. */
void vks_sync_unknown(struct vks_sync *sync);

/* The barrier that must precede a command with these uses; updates `sync` for the barrier and the
 * command. The same resource may be named several times. */
struct vks_barrier vks_sync_next(struct vks_sync *sync, const struct vks_resource_use *uses,
                                 size_t count);

/* Records the barrier, if one is needed. */
void vks_barrier_record(const struct VolkDeviceTable *vk, VkCommandBuffer commands,
                        const struct vks_barrier *barrier);

#endif

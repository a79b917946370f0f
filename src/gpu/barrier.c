/* SPDX-License-Identifier: MIT */
#include "gpu/barrier.h"

#include <assert.h>
#include <stdlib.h>

#include "base/error.h"

static const VkAccessFlags2 write_accesses =
    VK_ACCESS_2_SHADER_WRITE_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT |
    VK_ACCESS_2_TRANSFER_WRITE_BIT | VK_ACCESS_2_HOST_WRITE_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT;

enum vks_result vks_sync_create(struct vks_sync *sync, uint32_t count)
{
    sync->resources = calloc(count ? count : 1, sizeof(*sync->resources));
    sync->count = sync->resources ? count : 0;
    return sync->resources ? VKS_OK : vks_fail_memory();
}

void vks_sync_free(struct vks_sync *sync)
{
    free(sync->resources);
    *sync = (struct vks_sync){0};
}

void vks_sync_unknown(struct vks_sync *sync)
{
    const VkPipelineStageFlags2 any =
        VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT;
    for (uint32_t i = 0; i < sync->count; i++) {
        sync->resources[i] = (struct vks_resource_state){
            .write_stage = any,
            .write_access = VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT,
            .read_stage = any,
        };
    }
}

/* True if the use needs a barrier. */
static bool waits(const struct vks_resource_state *state, const struct vks_resource_use *use)
{
    const bool writes = (use->access & write_accesses) != 0;
    const bool unseen = state->write_stage != 0 && ((use->stage & ~state->visible_stage) ||
                                                    (use->access & ~state->visible_access));
    const bool unordered =
        writes && state->read_stage != 0 && (use->stage & ~state->ordered_stage) != 0;
    return unseen || unordered;
}

/* Orders everything pending before the destination of the barrier. */
static void order_all(struct vks_sync *sync, struct vks_barrier *barrier)
{
    for (uint32_t i = 0; i < sync->count; i++) {
        struct vks_resource_state *state = &sync->resources[i];
        barrier->src_stage |= state->write_stage | state->read_stage;
        barrier->src_access |= state->write_access;
        if (state->write_stage) {
            state->visible_stage |= barrier->dst_stage;
            state->visible_access |= barrier->dst_access;
        }
        if (state->read_stage) {
            state->ordered_stage |= barrier->dst_stage;
        }
    }
}

struct vks_barrier vks_sync_next(struct vks_sync *sync, const struct vks_resource_use *uses,
                                 size_t count)
{
    struct vks_barrier barrier = {0};
    for (size_t i = 0; i < count; i++) {
        assert(uses[i].resource < sync->count);
        barrier.needed = barrier.needed || waits(&sync->resources[uses[i].resource], &uses[i]);
        barrier.dst_stage |= uses[i].stage;
        barrier.dst_access |= uses[i].access;
    }
    if (barrier.needed) {
        order_all(sync, &barrier);
    } else {
        barrier = (struct vks_barrier){0};
    }
    for (size_t i = 0; i < count; i++) {
        if (uses[i].access & write_accesses) {
            sync->resources[uses[i].resource] = (struct vks_resource_state){
                .write_stage = uses[i].stage, .write_access = uses[i].access & write_accesses};
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (uses[i].access & ~write_accesses) {
            sync->resources[uses[i].resource].read_stage |= uses[i].stage;
            sync->resources[uses[i].resource].ordered_stage = 0;
        }
    }
    return barrier;
}

void vks_barrier_record(const struct VolkDeviceTable *vk, VkCommandBuffer commands,
                        const struct vks_barrier *barrier)
{
    if (!barrier->needed) {
        return;
    }
    VkMemoryBarrier2 memory = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
        .srcStageMask = barrier->src_stage,
        .srcAccessMask = barrier->src_access,
        .dstStageMask = barrier->dst_stage,
        .dstAccessMask = barrier->dst_access,
    };
    VkDependencyInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
        .memoryBarrierCount = 1,
        .pMemoryBarriers = &memory,
    };
    vk->vkCmdPipelineBarrier2(commands, &info);
}

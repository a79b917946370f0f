/* SPDX-License-Identifier: MIT */
#include "gpu/barrier.h"

static const VkAccessFlags2 write_accesses =
    VK_ACCESS_2_SHADER_WRITE_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT |
    VK_ACCESS_2_TRANSFER_WRITE_BIT | VK_ACCESS_2_HOST_WRITE_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT;

void vks_sync_unknown(struct vks_sync *sync)
{
    const VkPipelineStageFlags2 any =
        VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT;
    *sync = (struct vks_sync){0};
    for (int i = 0; i < VKS_MAX_RESOURCES; i++) {
        sync->resources[i].write_stage = any;
        sync->resources[i].write_access =
            VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT;
        sync->resources[i].read_stage = any;
    }
}

struct vks_barrier vks_sync_next(struct vks_sync *sync, const struct vks_resource_use *uses,
                                 size_t count)
{
    struct vks_barrier barrier = {0};
    for (size_t i = 0; i < count; i++) {
        const struct vks_resource_use *use = &uses[i];
        bool writes = (use->access & write_accesses) != 0;
        bool unseen = sync->resources[use->resource].write_stage != 0 &&
                      ((use->stage & ~sync->resources[use->resource].visible_stage) ||
                       (use->access & ~sync->resources[use->resource].visible_access));
        bool unordered = writes && sync->resources[use->resource].read_stage != 0 &&
                         (use->stage & ~sync->resources[use->resource].ordered_stage);
        barrier.needed = barrier.needed || unseen || unordered;
        barrier.dst_stage |= use->stage;
        barrier.dst_access |= use->access;
    }
    if (barrier.needed) {
        for (int i = 0; i < VKS_MAX_RESOURCES; i++) {
            barrier.src_stage |= sync->resources[i].write_stage | sync->resources[i].read_stage;
            barrier.src_access |= sync->resources[i].write_access;
        }
        for (int i = 0; i < VKS_MAX_RESOURCES; i++) {
            if (sync->resources[i].write_stage) {
                sync->resources[i].visible_stage |= barrier.dst_stage;
                sync->resources[i].visible_access |= barrier.dst_access;
            }
            if (sync->resources[i].read_stage) {
                sync->resources[i].ordered_stage |= barrier.dst_stage;
            }
        }
    } else {
        barrier = (struct vks_barrier){0};
    }
    for (size_t i = 0; i < count; i++) {
        const struct vks_resource_use *use = &uses[i];
        if (use->access & write_accesses) {
            sync->resources[use->resource].write_stage = use->stage;
            sync->resources[use->resource].write_access = use->access & write_accesses;
            sync->resources[use->resource].visible_stage = 0;
            sync->resources[use->resource].visible_access = 0;
            sync->resources[use->resource].read_stage = 0;
            sync->resources[use->resource].ordered_stage = 0;
        }
    }
    for (size_t i = 0; i < count; i++) {
        const struct vks_resource_use *use = &uses[i];
        if (use->access & ~write_accesses) {
            sync->resources[use->resource].read_stage |= use->stage;
            sync->resources[use->resource].ordered_stage = 0;
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

/* SPDX-License-Identifier: MIT */
/* Copies of fields and their rows. A shader makes those within the memory of a GPU, because the
 * copy commands of some drivers reach only a fifth of its bandwidth. */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "graph/internal.h"

enum { GROUP = 256, BUFFERS = 2 };

/* A region within one buffer on each side. */
struct vks_copy {
    struct vks_piece from, to;
    uint64_t size;      /* bytes, of whole words as all fields are */
    uint32_t groups[3]; /* of the shader; 0: a command copies */
    VkDescriptorSet set;
};

enum vks_result vks_copy_pipeline(struct vks_gpu *gpu, struct vks_pipeline *pipeline)
{
    return vks_pipeline_create(
        gpu, pipeline, &(struct vks_pipeline_params){.shader = "core/copy", .group = {GROUP, 1}});
}

/* The shader copies if both sides can be bound there. */
static enum vks_result choose(const struct vks_copies *copies, struct vks_copy *copy)
{
    const VkDeviceSize alignment = copies->gpu->properties.limits.minStorageBufferOffsetAlignment;
    const uint32_t words = (uint32_t)(copy->size / 4);
    if (!copies->pipeline->pipeline || copy->from.offset % alignment != 0 ||
        copy->to.offset % alignment != 0) {
        return VKS_OK;
    }
    const struct vks_pass pass = {.name = "copy",
                                  .items = {words / 4 + words % 4, 1},
                                  .group = {GROUP, 1},
                                  .per_group = {GROUP, 1}};
    return vks_size_dispatch(copies->gpu, &pass, copy->groups);
}

enum vks_result vks_copies_add(struct vks_copies *copies, struct vks_pieces_at from,
                               struct vks_pieces_at to, uint64_t bytes)
{
    const uint64_t largest = UINT64_C(1) << vks_chunk_bits(copies->gpu->info.largest_buffer);
    enum vks_result result = VKS_OK;
    for (uint64_t at = 0; result == VKS_OK && at < bytes;) {
        struct vks_copy copy = {.from = vks_piece_at(from.pieces, from.at + at),
                                .to = vks_piece_at(to.pieces, to.at + at)};
        struct vks_copy *grown =
            vks_grow(copies->list, sizeof(*grown), copies->count, &copies->capacity);
        if (!grown) {
            return vks_fail_memory();
        }
        copies->list = grown;
        copy.size = copy.from.size < copy.to.size ? copy.from.size : copy.to.size;
        copy.size = copy.size < largest ? copy.size : largest;
        copy.size = copy.size < bytes - at ? copy.size : bytes - at;
        result = choose(copies, &copy);
        copies->list[copies->count++] = copy;
        at += copy.size;
    }
    return result;
}

static enum vks_result bind_copy(struct vks_copies *copies, struct vks_copy *copy)
{
    struct vks_gpu *gpu = copies->gpu;
    const VkDescriptorSetAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = copies->pool,
        .descriptorSetCount = 1,
        .pSetLayouts = &copies->pipeline->set_layout,
    };
    const struct vks_piece *const sides[BUFFERS] = {&copy->from, &copy->to};
    VkDescriptorBufferInfo buffers[BUFFERS];
    for (uint32_t i = 0; i < BUFFERS; i++) {
        buffers[i] = (VkDescriptorBufferInfo){sides[i]->buffer, sides[i]->offset, copy->size};
    }
    const enum vks_result result =
        vks_gpu_check(gpu, gpu->vk.vkAllocateDescriptorSets(gpu->device, &info, &copy->set),
                      "vkAllocateDescriptorSets");
    if (result == VKS_OK) {
        const VkWriteDescriptorSet write = {
            .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
            .dstSet = copy->set,
            .descriptorCount = BUFFERS, /* continues at the next binding */
            .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
            .pBufferInfo = buffers,
        };
        gpu->vk.vkUpdateDescriptorSets(gpu->device, 1, &write, 0, NULL);
    }
    return result;
}

enum vks_result vks_copies_bind(struct vks_copies *copies)
{
    struct vks_gpu *gpu = copies->gpu;
    if (!copies->pipeline->pipeline || copies->count == 0) {
        return VKS_OK;
    }
    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                       BUFFERS * (uint32_t)copies->count};
    const VkDescriptorPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .maxSets = (uint32_t)copies->count,
        .poolSizeCount = 1,
        .pPoolSizes = &size,
    };
    enum vks_result result =
        vks_gpu_check(gpu, gpu->vk.vkCreateDescriptorPool(gpu->device, &info, NULL, &copies->pool),
                      "vkCreateDescriptorPool");
    for (size_t i = 0; result == VKS_OK && i < copies->count; i++) {
        if (copies->list[i].groups[0] > 0) {
            result = bind_copy(copies, &copies->list[i]);
        }
    }
    return result;
}

void vks_copies_record(const struct vks_copies *copies, VkCommandBuffer commands)
{
    vks_copies_record_first(copies, UINT64_MAX, commands);
}

void vks_copies_record_first(const struct vks_copies *copies, uint64_t bytes,
                             VkCommandBuffer commands)
{
    const struct VolkDeviceTable *vk = &copies->gpu->vk;
    const VkPipelineLayout layout = copies->pipeline->layout;
    if (copies->pipeline->pipeline) {
        vk->vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, copies->pipeline->pipeline);
    }
    for (size_t i = 0; i < copies->count && bytes > 0; i++) {
        const struct vks_copy *copy = &copies->list[i];
        const uint64_t size = copy->size < bytes ? copy->size : bytes;
        const uint32_t words = (uint32_t)(size / 4);
        bytes -= size;
        if (copy->groups[0] > 0) {
            vk->vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1,
                                        &copy->set, 0, NULL);
            vk->vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(words),
                                   &words);
            vk->vkCmdDispatch(commands, copy->groups[0], copy->groups[1], copy->groups[2]);
        } else {
            const VkBufferCopy region = {copy->from.offset, copy->to.offset, size};
            vk->vkCmdCopyBuffer(commands, copy->from.buffer, copy->to.buffer, 1, &region);
        }
    }
}

void vks_copies_clear(struct vks_copies *copies)
{
    if (copies->pool) {
        copies->gpu->vk.vkDestroyDescriptorPool(copies->gpu->device, copies->pool, NULL);
    }
    free(copies->list);
    copies->list = NULL;
    copies->count = copies->capacity = 0;
    copies->pool = VK_NULL_HANDLE;
}

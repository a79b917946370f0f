/* SPDX-License-Identifier: MIT */
#include "gpu/buffer.h"

#include "base/error.h"
#include "gpu/debug.h"

enum vks_result vks_buffer_make(struct vks_gpu *gpu, struct vks_buffer *buffer, uint64_t size,
                                enum vks_memory kind, bool addressed, bool texels)
{
    const bool for_shaders = kind != VKS_MEMORY_UPLOAD && kind != VKS_MEMORY_READBACK;
    *buffer = (struct vks_buffer){.size = size};
    const VkExternalMemoryBufferCreateInfo external = {
        .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
        .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT,
    };
    VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .pNext = kind == VKS_MEMORY_EXPORTED ? &external : NULL,
        .size = texels ? (size + 15) & ~UINT64_C(15) : size,
        .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                 (for_shaders ? VK_BUFFER_USAGE_STORAGE_BUFFER_BIT : 0U) |
                 (texels ? VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT : 0U) |
                 (addressed ? VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT : 0U),
    };
    enum vks_result result = vks_gpu_check(
        gpu, gpu->vk.vkCreateBuffer(gpu->device, &info, NULL, &buffer->buffer), "vkCreateBuffer");
    if (result != VKS_OK) {
        *buffer = (struct vks_buffer){0};
    }
    return result;
}

enum vks_result vks_buffer_bind(struct vks_gpu *gpu, struct vks_buffer *buffer,
                                const struct vks_block *block, VkDeviceSize offset)
{
    buffer->memory = block->memory;
    buffer->offset = offset;
    buffer->map = block->map ? (char *)block->map + offset : NULL;
    buffer->coherent = (gpu->memory.memoryTypes[block->type].propertyFlags &
                        VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) != 0;
    return vks_gpu_check(
        gpu, gpu->vk.vkBindBufferMemory(gpu->device, buffer->buffer, block->memory, offset),
        "vkBindBufferMemory");
}

enum vks_result vks_buffer_create(struct vks_gpu *gpu, struct vks_buffer *buffer, uint64_t size,
                                  enum vks_memory kind, const char *what)
{
    VkMemoryRequirements needs;
    enum vks_result result = vks_buffer_make(gpu, buffer, size, kind, false, false);
    if (result != VKS_OK) {
        return result;
    }
    vks_gpu_name(gpu, VK_OBJECT_TYPE_BUFFER, (uint64_t)buffer->buffer, "%s", what);
    gpu->vk.vkGetBufferMemoryRequirements(gpu->device, buffer->buffer, &needs);
    const int type = vks_memory_type(gpu, needs.memoryTypeBits, kind);
    if (type < 0) {
        result = vks_fail(VKS_ERROR_GPU, "%s has no memory for %s", gpu->info.name, what);
    } else {
        result = vks_block_allocate(gpu, &buffer->own,
                                    &(struct vks_block_params){
                                        .size = needs.size,
                                        .type = (uint32_t)type,
                                        .map = vks_memory_is_mapped(gpu, kind, (uint32_t)type),
                                        .what = what,
                                        .needs = size,
                                    });
    }
    if (result == VKS_OK) {
        result = vks_buffer_bind(gpu, buffer, &buffer->own, 0);
    }
    if (result != VKS_OK) {
        vks_buffer_destroy(gpu, buffer);
    }
    return result;
}

void vks_buffer_destroy(struct vks_gpu *gpu, struct vks_buffer *buffer)
{
    if (buffer->buffer) {
        gpu->vk.vkDestroyBuffer(gpu->device, buffer->buffer, NULL);
    }
    vks_block_free(gpu, &buffer->own);
    *buffer = (struct vks_buffer){0};
}

enum vks_result vks_buffer_invalidate(struct vks_gpu *gpu, const struct vks_buffer *buffer)
{
    if (buffer->coherent) {
        return VKS_OK;
    }
    VkMappedMemoryRange range = {
        .sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE,
        .memory = buffer->memory,
        .offset = buffer->offset,
        .size = VK_WHOLE_SIZE,
    };
    return vks_gpu_check(gpu, gpu->vk.vkInvalidateMappedMemoryRanges(gpu->device, 1, &range),
                         "vkInvalidateMappedMemoryRanges");
}

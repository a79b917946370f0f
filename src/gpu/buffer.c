/* SPDX-License-Identifier: MIT */
#include "gpu/buffer.h"

#include <stdio.h>

#include "base/error.h"

const char *vks_format_bytes(uint64_t bytes, char text[32])
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = (double)bytes;
    size_t unit = 0;
    while (value >= 1024 && unit + 1 < sizeof(units) / sizeof(units[0])) {
        value /= 1024;
        unit++;
    }
    snprintf(text, 32, unit == 0 || value >= 100 ? "%.0f %s" : "%.1f %s", value, units[unit]);
    return text;
}

/* The first memory type among `allowed` with all `flags`, or -1. Drivers list the best first. */
static int find_type(const struct vks_gpu *gpu, uint32_t allowed, VkMemoryPropertyFlags flags)
{
    for (uint32_t i = 0; i < gpu->memory.memoryTypeCount; i++) {
        if ((allowed & (UINT32_C(1) << i)) &&
            (gpu->memory.memoryTypes[i].propertyFlags & flags) == flags) {
            return (int)i;
        }
    }
    return -1;
}

int vks_memory_type(const struct vks_gpu *gpu, uint32_t allowed, enum vks_memory kind)
{
    static const VkMemoryPropertyFlags wishes[][3] = {
        [VKS_MEMORY_DEVICE] = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0, 0},
        [VKS_MEMORY_UPLOAD] =
            {VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
             VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
             VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT},
        [VKS_MEMORY_READBACK] = {VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                     VK_MEMORY_PROPERTY_HOST_CACHED_BIT |
                                     VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                                 VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                     VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
                                 VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT},
    };
    for (int i = 0; i < 3; i++) {
        int type = find_type(gpu, allowed, wishes[kind][i]);
        if (type >= 0) {
            return type;
        }
    }
    return -1;
}

static enum vks_result fail_memory(const struct vks_gpu *gpu, uint64_t size, const char *what)
{
    char needs[32], has[32];
    return vks_fail(VKS_ERROR_GPU,
                    "%s needs %s, more than is free of the %s on %s; a smaller "
                    "--size or fewer items need less",
                    what, vks_format_bytes(size, needs), vks_format_bytes(gpu->info.memory, has),
                    gpu->info.name);
}

enum vks_result vks_buffer_create(struct vks_gpu *gpu, struct vks_buffer *buffer, uint64_t size,
                                  enum vks_memory kind, const char *what)
{
    *buffer = (struct vks_buffer){.size = size};
    VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = size,
        .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                 (kind == VKS_MEMORY_DEVICE ? VK_BUFFER_USAGE_STORAGE_BUFFER_BIT : 0),
    };
    VkMemoryRequirements needs;
    VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    enum vks_result result = vks_gpu_check(
        gpu, gpu->vk.vkCreateBuffer(gpu->device, &info, NULL, &buffer->buffer), "vkCreateBuffer");
    if (result != VKS_OK) {
        buffer->buffer = VK_NULL_HANDLE;
        return result;
    }
    gpu->vk.vkGetBufferMemoryRequirements(gpu->device, buffer->buffer, &needs);
    int type = vks_memory_type(gpu, needs.memoryTypeBits, kind);
    if (type < 0) {
        result = vks_fail(VKS_ERROR_GPU, "%s has no memory for %s", gpu->info.name, what);
        goto failed;
    }
    allocate.allocationSize = needs.size;
    allocate.memoryTypeIndex = (uint32_t)type;
    VkResult made = gpu->vk.vkAllocateMemory(gpu->device, &allocate, NULL, &buffer->memory);
    if (made != VK_SUCCESS) {
        buffer->memory = VK_NULL_HANDLE;
        result = made == VK_ERROR_OUT_OF_DEVICE_MEMORY || made == VK_ERROR_OUT_OF_HOST_MEMORY
                     ? fail_memory(gpu, size, what)
                     : vks_gpu_check(gpu, made, "vkAllocateMemory");
        goto failed;
    }
    result = vks_gpu_check(
        gpu, gpu->vk.vkBindBufferMemory(gpu->device, buffer->buffer, buffer->memory, 0),
        "vkBindBufferMemory");
    if (result == VKS_OK && kind != VKS_MEMORY_DEVICE) {
        result = vks_gpu_check(
            gpu,
            gpu->vk.vkMapMemory(gpu->device, buffer->memory, 0, VK_WHOLE_SIZE, 0, &buffer->map),
            "vkMapMemory");
    }
    buffer->coherent =
        (gpu->memory.memoryTypes[type].propertyFlags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) != 0;
    if (result == VKS_OK) {
        return VKS_OK;
    }
failed:
    vks_buffer_destroy(gpu, buffer);
    return result;
}

void vks_buffer_destroy(struct vks_gpu *gpu, struct vks_buffer *buffer)
{
    if (buffer->buffer) {
        gpu->vk.vkDestroyBuffer(gpu->device, buffer->buffer, NULL);
    }
    if (buffer->memory) {
        gpu->vk.vkFreeMemory(gpu->device, buffer->memory, NULL); /* unmaps */
    }
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
        .size = VK_WHOLE_SIZE,
    };
    return vks_gpu_check(gpu, gpu->vk.vkInvalidateMappedMemoryRanges(gpu->device, 1, &range),
                         "vkInvalidateMappedMemoryRanges");
}

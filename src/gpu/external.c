/* SPDX-License-Identifier: MIT */
#include "gpu/external.h"

#include "base/error.h"
#include "gpu/debug.h"
#include "gpu/features.h"

#define HOST_MEMORY VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT

enum vks_result vks_external_need(const struct vks_gpu *gpu)
{
    const VkPhysicalDeviceExternalBufferInfo info = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO,
        .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                 VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
        .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT,
    };
    VkExternalBufferProperties can = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES};
    const enum vks_result result =
        vks_gpu_need(gpu, VKS_FEATURE_EXPORTED_MEMORY, "sharing a field");
    if (result != VKS_OK) {
        return result;
    }
    vkGetPhysicalDeviceExternalBufferProperties(gpu->physical, &info, &can);
    return can.externalMemoryProperties.externalMemoryFeatures &
                   VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT
               ? VKS_OK
               : vks_fail(VKS_ERROR_DEVICE, "%s cannot share the memory of buffers",
                          gpu->info.name);
}

enum vks_result vks_external_memory(const struct vks_gpu *gpu, const struct vks_buffer *buffer,
                                    int *fd)
{
    const VkMemoryGetFdInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR,
        .memory = buffer->memory,
        .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT,
    };
    return vks_gpu_check(gpu, gpu->vk.vkGetMemoryFdKHR(gpu->device, &info, fd), "vkGetMemoryFdKHR");
}

/* --- the host's memory ----------------------------------------------------------------------- */

/* A coherent type for memory of the host; -1: there is none. */
static int import_type(const struct vks_gpu *gpu, const void *memory, uint64_t bytes)
{
    VkPhysicalDeviceExternalMemoryHostPropertiesEXT host = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT};
    VkPhysicalDeviceProperties2 properties = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &host};
    VkMemoryHostPointerPropertiesEXT types = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
    vkGetPhysicalDeviceProperties2(gpu->physical, &properties);
    if ((uintptr_t)memory % host.minImportedHostPointerAlignment != 0 ||
        bytes % host.minImportedHostPointerAlignment != 0 ||
        gpu->vk.vkGetMemoryHostPointerPropertiesEXT(gpu->device, HOST_MEMORY, memory, &types) !=
            VK_SUCCESS) {
        return -1;
    }
    for (uint32_t i = 0; i < gpu->memory.memoryTypeCount; i++) {
        const VkMemoryPropertyFlags flags = gpu->memory.memoryTypes[i].propertyFlags;
        if ((types.memoryTypeBits >> i & 1) && (flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)) {
            return (int)i;
        }
    }
    return -1;
}

enum vks_result vks_external_import(struct vks_gpu *gpu, void *memory, uint64_t bytes,
                                    const char *what, struct vks_buffer *buffer)
{
    const VkExternalMemoryBufferCreateInfo external = {
        .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO, .handleTypes = HOST_MEMORY};
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .pNext = &external,
        .size = bytes,
        .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                 VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
    };
    const VkImportMemoryHostPointerInfoEXT import = {
        .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
        .handleType = HOST_MEMORY,
        .pHostPointer = memory,
    };
    *buffer = (struct vks_buffer){.size = bytes};
    const int type =
        vks_gpu_has(gpu, VKS_FEATURE_IMPORTED_MEMORY) ? import_type(gpu, memory, bytes) : -1;
    if (type < 0) {
        return VKS_OK;
    }
    enum vks_result result = vks_gpu_check(
        gpu, gpu->vk.vkCreateBuffer(gpu->device, &info, NULL, &buffer->buffer), "vkCreateBuffer");
    if (result == VKS_OK) {
        vks_gpu_name(gpu, VK_OBJECT_TYPE_BUFFER, (uint64_t)buffer->buffer, "%s", what);
        result = vks_block_allocate(
            gpu, &buffer->own,
            &(struct vks_block_params){
                .size = bytes, .type = (uint32_t)type, .chain = &import, .what = what});
    }
    if (result == VKS_OK) {
        result = vks_buffer_bind(gpu, buffer, &buffer->own, 0);
    }
    if (result != VKS_OK) {
        vks_buffer_destroy(gpu, buffer);
    }
    return result;
}

/* --- semaphores ------------------------------------------------------------------------------ */

static bool exports_timelines(const struct vks_gpu *gpu, const VkSemaphoreTypeCreateInfo *type)
{
    const VkPhysicalDeviceExternalSemaphoreInfo info = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO,
        .pNext = type,
        .handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT,
    };
    VkExternalSemaphoreProperties can = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES};
    if (!vks_gpu_has(gpu, VKS_FEATURE_EXPORTED_SEMAPHORES)) {
        return false;
    }
    vkGetPhysicalDeviceExternalSemaphoreProperties(gpu->physical, &info, &can);
    return (can.externalSemaphoreFeatures & VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT) != 0;
}

enum vks_result vks_external_semaphore(const struct vks_gpu *gpu, VkSemaphore *semaphore, int *fd)
{
    VkSemaphoreTypeCreateInfo type = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
        .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
    };
    *semaphore = VK_NULL_HANDLE;
    *fd = -1;
    if (!exports_timelines(gpu, &type)) {
        return VKS_OK;
    }
    const VkExportSemaphoreCreateInfo exported = {
        .sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO,
        .pNext = &type,
        .handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT,
    };
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                        .pNext = &exported};
    enum vks_result result = vks_gpu_check(
        gpu, gpu->vk.vkCreateSemaphore(gpu->device, &info, NULL, semaphore), "vkCreateSemaphore");
    if (result != VKS_OK) {
        return result;
    }
    vks_gpu_name(gpu, VK_OBJECT_TYPE_SEMAPHORE, (uint64_t)*semaphore, "shared timeline");
    const VkSemaphoreGetFdInfoKHR get = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR,
        .semaphore = *semaphore,
        .handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT,
    };
    result = vks_gpu_check(gpu, gpu->vk.vkGetSemaphoreFdKHR(gpu->device, &get, fd),
                           "vkGetSemaphoreFdKHR");
    if (result != VKS_OK) {
        gpu->vk.vkDestroySemaphore(gpu->device, *semaphore, NULL);
        *semaphore = VK_NULL_HANDLE;
    }
    return result;
}

void vks_external_hand_over(const struct vks_gpu *gpu, VkBuffer buffer, bool away,
                            VkCommandBuffer commands)
{
    const VkPipelineStageFlags2 stages =
        VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT;
    const VkAccessFlags2 accesses = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT;
    const VkBufferMemoryBarrier2 barrier = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2,
        .srcStageMask = away ? stages : VK_PIPELINE_STAGE_2_NONE,
        .srcAccessMask = away ? accesses : VK_ACCESS_2_NONE,
        .dstStageMask = away ? VK_PIPELINE_STAGE_2_NONE : stages,
        .dstAccessMask = away ? VK_ACCESS_2_NONE : accesses,
        .srcQueueFamilyIndex = away ? gpu->family : VK_QUEUE_FAMILY_EXTERNAL,
        .dstQueueFamilyIndex = away ? VK_QUEUE_FAMILY_EXTERNAL : gpu->family,
        .buffer = buffer,
        .size = VK_WHOLE_SIZE,
    };
    gpu->vk.vkCmdPipelineBarrier2(commands, &(VkDependencyInfo){
                                                .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
                                                .bufferMemoryBarrierCount = 1,
                                                .pBufferMemoryBarriers = &barrier,
                                            });
}

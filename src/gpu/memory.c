/* SPDX-License-Identifier: MIT */
#include "gpu/memory.h"

#include <stdio.h>

#include "base/error.h"
#include "base/profile.h"
#include "gpu/debug.h"
#include "gpu/features.h"

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

/* The first memory type among `allowed` with all `flags`, or -1. Drivers list the fastest first. */
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

/* Index of the largest device-local heap. */
static uint32_t largest_heap(const struct vks_gpu *gpu)
{
    uint32_t largest = 0;
    uint64_t size = 0;
    for (uint32_t i = 0; i < gpu->memory.memoryHeapCount; i++) {
        const VkMemoryHeap *heap = &gpu->memory.memoryHeaps[i];
        if ((heap->flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) && heap->size > size) {
            largest = i;
            size = heap->size;
        }
    }
    return largest;
}

/* True for memory of the largest heap that the host reads as fast as its own. */
static bool is_hosts(const struct vks_gpu *gpu, uint32_t type)
{
    const VkMemoryPropertyFlags flags =
        VKS_MAPPED_MEMORY_FLAGS | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
    return (gpu->memory.memoryTypes[type].propertyFlags & flags) == flags &&
           gpu->memory.memoryTypes[type].heapIndex == largest_heap(gpu);
}

bool vks_memory_is_mapped(const struct vks_gpu *gpu, enum vks_memory kind, uint32_t type)
{
    return kind == VKS_MEMORY_STATE ? is_hosts(gpu, type)
                                    : kind != VKS_MEMORY_DEVICE && kind != VKS_MEMORY_EXPORTED;
}

int vks_memory_type(const struct vks_gpu *gpu, uint32_t allowed, enum vks_memory kind)
{
    static const VkMemoryPropertyFlags wishes[][3] = {
        [VKS_MEMORY_DEVICE] = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0, 0},
        [VKS_MEMORY_STATE] = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0, 0},
        [VKS_MEMORY_EXPORTED] = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0, 0},
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
        [VKS_MEMORY_HOST] =
            {VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT |
                 VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
             VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
             VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT},
        [VKS_MEMORY_MAPPED] = {VKS_MAPPED_MEMORY_FLAGS, VKS_MAPPED_MEMORY_FLAGS,
                               VKS_MAPPED_MEMORY_FLAGS},
    };
    for (uint32_t i = 0; kind == VKS_MEMORY_STATE && i < gpu->memory.memoryTypeCount; i++) {
        if ((allowed & (UINT32_C(1) << i)) && is_hosts(gpu, i)) {
            return (int)i;
        }
    }
    for (int i = 0; i < 3; i++) {
        int type = find_type(gpu, allowed, wishes[kind][i]);
        if (type >= 0) {
            return type;
        }
    }
    return -1;
}

/* --- how much there is ----------------------------------------------------------------------- */

static struct vks_budget budget_of(const struct vks_gpu *gpu, uint32_t heap)
{
    struct vks_budget budget = {
        .size = gpu->memory.memoryHeaps[heap].size,
        .known = vks_gpu_has(gpu, VKS_FEATURE_MEMORY_BUDGET),
    };
    uint64_t used = gpu->allocated_bytes, limit = budget.size;
    if (budget.known) {
        VkPhysicalDeviceMemoryBudgetPropertiesEXT now = {
            .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
        VkPhysicalDeviceMemoryProperties2 memory = {
            .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2, .pNext = &now};
        vkGetPhysicalDeviceMemoryProperties2(gpu->physical, &memory);
        used = now.heapUsage[heap];
        limit = now.heapBudget[heap];
    }
    budget.limit = limit;
    budget.free = limit > used ? limit - used : 0;
    return budget;
}

struct vks_budget vks_memory_budget(const struct vks_gpu *gpu, enum vks_memory kind)
{
    const int type = vks_memory_type(gpu, UINT32_MAX, kind);
    return type < 0 ? (struct vks_budget){0}
                    : budget_of(gpu, gpu->memory.memoryTypes[type].heapIndex);
}

struct vks_budget vks_gpu_budget(const struct vks_gpu *gpu)
{
    return budget_of(gpu, largest_heap(gpu));
}

/* --- allocations ----------------------------------------------------------------------------- */

static enum vks_result fail_memory(const struct vks_gpu *gpu, const struct vks_block_params *params)
{
    const struct vks_budget budget =
        budget_of(gpu, gpu->memory.memoryTypes[params->type].heapIndex);
    char needs[32], size[32], count[32], is_free[64] = "";
    if (budget.known) {
        snprintf(is_free, sizeof(is_free), " (its driver counts %s as free)",
                 vks_format_bytes(budget.free, count));
    }
    return vks_fail_hint(VKS_ERROR_GPU, VKS_HINT_SIZE,
                         "%s needs %s, more than is free of the %s on %s%s", params->what,
                         vks_format_bytes(params->needs ? params->needs : params->size, needs),
                         vks_format_bytes(budget.size, size), gpu->info.name, is_free);
}

/* Updates the counts of allocations and bytes, on any thread; subtracting wraps around. */
static void count(struct vks_gpu *gpu, uint32_t allocations, uint64_t bytes)
{
    pthread_mutex_lock(&gpu->lock);
    gpu->allocations += allocations;
    gpu->allocated_bytes += bytes;
    gpu->peak_bytes =
        gpu->peak_bytes < gpu->allocated_bytes ? gpu->allocated_bytes : gpu->peak_bytes;
    vks_profile_sample(VKS_COUNTER_MEMORY, (double)gpu->allocated_bytes);
    pthread_mutex_unlock(&gpu->lock);
}

static bool is_short_of_memory(VkResult result)
{
    return result == VK_ERROR_OUT_OF_DEVICE_MEMORY || result == VK_ERROR_OUT_OF_HOST_MEMORY;
}

/* Memory may be short for a moment only: that of batches in flight, or of another program. So it is
 * asked for once more when the device has finished what was submitted. */
static enum vks_result allocate(struct vks_gpu *gpu, const struct vks_block_params *params,
                                VkDeviceMemory *memory)
{
    const VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .pNext = params->chain,
        .allocationSize = params->size,
        .memoryTypeIndex = params->type,
    };
    VkResult made = gpu->vk.vkAllocateMemory(gpu->device, &info, NULL, memory);
    if (is_short_of_memory(made)) {
        const enum vks_result waited = vks_gpu_wait(gpu, gpu->submitted);
        if (waited != VKS_OK) {
            return waited;
        }
        made = gpu->vk.vkAllocateMemory(gpu->device, &info, NULL, memory);
    }
    return is_short_of_memory(made) ? fail_memory(gpu, params)
                                    : vks_gpu_check(gpu, made, "vkAllocateMemory");
}

enum vks_result vks_block_allocate(struct vks_gpu *gpu, struct vks_block *block,
                                   const struct vks_block_params *params)
{
    *block = (struct vks_block){.size = params->size, .type = params->type};
    enum vks_result result = allocate(gpu, params, &block->memory);
    if (result != VKS_OK) {
        *block = (struct vks_block){0};
        return result;
    }
    count(gpu, 1, block->size);
    vks_gpu_name(gpu, VK_OBJECT_TYPE_DEVICE_MEMORY, (uint64_t)block->memory, "%s", params->what);
    if (params->map) {
        result = vks_gpu_check(
            gpu, gpu->vk.vkMapMemory(gpu->device, block->memory, 0, VK_WHOLE_SIZE, 0, &block->map),
            "vkMapMemory");
    }
    if (result != VKS_OK) {
        vks_block_free(gpu, block);
    }
    return result;
}

void vks_block_free(struct vks_gpu *gpu, struct vks_block *block)
{
    if (block->memory) {
        gpu->vk.vkFreeMemory(gpu->device, block->memory, NULL); /* unmaps */
        count(gpu, UINT32_MAX, -block->size);
    }
    *block = (struct vks_block){0};
}

/* SPDX-License-Identifier: MIT */
#include "gpu/device.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/profile.h"
#include "gpu/clock.h"
#include "gpu/debug.h"
#include "gpu/internal.h"

const char *vks_vk_result_text(VkResult result)
{
    switch (result) {
#define ROW(name) \
    case name:    \
        return #name;
        ROW(VK_SUCCESS)
        ROW(VK_NOT_READY)
        ROW(VK_TIMEOUT)
        ROW(VK_INCOMPLETE)
        ROW(VK_ERROR_OUT_OF_HOST_MEMORY)
        ROW(VK_ERROR_OUT_OF_DEVICE_MEMORY)
        ROW(VK_ERROR_INITIALIZATION_FAILED)
        ROW(VK_ERROR_DEVICE_LOST)
        ROW(VK_ERROR_MEMORY_MAP_FAILED)
        ROW(VK_ERROR_LAYER_NOT_PRESENT)
        ROW(VK_ERROR_EXTENSION_NOT_PRESENT)
        ROW(VK_ERROR_FEATURE_NOT_PRESENT)
        ROW(VK_ERROR_INCOMPATIBLE_DRIVER)
        ROW(VK_ERROR_TOO_MANY_OBJECTS)
        ROW(VK_ERROR_FORMAT_NOT_SUPPORTED)
        ROW(VK_ERROR_FRAGMENTED_POOL)
        ROW(VK_ERROR_OUT_OF_POOL_MEMORY)
        ROW(VK_ERROR_SURFACE_LOST_KHR)
        ROW(VK_ERROR_NATIVE_WINDOW_IN_USE_KHR)
        ROW(VK_SUBOPTIMAL_KHR)
        ROW(VK_ERROR_OUT_OF_DATE_KHR)
#undef ROW
    default:
        return "a Vulkan error";
    }
}

enum vks_result vks_gpu_check(const struct vks_gpu *gpu, VkResult result, const char *call)
{
    if (result >= 0) {
        return VKS_OK;
    }
    const char *name = gpu && gpu->info.name[0] ? gpu->info.name : "the Vulkan driver";
    const bool is_lost = result == VK_ERROR_DEVICE_LOST;
    return vks_fail_hint(is_lost ? VKS_ERROR_LOST : VKS_ERROR_GPU,
                         result == VK_ERROR_OUT_OF_DEVICE_MEMORY ? VKS_HINT_SIZE : VKS_HINT_NONE,
                         "%s failed on %s: %s%s", call, name, vks_vk_result_text(result),
                         is_lost ? "; the device stopped working, its driver may have a time limit"
                                 : "");
}

/* --- the device ------------------------------------------------------------------------------ */

static void read_subgroups(struct vks_gpu *gpu,
                           const VkPhysicalDeviceVulkan11Properties *operations,
                           const VkPhysicalDeviceVulkan13Properties *sizes)
{
    if (!(operations->subgroupSupportedOperations & VK_SUBGROUP_FEATURE_SHUFFLE_BIT) ||
        !(operations->subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT)) {
        return;
    }
    gpu->subgroup_sized = (sizes->requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
    gpu->min_subgroup = gpu->subgroup_sized ? sizes->minSubgroupSize : operations->subgroupSize;
    gpu->max_subgroup = gpu->subgroup_sized ? sizes->maxSubgroupSize : operations->subgroupSize;
    gpu->max_subgroups = sizes->maxComputeWorkgroupSubgroups;
    if (!gpu->subgroup_sized && sizes->minSubgroupSize != sizes->maxSubgroupSize) {
        gpu->min_subgroup = gpu->max_subgroup = 0; /* the driver may choose any */
    }
}

static void read_properties(struct vks_gpu *gpu)
{
    VkQueueFamilyProperties family = {0};
    vks_find_family(gpu->physical, &gpu->family, &family);
    vkGetPhysicalDeviceProperties(gpu->physical, &gpu->properties);
    vkGetPhysicalDeviceMemoryProperties(gpu->physical, &gpu->memory);
    gpu->can_blit = (family.queueFlags & VK_QUEUE_GRAPHICS_BIT) != 0;
    vks_gpu_clock_init(gpu, family.timestampValidBits,
                       (double)gpu->properties.limits.timestampPeriod);
    VkPhysicalDeviceVulkan13Properties sizes = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES};
    VkPhysicalDeviceVulkan11Properties properties11 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES, .pNext = &sizes};
    VkPhysicalDeviceProperties2 properties = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &properties11};
    vkGetPhysicalDeviceProperties2(gpu->physical, &properties);
    gpu->max_allocation = properties11.maxMemoryAllocationSize;
    gpu->field_range = gpu->info.largest_buffer;
    gpu->copies_by_shader = gpu->info.type != VKS_DEVICE_SOFTWARE;
    read_subgroups(gpu, &properties11, &sizes);
}

/* The queues of the device: one to compute, and for a window one of each other family, because only
 * its surface tells which present. Returns their number. */
static uint32_t list_queues(struct vks_gpu *gpu, bool window,
                            VkDeviceQueueCreateInfo queues[VKS_MAX_FAMILIES])
{
    static const float priority = 1;
    uint32_t count = 0;
    vkGetPhysicalDeviceQueueFamilyProperties(gpu->physical, &gpu->families, NULL);
    gpu->families = gpu->families < VKS_MAX_FAMILIES ? gpu->families : VKS_MAX_FAMILIES;
    for (uint32_t i = 0; i < gpu->families; i++) {
        if (window || i == gpu->family) {
            queues[count++] = (VkDeviceQueueCreateInfo){
                .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                .queueFamilyIndex = i,
                .queueCount = 1,
                .pQueuePriorities = &priority,
            };
        }
    }
    return count;
}

static enum vks_result create_device(struct vks_gpu *gpu, const struct vks_gpu_params *params)
{
    const char *extensions[VKS_FEATURE_COUNT];
    uint32_t extension_count;
    struct vks_feature_chain chain;
    struct vks_offer offer;
    vks_read_offer(gpu->physical, &offer);
    vks_enable_features(gpu, params, &offer, &chain, extensions, &extension_count);
    if (params->instance_extensions &&
        !(gpu->can_blit && vks_gpu_has(gpu, VKS_FEATURE_SWAPCHAIN))) {
        return vks_fail_hint(VKS_ERROR_DEVICE, VKS_HINT_WINDOW, "%s cannot show windows",
                             gpu->info.name);
    }
    /* Validation layer 1.3.239 loses track of timeline semaphores while it reads back its
     * results. */
    gpu->serial = params->validation == VKS_VALIDATION_GPU;
    VkDeviceQueueCreateInfo queues[VKS_MAX_FAMILIES];
    VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = &chain.core,
        .queueCreateInfoCount = list_queues(gpu, params->instance_extensions != NULL, queues),
        .pQueueCreateInfos = queues,
        .enabledExtensionCount = extension_count,
        .ppEnabledExtensionNames = extensions,
    };
    VkResult made = vkCreateDevice(gpu->physical, &info, NULL, &gpu->device);
    if (made != VK_SUCCESS) {
        gpu->device = VK_NULL_HANDLE;
        return vks_fail(VKS_ERROR_DEVICE, "%s could not be opened: %s", gpu->info.name,
                        vks_vk_result_text(made));
    }
    volkLoadDeviceTable(&gpu->vk, gpu->device);
    gpu->vk.vkGetDeviceQueue(gpu->device, gpu->family, 0, &gpu->queue);
    vks_gpu_name(gpu, VK_OBJECT_TYPE_DEVICE, (uint64_t)gpu->device, "vksim");
    vks_gpu_name(gpu, VK_OBJECT_TYPE_QUEUE, (uint64_t)gpu->queue, "queue");
    return VKS_OK;
}

/* The command pool and, unless only compiling, the timeline. */
static enum vks_result create_queue_objects(struct vks_gpu *gpu,
                                            const struct vks_gpu_params *params)
{
    VkCommandPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
        .queueFamilyIndex = gpu->family,
    };
    enum vks_result result =
        vks_gpu_check(gpu, gpu->vk.vkCreateCommandPool(gpu->device, &pool, NULL, &gpu->pool),
                      "vkCreateCommandPool");
    if (result != VKS_OK) {
        return result;
    }
    vks_gpu_name(gpu, VK_OBJECT_TYPE_COMMAND_POOL, (uint64_t)gpu->pool, "command pool");
    if (params->compile_only) {
        return VKS_OK;
    }
    VkSemaphoreTypeCreateInfo type = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
        .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
    };
    VkSemaphoreCreateInfo semaphore = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                       .pNext = &type};
    result =
        vks_gpu_check(gpu, gpu->vk.vkCreateSemaphore(gpu->device, &semaphore, NULL, &gpu->timeline),
                      "vkCreateSemaphore");
    if (result == VKS_OK) {
        vks_gpu_name(gpu, VK_OBJECT_TYPE_SEMAPHORE, (uint64_t)gpu->timeline, "timeline");
    }
    return result;
}

/* Batches take some 50 ms, and drivers have limits of seconds for one dispatch. Software drivers
 * take the time that the processor takes. */
static void set_timeout(struct vks_gpu *gpu, double seconds)
{
    seconds = seconds == 0 && gpu->info.type != VKS_DEVICE_SOFTWARE ? VKS_GPU_SECONDS : seconds;
    gpu->timeout = seconds > 0 ? (uint64_t)(seconds * 1e9) : UINT64_MAX;
}

enum vks_result vks_gpu_open(struct vks_gpu *gpu, const struct vks_gpu_params *params)
{
    const double begin = vks_seconds();
    *gpu = (struct vks_gpu){.lock = PTHREAD_MUTEX_INITIALIZER};
    vks_phase_begin(VKS_PHASE_LOADER);
    enum vks_result result = vks_create_instance(gpu, params);
    if (result == VKS_OK) {
        result = vks_choose_device(gpu, params);
    }
    vks_phase_end();
    const double instance = vks_seconds();
    vks_phase_begin(VKS_PHASE_DEVICE);
    if (result == VKS_OK && params->opening) {
        params->opening(params->user);
    }
    if (result == VKS_OK) {
        read_properties(gpu);
        set_timeout(gpu, params->timeout);
        gpu->batch = params->batch > 0 ? params->batch : VKS_BATCH_SECONDS;
        result = create_device(gpu, params);
    }
    if (result == VKS_OK) {
        result = create_queue_objects(gpu, params);
    }
    if (result == VKS_OK) {
        result = vks_gpu_cache_open(gpu, !params->no_disk_cache);
    }
    vks_phase_end();
    if (result != VKS_OK) {
        vks_gpu_close(gpu);
        return result;
    }
    vks_message(VKS_LOG_VERBOSE, "instance made in %.1f ms, device in %.1f ms",
                1e3 * (instance - begin), 1e3 * (vks_seconds() - instance));
    return VKS_OK;
}

void vks_gpu_close(struct vks_gpu *gpu)
{
    const bool hung = atomic_load(&gpu->hung);
    if (gpu->device) {
        if (gpu->timeline && !hung) {
            gpu->vk.vkDeviceWaitIdle(gpu->device);
        }
        if (gpu->timeline) {
            gpu->vk.vkDestroySemaphore(gpu->device, gpu->timeline, NULL);
        }
        vks_kept_free(gpu);
        vks_gpu_layouts_free(gpu);
        vks_gpu_cache_close(gpu);
        gpu->vk.vkDestroyCommandPool(gpu->device, gpu->pool, NULL);
    }
    if (gpu->device && !hung) {
        gpu->vk.vkDestroyDevice(gpu->device, NULL);
    }
    if (!hung) {
        vks_destroy_instance(gpu);
    }
    *gpu = (struct vks_gpu){.validation_messages = gpu->validation_messages};
}

/* --- the queue ------------------------------------------------------------------------------- */

/* While tracing: the submissions that have not completed, and memory, which a trace that begins
 * within the run would not know otherwise. */
static void sample_counters(const struct vks_gpu *gpu)
{
    uint64_t done = 0;
    if (vks_profile_traces() &&
        gpu->vk.vkGetSemaphoreCounterValue(gpu->device, gpu->timeline, &done) == VK_SUCCESS) {
        vks_profile_sample(VKS_COUNTER_QUEUE, (double)(gpu->submitted - done));
        vks_profile_sample(VKS_COUNTER_MEMORY, (double)gpu->allocated_bytes);
    }
}

static enum vks_result submit(struct vks_gpu *gpu, const VkSubmitInfo2 *info, VkFence fence)
{
    pthread_mutex_lock(&gpu->lock);
    enum vks_result result =
        vks_gpu_check(gpu, gpu->vk.vkQueueSubmit2(gpu->queue, 1, info, fence), "vkQueueSubmit2");
    if (result == VKS_OK && gpu->serial) {
        result = vks_gpu_check(gpu, gpu->vk.vkQueueWaitIdle(gpu->queue), "vkQueueWaitIdle");
    }
    pthread_mutex_unlock(&gpu->lock);
    return result;
}

enum vks_result vks_gpu_submit_with(struct vks_gpu *gpu, VkCommandBuffer commands,
                                    const VkSemaphoreSubmitInfo *wait,
                                    const VkSemaphoreSubmitInfo *signal)
{
    const VkSemaphoreSubmitInfo signals[2] = {
        {
            .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
            .semaphore = gpu->timeline,
            .value = gpu->submitted + 1,
            .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
        },
        signal ? *signal : (VkSemaphoreSubmitInfo){0},
    };
    const VkCommandBufferSubmitInfo buffer = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
        .commandBuffer = commands,
    };
    const VkSubmitInfo2 info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
        .waitSemaphoreInfoCount = wait ? 1 : 0,
        .pWaitSemaphoreInfos = wait,
        .commandBufferInfoCount = commands ? 1 : 0,
        .pCommandBufferInfos = &buffer,
        .signalSemaphoreInfoCount = signal ? 2 : 1,
        .pSignalSemaphoreInfos = signals,
    };
    vks_phase_begin(VKS_PHASE_SUBMIT);
    vks_phase_submission(gpu->submitted + 1);
    enum vks_result result = submit(gpu, &info, VK_NULL_HANDLE);
    vks_phase_end();
    if (result == VKS_OK) {
        gpu->submitted++;
        sample_counters(gpu);
    }
    return result;
}

enum vks_result vks_gpu_submit(struct vks_gpu *gpu, VkCommandBuffer commands, VkSemaphore wait,
                               VkSemaphore signal)
{
    const VkSemaphoreSubmitInfo before = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
        .semaphore = wait,
        .stageMask = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
    };
    const VkSemaphoreSubmitInfo after = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
        .semaphore = signal,
        .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
    };
    return vks_gpu_submit_with(gpu, commands, wait ? &before : NULL, signal ? &after : NULL);
}

enum vks_result vks_gpu_submit_fenced(struct vks_gpu *gpu, VkCommandBuffer commands, VkFence fence)
{
    const VkCommandBufferSubmitInfo buffer = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
        .commandBuffer = commands,
    };
    const VkSubmitInfo2 info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
        .commandBufferInfoCount = 1,
        .pCommandBufferInfos = &buffer,
    };
    return submit(gpu, &info, fence);
}

/* What a device may still use is left to the end of the process: drivers wait for the device, or
 * for ever, if it is destroyed. */
#define OBJECTS(X)                                         \
    X(vkDestroyBuffer, VkBuffer)                           \
    X(vkFreeMemory, VkDeviceMemory)                        \
    X(vkDestroyPipeline, VkPipeline)                       \
    X(vkDestroyPipelineLayout, VkPipelineLayout)           \
    X(vkDestroyDescriptorSetLayout, VkDescriptorSetLayout) \
    X(vkDestroyDescriptorPool, VkDescriptorPool)           \
    X(vkDestroyCommandPool, VkCommandPool)                 \
    X(vkDestroyQueryPool, VkQueryPool)                     \
    X(vkDestroyPipelineCache, VkPipelineCache)             \
    X(vkDestroySemaphore, VkSemaphore)                     \
    X(vkDestroyFence, VkFence)                             \
    X(vkDestroyBufferView, VkBufferView)                   \
    X(vkDestroyImage, VkImage)                             \
    X(vkDestroySwapchainKHR, VkSwapchainKHR)
#define LEAVE(function, type)                                                                  \
    static VKAPI_ATTR void VKAPI_CALL leave_##function(VkDevice device, type object,           \
                                                       const VkAllocationCallbacks *callbacks) \
    {                                                                                          \
        (void)device;                                                                          \
        (void)object;                                                                          \
        (void)callbacks;                                                                       \
    }
OBJECTS(LEAVE)
#undef LEAVE

static VKAPI_ATTR void VKAPI_CALL leave_commands(VkDevice device, VkCommandPool pool,
                                                 uint32_t count, const VkCommandBuffer *commands)
{
    (void)device;
    (void)pool;
    (void)count;
    (void)commands;
}

static enum vks_result fail_hung(struct vks_gpu *gpu)
{
    if (!atomic_exchange(&gpu->hung, true)) {
#define LEAVE(function, type) gpu->vk.function = leave_##function;
        OBJECTS(LEAVE)
#undef LEAVE
        gpu->vk.vkFreeCommandBuffers = leave_commands;
    }
    return vks_fail_hint(
        VKS_ERROR_LOST, VKS_HINT_TIMEOUT,
        "%s has not finished its work in %g s: it hangs, or it is too slow for this "
        "limit",
        gpu->info.name, (double)gpu->timeout / 1e9);
}

enum vks_result vks_gpu_wait_idle(struct vks_gpu *gpu)
{
    if (atomic_load(&gpu->hung)) {
        return fail_hung(gpu);
    }
    pthread_mutex_lock(&gpu->lock);
    const VkResult result = gpu->vk.vkDeviceWaitIdle(gpu->device);
    pthread_mutex_unlock(&gpu->lock);
    return vks_gpu_check(gpu, result, "vkDeviceWaitIdle");
}

enum vks_result vks_gpu_wait(struct vks_gpu *gpu, uint64_t value)
{
    if (gpu->serial) {
        return VKS_OK;
    }
    if (atomic_load(&gpu->hung)) {
        return fail_hung(gpu);
    }
    VkSemaphoreWaitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
        .semaphoreCount = 1,
        .pSemaphores = &gpu->timeline,
        .pValues = &value,
    };
    vks_phase_begin(VKS_PHASE_WAIT_GPU);
    const VkResult waited = gpu->vk.vkWaitSemaphores(gpu->device, &info, gpu->timeout);
    vks_phase_end();
    return waited == VK_TIMEOUT ? fail_hung(gpu) : vks_gpu_check(gpu, waited, "vkWaitSemaphores");
}

enum vks_result vks_gpu_wait_fence(struct vks_gpu *gpu, VkFence fence)
{
    if (atomic_load(&gpu->hung)) {
        return fail_hung(gpu);
    }
    const VkResult waited = gpu->vk.vkWaitForFences(gpu->device, 1, &fence, VK_TRUE, gpu->timeout);
    return waited == VK_TIMEOUT ? fail_hung(gpu) : vks_gpu_check(gpu, waited, "vkWaitForFences");
}

bool vks_gpu_reached(const struct vks_gpu *gpu, uint64_t value)
{
    uint64_t now = 0;
    return gpu->serial ||
           (gpu->vk.vkGetSemaphoreCounterValue(gpu->device, gpu->timeline, &now) == VK_SUCCESS &&
            now >= value);
}

/* SPDX-License-Identifier: MIT */
#include "gpu/clock.h"

#include <math.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "gpu/debug.h"
#include "gpu/features.h"

enum {
    TRIES = 5, /* of an estimate; the fastest counts */
    MAX_DOMAINS = 16,
};

void vks_gpu_clock_init(struct vks_gpu *gpu, uint32_t valid_bits, double period_ns)
{
    const double period = period_ns * 1e-9;
    gpu->timestamp_bits = valid_bits;
    gpu->timestamp_period = 0;
    gpu->timestamp_mask = 0;
    if (valid_bits > 0 && isfinite(period) && period > 0) {
        gpu->timestamp_period = period;
        gpu->timestamp_mask = valid_bits >= 64 ? UINT64_MAX : (UINT64_C(1) << valid_bits) - 1;
    }
}

enum vks_result vks_gpu_need_timestamps(const struct vks_gpu *gpu)
{
    return gpu->timestamp_period > 0
               ? VKS_OK
               : vks_fail(VKS_ERROR_DEVICE, "%s has no timestamps, so nothing can be measured",
                          gpu->info.name);
}

double vks_gpu_seconds(const struct vks_gpu *gpu, uint64_t begin, uint64_t end)
{
    return (double)((end - begin) & gpu->timestamp_mask) * gpu->timestamp_period;
}

double vks_gpu_clock_range(const struct vks_gpu *gpu)
{
    return ((double)gpu->timestamp_mask + 1) * gpu->timestamp_period;
}

bool vks_gpu_read_ticks(const struct vks_gpu *gpu, VkQueryPool queries, uint32_t first,
                        uint32_t count, uint64_t *ticks)
{
    vks_phase_begin(VKS_PHASE_WAIT_GPU);
    const VkResult result =
        gpu->vk.vkGetQueryPoolResults(gpu->device, queries, first, count, count * sizeof(*ticks),
                                      ticks, sizeof(*ticks), VK_QUERY_RESULT_64_BIT);
    vks_phase_end();
    return result == VK_SUCCESS;
}

/* The functions of the extension, under either of its names; NULL: none. */
struct calibration {
    PFN_vkGetPhysicalDeviceCalibrateableTimeDomainsEXT domains;
    PFN_vkGetCalibratedTimestampsEXT read;
};

static struct calibration find_functions(const struct vks_gpu *gpu)
{
    static const char *const names[][2] = {
        {"vkGetPhysicalDeviceCalibrateableTimeDomainsEXT", "vkGetCalibratedTimestampsEXT"},
        {"vkGetPhysicalDeviceCalibrateableTimeDomainsKHR", "vkGetCalibratedTimestampsKHR"},
    };
    struct calibration found = {NULL, NULL};
    for (size_t i = 0; i < VKS_COUNT(names) && !(found.domains && found.read); i++) {
        found.domains = (PFN_vkGetPhysicalDeviceCalibrateableTimeDomainsEXT)vkGetInstanceProcAddr(
            gpu->instance, names[i][0]);
        found.read =
            (PFN_vkGetCalibratedTimestampsEXT)vkGetDeviceProcAddr(gpu->device, names[i][1]);
    }
    return found;
}

/* True if the device can read both its clock and that of vks_seconds(). */
static bool has_domains(const struct vks_gpu *gpu, const struct calibration *functions)
{
    VkTimeDomainEXT domains[MAX_DOMAINS];
    uint32_t count = MAX_DOMAINS;
    bool device = false, monotonic = false;
    const VkResult listed = functions->domains(gpu->physical, &count, domains);
    for (uint32_t i = 0; (listed == VK_SUCCESS || listed == VK_INCOMPLETE) && i < count; i++) {
        device = device || domains[i] == VK_TIME_DOMAIN_DEVICE_EXT;
        monotonic = monotonic || domains[i] == VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT;
    }
    return device && monotonic;
}

/* Reads both clocks with the extension. False where the device cannot. */
static bool read_at_once(const struct vks_gpu *gpu, struct vks_clock_pair *pair)
{
    const VkCalibratedTimestampInfoEXT infos[2] = {
        {.sType = VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT,
         .timeDomain = VK_TIME_DOMAIN_DEVICE_EXT},
        {.sType = VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT,
         .timeDomain = VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT},
    };
    uint64_t times[2], deviation;
    if (!vks_gpu_has(gpu, VKS_FEATURE_CALIBRATED_TIMESTAMPS)) {
        return false;
    }
    const struct calibration functions = find_functions(gpu);
    if (!functions.domains || !functions.read || !has_domains(gpu, &functions) ||
        functions.read(gpu->device, 2, infos, times, &deviation) != VK_SUCCESS) {
        return false;
    }
    *pair = (struct vks_clock_pair){.host = (double)times[1] * 1e-9,
                                    .ticks = times[0] & gpu->timestamp_mask,
                                    .deviation = (double)deviation * 1e-9};
    return true;
}

/* Submits one timestamp and takes the time in the middle of the wait for it. */
static enum vks_result estimate(struct vks_gpu *gpu, VkCommandBuffer commands, VkQueryPool queries,
                                struct vks_clock_pair *pair)
{
    uint64_t ticks;
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    enum vks_result result =
        vks_gpu_check(gpu, gpu->vk.vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
    if (result == VKS_OK) {
        gpu->vk.vkCmdResetQueryPool(commands, queries, 0, 1);
        gpu->vk.vkCmdWriteTimestamp2(commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, queries, 0);
        result = vks_gpu_check(gpu, gpu->vk.vkEndCommandBuffer(commands), "vkEndCommandBuffer");
    }
    const double before = vks_seconds();
    if (result == VKS_OK) {
        result = vks_gpu_submit(gpu, commands, VK_NULL_HANDLE, VK_NULL_HANDLE);
    }
    if (result == VKS_OK) {
        result = vks_gpu_wait(gpu, gpu->submitted);
    }
    const double after = vks_seconds();
    if (result == VKS_OK && !vks_gpu_read_ticks(gpu, queries, 0, 1, &ticks)) {
        result = vks_fail(VKS_ERROR_GPU, "%s did not return a timestamp", gpu->info.name);
    }
    if (result == VKS_OK) {
        *pair = (struct vks_clock_pair){.host = (before + after) / 2,
                                        .ticks = ticks & gpu->timestamp_mask,
                                        .deviation = (after - before) / 2,
                                        .estimated = true};
    }
    return result;
}

/* The best of several estimates. */
static enum vks_result estimate_best(struct vks_gpu *gpu, struct vks_clock_pair *pair)
{
    VkCommandBuffer commands = VK_NULL_HANDLE;
    VkQueryPool queries = VK_NULL_HANDLE;
    const VkCommandBufferAllocateInfo buffer = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = gpu->pool,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1,
    };
    const VkQueryPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
        .queryType = VK_QUERY_TYPE_TIMESTAMP,
        .queryCount = 1,
    };
    enum vks_result result = vks_gpu_wait(gpu, gpu->submitted);
    if (result == VKS_OK) {
        result =
            vks_gpu_check(gpu, gpu->vk.vkAllocateCommandBuffers(gpu->device, &buffer, &commands),
                          "vkAllocateCommandBuffers");
    }
    if (result != VKS_OK) {
        return result;
    }
    result = vks_gpu_check(gpu, gpu->vk.vkCreateQueryPool(gpu->device, &pool, NULL, &queries),
                           "vkCreateQueryPool");
    if (result == VKS_OK) {
        vks_gpu_name(gpu, VK_OBJECT_TYPE_COMMAND_BUFFER, (uint64_t)(uintptr_t)commands, "clock");
        vks_gpu_name(gpu, VK_OBJECT_TYPE_QUERY_POOL, (uint64_t)queries, "clock");
    }
    for (int i = 0; result == VKS_OK && i < TRIES; i++) {
        struct vks_clock_pair next;
        result = estimate(gpu, commands, queries, &next);
        if (result == VKS_OK && (i == 0 || next.deviation < pair->deviation)) {
            *pair = next;
        }
    }
    if (queries) {
        gpu->vk.vkDestroyQueryPool(gpu->device, queries, NULL);
    }
    gpu->vk.vkFreeCommandBuffers(gpu->device, gpu->pool, 1, &commands);
    return result;
}

enum vks_result vks_gpu_read_clocks(struct vks_gpu *gpu, struct vks_clock_pair *pair)
{
    return read_at_once(gpu, pair) ? VKS_OK : estimate_best(gpu, pair);
}

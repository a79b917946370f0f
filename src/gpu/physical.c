/* SPDX-License-Identifier: MIT */
#include "gpu/internal.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/log.h"
#include "gpu/memory.h"

bool vks_find_family(VkPhysicalDevice physical, uint32_t *family, VkQueueFamilyProperties *out)
{
    VkQueueFamilyProperties families[VKS_MAX_FAMILIES];
    uint32_t count = VKS_MAX_FAMILIES;
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families);
    int best = -1;
    for (uint32_t i = 0; i < count; i++) {
        VkQueueFlags flags = families[i].queueFlags;
        if (!(flags & VK_QUEUE_COMPUTE_BIT)) {
            continue;
        }
        int score = flags & VK_QUEUE_GRAPHICS_BIT ? 1 : 0;
        if (best < 0 || score > best) {
            best = score;
            *family = i;
            *out = families[i];
        }
    }
    return best >= 0;
}

static void add_missing(char *lacks, size_t size, const char *text)
{
    size_t used = strlen(lacks);
    snprintf(lacks + used, size - used, "%s%s", used ? ", " : "", text);
}

static void describe(VkPhysicalDevice physical, uint32_t index, struct vks_device_info *info)
{
    VkPhysicalDeviceDriverProperties driver = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
    VkPhysicalDeviceIDProperties id = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES,
                                       .pNext = &driver};
    VkPhysicalDeviceProperties2 properties = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &id};
    VkPhysicalDeviceVulkan13Properties properties13 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES};
    VkPhysicalDeviceVulkan11Properties properties11 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES, .pNext = &properties13};
    *info = (struct vks_device_info){.index = index};

    VkPhysicalDeviceProperties plain;
    vkGetPhysicalDeviceProperties(physical, &plain);
    bool recent = plain.apiVersion >= VK_API_VERSION_1_2;
    if (recent) {
        vkGetPhysicalDeviceProperties2(physical, &properties);
        snprintf(info->driver, sizeof(info->driver), "%s %s", driver.driverName, driver.driverInfo);
        char *out = info->uuid;
        for (unsigned i = 0; i < VK_UUID_SIZE; i++) {
            out += sprintf(out, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
                           id.deviceUUID[i]);
        }
    }
    snprintf(info->name, sizeof(info->name), "%s", plain.deviceName);
    snprintf(info->api_version, sizeof(info->api_version), "%u.%u.%u",
             VK_API_VERSION_MAJOR(plain.apiVersion), VK_API_VERSION_MINOR(plain.apiVersion),
             VK_API_VERSION_PATCH(plain.apiVersion));
    switch (plain.deviceType) {
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
        info->type = VKS_DEVICE_INTEGRATED;
        break;
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
        info->type = VKS_DEVICE_DISCRETE;
        break;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
        info->type = VKS_DEVICE_VIRTUAL;
        break;
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
        info->type = VKS_DEVICE_SOFTWARE;
        break;
    default:
        info->type = VKS_DEVICE_OTHER;
        break;
    }
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(physical, &memory);
    for (uint32_t i = 0; i < memory.memoryHeapCount; i++) {
        if ((memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) &&
            memory.memoryHeaps[i].size > info->memory) {
            info->memory = memory.memoryHeaps[i].size;
        }
    }
    info->buffers = plain.limits.maxPerStageDescriptorStorageBuffers;
    info->largest_buffer = plain.limits.maxStorageBufferRange;
    if (plain.apiVersion >= VK_API_VERSION_1_3) {
        VkPhysicalDeviceProperties2 more = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                            .pNext = &properties11};
        vkGetPhysicalDeviceProperties2(physical, &more);
        if (properties13.maxBufferSize < info->largest_buffer) {
            info->largest_buffer = properties13.maxBufferSize;
        }
        if (properties11.maxMemoryAllocationSize < info->largest_buffer) {
            info->largest_buffer = properties11.maxMemoryAllocationSize;
        }
    }

    if (plain.apiVersion >= VK_API_VERSION_1_3) {
        struct vks_offer offer;
        vks_read_offer(physical, &offer);
        vks_offer_text(&offer, info->features, sizeof(info->features));
    }
    char *lacks = info->lacks;
    size_t size = sizeof(info->lacks);
    if (plain.apiVersion < VK_API_VERSION_1_3) {
        add_missing(lacks, size, "Vulkan 1.3");
    }
    uint32_t family;
    VkQueueFamilyProperties queue;
    if (!vks_find_family(physical, &family, &queue)) {
        add_missing(lacks, size, "a compute queue");
    }
    if (plain.limits.maxComputeSharedMemorySize < VKS_FLOOR_SHARED) {
        add_missing(lacks, size, "32 KiB of shared memory");
    }
    if (plain.limits.maxComputeWorkGroupInvocations < VKS_FLOOR_INVOCATIONS) {
        add_missing(lacks, size, "workgroups of 256");
    }
    if (info->buffers < VKS_FLOOR_BUFFERS) {
        add_missing(lacks, size, "24 storage buffers in a shader");
    }
    if (plain.limits.maxPushConstantsSize < VKS_FLOOR_PUSH) {
        add_missing(lacks, size, "128 bytes of push constants");
    }
}

/* 4 for discrete down to 0 for software; -1 if the device lacks something. */
static int score_of(const struct vks_device_info *info)
{
    static const int scores[] = {
        [VKS_DEVICE_OTHER] = 1,   [VKS_DEVICE_INTEGRATED] = 3, [VKS_DEVICE_DISCRETE] = 4,
        [VKS_DEVICE_VIRTUAL] = 2, [VKS_DEVICE_SOFTWARE] = 0,
    };
    return info->lacks[0] ? -1 : scores[info->type];
}

static bool contains_ignoring_case(const char *text, const char *part)
{
    size_t length = strlen(part);
    for (; *text; text++) {
        size_t i = 0;
        while (i < length && text[i] &&
               tolower((unsigned char)text[i]) == tolower((unsigned char)part[i])) {
            i++;
        }
        if (i == length) {
            return true;
        }
    }
    return false;
}

bool vks_device_selects(const char *wanted, const struct vks_device_info *info)
{
    char *end;
    unsigned long index = strtoul(wanted, &end, 10);
    if (isdigit((unsigned char)wanted[0]) && *end == '\0') {
        return index == info->index;
    }
    return strcasecmp(info->uuid, wanted) == 0 || contains_ignoring_case(info->name, wanted);
}

static enum vks_result enumerate(struct vks_gpu *gpu, VkPhysicalDevice *devices, uint32_t *count)
{
    *count = VKS_MAX_DEVICES;
    VkResult result = vkEnumeratePhysicalDevices(gpu->instance, count, devices);
    if (result < 0) {
        return vks_fail(VKS_ERROR_DEVICE, "the Vulkan drivers could not be listed: %s",
                        vks_vk_result_text(result));
    }
    return VKS_OK;
}

uint32_t vks_best_devices(const struct vks_device_info *infos, size_t count)
{
    int best = 0;
    uint32_t found = 0;
    for (size_t i = 0; i < count; i++) {
        const int score = score_of(&infos[i]);
        found = score > best || found == 0 ? 0 : found;
        best = score > best ? score : best;
        found += score == best;
    }
    return found;
}

/* Of several ranks, each takes one of the devices of the best kind, in turn. */
static int device_of_rank(const struct vks_device_info *infos, uint32_t count, int best,
                          const struct vks_gpu_params *params)
{
    int same[VKS_MAX_DEVICES];
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (score_of(&infos[i]) == score_of(&infos[best])) {
            same[found++] = (int)i;
        }
    }
    if (params->rank == 0 && params->ranks > found && !params->quiet) {
        vks_message(VKS_LOG_WARNING, "%u ranks share %u device%s", params->ranks, found,
                    found == 1 ? "" : "s");
    }
    return same[params->rank % found];
}

enum vks_result vks_choose_device(struct vks_gpu *gpu, const struct vks_gpu_params *params)
{
    const char *wanted = params->device;
    VkPhysicalDevice devices[VKS_MAX_DEVICES];
    struct vks_device_info infos[VKS_MAX_DEVICES];
    uint32_t count;
    enum vks_result result = enumerate(gpu, devices, &count);
    if (result != VKS_OK) {
        return result;
    }
    if (count == 0) {
        return vks_fail(VKS_ERROR_DEVICE, "no Vulkan device found; install the GPU's driver or a "
                                          "software one (Debian: apt install mesa-vulkan-drivers)");
    }
    const bool named = wanted && wanted[0];
    if (!named) {
        wanted = getenv("VKSIM_DEVICE");
    }
    bool any = !wanted || !wanted[0];
    int best = -1;
    int best_score = -2;
    char list[1024] = "";
    for (uint32_t i = 0; i < count; i++) {
        describe(devices[i], i, &infos[i]);
        size_t used = strlen(list);
        snprintf(list + used, sizeof(list) - used, "%s%u '%s'", i ? ", " : "", i, infos[i].name);
        if ((any || vks_device_selects(wanted, &infos[i])) && score_of(&infos[i]) > best_score) {
            best = (int)i;
            best_score = score_of(&infos[i]);
        }
    }
    if (best < 0) {
        return vks_fail_hint(VKS_ERROR_DEVICE, named ? VKS_HINT_DEVICE : VKS_HINT_NONE,
                             "%s'%s' is not a Vulkan device here; there are: %s",
                             named ? "" : "VKSIM_DEVICE ", wanted, list);
    }
    if (best_score < 0) {
        return vks_fail(VKS_ERROR_DEVICE, "%s lacks what vksim needs: %s", infos[best].name,
                        infos[best].lacks);
    }
    if (params->ranks > 1 && any) {
        best = device_of_rank(infos, count, best, params);
    }
    gpu->physical = devices[best];
    gpu->info = infos[best];
    if (params->quiet) {
        return VKS_OK;
    }
    if (gpu->info.type == VKS_DEVICE_SOFTWARE && any) {
        vks_message(VKS_LOG_INFO, "no GPU found: computing on the processor with %s",
                    gpu->info.name);
    } else {
        vks_message(gpu->info.type == VKS_DEVICE_SOFTWARE ? VKS_LOG_INFO : VKS_LOG_VERBOSE,
                    "device %u: %s (%s)", gpu->info.index, gpu->info.name, gpu->info.driver);
    }
    return VKS_OK;
}

enum vks_result vks_memory_survey(const char *device, struct vks_device_info *info,
                                  struct vks_budget *budget)
{
    struct vks_gpu gpu = {0};
    struct vks_offer offer;
    enum vks_result result = vks_create_instance(&gpu, &(struct vks_gpu_params){0});
    if (result == VKS_OK) {
        result = vks_choose_device(&gpu, &(struct vks_gpu_params){.device = device, .quiet = true});
    }
    if (result == VKS_OK) {
        vks_read_offer(gpu.physical, &offer);
        gpu.features = offer.features;
        vkGetPhysicalDeviceMemoryProperties(gpu.physical, &gpu.memory);
        *info = gpu.info;
        *budget = vks_gpu_budget(&gpu);
    }
    vks_destroy_instance(&gpu);
    return result;
}

enum vks_result vks_gpu_find(const struct vks_gpu_params *params, size_t count,
                             struct vks_device_info *infos)
{
    struct vks_gpu gpu = {0};
    enum vks_result result = vks_create_instance(&gpu, &(struct vks_gpu_params){0});
    for (size_t i = 0; i < count && result == VKS_OK; i++) {
        struct vks_gpu_params quiet = params[i];
        quiet.quiet = true;
        result = vks_choose_device(&gpu, &quiet);
        infos[i] = gpu.info;
    }
    vks_destroy_instance(&gpu);
    return result;
}

enum vks_result vks_gpu_list(struct vks_device_info *infos, size_t capacity, size_t *count)
{
    struct vks_gpu gpu = {0};
    VkPhysicalDevice devices[VKS_MAX_DEVICES];
    uint32_t found = 0;
    enum vks_result result = vks_create_instance(&gpu, &(struct vks_gpu_params){0});
    if (result == VKS_OK) {
        result = enumerate(&gpu, devices, &found);
    }
    for (uint32_t i = 0; result == VKS_OK && i < found && i < capacity; i++) {
        describe(devices[i], i, &infos[i]);
    }
    *count = found;
    vks_destroy_instance(&gpu);
    return result;
}

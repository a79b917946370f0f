/* SPDX-License-Identifier: MIT */
/* VKSIM_FLOOR, for tests: the device seems to offer no more than a profile does. It wraps the
 * functions that ask physical devices, so that all of vksim sees the same lowered values. */
#include "gpu/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* What a profile offers; maxima, but for alignments. */
static const struct profile {
    const char *name;
    uint32_t buffers, shared, invocations, group[3], push, alignment;
    bool features; /* optional features, and subgroups of any size */
} profiles[] = {
    /* What Vulkan 1.3 guarantees. */
    {"core", 4, 16 << 10, 128, {128, 128, 64}, 128, 256, false},
    /* What vksim needs. */
    {"floor",
     VKS_FLOOR_BUFFERS,
     VKS_FLOOR_SHARED,
     VKS_FLOOR_INVOCATIONS,
     {256, 256, 64},
     VKS_FLOOR_PUSH,
     256,
     false},
    /* VP_KHR_roadmap_2022. */
    {"roadmap-2022", 30, 32 << 10, 256, {256, 256, 64}, 256, 64, true},
};

/* The same in all profiles. */
enum { RANGE = 128 << 20, BUFFER = 1 << 30, ALLOCATIONS = 4096, TEXELS = 65536, GROUPS = 65535 };

static const struct profile *profile;

static struct {
    PFN_vkGetPhysicalDeviceProperties properties;
    PFN_vkGetPhysicalDeviceProperties2 properties2;
    PFN_vkGetPhysicalDeviceFeatures2 features2;
    PFN_vkGetPhysicalDeviceMemoryProperties memory;
    PFN_vkGetPhysicalDeviceQueueFamilyProperties families;
    PFN_vkEnumerateDeviceExtensionProperties extensions;
} real;

static void lower(uint32_t *value, uint32_t limit)
{
    *value = *value < limit ? *value : limit;
}

static void lower_size(VkDeviceSize *value, VkDeviceSize limit)
{
    *value = *value < limit ? *value : limit;
}

static void raise(VkDeviceSize *alignment, VkDeviceSize limit)
{
    *alignment = *alignment > limit ? *alignment : limit;
}

static void lower_limits(VkPhysicalDeviceLimits *limits)
{
    lower(&limits->maxPerStageDescriptorStorageBuffers, profile->buffers);
    lower(&limits->maxComputeSharedMemorySize, profile->shared);
    lower(&limits->maxComputeWorkGroupInvocations, profile->invocations);
    for (int i = 0; i < 3; i++) {
        lower(&limits->maxComputeWorkGroupSize[i], profile->group[i]);
        lower(&limits->maxComputeWorkGroupCount[i], GROUPS);
    }
    lower(&limits->maxPushConstantsSize, profile->push);
    lower(&limits->maxStorageBufferRange, RANGE);
    lower(&limits->maxTexelBufferElements, TEXELS);
    lower(&limits->maxMemoryAllocationCount, ALLOCATIONS);
    raise(&limits->minStorageBufferOffsetAlignment, profile->alignment);
    raise(&limits->minTexelBufferOffsetAlignment, profile->alignment);
    raise(&limits->nonCoherentAtomSize, profile->alignment);
}

static VKAPI_ATTR void VKAPI_CALL get_properties(VkPhysicalDevice physical,
                                                 VkPhysicalDeviceProperties *properties)
{
    real.properties(physical, properties);
    lower_limits(&properties->limits);
}

static void lower_11(VkPhysicalDeviceVulkan11Properties *properties)
{
    lower_size(&properties->maxMemoryAllocationSize, BUFFER);
    if (!profile->features) {
        properties->subgroupSupportedOperations = VK_SUBGROUP_FEATURE_BASIC_BIT;
    }
}

/* A size of subgroups cannot be lowered, so the device seems to choose any from 4 on. */
static void lower_13(VkPhysicalDeviceVulkan13Properties *properties)
{
    lower_size(&properties->maxBufferSize, BUFFER);
    lower(&properties->minSubgroupSize, 4);
    properties->requiredSubgroupSizeStages = 0;
}

static VKAPI_ATTR void VKAPI_CALL get_properties2(VkPhysicalDevice physical,
                                                  VkPhysicalDeviceProperties2 *properties)
{
    real.properties2(physical, properties);
    lower_limits(&properties->properties.limits);
    for (VkBaseOutStructure *at = properties->pNext; at; at = at->pNext) {
        if (at->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES) {
            lower_11((VkPhysicalDeviceVulkan11Properties *)(void *)at);
        } else if (at->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES) {
            lower_13((VkPhysicalDeviceVulkan13Properties *)(void *)at);
        }
    }
}

/* Of the features that vksim may use, these are neither required by Vulkan 1.3 nor of an
 * extension. */
static VKAPI_ATTR void VKAPI_CALL get_features2(VkPhysicalDevice physical,
                                                VkPhysicalDeviceFeatures2 *features)
{
    real.features2(physical, features);
    for (VkBaseOutStructure *at = features->pNext; at && !profile->features; at = at->pNext) {
        if (at->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES) {
            ((VkPhysicalDeviceVulkan11Features *)(void *)at)->storageBuffer16BitAccess = VK_FALSE;
        } else if (at->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES) {
            ((VkPhysicalDeviceVulkan12Features *)(void *)at)->shaderFloat16 = VK_FALSE;
        }
    }
}

/* Memory that the host sees is coherent, not cached and not the device's own. */
static VKAPI_ATTR void VKAPI_CALL get_memory(VkPhysicalDevice physical,
                                             VkPhysicalDeviceMemoryProperties *memory)
{
    const VkMemoryPropertyFlags visible =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    real.memory(physical, memory);
    for (uint32_t i = 0; i < memory->memoryTypeCount && !profile->features; i++) {
        VkMemoryPropertyFlags *flags = &memory->memoryTypes[i].propertyFlags;
        *flags =
            (*flags & visible) == visible ? visible : *flags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
    }
}

static VKAPI_ATTR void VKAPI_CALL get_families(VkPhysicalDevice physical, uint32_t *count,
                                               VkQueueFamilyProperties *families)
{
    real.families(physical, count, families);
    for (uint32_t i = 0; families && i < *count && !profile->features; i++) {
        families[i].queueCount = 1;
        families[i].timestampValidBits = 0;
    }
}

/* Of extensions only the one of windows. */
static VKAPI_ATTR VkResult VKAPI_CALL get_extensions(VkPhysicalDevice physical, const char *layer,
                                                     uint32_t *count, VkExtensionProperties *list)
{
    const VkResult result = real.extensions(physical, layer, count, list);
    uint32_t kept = 0;
    if (profile->features || !list) {
        return result;
    }
    for (uint32_t i = 0; i < *count; i++) {
        if (strcmp(list[i].extensionName, VK_KHR_SWAPCHAIN_EXTENSION_NAME) == 0) {
            list[kept++] = list[i];
        }
    }
    *count = kept;
    return result;
}

enum vks_result vks_floor_choose(void)
{
    const char *name = getenv("VKSIM_FLOOR");
    for (size_t i = 0; name && i < VKS_COUNT(profiles) && !profile; i++) {
        profile = strcmp(name, profiles[i].name) == 0 ? &profiles[i] : NULL;
    }
    return !name || profile
               ? VKS_OK
               : vks_fail(VKS_ERROR_USAGE,
                          "VKSIM_FLOOR is '%s'; it may be core, floor or roadmap-2022", name);
}

#define WRAP(member, function, wrapper) \
    do {                                \
        real.member = function;         \
        function = wrapper;             \
    } while (0)

void vks_floor_lower(void)
{
    if (!profile) {
        return;
    }
    WRAP(properties, vkGetPhysicalDeviceProperties, get_properties);
    WRAP(properties2, vkGetPhysicalDeviceProperties2, get_properties2);
    WRAP(features2, vkGetPhysicalDeviceFeatures2, get_features2);
    WRAP(memory, vkGetPhysicalDeviceMemoryProperties, get_memory);
    WRAP(families, vkGetPhysicalDeviceQueueFamilyProperties, get_families);
    WRAP(extensions, vkEnumerateDeviceExtensionProperties, get_extensions);
}

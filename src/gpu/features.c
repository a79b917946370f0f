/* SPDX-License-Identifier: MIT */
#include "gpu/features.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "gpu/internal.h"
#include "gpu/memory.h"
#include "gpu/pipeline.h"

static bool always(const struct vks_gpu_params *params)
{
    (void)params;
    return true;
}

static bool for_window(const struct vks_gpu_params *params)
{
    return params->instance_extensions != NULL;
}

static bool for_statistics(const struct vks_gpu_params *params)
{
    return params->statistics;
}

#define MEMBER(name) offsetof(struct vks_feature_chain, name)

/* One row per feature: its name, alternative extensions (the first is preferred), the required
 * members of feature structures (0 ends), and when it is requested; or the subgroup operations that
 * compute shaders must support or the properties of a memory type, which need not be enabled. */
static const struct row {
    const char *name;
    const char *extensions[2];
    size_t members[4];
    bool (*asked)(const struct vks_gpu_params *params);
    bool unknown; /* unknown to the Vulkan headers of this build */
    VkSubgroupFeatureFlags operations;
    VkMemoryPropertyFlags memory;
} rows[VKS_FEATURE_COUNT] = {
    [VKS_FEATURE_NONE] = {.name = "nothing"},
    /* core/scan. */
    [VKS_FEATURE_SUBGROUP_SUMS] = {.name = "sums across subgroups",
                                   .asked = always,
                                   .operations = VK_SUBGROUP_FEATURE_ARITHMETIC_BIT |
                                                 VK_SUBGROUP_FEATURE_BALLOT_BIT},
    /* bench/shuffle. */
    [VKS_FEATURE_SUBGROUP_SHUFFLES] = {.name = "shuffles across subgroups",
                                       .asked = always,
                                       .operations = VK_SUBGROUP_FEATURE_SHUFFLE_BIT},
    /* Float16 arithmetic and storage in benchmark kernels. */
    [VKS_FEATURE_FLOAT16] = {"float16 arithmetic",
                             {NULL},
                             {MEMBER(v12.shaderFloat16), MEMBER(v11.storageBuffer16BitAccess)},
                             always},
#ifdef VK_KHR_cooperative_matrix
    /* The same kernels; their modules use Vulkan's memory model. */
    [VKS_FEATURE_COOPERATIVE_MATRIX] = {"cooperative matrices",
                                        {"VK_KHR_cooperative_matrix"},
                                        {MEMBER(matrix.cooperativeMatrix),
                                         MEMBER(v12.vulkanMemoryModel)},
                                        always},
#else
    [VKS_FEATURE_COOPERATIVE_MATRIX] =
        {"cooperative matrices", {"VK_KHR_cooperative_matrix"}, {0}, always, .unknown = true},
#endif
#ifdef VK_NV_cooperative_matrix2
    /* ladder/gemm_workgroup; together with the feature above. */
    [VKS_FEATURE_WORKGROUP_MATRIX] = {"workgroup matrices",
                                      {"VK_NV_cooperative_matrix2"},
                                      {MEMBER(matrix2.cooperativeMatrixWorkgroupScope),
                                       MEMBER(matrix2.cooperativeMatrixFlexibleDimensions),
                                       MEMBER(matrix2.cooperativeMatrixTensorAddressing)},
                                      always},
#else
    [VKS_FEATURE_WORKGROUP_MATRIX] =
        {"workgroup matrices", {"VK_NV_cooperative_matrix2"}, {0}, always, .unknown = true},
#endif
    /* Reports that relate the GPU's clock to the host's. */
    [VKS_FEATURE_CALIBRATED_TIMESTAMPS] = {"calibrated timestamps",
                                           {"VK_EXT_calibrated_timestamps",
                                            "VK_KHR_calibrated_timestamps"},
                                           {0},
                                           always},
    /* vks_gpu_budget(). */
    [VKS_FEATURE_MEMORY_BUDGET] = {"memory budget", {"VK_EXT_memory_budget"}, {0}, always},
    /* The ladder's first-column. */
    [VKS_FEATURE_MAPPED_MEMORY] = {.name = "mapped device memory",
                                   .asked = always,
                                   .memory = VKS_MAPPED_MEMORY_FLAGS},
    /* Registers in access pictures, and tests/compile. */
    [VKS_FEATURE_PIPELINE_STATISTICS] = {"pipeline statistics",
                                         {"VK_KHR_pipeline_executable_properties"},
                                         {MEMBER(executable.pipelineExecutableInfo)},
                                         for_statistics},
    [VKS_FEATURE_SWAPCHAIN] = {"windows", {"VK_KHR_swapchain"}, {0}, for_window},
    /* gpu/external.h. */
    [VKS_FEATURE_EXPORTED_MEMORY] = {"memory export", {"VK_KHR_external_memory_fd"}, {0}, always},
    [VKS_FEATURE_EXPORTED_SEMAPHORES] = {"semaphore export",
                                         {"VK_KHR_external_semaphore_fd"},
                                         {0},
                                         always},
    [VKS_FEATURE_IMPORTED_MEMORY] = {"memory import", {"VK_EXT_external_memory_host"}, {0}, always},
};

static VkBool32 *member_of(struct vks_feature_chain *chain, size_t offset)
{
    return (VkBool32 *)(void *)((char *)chain + offset);
}

static uint32_t bit(size_t feature)
{
    return UINT32_C(1) << feature;
}

const char *vks_feature_name(enum vks_feature feature)
{
    return rows[feature].name;
}

bool vks_gpu_has(const struct vks_gpu *gpu, enum vks_feature feature)
{
    return feature == VKS_FEATURE_NONE || (gpu->features & bit(feature)) != 0;
}

enum vks_result vks_gpu_need(const struct vks_gpu *gpu, enum vks_feature feature, const char *who)
{
    if (vks_gpu_has(gpu, feature)) {
        return VKS_OK;
    }
    if (rows[feature].unknown) {
        return vks_fail(VKS_ERROR_DEVICE,
                        "%s needs %s, which the Vulkan headers that vksim was built with (1.3.%d) "
                        "do not know; build it with newer ones",
                        who, rows[feature].name, VK_HEADER_VERSION);
    }
    return vks_fail(VKS_ERROR_DEVICE, "%s needs %s, which %s does not offer", who,
                    rows[feature].name, gpu->info.name);
}

/* --- the feature structures ------------------------------------------------------------------ */

/* Links the structures; those of extensions only for the given features. */
static void link_chain(struct vks_feature_chain *chain, uint32_t features)
{
    *chain = (struct vks_feature_chain){
        .core = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &chain->v11},
        .v11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
                .pNext = &chain->v12},
        .v12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                .pNext = &chain->v13},
        .v13 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES},
        .executable =
            {.sType =
                 VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR},
    };
    if (features & bit(VKS_FEATURE_PIPELINE_STATISTICS)) {
        chain->executable.pNext = chain->v13.pNext;
        chain->v13.pNext = &chain->executable;
    }
#ifdef VK_KHR_cooperative_matrix
    chain->matrix.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR;
    if (features & bit(VKS_FEATURE_COOPERATIVE_MATRIX)) {
        chain->matrix.pNext = chain->v13.pNext;
        chain->v13.pNext = &chain->matrix;
    }
#endif
#ifdef VK_NV_cooperative_matrix2
    chain->matrix2.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_2_FEATURES_NV;
    if (features & bit(VKS_FEATURE_WORKGROUP_MATRIX)) {
        chain->matrix2.pNext = chain->v13.pNext;
        chain->v13.pNext = &chain->matrix2;
    }
#endif
}

/* To be freed; NULL if there are none or memory ran out. */
static VkExtensionProperties *list_extensions(VkPhysicalDevice physical, uint32_t *count)
{
    *count = 0;
    if (vkEnumerateDeviceExtensionProperties(physical, NULL, count, NULL) != VK_SUCCESS ||
        *count == 0) {
        return NULL;
    }
    VkExtensionProperties *list = calloc(*count, sizeof(*list));
    if (list && vkEnumerateDeviceExtensionProperties(physical, NULL, count, list) < 0) {
        free(list);
        list = NULL;
    }
    return list;
}

/* The first of a row's extensions on the list, or NULL. */
static const char *find_extension(const struct row *row, const VkExtensionProperties *list,
                                  uint32_t count)
{
    for (size_t e = 0; e < VKS_COUNT(row->extensions) && row->extensions[e]; e++) {
        for (uint32_t i = 0; list && i < count; i++) {
            if (strcmp(list[i].extensionName, row->extensions[e]) == 0) {
                return row->extensions[e];
            }
        }
    }
    return NULL;
}

/* Operations that subgroups support in compute shaders. */
static VkSubgroupFeatureFlags subgroup_operations(VkPhysicalDevice physical)
{
    VkPhysicalDeviceVulkan11Properties properties = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES};
    VkPhysicalDeviceProperties2 chain = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                         .pNext = &properties};
    vkGetPhysicalDeviceProperties2(physical, &chain);
    return properties.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT
               ? properties.subgroupSupportedOperations
               : 0;
}

/* True if there is a memory type with these properties, or none are needed. */
static bool has_memory(VkPhysicalDevice physical, VkMemoryPropertyFlags flags)
{
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(physical, &memory);
    bool has = flags == 0;
    for (uint32_t i = 0; i < memory.memoryTypeCount; i++) {
        has = has || (memory.memoryTypes[i].propertyFlags & flags) == flags;
    }
    return has;
}

void vks_read_offer(VkPhysicalDevice physical, struct vks_offer *offer)
{
    const VkSubgroupFeatureFlags operations = subgroup_operations(physical);
    struct vks_feature_chain chain;
    uint32_t count;
    VkExtensionProperties *list = list_extensions(physical, &count);
    *offer = (struct vks_offer){0};
    for (size_t i = VKS_FEATURE_NONE + 1; i < VKS_FEATURE_COUNT; i++) {
        offer->extensions[i] = find_extension(&rows[i], list, count);
        if ((offer->extensions[i] || !rows[i].extensions[0]) &&
            (operations & rows[i].operations) == rows[i].operations &&
            (rows[i].memory == 0 || has_memory(physical, rows[i].memory))) {
            *(rows[i].unknown ? &offer->unknown : &offer->features) |= bit(i);
        }
    }
    free(list);
    link_chain(&chain, offer->features);
    vkGetPhysicalDeviceFeatures2(physical, &chain.core);
    for (size_t i = VKS_FEATURE_NONE + 1; i < VKS_FEATURE_COUNT; i++) {
        for (size_t m = 0; m < VKS_COUNT(rows[i].members) && rows[i].members[m]; m++) {
            offer->features &= *member_of(&chain, rows[i].members[m]) ? UINT32_MAX : ~bit(i);
        }
    }
}

void vks_offer_text(const struct vks_offer *offer, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = VKS_FEATURE_NONE + 1; i < VKS_FEATURE_COUNT && used < size; i++) {
        if ((offer->features | offer->unknown) & bit(i)) {
            used +=
                (size_t)snprintf(text + used, size - used, "%s%s%s", used ? ", " : "", rows[i].name,
                                 offer->unknown & bit(i) ? " (not in this build)" : "");
        }
    }
}

/* Features with which instrumented shaders report to the validation layer. */
static void enable_instrumentation(VkPhysicalDevice physical, VkPhysicalDeviceFeatures *features)
{
    VkPhysicalDeviceFeatures available;
    vkGetPhysicalDeviceFeatures(physical, &available);
    features->fragmentStoresAndAtomics = available.fragmentStoresAndAtomics;
    features->vertexPipelineStoresAndAtomics = available.vertexPipelineStoresAndAtomics;
    features->shaderInt64 = available.shaderInt64;
}

void vks_enable_features(struct vks_gpu *gpu, const struct vks_gpu_params *params,
                         const struct vks_offer *offer, struct vks_feature_chain *chain,
                         const char *extensions[VKS_FEATURE_COUNT], uint32_t *extension_count)
{
    gpu->features = 0;
    for (size_t i = VKS_FEATURE_NONE + 1; i < VKS_FEATURE_COUNT; i++) {
        gpu->features |= rows[i].asked(params) ? offer->features & bit(i) : 0;
    }
    gpu->features &= ~params->without;
    if (!(gpu->features & bit(VKS_FEATURE_COOPERATIVE_MATRIX))) {
        gpu->features &= ~bit(VKS_FEATURE_WORKGROUP_MATRIX);
    }
    link_chain(chain, gpu->features);
    /* Every Vulkan 1.3 device has these. */
    chain->core.features.robustBufferAccess = vks_shaders_are_outside();
    chain->v12.timelineSemaphore = VK_TRUE;
    chain->v12.bufferDeviceAddress = VK_TRUE;
    chain->v13.synchronization2 = VK_TRUE;
    chain->v13.maintenance4 = VK_TRUE;
    chain->v13.subgroupSizeControl = VK_TRUE;
    chain->v13.computeFullSubgroups = VK_TRUE;
    if (params->validation == VKS_VALIDATION_GPU) {
        enable_instrumentation(gpu->physical, &chain->core.features);
    }
    *extension_count = 0;
    for (size_t i = VKS_FEATURE_NONE + 1; i < VKS_FEATURE_COUNT; i++) {
        if (!(gpu->features & bit(i))) {
            continue;
        }
        if (offer->extensions[i]) {
            extensions[(*extension_count)++] = offer->extensions[i];
        }
        for (size_t m = 0; m < VKS_COUNT(rows[i].members) && rows[i].members[m]; m++) {
            *member_of(chain, rows[i].members[m]) = VK_TRUE;
        }
    }
}

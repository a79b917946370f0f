/* SPDX-License-Identifier: MIT */
#include "gpu/statistics.h"

#include "gpu/features.h"

enum { MAX_EXECUTABLES = 8, MAX_STATISTICS = 64 };

static double value_of(const VkPipelineExecutableStatisticKHR *statistic)
{
    switch (statistic->format) {
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_BOOL32_KHR:
        return statistic->value.b32 ? 1 : 0;
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_INT64_KHR:
        return (double)statistic->value.i64;
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR:
        return (double)statistic->value.u64;
    default:
        return statistic->value.f64;
    }
}

static unsigned executable_statistics(const struct vks_gpu *gpu, VkPipeline pipeline,
                                      uint32_t executable,
                                      void (*each)(void *user, const char *name, double value),
                                      void *user)
{
    VkPipelineExecutableInfoKHR which = {.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR,
                                         .pipeline = pipeline,
                                         .executableIndex = executable};
    VkPipelineExecutableStatisticKHR statistics[MAX_STATISTICS];
    uint32_t count = MAX_STATISTICS;
    for (unsigned i = 0; i < MAX_STATISTICS; i++) {
        statistics[i] = (VkPipelineExecutableStatisticKHR){
            .sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR};
    }
    if (gpu->vk.vkGetPipelineExecutableStatisticsKHR(gpu->device, &which, &count, statistics) < 0) {
        return 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        each(user, statistics[i].name, value_of(&statistics[i]));
    }
    return count;
}

unsigned vks_pipeline_statistics(const struct vks_gpu *gpu, VkPipeline pipeline,
                                 void (*each)(void *user, const char *name, double value),
                                 void *user)
{
    VkPipelineInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR, .pipeline = pipeline};
    VkPipelineExecutablePropertiesKHR executables[MAX_EXECUTABLES];
    uint32_t executable_count = MAX_EXECUTABLES;
    unsigned count = 0;
    for (unsigned i = 0; i < MAX_EXECUTABLES; i++) {
        executables[i] = (VkPipelineExecutablePropertiesKHR){
            .sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR};
    }
    if (!vks_gpu_has(gpu, VKS_FEATURE_PIPELINE_STATISTICS) ||
        gpu->vk.vkGetPipelineExecutablePropertiesKHR(gpu->device, &info, &executable_count,
                                                     executables) < 0) {
        return 0;
    }
    for (uint32_t e = 0; e < executable_count; e++) {
        count += executable_statistics(gpu, pipeline, e, each, user);
    }
    return count;
}

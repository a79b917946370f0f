/* SPDX-License-Identifier: MIT */
#include "gpu/matrix.h"

#include "base/error.h"
#include "base/memory.h"
#include "gpu/pipeline.h"

enum { MAX_PROPERTIES = 256 };

#ifdef VK_KHR_cooperative_matrix

/* volk may be older than the headers. */
static PFN_vkVoidFunction find(const struct vks_gpu *gpu, const char *name)
{
    return vkGetInstanceProcAddr(gpu->instance, name);
}

static bool is_larger(const struct vks_matrix_size *size, const struct vks_matrix_size *than)
{
    return (uint64_t)size->rows * size->columns * size->depth >
           (uint64_t)than->rows * than->columns * than->depth;
}

static bool has_types(VkComponentTypeKHR a, VkComponentTypeKHR b, VkComponentTypeKHR c,
                      VkComponentTypeKHR result)
{
    return a == VK_COMPONENT_TYPE_FLOAT16_KHR && b == VK_COMPONENT_TYPE_FLOAT16_KHR &&
           c == VK_COMPONENT_TYPE_FLOAT32_KHR && result == VK_COMPONENT_TYPE_FLOAT32_KHR;
}

static void find_largest(const struct vks_gpu *gpu, struct vks_matrix_size *size)
{
    VkCooperativeMatrixPropertiesKHR list[MAX_PROPERTIES];
    uint32_t count = MAX_PROPERTIES;
    const PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR get =
        (PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR)find(
            gpu, "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR");
    for (uint32_t i = 0; i < MAX_PROPERTIES; i++) {
        list[i] = (VkCooperativeMatrixPropertiesKHR){
            .sType = VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR};
    }
    if (!get || get(gpu->physical, &count, list) < 0) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        const VkCooperativeMatrixPropertiesKHR *own = &list[i];
        const struct vks_matrix_size found = {own->MSize, own->NSize, own->KSize};
        if (has_types(own->AType, own->BType, own->CType, own->ResultType) &&
            own->scope == VK_SCOPE_SUBGROUP_KHR && !own->saturatingAccumulation &&
            found.rows % 8 == 0 && found.columns % 8 == 0 && found.depth % 8 == 0 &&
            is_larger(&found, size)) {
            *size = found;
        }
    }
}

#else

static void find_largest(const struct vks_gpu *gpu, struct vks_matrix_size *size)
{
    (void)gpu;
    (void)size;
}

#endif

enum vks_result vks_gpu_matrix_size(const struct vks_gpu *gpu, struct vks_matrix_size *size)
{
    *size = (struct vks_matrix_size){0};
    if (vks_gpu_has(gpu, VKS_FEATURE_COOPERATIVE_MATRIX)) {
        find_largest(gpu, size);
    }
    return size->rows ? VKS_OK
                      : vks_fail(VKS_ERROR_DEVICE,
                                 "%s has no cooperative matrices of float16 with sums of float32",
                                 gpu->info.name);
}

const char *vks_gpu_missing(const struct vks_gpu *gpu, enum vks_feature feature, const char *shader)
{
    struct vks_matrix_size size;
    const bool is_optional =
        feature == VKS_FEATURE_COOPERATIVE_MATRIX || feature == VKS_FEATURE_WORKGROUP_MATRIX;
    if (is_optional && !vks_shader_find(shader)) {
        return "a build with a GLSL compiler that knows cooperative matrices";
    }
    if (!vks_gpu_has(gpu, feature)) {
        return vks_feature_name(feature);
    }
    return feature == VKS_FEATURE_COOPERATIVE_MATRIX && vks_gpu_matrix_size(gpu, &size) != VKS_OK
               ? "cooperative matrices of float16 with sums of float32"
               : NULL;
}

#ifdef VK_NV_cooperative_matrix2

static bool can_multiply(const struct vks_gpu *gpu, uint32_t lanes,
                         const struct vks_matrix_size *size)
{
    VkCooperativeMatrixFlexibleDimensionsPropertiesNV list[MAX_PROPERTIES];
    uint32_t count = MAX_PROPERTIES;
    const PFN_vkGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV get =
        (PFN_vkGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV)find(
            gpu, "vkGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV");
    for (uint32_t i = 0; i < MAX_PROPERTIES; i++) {
        list[i] = (VkCooperativeMatrixFlexibleDimensionsPropertiesNV){
            .sType = VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_FLEXIBLE_DIMENSIONS_PROPERTIES_NV};
    }
    bool found = false;
    if (!get || get(gpu->physical, &count, list) < 0) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        const VkCooperativeMatrixFlexibleDimensionsPropertiesNV *own = &list[i];
        found =
            found ||
            (has_types(own->AType, own->BType, own->CType, own->ResultType) &&
             own->scope == VK_SCOPE_WORKGROUP_KHR && !own->saturatingAccumulation &&
             own->workgroupInvocations == lanes && own->MGranularity > 0 && own->NGranularity > 0 &&
             own->KGranularity > 0 && size->rows % own->MGranularity == 0 &&
             size->columns % own->NGranularity == 0 && size->depth % own->KGranularity == 0);
    }
    return found;
}

#else

static bool can_multiply(const struct vks_gpu *gpu, uint32_t lanes,
                         const struct vks_matrix_size *size)
{
    (void)gpu;
    (void)lanes;
    (void)size;
    return false;
}

#endif

enum vks_result vks_gpu_workgroup_matrix(const struct vks_gpu *gpu, uint32_t lanes,
                                         const struct vks_matrix_size *size)
{
    return vks_gpu_has(gpu, VKS_FEATURE_WORKGROUP_MATRIX) && can_multiply(gpu, lanes, size)
               ? VKS_OK
               : vks_fail(VKS_ERROR_DEVICE,
                          "%s has no cooperative matrices of %u x %u times %u x %u for workgroups "
                          "of %u lanes",
                          gpu->info.name, size->rows, size->depth, size->depth, size->columns,
                          lanes);
}

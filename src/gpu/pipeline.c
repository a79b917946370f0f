/* SPDX-License-Identifier: MIT */
#include "gpu/pipeline.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/profile.h"
#include "gpu/debug.h"
#include "gpu/features.h"
#include "gpu/internal.h"

static struct table {
    const struct vks_shader *shaders;
    size_t count;
} * added;
static size_t added_count, added_capacity;
static pthread_mutex_t adding = PTHREAD_MUTEX_INITIALIZER;

static struct {
    const struct vks_shader *(*find)(void *user, const struct vks_shader *shader);
    void *user;
} replacing;

void vks_shader_replace(const struct vks_shader *(*find)(void *user,
                                                         const struct vks_shader *shader),
                        void *user)
{
    replacing.find = find;
    replacing.user = user;
}

static _Atomic bool outside;

static enum vks_result add(const struct vks_shader *shaders, size_t count)
{
    for (size_t i = 0; i < added_count; i++) {
        if (added[i].shaders == shaders) {
            return VKS_OK;
        }
    }
    struct table *grown = vks_grow(added, sizeof(*grown), added_count, &added_capacity);
    if (!grown) {
        return vks_fail_memory();
    }
    added = grown;
    added[added_count++] = (struct table){shaders, count};
    for (size_t i = 0; i < count; i++) {
        outside = outside || shaders[i].outside;
    }
    return VKS_OK;
}

bool vks_shaders_are_outside(void)
{
    return outside;
}

enum vks_result vks_shader_add(const struct vks_shader *shaders, size_t count)
{
    pthread_mutex_lock(&adding);
    const enum vks_result result = add(shaders, count);
    pthread_mutex_unlock(&adding);
    return result;
}

void vks_shader_remove(const struct vks_shader *shaders)
{
    size_t kept = 0;
    pthread_mutex_lock(&adding);
    for (size_t i = 0; i < added_count; i++) {
        if (added[i].shaders != shaders) {
            added[kept++] = added[i];
        }
    }
    added_count = kept;
    pthread_mutex_unlock(&adding);
}

static const struct vks_shader *find_in(const struct vks_shader *shaders, size_t count,
                                        const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(shaders[i].name, name) == 0) {
            return &shaders[i];
        }
    }
    return NULL;
}

const struct vks_shader *vks_shader_find(const char *name)
{
    const struct vks_shader *shader = NULL;
    pthread_mutex_lock(&adding);
    for (size_t i = 0; i < added_count && !shader; i++) {
        shader = find_in(added[i].shaders, added[i].count, name);
    }
    pthread_mutex_unlock(&adding);
    shader = shader ? shader : find_in(vks_shaders, vks_shader_count, name);
    return shader && replacing.find ? replacing.find(replacing.user, shader) : shader;
}

static enum vks_result check_limits(const struct vks_gpu *gpu,
                                    const struct vks_pipeline_params *params,
                                    const struct vks_reflection *reflection)
{
    const char *const shader = params->shader;
    const uint32_t *const group = params->group;
    const VkPhysicalDeviceLimits *limits = &gpu->properties.limits;
    if (group[0] * group[1] > limits->maxComputeWorkGroupInvocations ||
        group[0] > limits->maxComputeWorkGroupSize[0] ||
        group[1] > limits->maxComputeWorkGroupSize[1]) {
        return vks_fail(VKS_ERROR_GPU, "shader %s: workgroups of %u x %u are too large for %s",
                        shader, group[0], group[1], gpu->info.name);
    }
    if (reflection->shared_bytes > limits->maxComputeSharedMemorySize) {
        return vks_fail(VKS_ERROR_GPU, "shader %s needs %u bytes of shared memory, %s has %u",
                        shader, reflection->shared_bytes, gpu->info.name,
                        limits->maxComputeSharedMemorySize);
    }
    if (params->subgroup &&
        (params->subgroup < gpu->min_subgroup || params->subgroup > gpu->max_subgroup ||
         group[0] % params->subgroup != 0 ||
         group[0] * group[1] > params->subgroup * gpu->max_subgroups)) {
        return vks_fail(VKS_ERROR_GPU,
                        "shader %s needs subgroups of %u, %s has %u to %u, and %u in a workgroup",
                        shader, params->subgroup, gpu->info.name, gpu->min_subgroup,
                        gpu->max_subgroup, gpu->max_subgroups);
    }
    if (reflection->push_size > limits->maxPushConstantsSize) {
        return vks_fail(VKS_ERROR_GPU, "shader %s needs %u bytes of push constants, %s has %u",
                        shader, reflection->push_size, gpu->info.name,
                        limits->maxPushConstantsSize);
    }
    if (reflection->buffer_count > limits->maxPerStageDescriptorStorageBuffers) {
        return vks_fail(VKS_ERROR_GPU, "shader %s needs %zu storage buffers, %s has %u", shader,
                        (size_t)reflection->buffer_count, gpu->info.name,
                        limits->maxPerStageDescriptorStorageBuffers);
    }
    return VKS_OK;
}

/* A shader that replaces another must have the shared memory that its passes declare. */
static enum vks_result check_declared(const struct vks_pipeline_params *params,
                                      const struct vks_shader *code)
{
    const bool same = !params->shared_bytes || !code->replaces ||
                      code->reflection.shared_bytes == code->replaces->reflection.shared_bytes;
    return same ? VKS_OK
                : vks_fail(VKS_ERROR_GPU,
                           "shader %s: the size of its shared memory is declared by the program "
                           "and changes only with a new build",
                           params->shader);
}

static enum vks_result create_layouts(struct vks_gpu *gpu, const struct vks_reflection *reflection,
                                      struct vks_layouts *layouts)
{
    VkDescriptorSetLayoutBinding *bindings =
        calloc(reflection->buffer_count + 1, sizeof(*bindings));
    if (!bindings) {
        return vks_fail_memory();
    }
    for (size_t i = 0; i < reflection->buffer_count; i++) {
        bindings[i] = (VkDescriptorSetLayoutBinding){
            .binding = reflection->buffers[i].binding,
            .descriptorType = reflection->buffers[i].texel_words > 0
                                  ? VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER
                                  : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
            .descriptorCount = 1,
            .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
        };
    }
    VkDescriptorSetLayoutCreateInfo set = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = (uint32_t)reflection->buffer_count,
        .pBindings = bindings,
    };
    enum vks_result result = vks_gpu_check(
        gpu, gpu->vk.vkCreateDescriptorSetLayout(gpu->device, &set, NULL, &layouts->set),
        "vkCreateDescriptorSetLayout");
    free(bindings);
    if (result != VKS_OK) {
        return result;
    }
    VkPushConstantRange range = {.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
                                 .size = reflection->push_size};
    VkPipelineLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = 1,
        .pSetLayouts = &layouts->set,
        .pushConstantRangeCount = reflection->push_size ? 1 : 0,
        .pPushConstantRanges = &range,
    };
    result = vks_gpu_check(
        gpu, gpu->vk.vkCreatePipelineLayout(gpu->device, &layout, NULL, &layouts->pipeline),
        "vkCreatePipelineLayout");
    if (result != VKS_OK) {
        gpu->vk.vkDestroyDescriptorSetLayout(gpu->device, layouts->set, NULL);
    }
    return result;
}

/* Those of the shader, made with its first pipeline. */
static enum vks_result find_layouts(struct vks_gpu *gpu, const struct vks_shader *used,
                                    struct vks_pipeline *pipeline)
{
    const struct vks_shader *shader = used->replaces ? used->replaces : used;
    struct vks_layouts layouts = {.shader = shader};
    size_t at = 0;
    while (at < gpu->layouts_count && gpu->layouts[at].shader != shader) {
        at++;
    }
    if (at == gpu->layouts_count) {
        struct vks_layouts *grown =
            vks_grow(gpu->layouts, sizeof(*grown), at, &gpu->layouts_capacity);
        if (!grown) {
            return vks_fail_memory();
        }
        gpu->layouts = grown;
        enum vks_result result = create_layouts(gpu, &shader->reflection, &layouts);
        if (result != VKS_OK) {
            return result;
        }
        gpu->layouts[gpu->layouts_count++] = layouts;
    }
    pipeline->set_layout = gpu->layouts[at].set;
    pipeline->layout = gpu->layouts[at].pipeline;
    return VKS_OK;
}

void vks_gpu_layouts_free(struct vks_gpu *gpu)
{
    for (size_t i = 0; i < gpu->layouts_count; i++) {
        gpu->vk.vkDestroyPipelineLayout(gpu->device, gpu->layouts[i].pipeline, NULL);
        gpu->vk.vkDestroyDescriptorSetLayout(gpu->device, gpu->layouts[i].set, NULL);
    }
    free(gpu->layouts);
    gpu->layouts = NULL;
    gpu->layouts_count = gpu->layouts_capacity = 0;
}

/* The given value of a constant, or NULL. */
static const struct vks_constant *find_constant(const struct vks_pipeline_params *params,
                                                const char *name)
{
    for (size_t i = 0; i < params->constant_count; i++) {
        if (strcmp(params->constants[i].name, name) == 0) {
            return &params->constants[i];
        }
    }
    return NULL;
}

static bool has_constant(const struct vks_reflection *reflection, const char *name)
{
    for (size_t i = 0; i < reflection->constant_count; i++) {
        if (strcmp(reflection->constants[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* The workgroup size is specialized by id, the rest by name. `entries` and `values` have room for
 * the shader's constants plus two. */
static enum vks_result specialize(const struct vks_pipeline_params *params,
                                  const struct vks_reflection *reflection,
                                  VkSpecializationMapEntry *entries, uint32_t *values,
                                  VkSpecializationInfo *specialization)
{
    uint32_t used = 0;
    for (size_t i = 0; i < params->constant_count; i++) {
        if (!has_constant(reflection, params->constants[i].name)) {
            return vks_fail(VKS_ERROR_INTERNAL, "shader %s has no specialization constant '%s'",
                            params->shader, params->constants[i].name);
        }
    }
    for (uint32_t i = 0; i < 2; i++) {
        values[used] = params->group[i];
        entries[used++].constantID = VKS_GROUP_SIZE_ID + i;
    }
    for (size_t i = 0; i < reflection->constant_count; i++) {
        const struct vks_constant *given = find_constant(params, reflection->constants[i].name);
        if (given) {
            values[used] = given->value;
            entries[used++].constantID = reflection->constants[i].id;
        }
    }
    for (uint32_t i = 0; i < used; i++) {
        entries[i].offset = 4 * i;
        entries[i].size = 4;
    }
    *specialization = (VkSpecializationInfo){.mapEntryCount = used,
                                             .pMapEntries = entries,
                                             .dataSize = 4 * (size_t)used,
                                             .pData = values};
    return VKS_OK;
}

static void name_objects(const struct vks_gpu *gpu, const struct vks_pipeline *pipeline,
                         const char *shader)
{
    vks_gpu_name(gpu, VK_OBJECT_TYPE_DESCRIPTOR_SET_LAYOUT, (uint64_t)pipeline->set_layout, "%s",
                 shader);
    vks_gpu_name(gpu, VK_OBJECT_TYPE_PIPELINE_LAYOUT, (uint64_t)pipeline->layout, "%s", shader);
    if (pipeline->pipeline) {
        vks_gpu_name(gpu, VK_OBJECT_TYPE_PIPELINE, (uint64_t)pipeline->pipeline, "%s", shader);
    }
}

/* Whether its workgroups need not begin at 0. */
static bool has_base(const struct vks_gpu *gpu, const struct vks_pipeline_params *params)
{
    return gpu->probe.reversed || params->sliced;
}

static VkPipelineCreateFlags flags_of(const struct vks_gpu *gpu,
                                      const struct vks_pipeline_params *params)
{
    const bool statistics = vks_gpu_has(gpu, VKS_FEATURE_PIPELINE_STATISTICS);
    return (statistics ? VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR : 0U) |
           (has_base(gpu, params) ? VK_PIPELINE_CREATE_DISPATCH_BASE_BIT : 0U);
}

/* Writes the words that distinguish the pipelines of a shader to `key`, which has room for two per
 * entry and three more. */
static size_t describe(const struct vks_gpu *gpu, const struct vks_pipeline_params *params,
                       const VkSpecializationInfo *specialization, const uint32_t *values,
                       uint32_t *key)
{
    size_t words = 0;
    key[words++] = flags_of(gpu, params);
    key[words++] = params->subgroup;
    key[words++] = params->subgroup || params->full_subgroups;
    for (uint32_t i = 0; i < specialization->mapEntryCount; i++) {
        key[words++] = specialization->pMapEntries[i].constantID;
        key[words++] = values[i];
    }
    return words;
}

/* Builds the pipeline of the code; its layout is set. */
static enum vks_result build(struct vks_gpu *gpu, struct vks_pipeline *pipeline,
                             const struct vks_pipeline_params *params,
                             const struct vks_shader *code,
                             const VkSpecializationInfo *specialization)
{
    VkShaderModule module = VK_NULL_HANDLE;
    const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo lanes = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
        .requiredSubgroupSize = params->subgroup,
    };
    const VkShaderModuleCreateInfo code_info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
        .codeSize = code->count * 4,
        .pCode = code->words,
    };
    enum vks_result result =
        vks_gpu_check(gpu, gpu->vk.vkCreateShaderModule(gpu->device, &code_info, NULL, &module),
                      "vkCreateShaderModule");
    if (result != VKS_OK) {
        return result;
    }
    vks_gpu_name(gpu, VK_OBJECT_TYPE_SHADER_MODULE, (uint64_t)module, "%s", params->shader);
    VkPipelineCreationFeedback feedback = {0};
    const VkPipelineCreationFeedbackCreateInfo asked = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO,
        .pPipelineCreationFeedback = &feedback,
    };
    const VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .pNext = &asked,
        .flags = flags_of(gpu, params),
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .pNext = params->subgroup && gpu->subgroup_sized ? &lanes : NULL,
                  .flags = params->subgroup || params->full_subgroups
                               ? VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT
                               : 0,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module,
                  .pName = "main",
                  .pSpecializationInfo = specialization},
        .layout = pipeline->layout,
    };
    vks_phase_begin(VKS_PHASE_PIPELINES);
    const VkResult made = gpu->vk.vkCreateComputePipelines(gpu->device, gpu->cache, 1, &info, NULL,
                                                           &pipeline->pipeline);
    vks_phase_end();
    result = vks_gpu_check(gpu, made, "vkCreateComputePipelines");
    if (result == VKS_OK) {
        gpu->pipelines++;
        gpu->pipelines_cached +=
            (feedback.flags & VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT) != 0 &&
            (feedback.flags & VK_PIPELINE_CREATION_FEEDBACK_APPLICATION_PIPELINE_CACHE_HIT_BIT) !=
                0;
    }
    gpu->vk.vkDestroyShaderModule(gpu->device, module, NULL);
    return result;
}

/* Adds a constant that no shader has: NVIDIA's driver (580) would otherwise take a pipeline without
 * VK_PIPELINE_CREATE_DISPATCH_BASE_BIT from its caches. */
static void set_apart(VkSpecializationMapEntry *entries, uint32_t *values,
                      VkSpecializationInfo *specialization)
{
    enum { NO_SHADERS = 1 << 16 };
    const uint32_t at = specialization->mapEntryCount++;
    entries[at] = (VkSpecializationMapEntry){
        .constantID = NO_SHADERS, .offset = 4 * at, .size = sizeof(*values)};
    values[at] = 1;
    specialization->dataSize = 4 * (size_t)specialization->mapEntryCount;
}

/* Finds the pipeline among those kept, or builds it. The arrays have room for the shader's
 * constants plus three, `key` for two words for each of them and three. */
static enum vks_result find_or_build(struct vks_gpu *gpu, struct vks_pipeline *pipeline,
                                     const struct vks_pipeline_params *params,
                                     const struct vks_shader *code,
                                     VkSpecializationMapEntry *entries, uint32_t *values,
                                     uint32_t *key)
{
    VkSpecializationInfo specialization = {0};
    enum vks_result result = check_declared(params, code);
    if (result == VKS_OK) {
        result = check_limits(gpu, params, &pipeline->reflection);
    }
    if (result == VKS_OK) {
        result = specialize(params, &pipeline->reflection, entries, values, &specialization);
    }
    if (result == VKS_OK && has_base(gpu, params)) {
        set_apart(entries, values, &specialization);
    }
    if (result == VKS_OK) {
        result = find_layouts(gpu, code, pipeline);
    }
    if (result != VKS_OK || params->later) {
        return result;
    }
    const size_t words = describe(gpu, params, &specialization, values, key);
    pipeline->pipeline = vks_kept_find(gpu, code, key, words);
    if (pipeline->pipeline) {
        return VKS_OK;
    }
    result = build(gpu, pipeline, params, code, &specialization);
    if (result != VKS_OK) {
        return result;
    }
    result = vks_kept_add(gpu, code, key, words, pipeline->pipeline);
    if (result != VKS_OK) {
        gpu->vk.vkDestroyPipeline(gpu->device, pipeline->pipeline, NULL);
        pipeline->pipeline = VK_NULL_HANDLE;
    }
    return result;
}

enum vks_result vks_pipeline_create(struct vks_gpu *gpu, struct vks_pipeline *pipeline,
                                    const struct vks_pipeline_params *params)
{
    *pipeline = (struct vks_pipeline){0};
    const struct vks_shader *code = vks_shader_find(params->shader);
    if (!code) {
        return vks_fail(VKS_ERROR_INTERNAL, "there is no shader '%s'", params->shader);
    }
    code = params->wide ? code->wide : code;
    const size_t room = code->reflection.constant_count + 3;
    VkSpecializationMapEntry *entries = calloc(room, sizeof(*entries));
    uint32_t *values = calloc(3 * room + 3, sizeof(*values));
    enum vks_result result = entries && values ? VKS_OK : vks_fail_memory();
    pipeline->shader = code;
    pipeline->reflection = code->reflection;
    if (params->shared_bytes) {
        pipeline->reflection.shared_bytes = params->shared_bytes;
    }
    if (result == VKS_OK) {
        result = find_or_build(gpu, pipeline, params, code, entries, values, values + room);
    }
    if (result == VKS_OK) {
        name_objects(gpu, pipeline, params->shader);
    } else {
        *pipeline = (struct vks_pipeline){0};
    }
    free(entries);
    free(values);
    return result;
}

void vks_pipeline_destroy(struct vks_gpu *gpu, struct vks_pipeline *pipeline)
{
    if (pipeline->pipeline) {
        vks_kept_release(gpu, pipeline->pipeline);
    }
    *pipeline = (struct vks_pipeline){0};
}

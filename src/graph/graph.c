/* SPDX-License-Identifier: MIT */
#include "graph/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum {
    MAX_SETS = VKS_MAX_PASSES * VKS_SETS_PER_PASS,
    CHUNK = 32 << 20, /* bytes a piece when fields are copied in and out */
};

/* --- sizes ----------------------------------------------------------------------------------- */

uint64_t vks_declaration_bytes(const struct vks_declaration *declaration)
{
    uint64_t total = 0;
    for (size_t i = 0; i < declaration->field_count; i++) {
        const struct vks_field *field = &declaration->fields[i];
        uint64_t bytes = vks_field_bytes(field);
        if (!vks_multiply(bytes, field->ping_pong ? 2 : 1, &bytes) || bytes > UINT64_MAX - total) {
            return UINT64_MAX;
        }
        total += bytes;
    }
    return total;
}

enum vks_result vks_graph_fits(const struct vks_gpu *gpu, const struct vks_declaration *declaration)
{
    const uint64_t total = vks_declaration_bytes(declaration);
    char needs[32], has[32];
    if (declaration->result != VKS_OK) {
        return declaration->result;
    }
    for (size_t i = 0; i < declaration->field_count; i++) {
        const struct vks_field *field = &declaration->fields[i];
        uint64_t bytes = vks_field_bytes(field);
        if (bytes > gpu->info.largest_buffer) {
            return vks_fail(VKS_ERROR_USAGE,
                            "the field '%s' needs %s, more than the %s that a buffer can have on "
                            "%s; choose a smaller --size or --output-size, or fewer items",
                            field->name, vks_format_bytes(bytes, needs),
                            vks_format_bytes(gpu->info.largest_buffer, has), gpu->info.name);
        }
    }
    if (total > gpu->info.memory) {
        return vks_fail(VKS_ERROR_USAGE,
                        "the fields need %s in all, more than the %s of %s; choose a smaller "
                        "--size or --output-size, or fewer items",
                        vks_format_bytes(total, needs), vks_format_bytes(gpu->info.memory, has),
                        gpu->info.name);
    }
    return VKS_OK;
}

struct vks_limits vks_graph_limits(const struct vks_gpu *gpu)
{
    const VkPhysicalDeviceLimits *limits = &gpu->properties.limits;
    const uint32_t usual = 32;
    return (struct vks_limits){
        .subgroup = gpu->subgroup_most < usual    ? gpu->subgroup_most
                    : gpu->subgroup_least > usual ? gpu->subgroup_least
                                                  : usual,
        .subgroup_least = gpu->subgroup_least,
        .shared_bytes = limits->maxComputeSharedMemorySize,
        .invocations = limits->maxComputeWorkGroupInvocations,
    };
}

/* --- descriptor sets ------------------------------------------------------------------------- */

static enum vks_result allocate_set(struct vks_graph *graph, VkDescriptorSetLayout layout,
                                    VkDescriptorSet *set)
{
    VkDescriptorSetAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = graph->pool,
        .descriptorSetCount = 1,
        .pSetLayouts = &layout,
    };
    return vks_gpu_check(graph->gpu,
                         graph->gpu->vk.vkAllocateDescriptorSets(graph->gpu->device, &info, set),
                         "vkAllocateDescriptorSets");
}

static void write_set(struct vks_graph *graph, VkDescriptorSet set, uint32_t binding,
                      const struct vks_buffer *buffer)
{
    VkDescriptorBufferInfo info = {.buffer = buffer->buffer, .range = buffer->size};
    VkWriteDescriptorSet write = {
        .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
        .dstSet = set,
        .dstBinding = binding,
        .descriptorCount = 1,
        .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
        .pBufferInfo = &info,
    };
    graph->gpu->vk.vkUpdateDescriptorSets(graph->gpu->device, 1, &write, 0, NULL);
}

/* The set that binds an item's buffers; made when first asked for. */
enum vks_result vks_set_for(struct vks_graph *graph, const struct vks_scheduled *item,
                            VkDescriptorSet *set)
{
    struct vks_pass_state *state = &graph->passes[item->pass];
    const struct vks_pass *pass = &graph->declaration.passes[item->pass];
    uint32_t sides = 0;
    for (size_t i = 0; i < item->use_count && i < VKS_MAX_USES; i++) {
        sides |= (item->uses[i].resource & 1) << i;
    }
    for (size_t i = 0; i < state->set_count; i++) {
        if (state->sets[i].sides == sides) {
            *set = state->sets[i].set;
            return VKS_OK;
        }
    }
    if (state->set_count == VKS_SETS_PER_PASS) {
        return vks_fail(VKS_ERROR_GPU, "pass '%s' uses its fields in more than %d ways", pass->name,
                        VKS_SETS_PER_PASS);
    }
    enum vks_result result = allocate_set(graph, state->pipeline.set_layout, set);
    if (result != VKS_OK) {
        return result;
    }
    const struct vks_reflection *reflection = &state->pipeline.reflection;
    for (size_t i = 0; i < reflection->buffer_count; i++) {
        const struct vks_reflected_buffer *buffer = &reflection->buffers[i];
        uint32_t resource = VKS_CLOCK_RESOURCE;
        if (strcmp(buffer->name, "clock") != 0) {
            resource = item->uses[vks_use_of_block(pass, buffer->name)].resource;
        }
        write_set(graph, *set, buffer->binding, &graph->buffers[resource]);
    }
    state->sets[state->set_count].sides = sides;
    state->sets[state->set_count++].set = *set;
    return VKS_OK;
}

/* --- creation -------------------------------------------------------------------------------- */

static enum vks_result create_buffers(struct vks_graph *graph)
{
    const struct vks_declaration *declaration = &graph->declaration;
    enum vks_result result = VKS_OK;
    for (size_t i = 0; result == VKS_OK && i < declaration->field_count; i++) {
        const struct vks_field *field = &declaration->fields[i];
        for (size_t side = 0; result == VKS_OK && side < (field->ping_pong ? 2u : 1u); side++) {
            char what[96];
            snprintf(what, sizeof(what), "the field '%s'", field->name);
            result = vks_buffer_create(graph->gpu, &graph->buffers[2 * i + side],
                                       vks_field_bytes(field), VKS_MEMORY_DEVICE, what);
        }
    }
    if (result == VKS_OK) {
        result = vks_buffer_create(graph->gpu, &graph->buffers[VKS_CLOCK_RESOURCE], 4,
                                   VKS_MEMORY_DEVICE, "the clock");
    }
    return result;
}

static enum vks_result create_pool(struct vks_graph *graph)
{
    VkDescriptorPoolSize size = {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                 .descriptorCount = MAX_SETS * (VKS_MAX_USES + 1)};
    VkDescriptorPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .maxSets = MAX_SETS + 1,
        .poolSizeCount = 1,
        .pPoolSizes = &size,
    };
    return vks_gpu_check(
        graph->gpu,
        graph->gpu->vk.vkCreateDescriptorPool(graph->gpu->device, &info, NULL, &graph->pool),
        "vkCreateDescriptorPool");
}

/* Workgroup counts within the device's limits: what does not fit in x goes on in y (the shader
 * library's vks_item() puts it together again). */
static enum vks_result size_dispatch(struct vks_graph *graph, const struct vks_pass *pass,
                                     uint32_t groups[2])
{
    const uint32_t *most = graph->gpu->properties.limits.maxComputeWorkGroupCount;
    uint64_t x = (pass->items[0] + pass->per_group[0] - 1) / pass->per_group[0];
    uint64_t y = (pass->items[1] + pass->per_group[1] - 1) / pass->per_group[1];
    if (pass->items[1] == 1 && x > most[0]) {
        y = (x + most[0] - 1) / most[0];
        x = (x + y - 1) / y;
    }
    if (x > most[0] || y > most[1]) {
        return vks_fail(VKS_ERROR_USAGE,
                        "pass '%s' needs more workgroups than %s takes; choose a "
                        "smaller --size",
                        pass->name, graph->gpu->info.name);
    }
    groups[0] = (uint32_t)x;
    groups[1] = (uint32_t)y;
    return VKS_OK;
}

enum vks_result vks_graph_create(struct vks_gpu *gpu, const struct vks_declaration *declaration,
                                 struct vks_graph **out)
{
    enum vks_result result = vks_graph_fits(gpu, declaration);
    if (result != VKS_OK) {
        return result;
    }
    struct vks_graph *graph = calloc(1, sizeof(*graph));
    if (!graph) {
        return vks_fail_memory();
    }
    graph->gpu = gpu;
    graph->declaration = *declaration;
    graph->period = vks_schedule_period(declaration);
    graph->batch_limit = 1;
    for (size_t i = 0; i < declaration->pass_count; i++) {
        graph->declaration.passes[i].constants = graph->declaration.constants[i];
    }
    for (size_t i = 0; result == VKS_OK && i < declaration->pass_count; i++) {
        const struct vks_pass *pass = &graph->declaration.passes[i];
        result =
            vks_create_pass_pipeline(gpu, &graph->declaration, pass, &graph->passes[i].pipeline);
        if (result == VKS_OK) {
            result = size_dispatch(graph, pass, graph->passes[i].groups);
        }
    }
    if (result == VKS_OK) {
        result = vks_pipeline_create(
            gpu, &graph->advance,
            &(struct vks_pipeline_params){.shader = "core/advance", .group = {1, 1}});
    }
    if (result == VKS_OK) {
        result = create_buffers(graph);
    }
    if (result == VKS_OK) {
        result = create_pool(graph);
    }
    if (result == VKS_OK) {
        result = allocate_set(graph, graph->advance.set_layout, &graph->advance_set);
    }
    if (result != VKS_OK) {
        vks_graph_destroy(graph);
        return result;
    }
    write_set(graph, graph->advance_set, graph->advance.reflection.buffers[0].binding,
              &graph->buffers[VKS_CLOCK_RESOURCE]);
    *out = graph;
    return VKS_OK;
}

void vks_graph_destroy(struct vks_graph *graph)
{
    if (!graph) {
        return;
    }
    struct vks_gpu *gpu = graph->gpu;
    gpu->vk.vkDeviceWaitIdle(gpu->device);
    for (size_t i = 0; i < graph->batch_count; i++) {
        vks_destroy_batch(graph, graph->batches[i]);
    }
    vks_buffer_destroy(gpu, &graph->staging_up);
    vks_buffer_destroy(gpu, &graph->staging_down);
    for (size_t i = 0; i <= VKS_CLOCK_RESOURCE; i++) {
        vks_buffer_destroy(gpu, &graph->buffers[i]);
    }
    if (graph->pool) {
        gpu->vk.vkDestroyDescriptorPool(gpu->device, graph->pool, NULL);
    }
    vks_pipeline_destroy(gpu, &graph->advance);
    for (size_t i = 0; i < VKS_MAX_PASSES; i++) {
        vks_pipeline_destroy(gpu, &graph->passes[i].pipeline);
    }
    free(graph);
}

/* --- start, upload, download ----------------------------------------------------------------- */

struct clearing {
    struct vks_graph *graph;
    uint32_t first_step;
};

static void record_clear(void *user, VkCommandBuffer commands)
{
    const struct clearing *clearing = user;
    struct vks_graph *graph = clearing->graph;
    for (size_t i = 0; i < VKS_CLOCK_RESOURCE; i++) {
        if (graph->buffers[i].buffer) {
            graph->gpu->vk.vkCmdFillBuffer(commands, graph->buffers[i].buffer, 0, VK_WHOLE_SIZE, 0);
        }
    }
    graph->gpu->vk.vkCmdFillBuffer(commands, graph->buffers[VKS_CLOCK_RESOURCE].buffer, 0, 4,
                                   clearing->first_step);
}

enum vks_result vks_graph_start(struct vks_graph *graph, uint64_t first_step, bool run_passes)
{
    struct clearing clearing = {graph, (uint32_t)first_step};
    graph->sides = 0;
    graph->steps = first_step;
    enum vks_result result = vks_transfer(graph, record_clear, &clearing);
    if (result == VKS_OK && run_passes) {
        result = vks_run_once(graph, VKS_AT_START, NULL, NULL, VK_NULL_HANDLE, VK_NULL_HANDLE);
    }
    return result;
}

VkBuffer vks_graph_buffer(const struct vks_graph *graph, const char *field)
{
    int index = vks_find_field(&graph->declaration, field);
    return index < 0 ? VK_NULL_HANDLE
                     : graph->buffers[2 * index + (int)((graph->sides >> index) & 1)].buffer;
}

const struct vks_declaration *vks_graph_declaration(const struct vks_graph *graph)
{
    return &graph->declaration;
}

struct copying {
    struct vks_graph *graph;
    VkBuffer from, to;
    VkBufferCopy region;
};

static void record_copy(void *user, VkCommandBuffer commands)
{
    const struct copying *copying = user;
    copying->graph->gpu->vk.vkCmdCopyBuffer(commands, copying->from, copying->to, 1,
                                            &copying->region);
}

/* Staging for a field of `bytes`: at most CHUNK, grown when a larger field comes. */
static enum vks_result need_staging(struct vks_graph *graph, struct vks_buffer *staging,
                                    enum vks_memory kind, uint64_t bytes)
{
    bytes = bytes < CHUNK ? bytes : CHUNK;
    if (staging->size >= bytes) {
        return VKS_OK;
    }
    vks_buffer_destroy(graph->gpu, staging);
    return vks_buffer_create(graph->gpu, staging, bytes, kind, "copying fields in and out");
}

enum vks_result vks_graph_upload(struct vks_graph *graph, const char *field, const void *data)
{
    int index = vks_find_field(&graph->declaration, field);
    uint64_t size = vks_field_bytes(&graph->declaration.fields[index]);
    enum vks_result result = need_staging(graph, &graph->staging_up, VKS_MEMORY_UPLOAD, size);
    for (uint64_t at = 0; result == VKS_OK && at < size; at += CHUNK) {
        uint64_t piece = size - at < CHUNK ? size - at : CHUNK;
        memcpy(graph->staging_up.map, (const char *)data + at, piece);
        struct copying copying = {graph,
                                  graph->staging_up.buffer,
                                  vks_graph_buffer(graph, field),
                                  {.dstOffset = at, .size = piece}};
        result = vks_transfer(graph, record_copy, &copying);
    }
    return result;
}

enum vks_result vks_graph_download(struct vks_graph *graph, const char *field,
                                   void (*sink)(void *user, const void *bytes, size_t size),
                                   void *user)
{
    int index = vks_find_field(&graph->declaration, field);
    uint64_t size = vks_field_bytes(&graph->declaration.fields[index]);
    enum vks_result result = need_staging(graph, &graph->staging_down, VKS_MEMORY_READBACK, size);
    for (uint64_t at = 0; result == VKS_OK && at < size; at += CHUNK) {
        uint64_t piece = size - at < CHUNK ? size - at : CHUNK;
        struct copying copying = {graph,
                                  vks_graph_buffer(graph, field),
                                  graph->staging_down.buffer,
                                  {.srcOffset = at, .size = piece}};
        result = vks_transfer(graph, record_copy, &copying);
        if (result == VKS_OK) {
            result = vks_buffer_invalidate(graph->gpu, &graph->staging_down);
        }
        if (result == VKS_OK) {
            sink(user, graph->staging_down.map, (size_t)piece);
        }
    }
    return result;
}

static void append(void *user, const void *bytes, size_t size)
{
    unsigned char **at = user;
    memcpy(*at, bytes, size);
    *at += size;
}

enum vks_result vks_graph_download_to(struct vks_graph *graph, const char *field, void *data)
{
    unsigned char *at = data;
    return vks_graph_download(graph, field, append, &at);
}

/* SPDX-License-Identifier: MIT */
/* Descriptor sets: one per pass and combination of parities that has occurred. */
#include "graph/internal.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

enum {
    POOL_SETS = 64,         /* per descriptor pool */
    POOL_DESCRIPTORS = 512, /* per descriptor pool, or as many as one set needs */
};

/* Adds a pool with room for a set of that many descriptors and others. */
static enum vks_result add_pool(struct vks_graph *graph, uint32_t descriptors)
{
    VkDescriptorPool *grown =
        vks_grow(graph->pools, sizeof(*graph->pools), graph->pool_count, &graph->pool_capacity);
    if (!grown) {
        return vks_fail_memory();
    }
    graph->pools = grown;
    graph->pools[graph->pool_count] = VK_NULL_HANDLE;
    const uint32_t count = descriptors > POOL_DESCRIPTORS ? descriptors : POOL_DESCRIPTORS;
    const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, count},
                                          {VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, count}};
    VkDescriptorPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .maxSets = POOL_SETS,
        .poolSizeCount = VKS_COUNT(sizes),
        .pPoolSizes = sizes,
    };
    enum vks_result result =
        vks_gpu_check(graph->gpu,
                      graph->gpu->vk.vkCreateDescriptorPool(graph->gpu->device, &info, NULL,
                                                            &graph->pools[graph->pool_count]),
                      "vkCreateDescriptorPool");
    if (result == VKS_OK) {
        vks_gpu_name(graph->gpu, VK_OBJECT_TYPE_DESCRIPTOR_POOL,
                     (uint64_t)graph->pools[graph->pool_count], "descriptor pool %zu",
                     graph->pool_count);
        graph->pool_count++;
        graph->sets_left = POOL_SETS;
        graph->descriptors_left = count;
    }
    return result;
}

static enum vks_result allocate_set(struct vks_graph *graph, const struct vks_pipeline *pipeline,
                                    VkDescriptorSet *set)
{
    const uint32_t descriptors = (uint32_t)pipeline->reflection.buffer_count;
    if (graph->sets_left == 0 || graph->descriptors_left < descriptors) {
        enum vks_result result = add_pool(graph, descriptors);
        if (result != VKS_OK) {
            return result;
        }
    }
    VkDescriptorSetAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = graph->pools[graph->pool_count - 1],
        .descriptorSetCount = 1,
        .pSetLayouts = &pipeline->set_layout,
    };
    enum vks_result result = vks_gpu_check(
        graph->gpu, graph->gpu->vk.vkAllocateDescriptorSets(graph->gpu->device, &info, set),
        "vkAllocateDescriptorSets");
    if (result == VKS_OK) {
        graph->sets_left--;
        graph->descriptors_left -= descriptors;
    }
    return result;
}

/* The view of a resource as texels of 1, 2 or 4 words, made when it is first needed. */
static enum vks_result view_of(struct vks_graph *graph, uint32_t resource, uint32_t words,
                               VkBufferView *view)
{
    static const VkFormat formats[VKS_TEXEL_KINDS] = {VK_FORMAT_R32_UINT, VK_FORMAT_R32G32_UINT,
                                                      VK_FORMAT_R32G32B32A32_UINT};
    const uint32_t kind = words >> 1;
    VkBufferView *kept = &graph->views[VKS_TEXEL_KINDS * resource + kind];
    if (!*kept) {
        const VkBufferViewCreateInfo info = {
            .sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
            .buffer = graph->pieces[resource].buffers->buffer,
            .format = formats[kind],
            .range = VK_WHOLE_SIZE,
        };
        enum vks_result result = vks_gpu_check(
            graph->gpu, graph->gpu->vk.vkCreateBufferView(graph->gpu->device, &info, NULL, kept),
            "vkCreateBufferView");
        if (result != VKS_OK) {
            return result;
        }
    }
    *view = *kept;
    return VKS_OK;
}

/* Binds a resource or, for a chunked buffer, its table of addresses. */
static enum vks_result write_set(struct vks_graph *graph, VkDescriptorSet set,
                                 const struct vks_reflected_buffer *block, uint32_t resource)
{
    VkBufferView view = VK_NULL_HANDLE;
    enum vks_result result =
        block->texel_words > 0 ? view_of(graph, resource, block->texel_words, &view) : VKS_OK;
    if (result != VKS_OK) {
        return result;
    }
    const struct vks_buffer *buffer =
        block->chunked ? &graph->tables.buffer : graph->pieces[resource].buffers;
    VkDescriptorBufferInfo info = {.buffer = buffer->buffer, .range = buffer->size};
    if (block->chunked) {
        info.offset = graph->tables.places[resource].offset;
        info.range = graph->tables.places[resource].range;
    }
    VkWriteDescriptorSet write = {
        .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
        .dstSet = set,
        .dstBinding = block->binding,
        .descriptorCount = 1,
        .descriptorType = block->texel_words > 0 ? VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER
                                                 : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
        .pBufferInfo = &info,
        .pTexelBufferView = &view,
    };
    graph->gpu->vk.vkUpdateDescriptorSets(graph->gpu->device, 1, &write, 0, NULL);
    return VKS_OK;
}

/* True if the pass's set was made for the parities of the item's uses. */
static bool is_set_for(const struct vks_pass_state *state, size_t set,
                       const struct vks_scheduled *item)
{
    const unsigned char *parities = state->set_parities + set * item->use_count;
    for (size_t i = 0; i < item->use_count; i++) {
        if (parities[i] != (item->uses[i].resource & 1)) {
            return false;
        }
    }
    return true;
}

/* Makes room for another set and its parities. */
static enum vks_result grow_sets(struct vks_pass_state *state, size_t use_count)
{
    VkDescriptorSet *sets =
        vks_grow(state->sets, sizeof(*state->sets), state->set_count, &state->set_capacity);
    if (!sets) {
        return vks_fail_memory();
    }
    state->sets = sets;
    const size_t bytes = state->set_capacity * use_count;
    if (bytes > state->set_parities_capacity) {
        unsigned char *parities = realloc(state->set_parities, bytes);
        if (!parities) {
            return vks_fail_memory();
        }
        state->set_parities = parities;
        state->set_parities_capacity = bytes;
    }
    return VKS_OK;
}

enum vks_result vks_set_for(struct vks_graph *graph, const struct vks_scheduled *item,
                            VkDescriptorSet *set)
{
    struct vks_pass_state *state = &graph->passes[item->pass];
    for (size_t i = 0; i < state->set_count; i++) {
        if (is_set_for(state, i, item)) {
            *set = state->sets[i];
            return VKS_OK;
        }
    }
    enum vks_result result = grow_sets(state, item->use_count);
    if (result == VKS_OK) {
        result = allocate_set(graph, &state->pipeline, set);
    }
    if (result != VKS_OK) {
        return result;
    }
    const struct vks_reflection *reflection = &state->pipeline.reflection;
    for (size_t i = 0; i < reflection->buffer_count; i++) {
        const uint32_t use = state->bindings[i];
        const uint32_t resource = use == VKS_CLOCK_USE ? vks_clock_resource(&graph->declaration)
                                                       : item->uses[use].resource;
        result = write_set(graph, *set, &reflection->buffers[i], resource);
        if (result != VKS_OK) {
            return result;
        }
    }
    for (size_t i = 0; i < item->use_count; i++) {
        state->set_parities[state->set_count * item->use_count + i] = item->uses[i].resource & 1;
    }
    vks_gpu_name(graph->gpu, VK_OBJECT_TYPE_DESCRIPTOR_SET, (uint64_t)*set, "pass '%s', set %zu",
                 graph->declaration.passes[item->pass].name, state->set_count);
    state->sets[state->set_count++] = *set;
    return VKS_OK;
}

enum vks_result vks_sets_create_advance(struct vks_graph *graph)
{
    enum vks_result result = allocate_set(graph, &graph->advance, &graph->advance_set);
    if (result == VKS_OK) {
        result = write_set(graph, graph->advance_set, &graph->advance.reflection.buffers[0],
                           vks_clock_resource(&graph->declaration));
    }
    return result;
}

void vks_sets_destroy(struct vks_graph *graph)
{
    for (size_t i = 0; i < graph->pool_count; i++) {
        graph->gpu->vk.vkDestroyDescriptorPool(graph->gpu->device, graph->pools[i], NULL);
    }
    free(graph->pools);
    const uint32_t views = VKS_TEXEL_KINDS * (vks_clock_resource(&graph->declaration) + 1);
    for (uint32_t i = 0; graph->views && i < views; i++) {
        graph->gpu->vk.vkDestroyBufferView(graph->gpu->device, graph->views[i], NULL);
    }
    free(graph->views);
}

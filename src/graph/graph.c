/* SPDX-License-Identifier: MIT */
#include "graph/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum {
    POOL_SETS = 64,         /* of a descriptor pool, */
    POOL_DESCRIPTORS = 512, /* and what they hold; more where one set needs more */
    STAGING = 32 << 20,     /* bytes per copy when fields are moved in and out */
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
        if (bytes > gpu->info.largest_buffer && !vks_field_splits(gpu, declaration, (uint32_t)i)) {
            return vks_fail_hint(
                VKS_ERROR_USAGE, VKS_HINT_SIZE,
                "the field '%s' needs %s, more than the %s that a buffer can have on "
                "%s",
                field->name, vks_format_bytes(bytes, needs),
                vks_format_bytes(gpu->info.largest_buffer, has), gpu->info.name);
        }
    }
    if (total > gpu->info.memory) {
        return vks_fail_hint(VKS_ERROR_USAGE, VKS_HINT_SIZE,
                             "the fields need %s in all, more than the %s of %s",
                             vks_format_bytes(total, needs),
                             vks_format_bytes(gpu->info.memory, has), gpu->info.name);
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

/* One more pool, for a set of that many descriptors and others. */
static enum vks_result add_pool(struct vks_graph *graph, uint32_t descriptors)
{
    VkDescriptorPool *grown =
        vks_grow(graph->pools, sizeof(*graph->pools), graph->pool_count, &graph->pool_capacity);
    if (!grown) {
        return vks_fail_memory();
    }
    graph->pools = grown;
    graph->pools[graph->pool_count] = VK_NULL_HANDLE;
    const VkDescriptorPoolSize size = {
        .type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
        .descriptorCount = descriptors > POOL_DESCRIPTORS ? descriptors : POOL_DESCRIPTORS};
    VkDescriptorPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .maxSets = POOL_SETS,
        .poolSizeCount = 1,
        .pPoolSizes = &size,
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
        graph->descriptors_left = size.descriptorCount;
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

/* Binds a resource, or its table of addresses where the shader takes that. */
static void write_set(struct vks_graph *graph, VkDescriptorSet set,
                      const struct vks_reflected_buffer *block, uint32_t resource)
{
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
        .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
        .pBufferInfo = &info,
    };
    graph->gpu->vk.vkUpdateDescriptorSets(graph->gpu->device, 1, &write, 0, NULL);
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

/* Room for one more set and its parities. */
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

/* The set that binds an item's buffers; made when first asked for. */
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
        write_set(graph, *set, &reflection->buffers[i], resource);
    }
    for (size_t i = 0; i < item->use_count; i++) {
        state->set_parities[state->set_count * item->use_count + i] = item->uses[i].resource & 1;
    }
    vks_gpu_name(graph->gpu, VK_OBJECT_TYPE_DESCRIPTOR_SET, (uint64_t)*set, "pass '%s', set %zu",
                 graph->declaration.passes[item->pass].name, state->set_count);
    state->sets[state->set_count++] = *set;
    return VKS_OK;
}

/* --- creation -------------------------------------------------------------------------------- */

/* GPUs map memory in pages of these sizes. On an NVIDIA H200 fields that start on a page boundary
 * are at least as fast as in allocations of their own: packed tightly, a step of Physarum took 1 %
 * longer at 512^2; at 1024^2 large pages save 3 %. */
static const uint64_t small_page = 64 << 10, large_page = 2 << 20;

/* All fields and the clock from one arena; resources in the order of declaration. Where a field is
 * split, all have addresses: a pass that reaches one field by chunks does so with others, too. */
static enum vks_result create_buffers(struct vks_graph *graph)
{
    const struct vks_declaration *declaration = &graph->declaration;
    const size_t fields = declaration->field_count;
    const uint64_t chunk = UINT64_C(1) << vks_chunk_bits(graph->gpu->field_range);
    struct vks_arena_item *items = calloc(fields + 1, sizeof(*items));
    bool addressed = false;
    if (!items) {
        return vks_fail_memory();
    }
    for (size_t i = 0; i < fields; i++) {
        const struct vks_field *field = &declaration->fields[i];
        const uint64_t bytes = vks_field_bytes(field);
        items[i] =
            (struct vks_arena_item){.name = field->name,
                                    .size = bytes,
                                    .copies = field->ping_pong ? 2 : 1,
                                    .alignment = bytes < large_page ? small_page : large_page,
                                    .kind = VKS_MEMORY_DEVICE};
        if (vks_field_splits(graph->gpu, declaration, (uint32_t)i)) {
            items[i].chunk = chunk;
            addressed = true;
        }
    }
    for (size_t i = 0; i < fields; i++) {
        items[i].addressed = addressed;
    }
    items[fields] =
        (struct vks_arena_item){.name = "clock", .size = 4, .copies = 1, .kind = VKS_MEMORY_DEVICE};
    enum vks_result result = vks_arena_create(graph->gpu, &graph->arena, items, fields + 1, 0);
    for (size_t i = 0, from = 0; result == VKS_OK && i <= fields; i++) {
        for (uint32_t parity = 0; parity < items[i].copies; parity++) {
            graph->pieces[2 * i + parity] =
                (struct vks_pieces){&graph->arena.buffers[from], vks_arena_chunks(&items[i])};
            from += vks_arena_chunks(&items[i]);
        }
    }
    free(items);
    return result == VKS_OK && addressed ? vks_tables_create(graph) : result;
}

/* Workgroup counts within the device's limits: what does not fit in x goes on in y (the shader
 * library's vks_item() puts it together again). */
enum vks_result vks_size_dispatch(const struct vks_gpu *gpu, const struct vks_pass *pass,
                                  uint32_t groups[2])
{
    const uint32_t *most = gpu->properties.limits.maxComputeWorkGroupCount;
    uint64_t x = (pass->items[0] + pass->per_group[0] - 1) / pass->per_group[0];
    uint64_t y = (pass->items[1] + pass->per_group[1] - 1) / pass->per_group[1];
    if (pass->items[1] == 1 && x > most[0]) {
        y = (x + most[0] - 1) / most[0];
        x = (x + y - 1) / y;
    }
    /* Invocations past the last item must not have the numbers of the first. */
    const bool wraps = pass->items[1] == 1 && x * y * pass->group[0] > UINT64_C(1) << 32;
    if (x > most[0] || y > most[1] || wraps) {
        return vks_fail_hint(VKS_ERROR_USAGE, VKS_HINT_SIZE,
                             "pass '%s' needs more workgroups than %s takes", pass->name,
                             gpu->info.name);
    }
    groups[0] = (uint32_t)x;
    groups[1] = (uint32_t)y;
    return VKS_OK;
}

/* The pipeline of a pass, and which of its uses each buffer of the shader is. */
static enum vks_result create_pass(struct vks_graph *graph, size_t index)
{
    const struct vks_pass *pass = &graph->declaration.passes[index];
    struct vks_pass_state *state = &graph->passes[index];
    enum vks_result result = vks_create_pass_pipeline(
        graph->gpu, &graph->declaration, pass,
        vks_pass_is_wide(graph->gpu, &graph->declaration, pass), &state->pipeline);
    if (result == VKS_OK) {
        result = vks_size_dispatch(graph->gpu, pass, state->groups);
    }
    if (result != VKS_OK) {
        return result;
    }
    const struct vks_reflection *reflection = &state->pipeline.reflection;
    state->bindings = calloc(reflection->buffer_count + 1, sizeof(*state->bindings));
    for (size_t i = 0; state->bindings && i < reflection->buffer_count; i++) {
        const char *name = reflection->buffers[i].name;
        state->bindings[i] =
            strcmp(name, "clock") == 0 ? VKS_CLOCK_USE : (uint32_t)vks_use_of_block(pass, name);
    }
    return state->bindings ? VKS_OK : vks_fail_memory();
}

static enum vks_result allocate_arrays(struct vks_graph *graph)
{
    const struct vks_declaration *declaration = &graph->declaration;
    graph->passes = calloc(declaration->pass_count + 1, sizeof(*graph->passes));
    graph->pieces = calloc(vks_clock_resource(declaration) + 1, sizeof(*graph->pieces));
    graph->parity = calloc(declaration->field_count + 1, 1);
    graph->unfilled = calloc(declaration->field_count + 1, sizeof(*graph->unfilled));
    return graph->passes && graph->pieces && graph->parity && graph->unfilled ? VKS_OK
                                                                              : vks_fail_memory();
}

static enum vks_result create_all(struct vks_graph *graph)
{
    enum vks_result result = allocate_arrays(graph);
    for (size_t i = 0; result == VKS_OK && i < graph->declaration.pass_count; i++) {
        result = create_pass(graph, i);
    }
    if (result == VKS_OK) {
        result = vks_pipeline_create(
            graph->gpu, &graph->advance,
            &(struct vks_pipeline_params){.shader = "core/advance", .group = {1, 1}});
    }
    if (result == VKS_OK) {
        result = create_buffers(graph);
    }
    if (result == VKS_OK) {
        result = vks_watch_create(graph);
    }
    if (result == VKS_OK) {
        result = allocate_set(graph, &graph->advance, &graph->advance_set);
    }
    if (result == VKS_OK) {
        write_set(graph, graph->advance_set, &graph->advance.reflection.buffers[0],
                  vks_clock_resource(&graph->declaration));
    }
    return result;
}

enum vks_result vks_graph_create(struct vks_gpu *gpu, struct vks_declaration *declaration,
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
    vks_size_batches(graph);
    result = create_all(graph);
    if (result == VKS_OK) {
        *declaration = (struct vks_declaration){0};
        *out = graph;
        return VKS_OK;
    }
    /* What was declared stays the caller's; the counts say how much of the graph there is. */
    graph->declaration = (struct vks_declaration){.field_count = declaration->field_count,
                                                  .pass_count = declaration->pass_count};
    vks_graph_destroy(graph);
    return result;
}

static void destroy_pass(struct vks_gpu *gpu, struct vks_pass_state *state)
{
    vks_pipeline_destroy(gpu, &state->pipeline);
    free(state->bindings);
    free(state->sets);
    free(state->set_parities);
    free(state->latest);
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
    vks_watch_destroy(graph);
    vks_tables_destroy(graph);
    vks_arena_destroy(gpu, &graph->arena);
    for (size_t i = 0; i < graph->pool_count; i++) {
        gpu->vk.vkDestroyDescriptorPool(gpu->device, graph->pools[i], NULL);
    }
    vks_pipeline_destroy(gpu, &graph->advance);
    for (size_t i = 0; graph->passes && i < graph->declaration.pass_count; i++) {
        destroy_pass(gpu, &graph->passes[i]);
    }
    free(graph->pools);
    free(graph->pieces);
    free(graph->passes);
    free(graph->parity);
    free(graph->unfilled);
    vks_declaration_free(&graph->declaration);
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
    const uint32_t clock = vks_clock_resource(&graph->declaration);
    for (size_t i = 0; i < clock; i++) {
        for (size_t k = 0; k < graph->pieces[i].count; k++) {
            graph->gpu->vk.vkCmdFillBuffer(commands, graph->pieces[i].buffers[k].buffer, 0,
                                           VK_WHOLE_SIZE, 0);
        }
    }
    graph->gpu->vk.vkCmdFillBuffer(commands, graph->pieces[clock].buffers[0].buffer, 0, 4,
                                   clearing->first_step);
}

enum vks_result vks_graph_start(struct vks_graph *graph, uint64_t first_step, bool run_passes)
{
    struct clearing clearing = {graph, (uint32_t)first_step};
    for (size_t i = 0; i < graph->declaration.field_count; i++) {
        graph->parity[i] = 0;
        graph->unfilled[i] = true;
    }
    graph->steps = first_step;
    enum vks_result result = vks_gpu_wait(graph->gpu, graph->gpu->submitted);
    if (result == VKS_OK) {
        vks_collect_done(graph);
        vks_watch_reset(graph);
        result = vks_transfer(graph, record_clear, &clearing);
    }
    if (result == VKS_OK && run_passes) {
        result = vks_run_once(graph, VKS_AT_START, NULL, NULL, VK_NULL_HANDLE, VK_NULL_HANDLE);
    }
    if (result == VKS_OK && run_passes) {
        result = vks_run_once(graph, VKS_AT_CHANGE, NULL, NULL, VK_NULL_HANDLE, VK_NULL_HANDLE);
    }
    return result;
}

/* What holds a field now. */
static const struct vks_pieces *pieces_of(const struct vks_graph *graph, int field)
{
    return &graph->pieces[2 * field + graph->parity[field]];
}

struct vks_piece vks_graph_piece(const struct vks_graph *graph, const char *field, uint64_t at)
{
    const int index = vks_find_field(&graph->declaration, field);
    return index < 0 ? (struct vks_piece){0} : vks_piece_at(pieces_of(graph, index), at);
}

VkBuffer vks_graph_buffer(const struct vks_graph *graph, const char *field)
{
    return vks_graph_piece(graph, field, 0).buffer;
}

void vks_graph_copy(const struct vks_graph *from, const struct vks_graph *to, const char *field,
                    VkCommandBuffer commands)
{
    const int index = vks_find_field(&from->declaration, field);
    const uint64_t size = vks_field_bytes(&from->declaration.fields[index]);
    for (uint64_t at = 0; at < size;) {
        const struct vks_piece a = vks_graph_piece(from, field, at);
        const struct vks_piece b = vks_graph_piece(to, field, at);
        const VkBufferCopy region = {.srcOffset = a.offset,
                                     .dstOffset = b.offset,
                                     .size = a.size < b.size ? a.size : b.size};
        from->gpu->vk.vkCmdCopyBuffer(commands, a.buffer, b.buffer, 1, &region);
        at += region.size;
    }
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

/* Staging for a field of `bytes`: at most STAGING, grown when a larger field comes. */
static enum vks_result need_staging(struct vks_graph *graph, struct vks_buffer *staging,
                                    enum vks_memory kind, uint64_t bytes)
{
    bytes = bytes < STAGING ? bytes : STAGING;
    if (staging->size >= bytes) {
        return VKS_OK;
    }
    vks_buffer_destroy(graph->gpu, staging);
    return vks_buffer_create(graph->gpu, staging, bytes, kind, "copying fields in and out");
}

/* As much of a field from byte `at` on as one copy moves. */
static struct vks_piece staged(const struct vks_pieces *pieces, uint64_t at)
{
    struct vks_piece piece = vks_piece_at(pieces, at);
    piece.size = piece.size < STAGING ? piece.size : STAGING;
    return piece;
}

static bool is_sorted(const struct vks_graph *graph, int field)
{
    const char *name = graph->declaration.fields[field].items;
    const struct vks_items *items = name ? vks_find_items(&graph->declaration, name) : NULL;
    return items && items->sorted;
}

/* Runs the passes that put sorted items in order of number, each from a field into its other
 * buffer. With `keep` those buffers become the fields; otherwise the order in memory stays as it
 * was, and the other buffers are valid until the next pass. *pieces: those of `field` in order of
 * number. */
static enum vks_result restore_order(struct vks_graph *graph, int field, bool keep,
                                     const struct vks_pieces **pieces)
{
    const size_t fields = graph->declaration.field_count;
    unsigned char *parity = malloc(fields + 1);
    if (!parity) {
        return vks_fail_memory();
    }
    memcpy(parity, graph->parity, fields);
    enum vks_result result =
        vks_run_once(graph, VKS_BEFORE_READ, NULL, NULL, VK_NULL_HANDLE, VK_NULL_HANDLE);
    *pieces = pieces_of(graph, field);
    if (!keep) {
        memcpy(graph->parity, parity, fields);
    }
    free(parity);
    return result;
}

enum vks_result vks_graph_upload(struct vks_graph *graph, const char *field, const void *data)
{
    int index = vks_find_field(&graph->declaration, field);
    uint64_t size = vks_field_bytes(&graph->declaration.fields[index]);
    const struct vks_pieces *to = pieces_of(graph, index);
    enum vks_result result = need_staging(graph, &graph->staging_up, VKS_MEMORY_UPLOAD, size);
    if (result == VKS_OK && is_sorted(graph, index)) {
        result = restore_order(graph, index, true, &to);
    }
    for (uint64_t at = 0; result == VKS_OK && at < size;) {
        const struct vks_piece piece = staged(to, at);
        memcpy(graph->staging_up.map, (const char *)data + at, piece.size);
        struct copying copying = {graph,
                                  graph->staging_up.buffer,
                                  piece.buffer,
                                  {.dstOffset = piece.offset, .size = piece.size}};
        result = vks_transfer(graph, record_copy, &copying);
        at += piece.size;
    }
    return result;
}

enum vks_result vks_graph_download(struct vks_graph *graph, const char *field,
                                   void (*sink)(void *user, const void *bytes, size_t size),
                                   void *user)
{
    int index = vks_find_field(&graph->declaration, field);
    uint64_t size = vks_field_bytes(&graph->declaration.fields[index]);
    const struct vks_pieces *from = pieces_of(graph, index);
    enum vks_result result = need_staging(graph, &graph->staging_down, VKS_MEMORY_READBACK, size);
    if (result == VKS_OK && is_sorted(graph, index)) {
        result = restore_order(graph, index, false, &from);
    }
    for (uint64_t at = 0; result == VKS_OK && at < size;) {
        const struct vks_piece piece = staged(from, at);
        struct copying copying = {graph,
                                  piece.buffer,
                                  graph->staging_down.buffer,
                                  {.srcOffset = piece.offset, .size = piece.size}};
        result = vks_transfer(graph, record_copy, &copying);
        if (result == VKS_OK) {
            result = vks_buffer_invalidate(graph->gpu, &graph->staging_down);
        }
        if (result == VKS_OK) {
            sink(user, graph->staging_down.map, (size_t)piece.size);
        }
        at += piece.size;
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

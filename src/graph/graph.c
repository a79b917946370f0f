/* SPDX-License-Identifier: MIT */
#include "graph/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/task.h"
#include "base/profile.h"
#include "graph/agree.h"
#include "graph/software.h"

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
        total += field->bound ? 0 : bytes;
    }
    return total;
}

/* The field with the most bytes. */
static const struct vks_field *find_largest(const struct vks_declaration *declaration,
                                            uint64_t *bytes)
{
    const struct vks_field *largest = NULL;
    *bytes = 0;
    for (size_t i = 0; i < declaration->field_count; i++) {
        const struct vks_field *field = &declaration->fields[i];
        uint64_t own = vks_field_bytes(field);
        own = vks_multiply(own, field->ping_pong ? 2 : 1, &own) ? own : UINT64_MAX;
        if (!largest || own > *bytes) {
            largest = field;
            *bytes = own;
        }
    }
    return largest;
}

/* What makes the field smaller. */
static enum vks_hint hint_of(const struct vks_field *field)
{
    return field->items ? VKS_HINT_ITEMS : VKS_HINT_SIZE;
}

/* True if a graph has buffers for the field, or needs those of another one. */
static bool needs_field(const struct vks_declaration *declaration, size_t field)
{
    bool needed = !declaration->fields[field].bound;
    for (size_t i = 0; i < declaration->pass_count && !needed; i++) {
        needed = vks_pass_uses(&declaration->passes[i], field);
    }
    return needed;
}

enum vks_result vks_graph_fits(const struct vks_gpu *gpu, const struct vks_declaration *declaration)
{
    const uint64_t own = vks_declaration_bytes(declaration);
    const uint64_t bound = declaration->bound_bytes;
    const uint64_t total = own < UINT64_MAX - bound ? own + bound : UINT64_MAX;
    char needs[32], has[32], own_text[32];
    if (declaration->result != VKS_OK) {
        return declaration->result;
    }
    for (size_t i = 0; i < declaration->field_count; i++) {
        const struct vks_field *field = &declaration->fields[i];
        uint64_t bytes = vks_field_bytes(field);
        if (bytes > gpu->info.largest_buffer && needs_field(declaration, i) &&
            !vks_field_splits(gpu, declaration, (uint32_t)i)) {
            return vks_fail_hint(
                VKS_ERROR_USAGE, hint_of(field),
                "the field '%s' needs %s, more than the %s that a buffer can have on "
                "%s",
                field->name, vks_format_bytes(bytes, needs),
                vks_format_bytes(gpu->info.largest_buffer, has), gpu->info.name);
        }
    }
    if (vks_schedule_period(declaration) == 0) {
        return vks_fail(VKS_ERROR_GPU, "the passes repeat together only after 2^32 steps or more");
    }
    if (total > gpu->info.memory) {
        uint64_t bytes;
        const struct vks_field *largest = find_largest(declaration, &bytes);
        return vks_fail_hint(
            VKS_ERROR_USAGE, hint_of(largest),
            "the fields need %s in all, more than the %s of %s; the largest is '%s' with %s",
            vks_format_bytes(total, needs), vks_format_bytes(gpu->info.memory, has), gpu->info.name,
            largest->name, vks_format_bytes(bytes, own_text));
    }
    return VKS_OK;
}

struct vks_limits vks_graph_limits(const struct vks_gpu *gpu)
{
    const VkPhysicalDeviceLimits *limits = &gpu->properties.limits;
    const uint32_t usual = 32;
    return (struct vks_limits){
        .subgroup = gpu->max_subgroup < usual   ? gpu->max_subgroup
                    : gpu->min_subgroup > usual ? gpu->min_subgroup
                                                : usual,
        .min_subgroup = gpu->min_subgroup,
        .shared_bytes = limits->maxComputeSharedMemorySize,
        .invocations = limits->maxComputeWorkGroupInvocations,
        .field_range = gpu->field_range,
        .software = vks_software_of(gpu),
    };
}

/* --- creation -------------------------------------------------------------------------------- */

/* GPUs map memory in pages of these sizes. On an NVIDIA H200 fields aligned to pages are at least
 * as fast as dedicated allocations. Packed tightly, a step of Physarum took 1 % longer at 512^2; at
 * 1024^2 large pages save 3 %. */
static const uint64_t small_page = 64 << 10, large_page = 2 << 20;

struct vks_arena_item vks_field_item(const struct vks_field *field, uint32_t copies)
{
    const uint64_t bytes = vks_field_bytes(field);
    return (struct vks_arena_item){.name = field->name,
                                   .size = bytes,
                                   .copies = copies,
                                   .alignment = bytes < large_page ? small_page : large_page,
                                   .kind =
                                       field->persistent ? VKS_MEMORY_STATE : VKS_MEMORY_DEVICE};
}

/* The arena's item for a field of the graph's own. */
static struct vks_arena_item item_of(const struct vks_graph *graph, uint32_t index, bool addressed)
{
    const struct vks_declaration *declaration = &graph->declaration;
    const struct vks_field *field = &declaration->fields[index];
    struct vks_arena_item item = vks_field_item(field, field->ping_pong ? 2 : 1);
    item.texels = declaration->software.texels > 0;
    item.addressed = addressed;
    item.kind = declaration->exported && index == 0 ? VKS_MEMORY_EXPORTED : item.kind;
    if (vks_field_splits(graph->gpu, declaration, index)) {
        item.chunk = UINT64_C(1) << vks_chunk_bits(graph->gpu->field_range);
    }
    return item;
}

/* Creates the graph's own fields, and its clock, in one arena, resources in order of
 * declaration. */
static enum vks_result create_own(struct vks_graph *graph, bool addressed)
{
    const size_t fields = graph->declaration.field_count;
    struct vks_arena_item *items = calloc(fields + 1, sizeof(*items));
    uint32_t *resources = calloc(fields + 1, sizeof(*resources)); /* of each item: the first */
    size_t count = 0;
    if (!items || !resources) {
        free(items);
        free(resources);
        return vks_fail_memory();
    }
    for (uint32_t i = 0; i < fields; i++) {
        if (!graph->declaration.fields[i].bound) {
            resources[count] = 2 * i;
            items[count++] = item_of(graph, i, addressed);
        }
    }
    if (!graph->from) {
        resources[count] = vks_clock_resource(&graph->declaration);
        items[count++] = (struct vks_arena_item){
            .name = "clock", .size = 4, .copies = 1, .kind = VKS_MEMORY_DEVICE};
    }
    vks_phase_begin(VKS_PHASE_BUFFERS);
    enum vks_result result = vks_arena_create(graph->gpu, &graph->arena, items, count, 0);
    vks_phase_end();
    for (size_t i = 0, first = 0; result == VKS_OK && i < count; i++) {
        for (uint32_t parity = 0; parity < items[i].copies; parity++) {
            graph->pieces[resources[i] + parity] =
                (struct vks_pieces){&graph->arena.buffers[first], vks_arena_chunks(&items[i])};
            first += vks_arena_chunks(&items[i]);
        }
    }
    free(items);
    free(resources);
    return result;
}

const struct vks_graph *vks_owner_of(const struct vks_graph *graph, const struct vks_field *field)
{
    return field->twin ? graph->twin : graph->from;
}

/* Finds the buffers of a bound graph in those that have them. */
static enum vks_result bind_fields(struct vks_graph *graph, bool addressed)
{
    const struct vks_declaration *declaration = &graph->declaration;
    const struct vks_graph *from = graph->from;
    for (uint32_t i = 0; from && i < declaration->field_count; i++) {
        const struct vks_field *field = &declaration->fields[i];
        const struct vks_graph *owner = vks_owner_of(graph, field);
        const char *name = field->name + (field->twin ? strlen("twin.") : 0);
        const int source = field->bound && owner ? vks_find_field(&owner->declaration, name) : -1;
        graph->sources[i] = field->bound ? (uint32_t)source : VKS_OWN_FIELD;
        for (int parity = 0; source >= 0 && parity < 2; parity++) {
            graph->pieces[2 * i + (uint32_t)parity] = owner->pieces[2 * source + parity];
        }
        const struct vks_pieces *pieces = &graph->pieces[2 * i];
        if (field->bound &&
            (source < 0 ||
             (needs_field(declaration, i) &&
              ((addressed && pieces->buffers->address == 0) ||
               (pieces->count > 1 && !vks_field_splits(graph->gpu, declaration, i)))))) {
            return vks_fail_hint(VKS_ERROR_USAGE, VKS_HINT_SIZE,
                                 "pictures cannot use the buffers of the field '%s', which needs a "
                                 "new simulation",
                                 field->name);
        }
    }
    if (from) {
        graph->pieces[vks_clock_resource(declaration)] =
            from->pieces[vks_clock_resource(&from->declaration)];
    }
    return VKS_OK;
}

/* If any field is split, all have addresses, because a wide shader accesses several fields by
 * chunks. */
static enum vks_result create_buffers(struct vks_graph *graph)
{
    const bool splits = vks_declaration_splits(graph->gpu, &graph->declaration);
    enum vks_result result = create_own(graph, splits || graph->declaration.addressed);
    if (result == VKS_OK) {
        result = bind_fields(graph, splits);
    }
    return result == VKS_OK && splits ? vks_tables_create(graph) : result;
}

/* Workgroup counts within the device's limits: what exceeds x continues along y, and rows of the
 * grid along z (vks_item() and vks_row() of the shader library recombine them). */
enum vks_result vks_size_dispatch(const struct vks_gpu *gpu, const struct vks_pass *pass,
                                  uint32_t groups[3])
{
    const uint32_t *max = gpu->properties.limits.maxComputeWorkGroupCount;
    uint32_t group[2];
    vks_pass_group(gpu, pass, group);
    const bool single = memcmp(pass->per_group, pass->group, sizeof(pass->group)) == 0;
    const uint32_t *per_group = single ? group : pass->per_group;
    uint64_t x = (pass->items[0] + per_group[0] - 1) / per_group[0];
    uint64_t y = (pass->items[1] + per_group[1] - 1) / per_group[1];
    if (pass->items[1] == 1 && x > max[0]) {
        y = (x + max[0] - 1) / max[0];
        x = (x + y - 1) / y;
    }
    uint64_t z = 1;
    if (pass->by_rows && y > max[1]) {
        z = (y + max[1] - 1) / max[1];
        y = (y + z - 1) / z;
    }
    /* Numbers of invocations past the last item must not wrap to the first. */
    const bool wraps = pass->items[1] == 1 && x * y * group[0] > UINT64_C(1) << 32;
    if (x > max[0] || y > max[1] || z > max[2] || wraps) {
        return vks_fail_hint(VKS_ERROR_USAGE, VKS_HINT_SIZE,
                             "pass '%s' needs more workgroups than %s takes", pass->name,
                             gpu->info.name);
    }
    groups[0] = (uint32_t)x;
    groups[1] = (uint32_t)y;
    groups[2] = (uint32_t)z;
    return VKS_OK;
}

/* Creates the pipeline of a pass and maps the shader's buffers to its uses. Those of pictures,
 * which some runs never draw, are built when they are first recorded. */
static enum vks_result create_pass(struct vks_graph *graph, size_t index)
{
    const struct vks_pass *pass = &graph->declaration.passes[index];
    struct vks_pass_state *state = &graph->passes[index];
    enum vks_result result = vks_task_advance(0);
    if (result == VKS_OK && graph->gpu->builds) {
        result = graph->gpu->builds(graph->gpu->builds_for);
    }
    if (result != VKS_OK) {
        return result;
    }
    state->range = vks_pass_range(graph->gpu, &graph->declaration, pass);
    result =
        vks_create_pass_pipeline(graph->gpu, &graph->declaration, pass, state->range,
                                 graph->from ? VKS_BUILD_LATER : VKS_BUILD_WHOLE, &state->pipeline);
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
    graph->views = calloc(VKS_TEXEL_KINDS * ((size_t)vks_clock_resource(declaration) + 1),
                          sizeof(VkBufferView));
    graph->parity = calloc(declaration->field_count + 1, 1);
    graph->unfilled = calloc(declaration->field_count + 1, sizeof(*graph->unfilled));
    graph->sources = calloc(declaration->field_count + 1, sizeof(*graph->sources));
    return graph->passes && graph->pieces && graph->views && graph->parity && graph->unfilled &&
                   graph->sources
               ? VKS_OK
               : vks_fail_memory();
}

const struct vks_pipeline_params vks_advance_params = {.shader = "core/advance", .group = {1, 1}};

static enum vks_result create_pipelines(struct vks_graph *graph)
{
    enum vks_result result =
        graph->from ? VKS_OK
                    : vks_pipeline_create(graph->gpu, &graph->advance, &vks_advance_params);
    for (size_t i = 0; result == VKS_OK && i < graph->declaration.pass_count; i++) {
        result = create_pass(graph, i);
    }
    return result;
}

static enum vks_result create_all(struct vks_graph *graph)
{
    enum vks_result result = allocate_arrays(graph);
    if (result == VKS_OK) {
        result = create_pipelines(graph);
    }
    if (result == VKS_OK) {
        result = create_buffers(graph);
    }
    if (result == VKS_OK) {
        result = vks_watch_create(graph);
    }
    if (result == VKS_OK && !graph->from) {
        result = vks_sets_create_advance(graph);
    }
    return result;
}

/* The declaration stays the caller's; the counts tell vks_graph_destroy() what exists. */
void vks_return_declaration(struct vks_graph *graph, struct vks_declaration *declaration)
{
    *declaration = graph->declaration;
    graph->declaration = (struct vks_declaration){.field_count = declaration->field_count,
                                                  .pass_count = declaration->pass_count};
}

enum vks_result vks_create_graph(struct vks_gpu *gpu, struct vks_graph *from,
                                 struct vks_graph *twin, struct vks_declaration *declaration,
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
    graph->from = from;
    graph->twin = twin;
    graph->from_grown = from ? from->grown : 0;
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
    vks_return_declaration(graph, declaration);
    vks_graph_destroy(graph);
    return result;
}

enum vks_result vks_graph_create(struct vks_gpu *gpu, struct vks_declaration *declaration,
                                 struct vks_graph **graph)
{
    return vks_create_graph(gpu, NULL, NULL, declaration, graph);
}

enum vks_result vks_graph_create_bound(struct vks_graph *from, struct vks_declaration *declaration,
                                       struct vks_graph **graph)
{
    return vks_create_graph(from->gpu, from, NULL, declaration, graph);
}

enum vks_result vks_graph_create_twins(struct vks_graph *from, struct vks_graph *twin,
                                       struct vks_declaration *declaration,
                                       struct vks_graph **graph)
{
    return vks_create_graph(from->gpu, from, twin, declaration, graph);
}

static void destroy_pass(struct vks_gpu *gpu, struct vks_pass_state *state)
{
    vks_pipeline_destroy(gpu, &state->pipeline);
    vks_pipeline_destroy(gpu, &state->sliced);
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
    /* Others may have submitted work with its buffers, but not with those of a bound graph. */
    if (!graph->from || (graph->last > 0 && !vks_gpu_reached(gpu, graph->last))) {
        (void)vks_gpu_wait_idle(gpu);
    }
    vks_graph_destroy(graph->retired);
    vks_drop_transfers(graph);
    free(graph->transfers);
    for (size_t i = 0; i < graph->batch_count; i++) {
        vks_destroy_batch(graph, graph->batches[i]);
    }
    vks_buffer_destroy(gpu, &graph->staging_up);
    vks_buffer_destroy(gpu, &graph->staging_down);
    vks_watch_destroy(graph);
    vks_meetings_destroy(graph);
    vks_exchange_destroy(graph);
    vks_tables_destroy(graph);
    vks_sets_destroy(graph);
    vks_arena_destroy(gpu, &graph->arena);
    vks_pipeline_destroy(gpu, &graph->advance);
    for (size_t i = 0; graph->passes && i < graph->declaration.pass_count; i++) {
        destroy_pass(gpu, &graph->passes[i]);
    }
    free(graph->pieces);
    free(graph->passes);
    free(graph->parity);
    free(graph->unfilled);
    free(graph->sources);
    vks_declaration_free(&graph->declaration);
    free(graph);
}

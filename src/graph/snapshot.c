/* SPDX-License-Identifier: MIT */
#include "graph/snapshot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "graph/internal.h"

/* --- what is held ---------------------------------------------------------------------------- */

/* True if passes of `when` (steps: of one variant) may read what the field held before them. */
static bool reads_old(const struct vks_declaration *declaration, size_t field, enum vks_when when,
                      uint32_t steps_per_dispatch)
{
    bool written = false;
    for (size_t i = 0; i < declaration->pass_count; i++) {
        const struct vks_pass *pass = &declaration->passes[i];
        const bool always = pass->every == 1 && !pass->left_out && !pass->joins[0];
        unsigned access = 0;
        for (size_t j = 0; j < pass->use_count; j++) {
            access |= pass->uses[j].index == field ? pass->uses[j].access : 0;
        }
        if (pass->when != when || pass->steps_per_dispatch != steps_per_dispatch) {
            continue;
        }
        if (!written && (access & (VKS_READ | VKS_ATOMIC))) {
            return true;
        }
        written = written || (always && (access & VKS_WRITE));
    }
    return false;
}

/* True if only the host and AT_CHANGE passes write the field. */
static bool is_table(const struct vks_declaration *declaration, size_t field)
{
    for (size_t i = 0; i < declaration->pass_count; i++) {
        const struct vks_pass *pass = &declaration->passes[i];
        for (size_t j = 0; pass->when != VKS_AT_CHANGE && j < pass->use_count; j++) {
            if (pass->uses[j].index == field && pass->uses[j].access != VKS_READ) {
                return false;
            }
        }
    }
    return true;
}

/* True if the field has a status word, which keeps its value until a restart. */
static bool has_status(const struct vks_field *field)
{
    bool found = false;
    for (const struct vks_scalar *scalar = field->watched; scalar && scalar->name; scalar++) {
        found = found || scalar->failures;
    }
    return found;
}

enum vks_held vks_snapshot_holds(const struct vks_declaration *declaration, size_t field)
{
    bool old = declaration->fields[field].persistent || has_status(&declaration->fields[field]);
    if (!old && is_table(declaration, field)) {
        return VKS_HOLDS_NOTHING;
    }
    for (size_t i = 0; i < declaration->pass_count; i++) {
        const struct vks_pass *pass = &declaration->passes[i];
        for (size_t j = 0; j < pass->use_count; j++) {
            if (pass->uses[j].index == field && pass->uses[j].access == VKS_ATOMIC_NEXT) {
                return VKS_HOLDS_BOTH;
            }
        }
        const bool later = pass->when == VKS_EACH_STEP || pass->when == VKS_EACH_FRAME ||
                           pass->when == VKS_BEFORE_READ;
        old = old || (later && reads_old(declaration, field, pass->when, pass->steps_per_dispatch));
    }
    return old ? VKS_HOLDS_CURRENT : VKS_HOLDS_NOTHING;
}

/* What a snapshot of the graph holds of a field. Of a bound graph it holds the fields that carry
 * their values from frame to frame, and bound fields that frames read but a snapshot of the graph
 * that owns them does not hold. */
static enum vks_held held_of(const struct vks_graph *graph, size_t field)
{
    const struct vks_declaration *declaration = &graph->declaration;
    if (!graph->from) {
        return vks_snapshot_holds(declaration, field);
    }
    bool holds = declaration->fields[field].carries != NULL;
    if (declaration->fields[field].bound) {
        const struct vks_declaration *from =
            &vks_owner_of(graph, &declaration->fields[field])->declaration;
        const size_t source = graph->sources[field];
        holds = reads_old(declaration, field, VKS_EACH_FRAME, 1) &&
                !(is_table(from, source) && is_table(declaration, field)) &&
                vks_snapshot_holds(from, source) == VKS_HOLDS_NOTHING;
    }
    return holds ? VKS_HOLDS_CURRENT : VKS_HOLDS_NOTHING;
}

/* --- memory ---------------------------------------------------------------------------------- */

/* The field of the items' numbers. */
static int find_numbers(const struct vks_declaration *declaration, const struct vks_items *items)
{
    char name[256];
    snprintf(name, sizeof(name), "%s_number", items->name);
    return vks_find_field(declaration, name);
}

static enum vks_result list_fields(const struct vks_graph *graph,
                                   struct vks_graph_snapshot *snapshot)
{
    const struct vks_declaration *declaration = &graph->declaration;
    snapshot->fields = calloc(declaration->field_count + 1, sizeof(*snapshot->fields));
    bool complete = snapshot->fields != NULL;
    for (size_t i = 0; complete && i < declaration->field_count; i++) {
        const struct vks_field *field = &declaration->fields[i];
        const struct vks_items *items =
            field->items ? vks_find_items(declaration, field->items) : NULL;
        snapshot->fields[i] = (struct vks_held_field){
            .field = {.name = vks_strdup(field->name),
                      .element = field->element,
                      .rank = field->rank,
                      .persistent = field->persistent,
                      .ping_pong = field->ping_pong},
            .bytes = vks_field_bytes(field),
            .numbers = items && items->sorted ? find_numbers(declaration, items) : -1,
            .holds = held_of(graph, i),
        };
        memcpy(snapshot->fields[i].field.shape, field->shape, sizeof(field->shape));
        snapshot->bytes += snapshot->fields[i].bytes * snapshot->fields[i].holds;
        snapshot->count++;
        complete = snapshot->fields[i].field.name != NULL;
    }
    return complete ? VKS_OK : vks_fail_memory();
}

/* Buffers of the same sizes as the graph's. VKS_ERROR_MEMORY if there is too little. */
static enum vks_result allocate(const struct vks_graph *graph, enum vks_memory kind,
                                struct vks_graph_snapshot *snapshot)
{
    struct vks_arena_item *items = calloc(snapshot->count + 1, sizeof(*items));
    size_t count = 0, at = 0;
    if (!items) {
        return vks_fail_memory();
    }
    for (size_t i = 0; i < snapshot->count; i++) {
        if (snapshot->fields[i].holds != VKS_HOLDS_NOTHING) {
            const struct vks_pieces *pieces = &graph->pieces[2 * i];
            items[count] = vks_field_item(&graph->declaration.fields[i], snapshot->fields[i].holds);
            items[count].chunk = pieces->count > 1 ? pieces->buffers[0].size : 0;
            items[count].kind = kind;
            count++;
        }
    }
    enum vks_result result = VKS_ERROR_MEMORY;
    if (snapshot->bytes <= vks_memory_budget(graph->gpu, kind).free) {
        result = vks_arena_create(graph->gpu, &snapshot->arena, items, count, 0);
        result =
            result != VKS_OK && vks_error_last()->hint == VKS_HINT_SIZE ? VKS_ERROR_MEMORY : result;
    }
    for (size_t i = 0, item = 0; result == VKS_OK && i < snapshot->count; i++) {
        struct vks_held_field *field = &snapshot->fields[i];
        for (uint32_t k = 0; k < field->holds; k++) {
            field->copies[k].buffers = &snapshot->arena.buffers[at];
            field->copies[k].count = vks_arena_chunks(&items[item]);
            at += field->copies[k].count;
        }
        item += field->holds != VKS_HOLDS_NOTHING;
    }
    free(items);
    return result;
}

enum vks_result vks_graph_snapshot_create(struct vks_graph *graph, bool in_host,
                                          struct vks_graph_snapshot **out)
{
    struct vks_graph_snapshot *snapshot = calloc(1, sizeof(*snapshot));
    char needs[32];
    if (!snapshot) {
        return vks_fail_memory();
    }
    snapshot->gpu = graph->gpu;
    snapshot->copies = (struct vks_copies){.gpu = graph->gpu, .pipeline = &snapshot->copy};
    enum vks_result result = list_fields(graph, snapshot);
    if (result == VKS_OK) {
        result = in_host ? VKS_ERROR_MEMORY : allocate(graph, VKS_MEMORY_DEVICE, snapshot);
    }
    if (result == VKS_ERROR_MEMORY) {
        snapshot->in_host = true;
        result = allocate(graph, VKS_MEMORY_READBACK, snapshot);
    }
    if (result == VKS_ERROR_MEMORY) {
        result = vks_fail_hint(
            result, VKS_HINT_SIZE,
            "a snapshot needs %s (%llu bytes), more than is free in the memory "
            "of %s%s",
            vks_format_bytes(snapshot->bytes, needs), (unsigned long long)snapshot->bytes,
            in_host ? "the host" : graph->gpu->info.name, in_host ? "" : " and of the host");
    }
    if (result == VKS_OK) {
        result = vks_create_commands(graph, &snapshot->commands);
    }
    if (result == VKS_OK && graph->gpu->copies_by_shader && !snapshot->in_host) {
        result = vks_copy_pipeline(graph->gpu, &snapshot->copy);
    }
    if (result != VKS_OK) {
        vks_graph_snapshot_destroy(snapshot);
        return result;
    }
    *out = snapshot;
    return VKS_OK;
}

void vks_graph_snapshot_destroy(struct vks_graph_snapshot *snapshot)
{
    if (!snapshot) {
        return;
    }
    struct vks_gpu *gpu = snapshot->gpu;
    if (snapshot->value > 0 && vks_gpu_wait(gpu, snapshot->value) != VKS_OK) {
        (void)vks_gpu_wait_idle(gpu);
    }
    if (snapshot->commands) {
        gpu->vk.vkFreeCommandBuffers(gpu->device, gpu->pool, 1, &snapshot->commands);
    }
    vks_copies_clear(&snapshot->copies);
    vks_pipeline_destroy(gpu, &snapshot->copy);
    vks_arena_destroy(gpu, &snapshot->arena);
    for (size_t i = 0; i < snapshot->count; i++) {
        free((char *)(uintptr_t)snapshot->fields[i].field.name);
    }
    free(snapshot->fields);
    free(snapshot);
}

uint64_t vks_graph_snapshot_steps(const struct vks_graph_snapshot *snapshot)
{
    return snapshot->steps;
}

uint64_t vks_graph_snapshot_bytes(const struct vks_graph_snapshot *snapshot)
{
    return snapshot->bytes;
}

bool vks_graph_snapshot_in_host(const struct vks_graph_snapshot *snapshot)
{
    return snapshot->in_host;
}

/* --- copies ---------------------------------------------------------------------------------- */

/* Index of the graph's field of that name, size and number of buffers, or of a larger one if the
 * graph may have more room than it had; -1: none. */
static int find_field(const struct vks_graph *graph, const struct vks_held_field *field)
{
    const struct vks_declaration *declaration = &graph->declaration;
    const int index = vks_find_field(declaration, field->field.name);
    const struct vks_field *found = index < 0 ? NULL : &declaration->fields[index];
    const uint64_t bytes = found ? vks_field_bytes(found) : 0;
    return found && found->ping_pong == field->field.ping_pong &&
                   (bytes == field->bytes || (declaration->slab.count > 1 && bytes > field->bytes))
               ? index
               : -1;
}

/* Lists the copies between the graph and the snapshot and prepares them. */
static enum vks_result list_copies(const struct vks_graph *graph,
                                   const struct vks_graph_snapshot *snapshot, bool back,
                                   struct vks_copies *copies)
{
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < snapshot->count; i++) {
        const struct vks_held_field *field = &snapshot->fields[i];
        const int index = find_field(graph, field);
        for (uint32_t k = 0; result == VKS_OK && index >= 0 && k < field->holds; k++) {
            const struct vks_pieces *pieces =
                &graph->pieces[2 * (size_t)index + (field->parity ^ k)];
            result = vks_copies_add(
                copies, (struct vks_pieces_at){back ? &field->copies[k] : pieces},
                (struct vks_pieces_at){back ? pieces : &field->copies[k]}, field->bytes);
        }
    }
    return result == VKS_OK ? vks_copies_bind(copies) : result;
}

static void record_taking(void *user, VkCommandBuffer commands)
{
    vks_copies_record(user, commands);
}

/* The copies from a snapshot back to a graph. */
struct restoring {
    const struct vks_graph *graph;
    const struct vks_graph_snapshot *snapshot;
    struct vks_copies copies;
};

/* Whether passes add to the field and write its next buffer. They may know where the last one's
 * sums are, and clear only those. */
static bool is_summed(const struct vks_declaration *declaration, size_t field)
{
    const unsigned access = vks_field_access(declaration, field);
    return (access & VKS_ATOMIC) != 0 && (access & VKS_NEXT) != 0;
}

/* Clears the other buffers of such fields, which have the sums of later steps: a snapshot does not
 * hold those of its own, which the next step clears. */
static void record_clearing(const struct vks_graph *graph,
                            const struct vks_graph_snapshot *snapshot, VkCommandBuffer commands)
{
    for (size_t i = 0; i < snapshot->count; i++) {
        const int index = find_field(graph, &snapshot->fields[i]);
        if (index >= 0 && snapshot->fields[i].holds == VKS_HOLDS_CURRENT &&
            is_summed(&graph->declaration, (size_t)index)) {
            const struct vks_pieces *other =
                &graph->pieces[2 * (size_t)index + (snapshot->fields[i].parity ^ 1U)];
            for (size_t k = 0; k < other->count; k++) {
                graph->gpu->vk.vkCmdFillBuffer(commands, other->buffers[k].buffer, 0, VK_WHOLE_SIZE,
                                               0);
            }
        }
    }
}

static void record_restoring(void *user, VkCommandBuffer commands)
{
    const struct restoring *restoring = user;
    const struct vks_graph *graph = restoring->graph;
    vks_copies_record(&restoring->copies, commands);
    if (!graph->from) {
        record_clearing(graph, restoring->snapshot, commands);
        const uint32_t clock = vks_clock_resource(&graph->declaration);
        graph->gpu->vk.vkCmdFillBuffer(commands, graph->pieces[clock].buffers[0].buffer, 0, 4,
                                       (uint32_t)restoring->snapshot->steps);
    }
}

enum vks_result vks_graph_snapshot_take(struct vks_graph *graph,
                                        struct vks_graph_snapshot *snapshot)
{
    enum vks_result result =
        snapshot->value > 0 ? vks_gpu_wait(snapshot->gpu, snapshot->value) : VKS_OK;
    vks_follow(graph);
    for (size_t i = 0; i < snapshot->count; i++) {
        snapshot->fields[i].parity = graph->parity[i];
    }
    snapshot->steps = graph->steps;
    if (result == VKS_OK) {
        vks_copies_clear(&snapshot->copies);
        result = list_copies(graph, snapshot, false, &snapshot->copies);
    }
    if (result == VKS_OK) {
        result = vks_submit_transfer(graph, snapshot->commands, record_taking, &snapshot->copies);
    }
    if (result == VKS_OK) {
        snapshot->value = graph->gpu->submitted;
    }
    return result;
}

enum vks_result vks_graph_restore(struct vks_graph *graph,
                                  const struct vks_graph_snapshot *snapshot)
{
    struct restoring restoring = {
        graph, snapshot, {.gpu = graph->gpu, .pipeline = &snapshot->copy}};
    for (size_t i = 0; i < snapshot->count; i++) {
        if (!graph->from && find_field(graph, &snapshot->fields[i]) < 0) {
            return vks_fail(VKS_ERROR_USAGE, "the snapshot is of a simulation with other fields");
        }
    }
    vks_exchange_restart(graph);
    enum vks_result result = vks_gpu_wait(graph->gpu, graph->gpu->submitted);
    if (result == VKS_OK) {
        result = list_copies(graph, snapshot, true, &restoring.copies);
    }
    if (result != VKS_OK) {
        vks_copies_clear(&restoring.copies);
        return result;
    }
    vks_collect_done(graph);
    vks_watch_reset(graph);
    for (size_t i = 0; i < snapshot->count; i++) {
        const struct vks_held_field *field = &snapshot->fields[i];
        const int index = find_field(graph, field);
        const bool stays = index >= 0 && field->holds == VKS_HOLDS_NOTHING &&
                           is_table(&graph->declaration, (size_t)index);
        if (index >= 0 && !stays) {
            graph->parity[index] = field->parity;
        }
    }
    graph->steps = snapshot->steps;
    result = vks_transfer(graph, record_restoring, &restoring);
    vks_copies_clear(&restoring.copies);
    return result;
}

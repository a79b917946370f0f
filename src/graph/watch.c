/* SPDX-License-Identifier: MIT */
/* Watched fields are copied to a slot at the end of each batch and frame, and read once the
 * timeline shows its completion. Nothing waits for them. */
#include "graph/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* Alignment of slots: whole cache lines of the host. */
enum { SLOT_ALIGNMENT = 256 };

static size_t count_scalars(const struct vks_declaration *declaration)
{
    size_t count = 0;
    for (size_t i = 0; i < declaration->field_count; i++) {
        const struct vks_scalar *scalar = declaration->fields[i].watched;
        for (; scalar && scalar->name; scalar++) {
            count++;
        }
    }
    return count;
}

enum vks_result vks_watch_create(struct vks_graph *graph)
{
    const struct vks_declaration *declaration = &graph->declaration;
    struct vks_watch *watch = &graph->watch;
    uint64_t bytes = 0;
    watch->count = count_scalars(declaration);
    if (watch->count == 0) {
        return VKS_OK;
    }
    for (size_t i = 0; i < declaration->field_count; i++) {
        bytes += declaration->fields[i].watched ? vks_field_bytes(&declaration->fields[i]) : 0;
    }
    watch->slot_bytes = (bytes + SLOT_ALIGNMENT - 1) / SLOT_ALIGNMENT * SLOT_ALIGNMENT;
    watch->values = calloc(2 * watch->count, sizeof(*watch->values));
    watch->latest = watch->values ? watch->values + watch->count : NULL;
    return watch->values
               ? vks_buffer_create(graph->gpu, &watch->slots, watch->slot_bytes * VKS_MAX_BATCHES,
                                   VKS_MEMORY_READBACK, "the watched words")
               : vks_fail_memory();
}

void vks_watch_destroy(struct vks_graph *graph)
{
    vks_buffer_destroy(graph->gpu, &graph->watch.slots);
    free(graph->watch.values);
}

void vks_watch_reset(struct vks_graph *graph)
{
    struct vks_watch *watch = &graph->watch;
    watch->known = false;
    watch->collected = false;
    watch->status = 0;
}

static bool has_same_scalars(const struct vks_graph *a, const struct vks_graph *b)
{
    bool same = a->watch.count == b->watch.count;
    for (size_t i = 0; same && i < a->watch.count; i++) {
        same = strcmp(vks_graph_scalar(a, i)->name, vks_graph_scalar(b, i)->name) == 0;
    }
    return same;
}

void vks_watch_inherit(struct vks_graph *graph, const struct vks_graph *old)
{
    struct vks_watch *watch = &graph->watch;
    const struct vks_watch *was = &old->watch;
    if (watch->count == 0 || !has_same_scalars(graph, old)) {
        return;
    }
    if (was->known) {
        watch->known = true;
        watch->step = was->step;
        memcpy(watch->latest, was->latest, watch->count * sizeof(*watch->latest));
    }
    if (watch->status == 0) {
        watch->status = was->status;
        watch->status_scalar = was->status_scalar;
        watch->failed_at = was->failed_at;
    }
}

/* Makes transfer writes visible to the host. */
static void host_barrier(struct vks_graph *graph, VkCommandBuffer commands)
{
    const struct vks_barrier barrier = {
        .needed = true,
        .src_stage = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
        .src_access = VK_ACCESS_2_TRANSFER_WRITE_BIT,
        .dst_stage = VK_PIPELINE_STAGE_2_HOST_BIT,
        .dst_access = VK_ACCESS_2_HOST_READ_BIT,
    };
    vks_barrier_record(&graph->gpu->vk, commands, &barrier);
}

void vks_watch_record(struct vks_graph *graph, struct vks_batch *batch)
{
    const struct vks_declaration *declaration = &graph->declaration;
    VkDeviceSize at = graph->watch.slot_bytes * batch->slot;
    if (graph->watch.count == 0) {
        return;
    }
    for (size_t i = 0; i < declaration->field_count; i++) {
        const struct vks_field *field = &declaration->fields[i];
        if (!field->watched) {
            continue;
        }
        const uint32_t resource = 2 * (uint32_t)i + batch->schedule.parity[i];
        const struct vks_resource_use use = {resource, VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
                                             VK_ACCESS_2_TRANSFER_READ_BIT};
        const struct vks_barrier barrier = vks_sync_next(&batch->schedule.sync, &use, 1);
        const VkBufferCopy region = {.dstOffset = at, .size = vks_field_bytes(field)};
        vks_barrier_record(&graph->gpu->vk, batch->commands, &barrier);
        graph->gpu->vk.vkCmdCopyBuffer(batch->commands, graph->pieces[resource].buffers[0].buffer,
                                       graph->watch.slots.buffer, 1, &region);
        at += region.size;
    }
    host_barrier(graph, batch->commands);
}

static double number_of(enum vks_element element, const void *from)
{
    uint32_t words[2] = {0};
    float real;
    memcpy(words, from, element == VKS_U32X2 ? 8 : 4);
    switch (element) {
    case VKS_F32:
        memcpy(&real, words, sizeof(real));
        return (double)real;
    case VKS_U32X2: /* two's complement, low word first */
        return (double)(int64_t)((uint64_t)words[1] << 32 | words[0]);
    default:
        return (double)words[0];
    }
}

double vks_scalar_value(const struct vks_field *field, size_t index, const void *data)
{
    const double unit = field->watched[index].unit;
    const unsigned char *elements = data;
    return number_of(field->element, elements + index * vks_element_bytes(field->element)) *
           (unit != 0 ? unit : 1);
}

void vks_watch_collect(struct vks_graph *graph, const struct vks_batch *batch)
{
    const struct vks_declaration *declaration = &graph->declaration;
    struct vks_watch *watch = &graph->watch;
    if (watch->count == 0 || !batch->watched ||
        vks_buffer_invalidate(graph->gpu, &watch->slots) != VKS_OK) {
        return;
    }
    const unsigned char *from =
        (const unsigned char *)watch->slots.map + watch->slot_bytes * batch->slot;
    size_t index = 0;
    for (size_t i = 0; i < declaration->field_count; i++) {
        const struct vks_field *field = &declaration->fields[i];
        for (size_t j = 0; field->watched && field->watched[j].name; j++) {
            const struct vks_scalar *scalar = &field->watched[j];
            const double value = vks_scalar_value(field, j, from);
            if (scalar->failures && value != 0 && watch->status == 0) {
                watch->status = value;
                watch->status_scalar = index;
                watch->failed_at = batch->end;
            }
            watch->values[index++] = value;
        }
        from += field->watched ? vks_field_bytes(field) : 0;
    }
    watch->collected = true;
    const struct vks_row row = {.step = batch->end,
                                .frame = batch->when == VKS_EACH_FRAME,
                                .values = watch->values,
                                .count = watch->count};
    if (row.frame) {
        watch->known = true;
        watch->step = row.step;
        memcpy(watch->latest, watch->values, watch->count * sizeof(*watch->values));
    }
    if (watch->each) {
        watch->each(watch->user, &row);
    }
}

/* --- what others see ------------------------------------------------------------------------- */

const struct vks_scalar *vks_graph_scalar(const struct vks_graph *graph, size_t index)
{
    const struct vks_declaration *declaration = &graph->declaration;
    for (size_t i = 0; i < declaration->field_count; i++) {
        const struct vks_scalar *scalar = declaration->fields[i].watched;
        for (; scalar && scalar->name; scalar++) {
            if (index-- == 0) {
                return scalar;
            }
        }
    }
    return NULL;
}

enum vks_result vks_graph_check(const struct vks_graph *graph)
{
    const struct vks_watch *watch = &graph->watch;
    if (watch->status == 0) {
        return VKS_OK;
    }
    const struct vks_scalar *scalar = vks_graph_scalar(graph, watch->status_scalar);
    const char *sentence = scalar->failures[0];
    for (size_t i = 1; scalar->failures[i] && (double)i < watch->status; i++) {
        sentence = scalar->failures[i];
    }
    return vks_fail(VKS_ERROR_STOPPED, "%s (seen after step %llu)", sentence,
                    (unsigned long long)watch->failed_at);
}

bool vks_graph_watched(struct vks_graph *graph, struct vks_row *row)
{
    vks_collect_done(graph);
    const struct vks_watch *watch = &graph->watch;
    *row = (struct vks_row){
        .step = watch->step, .frame = true, .values = watch->latest, .count = watch->count};
    return watch->known;
}

bool vks_graph_latest(const struct vks_graph *graph, const char *name, double *value)
{
    const struct vks_watch *watch = &graph->watch;
    for (size_t i = 0; watch->collected && i < watch->count; i++) {
        if (strcmp(vks_graph_scalar(graph, i)->name, name) == 0) {
            *value = watch->values[i];
            return true;
        }
    }
    return false;
}

void vks_graph_on_row(struct vks_graph *graph, void (*each)(void *user, const struct vks_row *row),
                      void *user)
{
    for (; graph; graph = graph->retired) {
        graph->watch.each = each;
        graph->watch.user = user;
    }
}

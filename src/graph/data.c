/* SPDX-License-Identifier: MIT */
/* Clears fields at the start and copies them in and out; sorted items in order of number. */
#include "graph/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/task.h"
#include "graph/migrate.h"

enum { STAGING = 32 << 20 }; /* bytes per copy */

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
        const bool bound = graph->declaration.fields[i / 2].bound;
        for (size_t k = 0; !bound && k < graph->pieces[i].count; k++) {
            graph->gpu->vk.vkCmdFillBuffer(commands, graph->pieces[i].buffers[k].buffer, 0,
                                           VK_WHOLE_SIZE, 0);
        }
    }
    if (!graph->from) {
        graph->gpu->vk.vkCmdFillBuffer(commands, graph->pieces[clock].buffers[0].buffer, 0, 4,
                                       clearing->first_step);
    }
}

/* Runs the passes of `when` if there are any. */
static enum vks_result run_any(struct vks_graph *graph, enum vks_when when)
{
    for (size_t i = 0; i < graph->declaration.pass_count; i++) {
        if (graph->declaration.passes[i].when == when) {
            return vks_run_once(graph, when, NULL, NULL, VK_NULL_HANDLE, VK_NULL_HANDLE);
        }
    }
    return VKS_OK;
}

static enum vks_result start(struct vks_graph *graph, uint64_t first_step, bool run_passes,
                             const struct vks_images *images)
{
    struct clearing clearing = {graph, (uint32_t)first_step};
    for (size_t i = 0; i < graph->declaration.field_count; i++) {
        graph->parity[i] = 0;
        graph->unfilled[i] = true;
    }
    graph->steps = first_step;
    vks_exchange_restart(graph);
    /* Only for the results of its earlier work, if there was any. */
    enum vks_result result =
        graph->batch_count > 0 || graph->retired ? vks_gpu_wait(graph->gpu, graph->last) : VKS_OK;
    if (result == VKS_OK) {
        vks_collect_done(graph);
        vks_watch_reset(graph);
        result = vks_start_transfer(graph, record_clear, &clearing, NULL);
    }
    if (result == VKS_OK && run_passes) {
        result = vks_fill_tables(graph, images);
    }
    if (result == VKS_OK && run_passes) {
        result = run_any(graph, VKS_AT_START);
    }
    bool again = false;
    if (result == VKS_OK && run_passes) {
        result = vks_exchange_placed(graph, &again);
    }
    if (result == VKS_OK && again) {
        return start(graph, first_step, true, images);
    }
    if (result == VKS_OK && run_passes) {
        result = run_any(graph, VKS_AT_CHANGE);
    }
    return result;
}

enum vks_result vks_graph_start(struct vks_graph *graph, uint64_t first_step, bool run_passes)
{
    return start(graph, first_step, run_passes, NULL);
}

enum vks_result vks_graph_start_from(struct vks_graph *graph, uint64_t first_step,
                                     const struct vks_images *images)
{
    return start(graph, first_step, true, images);
}

enum vks_result vks_graph_ready(struct vks_graph *graph)
{
    struct vks_relocation relocation = {0};
    enum vks_result result = vks_exchange_note(graph, &relocation);
    if (result == VKS_OK) {
        result = run_any(graph, VKS_WHEN_READY);
    }
    if (result == VKS_OK) {
        result = vks_exchange_relocate(graph, &relocation);
    }
    vks_relocation_free(&relocation);
    return result;
}

/* The current buffers of a field. */
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

uint64_t vks_row_bytes(const struct vks_graph *graph, uint32_t field)
{
    const struct vks_field *declared = &graph->declaration.fields[field];
    const uint64_t rows = declared->shape[vks_row_axis(&graph->declaration, declared)];
    return vks_field_bytes(declared) / (vks_row_planes(graph, field) * rows);
}

uint64_t vks_row_planes(const struct vks_graph *graph, uint32_t field)
{
    const struct vks_field *declared = &graph->declaration.fields[field];
    return vks_row_axis(&graph->declaration, declared) > 0 ? declared->shape[0] : 1;
}

void vks_record_pieces(const struct vks_graph *graph, const struct vks_pieces *from,
                       const struct vks_pieces *to, uint64_t bytes, VkCommandBuffer commands)
{
    for (uint64_t at = 0; at < bytes;) {
        const struct vks_piece a = vks_piece_at(from, at), b = vks_piece_at(to, at);
        const uint64_t size = a.size < b.size ? a.size : b.size;
        const VkBufferCopy region = {a.offset, b.offset, size < bytes - at ? size : bytes - at};
        graph->gpu->vk.vkCmdCopyBuffer(commands, a.buffer, b.buffer, 1, &region);
        at += region.size;
    }
}

void vks_graph_copy(const struct vks_graph *from, const struct vks_graph *to, const char *field,
                    VkCommandBuffer commands)
{
    const int index = vks_find_field(&from->declaration, field);
    vks_record_pieces(from, pieces_of(from, index),
                      pieces_of(to, vks_find_field(&to->declaration, field)),
                      vks_field_bytes(&from->declaration.fields[index]), commands);
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

/* Staging for a field of `bytes`: at most STAGING, grows with the largest field so far. */
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

/* The part of a field from byte `at` that one copy moves. */
static struct vks_piece staged(const struct vks_pieces *pieces, uint64_t at)
{
    struct vks_piece piece = vks_piece_at(pieces, at);
    piece.size = piece.size < STAGING ? piece.size : STAGING;
    return piece;
}

bool vks_is_sorted(const struct vks_graph *graph, int field)
{
    const char *name = graph->declaration.fields[field].items;
    const struct vks_items *items = name ? vks_find_items(&graph->declaration, name) : NULL;
    return items && items->sorted;
}

enum vks_result vks_restore_order(struct vks_graph *graph, int field, bool keep,
                                  unsigned char *parity)
{
    const size_t fields = graph->declaration.field_count;
    unsigned char *before = malloc(fields + 1);
    if (!before) {
        return vks_fail_memory();
    }
    memcpy(before, graph->parity, fields);
    enum vks_result result =
        vks_run_once(graph, VKS_BEFORE_READ, NULL, NULL, VK_NULL_HANDLE, VK_NULL_HANDLE);
    *parity = graph->parity[field];
    if (!keep) {
        memcpy(graph->parity, before, fields);
    }
    free(before);
    return result;
}

static enum vks_result upload_bytes(struct vks_graph *graph, const struct vks_pieces *to,
                                    uint64_t at, uint64_t size, const char *data)
{
    enum vks_result result = VKS_OK;
    for (const uint64_t end = at + size; result == VKS_OK && at < end;) {
        struct vks_piece piece = staged(to, at);
        piece.size = piece.size < end - at ? piece.size : end - at;
        memcpy(graph->staging_up.map, data, piece.size);
        struct copying copying = {graph,
                                  graph->staging_up.buffer,
                                  piece.buffer,
                                  {.dstOffset = piece.offset, .size = piece.size}};
        result = vks_transfer(graph, record_copy, &copying);
        if (result == VKS_OK) {
            result = vks_task_advance(piece.size);
        }
        data += piece.size;
        at += piece.size;
    }
    return result;
}

enum vks_result vks_upload_part(struct vks_graph *graph, int field, uint64_t at, uint64_t size,
                                const void *data)
{
    enum vks_result result = need_staging(graph, &graph->staging_up, VKS_MEMORY_UPLOAD, size);
    return result == VKS_OK ? upload_bytes(graph, pieces_of(graph, field), at, size, data) : result;
}

/* The rows of the slab and its halos, of all rows of a plane: to byte `place`. */
static enum vks_result upload_slab(struct vks_graph *graph, const struct vks_pieces *to,
                                   uint64_t place, uint64_t row, const char *data)
{
    const struct vks_slab *slab = &graph->declaration.slab;
    const uint32_t length = vks_slab_length(slab, 0);
    enum vks_result result = VKS_OK;
    for (uint32_t at = 0; at < length && result == VKS_OK;) {
        const uint64_t from =
            ((uint64_t)slab->first + slab->whole - slab->before + at) % slab->whole;
        const uint64_t left = slab->whole - from, rows = left < length - at ? left : length - at;
        result = upload_bytes(graph, to, place + at * row, rows * row, data + from * row);
        at += (uint32_t)rows;
    }
    return result;
}

static enum vks_result upload_slabs(struct vks_graph *graph, const struct vks_pieces *to, int field,
                                    const char *data)
{
    const struct vks_slab *slab = &graph->declaration.slab;
    const uint64_t planes = vks_row_planes(graph, (uint32_t)field);
    const uint64_t row = vks_row_bytes(graph, (uint32_t)field);
    enum vks_result result = VKS_OK;
    for (uint64_t plane = 0; plane < planes && result == VKS_OK; plane++) {
        result = upload_slab(graph, to, plane * vks_slab_length(slab, 0) * row, row,
                             data + plane * slab->whole * row);
    }
    return result;
}

enum vks_result vks_graph_upload(struct vks_graph *graph, const char *field, const void *data)
{
    int index = vks_find_field(&graph->declaration, field);
    const struct vks_field *declared = &graph->declaration.fields[index];
    const uint64_t size = vks_field_bytes(declared);
    unsigned char parity = graph->parity[index];
    if (vks_is_shared(&graph->declaration, declared)) {
        graph->unfilled[index] = false;
        vks_exchange_needed(graph);
        return vks_exchange_upload(graph, index, data);
    }
    enum vks_result result = need_staging(graph, &graph->staging_up, VKS_MEMORY_UPLOAD, size);
    if (result == VKS_OK && vks_is_sorted(graph, index)) {
        result = vks_restore_order(graph, index, true, &parity);
    }
    const struct vks_pieces *to = &graph->pieces[2 * index + parity];
    graph->unfilled[index] = false;
    vks_exchange_needed(graph);
    if (result == VKS_OK) {
        result = vks_is_split(&graph->declaration, declared)
                     ? upload_slabs(graph, to, index, data)
                     : upload_bytes(graph, to, 0, size, data);
    }
    return result;
}

enum vks_result vks_graph_stage(struct vks_graph *graph, int field, const void *data)
{
    const uint64_t size = vks_field_bytes(&graph->declaration.fields[field]);
    enum vks_result result = VKS_OK;
    vks_exchange_needed(graph);
    for (uint64_t at = 0; result == VKS_OK && at < size;) {
        const struct vks_piece piece = staged(pieces_of(graph, field), at);
        struct vks_buffer staging = {0};
        result = vks_buffer_create(graph->gpu, &staging, piece.size, VKS_MEMORY_UPLOAD,
                                   "filling a field");
        if (result == VKS_OK) {
            memcpy(staging.map, (const char *)data + at, piece.size);
            struct copying copying = {graph,
                                      staging.buffer,
                                      piece.buffer,
                                      {.dstOffset = piece.offset, .size = piece.size}};
            result = vks_start_transfer(graph, record_copy, &copying, &staging);
        }
        at += piece.size;
    }
    return result;
}

enum vks_result vks_graph_download(struct vks_graph *graph, const char *field, vks_bytes_fn *sink,
                                   void *user)
{
    int index = vks_find_field(&graph->declaration, field);
    if (vks_is_split(&graph->declaration, &graph->declaration.fields[index])) {
        return vks_download_slabs(graph, index, sink, user);
    }
    if (vks_is_shared(&graph->declaration, &graph->declaration.fields[index])) {
        return vks_exchange_download(graph, index, sink, user);
    }
    if (graph->declaration.slab.index > 0) {
        return VKS_OK; /* rank 0 has the same */
    }
    uint64_t size = vks_field_bytes(&graph->declaration.fields[index]);
    unsigned char parity = graph->parity[index];
    enum vks_result result = need_staging(graph, &graph->staging_down, VKS_MEMORY_READBACK, size);
    if (result == VKS_OK && vks_is_sorted(graph, index)) {
        result = vks_restore_order(graph, index, false, &parity);
    }
    const struct vks_pieces *from = &graph->pieces[2 * index + parity];
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
            result = sink(user, graph->staging_down.map, (size_t)piece.size);
        }
        at += piece.size;
    }
    return result;
}

void vks_record_bytes(const struct vks_graph *graph, VkCommandBuffer commands,
                      const struct vks_pieces *pieces, struct vks_bytes bytes, bool to_field)
{
    for (uint64_t done = 0; done < bytes.size;) {
        const struct vks_piece piece = vks_piece_at(pieces, bytes.at + done);
        const uint64_t left = bytes.size - done;
        VkBufferCopy region = {.srcOffset = piece.offset,
                               .dstOffset = bytes.place + done,
                               .size = piece.size < left ? piece.size : left};
        if (to_field) {
            region.srcOffset = bytes.place + done;
            region.dstOffset = piece.offset;
        }
        graph->gpu->vk.vkCmdCopyBuffer(commands, to_field ? bytes.buffer : piece.buffer,
                                       to_field ? piece.buffer : bytes.buffer, 1, &region);
        done += region.size;
    }
}

struct part {
    const struct vks_graph *graph;
    const struct vks_pieces *from;
    struct vks_bytes bytes;
};

static void record_part(void *user, VkCommandBuffer commands)
{
    const struct part *part = user;
    vks_record_bytes(part->graph, commands, part->from, part->bytes, false);
}

enum vks_result vks_download_part(struct vks_graph *graph, int field, uint64_t at, size_t size,
                                  void **data)
{
    enum vks_result result = need_staging(graph, &graph->staging_down, VKS_MEMORY_READBACK, size);
    struct part part = {graph,
                        pieces_of(graph, field),
                        {.buffer = graph->staging_down.buffer, .at = at, .size = size}};
    if (result == VKS_OK) {
        result = vks_transfer(graph, record_part, &part);
    }
    if (result == VKS_OK) {
        result = vks_buffer_invalidate(graph->gpu, &graph->staging_down);
    }
    *data = graph->staging_down.map;
    return result;
}

enum vks_result vks_download_bytes(struct vks_graph *graph, int field, uint64_t at, uint64_t bytes,
                                   void *to)
{
    enum { PART = 32 << 20 };
    enum vks_result result = VKS_OK;
    for (uint64_t done = 0; done < bytes && result == VKS_OK; done += PART) {
        const size_t size = bytes - done < PART ? (size_t)(bytes - done) : PART;
        void *data;
        result = vks_download_part(graph, field, at + done, size, &data);
        if (result == VKS_OK) {
            memcpy((char *)to + done, data, size);
        }
    }
    return result;
}

enum vks_result vks_download_after(struct vks_graph *graph, enum vks_when when, int field,
                                   size_t size, void **data)
{
    enum vks_result result = need_staging(graph, &graph->staging_down, VKS_MEMORY_READBACK, size);
    struct part part = {
        graph, pieces_of(graph, field), {.buffer = graph->staging_down.buffer, .size = size}};
    if (result == VKS_OK) {
        result = vks_run_once(graph, when, record_part, &part, VK_NULL_HANDLE, VK_NULL_HANDLE);
    }
    if (result == VKS_OK) {
        result = vks_gpu_wait(graph->gpu, graph->last);
    }
    if (result == VKS_OK) {
        result = vks_buffer_invalidate(graph->gpu, &graph->staging_down);
    }
    *data = graph->staging_down.map;
    return result;
}

enum vks_result vks_append_bytes(void *user, const void *bytes, size_t size)
{
    unsigned char **at = user;
    memcpy(*at, bytes, size);
    *at += size;
    return VKS_OK;
}

enum vks_result vks_graph_download_to(struct vks_graph *graph, const char *field, void *data)
{
    unsigned char *at = data;
    return vks_graph_download(graph, field, vks_append_bytes, &at);
}

static void record_nothing(void *user, VkCommandBuffer commands)
{
    (void)user;
    (void)commands;
}

enum vks_result vks_graph_map(struct vks_graph *graph, const char *field, const void **data)
{
    const int index = vks_find_field(&graph->declaration, field);
    const struct vks_pieces *pieces = pieces_of(graph, index);
    const char *why = !pieces->buffers->map         ? "is in memory that the host cannot read"
                      : pieces->count > 1           ? "is in several buffers"
                      : vks_is_sorted(graph, index) ? "has its items sorted by their places"
                                                    : NULL;
    if (why) {
        return vks_fail(VKS_ERROR_USAGE, "field '%s' cannot be mapped: on %s it %s", field,
                        graph->gpu->info.name, why);
    }
    *data = pieces->buffers->map;
    return vks_transfer(graph, record_nothing, NULL); /* its barrier makes writes visible */
}

struct sampling {
    struct vks_graph *graph;
    const struct vks_pieces *from;
    uint64_t size; /* of the field */
    size_t parts, bytes;
};

static void record_samples(void *user, VkCommandBuffer commands)
{
    const struct sampling *sampling = user;
    const uint64_t bytes = sampling->bytes, places = sampling->size / bytes;
    for (uint64_t i = 0; i < sampling->parts; i++) {
        vks_record_bytes(sampling->graph, commands, sampling->from,
                         (struct vks_bytes){.buffer = sampling->graph->staging_down.buffer,
                                            .at = places * i / sampling->parts * bytes,
                                            .place = i * bytes,
                                            .size = bytes},
                         false);
    }
}

enum vks_result vks_graph_sample(struct vks_graph *graph, const char *field, size_t parts,
                                 size_t bytes, void *data)
{
    const int index = vks_find_field(&graph->declaration, field);
    struct sampling sampling = {graph, pieces_of(graph, index),
                                vks_field_bytes(&graph->declaration.fields[index]), parts, bytes};
    enum vks_result result =
        need_staging(graph, &graph->staging_down, VKS_MEMORY_READBACK, (uint64_t)parts * bytes);
    if (result == VKS_OK) {
        result = vks_transfer(graph, record_samples, &sampling);
    }
    if (result == VKS_OK) {
        result = vks_buffer_invalidate(graph->gpu, &graph->staging_down);
    }
    if (result == VKS_OK) {
        memcpy(data, graph->staging_down.map, parts * bytes);
    }
    return result;
}

enum vks_result vks_graph_read_state(struct vks_graph *graph, const struct vks_state_sink *sink)
{
    const struct vks_declaration *declaration = &graph->declaration;
    enum vks_result result = vks_graph_begin_reading(graph);
    for (size_t i = 0; result == VKS_OK && i < declaration->field_count; i++) {
        const struct vks_field *field = &declaration->fields[i];
        if (!field->persistent) {
            continue;
        }
        const struct vks_field whole = vks_whole_field(declaration, field);
        result =
            sink->begin && declaration->slab.index == 0 ? sink->begin(sink->user, &whole) : VKS_OK;
        if (result == VKS_OK) {
            result = vks_graph_download(graph, field->name, sink->bytes, sink->user);
        }
    }
    vks_graph_end_reading(graph);
    return result;
}

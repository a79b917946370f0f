/* SPDX-License-Identifier: MIT */
#include "frames/ring_internal.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "view/view.h"

enum {
    SLOT_BUDGET = 256 << 20
}; /* bytes of all slots; large frames get fewer slots, at least two */

/* --- creation -------------------------------------------------------------------------------- */

static unsigned all_planes(const struct vks_ring *ring)
{
    const bool rgba = ring->params.digest || ring->params.collage || ring->params.thumbnails;
    return vks_ring_sink_planes(ring, vks_ring_all_sinks(ring)) |
           (rgba ? vks_plane_bit(VKS_PLANE_RGBA) : 0U);
}

static uint64_t copy_bytes(const struct vks_ring *ring, size_t plane)
{
    return vks_plane_bytes((unsigned)plane, ring->params.width, ring->bands.rows,
                           ring->params.value_planes, &ring->extents);
}

/* The first component of a plane of arrays, and their number; NULL: the graph has none. */
static const struct vks_field *find_components(const struct vks_ring *ring, unsigned plane,
                                               uint32_t *count)
{
    const struct vks_declaration *declaration = vks_graph_declaration(ring->graph);
    const struct vks_field *first = NULL;
    char name[32];
    int index;
    for (*count = 0;
         (index = vks_find_field(declaration, vks_export_copy(plane, *count, name))) >= 0;
         (*count)++) {
        first = first ? first : &declaration->fields[index];
    }
    return first;
}

static void find_extents(struct vks_ring *ring)
{
    struct vks_extents *extents = &ring->extents;
    const struct vks_field *cells = find_components(ring, VKS_PLANE_CELLS, &extents->of_cells);
    const struct vks_field *items = find_components(ring, VKS_PLANE_ITEMS, &extents->of_items);
    for (uint32_t axis = 0; cells && axis < 3; axis++) {
        extents->cells[axis] =
            axis < cells->rank ? (uint32_t)cells->shape[cells->rank - 1 - axis] : 1;
    }
    extents->items = items ? items->shape[0] : 0;
}

/* The field of the simulation's time, for files of fields and items. */
static void find_time(struct vks_ring *ring)
{
    const struct vks_declaration *declaration = vks_graph_declaration(ring->graph);
    const int index = vks_find_field(declaration, "time");
    const struct vks_field *field = index >= 0 ? &declaration->fields[index] : NULL;
    ring->time =
        field && field->watched && strcmp(field->watched->name, "time") == 0 ? field : NULL;
}

/* The picture that a plane is copied from is not in one buffer. */
static enum vks_result fail_plane(const struct vks_ring *ring, size_t plane)
{
    const char *name = "a digest or a collage";
    for (size_t i = 0; i < ring->params.sink_count; i++) {
        if (vks_sink_planes(ring->params.sinks[i]) >> plane & 1U) {
            name = vks_sink_name(ring->params.sinks[i]);
        }
    }
    return vks_fail(VKS_ERROR_USAGE, "'%s' needs '%s', which is not in one buffer in this run",
                    name, vks_plane_formats[plane].field);
}

static enum vks_result create_slots(struct vks_ring *ring)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < VKS_PLANES; i++) {
        if (!(all_planes(ring) >> i & 1U)) {
            continue;
        }
        if (!vks_graph_buffer(ring->graph, vks_plane_formats[i].field)) {
            return fail_plane(ring, i);
        }
        bytes += copy_bytes(ring, i);
    }
    /* Sinks that do not need the first frame need only the last. */
    const bool all =
        ring->params.digest || ring->params.collage || vks_ring_sinks_for(ring, ring->params.first);
    const uint64_t fit = vks_smaller(VKS_RING_SLOTS, SLOT_BUDGET / bytes);
    const uint64_t frames = all && ring->params.frames > 0 ? ring->params.frames : 1;
    const uint64_t bands = (ring->params.height + ring->bands.rows - 1) / ring->bands.rows;
    ring->slot_count = (size_t)vks_smaller(fit < 2 ? 2 : fit, bands > 1 ? VKS_RING_SLOTS : frames);
    for (size_t s = 0; s < ring->slot_count; s++) {
        for (size_t i = 0; i < VKS_PLANES; i++) {
            enum vks_result result = VKS_OK;
            if (all_planes(ring) >> i & 1U) {
                result =
                    vks_buffer_create(ring->gpu, &ring->slots[s].copies[i], copy_bytes(ring, i),
                                      VKS_MEMORY_READBACK, "a frame's copy");
            }
            if (result != VKS_OK) {
                return result;
            }
        }
        const enum vks_result result =
            ring->time
                ? vks_buffer_create(ring->gpu, &ring->slots[s].time, vks_field_bytes(ring->time),
                                    VKS_MEMORY_READBACK, "a frame's time")
                : VKS_OK;
        if (result != VKS_OK) {
            return result;
        }
    }
    return VKS_OK;
}

static enum vks_result create_queries(struct vks_ring *ring)
{
    if (ring->gpu->timestamp_period == 0) {
        return VKS_OK;
    }
    VkQueryPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
        .queryType = VK_QUERY_TYPE_TIMESTAMP,
        .queryCount = (uint32_t)(2 * ring->slot_count),
    };
    enum vks_result result = vks_gpu_check(
        ring->gpu, ring->gpu->vk.vkCreateQueryPool(ring->gpu->device, &info, NULL, &ring->queries),
        "vkCreateQueryPool");
    if (result != VKS_OK) {
        ring->queries = VK_NULL_HANDLE;
    }
    return result;
}

enum vks_result vks_ring_create(struct vks_gpu *gpu, const struct vks_bands *bands,
                                const struct vks_ring_params *params, struct vks_ring **out)
{
    struct vks_ring *ring = calloc(1, sizeof(*ring));
    pthread_condattr_t monotonic;
    if (!ring) {
        return vks_fail_memory();
    }
    ring->gpu = gpu;
    ring->bands = *bands;
    ring->graph = bands->graph;
    ring->params = *params;
    for (size_t i = 0; i < params->sink_count; i++) {
        ring->sinks[i] = params->sinks[i];
    }
    ring->params.sinks = ring->sinks;
    ring->due = vks_ring_all_sinks(ring) & ~vks_ring_sinks_for(ring, 0);
    vks_coded_size(params->width, params->height, &ring->coded_width, &ring->coded_height);
    if (all_planes(ring) & (vks_plane_bit(VKS_PLANE_CELLS) | vks_plane_bit(VKS_PLANE_ITEMS))) {
        find_extents(ring);
        find_time(ring);
    }
    pthread_mutex_init(&ring->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&ring->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    enum vks_result result = create_slots(ring);
    if (result == VKS_OK) {
        result = create_queries(ring);
    }
    if (result == VKS_OK && params->digest) {
        ring->rgb = malloc((size_t)params->width * bands->rows * 3);
        ring->hash = vks_digest_create();
        result = ring->rgb && ring->hash ? VKS_OK : vks_fail_memory();
        if (result == VKS_OK && params->digested &&
            !vks_digest_load(ring->hash, params->digested)) {
            result = vks_fail(VKS_ERROR_FILE, "the checkpoint's digest of frames is damaged");
        }
    }
    if (result == VKS_OK) {
        result = vks_ring_start_workers(ring);
    }
    if (result != VKS_OK) {
        vks_ring_destroy(ring);
        return result;
    }
    *out = ring;
    return VKS_OK;
}

/* --- the end --------------------------------------------------------------------------------- */

void vks_ring_destroy(struct vks_ring *ring)
{
    if (!ring) {
        return;
    }
    pthread_mutex_lock(&ring->lock);
    ring->stop = true;
    pthread_cond_broadcast(&ring->changed);
    pthread_mutex_unlock(&ring->lock);
    for (size_t i = 0; i < ring->worker_count; i++) {
        if (ring->workers[i].running) {
            pthread_join(ring->workers[i].thread, NULL);
        }
    }
    /* Copies may still be in flight. */
    if (vks_gpu_wait(ring->gpu, ring->gpu->submitted) != VKS_OK) {
        (void)vks_gpu_wait_idle(ring->gpu);
    }
    for (size_t s = 0; s < ring->slot_count; s++) {
        for (size_t i = 0; i < VKS_PLANES; i++) {
            vks_buffer_destroy(ring->gpu, &ring->slots[s].copies[i]);
        }
        vks_buffer_destroy(ring->gpu, &ring->slots[s].time);
    }
    if (ring->queries) {
        ring->gpu->vk.vkDestroyQueryPool(ring->gpu->device, ring->queries, NULL);
    }
    vks_digest_destroy(ring->hash);
    free(ring->rgb);
    pthread_cond_destroy(&ring->changed);
    pthread_mutex_destroy(&ring->lock);
    free(ring);
}

void vks_ring_stats(struct vks_ring *ring, struct vks_ring_stats *stats)
{
    *stats = (struct vks_ring_stats){0};
    pthread_mutex_lock(&ring->lock);
    for (size_t i = 0; i < ring->worker_count; i++) {
        const struct vks_ring_worker *worker = &ring->workers[i];
        if (worker->phase == VKS_PHASE_DIGEST) {
            stats->digest_busy = worker->busy;
        } else if (i == 0 || worker->busy > stats->encoder_busy) {
            stats->encoder_waits = worker->waits;
            stats->encoder_busy = worker->busy;
        }
        stats->frames = worker->written > stats->frames ? worker->written : stats->frames;
    }
    stats->gpu_waits = ring->gpu_waits;
    stats->first_frame = ring->first_frame;
    if (ring->timed_count) {
        stats->copies = ring->timed_copies / (double)ring->timed_count * (double)ring->copy_count;
    }
    pthread_mutex_unlock(&ring->lock);
}

void vks_ring_digest(struct vks_ring *ring, char hex[33])
{
    vks_digest_hex(ring->hash, hex);
}

void vks_ring_digest_state(const struct vks_ring *ring, char text[VKS_DIGEST_STATE_CHARS + 1])
{
    vks_digest_save(ring->hash, text);
}

/* SPDX-License-Identifier: MIT */
/* Filling the ring's slots, and waiting for its consumers. */
#include "frames/ring_internal.h"

#include <errno.h>
#include <time.h>

#include "base/clock.h"
#include "view/view.h"

enum {
    TIMED_FRAMES = 16,   /* every that many frames: timestamps cost time */
    READER_TIMEOUT = 10, /* ticks that an interrupted run waits for a stalled reader */
};
static const double tick_seconds = 0.1; /* between checks for an interrupt while waiting */

/* --- waiting --------------------------------------------------------------------------------- */

/* Waits at most one tick for a worker. Returns true after a full tick. Call with the lock held. */
static bool wait_tick(struct vks_ring *ring)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long)(tick_seconds * 1e9);
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    return pthread_cond_timedwait(&ring->changed, &ring->lock, &until) == ETIMEDOUT;
}

/* A frame is never abandoned between its bands. */
static bool is_interrupted(const struct vks_ring *ring)
{
    return !ring->within_frame && ring->params.interrupted();
}

/* Waits until the GPU is idle or a slot is free. Only the time after that counts as the GPU waiting
 * for the encoder. */
static enum vks_result wait_for_gpu(struct vks_ring *ring)
{
    enum { POLL_INTERVAL = 200000 }; /* ns */
    const uint64_t value = ring->gpu->submitted;
    const VkSemaphoreWaitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
        .semaphoreCount = 1,
        .pSemaphores = &ring->gpu->timeline,
        .pValues = &value,
    };
    bool busy = !vks_gpu_reached(ring->gpu, value);
    enum vks_result result = VKS_OK;
    vks_phase_begin(VKS_PHASE_WAIT_GPU);
    while (busy && result == VKS_OK) {
        pthread_mutex_lock(&ring->lock);
        const bool full = ring->pushed - vks_ring_done_by_all(ring) == ring->slot_count;
        const bool failed = ring->error.result != VKS_OK;
        pthread_mutex_unlock(&ring->lock);
        if (!full || failed || is_interrupted(ring)) {
            break;
        }
        VkResult waited = ring->gpu->vk.vkWaitSemaphores(ring->gpu->device, &info, POLL_INTERVAL);
        if (waited != VK_SUCCESS && waited != VK_TIMEOUT) {
            result = vks_gpu_check(ring->gpu, waited, "vkWaitSemaphores");
        }
        busy = waited == VK_TIMEOUT;
    }
    vks_phase_end();
    return result;
}

static enum vks_result wait_for_slot(struct vks_ring *ring)
{
    enum vks_result result = wait_for_gpu(ring);
    if (result != VKS_OK) {
        return result;
    }
    const double begin = vks_seconds();
    vks_phase_begin(VKS_PHASE_WAIT_ENCODER);
    pthread_mutex_lock(&ring->lock);
    while (result == VKS_OK && ring->error.result == VKS_OK &&
           ring->pushed - vks_ring_done_by_all(ring) == ring->slot_count) {
        if (is_interrupted(ring)) {
            result = VKS_INTERRUPTED;
        } else {
            (void)wait_tick(ring);
        }
    }
    ring->gpu_waits += vks_seconds() - begin;
    if (result == VKS_OK) {
        result = vks_ring_failure(ring);
    }
    pthread_mutex_unlock(&ring->lock);
    vks_phase_end();
    return result;
}

/* --- frames ---------------------------------------------------------------------------------- */

struct recording {
    struct vks_ring *ring;
    const struct vks_ring_slot *slot;
};

static void timestamp(const struct recording *recording, VkCommandBuffer commands, uint32_t end)
{
    const struct vks_ring *ring = recording->ring;
    if (recording->slot->timed) {
        ring->gpu->vk.vkCmdWriteTimestamp2(commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
                                           ring->queries,
                                           (uint32_t)(2 * (recording->slot - ring->slots)) + end);
    }
}

/* Rows of "values" before the first of the band. */
static uint64_t rows_above(const struct vks_ring *ring, const struct vks_ring_slot *slot)
{
    const struct vks_declaration *declaration = vks_graph_declaration(ring->graph);
    const int values = vks_find_field(declaration, "values");
    const struct vks_field *field = &declaration->fields[values];
    const uint32_t value_rows = (uint32_t)field->shape[field->rank - 2];
    return slot->row -
           vks_view_first_value(ring->params.height, ring->bands.rows, value_rows, slot->row);
}

/* Copies the components of a plane of arrays, one after the other. */
static void copy_components(const struct vks_ring *ring, const struct vks_ring_slot *slot,
                            unsigned plane, VkCommandBuffer commands)
{
    const uint32_t count =
        plane == VKS_PLANE_CELLS ? ring->extents.of_cells : ring->extents.of_items;
    const uint64_t bytes = slot->copies[plane].size / count;
    for (uint32_t c = 0; c < count; c++) {
        const VkBufferCopy region = {.dstOffset = c * bytes, .size = bytes};
        char name[32];
        ring->gpu->vk.vkCmdCopyBuffer(
            commands, vks_graph_buffer(ring->graph, vks_export_copy(plane, c, name)),
            slot->copies[plane].buffer, 1, &region);
    }
}

static void record_copies(void *user, VkCommandBuffer commands)
{
    const struct recording *recording = user;
    const struct vks_ring *ring = recording->ring;
    const struct vks_ring_slot *slot = recording->slot;
    if (slot->timed) {
        ring->gpu->vk.vkCmdResetQueryPool(commands, ring->queries,
                                          (uint32_t)(2 * (slot - ring->slots)), 2);
    }
    timestamp(recording, commands, 0);
    const unsigned planes = vks_ring_slot_planes(ring, slot);
    if (ring->time) {
        const VkBufferCopy region = {.size = slot->time.size};
        ring->gpu->vk.vkCmdCopyBuffer(commands, vks_graph_buffer(ring->graph, ring->time->name),
                                      slot->time.buffer, 1, &region);
    }
    for (unsigned i = 0; i < VKS_PLANES; i++) {
        const struct vks_plane_format *format = &vks_plane_formats[i];
        const uint64_t row_bytes = (uint64_t)ring->params.width * format->pixel_bytes;
        if (!(planes >> i & 1U)) {
            continue; /* the graph may not have the field */
        }
        if (i == VKS_PLANE_CELLS || i == VKS_PLANE_ITEMS) {
            copy_components(ring, slot, i, commands);
            continue;
        }
        const VkBufferCopy region = {
            .srcOffset = i == VKS_PLANE_VALUES ? rows_above(ring, slot) * row_bytes : 0,
            .size = row_bytes && slot->rows < ring->params.height ? slot->rows * row_bytes
                                                                  : slot->copies[i].size,
        };
        ring->gpu->vk.vkCmdCopyBuffer(commands, vks_graph_buffer(ring->graph, format->field),
                                      slot->copies[i].buffer, 1, &region);
    }
    timestamp(recording, commands, 1);
    if (ring->record) {
        ring->record(ring->user, commands);
    }
}

/* Draws a band and copies it for the consumers of `like`. */
static enum vks_result push_band(struct vks_ring *ring, const struct vks_ring_slot *like)
{
    enum vks_result result = wait_for_slot(ring);
    if (result != VKS_OK) {
        return result;
    }
    struct vks_ring_slot *slot = &ring->slots[ring->pushed % ring->slot_count];
    slot->index = like->index;
    slot->step = vks_graph_steps(ring->bands.stepped ? ring->bands.stepped : ring->graph);
    slot->row = like->row;
    slot->rows = like->rows;
    slot->survey = like->survey;
    slot->sinks = like->sinks;
    slot->for_digest = like->for_digest;
    slot->for_collage = like->for_collage;
    slot->for_thumbnails = like->for_thumbnails;
    slot->traced = vks_profile_traces();
    slot->timed = ring->queries && (ring->copy_count++ % TIMED_FRAMES == 0 || slot->traced);
    struct recording recording = {ring, slot};
    result = vks_bands_draw(&ring->bands, slot->row, record_copies, &recording, &slot->value);
    if (result == VKS_OK) {
        pthread_mutex_lock(&ring->lock);
        ring->pushed++;
        vks_profile_sample(VKS_COUNTER_RING, (double)(ring->pushed - vks_ring_done_by_all(ring)));
        pthread_cond_broadcast(&ring->changed);
        pthread_mutex_unlock(&ring->lock);
    }
    return result;
}

/* All bands of a picture, from the top. */
static enum vks_result push_bands(struct vks_ring *ring, const struct vks_ring_slot *like,
                                  bool survey)
{
    const uint32_t height = ring->params.height;
    enum vks_result result = VKS_OK;
    for (uint64_t row = 0; result == VKS_OK && row < height; row += ring->bands.rows) {
        struct vks_ring_slot band = *like;
        band.row = (uint32_t)row;
        band.rows = (uint32_t)vks_smaller(ring->bands.rows, height - row);
        band.survey = survey;
        result = push_band(ring, &band);
    }
    return result;
}

/* Draws the state and copies it for the consumers of `like`. A picture in bands that may be
 * transparent is drawn twice, because the header of the file says whether it is. */
static enum vks_result push(struct vks_ring *ring, const struct vks_ring_slot *like)
{
    enum vks_result result = wait_for_slot(ring);
    if (result == VKS_OK) {
        result = vks_bands_begin(&ring->bands);
    }
    ring->within_frame = ring->bands.rows < ring->params.height;
    if (result == VKS_OK && ring->within_frame && ring->bands.alpha) {
        result = push_bands(ring, like, true);
    }
    if (result == VKS_OK) {
        result = push_bands(ring, like, false);
    }
    ring->within_frame = false;
    ring->due &= result == VKS_OK ? ~like->sinks : ring->due;
    return result;
}

/* Draws a frame without consumers, because later frames may depend on it. */
static enum vks_result draw_only(const struct vks_ring *ring)
{
    uint64_t value;
    const enum vks_result result = vks_bands_begin(&ring->bands);
    return result == VKS_OK ? vks_bands_draw(&ring->bands, 0, ring->record, ring->user, &value)
                            : result;
}

static bool is_taken(const struct vks_collage *collage, uint64_t index)
{
    return collage && vks_collage_takes(collage, index);
}

/* The next frame, also for those `sinks`. */
static enum vks_result push_next(struct vks_ring *ring, uint32_t sinks)
{
    const uint64_t index = ring->params.first + ring->offered;
    const struct vks_ring_slot like = {
        .index = index,
        .sinks = vks_ring_sinks_for(ring, index) | sinks,
        .for_digest = ring->params.digest,
        .for_collage = is_taken(ring->params.collage, index),
        .for_thumbnails = is_taken(ring->params.thumbnails, index),
    };
    enum vks_result result =
        vks_ring_slot_planes(ring, &like) ? push(ring, &like) : draw_only(ring);
    ring->offered += result == VKS_OK;
    return result;
}

enum vks_result vks_ring_push(struct vks_ring *ring)
{
    return push_next(ring, 0);
}

enum vks_result vks_ring_push_with(struct vks_ring *ring,
                                   void (*record)(void *user, VkCommandBuffer commands), void *user,
                                   uint64_t *value)
{
    ring->record = record;
    ring->user = user;
    const enum vks_result result = push_next(ring, 0);
    ring->record = NULL;
    *value = ring->gpu->submitted;
    return result;
}

enum vks_result vks_ring_push_end(struct vks_ring *ring)
{
    return push_next(ring, ring->due);
}

enum vks_result vks_ring_drain(struct vks_ring *ring)
{
    uint64_t done = 0;
    unsigned ticks = 0; /* while interrupted, since the last slot was finished */
    vks_phase_begin(VKS_PHASE_WAIT_ENCODER);
    pthread_mutex_lock(&ring->lock);
    while (vks_ring_done_by_all(ring) < ring->pushed) {
        const bool over = wait_tick(ring);
        ticks = done == vks_ring_done_by_all(ring) ? ticks + over : 0;
        done = vks_ring_done_by_all(ring);
        if (!is_interrupted(ring)) {
            ticks = 0;
        } else if (ticks == READER_TIMEOUT) {
            for (size_t i = 0; i < ring->params.sink_count; i++) {
                vks_sink_cancel(ring->params.sinks[i]);
            }
        }
    }
    const enum vks_result result = vks_ring_failure(ring);
    pthread_mutex_unlock(&ring->lock);
    vks_phase_end();
    return result;
}

enum vks_result vks_ring_push_last(struct vks_ring *ring)
{
    enum vks_result result = ring->due ? vks_ring_drain(ring) : VKS_OK;
    if (result == VKS_OK && ring->due) {
        result = push(ring, &(struct vks_ring_slot){.index = ring->params.first + ring->offered,
                                                    .sinks = ring->due});
    }
    return result;
}

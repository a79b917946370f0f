/* SPDX-License-Identifier: MIT */
/* The threads that consume the frames of the ring. */
#include "frames/ring_internal.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/memory.h"
#include "gpu/clock.h"
#include "view/view.h"

unsigned vks_ring_slot_planes(const struct vks_ring *ring, const struct vks_ring_slot *slot)
{
    const bool rgba = slot->for_digest || slot->for_collage || slot->for_thumbnails;
    return vks_ring_sink_planes(ring, slot->sinks) | (rgba ? vks_plane_bit(VKS_PLANE_RGBA) : 0U);
}

uint32_t vks_ring_all_sinks(const struct vks_ring *ring)
{
    return (uint32_t)((UINT64_C(1) << ring->params.sink_count) - 1);
}

unsigned vks_ring_sink_planes(const struct vks_ring *ring, uint32_t sinks)
{
    unsigned planes = 0;
    for (size_t i = 0; i < ring->params.sink_count; i++) {
        planes |= sinks >> i & 1U ? vks_sink_planes(ring->params.sinks[i]) : 0U;
    }
    return planes;
}

uint32_t vks_ring_sinks_for(const struct vks_ring *ring, uint64_t index)
{
    uint32_t sinks = 0;
    for (size_t i = 0; i < ring->params.sink_count; i++) {
        sinks |= (uint32_t)vks_sink_needs_frame(ring->params.sinks[i], index) << i;
    }
    return sinks;
}

uint64_t vks_ring_done_by_all(const struct vks_ring *ring)
{
    uint64_t done = ring->pushed;
    for (size_t i = 0; i < ring->worker_count; i++) {
        done = vks_smaller(done, ring->workers[i].done);
    }
    return done;
}

enum vks_result vks_ring_failure(const struct vks_ring *ring)
{
    return ring->error.result == VKS_OK ? VKS_OK : vks_fail_again(&ring->error);
}

/* --- the threads ----------------------------------------------------------------------------- */

static enum vks_result digest_frame(const struct vks_ring_worker *worker,
                                    const struct vks_ring_slot *slot)
{
    const struct vks_ring *ring = worker->ring;
    const size_t pixels = (size_t)ring->params.width * slot->rows;
    if (!slot->for_digest || slot->survey) {
        return VKS_OK;
    }
    enum vks_result result = vks_buffer_invalidate(ring->gpu, &slot->copies[VKS_PLANE_RGBA]);
    if (result == VKS_OK) {
        vks_rgb_from_rgba(ring->rgb, slot->copies[VKS_PLANE_RGBA].map, pixels);
        vks_digest_update(ring->hash, ring->rgb, pixels * 3);
    }
    return result;
}

static bool is_for_sink(const struct vks_ring_worker *worker, const struct vks_ring_slot *slot)
{
    return slot->sinks >> worker->sink & 1U;
}

/* Passes a frame to the worker's sink; the first worker also to the collage and the thumbnails. */
static enum vks_result encode_frame(const struct vks_ring_worker *worker,
                                    const struct vks_ring_slot *slot)
{
    const struct vks_ring *ring = worker->ring;
    const bool first = worker->sink == 0;
    const bool for_collage = first && slot->for_collage;
    const bool for_thumbnails = first && slot->for_thumbnails;
    if (!is_for_sink(worker, slot) && !for_collage && !for_thumbnails) {
        return VKS_OK;
    }
    struct vks_frame frame = {
        .index = slot->index,
        .step = slot->step,
        .width = ring->params.width,
        .height = ring->params.height,
        .row = slot->row,
        .rows = slot->rows < ring->params.height ? slot->rows : 0,
        .survey = slot->survey,
        .coded_width = ring->coded_width,
        .coded_height = ring->coded_height,
        .value_planes = ring->params.value_planes,
        .extents = ring->extents,
        .time = (double)slot->step,
    };
    if (ring->time) {
        const enum vks_result result = vks_buffer_invalidate(ring->gpu, &slot->time);
        if (result != VKS_OK) {
            return result;
        }
        frame.time = vks_scalar_value(ring->time, 0, slot->time.map);
    }
    for (unsigned i = 0; i < VKS_PLANES; i++) {
        if (!(vks_ring_slot_planes(ring, slot) >> i & 1U)) {
            continue;
        }
        const enum vks_result result = vks_buffer_invalidate(ring->gpu, &slot->copies[i]);
        if (result != VKS_OK) {
            return result;
        }
        frame.planes[i] = slot->copies[i].map;
    }
    enum vks_result result = for_collage ? vks_collage_add(ring->params.collage, &frame) : VKS_OK;
    if (result == VKS_OK && for_thumbnails) {
        result = vks_collage_add(ring->params.thumbnails, &frame);
    }
    if (result == VKS_OK && is_for_sink(worker, slot)) {
        result = vks_sink_write(ring->params.sinks[worker->sink], &frame);
    }
    return result;
}

/* GPU time of the copies of a finished slot, in seconds; 0: unknown. */
static double copy_seconds(const struct vks_ring *ring, const struct vks_ring_slot *slot)
{
    uint64_t ticks[2];
    const uint32_t first = (uint32_t)(2 * (slot - ring->slots));
    if (!vks_gpu_read_ticks(ring->gpu, ring->queries, first, 2, ticks)) {
        return 0;
    }
    if (slot->traced) {
        vks_profile_slice(&(struct vks_slice){.kind = VKS_SLICE_COPY,
                                              .name = "copy",
                                              .begin = ticks[0],
                                              .end = ticks[1],
                                              .step = slot->step,
                                              .frame = slot->index,
                                              .submission = slot->value,
                                              .seen = vks_seconds()});
    }
    return vks_gpu_seconds(ring->gpu, ticks[0], ticks[1]);
}

/* Waits for the copies of a slot and consumes them. */
static enum vks_result work_on(struct vks_ring_worker *worker, const struct vks_ring_slot *slot,
                               double *waited, double *copies)
{
    struct vks_ring *ring = worker->ring;
    const double begin = vks_seconds();
    enum vks_result result = vks_gpu_wait(ring->gpu, slot->value);
    if (result == VKS_OK && slot->timed && worker == &ring->workers[0]) {
        *copies = copy_seconds(ring, slot);
    }
    *waited = vks_seconds() - begin; /* some drivers also wait when timestamps are read */
    if (result == VKS_OK) {
        vks_phase_begin(worker->phase);
        vks_phase_frame(slot->index);
        vks_phase_step(slot->step);
        vks_phase_submission(slot->value);
        result = worker->consume(worker, slot);
        vks_phase_end();
    }
    return result;
}

/* Records that a worker has finished the slot. Call with the lock held. */
static void finish_slot(struct vks_ring_worker *worker, const struct vks_ring_slot *slot,
                        enum vks_result result, bool dropped)
{
    struct vks_ring *ring = worker->ring;
    if (result != VKS_OK && ring->error.result == VKS_OK) {
        vks_error_keep(result, &ring->error);
    }
    worker->done++;
    vks_profile_sample(VKS_COUNTER_RING, (double)(ring->pushed - vks_ring_done_by_all(ring)));
    if (dropped || result != VKS_OK) {
        return;
    }
    const bool last = slot->row + slot->rows == ring->params.height && !slot->survey;
    if (worker->phase == VKS_PHASE_ENCODE && is_for_sink(worker, slot) && last) {
        worker->written++;
        ring->first_frame = ring->first_frame > 0 ? ring->first_frame : vks_seconds();
    }
}

static void *work(void *user)
{
    struct vks_ring_worker *worker = user;
    struct vks_ring *ring = worker->ring;
    vks_profile_attach(worker->profile, worker->name);
    pthread_mutex_lock(&ring->lock);
    for (;;) {
        const double begin = vks_seconds();
        vks_phase_begin(VKS_PHASE_WAIT_FRAME);
        while (!ring->stop && worker->done == ring->pushed) {
            pthread_cond_wait(&ring->changed, &ring->lock);
        }
        vks_phase_end();
        if (ring->stop) {
            break;
        }
        const struct vks_ring_slot *slot = &ring->slots[worker->done % ring->slot_count];
        const bool dropped = ring->error.result != VKS_OK;
        const bool first = worker->done == 0;
        pthread_mutex_unlock(&ring->lock);
        const double woke = vks_seconds();
        double waited = 0, copies = 0;
        enum vks_result result = dropped ? VKS_OK : work_on(worker, slot, &waited, &copies);
        const double end = vks_seconds();
        pthread_mutex_lock(&ring->lock);
        /* The wait for the first frame is start-up, not a stall. */
        worker->waits += first ? 0 : woke - begin + waited;
        worker->busy += end - woke - waited;
        ring->timed_copies += copies;
        ring->timed_count += copies > 0;
        finish_slot(worker, slot, result, dropped);
        pthread_cond_broadcast(&ring->changed);
    }
    pthread_mutex_unlock(&ring->lock);
    vks_profile_detach();
    return NULL;
}

static enum vks_result start_worker(struct vks_ring *ring, const struct vks_ring_worker *params)
{
    struct vks_ring_worker *worker = &ring->workers[ring->worker_count++];
    *worker = *params;
    worker->ring = ring;
    worker->profile = vks_profile_current();
    if (pthread_create(&worker->thread, NULL, work, worker) != 0) {
        return vks_fail(VKS_ERROR_GPU, "cannot start a thread for the encoder");
    }
    worker->running = true;
    return VKS_OK;
}

enum vks_result vks_ring_start_workers(struct vks_ring *ring)
{
    const struct vks_ring_worker digester = {
        .name = "digest", .phase = VKS_PHASE_DIGEST, .consume = digest_frame};
    const size_t sinks = ring->params.sink_count;
    enum vks_result result = VKS_OK;
    for (size_t i = 0; result == VKS_OK && (i == 0 || i < sinks); i++) {
        struct vks_ring_worker encoder = {
            .name = "encoder", .phase = VKS_PHASE_ENCODE, .consume = encode_frame, .sink = i};
        if (sinks > 1) {
            snprintf(encoder.name, sizeof(encoder.name), "encoder %u", (unsigned)(i + 1));
        }
        result = start_worker(ring, &encoder);
    }
    return result == VKS_OK && ring->params.digest ? start_worker(ring, &digester) : result;
}

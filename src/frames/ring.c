/* SPDX-License-Identifier: MIT */
#include "frames/ring.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/memory.h"
#include "view/view.h"

enum {
    MAX_SLOTS = 8,           /* more than two absorb frames that take longer than others */
    SLOT_BUDGET = 256 << 20, /* bytes for all slots; large frames get fewer, at least two */
    TIMED_FRAMES = 16,       /* one in that many: a timestamp is not free */
    GRACE_TICKS = 10,        /* of TICK: how long an interrupted run waits for a reader */
};
static const double TICK = 0.1; /* seconds between looks at the interrupt while waiting */

struct slot {
    struct vks_buffer copies[VKS_PLANES]; /* those that a consumer takes */
    uint64_t value;                   /* of the timeline, when the copies are done */
    uint64_t index;                   /* of the frame */
    uint32_t row, rows;               /* the band of it that is copied */
    bool survey;                      /* the sink sees the band for the first time of two */
    bool for_sink, for_digest, for_collage, timed;
};

struct worker {
    struct vks_ring *ring;
    enum vks_result (*consume)(struct vks_ring *ring, const struct slot *slot);
    pthread_t thread;
    bool running;
    /* Under the ring's lock. */
    uint64_t done; /* slots, also those dropped after a failure */
    double waits, busy;
};
enum { ENCODER, DIGESTER, WORKERS };

struct vks_ring {
    struct vks_gpu *gpu;
    struct vks_graph *graph;
    struct vks_bands bands;
    struct vks_ring_params params;
    unsigned sink_planes;
    uint32_t coded_width, coded_height;
    uint32_t cells[3]; /* of the displayed field, if it is copied */
    struct slot slots[MAX_SLOTS];
    size_t slot_count;
    VkQueryPool queries; /* two a slot: before and after its copies; may be missing */
    uint64_t offered;    /* frames given to push */
    bool last_is_due;    /* the sink waits for its one frame */
    bool within;         /* some bands of a frame are drawn, but not all */
    uint8_t *rgb;        /* one band, for the digest */
    struct vks_digest *hash;
    struct worker workers[WORKERS];
    size_t worker_count;

    pthread_mutex_t lock; /* for all below, and what a worker says */
    pthread_cond_t changed;
    uint64_t pushed;  /* slots filled */
    uint64_t through; /* frames that the sink has taken */
    bool stop;
    enum vks_result result;
    struct vks_error error; /* of `result` */
    double gpu_waits, first_frame;
    double timed_copies; /* seconds */
    uint64_t timed_count, copy_count;
};

/* --- the threads ----------------------------------------------------------------------------- */

static enum vks_result digest_frame(struct vks_ring *ring, const struct slot *slot)
{
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

/* Planes of all who get the slot. */
static unsigned slot_planes(const struct vks_ring *ring, const struct slot *slot)
{
    return (slot->for_sink ? ring->sink_planes : 0U) |
           (slot->for_digest || slot->for_collage ? vks_plane_bit(VKS_PLANE_RGBA) : 0U);
}

/* To the sink and the collage. */
static enum vks_result encode_frame(struct vks_ring *ring, const struct slot *slot)
{
    if (!slot->for_sink && !slot->for_collage) {
        return VKS_OK;
    }
    struct vks_frame frame = {
        .index = slot->index,
        .width = ring->params.width,
        .height = ring->params.height,
        .row = slot->row,
        .rows = slot->rows < ring->params.height ? slot->rows : 0,
        .survey = slot->survey,
        .coded_width = ring->coded_width,
        .coded_height = ring->coded_height,
        .cells = {ring->cells[0], ring->cells[1], ring->cells[2]},
    };
    for (unsigned i = 0; i < VKS_PLANES; i++) {
        if (!(slot_planes(ring, slot) >> i & 1U)) {
            continue;
        }
        const enum vks_result result = vks_buffer_invalidate(ring->gpu, &slot->copies[i]);
        if (result != VKS_OK) {
            return result;
        }
        frame.planes[i] = slot->copies[i].map;
    }
    if (slot->for_collage) {
        vks_collage_add(ring->params.collage, &frame);
    }
    return slot->for_sink ? vks_sink_write(ring->params.sink, &frame) : VKS_OK;
}

/* Seconds that the copies of a slot took; the GPU is done with it. */
static double copy_seconds(const struct vks_ring *ring, const struct slot *slot)
{
    uint64_t ticks[2];
    const uint32_t first = (uint32_t)(2 * (slot - ring->slots));
    if (ring->gpu->vk.vkGetQueryPoolResults(ring->gpu->device, ring->queries, first, 2,
                                            sizeof(ticks), ticks, sizeof(ticks[0]),
                                            VK_QUERY_RESULT_64_BIT) != VK_SUCCESS) {
        return 0;
    }
    return (double)((ticks[1] - ticks[0]) & ring->gpu->timestamp_mask) *
           ring->gpu->timestamp_period;
}

/* One frame of a worker. */
static enum vks_result work_on(struct worker *worker, const struct slot *slot, double *waited,
                               double *copies)
{
    struct vks_ring *ring = worker->ring;
    const double begin = vks_seconds();
    enum vks_result result = vks_gpu_wait(ring->gpu, slot->value);
    *waited = vks_seconds() - begin;
    if (result == VKS_OK && slot->timed && worker == &ring->workers[ENCODER]) {
        *copies = copy_seconds(ring, slot);
    }
    return result == VKS_OK ? worker->consume(ring, slot) : result;
}

/* A worker has finished the slot. Call with the lock held. */
static void settle(struct worker *worker, const struct slot *slot, enum vks_result result,
                   bool dropped)
{
    struct vks_ring *ring = worker->ring;
    if (result != VKS_OK && ring->result == VKS_OK) {
        ring->result = result;
        vks_error_keep(&ring->error);
    }
    worker->done++;
    if (dropped || result != VKS_OK) {
        return;
    }
    const bool last = slot->row + slot->rows == ring->params.height && !slot->survey;
    if (worker == &ring->workers[ENCODER] && slot->for_sink && last) {
        ring->through++;
        ring->first_frame = ring->first_frame > 0 ? ring->first_frame : vks_seconds();
    }
}

static void *work(void *user)
{
    struct worker *worker = user;
    struct vks_ring *ring = worker->ring;
    pthread_mutex_lock(&ring->lock);
    for (;;) {
        const double begin = vks_seconds();
        while (!ring->stop && worker->done == ring->pushed) {
            pthread_cond_wait(&ring->changed, &ring->lock);
        }
        if (ring->stop) {
            break;
        }
        const struct slot *slot = &ring->slots[worker->done % ring->slot_count];
        const bool dropped = ring->result != VKS_OK;
        const bool first = worker->done == 0;
        pthread_mutex_unlock(&ring->lock);
        const double woke = vks_seconds();
        double waited = 0, copies = 0;
        enum vks_result result = dropped ? VKS_OK : work_on(worker, slot, &waited, &copies);
        const double end = vks_seconds();
        pthread_mutex_lock(&ring->lock);
        /* Before the first frame there is nothing to wait for yet. */
        worker->waits += first ? 0 : woke - begin + waited;
        worker->busy += end - woke - waited;
        ring->timed_copies += copies;
        ring->timed_count += copies > 0;
        settle(worker, slot, result, dropped);
        pthread_cond_broadcast(&ring->changed);
    }
    pthread_mutex_unlock(&ring->lock);
    return NULL;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* --- creation -------------------------------------------------------------------------------- */

static unsigned all_planes(const struct vks_ring *ring)
{
    return ring->sink_planes |
           (ring->params.digest || ring->params.collage ? vks_plane_bit(VKS_PLANE_RGBA) : 0U);
}

static uint64_t copy_bytes(const struct vks_ring *ring, size_t plane)
{
    const struct vks_plane_format *format = &vks_plane_formats[plane];
    return format->pixel_bytes
               ? (uint64_t)ring->params.width * ring->bands.rows * format->pixel_bytes
           : format->sample_bytes
               ? (uint64_t)ring->coded_width * ring->coded_height / 2 * 3 * format->sample_bytes
               : (uint64_t)ring->cells[0] * ring->cells[1] * ring->cells[2] * sizeof(float);
}

/* Width, height and depth of the displayed field. */
static void find_cells(struct vks_ring *ring)
{
    const struct vks_declaration *declaration = vks_graph_declaration(ring->graph);
    const int index = vks_find_field(declaration, vks_plane_formats[VKS_PLANE_CELLS].field);
    const struct vks_field *field = index < 0 ? NULL : &declaration->fields[index];
    for (uint32_t axis = 0; field && axis < 3; axis++) {
        ring->cells[axis] =
            axis < field->rank ? (uint32_t)field->shape[field->rank - 1 - axis] : 1;
    }
}

static bool for_sink(const struct vks_ring *ring, uint64_t index)
{
    return ring->params.sink && vks_sink_needs_frame(ring->params.sink, index);
}

static enum vks_result create_slots(struct vks_ring *ring)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < VKS_PLANES; i++) {
        if (!(all_planes(ring) >> i & 1U)) {
            continue;
        }
        if (!vks_graph_buffer(ring->graph, vks_plane_formats[i].field)) {
            return vks_fail(VKS_ERROR_USAGE, "'%s' needs '%s', which this run does not have in one "
                                             "buffer",
                            vks_sink_name(ring->params.sink), vks_plane_formats[i].field);
        }
        bytes += copy_bytes(ring, i);
    }
    /* A sink that does not want the first frame wants only the last. */
    const bool all =
        ring->params.digest || ring->params.collage || for_sink(ring, ring->params.first);
    const uint64_t fit = smaller(MAX_SLOTS, SLOT_BUDGET / bytes);
    const uint64_t frames = all ? ring->params.frames : 1;
    const uint64_t bands = (ring->params.height + ring->bands.rows - 1) / ring->bands.rows;
    ring->slot_count = (size_t)smaller(fit < 2 ? 2 : fit, bands > 1 ? MAX_SLOTS : frames);
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

static enum vks_result start_worker(struct vks_ring *ring,
                                    enum vks_result (*consume)(struct vks_ring *,
                                                               const struct slot *))
{
    struct worker *worker = &ring->workers[ring->worker_count++];
    worker->ring = ring;
    worker->consume = consume;
    if (pthread_create(&worker->thread, NULL, work, worker) != 0) {
        return vks_fail(VKS_ERROR_GPU, "no thread could be started for the encoder");
    }
    worker->running = true;
    return VKS_OK;
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
    ring->sink_planes = params->sink ? vks_sink_planes(params->sink) : 0;
    ring->last_is_due = params->sink && !vks_sink_needs_frame(params->sink, 0);
    vks_coded_size(params->width, params->height, &ring->coded_width, &ring->coded_height);
    find_cells(ring);
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
    }
    if (result == VKS_OK) {
        result = start_worker(ring, encode_frame);
    }
    if (result == VKS_OK && params->digest) {
        result = start_worker(ring, digest_frame);
    }
    if (result != VKS_OK) {
        vks_ring_destroy(ring);
        return result;
    }
    *out = ring;
    return VKS_OK;
}

/* --- waiting --------------------------------------------------------------------------------- */

/* Slots that every worker is done with. Call with the lock held. */
static uint64_t done_by_all(const struct vks_ring *ring)
{
    uint64_t done = ring->pushed;
    for (size_t i = 0; i < ring->worker_count; i++) {
        done = smaller(done, ring->workers[i].done);
    }
    return done;
}

/* The failure of a worker as this thread's. Call with the lock held. */
static enum vks_result failure(const struct vks_ring *ring)
{
    return ring->result == VKS_OK ? VKS_OK : vks_fail_again(ring->result, &ring->error);
}

/* Waits at most a tick for a worker. Returns true if the tick is over. Call with the lock held. */
static bool wait_tick(struct vks_ring *ring)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long)(TICK * 1e9);
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    return pthread_cond_timedwait(&ring->changed, &ring->lock, &until) == ETIMEDOUT;
}

/* A frame that has begun is completed. */
static bool is_interrupted(const struct vks_ring *ring)
{
    return !ring->within && ring->params.interrupted();
}

/* Waits until the GPU has nothing to do or a slot is free: only from then on does the GPU wait for
 * the encoder. */
static enum vks_result wait_for_gpu(struct vks_ring *ring)
{
    enum { LOOK = 200000 }; /* ns */
    const VkSemaphoreWaitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
        .semaphoreCount = 1,
        .pSemaphores = &ring->gpu->timeline,
        .pValues = &ring->gpu->submitted,
    };
    bool busy = !vks_gpu_reached(ring->gpu, ring->gpu->submitted);
    while (busy) {
        pthread_mutex_lock(&ring->lock);
        const bool full = ring->pushed - done_by_all(ring) == ring->slot_count;
        const bool failed = ring->result != VKS_OK;
        pthread_mutex_unlock(&ring->lock);
        if (!full || failed || is_interrupted(ring)) {
            break;
        }
        VkResult waited = ring->gpu->vk.vkWaitSemaphores(ring->gpu->device, &info, LOOK);
        if (waited != VK_SUCCESS && waited != VK_TIMEOUT) {
            return vks_gpu_check(ring->gpu, waited, "vkWaitSemaphores");
        }
        busy = waited == VK_TIMEOUT;
    }
    return VKS_OK;
}

static enum vks_result wait_for_slot(struct vks_ring *ring)
{
    enum vks_result result = wait_for_gpu(ring);
    if (result != VKS_OK) {
        return result;
    }
    const double begin = vks_seconds();
    pthread_mutex_lock(&ring->lock);
    while (result == VKS_OK && ring->result == VKS_OK &&
           ring->pushed - done_by_all(ring) == ring->slot_count) {
        if (is_interrupted(ring)) {
            result = VKS_INTERRUPTED;
        } else {
            (void)wait_tick(ring);
        }
    }
    ring->gpu_waits += vks_seconds() - begin;
    if (result == VKS_OK) {
        result = failure(ring);
    }
    pthread_mutex_unlock(&ring->lock);
    return result;
}

/* --- frames ---------------------------------------------------------------------------------- */

struct recording {
    struct vks_ring *ring;
    const struct slot *slot;
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
static uint64_t rows_above(const struct vks_ring *ring, const struct slot *slot)
{
    const struct vks_declaration *declaration = vks_graph_declaration(ring->graph);
    const int values = vks_find_field(declaration, "values");
    const uint32_t value_rows = (uint32_t)declaration->fields[values].shape[0];
    return slot->row -
           vks_view_first_value(ring->params.height, ring->bands.rows, value_rows, slot->row);
}

static void record_copies(void *user, VkCommandBuffer commands)
{
    const struct recording *recording = user;
    const struct vks_ring *ring = recording->ring;
    const struct slot *slot = recording->slot;
    if (slot->timed) {
        ring->gpu->vk.vkCmdResetQueryPool(commands, ring->queries,
                                          (uint32_t)(2 * (slot - ring->slots)), 2);
    }
    timestamp(recording, commands, 0);
    const unsigned planes = slot_planes(ring, slot);
    for (size_t i = 0; i < VKS_PLANES; i++) {
        const struct vks_plane_format *format = &vks_plane_formats[i];
        const uint64_t row_bytes = (uint64_t)ring->params.width * format->pixel_bytes;
        if (!(planes >> i & 1U)) {
            continue; /* the graph may not have the field */
        }
        const VkBufferCopy region = {
            .srcOffset = i == VKS_PLANE_VALUES ? rows_above(ring, slot) * row_bytes : 0,
            .size = row_bytes ? slot->rows * row_bytes : slot->copies[i].size,
        };
        ring->gpu->vk.vkCmdCopyBuffer(commands, vks_graph_buffer(ring->graph, format->field),
                                      slot->copies[i].buffer, 1, &region);
    }
    timestamp(recording, commands, 1);
}

/* Draws a band and copies it for those of `like` that want it. */
static enum vks_result push_band(struct vks_ring *ring, const struct slot *like)
{
    enum vks_result result = wait_for_slot(ring);
    if (result != VKS_OK) {
        return result;
    }
    struct slot *slot = &ring->slots[ring->pushed % ring->slot_count];
    slot->index = like->index;
    slot->row = like->row;
    slot->rows = like->rows;
    slot->survey = like->survey;
    slot->for_sink = like->for_sink;
    slot->for_digest = like->for_digest;
    slot->for_collage = like->for_collage;
    slot->timed = ring->queries && ring->copy_count++ % TIMED_FRAMES == 0;
    struct recording recording = {ring, slot};
    result = vks_bands_draw(&ring->bands, slot->row, record_copies, &recording, &slot->value);
    if (result == VKS_OK) {
        pthread_mutex_lock(&ring->lock);
        ring->pushed++;
        pthread_cond_broadcast(&ring->changed);
        pthread_mutex_unlock(&ring->lock);
    }
    return result;
}

/* All bands of a picture, from the top. */
static enum vks_result push_bands(struct vks_ring *ring, const struct slot *like, bool survey)
{
    const uint32_t height = ring->params.height;
    enum vks_result result = VKS_OK;
    for (uint64_t row = 0; result == VKS_OK && row < height; row += ring->bands.rows) {
        struct slot band = *like;
        band.row = (uint32_t)row;
        band.rows = (uint32_t)smaller(ring->bands.rows, height - row);
        band.survey = survey;
        result = push_band(ring, &band);
    }
    return result;
}

/* Draws the state and copies it for those of `like` that want it. A picture in bands that may be
 * transparent is drawn twice, because its file's header says whether it is. */
static enum vks_result push(struct vks_ring *ring, const struct slot *like)
{
    enum vks_result result = wait_for_slot(ring);
    if (result == VKS_OK) {
        result = vks_bands_begin(&ring->bands);
    }
    ring->within = ring->bands.rows < ring->params.height;
    if (result == VKS_OK && ring->within && ring->bands.alpha) {
        result = push_bands(ring, like, true);
    }
    if (result == VKS_OK) {
        result = push_bands(ring, like, false);
    }
    ring->within = false;
    ring->last_is_due = ring->last_is_due && !(result == VKS_OK && like->for_sink);
    return result;
}

/* Draws a frame that is not written, but that later frames may depend on. */
static enum vks_result pass_over(const struct vks_ring *ring)
{
    uint64_t value;
    const enum vks_result result = vks_bands_begin(&ring->bands);
    return result == VKS_OK ? vks_bands_draw(&ring->bands, 0, NULL, NULL, &value) : result;
}

enum vks_result vks_ring_push(struct vks_ring *ring)
{
    const uint64_t index = ring->params.first + ring->offered;
    const struct slot like = {
        .index = index,
        .for_sink = for_sink(ring, index),
        .for_digest = ring->params.digest,
        .for_collage = ring->params.collage && vks_collage_takes(ring->params.collage, index),
    };
    enum vks_result result = slot_planes(ring, &like) ? push(ring, &like) : pass_over(ring);
    ring->offered += result == VKS_OK;
    return result;
}

enum vks_result vks_ring_drain(struct vks_ring *ring)
{
    uint64_t done = 0;
    unsigned ticks = 0; /* while interrupted, without a slot that came through */
    pthread_mutex_lock(&ring->lock);
    while (done_by_all(ring) < ring->pushed) {
        const bool over = wait_tick(ring);
        ticks = done == done_by_all(ring) ? ticks + over : 0;
        done = done_by_all(ring);
        if (!is_interrupted(ring)) {
            ticks = 0;
        } else if (ticks == GRACE_TICKS && ring->params.sink) {
            vks_sink_cancel(ring->params.sink);
        }
    }
    const enum vks_result result = failure(ring);
    pthread_mutex_unlock(&ring->lock);
    return result;
}

enum vks_result vks_ring_push_last(struct vks_ring *ring)
{
    enum vks_result result = ring->last_is_due ? vks_ring_drain(ring) : VKS_OK;
    if (result == VKS_OK && ring->last_is_due) {
        result = push(
            ring, &(struct slot){.index = ring->params.first + ring->offered, .for_sink = true});
    }
    return result;
}

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
    /* Copies may still be under way. */
    if (vks_gpu_wait(ring->gpu, ring->gpu->submitted) != VKS_OK) {
        ring->gpu->vk.vkDeviceWaitIdle(ring->gpu->device);
    }
    for (size_t s = 0; s < ring->slot_count; s++) {
        for (size_t i = 0; i < VKS_PLANES; i++) {
            vks_buffer_destroy(ring->gpu, &ring->slots[s].copies[i]);
        }
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
    stats->encoder_waits = ring->workers[ENCODER].waits;
    stats->encoder_busy = ring->workers[ENCODER].busy;
    stats->digest_busy = ring->workers[DIGESTER].busy;
    stats->frames = ring->through;
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

/* SPDX-License-Identifier: MIT */
#include "out/ring.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/memory.h"
#include "out/view.h"

enum { SLOTS = 4 };

struct slot {
    struct vks_buffer rgba, yuv;
    uint64_t value; /* of the timeline, when the copy is done */
};

struct vks_ring {
    struct vks_gpu *gpu;
    struct vks_graph *graph;
    struct vks_ring_params params;
    unsigned wants;
    uint32_t coded_width, coded_height;
    struct slot slots[SLOTS];
    struct slot *recording;
    uint8_t *rgb; /* one frame, for the digest */
    struct vks_digest *hash;

    pthread_t thread;
    bool running;
    pthread_mutex_t lock; /* for all below */
    pthread_cond_t changed;
    uint64_t pushed, done, through; /* done: also those dropped after a failure */
    bool stop;
    enum vks_result result;
    char why[1024];
    double gpu_waits, encoder_waits, first_frame;
};

/* --- the encoder's thread -------------------------------------------------------------------- */

static void digest(struct vks_ring *ring, const uint8_t *rgba)
{
    const size_t pixels = (size_t)ring->params.width * ring->params.height;
    vks_rgb_from_rgba(ring->rgb, rgba, pixels);
    vks_digest_update(ring->hash, ring->rgb, pixels * 3);
}

static enum vks_result consume(struct vks_ring *ring, struct slot *slot, uint64_t index,
                               double *waited)
{
    double begin = vks_seconds();
    enum vks_result result = vks_gpu_wait(ring->gpu, slot->value);
    *waited = vks_seconds() - begin;
    if (result == VKS_OK && slot->rgba.buffer) {
        result = vks_buffer_invalidate(ring->gpu, &slot->rgba);
    }
    if (result == VKS_OK && slot->yuv.buffer) {
        result = vks_buffer_invalidate(ring->gpu, &slot->yuv);
    }
    if (result != VKS_OK) {
        return result;
    }
    if (ring->hash) {
        digest(ring, slot->rgba.map);
    }
    struct vks_frame frame = {
        .index = index,
        .width = ring->params.width,
        .height = ring->params.height,
        .rgba = slot->rgba.map,
        .yuv = slot->yuv.map,
        .coded_width = ring->coded_width,
        .coded_height = ring->coded_height,
    };
    return ring->params.sink ? vks_sink_write(ring->params.sink, &frame) : VKS_OK;
}

static void *work(void *user)
{
    struct vks_ring *ring = user;
    pthread_mutex_lock(&ring->lock);
    for (;;) {
        double begin = vks_seconds();
        while (!ring->stop && ring->done == ring->pushed) {
            pthread_cond_wait(&ring->changed, &ring->lock);
        }
        double waited = vks_seconds() - begin;
        if (ring->stop) {
            break;
        }
        uint64_t index = ring->done;
        bool failed = ring->result != VKS_OK;
        pthread_mutex_unlock(&ring->lock);
        double more = 0;
        enum vks_result result =
            failed ? VKS_OK : consume(ring, &ring->slots[index % SLOTS], index, &more);
        pthread_mutex_lock(&ring->lock);
        /* Before the first frame there is nothing to wait for yet. */
        ring->encoder_waits += index > 0 ? waited + more : 0;
        if (result != VKS_OK) {
            ring->result = result;
            snprintf(ring->why, sizeof(ring->why), "%s", vks_error_text());
        }
        if (ring->done == 0) {
            ring->first_frame = vks_seconds();
        }
        ring->done++;
        ring->through += !failed && result == VKS_OK;
        pthread_cond_broadcast(&ring->changed);
    }
    pthread_mutex_unlock(&ring->lock);
    return NULL;
}

/* --- the ring -------------------------------------------------------------------------------- */

enum vks_result vks_ring_create(struct vks_gpu *gpu, struct vks_graph *graph,
                                const struct vks_ring_params *params, struct vks_ring **out)
{
    struct vks_ring *ring = calloc(1, sizeof(*ring));
    enum vks_result result = VKS_OK;
    if (!ring) {
        return vks_fail_memory();
    }
    ring->gpu = gpu;
    ring->graph = graph;
    ring->params = *params;
    ring->wants = (params->sink ? vks_sink_wants(params->sink) : 0) |
                  (params->digest ? VKS_SINK_WANTS_RGBA : 0);
    vks_coded_size(params->width, params->height, &ring->coded_width, &ring->coded_height);
    pthread_mutex_init(&ring->lock, NULL);
    pthread_cond_init(&ring->changed, NULL);
    const uint64_t pixels = (uint64_t)params->width * params->height;
    const uint64_t coded = (uint64_t)ring->coded_width * ring->coded_height;
    for (int i = 0; i < SLOTS && result == VKS_OK; i++) {
        if (ring->wants & VKS_SINK_WANTS_RGBA) {
            result = vks_buffer_create(gpu, &ring->slots[i].rgba, pixels * 4, VKS_MEMORY_READBACK,
                                       "a frame's copy");
        }
        if (result == VKS_OK && (ring->wants & VKS_SINK_WANTS_YUV)) {
            result = vks_buffer_create(gpu, &ring->slots[i].yuv, coded / 2 * 3, VKS_MEMORY_READBACK,
                                       "a frame's copy");
        }
    }
    if (result == VKS_OK && params->digest) {
        ring->rgb = malloc(pixels * 3);
        ring->hash = vks_digest_create();
        if (!ring->rgb || !ring->hash) {
            result = vks_fail_memory();
        }
    }
    if (result == VKS_OK && pthread_create(&ring->thread, NULL, work, ring) != 0) {
        result = vks_fail(VKS_ERROR_GPU, "no thread could be started for the encoder");
    }
    if (result != VKS_OK) {
        vks_ring_destroy(ring);
        return result;
    }
    ring->running = true;
    *out = ring;
    return VKS_OK;
}

static void record_copies(void *user, VkCommandBuffer commands)
{
    struct vks_ring *ring = user;
    const struct slot *slot = ring->recording;
    VkBufferCopy region = {.size = slot->rgba.size};
    if (slot->rgba.buffer) {
        ring->gpu->vk.vkCmdCopyBuffer(commands, vks_graph_buffer(ring->graph, "picture"),
                                      slot->rgba.buffer, 1, &region);
    }
    region.size = slot->yuv.size;
    if (slot->yuv.buffer) {
        ring->gpu->vk.vkCmdCopyBuffer(commands, vks_graph_buffer(ring->graph, "planes"),
                                      slot->yuv.buffer, 1, &region);
    }
}

/* The encoder's failure as this thread's. Call with the lock held. */
static enum vks_result failure(struct vks_ring *ring)
{
    return ring->result == VKS_OK ? VKS_OK : vks_fail(ring->result, "%s", ring->why);
}

enum vks_result vks_ring_push(struct vks_ring *ring)
{
    double begin = vks_seconds();
    pthread_mutex_lock(&ring->lock);
    while (ring->result == VKS_OK && ring->pushed - ring->done == SLOTS) {
        pthread_cond_wait(&ring->changed, &ring->lock);
    }
    ring->gpu_waits += vks_seconds() - begin;
    enum vks_result result = failure(ring);
    ring->recording = &ring->slots[ring->pushed % SLOTS];
    pthread_mutex_unlock(&ring->lock);
    if (result == VKS_OK) {
        result = vks_graph_frame(ring->graph, record_copies, ring, VK_NULL_HANDLE, VK_NULL_HANDLE,
                                 &ring->recording->value);
    }
    if (result == VKS_OK) {
        pthread_mutex_lock(&ring->lock);
        ring->pushed++;
        pthread_cond_broadcast(&ring->changed);
        pthread_mutex_unlock(&ring->lock);
    }
    return result;
}

enum vks_result vks_ring_drain(struct vks_ring *ring)
{
    pthread_mutex_lock(&ring->lock);
    while (ring->done < ring->pushed) {
        pthread_cond_wait(&ring->changed, &ring->lock);
    }
    enum vks_result result = failure(ring);
    pthread_mutex_unlock(&ring->lock);
    return result;
}

void vks_ring_destroy(struct vks_ring *ring)
{
    if (!ring) {
        return;
    }
    if (ring->running) {
        pthread_mutex_lock(&ring->lock);
        ring->stop = true;
        pthread_cond_broadcast(&ring->changed);
        pthread_mutex_unlock(&ring->lock);
        pthread_join(ring->thread, NULL);
    }
    /* Copies may still be under way. */
    if (vks_gpu_wait(ring->gpu, ring->gpu->submitted) != VKS_OK) {
        ring->gpu->vk.vkDeviceWaitIdle(ring->gpu->device);
    }
    for (int i = 0; i < SLOTS; i++) {
        vks_buffer_destroy(ring->gpu, &ring->slots[i].rgba);
        vks_buffer_destroy(ring->gpu, &ring->slots[i].yuv);
    }
    vks_digest_destroy(ring->hash);
    free(ring->rgb);
    pthread_cond_destroy(&ring->changed);
    pthread_mutex_destroy(&ring->lock);
    free(ring);
}

void vks_ring_stats(struct vks_ring *ring, struct vks_ring_stats *stats)
{
    pthread_mutex_lock(&ring->lock);
    *stats = (struct vks_ring_stats){ring->through, ring->gpu_waits, ring->encoder_waits,
                                     ring->first_frame};
    pthread_mutex_unlock(&ring->lock);
}

void vks_ring_digest(struct vks_ring *ring, char hex[33])
{
    vks_digest_hex(ring->hash, hex);
}

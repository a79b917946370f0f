/* SPDX-License-Identifier: MIT */
/* Shared by the files of the ring: ring.c creates it, ring_push.c fills its slots, ring_workers.c
 * consumes them. */
#ifndef VKS_FRAMES_RING_INTERNAL_H
#define VKS_FRAMES_RING_INTERNAL_H

#include <pthread.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/profile.h"
#include "frames/ring.h"

enum {
    VKS_RING_SLOTS = 8, /* more than two absorb variation in the time per frame */
};

struct vks_ring_slot {
    struct vks_buffer copies[VKS_PLANES]; /* those that a consumer needs */
    uint64_t value;                       /* timeline value when the copies are complete */
    uint64_t index;                       /* of the frame */
    uint64_t step;                        /* that it shows */
    struct vks_buffer time;               /* a copy of the ring's; without a buffer: none */
    uint32_t row, rows;                   /* the band that is copied */
    bool survey;                          /* the first of two passes over the bands */
    uint32_t sinks;                       /* those that it is for: bit i is sink i */
    bool for_digest, for_collage, for_thumbnails;
    bool timed, traced; /* has timestamps; becomes a slice of the profile */
};

struct vks_ring_worker {
    struct vks_ring *ring;
    char name[16];               /* of the thread */
    size_t sink;                 /* index of an encoder's */
    enum vks_phase phase;        /* while it consumes */
    struct vks_profile *profile; /* of the thread that created the ring */
    enum vks_result (*consume)(const struct vks_ring_worker *worker,
                               const struct vks_ring_slot *slot);
    pthread_t thread;
    bool running;
    /* Under the ring's lock. */
    uint64_t done;    /* slots finished, including those dropped after a failure */
    uint64_t written; /* frames that an encoder's sink has taken */
    double waits, busy;
};

struct vks_ring {
    struct vks_gpu *gpu;
    struct vks_graph *graph;
    struct vks_bands bands;
    struct vks_ring_params params; /* its `sinks` are `sinks` */
    struct vks_sink *sinks[VKS_RING_SINKS];
    uint32_t coded_width, coded_height;
    struct vks_extents extents;   /* of the planes that are copied */
    const struct vks_field *time; /* the watched field "time", if files have the time; or NULL */
    struct vks_ring_slot slots[VKS_RING_SLOTS];
    size_t slot_count;
    VkQueryPool queries; /* two per slot: before and after its copies; may be null */
    uint64_t offered;    /* frames pushed, with or without a consumer */
    uint32_t due;        /* sinks that still need their only frame */
    bool within_frame;   /* some bands of a frame are drawn, but not all */
    /* Adds the caller's commands to the frame that is being pushed; NULL: none. */
    void (*record)(void *user, VkCommandBuffer commands);
    void *user;
    uint8_t *rgb; /* one band, for the digest */
    struct vks_digest *hash;
    /* The encoders come first: one per sink, at least one. The first also serves the collage and
     * the thumbnails. */
    struct vks_ring_worker workers[VKS_RING_SINKS + 1];
    size_t worker_count;

    pthread_mutex_t lock; /* for all members below, and what workers report */
    pthread_cond_t changed;
    uint64_t pushed; /* slots filled */
    bool stop;
    struct vks_error error; /* the first failure of a worker */
    double gpu_waits, first_frame;
    double timed_copies; /* seconds */
    uint64_t timed_count, copy_count;
};

static inline uint64_t vks_smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Starts the threads that wait for the copies of each slot and hand it to their consumers. */
enum vks_result vks_ring_start_workers(struct vks_ring *ring);
/* The planes that a slot's consumers need. */
unsigned vks_ring_slot_planes(const struct vks_ring *ring, const struct vks_ring_slot *slot);
/* The planes that the sinks of a set need. */
unsigned vks_ring_sink_planes(const struct vks_ring *ring, uint32_t sinks);
/* The sinks that need that frame. */
uint32_t vks_ring_sinks_for(const struct vks_ring *ring, uint64_t index);
/* All sinks. */
uint32_t vks_ring_all_sinks(const struct vks_ring *ring);
/* Slots that all workers have finished. Call with the lock held. */
uint64_t vks_ring_done_by_all(const struct vks_ring *ring);
/* Raises the failure of a worker on this thread. Call with the lock held. */
enum vks_result vks_ring_failure(const struct vks_ring *ring);

#endif

/* SPDX-License-Identifier: MIT */
/* The pipeline of frames from the GPU to the sinks: slots of host-cached memory that the GPU copies
 * into, one thread per sink that waits for each copy and encodes it, and one that computes digests.
 * The GPU, the copies and the threads overlap; the faster side waits for the slower one, and the
 * waits are measured. */
#ifndef VKS_FRAMES_RING_H
#define VKS_FRAMES_RING_H

#include "base/digest.h"
#include "view/bands.h"
#include "frames/collage.h"
#include "frames/sink.h"

enum { VKS_RING_SINKS = 32 }; /* maximum number of sinks */

struct vks_ring_params {
    uint32_t width, height;
    uint32_t value_planes;         /* of VKS_PLANE_VALUES; 0: one */
    struct vks_sink *const *sinks; /* each gets its own thread */
    size_t sink_count;             /* at most VKS_RING_SINKS; 0: none */
    /* Each takes the frames that it needs; NULL: none. No frame is drawn only for thumbnails. */
    struct vks_collage *collage, *thumbnails;
    const char *digested;      /* vks_ring_digest_state() of an earlier process; NULL: none */
    bool digest;               /* XXH3-128 of all RGB24 frames, including those no sink takes */
    uint64_t first, frames;    /* number of the first frame pushed, and maximum number of frames */
    bool (*interrupted)(void); /* whether the user has asked to stop */
};

struct vks_ring;

/* Copies the fields of view/planes.h from the bands' graph: RGBA for digests and the collage, and
 * the planes that the sinks need. Pictures of several bands require sinks that accept them, and
 * no collage or thumbnails. The caller keeps the sinks and must not use them while the ring lives.
 */
enum vks_result vks_ring_create(struct vks_gpu *gpu, const struct vks_bands *bands,
                                const struct vks_ring_params *params, struct vks_ring **ring);
/* Draws the current state and copies it into the next slot if there is a consumer; waits while all
 * slots are in use. Returns the failure of the encoder, or VKS_INTERRUPTED when interrupted while
 * waiting; the frame is not drawn then. */
enum vks_result vks_ring_push(struct vks_ring *ring);
/* The same, with the commands that `record` adds to the submission, such as one more copy of the
 * picture. *value: the timeline value of its completion. Not for pictures in bands. */
enum vks_result vks_ring_push_with(struct vks_ring *ring,
                                   void (*record)(void *user, VkCommandBuffer commands), void *user,
                                   uint64_t *value);
/* The same with the last frame of a run that may end before `frames`: it is also for the sinks that
 * need only the last. */
enum vks_result vks_ring_push_end(struct vks_ring *ring);
/* If sinks that need only the last frame have had none, because the run ended early, pushes the
 * current state to them. */
enum vks_result vks_ring_push_last(struct vks_ring *ring);
/* Waits until all frames have been consumed. Returns the failure of the encoder. Once interrupted,
 * does not wait for a stalled reader of standard output: VKS_INTERRUPTED. */
enum vks_result vks_ring_drain(struct vks_ring *ring);
/* Stops the threads (pending frames are dropped if not drained) and frees; NULL is fine. */
void vks_ring_destroy(struct vks_ring *ring);

struct vks_ring_stats {
    uint64_t frames;      /* written to the sink that took the most */
    double gpu_waits;     /* seconds that push waited for a slot while the GPU was idle */
    double encoder_waits; /* seconds that the thread of the busiest sink waited for the GPU */
    double encoder_busy;  /* seconds that it spent in the sink */
    double digest_busy;   /* seconds that the digest's thread was busy */
    double copies;      /* seconds of GPU time for copies (extrapolated from samples); 0: unknown */
    double first_frame; /* vks_seconds() when the first frame had been written, 0 before */
};
/* After vks_ring_drain(). */
void vks_ring_stats(struct vks_ring *ring, struct vks_ring_stats *stats);
/* The digest of the frames so far, 32 hex digits. After vks_ring_drain(). */
void vks_ring_digest(struct vks_ring *ring, char hex[33]);
/* The same as text from which a later process continues it. */
void vks_ring_digest_state(const struct vks_ring *ring, char text[VKS_DIGEST_STATE_CHARS + 1]);

#endif

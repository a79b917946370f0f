/* SPDX-License-Identifier: MIT */
/* Frames on their way from the GPU to a sink: slots of host-cached memory that the GPU copies into,
 * a thread that waits for each copy and encodes, and another that digests. The GPU, the copies and
 * the threads overlap; whoever is slower makes the other wait, and the waits are counted. */
#ifndef VKS_FRAMES_RING_H
#define VKS_FRAMES_RING_H

#include "view/bands.h"
#include "frames/collage.h"
#include "frames/sink.h"

struct vks_ring_params {
    uint32_t width, height;
    struct vks_sink *sink;       /* NULL: none */
    struct vks_collage *collage; /* takes the frames that it chooses; NULL: none */
    bool digest;               /* XXH3-128 over RGB24 frames, also those that the sink leaves out */
    uint64_t first, frames;    /* number of the first frame pushed, and how many come at most */
    bool (*interrupted)(void); /* the user wants to end */
};

struct vks_ring;

/* Copies come from the fields of view/planes.h in the bands' graph: RGBA for digests and the
 * collage, and the planes that the sink takes. Pictures of several bands are only for a sink that
 * takes them, and not for a collage. The sink stays the caller's and must not be touched while the
 * ring lives. */
enum vks_result vks_ring_create(struct vks_gpu *gpu, const struct vks_bands *bands,
                                const struct vks_ring_params *params, struct vks_ring **ring);
/* Draws the state as it is, and copies it into the next slot if someone wants it; waits while all
 * slots are taken. Returns the failure of the encoder when it has failed, and VKS_INTERRUPTED when
 * the user wants to end while it waits: the frame was not drawn then. */
enum vks_result vks_ring_push(struct vks_ring *ring);
/* Gives a sink that wants only the last frame the state as it is, if it has had none: a run may end
 * before its last frame. */
enum vks_result vks_ring_push_last(struct vks_ring *ring);
/* Waits until every frame is through. Returns the failure of the encoder. Once interrupted, a
 * reader of standard output that takes no data is not waited for: VKS_INTERRUPTED. */
enum vks_result vks_ring_drain(struct vks_ring *ring);
/* Ends the threads (frames on their way are dropped if not drained) and frees; NULL is fine. */
void vks_ring_destroy(struct vks_ring *ring);

struct vks_ring_stats {
    uint64_t frames;      /* that went through the sink */
    double gpu_waits;     /* seconds push waited for a slot while the GPU had nothing to do */
    double encoder_waits; /* seconds the encoder's thread waited for the GPU */
    double encoder_busy;  /* seconds it was in the sink */
    double digest_busy;   /* seconds the digest's thread worked */
    double copies;        /* seconds the GPU took for copies (from those timed); 0: unknown */
    double first_frame;   /* vks_seconds() when the first frame was through, 0 before */
};
/* After vks_ring_drain(). */
void vks_ring_stats(struct vks_ring *ring, struct vks_ring_stats *stats);
/* The digest of the frames so far, 32 hex digits. After vks_ring_drain(). */
void vks_ring_digest(struct vks_ring *ring, char hex[33]);

#endif

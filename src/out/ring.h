/* SPDX-License-Identifier: MIT */
/* Frames on their way from the GPU to a sink: slots of host-cached memory that the GPU copies into
 * and a thread of its own that waits for each copy, digests and encodes. The GPU, the copies and
 * the encoder overlap; whoever is slower makes the other wait, and the waits are counted. */
#ifndef VKS_OUT_RING_H
#define VKS_OUT_RING_H

#include "graph/graph.h"
#include "out/sink.h"

struct vks_ring_params {
    uint32_t width, height;
    struct vks_sink *sink; /* NULL: frames are only digested */
    bool digest;           /* XXH3-128 over RGB24 frames */
};

struct vks_ring;

/* Copies come from the graph's fields "picture" and, if the sink wants them, "planes". The sink
 * stays the caller's and must not be touched while the ring lives. */
enum vks_result vks_ring_create(struct vks_gpu *gpu, struct vks_graph *graph,
                                const struct vks_ring_params *params, struct vks_ring **ring);
/* Draws the state as it is into the next slot; waits while all slots are taken. Returns the
 * encoder's failure when it has failed. */
enum vks_result vks_ring_push(struct vks_ring *ring);
/* Waits until every frame is through. Returns the encoder's failure. */
enum vks_result vks_ring_drain(struct vks_ring *ring);
/* Ends the thread (frames on their way are dropped if not drained) and frees; NULL is fine. */
void vks_ring_destroy(struct vks_ring *ring);

struct vks_ring_stats {
    uint64_t frames;      /* that went through */
    double gpu_waits;     /* seconds push waited for a slot */
    double encoder_waits; /* seconds the thread waited for the GPU */
    double first_frame;   /* vks_seconds() when the first frame was through, 0 before */
};
void vks_ring_stats(struct vks_ring *ring, struct vks_ring_stats *stats);
/* The digest of the frames so far, 32 hex digits. After vks_ring_drain(). */
void vks_ring_digest(struct vks_ring *ring, char hex[33]);

#endif

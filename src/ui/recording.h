/* SPDX-License-Identifier: MIT */
/* A video of a run in the window: the pictures that it presents, through the ring and the sinks of
 * runs without a window. Where encoding is slower, presenting waits, so no frame is lost. */
#ifndef VKS_UI_RECORDING_H
#define VKS_UI_RECORDING_H

#include "frames/ring.h"
#include "runs/grid.h"

enum { VKS_RECORDING_FPS = 60, VKS_LOOP_FADE = 60 };

/* Zeroed: nothing is recorded. */
struct vks_recording {
    struct vks_grid *grid; /* NULL: nothing is recorded */
    struct vks_sink *sink;
    struct vks_ring *ring;
    char *scene;     /* that the video was opened with */
    uint64_t frames; /* so far: the caller counts those that it has pushed */
    uint64_t steps;  /* of the run until the last of them, the caller's */
    bool loops;      /* its last VKS_LOOP_FADE frames fade into the first ones (frames/loop.h) */
};

/* Starts a video with that name, which must not exist, of an open grid. Its pictures get the planes
 * of videos, so they have to be drawn again, also after a failure and at the end. Takes `scene`, as
 * in struct vks_origin. VKS_ERROR_USAGE or VKS_ERROR_FILE if there can be no such video: a grid of
 * several runs, a transparent background, a missing encoder. */
enum vks_result vks_recording_begin(struct vks_recording *recording, struct vks_gpu *gpu,
                                    struct vks_grid *grid, const char *name, bool loops,
                                    char *scene);
/* The frames that the file has, if it ends now. */
uint64_t vks_recording_length(const struct vks_recording *recording);
/* Completes the file, whose run is now that of this scene (NULL: removes it), and zeroes the
 * structure also after a failure. The grid must still be open. */
enum vks_result vks_recording_end(struct vks_recording *recording, const char *scene);

#endif

/* SPDX-License-Identifier: MIT */
/* Where finished frames go: a video file, an animation, stills, arrays or a stream. A sink is used
 * by one thread at a time, but for vks_sink_cancel(); it never touches the
 * GPU. Files are written beside their final name (NAME.part-PID in the same folder) and renamed
 * when whole, so nothing on disk is lost by a failure. */
#ifndef VKS_FRAMES_SINK_H
#define VKS_FRAMES_SINK_H

#include <stdbool.h>
#include <stdint.h>

#include <vksim/result.h>

#include "frames/encoder.h"
#include "view/planes.h"

struct vks_frame {
    uint64_t index;
    uint32_t width, height; /* of the picture */
    /* A large picture comes in bands, from the top: here are `rows` rows from row `row` on. 0: all.
     * If it may have transparent pixels every band comes twice, first all of them as a survey. */
    uint32_t row, rows;
    bool survey;
    /* At least those that the sink takes; NULL: not made. Rows from the top, no padding. */
    const void *planes[VKS_PLANES];
    /* YUV planes follow one another: Y with `coded_width` x `coded_height` samples, then U and V
     * with a quarter each. A colour sample is the mean of its 2 x 2 pixels, so it is in their
     * middle (files say so). The coded size is the size rounded up (width to a multiple of 8,
     * height of 2), the last column and row repeated. */
    uint32_t coded_width, coded_height;
    uint32_t cells[3]; /* of VKS_PLANE_CELLS: width, height, depth */
};

struct vks_sink_params {
    const char *path;       /* its extension chooses the format (frames/format.h) */
    uint32_t width, height; /* of every frame */
    uint32_t fps;
    uint64_t frames; /* expected, 0 if unknown: a .png without %d keeps only the last, a .npy of
                      * one has no axis of frames */
    bool overwrite;  /* an existing file may be replaced */
    uint32_t depth;  /* bits per channel, one that the format has; 0: its default */
    bool alpha;      /* every .png has an alpha channel; else those that are not opaque */
    enum vks_encoder encoder; /* of a video */
    bool has_crf;             /* a video's `crf` counts, not the encoder's default */
    uint32_t crf;             /* constant quality, less is better */
    const char *field; /* name of the displayed field, for formats that name it; not NULL there */
    /* Frame i shows step first_step + i x steps_per_frame; for formats that say so. */
    uint64_t first_step, steps_per_frame;
};

struct vks_sink;

/* Checks the path and opens the encoder. Nothing is created under the final name yet. Failures:
 * VKS_ERROR_USAGE (unknown extension: lists the known; bad %d pattern; what this kind of file
 * cannot hold: encoder, quality, depth, size), VKS_ERROR_FILE (folder missing, not a folder,
 * read-only; a folder as output; file exists and no `overwrite`; encoder missing). The name
 * of a still may hold a number (frames/numbered.h): a file per frame, numbered from 0. What
 * is not as asked (an odd side padded, a rate that a .gif cannot have) is told with the first
 * frame. The caller ignores SIGPIPE and SIGXFSZ, which would end the process before the sink can
 * say why. */
enum vks_result vks_sink_open(const struct vks_sink_params *params, struct vks_sink **sink);
unsigned vks_sink_planes(const struct vks_sink *sink); /* that it takes of every frame */
/* Whether the sink needs frame `index`: a single still needs only its last. */
bool vks_sink_needs_frame(const struct vks_sink *sink, uint64_t index);
/* Whether the sink of a file with that name takes pictures in bands: a single .png or .npy does. */
bool vks_sink_takes_bands(const char *path);
/* The frame's memory is free to change after the call. A failure, which may be that of an earlier
 * frame, sticks: later calls and finish return it again. */
enum vks_result vks_sink_write(struct vks_sink *sink, const struct vks_frame *frame);
/* Ends the file and gives it its name; also after fewer frames than expected (Ctrl-C): it plays up
 * to there. On failure (disk full) the partial file is removed; stills of a sequence that were
 * whole stay. Without a single frame there is no file, and that is a failure (VKS_ERROR_FILE).
 * Frees the sink either way. */
enum vks_result vks_sink_finish(struct vks_sink *sink);
/* Removes what was written, numbered stills too, and frees the sink. NULL is fine. */
void vks_sink_abort(struct vks_sink *sink);
/* From any thread: a write that waits for the reader of a pipe gives up with VKS_INTERRUPTED. All
 * else goes on. */
void vks_sink_cancel(struct vks_sink *sink);
/* What to tell the user: the final file name, or the pattern. Valid while the sink lives. */
const char *vks_sink_name(const struct vks_sink *sink);

/* One PNG from RGBA8 rows, for stills; the same care with names. It has an alpha channel if a pixel
 * is not opaque. */
enum vks_result vks_write_png(const char *path, const uint8_t *rgba, uint32_t width,
                              uint32_t height, bool overwrite);
#endif

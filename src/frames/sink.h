/* SPDX-License-Identifier: MIT */
/* Outputs of frames: a video, an animation, stills, arrays or a stream. Except for
 * vks_sink_cancel() and vks_sink_needs_frame(), a sink is used by one thread at a time; it never
 * uses the GPU. Files are written as NAME.part-PID in the same folder and renamed when complete, so
 * a failure destroys no existing file. What a later process can continue is NAME.part, and of a
 * video the folder NAME.parts. */
#ifndef VKS_FRAMES_SINK_H
#define VKS_FRAMES_SINK_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include <vksim/result.h>

#include "frames/encoder.h"
#include "frames/rate.h"
#include "frames/terrain.h"
#include "view/planes.h"

struct vks_frame {
    uint64_t index;
    uint64_t step;          /* that the frame shows */
    double time;            /* the simulation's: its scalar of that name, else the step */
    uint32_t width, height; /* of the picture */
    /* A large picture is passed in bands from the top, each with `rows` rows starting at `row`; 0:
     * the whole picture. If it may be transparent, all bands are passed twice, first as a survey.
     */
    uint32_t row, rows;
    bool survey;
    /* At least those that the sink needs; NULL: not made. Rows from the top, no padding. */
    const void *planes[VKS_PLANES];
    /* YUV planes are contiguous: Y with `coded_width` x `coded_height` samples, then U and V
     * with a quarter each. A chroma sample is the mean of its 2 x 2 pixels, so it is sited at their
     * centre (files say so). The coded size is the size rounded up (width to a multiple of 8,
     * height to a multiple of 2), with the last column and row repeated. */
    uint32_t coded_width, coded_height;
    uint32_t value_planes;      /* of VKS_PLANE_VALUES, one after the other; 0: one */
    struct vks_extents extents; /* of VKS_PLANE_CELLS and VKS_PLANE_ITEMS */
};

/* The run that a file comes from, which pictures and videos hold as text. */
struct vks_origin {
    const char *scene;      /* a JSON object with its options but no length; NULL: unknown */
    uint64_t first_step;    /* of the state that it started from */
    uint64_t steps, frames; /* its length; UINT64_MAX: until its end-time */
    bool by_frames; /* the scene's length is in frames, because simulations differ in their steps */
};

struct vks_sink_params {
    const char *path;       /* its extension chooses the format (frames/format.h) */
    uint32_t width, height; /* of every frame */
    struct vks_rate fps;
    uint64_t frames; /* expected, 0 if unknown: a .png without %d holds only the last; a .npy of one
                      * frame has no frame axis */
    bool overwrite;  /* an existing file may be replaced */
    uint32_t depth;  /* bits per channel, supported by the format; 0: its default */
    bool alpha;      /* always write an alpha channel to .png; else only if a pixel is not opaque */
    enum vks_encoder encoder; /* of a video */
    bool has_crf;             /* use `crf`, not the encoder's default */
    uint32_t crf;             /* constant rate factor of a video; lower is better */
    uint32_t fade; /* frames of a video's end that fade into its beginning (frames/loop.h); 0: it
                    * is no loop */
    uint32_t value_planes; /* of every frame; 0: one */
    const char *field;     /* name of the displayed field; not NULL for formats that store it */
    struct vks_terrain terrain; /* of formats of heights */
    /* Of formats of fields and items: the arrays, by name, and the grid: its
     * width, height and depth, the length of a cell, and the place of the first cell's value. */
    struct vks_exports cells, items;
    uint32_t grid[3];
    double spacing, first_place;
    struct vks_origin origin; /* its scene outlives the sink */
    /* The run may end without finish, and a later process continue from a position that
     * vks_sink_hold() gave. */
    bool continuable;
    /* Such a position of an earlier process, which outlives vks_sink_start(); NULL: a new file. */
    const json_t *resume;
};

struct vks_sink;

/* Checks the path and the params. Nothing is created under the final name yet. Failures:
 * VKS_ERROR_USAGE (unknown extension, which lists the known ones; bad %d pattern; an encoder,
 * quality, depth or size that the format does not support), VKS_ERROR_FILE (folder missing, not a
 * folder, read-only; a folder as output), VKS_ERROR_EXISTS (file exists and no `overwrite`). The
 * name of a still may hold a number (frames/numbered.h): one file per frame, numbered from 0.
 * Deviations from the params (an odd side padded, a rate that a .gif cannot have) are reported with
 * the first frame. With `continuable`, VKS_ERROR_USAGE for standard output and for loops. With
 * `resume`, the sink has the frames up to the position, what was written after it is lost, and
 * indices of frames go on; VKS_ERROR_FILE if files of the position are missing or have been
 * changed, or if they were begun with other params. The caller must ignore SIGPIPE and SIGXFSZ,
 * which would kill the process before the sink can report the error. */
enum vks_result vks_sink_open(const struct vks_sink_params *params, struct vks_sink **sink);
/* Loads libraries and opens the encoder, which takes a while; once, before the first frame.
 * VKS_ERROR_FILE: libav or the encoder is missing; VKS_ERROR_USAGE: the encoder that is there does
 * not support the size or quality, or standard output is a terminal. */
enum vks_result vks_sink_start(struct vks_sink *sink);
unsigned vks_sink_planes(const struct vks_sink *sink); /* needed of every frame */
/* Loads the libraries that vks_sink_start() would load for a file of that name; from any thread.
 * Failures are reported by vks_sink_start(). */
void vks_sink_load(const char *path);
/* Whether the sink needs frame `index`: a single still needs only the last. */
bool vks_sink_needs_frame(const struct vks_sink *sink, uint64_t index);
/* Whether a file of that name is a single still, which shows the last frame. */
bool vks_sink_shows_end(const char *path);
/* Whether the sink of a file with that name accepts pictures in bands: a single .png or .npy does.
 */
bool vks_sink_takes_bands(const char *path);
/* The bytes that the frames to come will at least take on the disk; 0: not known before. */
double vks_sink_bytes(const struct vks_sink *sink);
/* The frame's memory may be reused after the call. A failure may be that of an earlier frame. It is
 * sticky: later calls and finish return it again. */
enum vks_result vks_sink_write(struct vks_sink *sink, const struct vks_frame *frame);
/* Between two frames, after start, of a `continuable` sink: waits until all frames so far are on
 * the disk. *position, to be released by the caller, is a JSON object from which a later process
 * can continue: "path", "frames" and members of the format. It stays valid after later frames,
 * holds, finish, abort and a crash, until vks_sink_forget(). A still of the last frame has no
 * frames yet: a process that continues must draw one. */
enum vks_result vks_sink_hold(struct vks_sink *sink, json_t **position);
/* Removes what is kept for later processes, other than the output, once no sink of that path is
 * open and no position is needed any more. */
void vks_sink_forget(const char *path);
/* Before finish: the run has become another than the params said, because events have been added.
 * Only an .mp4 that is not continuable still takes the new scene; for others it does nothing. */
enum vks_result vks_sink_set_origin(struct vks_sink *sink, const struct vks_origin *origin);
/* Completes the file and renames it to its final name. After fewer frames than expected (Ctrl-C) a
 * video is playable up to the last one. On failure (disk full) the partial file is removed;
 * completed stills of a sequence are kept. Without a single frame no file is written, which is a
 * failure (VKS_ERROR_FILE). Frees the sink either way. */
enum vks_result vks_sink_finish(struct vks_sink *sink);
/* The run ended early: finish will not replace an existing file, and writes NAME.partial.EXT next
 * to it; vks_sink_name() is then that name. Numbered stills are complete, each of them. */
enum vks_result vks_sink_keep_old(struct vks_sink *sink);
/* Removes all files written, numbered stills too, except what a position describes, and frees the
 * sink. NULL is fine. */
void vks_sink_abort(struct vks_sink *sink);
/* From any thread: a write that waits for the reader of a pipe fails with VKS_INTERRUPTED. Other
 * writes continue. */
void vks_sink_cancel(struct vks_sink *sink);
/* The name for messages: the final file name or the pattern. Valid while the sink lives. */
const char *vks_sink_name(const struct vks_sink *sink);
bool vks_sink_is_stream(const struct vks_sink *sink);  /* it writes to standard output */
uint64_t vks_sink_frames(const struct vks_sink *sink); /* written so far, without failure */

/* The scene of the run's first steps and frames, as a heap string; NULL when memory ran out. */
char *vks_origin_scene(const struct vks_origin *origin, uint64_t steps, uint64_t frames);

/* Writes RGBA8 rows as a PNG, through a part file like a sink. It has an alpha channel if a pixel
 * is not opaque. It is the last picture of `origin` (NULL: unknown). */
enum vks_result vks_write_png(const char *path, const uint8_t *rgba, uint32_t width,
                              uint32_t height, const struct vks_origin *origin, bool overwrite);
/* Whether files with that extension hold the scene of their run. */
bool vks_sink_holds_scene(const char *path);
/* Reads it from such a file, a heap string. VKS_ERROR_FILE with a message if there is none. */
enum vks_result vks_sink_scene(const char *path, char **scene);
/* A picture from near the end of a video: RGBA8, to be freed. VKS_ERROR_FILE with a message if it
 * is none, or cannot be decoded. */
enum vks_result vks_sink_picture(const char *path, uint32_t *width, uint32_t *height,
                                 uint8_t **rgba);
#endif

/* SPDX-License-Identifier: MIT */
/* Evenly spaced frames of a run from the first to the last, each with its step: a contact sheet, or
 * small pictures in memory. */
#ifndef VKS_FRAMES_COLLAGE_H
#define VKS_FRAMES_COLLAGE_H

#include "frames/sheet.h"
#include "frames/sink.h"

struct vks_collage_params {
    const char *path;       /* of the PNG; NULL: the pictures stay in memory */
    uint32_t columns, rows; /* of the sheet: columns x rows frames */
    uint32_t width, height; /* of a frame */
    uint32_t max_side;      /* frames are reduced to it; 0: they are not */
    uint64_t frames;        /* of the run: at least columns x rows */
    /* Captions show the step of frame i, first_step + i x steps_per_frame, of the last frame
     * first_step + steps, or the frame number if steps_per_frame is 0. */
    uint64_t first_step, steps_per_frame, steps;
    bool overwrite;
};

struct vks_collage;

/* The path of the sheet of a run that writes to `out`: `out` itself if it is a .png, else
 * NAME-sheet.png next to the video. A heap string, which the caller frees. VKS_ERROR_USAGE for
 * standard output, "none" and numbered stills. */
enum vks_result vks_collage_path(const char *out, char **path);

/* Checks the path and computes the layout. VKS_ERROR_USAGE: fewer frames than cells, or a sheet
 * that is too large; VKS_ERROR_FILE as from vks_atomic_file_begin(). */
enum vks_result vks_collage_open(const struct vks_collage_params *params,
                                 struct vks_collage **collage);
/* True if the frame is on the sheet; safe in any thread. */
bool vks_collage_takes(const struct vks_collage *collage, uint64_t frame);
/* Adds the RGBA plane of a frame that is on the sheet; ignores other frames. Fails if memory ran
 * out. */
enum vks_result vks_collage_add(struct vks_collage *collage, const struct vks_frame *frame);
/* Frames taken so far. */
size_t vks_collage_count(const struct vks_collage *collage);
/* Writes the sheet to `path`, its own or another one; cells without a frame (after Ctrl-C) stay
 * blank. `origin`: its run. */
enum vks_result vks_collage_write(const struct vks_collage *collage, const char *path,
                                  const struct vks_origin *origin);

/* A picture of the sheet. */
struct vks_thumbnail {
    const uint8_t *pixels; /* RGBA, of the collage */
    size_t stride;         /* bytes from one row to the next */
    uint32_t width, height;
    char caption[64]; /* such as "step 1,024" */
};
/* The picture in cell `index`; false if there is no such cell or its frame was not taken. */
bool vks_collage_thumbnail(const struct vks_collage *collage, size_t index,
                           struct vks_thumbnail *thumbnail);

void vks_collage_destroy(struct vks_collage *collage); /* NULL is fine */

#endif

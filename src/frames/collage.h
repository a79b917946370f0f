/* SPDX-License-Identifier: MIT */
/* A contact sheet of a run: frames evenly spread from its first to its last, each with its step. */
#ifndef VKS_FRAMES_COLLAGE_H
#define VKS_FRAMES_COLLAGE_H

#include "frames/sheet.h"
#include "frames/sink.h"

struct vks_collage_params {
    const char *path;       /* of the PNG */
    uint32_t columns, rows; /* of the sheet: that many frames are chosen */
    uint32_t width, height; /* of a frame */
    uint64_t frames;        /* of the run: at least columns x rows */
    /* What captions say: the step of frame i is first_step + i x steps_per_frame; the number of the
     * frame if steps_per_frame is 0. */
    uint64_t first_step, steps_per_frame;
    bool overwrite;
};

struct vks_collage;

/* Where the sheet of a run goes that writes to `out`: the name itself if it is a .png, else beside
 * the video as NAME-sheet.png. A heap string, the caller's. VKS_ERROR_USAGE where there is no such
 * name: standard output, none, numbered stills. */
enum vks_result vks_collage_path(const char *out, char **path);

/* Checks the path and lays out. VKS_ERROR_USAGE: fewer frames than places, or too large a sheet;
 * VKS_ERROR_FILE: as vks_atomic_file_begin(). */
enum vks_result vks_collage_open(const struct vks_collage_params *params,
                                 struct vks_collage **collage);
/* True if that frame is one of the chosen; safe in any thread. */
bool vks_collage_takes(const struct vks_collage *collage, uint64_t frame);
/* Takes a frame, if it is wanted: its RGBA plane. */
void vks_collage_add(struct vks_collage *collage, const struct vks_frame *frame);
/* Frames taken so far. */
size_t vks_collage_count(const struct vks_collage *collage);
/* Writes the sheet; places whose frames never came (Ctrl-C) stay blank. */
enum vks_result vks_collage_write(const struct vks_collage *collage);
void vks_collage_destroy(struct vks_collage *collage); /* NULL is fine */

#endif

/* SPDX-License-Identifier: MIT */
/* A sheet: pictures of one size in rows on a dark background, a caption under each. Layout and
 * pixels, without the GPU. */
#ifndef VKS_FRAMES_SHEET_H
#define VKS_FRAMES_SHEET_H

#include <stdbool.h>
#include <stddef.h>

#include <vksim/result.h>

#include "view/text.h"

enum { VKS_MAX_RUNS = 4 };

/* The text under a picture: runs from its left edge, and a note at its right edge. */
struct vks_caption {
    struct {
        char text[128]; /* UTF-8; ends at the first NUL */
        bool faint;     /* names are fainter than their values */
    } runs[VKS_MAX_RUNS];
    size_t run_count;
    char note[64]; /* "": none */
};

/* Adds a run; runs over VKS_MAX_RUNS are dropped, long ones truncated. */
void vks_caption_add(struct vks_caption *caption, const char *text, bool faint);
/* The caption as plain text, runs separated by a space, written to `buffer`; returns it. */
const char *vks_caption_text(const struct vks_caption *caption, char *buffer, size_t size);

/* Pixels. The caller sets the first five members, vks_sheet_plan() the rest. */
struct vks_sheet {
    uint32_t columns, rows;
    uint32_t cell_width, cell_height; /* of a picture */
    size_t count;           /* of pictures: up to columns x rows; the last row may be shorter */
    uint32_t width, height; /* of the whole: even, as videos need */
    uint32_t left, top;     /* of the first picture */
    uint32_t across, down;  /* from one picture to the next */
    uint32_t text;          /* text size */
    bool notes;             /* there is room for all notes */
};

/* Computes the layout. The text size follows from the width of a picture and is reduced until all
 * captions fit; captions too long for the smallest size are truncated. VKS_ERROR_USAGE when the
 * sheet would have a side over 2^20 or more than 2^32 pixels. */
enum vks_result vks_sheet_plan(struct vks_sheet *sheet, const struct vks_caption *captions);

/* The left and top edge of a picture. */
void vks_sheet_at(const struct vks_sheet *sheet, size_t index, uint32_t *x, uint32_t *y);

/* The background alone: a heap array of width x height RGBA8 pixels, which the caller frees; NULL
 * when memory ran out. */
uint8_t *vks_sheet_background(const struct vks_sheet *sheet);

/* Draws the caption of a picture into a sheet's pixels. */
void vks_sheet_draw_caption(const struct vks_sheet *sheet, uint8_t *pixels, size_t index,
                            const struct vks_caption *caption);

/* Copies a picture (RGBA8, cell_width x cell_height) into a sheet's pixels. */
void vks_sheet_place(const struct vks_sheet *sheet, uint8_t *pixels, size_t index,
                     const uint8_t *picture);

#endif

/* SPDX-License-Identifier: MIT */
/* A sheet: pictures of one size in rows on a dark ground, a caption under each. Layout and pixels,
 * without the GPU. */
#ifndef VKS_FRAMES_SHEET_H
#define VKS_FRAMES_SHEET_H

#include <stdbool.h>
#include <stddef.h>

#include <vksim/result.h>

#include "frames/text.h"

enum { VKS_MAX_RUNS = 4 };

/* What stands under a picture: runs of text from its left edge, and a note at its right edge. */
struct vks_caption {
    struct {
        char text[128]; /* UTF-8; ends at the first NUL */
        bool faint;     /* names are fainter than what they name */
    } runs[VKS_MAX_RUNS];
    size_t run_count;
    char note[64]; /* "": none */
};

/* Adds a run; what is over VKS_MAX_RUNS or too long is cut. */
void vks_caption_add(struct vks_caption *caption, const char *text, bool faint);
/* All of it as plain text, runs parted by a space, into `buffer`; returns it. */
const char *vks_caption_text(const struct vks_caption *caption, char *buffer, size_t size);

/* Pixels. The first five members are chosen, the rest follows from them. */
struct vks_sheet {
    uint32_t columns, rows;
    uint32_t cell_width, cell_height; /* of a picture */
    size_t count;                     /* of pictures: columns x rows, or less in the last row */
    uint32_t width, height;           /* of the whole: even, as videos need */
    uint32_t left, top;               /* of the first picture */
    uint32_t across, down;            /* from one picture to the next */
    uint32_t text;                    /* size of the lettering */
    bool notes;                       /* there is room for all of them */
};

/* Lays the sheet out. The lettering's size follows from the pictures', and is less where a caption
 * would not fit; one that still does not is cut. VKS_ERROR_USAGE when the sheet would have sides
 * over 2^20 or over 2^32 pixels. */
enum vks_result vks_sheet_plan(struct vks_sheet *sheet, const struct vks_caption *captions);

/* The left and upper edge of a picture. */
void vks_sheet_at(const struct vks_sheet *sheet, size_t index, uint32_t *x, uint32_t *y);

/* The ground alone. A heap array of width x height RGBA8 pixels, the caller's; NULL when memory ran
 * out. */
uint8_t *vks_sheet_ground(const struct vks_sheet *sheet);

/* Letters a caption onto a sheet's pixels, under the place of a picture. */
void vks_sheet_letter(const struct vks_sheet *sheet, uint8_t *pixels, size_t index,
                      const struct vks_caption *caption);

/* Lays a picture (RGBA8, cell_width x cell_height) onto a sheet's pixels. */
void vks_sheet_place(const struct vks_sheet *sheet, uint8_t *pixels, size_t index,
                     const uint8_t *picture);

#endif

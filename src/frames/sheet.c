/* SPDX-License-Identifier: MIT */
#include "frames/sheet.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* 0xRRGGBB. The background does not distract from dark pictures, and the text is legible on it. */
static const uint32_t background = 0x0b0b0e;
static const uint32_t bright = 0xdad7ce;
static const uint32_t faint = 0x8b8982;

enum {
    TEXT_SHARE = 24, /* picture width : text size */
    MIN_TEXT = 12,   /* where all captions fit; pixels */
    MAX_TEXT = 120,
    TEXT_FITTED = 9, /* smallest size chosen to make long captions fit */
    MAX_SIDE = 1 << 20,
};

/* --- captions -------------------------------------------------------------------------------- */

void vks_caption_add(struct vks_caption *caption, const char *text, bool is_faint)
{
    if (caption->run_count < VKS_MAX_RUNS) {
        snprintf(caption->runs[caption->run_count].text, sizeof(caption->runs[0].text), "%s", text);
        caption->runs[caption->run_count++].faint = is_faint;
    }
}

const char *vks_caption_text(const struct vks_caption *caption, char *buffer, size_t size)
{
    size_t used = 0;
    buffer[0] = '\0';
    for (size_t i = 0; i < caption->run_count && used < size; i++) {
        const int length =
            snprintf(buffer + used, size - used, "%s%s", i ? " " : "", caption->runs[i].text);
        used += length > 0 ? (size_t)length : 0;
    }
    return buffer;
}

/* The gap before a run: wider between a value and the next name. */
static uint32_t gap_before(const struct vks_caption *caption, size_t run, uint32_t size)
{
    if (run == 0) {
        return 0;
    }
    const uint32_t blank = vks_text_width(" ", size);
    return caption->runs[run].faint ? 3 * blank : blank;
}

static uint32_t runs_width(const struct vks_caption *caption, uint32_t size)
{
    uint32_t width = 0;
    for (size_t i = 0; i < caption->run_count; i++) {
        width += gap_before(caption, i, size) + vks_text_width(caption->runs[i].text, size);
    }
    return width;
}

static uint32_t noted_width(const struct vks_caption *caption, uint32_t size)
{
    const uint32_t note = caption->note[0] ? vks_text_width(caption->note, size) : 0;
    return runs_width(caption, size) + (note ? note + size : 0);
}

/* --- layout ---------------------------------------------------------------------------------- */

static uint32_t widest(const struct vks_sheet *sheet, const struct vks_caption *captions,
                       uint32_t (*width)(const struct vks_caption *caption, uint32_t size),
                       uint32_t size)
{
    uint32_t max = 0;
    for (size_t i = 0; i < sheet->count; i++) {
        const uint32_t one = width(&captions[i], size);
        max = one > max ? one : max;
    }
    return max;
}

static void choose_text(struct vks_sheet *sheet, const struct vks_caption *captions)
{
    uint32_t size = (sheet->cell_width + TEXT_SHARE / 2) / TEXT_SHARE;
    size = size < MIN_TEXT ? MIN_TEXT : size;
    size = size > MAX_TEXT ? MAX_TEXT : size;
    while (size > TEXT_FITTED && widest(sheet, captions, runs_width, size) > sheet->cell_width) {
        size--;
    }
    sheet->text = size;
    sheet->notes = widest(sheet, captions, noted_width, size) <= sheet->cell_width;
}

/* Pixels from a picture's bottom edge to the baseline of its caption, and on to the end of the
 * strip. */
static uint32_t above_baseline(const struct vks_sheet *sheet)
{
    return vks_text_ascent(sheet->text) + (sheet->text * 9 + 10) / 20;
}

static uint32_t below_baseline(const struct vks_sheet *sheet)
{
    return vks_text_descent(sheet->text) + (sheet->text * 15 + 10) / 20;
}

static uint32_t even(uint64_t side)
{
    return (uint32_t)(side + (side & 1));
}

enum vks_result vks_sheet_plan(struct vks_sheet *sheet, const struct vks_caption *captions)
{
    enum { MAX_CELLS = 16384 };
    if ((uint64_t)sheet->columns * sheet->rows > MAX_CELLS) {
        return vks_fail(VKS_ERROR_USAGE,
                        "a sheet of %" PRIu32 "x%" PRIu32
                        " has too many pictures; choose fewer or smaller ones (at most %d)",
                        sheet->columns, sheet->rows, MAX_CELLS);
    }
    choose_text(sheet, captions);
    const uint32_t gap = (sheet->text * 6 + 5) / 10;
    const uint32_t strip = above_baseline(sheet) + below_baseline(sheet);
    sheet->left = sheet->top = (sheet->text * 9 + 5) / 10;
    sheet->across = sheet->cell_width + gap;
    sheet->down = sheet->cell_height + strip;
    const uint64_t width =
        (uint64_t)sheet->columns * sheet->across - gap + 2 * (uint64_t)sheet->left;
    /* Below the last captions there is only the margin. */
    const uint64_t height = (uint64_t)sheet->rows * sheet->down + sheet->top -
                            below_baseline(sheet) + vks_text_descent(sheet->text) + sheet->top / 2;
    if (width >= MAX_SIDE || height >= MAX_SIDE || width * height > UINT32_MAX) {
        return vks_fail(
            VKS_ERROR_USAGE,
            "%" PRIu32 "x%" PRIu32 " pictures of %" PRIu32 "x%" PRIu32 " make a sheet of %" PRIu64
            "x%" PRIu64 ", which is too large; choose fewer or smaller ones",
            sheet->columns, sheet->rows, sheet->cell_width, sheet->cell_height, width, height);
    }
    sheet->width = even(width);
    sheet->height = even(height);
    return VKS_OK;
}

void vks_sheet_at(const struct vks_sheet *sheet, size_t index, uint32_t *x, uint32_t *y)
{
    *x = sheet->left + (uint32_t)(index % sheet->columns) * sheet->across;
    *y = sheet->top + (uint32_t)(index / sheet->columns) * sheet->down;
}

/* --- pixels ---------------------------------------------------------------------------------- */

uint8_t *vks_sheet_background(const struct vks_sheet *sheet)
{
    const size_t pixels = (size_t)sheet->width * sheet->height;
    const uint8_t pixel[] = {background >> 16 & 0xff, background >> 8 & 0xff, background & 0xff,
                             255};
    uint8_t *rgba = malloc(pixels * 4);
    if (!rgba) {
        return NULL;
    }
    for (size_t i = 0; i < pixels; i++) {
        memcpy(rgba + 4 * i, pixel, 4);
    }
    return rgba;
}

void vks_sheet_draw_caption(const struct vks_sheet *sheet, uint8_t *pixels, size_t index,
                            const struct vks_caption *caption)
{
    const struct vks_canvas canvas = {pixels, sheet->width, sheet->height};
    uint32_t left, top;
    vks_sheet_at(sheet, index, &left, &top);
    const int64_t baseline = (int64_t)top + sheet->cell_height + above_baseline(sheet);
    const int64_t right = (int64_t)left + sheet->cell_width;
    int64_t x = left;
    for (size_t i = 0; i < caption->run_count; i++) {
        char cut[sizeof(caption->runs[0].text)];
        x += gap_before(caption, i, sheet->text);
        const uint32_t room = x < right ? (uint32_t)(right - x) : 0;
        vks_text_fit(caption->runs[i].text, sheet->text, room, cut, sizeof(cut));
        x = vks_text_draw(&canvas, x, baseline, cut, sheet->text,
                          caption->runs[i].faint ? faint : bright);
        if (strcmp(cut, caption->runs[i].text) != 0) {
            break; /* a value without its full name would mislead */
        }
    }
    if (sheet->notes && caption->note[0]) {
        vks_text_draw(&canvas, right - vks_text_width(caption->note, sheet->text), baseline,
                      caption->note, sheet->text, faint);
    }
}

void vks_sheet_place(const struct vks_sheet *sheet, uint8_t *pixels, size_t index,
                     const uint8_t *picture)
{
    const size_t row = (size_t)sheet->cell_width * 4;
    uint32_t x, y;
    vks_sheet_at(sheet, index, &x, &y);
    for (uint32_t i = 0; i < sheet->cell_height; i++) {
        memcpy(pixels + (((size_t)y + i) * sheet->width + x) * 4, picture + i * row, row);
    }
}

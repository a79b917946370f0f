/* SPDX-License-Identifier: MIT */
#include "frames/collage.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "io/resize.h"

struct vks_collage {
    struct vks_collage_params params;
    struct vks_sheet sheet;
    uint8_t *pixels; /* of the sheet; a caption is drawn with its frame */
    struct vks_caption *captions;
    bool *filled; /* of each cell */
    size_t taken; /* frames */
};

enum vks_result vks_collage_path(const char *out, char **path)
{
    const char *slash = strrchr(out, '/');
    const char *dot = strrchr(slash ? slash + 1 : out, '.');
    const bool still = dot && strcasecmp(dot, ".png") == 0;
    if (strcmp(out, "-") == 0 || strcmp(out, "none") == 0 || !dot || (still && strchr(out, '%'))) {
        return vks_fail(VKS_ERROR_USAGE,
                        "--collage writes one picture: --out must be the name of a still (.png) or "
                        "of a video, not '%s'",
                        out);
    }
    *path = still ? vks_strdup(out) : vks_format("%.*s-sheet.png", (int)(dot - out), out);
    return *path ? VKS_OK : vks_fail_memory();
}

/* The frame shown in cell `index`: the first, the last, and evenly spaced ones between. */
static uint64_t chosen(const struct vks_collage *collage, size_t index)
{
    const uint64_t max_index = collage->sheet.count > 1 ? collage->sheet.count - 1 : 1;
    const uint64_t last = collage->params.frames - 1;
    if (collage->sheet.count == 1) {
        return last;
    }
    /* index x last could overflow, so it is computed in two parts. */
    return last / max_index * index + (last % max_index * index + max_index / 2) / max_index;
}

/* Writes 1234567 as 1,234,567. */
static void write_number(uint64_t number, char *text, size_t size)
{
    char digits[32];
    const int length = snprintf(digits, sizeof(digits), "%" PRIu64, number);
    size_t at = 0;
    for (int i = 0; i < length && at + 2 < size; i++) {
        if (i > 0 && (length - i) % 3 == 0) {
            text[at++] = ',';
        }
        text[at++] = digits[i];
    }
    text[at] = '\0';
}

static void caption_of(const struct vks_collage *collage, size_t index, struct vks_caption *caption)
{
    const struct vks_collage_params *params = &collage->params;
    const uint64_t frame = chosen(collage, index), step = frame * params->steps_per_frame;
    char number[32];
    *caption = (struct vks_caption){0};
    write_number(params->steps_per_frame
                     ? params->first_step + (step < params->steps ? step : params->steps)
                     : frame,
                 number, sizeof(number));
    vks_caption_add(caption, params->steps_per_frame ? "step" : "frame", true);
    vks_caption_add(caption, number, false);
}

static enum vks_result lay_out(struct vks_collage *collage)
{
    const struct vks_collage_params *params = &collage->params;
    const size_t count = collage->sheet.count;
    if (count > params->frames) {
        return vks_fail(VKS_ERROR_USAGE,
                        "--collage %" PRIu32 "x%" PRIu32
                        " shows %zu frames, and the run has %" PRIu64,
                        params->columns, params->rows, count, params->frames);
    }
    collage->captions = calloc(count, sizeof(*collage->captions));
    collage->filled = calloc(count, sizeof(*collage->filled));
    if (!collage->captions || !collage->filled) {
        return vks_fail_memory();
    }
    for (size_t i = 0; i < count; i++) {
        caption_of(collage, i, &collage->captions[i]);
    }
    enum vks_result result = vks_sheet_plan(&collage->sheet, collage->captions);
    if (result == VKS_OK) {
        collage->pixels = vks_sheet_background(&collage->sheet);
        result = collage->pixels ? VKS_OK : vks_fail_memory();
    }
    return result;
}

static uint32_t reduced(uint32_t side, double scale)
{
    const double scaled = (double)side * scale + 0.5;
    return scaled < 1 ? 1 : (uint32_t)scaled;
}

enum vks_result vks_collage_open(const struct vks_collage_params *params, struct vks_collage **out)
{
    struct vks_collage *collage = calloc(1, sizeof(*collage));
    struct vks_atomic_file file = {0};
    if (!collage) {
        return vks_fail_memory();
    }
    collage->params = *params;
    collage->params.path = NULL; /* the copy outlives the caller's */
    const uint32_t side = params->width > params->height ? params->width : params->height;
    const double scale = params->max_side > 0 && side > params->max_side
                             ? (double)params->max_side / (double)side
                             : 1;
    collage->sheet = (struct vks_sheet){
        .columns = params->columns,
        .rows = params->rows,
        .cell_width = reduced(params->width, scale),
        .cell_height = reduced(params->height, scale),
        .count = (size_t)params->columns * params->rows,
    };
    enum vks_result result = lay_out(collage);
    if (result == VKS_OK && params->path) { /* fails now rather than at the end of the run */
        result = vks_atomic_file_begin(&file, params->path, params->overwrite);
        vks_atomic_file_abort(&file);
    }
    if (result != VKS_OK) {
        vks_collage_destroy(collage);
        return result;
    }
    *out = collage;
    return VKS_OK;
}

/* The cell of a frame, or the number of cells if it has none. */
static size_t cell_of(const struct vks_collage *collage, uint64_t frame)
{
    size_t low = 0, high = collage->sheet.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (chosen(collage, middle) < frame) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < collage->sheet.count && chosen(collage, low) == frame ? low : collage->sheet.count;
}

bool vks_collage_takes(const struct vks_collage *collage, uint64_t frame)
{
    return cell_of(collage, frame) < collage->sheet.count;
}

/* Reduces a frame into its cell, one channel after the other. */
static enum vks_result place_reduced(struct vks_collage *collage, size_t cell, const uint8_t *rgba)
{
    const struct vks_sheet *sheet = &collage->sheet;
    const uint32_t width = collage->params.width, height = collage->params.height;
    const size_t pixels = (size_t)width * height;
    const size_t small = (size_t)sheet->cell_width * sheet->cell_height;
    uint32_t *channel = malloc(pixels * sizeof(*channel));
    float *resized = malloc(small * sizeof(*resized));
    uint8_t *picture = malloc(small * 4);
    enum vks_result result = channel && resized && picture ? VKS_OK : vks_fail_memory();
    for (size_t c = 0; c < 4 && result == VKS_OK; c++) {
        for (size_t i = 0; i < pixels; i++) {
            channel[i] = rgba[4 * i + c];
        }
        result = vks_resize(channel, width, height, 255, resized, sheet->cell_width,
                            sheet->cell_height, 0, sheet->cell_height);
        for (size_t i = 0; i < small && result == VKS_OK; i++) {
            picture[4 * i + c] = (uint8_t)(resized[i] * 255 + 0.5F);
        }
    }
    if (result == VKS_OK) {
        vks_sheet_place(sheet, collage->pixels, cell, picture);
    }
    free(picture);
    free(resized);
    free(channel);
    return result;
}

enum vks_result vks_collage_add(struct vks_collage *collage, const struct vks_frame *frame)
{
    const struct vks_sheet *sheet = &collage->sheet;
    const size_t cell = cell_of(collage, frame->index);
    enum vks_result result = VKS_OK;
    if (cell == sheet->count) {
        return VKS_OK;
    }
    if (sheet->cell_width == collage->params.width &&
        sheet->cell_height == collage->params.height) {
        vks_sheet_place(sheet, collage->pixels, cell, frame->planes[VKS_PLANE_RGBA]);
    } else {
        result = place_reduced(collage, cell, frame->planes[VKS_PLANE_RGBA]);
    }
    if (result == VKS_OK) {
        vks_sheet_draw_caption(sheet, collage->pixels, cell, &collage->captions[cell]);
        collage->taken += !collage->filled[cell];
        collage->filled[cell] = true;
    }
    return result;
}

bool vks_collage_thumbnail(const struct vks_collage *collage, size_t index,
                           struct vks_thumbnail *thumbnail)
{
    const struct vks_sheet *sheet = &collage->sheet;
    uint32_t x, y;
    if (index >= sheet->count || !collage->filled[index]) {
        return false;
    }
    vks_sheet_at(sheet, index, &x, &y);
    *thumbnail = (struct vks_thumbnail){
        .pixels = collage->pixels + ((size_t)y * sheet->width + x) * 4,
        .stride = (size_t)sheet->width * 4,
        .width = sheet->cell_width,
        .height = sheet->cell_height,
    };
    vks_caption_text(&collage->captions[index], thumbnail->caption, sizeof(thumbnail->caption));
    return true;
}

size_t vks_collage_count(const struct vks_collage *collage)
{
    return collage->taken;
}

enum vks_result vks_collage_write(const struct vks_collage *collage, const char *path,
                                  const struct vks_origin *origin)
{
    return vks_write_png(path, collage->pixels, collage->sheet.width, collage->sheet.height, origin,
                         collage->params.overwrite);
}

void vks_collage_destroy(struct vks_collage *collage)
{
    if (collage) {
        free(collage->captions);
        free(collage->filled);
        free(collage->pixels);
        free(collage);
    }
}

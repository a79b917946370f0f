/* SPDX-License-Identifier: MIT */
/* What vksim sensitivity measured as a plot, a map and an HTML page. */
#include <inttypes.h>
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/number.h"
#include "view/text.h"
#include "report/html.h"
#include "report/plot.h"
#include "report/sensitivity.h"

/* --- the free twins -------------------------------------------------------------------------- */

/* One plot with a line per seed, into *svg. */
static enum vks_result draw_plot(const struct vks_sensitivity *s, char **svg)
{
    size_t points = 0, used = 0;
    char title[160], subtitle[1000], limit[64], label[64];
    for (size_t i = 0; i < s->seed_count; i++) {
        points += s->seeds[i].free.count;
    }
    double *numbers = calloc(points + 1, 2 * sizeof(*numbers));
    struct vks_plot_series *series = calloc(s->seed_count + 1, sizeof(*series));
    char(*names)[32] = calloc(s->seed_count + 1, sizeof(*names));
    if (!numbers || !series || !names) {
        free(numbers);
        free(series);
        free(names);
        return vks_fail_memory();
    }
    for (size_t k = 0; k < s->seed_count; k++) {
        const struct vks_distances *free_twin = &s->seeds[k].free;
        double *x = numbers + used, *y = numbers + points + 1 + used;
        for (size_t i = 0; i < free_twin->count; i++) {
            const double *row = free_twin->rows + i * (1 + s->quantities);
            x[i] = row[0];
            y[i] = vks_sensitivity_relative(s, row);
        }
        used += free_twin->count;
        snprintf(names[k], sizeof(names[k]), "seed %" PRIu64, s->seeds[k].seed);
        series[k] = (struct vks_plot_series){.name = s->seed_count <= 7 ? names[k] : NULL,
                                             .x = x,
                                             .y = y,
                                             .count = free_twin->count,
                                             .style = VKS_PLOT_LINE,
                                             .colour = (unsigned)k};
    }
    snprintf(title, sizeof(title), "%s: distance of a perturbed twin", s->model);
    snprintf(subtitle, sizeof(subtitle), "%s, %s after %" PRIu64 " steps; %s", s->size,
             s->perturbation, s->spin_up, s->device.name);
    snprintf(limit, sizeof(limit), "limit, 1/%u", s->limit);
    snprintf(label, sizeof(label), "distance relative to the %s", s->names[s->main]);
    const struct vks_plot_limit limits[] = {{limit, 1.0 / s->limit, 0}};
    const struct vks_plot plot = {
        .title = title,
        .subtitle = subtitle,
        .x = {.label = "steps after the perturbation", .max = (double)s->steps},
        .y = {.label = label, .scale = VKS_PLOT_LOG},
        .series = series,
        .series_count = s->seed_count,
        .limits = limits,
        .limit_count = 1,
    };
    const enum vks_result result = vks_plot_svg(&plot, 1, svg);
    free(numbers);
    free(series);
    free(names);
    return result;
}

enum vks_result vks_sensitivity_plot(const struct vks_sensitivity *s, const char *path,
                                     bool overwrite)
{
    char *svg = NULL;
    enum vks_result result = draw_plot(s, &svg);
    if (result == VKS_OK) {
        result = vks_plot_write_svg(path, overwrite, svg);
    }
    free(svg);
    return result;
}

/* --- the map --------------------------------------------------------------------------------- */

enum {
    FONT = 17,
    SMALL = 15,
    PAD = 16,
    BAR = 22, /* width of the colour bar */
    MIN_CELL = 14,
    NUMBERS = 46, /* cells of at least this side have their number */
    BACKGROUND = 0xffffff,
    INK = 0x20242a,
    FAINT = 0x5c6670,
    GREY = 0xa4a9ae, /* a cell without growth */
};

/* Where things are, in pixels. */
struct map {
    const struct vks_sensitivity *s;
    const struct vks_colormap *colours;
    struct vks_canvas canvas;
    uint32_t cell, columns, rows;
    uint32_t left, top; /* of the cells */
    double largest;     /* rate; 0: none */
};

static void fill_rectangle(const struct vks_canvas *canvas, uint32_t x, uint32_t y, uint32_t width,
                           uint32_t height, uint32_t colour)
{
    for (uint32_t j = y; j < y + height && j < canvas->height; j++) {
        for (uint32_t i = x; i < x + width && i < canvas->width; i++) {
            uint8_t *pixel = canvas->rgba + 4 * ((size_t)j * canvas->width + i);
            pixel[0] = (uint8_t)(colour >> 16);
            pixel[1] = (uint8_t)(colour >> 8);
            pixel[2] = (uint8_t)colour;
            pixel[3] = 255;
        }
    }
}

/* 0xRRGGBB of a rate. */
static uint32_t colour_of(const struct map *map, double rate)
{
    const double share = map->largest > 0 ? rate / map->largest : 0;
    const uint32_t entry = map->colours->entries[(size_t)(fmin(fmax(share, 0), 1) * 255 + 0.5)];
    return (entry & 0xff) << 16 | (entry & 0xff00) | (entry >> 16 & 0xff);
}

/* Black or white, whichever stands out. */
static uint32_t ink_on(uint32_t colour)
{
    const uint32_t light =
        299 * (colour >> 16) + 587 * (colour >> 8 & 0xff) + 114 * (colour & 0xff);
    return light > 128000 ? 0x000000 : 0xffffff;
}

static void put_centred(const struct map *map, uint32_t x, uint32_t y, const char *text,
                        uint32_t size, uint32_t colour)
{
    (void)vks_text_draw(&map->canvas, (int64_t)x - vks_text_width(text, size) / 2, y, text, size,
                        colour);
}

static void put_cell(const struct map *map, size_t index)
{
    const struct vks_sensitivity_mean rate = vks_sensitivity_mean(map->s, index);
    const uint32_t x = map->left + (uint32_t)(index % map->columns) * map->cell;
    const uint32_t y = map->top + (uint32_t)(index / map->columns) * map->cell;
    const bool known = index < map->s->cells;
    const uint32_t colour = !known           ? BACKGROUND
                            : rate.count > 0 ? colour_of(map, rate.value)
                                             : GREY;
    const uint32_t gap = map->cell >= 24 ? 1 : 0;
    fill_rectangle(&map->canvas, x, y, map->cell - gap, map->cell - gap, colour);
    if (known && map->cell >= NUMBERS) {
        char text[32] = "-";
        if (rate.count > 0) {
            snprintf(text, sizeof(text), "%.2f", rate.value);
        }
        put_centred(map, x + map->cell / 2, y + map->cell / 2 + vks_text_ascent(SMALL) / 2, text,
                    SMALL, ink_on(colour));
    }
}

/* Every how many values have a label, so that none overlap. */
static size_t label_interval(const struct vks_sensitivity_axis *axis, uint32_t cell, bool across)
{
    uint32_t widest = across ? 0 : SMALL;
    for (size_t i = 0; i < axis->count && across; i++) {
        const uint32_t width = vks_text_width(axis->values[i], SMALL) + 8;
        widest = width > widest ? width : widest;
    }
    return (widest + cell - 1) / cell;
}

static void put_axes(const struct map *map)
{
    const struct vks_sensitivity *s = map->s;
    const uint32_t below = map->top + map->rows * map->cell;
    const size_t every_column = label_interval(&s->across, map->cell, true);
    const size_t every_row = label_interval(&s->down, map->cell, false);
    for (size_t i = 0; i < s->across.count; i += every_column) {
        put_centred(map, map->left + (uint32_t)i * map->cell + map->cell / 2,
                    below + 6 + vks_text_ascent(SMALL), s->across.values[i], SMALL, INK);
    }
    put_centred(map, map->left + map->columns * map->cell / 2, below + 2 * SMALL + 16,
                s->across.option, FONT, INK);
    for (size_t i = 0; i < s->down.count; i += every_row) {
        const uint32_t width = vks_text_width(s->down.values[i], SMALL);
        (void)vks_text_draw(&map->canvas, (int64_t)map->left - 8 - width,
                            map->top + (uint32_t)i * map->cell + map->cell / 2 +
                                vks_text_ascent(SMALL) / 2,
                            s->down.values[i], SMALL, INK);
    }
    if (s->down.count > 0) {
        (void)vks_text_draw(&map->canvas, PAD, map->top - 10, s->down.option, FONT, INK);
    }
}

static void put_bar(const struct map *map)
{
    const uint32_t x = map->left + map->columns * map->cell + 2 * PAD;
    const uint32_t height = map->rows * map->cell;
    char text[32];
    for (uint32_t i = 0; i < height; i++) {
        const double share = 1 - (double)i / (height > 1 ? height - 1 : 1);
        fill_rectangle(&map->canvas, x, map->top + i, BAR, 1, colour_of(map, share * map->largest));
    }
    snprintf(text, sizeof(text), "%.2f", map->largest);
    (void)vks_text_draw(&map->canvas, x + BAR + 8, map->top + vks_text_ascent(SMALL), text, SMALL,
                        INK);
    (void)vks_text_draw(&map->canvas, x + BAR + 8, map->top + height, "0", SMALL, INK);
    const uint32_t y = map->top + height + 8;
    fill_rectangle(&map->canvas, x, y, BAR, SMALL, GREY);
    (void)vks_text_draw(&map->canvas, x + BAR + 8, y + vks_text_ascent(SMALL) + 2, "none", SMALL,
                        INK);
}

/* Draws the map into a new picture, map->canvas.rgba, to be freed. */
static enum vks_result draw_map(struct map *map)
{
    const struct vks_sensitivity *s = map->s;
    char title[160], below[240];
    uint32_t widest = s->down.count ? vks_text_width(s->down.option, FONT) / 2 : 0;
    map->columns = (uint32_t)s->across.count;
    map->rows = s->down.count ? (uint32_t)s->down.count : 1;
    const uint32_t most = map->columns > map->rows ? map->columns : map->rows;
    map->cell = 560 / most > 64 ? 64 : 560 / most < MIN_CELL ? MIN_CELL : 560 / most;
    for (size_t i = 0; i < s->down.count; i++) {
        const uint32_t width = vks_text_width(s->down.values[i], SMALL);
        widest = width > widest ? width : widest;
    }
    for (size_t i = 0; i < s->cells; i++) {
        const struct vks_sensitivity_mean rate = vks_sensitivity_mean(s, i);
        map->largest = rate.count > 0 ? fmax(map->largest, rate.value) : map->largest;
    }
    snprintf(title, sizeof(title), "%s: exponent per step", s->model);
    snprintf(below, sizeof(below), "%s, %s, distances from %.2g %% to %.2g %%", s->size,
             s->perturbation, 100 * ldexp(1.0 / s->limit, -(int)s->shrink), 100.0 / s->limit);
    map->left = PAD + widest + 8;
    map->top = PAD + FONT + SMALL + 2 * PAD + FONT;
    uint32_t width = map->left + map->columns * map->cell + 2 * PAD + BAR + 64;
    const uint32_t words = vks_text_width(below, SMALL) + 2 * PAD;
    width = words > width ? words : width;
    map->canvas.width = width;
    map->canvas.height = map->top + map->rows * map->cell + 2 * SMALL + 2 * PAD + 12;
    map->canvas.rgba = malloc(4 * (size_t)map->canvas.width * map->canvas.height);
    if (!map->canvas.rgba) {
        return vks_fail_memory();
    }
    fill_rectangle(&map->canvas, 0, 0, map->canvas.width, map->canvas.height, BACKGROUND);
    (void)vks_text_draw(&map->canvas, PAD, PAD + vks_text_ascent(FONT), title, FONT, INK);
    (void)vks_text_draw(&map->canvas, PAD, PAD + FONT + 8 + vks_text_ascent(SMALL), below, SMALL,
                        FAINT);
    for (size_t i = 0; i < (size_t)map->columns * map->rows; i++) {
        put_cell(map, i);
    }
    put_axes(map);
    put_bar(map);
    return VKS_OK;
}

/* The map as PNG, to be freed. */
static enum vks_result make_png(const struct vks_sensitivity *s, const struct vks_colormap *colours,
                                uint8_t **bytes, size_t *size, uint32_t sides[2])
{
    struct map map = {.s = s, .colours = colours};
    enum vks_result result = draw_map(&map);
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = map.canvas.width,
                       .height = map.canvas.height,
                       .format = PNG_FORMAT_RGBA};
    png_alloc_size_t room = result == VKS_OK ? PNG_IMAGE_PNG_SIZE_MAX(image) : 0;
    *bytes = result == VKS_OK ? malloc(room) : NULL;
    if (result == VKS_OK && !*bytes) {
        result = vks_fail_memory();
    }
    if (result == VKS_OK &&
        !png_image_write_to_memory(&image, *bytes, &room, 0, map.canvas.rgba, 0, NULL)) {
        result = vks_fail(VKS_ERROR_FILE, "the map cannot be compressed: %s", image.message);
    }
    *size = room;
    sides[0] = image.width;
    sides[1] = image.height;
    free(map.canvas.rgba);
    return result;
}

static enum vks_result print_map(FILE *out, const void *user)
{
    const struct vks_sensitivity *s = user;
    fprintf(out, "%s%s%s,rate,standard_error,seeds,cycles\n", s->across.option,
            s->down.count ? "," : "", s->down.count ? s->down.option : "");
    for (size_t i = 0; i < s->cells; i++) {
        const struct vks_sensitivity_mean rate = vks_sensitivity_mean(s, i);
        char value[32] = "", error[32] = "";
        size_t cycles = 0; /* that the rate is of */
        for (size_t k = 0; k < s->seed_count; k++) {
            const size_t count = s->seeds[i * s->seed_count + k].cycle_count;
            cycles += count > 1 ? count - 1 : 0;
        }
        if (isfinite(rate.value)) {
            vks_format_real(rate.value, value, sizeof(value));
        }
        if (isfinite(rate.error)) {
            vks_format_real(rate.error, error, sizeof(error));
        }
        /* Values that are lists contain commas. */
        fprintf(out, "\"%s\"", s->across.values[i % s->across.count]);
        if (s->down.count) {
            fprintf(out, ",\"%s\"", s->down.values[i / s->across.count]);
        }
        fprintf(out, ",%s,%s,%zu,%zu\n", value, error, rate.count, cycles);
    }
    return VKS_OK;
}

enum vks_result vks_sensitivity_map(const struct vks_sensitivity *s,
                                    const struct vks_colormap *colours, const char *path,
                                    const char *csv, bool overwrite)
{
    uint8_t *bytes = NULL;
    size_t size;
    uint32_t sides[2];
    enum vks_result result = make_png(s, colours, &bytes, &size, sides);
    if (result == VKS_OK) {
        result = vks_write_file(path, overwrite, bytes, size);
    }
    free(bytes);
    return result == VKS_OK ? vks_print_file(csv, overwrite, print_map, s) : result;
}

/* --- the page -------------------------------------------------------------------------------- */

enum vks_result vks_sensitivity_html(const struct vks_sensitivity *s,
                                     const struct vks_colormap *colours, const char *path,
                                     bool overwrite)
{
    json_t *picture = NULL;
    enum vks_result result;
    if (s->across.count > 0) {
        uint8_t *bytes = NULL;
        size_t size;
        uint32_t sides[2];
        result = make_png(s, colours, &bytes, &size, sides);
        picture = result == VKS_OK ? vks_html_picture("", bytes, size, sides[0], sides[1]) : NULL;
        free(bytes);
    } else {
        char *svg = NULL;
        result = draw_plot(s, &svg);
        picture = result == VKS_OK ? json_string(svg) : NULL;
        free(svg);
    }
    if (result != VKS_OK) {
        return result;
    }
    json_t *pictures = json_array();
    if (!picture || json_array_append_new(pictures, picture) != 0) {
        json_decref(pictures);
        return vks_fail_memory();
    }
    return vks_html_write(path, overwrite, &vks_page_sensitivity, vks_sensitivity_json(s),
                          pictures);
}

/* SPDX-License-Identifier: MIT */
/* The passes of --annotate: the time, colour bars and a scale bar over the finished picture. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/exact.h"
#include "base/memory.h"
#include "view/plan.h"
#include "view/text.h"

enum {
    TEXTS = LINES + 1, /* of lines, and the fallback's title */
    TEXT_SIZE = 40,
    MIN_TEXT = 9, /* of small pictures; pixels */
    USUAL_TEXT = 11,
    SMALL_PICTURE = 160,
    MIN_BAR = 9, /* ems */
    MAX_BAR = 26,
};

_Static_assert(VKS_MAX_MIX <= LINES - LINE_NAMES, "every plane has a line for its name");
_Static_assert(TABLE_STRINGS + (TEXTS - VKS_MAX_MIX) * TEXT_SIZE + VKS_MAX_MIX * 16 <= TABLE_HEAD,
               "the head of the table has room for all strings");

/* Positions in pixels. Only words and characters, because its bytes say what the table is made
 * of. */
struct layout {
    uint32_t size; /* of the text */
    uint32_t ascent, descent, digit;
    uint32_t pad, margin, radius;
    uint32_t bar_height, tick, beam;        /* of a colour bar, a tick, the scale bar */
    uint32_t stroke, frame;                 /* width of a tick, and of the frame of a bar */
    uint32_t bar_x, bar_width;              /* in their panel */
    uint32_t scale_x, scale_width;          /* in their panel */
    uint32_t planes;                        /* bars */
    uint32_t x[PANELS], y[PANELS];          /* of panels */
    uint32_t width[PANELS], height[PANELS]; /* 0: left out */
    uint32_t left[LINES];                   /* of texts, in their panels */
    char texts[TEXTS][TEXT_SIZE];
};

static uint32_t share_of(uint32_t length, uint32_t percent)
{
    return (length * percent + 50) / 100;
}

/* --- widths ---------------------------------------------------------------------------------- */

static uint32_t character_width(char character, uint32_t size)
{
    const char text[] = {character, '\0'};
    return vks_text_width(text, size);
}

static uint32_t widest_digit(uint32_t size)
{
    uint32_t max = 0;
    for (char c = '0'; c <= '9'; c++) {
        const uint32_t width = character_width(c, size);
        max = width > max ? width : max;
    }
    return max;
}

static uint32_t width_of(const struct layout *layout, const char *text)
{
    return vks_text_width(text, layout->size);
}

/* Of a time, whose digits are equally wide. */
static uint32_t time_width(const struct layout *layout, const char *text)
{
    uint32_t width = 0;
    for (; *text; text++) {
        width +=
            *text >= '0' && *text <= '9' ? layout->digit : character_width(*text, layout->size);
    }
    return width;
}

/* --- rows ------------------------------------------------------------------------------------ */

/* Sets bits of rows of a panel; NULL: nothing. */
static void mark_rows(uint32_t *rows, uint32_t from, uint32_t to, uint32_t bits)
{
    for (uint32_t y = from; rows && y < to; y++) {
        rows[y] |= bits;
    }
}

/* A line of text whose capitals begin in row `y`. */
static void set_text_rows(const struct layout *layout, uint32_t *rows, uint32_t y, uint32_t line)
{
    for (uint32_t i = 0; rows && i < layout->ascent + layout->descent; i++) {
        rows[y + i] |= (i + 1) | line << ROW_LINE_SHIFT;
    }
}

/* Below a line of text: descenders are in the gap. */
static uint32_t gap_of(const struct layout *layout)
{
    const uint32_t gap = share_of(layout->size, 40);
    return gap > layout->descent ? gap : layout->descent + 1;
}

static uint32_t lay_bars(const struct layout *layout, uint32_t *rows)
{
    uint32_t y = layout->pad;
    if (layout->texts[LINE_TITLE][0]) {
        set_text_rows(layout, rows, y, LINE_TITLE);
        y += layout->ascent + gap_of(layout);
    }
    for (uint32_t i = 0; i < layout->planes; i++) {
        y += i > 0 ? gap_of(layout) : 0;
        if (layout->planes > 1) {
            set_text_rows(layout, rows, y, LINE_NAMES + i);
        }
        mark_rows(rows, y, y + layout->bar_height, ROW_BAR | i << ROW_PLANE_SHIFT);
        mark_rows(rows, y - layout->frame, y + layout->bar_height + layout->frame, ROW_FRAME);
        y += layout->bar_height;
    }
    /* Names of planes and ticks are never in one row. */
    y += layout->planes > 1 ? layout->descent : 0;
    mark_rows(rows, y, y + layout->tick, ROW_TICKS | LINE_NUMBERS << ROW_LINE_SHIFT);
    y += layout->tick + share_of(layout->size, 30);
    set_text_rows(layout, rows, y, LINE_NUMBERS);
    return y + layout->ascent + layout->pad;
}

/* Fills the rows of a panel, one word each, unless `rows` is NULL. Returns their number. */
static uint32_t lay_rows(const struct layout *layout, uint32_t panel, uint32_t *rows)
{
    if (panel == PANEL_BAR) {
        return lay_bars(layout, rows);
    }
    set_text_rows(layout, rows, layout->pad, panel == PANEL_TIME ? LINE_TIME : LINE_SCALE);
    uint32_t y = layout->pad + layout->ascent;
    if (panel == PANEL_SCALE) {
        y += gap_of(layout);
        mark_rows(rows, y, y + layout->beam, ROW_SCALE | LINE_SCALE << ROW_LINE_SHIFT);
        y += layout->beam;
    }
    return y + layout->pad;
}

/* --- the scale bar --------------------------------------------------------------------------- */

/* Pixels per cell; 0: a picture has no scale. The projection of a camera is orthographic, so that
 * lengths across the line of sight are to scale at any depth. */
static double cell_size(const struct vks_plan *plan)
{
    const struct vks_look *look = plan->params->look;
    const struct vks_part *part = &look->values.part;
    if (look->values.camera.given) {
        const vks_vec2 tilt = vks_sincos(look->values.camera.elevation);
        return vks_look_scale(look, part, plan->declaration->grid, (double)tilt.x, (double)tilt.y);
    }
    const double across = (double)part->out_width / part->width;
    const double down = (double)part->out_height / part->height;
    return fabs(across - down) <= 0.01 * across ? across : 0;
}

/* The longest bar of 1, 2 or 5 times a power of ten cells or units of length that is at most a
 * quarter of the picture's width; without one, its width is 0. */
static void set_scale(const struct vks_plan *plan, struct layout *layout)
{
    static const uint32_t factors[] = {5, 2, 1};
    const uint32_t box = plan->params->labels.box;
    const double unit = cell_size(plan) * (box ? box : 1);
    for (int exponent = 5; exponent >= (box ? -6 : 0) && layout->scale_width == 0; exponent--) {
        for (size_t i = 0; i < VKS_COUNT(factors) && layout->scale_width == 0; i++) {
            double power = 1;
            for (int e = 0; e < abs(exponent); e++) {
                power *= 10;
            }
            const double length = exponent < 0 ? factors[i] / power : factors[i] * power;
            if (length * unit <= plan->part.out_width * 0.25) {
                layout->scale_width = (uint32_t)floor(length * unit + 0.5);
                snprintf(layout->texts[LINE_SCALE], TEXT_SIZE, "%g %s", length,
                         box           ? "box"
                         : length == 1 ? "cell"
                                       : "cells");
            }
        }
    }
    layout->scale_width = layout->scale_width > layout->size ? layout->scale_width : 0;
    const uint32_t text = width_of(layout, layout->texts[LINE_SCALE]);
    const uint32_t inside = text > layout->scale_width ? text : layout->scale_width;
    layout->scale_x = layout->pad + (inside - layout->scale_width) / 2;
    layout->left[LINE_SCALE] = layout->pad + (inside - text) / 2;
    layout->width[PANEL_SCALE] = layout->scale_width ? inside + 2 * layout->pad : 0;
}

/* --- the colour bars ------------------------------------------------------------------------- */

/* "column density (mass / volume)", or as much of it as fits. */
static void write_title(const struct vks_plan *plan, const struct layout *layout, const char *title,
                        const char *unit, char text[TEXT_SIZE])
{
    const struct vks_look_values *values = &plan->params->look->values;
    const enum vks_project project = values->plane.project;
    const bool flat = plan->params->points || plan->planes > 1 || values->mix.only;
    const bool projected =
        !flat && (plan->rays || strcmp(plan->params->displayed, "view_plane") == 0);
    const bool of_kind = projected && project != VKS_PROJECT_SLICE && project != VKS_PROJECT_SOFT;
    char number[16] = "";
    if (values->mix.only) {
        snprintf(number, sizeof(number), " %" PRIu32, values->mix.only);
    }
    text[0] = '\0';
    if (!title) {
        return;
    }
    const bool summed = of_kind && project == VKS_PROJECT_COLUMN;
    for (int shorter = unit && !summed ? 0 : 1; shorter < 2; shorter++) {
        snprintf(text, TEXT_SIZE, "%s%s%s%s%s%s%s", of_kind ? vks_project_names[project] : "",
                 of_kind ? " " : "", title, number, shorter ? "" : " (", shorter ? "" : unit,
                 shorter ? "" : ")");
        if (width_of(layout, text) <= layout->bar_width) {
            return;
        }
    }
    text[0] = '\0';
}

static void set_bars(const struct vks_plan *plan, struct layout *layout)
{
    const struct vks_labels *labels = &plan->params->labels;
    const struct vks_look_mix *mix = &plan->params->look->values.mix;
    const uint32_t share = share_of(plan->part.out_width, 28);
    const uint32_t min = MIN_BAR * layout->size, max = MAX_BAR * layout->size;
    uint32_t names = 0;
    layout->planes = plan->planes;
    layout->bar_height = layout->planes > 1 ? layout->ascent : share_of(layout->size, 65);
    for (uint32_t i = 0; layout->planes > 1 && i < layout->planes; i++) {
        char *name = layout->texts[LINE_NAMES + i];
        if (mix->names[i]) {
            snprintf(name, 16, "%s", mix->names[i]);
        } else {
            snprintf(name, 16, "%" PRIu32, i + 1);
        }
        const uint32_t width = width_of(layout, name);
        names = width > names ? width : names;
        layout->left[LINE_NAMES + i] = layout->pad;
    }
    layout->bar_x = layout->pad + names + (names ? share_of(layout->size, 50) : 0);
    layout->bar_width = share < min ? min : share > max ? max : share;
    layout->left[LINE_TITLE] = layout->bar_x;
    write_title(plan, layout, labels->title, labels->unit, layout->texts[LINE_TITLE]);
    write_title(plan, layout, labels->fallback, labels->unit, layout->texts[LINES]);
    /* Soft points have hues of one quantity in the brightness of another. */
    layout->width[PANEL_BAR] =
        plan->params->tint ? 0 : layout->bar_x + layout->bar_width + layout->pad;
}

/* --- the layout ------------------------------------------------------------------------------ */

static void leave_out(struct layout *layout, uint32_t panel)
{
    layout->width[panel] = layout->height[panel] = 0;
}

/* The time is at the top left, the scale bar at the bottom left, colour bars at the bottom right.
 * Leaves out what does not fit: the scale bar gives way to both others, colour bars to the time. No
 * panel but the time covers more than a quarter of the picture. */
static void place_panels(const struct vks_plan *plan, struct layout *layout)
{
    const uint32_t margin = layout->margin;
    const uint64_t width = plan->part.out_width, height = plan->part.out_height;
    /* The time as it usually is: longer ones are cut at the edge. */
    const uint64_t usual =
        width_of(layout, layout->texts[LINE_TIME]) + 6 * layout->digit + 2 * layout->pad;
    const uint64_t both = height - (height < 3 * margin ? height : 3 * margin);
    for (uint32_t i = 0; i < PANELS; i++) {
        const uint64_t area = (uint64_t)layout->width[i] * layout->height[i];
        const uint64_t across = i == PANEL_TIME ? usual : layout->width[i];
        if (across + 2 * margin > width || layout->height[i] + 2 * margin > height ||
            (i != PANEL_TIME && area * 4 > width * height)) {
            leave_out(layout, i);
        }
    }
    const uint32_t time = layout->height[PANEL_TIME];
    const uint32_t bar = layout->width[PANEL_BAR];
    if (time && usual + bar + 3 * margin > width && time + layout->height[PANEL_BAR] > both) {
        leave_out(layout, PANEL_BAR);
    }
    if (time + layout->height[PANEL_SCALE] > both ||
        layout->width[PANEL_SCALE] + layout->width[PANEL_BAR] + 3 * margin > width) {
        leave_out(layout, PANEL_SCALE);
    }
    if (time) {
        const uint64_t most = width - 2 * margin;
        layout->width[PANEL_TIME] =
            (uint32_t)(layout->width[PANEL_TIME] < most ? layout->width[PANEL_TIME] : most);
    }
    for (uint32_t i = 0; i < PANELS; i++) {
        layout->x[i] = i == PANEL_BAR ? (uint32_t)width - margin - layout->width[i] : margin;
        layout->y[i] = i == PANEL_TIME ? margin : (uint32_t)height - margin - layout->height[i];
    }
}

static void lay_out(const struct vks_plan *plan, struct layout *layout)
{
    const struct vks_labels *labels = &plan->params->labels;
    const struct vks_part *part = &plan->part;
    const uint32_t shorter =
        part->out_width < part->out_height ? part->out_width : part->out_height;
    const uint32_t min = shorter < SMALL_PICTURE ? MIN_TEXT : USUAL_TEXT;
    const uint32_t size = (shorter + 20) / 40;
    layout->size = size < min ? min : size > VKS_MAX_TEXT_SIZE ? VKS_MAX_TEXT_SIZE : size;
    layout->ascent = vks_text_ascent(layout->size);
    layout->descent = vks_text_descent(layout->size);
    layout->digit = widest_digit(layout->size);
    layout->pad = share_of(layout->size, 65);
    layout->pad = layout->pad > layout->descent ? layout->pad : layout->descent + 1;
    layout->margin = share_of(layout->size, 80);
    layout->radius = share_of(layout->size, 45);
    layout->tick = share_of(layout->size, 28);
    layout->beam = share_of(layout->size, 18);
    layout->stroke = layout->size < 24 ? 1 : (layout->size + 8) / 16;
    layout->frame = layout->stroke > 1 ? layout->stroke / 2 : 1;
    snprintf(layout->texts[LINE_TIME], TEXT_SIZE, "%s", labels->time ? "t = " : "step ");
    layout->left[LINE_TIME] = layout->pad;
    /* Room for the longest number. */
    layout->width[PANEL_TIME] =
        width_of(layout, layout->texts[LINE_TIME]) + 2 * layout->pad +
        time_width(layout, labels->time ? "16,777,215.0000" : "4,294,967,295");
    set_bars(plan, layout);
    set_scale(plan, layout);
    for (uint32_t i = 0; i < PANELS; i++) {
        layout->height[i] = layout->width[i] ? lay_rows(layout, i, NULL) : 0;
    }
    place_panels(plan, layout);
}

static uint32_t rows_of(const struct layout *layout)
{
    return layout->height[PANEL_TIME] + layout->height[PANEL_BAR] + layout->height[PANEL_SCALE];
}

/* --- the table ------------------------------------------------------------------------------- */

static bool uses(const struct layout *layout, char character)
{
    bool found = strchr("0123456789.,-e", character) != NULL;
    for (size_t i = 0; i < TEXTS && !found; i++) {
        found = strchr(layout->texts[i], character) != NULL;
    }
    return found;
}

static uint32_t atlas_width(const struct layout *layout)
{
    uint32_t width = 0;
    for (uint32_t i = 0; i < FONT_SIZE; i++) {
        const char character = (char)(FONT_FIRST + i);
        width += uses(layout, character) ? character_width(character, layout->size) : 0;
    }
    return width;
}

/* Where the parts of the table after its head begin. */
static uint32_t corners_at(const struct layout *layout)
{
    return TABLE_HEAD + rows_of(layout);
}

static uint32_t atlas_at(const struct layout *layout)
{
    return corners_at(layout) + layout->radius * layout->radius;
}

static void fill_strings(const struct layout *layout, uint32_t *table)
{
    uint32_t at = TABLE_STRINGS;
    for (uint32_t i = 0; i < TEXTS; i++) {
        const char *text = layout->texts[i];
        table[TABLE_TEXTS + 2 * i] = at;
        table[TABLE_TEXTS + 2 * i + 1] = (uint32_t)strlen(text);
        for (; *text; text++) {
            table[at++] = (unsigned char)*text;
        }
    }
}

static void fill_powers(uint32_t *table)
{
    for (int i = 0; i < POWERS; i++) {
        double power = 1;
        const int exponent = POWERS_FIRST + i;
        for (int e = 0; e < abs(exponent); e++) {
            power *= 10;
        }
        const float nearest = (float)(exponent < 0 ? 1 / power : power);
        memcpy(&table[TABLE_POWERS + i], &nearest, sizeof(nearest));
    }
}

/* The upper left quarter of a disc: how much of each pixel it covers, of 255. */
static void fill_corner(uint32_t radius, uint32_t *corner)
{
    for (uint32_t y = 0; y < radius; y++) {
        for (uint32_t x = 0; x < radius; x++) {
            const double across = radius - x - 0.5, down = radius - y - 0.5;
            const double inside = radius - sqrt(across * across + down * down) + 0.5;
            corner[y * radius + x] = (uint32_t)(255 * (inside < 0   ? 0
                                                       : inside > 1 ? 1
                                                                    : inside) +
                                                0.5);
        }
    }
}

/* Draws a character into columns of the atlas. */
static enum vks_result fill_glyph(const struct layout *layout, char character, uint32_t width,
                                  uint32_t stride, uint32_t *atlas)
{
    const uint32_t height = layout->ascent + layout->descent;
    const struct vks_canvas canvas = {calloc((size_t)width * height, 4), width, height};
    const char text[] = {character, '\0'};
    if (!canvas.rgba) {
        return vks_fail_memory();
    }
    vks_text_draw(&canvas, 0, layout->ascent, text, layout->size, 0xffffff);
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            atlas[(size_t)y * stride + x] = canvas.rgba[4 * ((size_t)y * width + x) + 3];
        }
    }
    free(canvas.rgba);
    return VKS_OK;
}

static enum vks_result fill_table(const void *user, const struct vks_field *field,
                                  const struct vks_source *source, void *out)
{
    const struct layout *layout = user;
    uint32_t *table = out;
    const uint32_t stride = atlas_width(layout);
    enum vks_result result = VKS_OK;
    uint32_t rows = 0, start = 0;
    (void)source;
    memset(table, 0, vks_field_bytes(field));
    for (uint32_t i = 0; i < PANELS; i++) {
        const uint32_t words[PANEL_WORDS] = {layout->x[i], layout->y[i], layout->width[i],
                                             layout->height[i], rows};
        memcpy(table + TABLE_PANELS + i * PANEL_WORDS, words, sizeof(words));
        if (layout->height[i]) {
            lay_rows(layout, i, table + TABLE_HEAD + rows);
            mark_rows(table + TABLE_HEAD, rows, rows + layout->height[i], i << ROW_PANEL_SHIFT);
        }
        rows += layout->height[i];
    }
    fill_strings(layout, table);
    fill_powers(table);
    memcpy(table + TABLE_LEFT, layout->left, sizeof(layout->left));
    fill_corner(layout->radius, table + corners_at(layout));
    for (uint32_t i = 0; i < FONT_SIZE && result == VKS_OK; i++) {
        const char character = (char)(FONT_FIRST + i);
        const uint32_t width = character_width(character, layout->size);
        table[TABLE_WIDTHS + i] = width;
        if (uses(layout, character)) {
            table[TABLE_STARTS + i] = start;
            result = fill_glyph(layout, character, width, stride, table + atlas_at(layout) + start);
            start += width;
        }
    }
    return result;
}

static void declare_table(const struct vks_plan *plan, const struct layout *layout)
{
    char hex[33];
    vks_digest_of(layout, sizeof(*layout), hex);
    const uint64_t atlas = (uint64_t)atlas_width(layout) * (layout->ascent + layout->descent);
    vks_plan_table(plan, "annotation_table", atlas_at(layout) + atlas, fill_table, layout,
                   sizeof(*layout), vks_declaration_name(plan->declaration, "%s", hex));
}

/* --- passes ---------------------------------------------------------------------------------- */

/* Of the lowest values, which are often the picture's background. */
static bool is_light(const struct vks_plan *plan)
{
    const struct vks_look *look = plan->params->look;
    const struct vks_look_values *values = &look->values;
    const struct vks_colormap *map = plan->planes > 1 ? &values->mix.maps[0] : &values->map;
    const size_t low = plan->range.symmetric ? 127 : look->invert ? 255 : 0;
    const bool coloured = plan->background.kind == VKS_BACKGROUND_COLOUR;
    const uint32_t colour = coloured ? plan->background.colour : map->entries[low];
    const bool known = coloured || plan->background.kind == VKS_BACKGROUND_NONE;
    const uint32_t luma =
        2126 * (colour & 0xff) + 7152 * (colour >> 8 & 0xff) + 722 * (colour >> 16 & 0xff);
    return known && luma > UINT32_C(10000) * 140;
}

static void declare_text(const struct vks_plan *plan, const struct layout *layout, uint32_t stride)
{
    const struct vks_labels *labels = &plan->params->labels;
    const bool two = plan->params->fallback != NULL;
    const struct annotate_text_params params = {
        .gamma = plan->view.gamma,
        .trims = plan->range.mode == VKS_RANGE_FIXED,
        .lines = LINE_NAMES + (layout->planes > 1 ? layout->planes : 0),
        .stride = stride,
        .digit = layout->digit,
        .gap = share_of(layout->size, 60),
        .pad = layout->pad,
        .bar_x = layout->bar_x,
        .bar_width = layout->bar_width,
        .stroke = layout->stroke,
    };
    vks_plan_buffer(plan, "annotation_columns", VKS_U32, (uint64_t)LINES * stride + 1);
    VKS_PASS(plan->declaration, .name = "annotate text", .shader = "view/annotate_text",
             .when = VKS_EACH_FRAME,
             .uses = VKS_USES({"annotation_table", VKS_READ}, {"view_level", VKS_READ},
                              {two ? "view_range" : "view_level", VKS_READ, "view_range"},
                              {labels->steps ? labels->steps : "palette", VKS_READ, "drawn_steps"},
                              {labels->time ? labels->time : "palette", VKS_READ, "drawn_time"},
                              {"annotation_columns", VKS_WRITE}),
             .specializations = VKS_SPECIALIZATIONS(
                 {"time_kind", labels->time    ? TIME_AMOUNT
                               : labels->steps ? TIME_STEPS
                                               : TIME_CLOCK},
                 {"has_fallback", two}, {"logarithmic", vks_plan_is_logarithmic(plan)},
                 {"symmetric", vks_plan_is_symmetric(plan)}, {"curve", vks_plan_curve(plan)}),
             VKS_PUSH(params), .items = {256}, .group = {256, 1});
}

static void declare_panels(const struct vks_plan *plan, const struct layout *layout,
                           uint32_t stride)
{
    const bool light = is_light(plan), deep = vks_planes_are_deep(plan->params->planes);
    const double pixels = (double)stride * rows_of(layout);
    const struct annotate_params params = {
        .width = plan->part.out_width,
        .first = plan->band.first,
        .end = plan->band.end,
        .rows = rows_of(layout),
        .stride = stride,
        .bar_x = layout->bar_x,
        .bar_width = layout->bar_width,
        .scale_x = layout->scale_x,
        .scale_width = layout->scale_width,
        .frame = layout->frame,
        .radius = layout->radius,
        .rows_at = TABLE_HEAD,
        .corners_at = corners_at(layout),
        .atlas_at = atlas_at(layout),
        .atlas_width = atlas_width(layout),
        .ink = light ? UINT32_C(0xff1a1616) : UINT32_C(0xffeef3f4),
        .shade = light ? UINT32_C(0xffffffff) : UINT32_C(0xff0e0b0b),
        .share = light ? 48000 : 44000,
        .contrast = plan->view.contrast,
    };
    const struct vks_use uses[] = {{"annotation_table", VKS_READ},
                                   {"annotation_columns", VKS_READ},
                                   {"palette", VKS_READ},
                                   {"picture", VKS_READ_WRITE},
                                   {deep ? "picture16" : NULL, VKS_READ_WRITE},
                                   {0}};
    VKS_PASS(plan->declaration, .name = "annotate",
             .shader = deep ? "view/annotate16" : "view/annotate", .when = VKS_EACH_FRAME,
             .uses = uses, VKS_PUSH(params), .items = {stride, params.rows}, .group = {32, 8},
             .bytes = (deep ? 32 : 16) * pixels, .operations = 50 * pixels);
}

void vks_plan_annotation(const struct vks_plan *plan)
{
    const size_t from = plan->declaration->pass_count;
    struct layout layout;
    uint32_t stride = 0;
    if (!plan->params->look->annotate) {
        return;
    }
    memset(&layout, 0, sizeof(layout));
    lay_out(plan, &layout);
    for (uint32_t i = 0; i < PANELS; i++) {
        stride = layout.width[i] > stride ? layout.width[i] : stride;
    }
    if (stride == 0) {
        return; /* nothing fits */
    }
    declare_table(plan, &layout);
    declare_text(plan, &layout, stride);
    declare_panels(plan, &layout, stride);
    vks_plan_run_in(plan, from, IN_DRAW);
}

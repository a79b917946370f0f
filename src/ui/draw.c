/* SPDX-License-Identifier: MIT */
#include "ui/draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum {
    CELL = 32,          /* pixels: side of the squares that are compared */
    GLYPH_SLOTS = 2048, /* a power of two */
    MAX_GLYPHS = GLYPH_SLOTS / 2,
    MAX_CLIPS = 16,
    TEXT_REACH = 2, /* pixels that glyphs may be beyond their advance and height */
};

enum kind { BOX, OUTLINE, LINE, TRIANGLE, IMAGE, TEXT };

/* One part of a picture, in pixels. */
struct command {
    enum kind kind;
    uint32_t colour;
    float at[6]; /* BOX, OUTLINE, IMAGE: left, top, right, bottom; else the points */
    float radius, thickness;
    struct vks_rect bounds, visible;
    struct vks_thumb image;
    uint32_t size, weight, spacing; /* TEXT */
    bool tabular;
    size_t text; /* offset in `texts` */
    uint64_t hash;
};

struct slot {
    uint64_t key; /* 0: free */
    struct vks_glyph glyph;
};

struct vks_draw {
    float scale;
    uint32_t background;
    struct vks_canvas canvas;
    struct command *commands;
    size_t count, capacity;
    char *texts;
    size_t text_bytes, text_capacity;
    struct vks_rect clips[MAX_CLIPS];
    size_t clip_count;
    uint64_t *cells[2]; /* of this picture and the one before */
    uint32_t columns, rows;
    bool all; /* the canvas is new */
    enum vks_result result;
    size_t glyph_count;
    struct slot glyphs[GLYPH_SLOTS];
};

enum vks_result vks_draw_create(struct vks_draw **draw)
{
    *draw = calloc(1, sizeof(**draw));
    return *draw ? VKS_OK : vks_fail_memory();
}

static void drop_glyphs(struct vks_draw *draw)
{
    for (size_t i = 0; i < GLYPH_SLOTS; i++) {
        free(draw->glyphs[i].glyph.coverage);
        draw->glyphs[i] = (struct slot){0};
    }
    draw->glyph_count = 0;
}

void vks_draw_destroy(struct vks_draw *draw)
{
    if (draw) {
        drop_glyphs(draw);
        free(draw->canvas.rgba);
        free(draw->cells[0]);
        free(draw->cells[1]);
        free(draw->commands);
        free(draw->texts);
        free(draw);
    }
}

const struct vks_canvas *vks_draw_canvas(const struct vks_draw *draw)
{
    return &draw->canvas;
}

uint32_t vks_blend(uint32_t from, uint32_t to, float part)
{
    uint32_t mixed = 0;
    for (int shift = 0; shift < 24; shift += 8) {
        const float a = (float)(from >> shift & 0xff), b = (float)(to >> shift & 0xff);
        mixed |= (uint32_t)(a + (b - a) * part + 0.5F) << shift;
    }
    return mixed;
}

/* --- rectangles ------------------------------------------------------------------------------ */

static struct vks_rect intersect(struct vks_rect a, struct vks_rect b)
{
    const int32_t left = a.x > b.x ? a.x : b.x, top = a.y > b.y ? a.y : b.y;
    const int32_t right = a.x + a.width < b.x + b.width ? a.x + a.width : b.x + b.width;
    const int32_t bottom = a.y + a.height < b.y + b.height ? a.y + a.height : b.y + b.height;
    return right > left && bottom > top ? (struct vks_rect){left, top, right - left, bottom - top}
                                        : (struct vks_rect){0};
}

static float whole(float x)
{
    return floorf(x + 0.5F);
}

/* The edges of a box, on whole pixels. */
static void snap(const struct vks_draw *draw, struct vks_box box, float at[4])
{
    at[0] = whole(box.x * draw->scale);
    at[1] = whole(box.y * draw->scale);
    at[2] = whole((box.x + box.width) * draw->scale);
    at[3] = whole((box.y + box.height) * draw->scale);
}

static struct vks_rect around(float left, float top, float right, float bottom)
{
    const int32_t x = (int32_t)floorf(left), y = (int32_t)floorf(top);
    return (struct vks_rect){x, y, (int32_t)ceilf(right) - x, (int32_t)ceilf(bottom) - y};
}

void vks_draw_clip(struct vks_draw *draw, struct vks_box box)
{
    float at[4];
    snap(draw, box, at);
    if (draw->clip_count < MAX_CLIPS) {
        draw->clips[draw->clip_count] =
            intersect(draw->clips[draw->clip_count - 1], around(at[0], at[1], at[2], at[3]));
        draw->clip_count++;
    }
}

void vks_draw_unclip(struct vks_draw *draw)
{
    if (draw->clip_count > 1) {
        draw->clip_count--;
    }
}

/* --- recording ------------------------------------------------------------------------------- */

static bool allocate_cells(struct vks_draw *draw)
{
    const uint32_t columns = (draw->canvas.width + CELL - 1) / CELL;
    const uint32_t rows = (draw->canvas.height + CELL - 1) / CELL;
    for (int i = 0; i < 2; i++) {
        free(draw->cells[i]);
        draw->cells[i] = calloc((size_t)columns * rows, sizeof(uint64_t));
    }
    draw->columns = columns;
    draw->rows = rows;
    return draw->cells[0] && draw->cells[1];
}

void vks_draw_begin(struct vks_draw *draw, uint32_t width, uint32_t height, float scale,
                    uint32_t background)
{
    draw->result = VKS_OK;
    if (width != draw->canvas.width || height != draw->canvas.height || !draw->canvas.rgba) {
        free(draw->canvas.rgba);
        draw->canvas = (struct vks_canvas){calloc((size_t)width * height + 1, 4), width, height};
        draw->all = true;
        if (!draw->canvas.rgba || !allocate_cells(draw)) {
            free(draw->canvas.rgba);
            draw->canvas = (struct vks_canvas){0};
            draw->columns = draw->rows = 0;
            draw->result = vks_fail_memory();
        }
    }
    draw->all = draw->all || scale != draw->scale || background != draw->background;
    draw->scale = scale;
    draw->background = background;
    draw->count = draw->text_bytes = 0;
    draw->clips[0] =
        (struct vks_rect){0, 0, (int32_t)draw->canvas.width, (int32_t)draw->canvas.height};
    draw->clip_count = 1;
}

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const uint8_t *byte = bytes;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* What the pixels of a command follow from. */
static uint64_t hash_of(const struct command *command, const char *text)
{
    const uint32_t words[] = {command->kind,        command->colour,       command->size,
                              command->weight,      command->spacing,      command->tabular,
                              command->image.width, command->image.height, command->image.version};
    uint64_t hash = hash_bytes(UINT64_C(0xcbf29ce484222325), words, sizeof(words));
    hash = hash_bytes(hash, command->at, sizeof(command->at));
    hash = hash_bytes(hash, &command->radius, sizeof(command->radius));
    hash = hash_bytes(hash, &command->thickness, sizeof(command->thickness));
    hash = hash_bytes(hash, &command->visible, sizeof(command->visible));
    hash = hash_bytes(hash, &command->image.rgba, sizeof(command->image.rgba));
    return text ? hash_bytes(hash, text, strlen(text)) : hash;
}

static bool keep_text(struct vks_draw *draw, const char *text, size_t *offset)
{
    const size_t bytes = strlen(text) + 1;
    if (draw->text_bytes + bytes > draw->text_capacity) {
        const size_t capacity = 2 * draw->text_capacity + bytes + 4096;
        char *texts = realloc(draw->texts, capacity);
        if (!texts) {
            draw->result = vks_fail_memory();
            return false;
        }
        draw->texts = texts;
        draw->text_capacity = capacity;
    }
    memcpy(draw->texts + draw->text_bytes, text, bytes);
    *offset = draw->text_bytes;
    draw->text_bytes += bytes;
    return true;
}

/* Keeps the command if any of it can be seen. */
static void record(struct vks_draw *draw, struct command command, const char *text)
{
    command.visible = intersect(command.bounds, draw->clips[draw->clip_count - 1]);
    if (command.visible.width == 0 || draw->result != VKS_OK) {
        return;
    }
    command.hash = hash_of(&command, text);
    struct command *commands =
        vks_grow(draw->commands, sizeof(command), draw->count, &draw->capacity);
    if (!commands) {
        draw->result = vks_fail_memory();
        return;
    }
    draw->commands = commands;
    if (!text || keep_text(draw, text, &command.text)) {
        draw->commands[draw->count++] = command;
    }
}

static void record_box(struct vks_draw *draw, struct command command, struct vks_box box)
{
    snap(draw, box, command.at);
    const float shorter = fminf(command.at[2] - command.at[0], command.at[3] - command.at[1]);
    command.radius = fminf(command.radius * draw->scale, shorter / 2);
    command.bounds = around(command.at[0], command.at[1], command.at[2], command.at[3]);
    record(draw, command, NULL);
}

void vks_draw_box(struct vks_draw *draw, struct vks_box box, float radius, uint32_t colour)
{
    record_box(draw, (struct command){.kind = BOX, .colour = colour, .radius = radius}, box);
}

void vks_draw_outline(struct vks_draw *draw, struct vks_box box, float radius, float thickness,
                      uint32_t colour)
{
    record_box(draw,
               (struct command){.kind = OUTLINE,
                                .colour = colour,
                                .radius = radius,
                                .thickness = fmaxf(whole(thickness * draw->scale), 1)},
               box);
}

void vks_draw_image(struct vks_draw *draw, struct vks_box box, float radius,
                    const struct vks_thumb *image)
{
    record_box(draw, (struct command){.kind = IMAGE, .image = *image, .radius = radius}, box);
}

void vks_draw_disc(struct vks_draw *draw, float x, float y, float radius, uint32_t colour)
{
    const float px = x * draw->scale, py = y * draw->scale, r = radius * draw->scale;
    struct command command = {.kind = BOX,
                              .colour = colour,
                              .at = {px - r, py - r, px + r, py + r},
                              .radius = r,
                              .bounds = around(px - r, py - r, px + r, py + r)};
    record(draw, command, NULL);
}

void vks_draw_line(struct vks_draw *draw, float x0, float y0, float x1, float y1, float thickness,
                   uint32_t colour)
{
    const float s = draw->scale, half = thickness * s / 2 + 1;
    struct command command = {.kind = LINE,
                              .colour = colour,
                              .at = {x0 * s, y0 * s, x1 * s, y1 * s},
                              .thickness = thickness * s,
                              .bounds = around(fminf(x0, x1) * s - half, fminf(y0, y1) * s - half,
                                               fmaxf(x0, x1) * s + half, fmaxf(y0, y1) * s + half)};
    record(draw, command, NULL);
}

void vks_draw_triangle(struct vks_draw *draw, const float corners[6], uint32_t colour)
{
    struct command command = {.kind = TRIANGLE, .colour = colour};
    float low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int i = 0; i < 6; i++) {
        command.at[i] = corners[i] * draw->scale;
        low[i % 2] = fminf(low[i % 2], command.at[i]);
        high[i % 2] = fmaxf(high[i % 2], command.at[i]);
    }
    command.bounds = around(low[0], low[1], high[0], high[1]);
    record(draw, command, NULL);
}

/* --- text ------------------------------------------------------------------------------------ */

/* The glyph from the cache; NULL if memory or the cache ran out. */
static const struct vks_glyph *glyph_of(struct vks_draw *draw, uint32_t code, uint32_t size,
                                        uint32_t weight)
{
    const uint64_t key = (uint64_t)code << 32 | size << 16 | weight << 1 | 1;
    size_t at = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 40) % GLYPH_SLOTS;
    while (draw->glyphs[at].key && draw->glyphs[at].key != key) {
        at = (at + 1) % GLYPH_SLOTS;
    }
    struct slot *slot = &draw->glyphs[at];
    if (!slot->key) {
        if (draw->glyph_count == GLYPH_SLOTS - 1) {
            return NULL; /* until the end of this picture */
        }
        const enum vks_result result = vks_text_glyph(code, size, weight, &slot->glyph);
        if (result != VKS_OK) {
            draw->result = result;
            return NULL;
        }
        slot->key = key;
        draw->glyph_count++;
    }
    return &slot->glyph;
}

static uint32_t pixels_of(const struct vks_draw *draw, const struct vks_style *style)
{
    return (uint32_t)whole(style->size * draw->scale);
}

static bool is_digit(uint32_t code)
{
    return code >= '0' && code <= '9';
}

/* Calls for each character: its glyph and pen position. Returns the final pen position. */
typedef void place_fn(void *user, const struct vks_glyph *glyph, int32_t pen);

static int32_t set_text(struct vks_draw *draw, const struct command *command, const char *text,
                        int32_t pen, place_fn *place, void *user)
{
    while (*text) {
        const uint32_t code = vks_text_next(&text);
        const struct vks_glyph *glyph = glyph_of(draw, code, command->size, command->weight);
        const struct vks_glyph *wide = command->tabular && is_digit(code)
                                           ? glyph_of(draw, '0', command->size, command->weight)
                                           : glyph;
        if (!glyph || !wide) {
            break;
        }
        const int32_t advance = (int32_t)wide->advance;
        const int32_t before = (advance - (int32_t)glyph->advance) / 2;
        if (place) {
            place(user, glyph, pen + before);
        }
        pen += advance + (int32_t)command->spacing;
    }
    return pen;
}

static struct command text_command(const struct vks_draw *draw, const struct vks_style *style)
{
    return (struct command){.kind = TEXT,
                            .size = pixels_of(draw, style),
                            .weight = style->weight,
                            .spacing = (uint32_t)whole(style->spacing * draw->scale),
                            .tabular = style->tabular};
}

float vks_draw_text_width(struct vks_draw *draw, const struct vks_style *style, const char *text)
{
    const struct command command = text_command(draw, style);
    return (float)set_text(draw, &command, text, 0, NULL, NULL) / draw->scale;
}

float vks_draw_text(struct vks_draw *draw, float x, float baseline, const struct vks_style *style,
                    uint32_t colour, const char *text)
{
    struct command command = text_command(draw, style);
    const int32_t left = (int32_t)whole(x * draw->scale);
    const int32_t base = (int32_t)whole(baseline * draw->scale);
    const int32_t right = set_text(draw, &command, text, left, NULL, NULL);
    const int32_t top = base - (int32_t)vks_text_ascent(command.size) - TEXT_REACH;
    const int32_t bottom = base + (int32_t)vks_text_descent(command.size) + TEXT_REACH;
    command.colour = colour;
    command.at[0] = (float)left;
    command.at[1] = (float)base;
    command.bounds =
        (struct vks_rect){left - TEXT_REACH, top, right - left + 2 * TEXT_REACH, bottom - top};
    record(draw, command, text);
    return (float)right / draw->scale;
}

const char *vks_draw_text_fit(struct vks_draw *draw, const struct vks_style *style,
                              const char *text, float width, char *buffer, size_t size)
{
    static const char dots[] = "\xe2\x80\xa6";
    size_t length = strlen(text);
    if (length < size && vks_draw_text_width(draw, style, text) <= width) {
        memcpy(buffer, text, length + 1);
        return buffer;
    }
    length = length < size - sizeof(dots) ? length : size - sizeof(dots);
    for (;;) {
        while (length > 0 &&
               (((unsigned char)text[length] & 0xc0) == 0x80 || text[length - 1] == ' ')) {
            length--;
        }
        memcpy(buffer, text, length);
        memcpy(buffer + length, dots, sizeof(dots));
        if (length == 0 || vks_draw_text_width(draw, style, buffer) <= width) {
            return buffer;
        }
        length--;
    }
}

/* --- pixels ---------------------------------------------------------------------------------- */

/* Paints over a pixel, `part` of 255. */
static void put(uint8_t *pixel, uint32_t colour, uint32_t part)
{
    const uint32_t channels[] = {colour >> 16 & 0xff, colour >> 8 & 0xff, colour & 0xff};
    for (int i = 0; i < 3; i++) {
        pixel[i] = (uint8_t)((pixel[i] * (255 - part) + channels[i] * part + 127) / 255);
    }
    pixel[3] = 255;
}

static uint8_t *pixel_at(const struct vks_draw *draw, int32_t x, int32_t y)
{
    return draw->canvas.rgba + ((size_t)y * draw->canvas.width + (size_t)x) * 4;
}

static float limit(float x)
{
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

/* Distance of a pixel's centre from the edge of a rounded box, inside negative. */
static float box_distance(const struct command *command, float x, float y)
{
    const float *at = command->at;
    const float inner = command->radius;
    const float dx = fmaxf(at[0] + inner - x, x - at[2] + inner);
    const float dy = fmaxf(at[1] + inner - y, y - at[3] + inner);
    if (dx > 0 && dy > 0) {
        return sqrtf(dx * dx + dy * dy) - inner;
    }
    return fmaxf(dx, dy) - inner;
}

static float line_distance(const struct command *command, float x, float y)
{
    const float *at = command->at;
    const float dx = at[2] - at[0], dy = at[3] - at[1], square = dx * dx + dy * dy;
    const float t = square > 0 ? limit(((x - at[0]) * dx + (y - at[1]) * dy) / square) : 0;
    const float rx = x - at[0] - t * dx, ry = y - at[1] - t * dy;
    return sqrtf(rx * rx + ry * ry) - command->thickness / 2;
}

static float triangle_distance(const struct command *command, float x, float y)
{
    const float *at = command->at;
    const float area = (at[2] - at[0]) * (at[5] - at[1]) - (at[4] - at[0]) * (at[3] - at[1]);
    float max = -INFINITY;
    for (int i = 0; i < 3; i++) {
        const float *a = at + 2 * i, *b = at + 2 * ((i + 1) % 3);
        const float dx = b[0] - a[0], dy = b[1] - a[1];
        const float side = (dy * (x - a[0]) - dx * (y - a[1])) / sqrtf(dx * dx + dy * dy);
        max = fmaxf(max, area > 0 ? side : -side);
    }
    return max;
}

static float shape_part(const struct command *command, float x, float y)
{
    switch (command->kind) {
    case OUTLINE: {
        const float away = box_distance(command, x, y);
        return limit(0.5F - away) - limit(0.5F - away - command->thickness);
    }
    case LINE:
        return limit(0.5F - line_distance(command, x, y));
    case TRIANGLE:
        return limit(0.5F - triangle_distance(command, x, y));
    default:
        return limit(0.5F - box_distance(command, x, y));
    }
}

/* The columns of a row that a BOX covers fully: *from to *to, perhaps none. */
static void solid_columns(const struct command *command, int32_t y, int32_t *from, int32_t *to)
{
    const float *at = command->at, middle = (float)y + 0.5F;
    const bool corner = middle < at[1] + command->radius || middle > at[3] - command->radius;
    const float inset = corner ? command->radius : 0;
    *from = (int32_t)ceilf(at[0] + inset);
    *to = middle - 0.5F < at[1] || middle + 0.5F > at[3] ? *from : (int32_t)floorf(at[2] - inset);
}

static void fill_row(uint8_t *pixel, int32_t count, uint32_t colour)
{
    const uint8_t bytes[] = {(uint8_t)(colour >> 16), (uint8_t)(colour >> 8), (uint8_t)colour, 255};
    for (int32_t i = 0; i < count; i++) {
        memcpy(pixel + 4 * i, bytes, 4);
    }
}

static void draw_shape(const struct vks_draw *draw, const struct command *command,
                       struct vks_rect area)
{
    for (int32_t y = area.y; y < area.y + area.height; y++) {
        int32_t from = 0, to = 0;
        if (command->kind == BOX) {
            solid_columns(command, y, &from, &to);
        }
        for (int32_t x = area.x; x < area.x + area.width; x++) {
            if (x >= from && x < to) {
                const int32_t end = to < area.x + area.width ? to : area.x + area.width;
                fill_row(pixel_at(draw, x, y), end - x, command->colour);
                x = end - 1;
                continue;
            }
            const float part = shape_part(command, (float)x + 0.5F, (float)y + 0.5F);
            if (part > 0) {
                put(pixel_at(draw, x, y), command->colour, (uint32_t)(part * 255 + 0.5F));
            }
        }
    }
}

/* The texels that a pixel covers, and how much of each in units of 1/count of a texel. */
struct span {
    uint32_t from, to; /* to: the first that it does not cover */
    uint64_t begin, end;
    uint32_t count;
};

static struct span span_of(int32_t pixel, int32_t count, uint32_t texels)
{
    struct span span = {.begin = (uint64_t)pixel * texels, .count = (uint32_t)count};
    span.end = span.begin + texels;
    span.from = (uint32_t)(span.begin / span.count);
    span.to = (uint32_t)((span.end + span.count - 1) / span.count);
    return span;
}

static uint64_t share(const struct span *span, uint32_t texel)
{
    const uint64_t begin = (uint64_t)texel * span->count, end = begin + span->count;
    return (end < span->end ? end : span->end) - (begin > span->begin ? begin : span->begin);
}

/* The mean colour of the area that a pixel covers. */
static uint32_t mean_colour(const struct vks_thumb *image, const struct span *x,
                            const struct span *y)
{
    uint64_t sums[3] = {0};
    const uint64_t area = (uint64_t)image->width * image->height;
    for (uint32_t row = y->from; row < y->to; row++) {
        const uint64_t height = share(y, row);
        const uint8_t *texel = image->rgba + ((size_t)row * image->width + x->from) * 4;
        for (uint32_t column = x->from; column < x->to; column++, texel += 4) {
            const uint64_t part = height * share(x, column);
            for (int i = 0; i < 3; i++) {
                sums[i] += part * texel[i];
            }
        }
    }
    for (int i = 0; i < 3; i++) {
        sums[i] = (sums[i] + area / 2) / area;
    }
    return (uint32_t)(sums[0] << 16 | sums[1] << 8 | sums[2]);
}

static void draw_picture(const struct vks_draw *draw, const struct command *command,
                         struct vks_rect area)
{
    const struct vks_rect *box = &command->bounds;
    const struct vks_thumb *image = &command->image;
    for (int32_t y = area.y; y < area.y + area.height; y++) {
        const struct span down = span_of(y - box->y, box->height, image->height);
        for (int32_t x = area.x; x < area.x + area.width; x++) {
            const struct span across = span_of(x - box->x, box->width, image->width);
            const float part = shape_part(command, (float)x + 0.5F, (float)y + 0.5F);
            put(pixel_at(draw, x, y), mean_colour(image, &across, &down),
                (uint32_t)(part * 255 + 0.5F));
        }
    }
}

struct pen {
    const struct vks_draw *draw;
    const struct command *command;
    struct vks_rect area;
};

static void place_glyph(void *user, const struct vks_glyph *glyph, int32_t x)
{
    const struct pen *pen = user;
    const struct vks_rect whole_glyph = {x + glyph->left, (int32_t)pen->command->at[1] + glyph->top,
                                         (int32_t)glyph->width, (int32_t)glyph->height};
    const struct vks_rect area = intersect(whole_glyph, pen->area);
    for (int32_t row = area.y; row < area.y + area.height; row++) {
        const uint8_t *part = glyph->coverage + (size_t)(row - whole_glyph.y) * glyph->width +
                              (area.x - whole_glyph.x);
        uint8_t *pixel = pixel_at(pen->draw, area.x, row);
        for (int32_t i = 0; i < area.width; i++) {
            put(pixel + 4 * i, pen->command->colour, part[i]);
        }
    }
}

static void draw_command(struct vks_draw *draw, const struct command *command, struct vks_rect area)
{
    area = intersect(area, command->visible);
    if (area.width == 0) {
        return;
    }
    if (command->kind == IMAGE) {
        draw_picture(draw, command, area);
    } else if (command->kind == TEXT) {
        struct pen pen = {draw, command, area};
        set_text(draw, command, draw->texts + command->text, (int32_t)command->at[0], place_glyph,
                 &pen);
    } else {
        draw_shape(draw, command, area);
    }
}

/* --- what has changed ------------------------------------------------------------------------ */

static void mark_cells(struct vks_draw *draw, const struct command *command)
{
    const struct vks_rect *seen = &command->visible;
    const int32_t right = (seen->x + seen->width - 1) / CELL;
    const int32_t bottom = (seen->y + seen->height - 1) / CELL;
    for (int32_t y = seen->y / CELL; y <= bottom; y++) {
        for (int32_t x = seen->x / CELL; x <= right; x++) {
            uint64_t *cell = &draw->cells[0][(size_t)y * draw->columns + (size_t)x];
            *cell = *cell * UINT64_C(0x100000001b3) ^ command->hash;
        }
    }
}

static bool cell_differs(const struct vks_draw *draw, uint32_t x, uint32_t y)
{
    const size_t at = (size_t)y * draw->columns + x;
    return draw->all || draw->cells[0][at] != draw->cells[1][at];
}

/* Adds a row of cells, to the rectangle above if that has the same columns. */
static void add_rect(struct vks_rect *rects, size_t *count, struct vks_rect rect)
{
    for (size_t i = 0; i < *count; i++) {
        if (rects[i].x == rect.x && rects[i].width == rect.width &&
            rects[i].y + rects[i].height == rect.y) {
            rects[i].height += rect.height;
            return;
        }
    }
    if (*count < VKS_MAX_RECTS) {
        rects[(*count)++] = rect;
        return;
    }
    /* The last one takes all that is left. */
    struct vks_rect *last = &rects[VKS_MAX_RECTS - 1];
    const int32_t left = last->x < rect.x ? last->x : rect.x;
    const int32_t right =
        last->x + last->width > rect.x + rect.width ? last->x + last->width : rect.x + rect.width;
    *last = (struct vks_rect){left, last->y, right - left, rect.y + rect.height - last->y};
}

static void find_rects(const struct vks_draw *draw, struct vks_rect *rects, size_t *count)
{
    *count = 0;
    for (uint32_t y = 0; y < draw->rows; y++) {
        for (uint32_t x = 0; x < draw->columns; x++) {
            const uint32_t from = x;
            while (x < draw->columns && cell_differs(draw, x, y)) {
                x++;
            }
            if (x > from) {
                const struct vks_rect run = {(int32_t)(from * CELL), (int32_t)(y * CELL),
                                             (int32_t)((x - from) * CELL), CELL};
                add_rect(rects, count, intersect(run, draw->clips[0]));
            }
        }
    }
}

static void redraw(struct vks_draw *draw, struct vks_rect area)
{
    for (int32_t y = area.y; y < area.y + area.height; y++) {
        fill_row(pixel_at(draw, area.x, y), area.width, draw->background);
    }
    for (size_t i = 0; i < draw->count; i++) {
        draw_command(draw, &draw->commands[i], area);
    }
}

enum vks_result vks_draw_end(struct vks_draw *draw, struct vks_rect *rects, size_t *count)
{
    *count = 0;
    if (draw->result != VKS_OK) {
        return draw->result;
    }
    memset(draw->cells[0], 0, (size_t)draw->columns * draw->rows * sizeof(uint64_t));
    for (size_t i = 0; i < draw->count; i++) {
        mark_cells(draw, &draw->commands[i]);
    }
    find_rects(draw, rects, count);
    for (size_t i = 0; i < *count; i++) {
        redraw(draw, rects[i]);
    }
    uint64_t *before = draw->cells[1];
    draw->cells[1] = draw->cells[0];
    draw->cells[0] = before;
    draw->all = draw->result != VKS_OK;
    if (draw->glyph_count > MAX_GLYPHS) {
        drop_glyphs(draw);
    }
    return draw->result;
}

bool vks_draw_item(const struct vks_draw *draw, size_t index, struct vks_drawn *item)
{
    if (index >= draw->count) {
        return false;
    }
    const struct command *command = &draw->commands[index];
    *item = (struct vks_drawn){command->bounds, command->visible,
                               command->kind == TEXT ? draw->texts + command->text : NULL};
    if (item->text) {
        item->bounds = (struct vks_rect){
            command->bounds.x + TEXT_REACH, command->bounds.y + TEXT_REACH,
            command->bounds.width - 2 * TEXT_REACH, command->bounds.height - 2 * TEXT_REACH};
    }
    return true;
}

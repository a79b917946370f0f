/* SPDX-License-Identifier: MIT */
#include "ui/strip.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    PAD = 14,
    ICON = 24,
    JOB = 58,
    SAVED = 36,
    NARROW = 600, /* points; below them without the speed */
};

struct strip {
    struct vks_ui *ui;
    const struct vks_strip_data *data;
    struct vks_actions *actions;
};

const char *vks_group_digits(uint64_t number, char buffer[40])
{
    char digits[24];
    const int length = snprintf(digits, sizeof(digits), "%" PRIu64, number);
    size_t at = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) {
            memcpy(buffer + at, "\xe2\x80\x89", 3);
            at += 3;
        }
        buffer[at++] = digits[i];
    }
    buffer[at] = '\0';
    return buffer;
}

/* --- buttons --------------------------------------------------------------------------------- */

/* A place for an icon. Returns its colour. */
static uint32_t icon(const struct strip *strip, const char *name, struct vks_box box,
                     enum vks_action_kind kind, const char *tip)
{
    struct vks_ui *ui = strip->ui;
    const uint32_t id = vks_ui_id(name);
    const struct vks_touch touch = vks_ui_touch(ui, id, box, true);
    if (touch.clicked) {
        vks_actions_add(strip->actions, kind);
    }
    if (touch.hover) {
        vks_draw_box(ui->draw, box, 4, VKS_COLOUR_RULE);
    }
    if (touch.focused) {
        vks_ui_ring(ui, (struct vks_box){box.x + 2, box.y + 2, box.width - 4, box.height - 4}, 3);
    }
    vks_ui_tip(ui, id, box, tip);
    return touch.hover ? VKS_COLOUR_BRIGHT : VKS_COLOUR_TEXT;
}

static void play_button(const struct strip *strip, struct vks_box box)
{
    const bool paused = strip->data->paused;
    const uint32_t colour = icon(strip, "pause", box, VKS_ACTION_PAUSE, paused ? "go on" : "pause");
    const float x = box.x + box.width / 2, y = box.y + box.height / 2;
    struct vks_draw *draw = strip->ui->draw;
    if (paused) {
        vks_draw_triangle(draw, (const float[]){x - 4, y - 6, x - 4, y + 6, x + 6, y}, colour);
    } else {
        vks_draw_box(draw, (struct vks_box){x - 5, y - 6, 3, 12}, 1, colour);
        vks_draw_box(draw, (struct vks_box){x + 2, y - 6, 3, 12}, 1, colour);
    }
}

static void save_button(const struct strip *strip, struct vks_box box)
{
    const uint32_t colour = icon(strip, "save", box, VKS_ACTION_SAVE, "save the picture");
    const float x = box.x + box.width / 2, y = box.y + box.height / 2;
    struct vks_draw *draw = strip->ui->draw;
    vks_draw_outline(draw, (struct vks_box){x - 7, y - 5, 14, 11}, 2, 1, colour);
    vks_draw_triangle(draw, (const float[]){x - 4, y + 4, x + 4, y + 4, x, y - 1}, colour);
    vks_draw_disc(draw, x + 3.5F, y - 1.5F, 1.2F, colour);
}

/* What was saved last: a click shows it in the gallery. */
static void saved_button(const struct strip *strip, struct vks_box box)
{
    const uint32_t colour = icon(strip, "saved", box, VKS_ACTION_GALLERY, strip->data->saved->name);
    const struct vks_box image = {box.x + 1, box.y + 1, box.width - 2, box.height - 2};
    vks_draw_image(strip->ui->draw, image, 3, &strip->data->saved->image);
    vks_draw_outline(strip->ui->draw, box, 4, 1,
                     colour == VKS_COLOUR_BRIGHT ? VKS_COLOUR_LIGHT : VKS_COLOUR_TRACK);
}

/* A disc, and while recording the time. Returns the width. */
static void record_button(const struct strip *strip, struct vks_box box)
{
    const double seconds = strip->data->recorded;
    const bool on = seconds >= 0;
    const uint32_t colour =
        icon(strip, "record", box, VKS_ACTION_RECORD, on ? "end the video" : "record a video");
    struct vks_draw *draw = strip->ui->draw;
    const float x = box.x + ICON / 2, y = box.y + box.height / 2;
    if (!on) {
        vks_draw_outline(draw, (struct vks_box){x - 5, y - 5, 10, 10}, 5, 1, colour);
        vks_draw_disc(draw, x, y, 2.5F, VKS_COLOUR_ALERT);
        return;
    }
    char text[32];
    const unsigned whole = (unsigned)seconds;
    snprintf(text, sizeof(text), "%02u:%02u", whole / 60, whole % 60);
    vks_draw_disc(draw, x, y, 5, VKS_COLOUR_ALERT);
    vks_ui_text(strip->ui, (struct vks_box){x + 9, box.y, box.width - ICON + 3, box.height},
                VKS_ALIGN_LEFT, &vks_style_number, VKS_COLOUR_ALERT, text);
}

/* How far a rendering is, and how many wait behind it. A click gives it up. */
static void job_button(const struct strip *strip, struct vks_box box)
{
    const struct vks_strip_data *data = strip->data;
    const char *slash = strrchr(data->job, '/');
    char tip[VKS_UI_TEXT_SIZE], text[48], more[32] = "";
    const double share = fmax(data->job_share, 0);
    snprintf(tip, sizeof(tip), "give up %.200s", slash ? slash + 1 : data->job);
    const uint32_t colour = icon(strip, "job", box, VKS_ACTION_CANCEL, tip);
    if (data->jobs > 1) {
        snprintf(more, sizeof(more), " +%zu", data->jobs - 1);
    }
    snprintf(text, sizeof(text), "%.0f %%%s", floor(100 * share), more);
    vks_ui_text(strip->ui, (struct vks_box){box.x, box.y, box.width, box.height - 4},
                VKS_ALIGN_MIDDLE, &vks_style_number, colour, text);
    const struct vks_box bar = {box.x + 4, box.y + box.height - 4, box.width - 8, 2};
    vks_draw_box(strip->ui->draw, bar, 1, VKS_COLOUR_TRACK);
    vks_draw_box(strip->ui->draw,
                 (struct vks_box){bar.x, bar.y, bar.width * (float)share, bar.height}, 1,
                 VKS_COLOUR_ACCENT);
}

/* --- the past ------------------------------------------------------------------------------- */

void vks_branches_add(struct vks_branches *branches, uint64_t step, uint64_t end)
{
    while (branches->count > 0 && branches->steps[branches->count - 1] >= step) {
        branches->count--;
    }
    if (branches->count == VKS_MAX_BRANCHES) {
        branches->count--;
        memmove(branches->steps, branches->steps + 1, branches->count * sizeof(branches->steps[0]));
        memmove(branches->ends, branches->ends + 1, branches->count * sizeof(branches->ends[0]));
    }
    branches->steps[branches->count] = step;
    branches->ends[branches->count++] = end;
}

/* --- the time line --------------------------------------------------------------------------- */

static float place_of(const struct vks_strip_data *data, struct vks_box track, uint64_t step)
{
    const double range = data->last > data->first ? (double)(data->last - data->first) : 1;
    const double at = step > data->first ? (double)(step - data->first) / range : 0;
    return track.x + track.width * (float)fmin(at, 1);
}

static uint64_t step_at(const struct vks_strip_data *data, struct vks_box track, float x)
{
    const float at = fminf(fmaxf((x - track.x) / track.width, 0), 1);
    return data->first + (uint64_t)((double)at * (double)(data->last - data->first) + 0.5);
}

static void draw_marks(const struct strip *strip, struct vks_box track)
{
    struct vks_draw *draw = strip->ui->draw;
    const float y = track.y + track.height / 2;
    float before[] = {-1, -1, -1, -1}; /* by kind */
    for (size_t i = 0; i < strip->data->mark_count; i++) {
        const struct vks_mark *mark = &strip->data->marks[i];
        const float x = floorf(place_of(strip->data, track, mark->step));
        if (mark->step < strip->data->first || mark->step > strip->data->last ||
            x == before[mark->kind]) {
            continue;
        }
        before[mark->kind] = x;
        if (mark->kind == VKS_MARK_PICTURE) {
            vks_draw_disc(draw, x, y - 8, 2.5F, VKS_COLOUR_BRIGHT);
        } else if (mark->kind == VKS_MARK_BRANCH) {
            vks_draw_box(draw, (struct vks_box){x, y + 1.5F, 1, 8}, 0, VKS_COLOUR_DIM);
            vks_draw_box(draw, (struct vks_box){x, y + 8.5F, 6, 1}, 0, VKS_COLOUR_DIM);
        } else if (mark->kind == VKS_MARK_END) {
            vks_draw_box(draw, (struct vks_box){x, y + 1.5F, 1, 8}, 0, VKS_COLOUR_DIM);
            vks_draw_box(draw, (struct vks_box){x - 5, y + 8.5F, 6, 1}, 0, VKS_COLOUR_DIM);
        } else {
            vks_draw_box(draw, (struct vks_box){x, y - 4, 1, 8}, 0,
                         vks_blend(VKS_COLOUR_GROUND, VKS_COLOUR_ALERT, 0.75F));
        }
    }
}

static void draw_line(const struct strip *strip, struct vks_box track, uint64_t step, bool lit)
{
    struct vks_draw *draw = strip->ui->draw;
    const float y = track.y + track.height / 2, x = place_of(strip->data, track, step);
    vks_draw_box(draw, (struct vks_box){track.x, y - 2, track.width, 4}, 2, VKS_COLOUR_TRACK);
    vks_draw_box(draw, (struct vks_box){track.x, y - 2, x - track.x, 4}, 2, VKS_COLOUR_FAINT);
    draw_marks(strip, track);
    vks_draw_box(draw, (struct vks_box){floorf(x) - 1, y - 7, 3, 14}, 1.5F,
                 lit ? VKS_COLOUR_LIGHT : VKS_COLOUR_ACCENT);
}

/* The step under the pointer, above the line. */
static void draw_goal(const struct strip *strip, struct vks_box track, float x, uint64_t step)
{
    char text[40];
    struct vks_ui *ui = strip->ui;
    vks_group_digits(step, text);
    const float width = vks_draw_text_width(ui->draw, &vks_style_small, text);
    const float left = fminf(fmaxf(x - width / 2, track.x), track.x + track.width - width);
    vks_ui_text(ui, (struct vks_box){left, 2, width + 1, 12}, VKS_ALIGN_LEFT, &vks_style_small,
                VKS_COLOUR_BRIGHT, text);
}

static void seek(const struct strip *strip, uint64_t step, bool more)
{
    struct vks_action *action = vks_actions_add(strip->actions, VKS_ACTION_SEEK);
    action->step = step;
    action->more = more;
}

static void time_line(const struct strip *strip, struct vks_box box)
{
    struct vks_ui *ui = strip->ui;
    const struct vks_strip_data *data = strip->data;
    const uint32_t id = vks_ui_id("time");
    const struct vks_touch touch = vks_ui_touch(ui, id, box, true);
    const struct vks_box track = {box.x + 4, box.y, box.width - 8, box.height};
    uint64_t step = data->now;
    if (touch.held && !ui->input.released) {
        step = step_at(data, track, ui->x);
        if (touch.pressed || ui->moved != 0) {
            seek(strip, step, true);
        }
    } else if (ui->active == id && ui->input.released) {
        seek(strip, step_at(data, track, ui->x), false);
    } else if (touch.focused) {
        const uint64_t jump = (data->last - data->first) / 50 + 1;
        const bool back = vks_ui_take_key(ui, VKS_UI_LEFT);
        const bool on = vks_ui_take_key(ui, VKS_UI_RIGHT);
        if (back || on) {
            const uint64_t low = data->now > data->first + jump ? data->now - jump : data->first;
            seek(strip,
                 back                            ? low
                 : data->now + jump < data->last ? data->now + jump
                                                 : data->last,
                 false);
        }
    }
    draw_line(strip, track, step, touch.hover || touch.held);
    if (touch.hover || touch.held) {
        draw_goal(strip, track, fminf(fmaxf(ui->x, track.x), track.x + track.width),
                  step_at(data, track, ui->x));
    }
    if (touch.focused) {
        vks_ui_ring(ui, (struct vks_box){box.x + 3, 14, box.width - 6, box.height - 28}, 4);
    }
}

/* --- the strip ------------------------------------------------------------------------------- */

/* The right end, from the right. Returns its left end. */
static float right_end(const struct strip *strip, float high)
{
    struct vks_ui *ui = strip->ui;
    const struct vks_strip_data *data = strip->data;
    const char *keys = "? keys";
    const float y = (high - ICON) / 2;
    const float wide = ceilf(vks_draw_text_width(ui->draw, &vks_style_body, keys)) + 1;
    float x = ui->width - PAD - wide;
    const struct vks_box words = {x, y, wide, ICON};
    const struct vks_touch touch = vks_ui_touch(ui, vks_ui_id("keys"), words, true);
    vks_ui_text(ui, words, VKS_ALIGN_LEFT, &vks_style_body,
                touch.hover || touch.focused ? VKS_COLOUR_BRIGHT : VKS_COLOUR_DIM, keys);
    if (touch.clicked) {
        vks_actions_add(strip->actions, VKS_ACTION_KEYS);
    }
    const float record =
        ICON +
        (data->recorded >= 0 ? vks_draw_text_width(ui->draw, &vks_style_number, "00:00") + 2 : 0);
    x -= record + 12;
    record_button(strip, (struct vks_box){x, y, record, ICON});
    x -= ICON + 2;
    save_button(strip, (struct vks_box){x, y, ICON, ICON});
    if (data->saved) {
        x -= SAVED + 6;
        saved_button(strip, (struct vks_box){x, (high - SAVED) / 2, SAVED, SAVED});
    }
    if (data->jobs > 0) {
        x -= JOB + 4;
        job_button(strip, (struct vks_box){x, y, JOB, ICON});
    }
    if (ui->width >= NARROW && data->speed) {
        const float width =
            ceilf(vks_draw_text_width(ui->draw, &vks_style_number, data->speed)) + 1;
        const float room = fmaxf(width, 150); /* the line does not move with every digit */
        x -= room + 10;
        vks_ui_text(ui, (struct vks_box){x, y, room, ICON}, VKS_ALIGN_RIGHT, &vks_style_number,
                    VKS_COLOUR_DIM, data->speed);
    }
    return x;
}

static void build_strip(void *user)
{
    const struct strip *strip = user;
    struct vks_ui *ui = strip->ui;
    char step[40], text[64];
    vks_draw_box(ui->draw, (struct vks_box){0, 0, ui->width, 1}, 0, VKS_COLOUR_RULE);
    const float y = (ui->height - ICON) / 2;
    play_button(strip, (struct vks_box){PAD - 6, y, ICON, ICON});
    const float left = PAD + ICON + 4;
    const float to = right_end(strip, ui->height) - 8;
    snprintf(text, sizeof(text), "step %s", vks_group_digits(strip->data->now, step));
    const bool fits = left + vks_draw_text_width(ui->draw, &vks_style_number, text) < to;
    const char *words = fits ? text : step;
    const float wide = vks_draw_text_width(ui->draw, &vks_style_number, words) + 1;
    const float usual = vks_draw_text_width(ui->draw, &vks_style_number,
                                            "step 000\xe2\x80\x89"
                                            "000");
    vks_ui_text(ui, (struct vks_box){left, y, wide, ICON}, VKS_ALIGN_LEFT, &vks_style_number,
                VKS_COLOUR_TEXT, words);
    const float from = left + fmaxf(wide, usual) + 10;
    if (to - from >= 40 && strip->data->last > strip->data->first) {
        time_line(strip, (struct vks_box){from, 1, to - from, ui->height - 1});
    }
}

enum vks_result vks_strip_update(struct vks_ui *ui, const struct vks_strip_data *data,
                                 const struct vks_ui_input *input,
                                 const struct vks_surface *surface, struct vks_actions *actions,
                                 struct vks_update *update)
{
    struct strip strip = {ui, data, actions};
    return vks_ui_update(ui, input, surface, build_strip, &strip, update);
}

/* --- the page of keys ------------------------------------------------------------------------ */

enum { PAGE_ROW = 25, PAGE_PAD = 24, PAGE_COLUMN = 386, PAGE_HEAD = 40, CAPS = 122 };

struct page {
    struct vks_ui *ui;
    const struct vks_key_row *rows;
    size_t count;
};

void vks_keys_page_size(size_t count, float max_width, float max_height, float *width,
                        float *height)
{
    const float room = max_height - 2 * PAGE_PAD - PAGE_HEAD;
    size_t columns = 1;
    while ((float)((count + columns - 1) / columns * PAGE_ROW) > room &&
           (float)((columns + 1) * PAGE_COLUMN + 2 * PAGE_PAD) <= max_width) {
        columns++;
    }
    *width = fminf((float)(columns * PAGE_COLUMN + 2 * PAGE_PAD), max_width);
    *height = fminf((float)((count + columns - 1) / columns * PAGE_ROW) + 2 * PAGE_PAD + PAGE_HEAD,
                    max_height);
}

/* "P, Shift+P" as caps, from the left. */
static void draw_caps(struct vks_ui *ui, struct vks_box row, const char *keys)
{
    float x = row.x;
    while (*keys) {
        char cap[32];
        const char *next = strstr(keys, ", ");
        const size_t length = next ? (size_t)(next - keys) : strlen(keys);
        snprintf(cap, sizeof(cap), "%.*s", (int)(length < 31 ? length : 31), keys);
        const float wide =
            fmaxf(vks_draw_text_width(ui->draw, &vks_style_body, cap) + 13, row.height - 6);
        const struct vks_box box = {x, row.y + 3, wide, row.height - 6};
        vks_draw_box(ui->draw, box, 4, VKS_COLOUR_RULE);
        vks_draw_outline(ui->draw, box, 4, 1, VKS_COLOUR_TRACK);
        vks_ui_text(ui, box, VKS_ALIGN_MIDDLE, &vks_style_body, VKS_COLOUR_BRIGHT, cap);
        x += wide + 6;
        keys += length + (next ? 2 : 0);
    }
}

static void draw_key_row(struct vks_ui *ui, struct vks_box row, const struct vks_key_row *key)
{
    if (!key->keys) {
        row.y += 3;
        vks_ui_text(ui, row, VKS_ALIGN_LEFT, &vks_style_heading, VKS_COLOUR_LIGHT, key->help);
        return;
    }
    draw_caps(ui, row, key->keys);
    row.x += CAPS;
    row.width -= CAPS;
    vks_ui_text(ui, row, VKS_ALIGN_LEFT, &vks_style_body, VKS_COLOUR_TEXT, key->help);
}

static void build_page(void *user)
{
    static const struct vks_style title = {.size = 17, .weight = 11};
    const struct page *page = user;
    struct vks_ui *ui = page->ui;
    const size_t count = page->count;
    const float room = ui->height - 2 * PAGE_PAD - PAGE_HEAD;
    const size_t fit = room > PAGE_ROW ? (size_t)(room / PAGE_ROW) : 1;
    const size_t columns = (count + fit - 1) / fit;
    const size_t deep = columns > 0 ? (count + columns - 1) / columns : 1;
    const float wide = (ui->width - 2 * PAGE_PAD) / (float)(columns > 0 ? columns : 1);
    const struct vks_box all = {0, 0, ui->width, ui->height};
    vks_draw_outline(ui->draw, all, 0, 1, VKS_COLOUR_RULE);
    const struct vks_box head = {PAGE_PAD, PAGE_PAD - 6, ui->width - 2 * PAGE_PAD, 24};
    vks_ui_text(ui, head, VKS_ALIGN_LEFT, &title, VKS_COLOUR_BRIGHT, "Keys");
    vks_ui_text(ui, head, VKS_ALIGN_RIGHT, &vks_style_body, VKS_COLOUR_DIM, "any key closes this");
    for (size_t i = 0; i < count; i++) {
        const struct vks_box row = {PAGE_PAD + wide * (float)(i / deep),
                                    PAGE_PAD + PAGE_HEAD + (float)(i % deep * PAGE_ROW), wide - 20,
                                    PAGE_ROW};
        draw_key_row(ui, row, &page->rows[i]);
    }
}

enum vks_result vks_keys_page_draw(struct vks_ui *ui, const struct vks_key_row *rows, size_t count,
                                   const struct vks_surface *surface, struct vks_update *update)
{
    static const struct vks_ui_input none = {0};
    struct page page = {ui, rows, count};
    return vks_ui_update(ui, &none, surface, build_page, &page, update);
}

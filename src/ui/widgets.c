/* SPDX-License-Identifier: MIT */
#include "ui/widgets.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

const struct vks_style vks_style_body = {.size = 13, .weight = 8};
const struct vks_style vks_style_bold = {.size = 13, .weight = 12};
const struct vks_style vks_style_small = {.size = 11, .weight = 8};
const struct vks_style vks_style_heading = {.size = 11, .weight = 11, .spacing = 1};
const struct vks_style vks_style_number = {.size = 13, .weight = 8, .tabular = true};

static const double tip_after = 0.6;    /* seconds of the pointer on a widget */
static const double scroll_holds = 0.4; /* seconds in which the wheel goes on scrolling */
static const float scroll_step = 56;    /* points per notch */

/* --- surface --------------------------------------------------------------------------------- */

enum vks_result vks_ui_create(struct vks_ui *ui)
{
    *ui = (struct vks_ui){.popup.chosen = SIZE_MAX};
    return vks_draw_create(&ui->draw);
}

void vks_ui_destroy(struct vks_ui *ui)
{
    vks_draw_destroy(ui->draw);
    free(ui->spots[0]);
    free(ui->spots[1]);
    *ui = (struct vks_ui){0};
}

uint32_t vks_ui_sub(uint32_t id, size_t index)
{
    const uint32_t mixed = (id ^ (uint32_t)(index + 1) * 0x9e3779b9U) * 0x85ebca6bU;
    return mixed ? mixed : 1;
}

uint32_t vks_ui_id(const char *name)
{
    uint32_t hash = 0x811c9dc5U;
    while (*name) {
        hash = (hash ^ (unsigned char)*name++) * 0x01000193U;
    }
    return hash ? hash : 1;
}

static bool contains(struct vks_box box, float x, float y)
{
    return x >= box.x && y >= box.y && x < box.x + box.width && y < box.y + box.height;
}

static struct vks_box overlap(struct vks_box a, struct vks_box b)
{
    const float x = fmaxf(a.x, b.x), y = fmaxf(a.y, b.y);
    const float width = fminf(a.x + a.width, b.x + b.width) - x;
    const float height = fminf(a.y + a.height, b.y + b.height) - y;
    return width > 0 && height > 0 ? (struct vks_box){x, y, width, height}
                                   : (struct vks_box){x, y, 0, 0};
}

static struct vks_box grown(struct vks_box box, float by)
{
    return (struct vks_box){box.x - by, box.y - by, box.width + 2 * by, box.height + 2 * by};
}

const struct vks_spot *vks_ui_spot(const struct vks_ui *ui, uint32_t id)
{
    for (size_t i = 0; id && i < ui->spot_count[1]; i++) {
        if (ui->spots[1][i].id == id) {
            return &ui->spots[1][i];
        }
    }
    return NULL;
}

bool vks_ui_take_key(struct vks_ui *ui, enum vks_ui_key key)
{
    for (size_t i = 0; i < ui->input.key_count; i++) {
        if (ui->input.keys[i] == key) {
            ui->input.keys[i] = VKS_UI_NO_KEY;
            return true;
        }
    }
    return false;
}

float vks_ui_take_wheel(struct vks_ui *ui)
{
    const bool scrolls = ui->input.time <= ui->scrolled_at + scroll_holds;
    const float notches = scrolls ? 0 : ui->input.wheel;
    ui->input.wheel -= notches;
    return notches;
}

bool vks_ui_take_menu(struct vks_ui *ui, uint32_t id)
{
    const bool pressed = ui->input.menu && ui->hot == id;
    ui->input.menu = ui->input.menu && !pressed;
    return (ui->focus == id && ui->keyboard && vks_ui_take_key(ui, VKS_UI_MENU)) || pressed;
}

bool vks_ui_takes_keys(const struct vks_ui *ui)
{
    return ui->edit.id || ui->popup.id || ui->drawn || (ui->focus && ui->keyboard);
}

void vks_ui_say(struct vks_ui *ui, const char *text, double seconds)
{
    snprintf(ui->toast, sizeof(ui->toast), "%s", text);
    ui->toast_seconds = seconds;
}

static void give_focus(struct vks_ui *ui, uint32_t id)
{
    ui->focus = ui->reveal = id;
    ui->keyboard = true;
    ui->cursor = SIZE_MAX;
}

/* The focus goes to the next place, or back. */
static void move_focus(struct vks_ui *ui, bool back)
{
    const size_t count = ui->spot_count[1];
    const struct vks_spot *spots = ui->spots[1];
    size_t at = back ? 0 : count - 1;
    for (size_t i = 0; i < count; i++) {
        at = ui->focus && spots[i].id == ui->focus ? i : at;
    }
    for (size_t i = 0; i < count; i++) {
        at = back ? (at + count - 1) % count : (at + 1) % count;
        if (spots[at].focusable) {
            give_focus(ui, spots[at].id);
            return;
        }
    }
}

void vks_ui_enter(struct vks_ui *ui)
{
    ui->focus = 0;
    move_focus(ui, false);
}

void vks_ui_leave(struct vks_ui *ui)
{
    ui->edit.leaving = ui->edit.id != 0;
    ui->popup.id = 0;
    ui->keyboard = false;
    ui->focus = 0;
}

static void leave(struct vks_ui *ui)
{
    if (ui->drawn) {
        ui->drawn = 0;
    } else if (ui->popup.id) {
        ui->popup.id = 0;
    } else if (ui->edit.id) {
        ui->edit.id = 0;
    } else {
        ui->focus = 0;
        ui->keyboard = false;
    }
}

/* What the pointer is over: the last place drawn there. */
static void find_hot(struct vks_ui *ui)
{
    uint32_t hot = 0;
    for (size_t i = 0; i < ui->spot_count[1] && ui->input.inside; i++) {
        hot = contains(ui->spots[1][i].box, ui->x, ui->y) ? ui->spots[1][i].id : hot;
    }
    if (hot != ui->hot || ui->input.pressed || ui->input.wheel != 0) {
        ui->hot_since = ui->input.time;
    }
    ui->hot = hot;
}

static void take_input(struct vks_ui *ui, const struct vks_ui_input *input, float scale)
{
    const float before = ui->x;
    ui->input = *input;
    ui->x = input->x / scale;
    ui->y = input->y / scale;
    ui->moved = ui->x - before;
    find_hot(ui);
    if (ui->toast_seconds > 0) {
        ui->toast_until = input->time + ui->toast_seconds;
        ui->toast_seconds = 0;
    }
    if (input->pressed) {
        ui->clicks = input->clicks;
        ui->edit.leaving = ui->edit.id != 0 && ui->edit.id != ui->hot;
        ui->keyboard = false;
        ui->focus = 0;
    }
    if (vks_ui_take_key(ui, VKS_UI_TAB)) {
        ui->edit.leaving = ui->edit.id != 0;
        ui->popup.id = 0;
        move_focus(ui, input->shift);
    }
    if (vks_ui_take_key(ui, VKS_UI_ESCAPE)) {
        leave(ui);
    }
}

/* Starts a pass, the first one with the input, the second one with NULL. */
static void begin(struct vks_ui *ui, const struct vks_ui_input *input,
                  const struct vks_surface *surface)
{
    ui->width = (float)surface->width / surface->scale;
    ui->height = (float)surface->height / surface->scale;
    ui->clip = (struct vks_box){0, 0, ui->width, ui->height};
    if (input) {
        take_input(ui, input, surface->scale);
    } else {
        ui->input.pressed = ui->input.released = ui->input.menu = false;
        ui->input.key_count = 0;
        ui->input.text[0] = '\0';
        ui->input.wheel = 0;
        ui->moved = 0;
        find_hot(ui);
    }
    ui->spot_count[0] = 0;
    ui->popup.seen = false;
    ui->tip[0] = '\0';
    vks_draw_begin(ui->draw, surface->width, surface->height, surface->scale, VKS_COLOUR_GROUND);
}

static void add_spot(struct vks_ui *ui, struct vks_spot spot)
{
    struct vks_spot *spots =
        vks_grow(ui->spots[0], sizeof(spot), ui->spot_count[0], &ui->spot_capacity[0]);
    if (!spots) {
        ui->failed = true;
        return;
    }
    ui->spots[0] = spots;
    spots[ui->spot_count[0]++] = spot;
}

struct vks_touch vks_ui_touch(struct vks_ui *ui, uint32_t id, struct vks_box box, bool focusable)
{
    add_spot(ui, (struct vks_spot){id, overlap(box, ui->clip), focusable, box});
    struct vks_touch touch = {.hover = ui->hot == id && (ui->active == 0 || ui->active == id)};
    if (touch.hover && ui->input.pressed) {
        ui->active = id;
        ui->focus = focusable ? id : 0;
        touch.pressed = true;
    }
    touch.held = ui->active == id && (ui->input.down || touch.pressed);
    touch.clicked = ui->input.released && ui->active == id && ui->hot == id;
    touch.focused = ui->focus == id && ui->keyboard && focusable;
    if (touch.focused && ui->edit.id == 0 && ui->popup.id == 0) {
        const bool enter = vks_ui_take_key(ui, VKS_UI_ENTER);
        touch.clicked = vks_ui_take_key(ui, VKS_UI_SPACE) || enter || touch.clicked;
    }
    return touch;
}

void vks_ui_ring(struct vks_ui *ui, struct vks_box box, float radius)
{
    vks_draw_outline(ui->draw, grown(box, 3), radius + 3, 1.5F, VKS_COLOUR_LIGHT);
}

void vks_ui_chevron(struct vks_ui *ui, float x, float y, bool down, uint32_t colour)
{
    const float a = 3.5F, b = 1.75F; /* half of its length and depth */
    const float dx = down ? a : b, dy = down ? b : a;
    const float tip_x = down ? x : x + b, tip_y = down ? y + b : y;
    vks_draw_line(ui->draw, x - dx, y - dy, tip_x, tip_y, 1.4F, colour);
    vks_draw_line(ui->draw, tip_x, tip_y, down ? x + dx : x - dx, down ? y - dy : y + dy, 1.4F,
                  colour);
}

/* --- text ------------------------------------------------------------------------------------ */

float vks_ui_text(struct vks_ui *ui, struct vks_box box, enum vks_align align,
                  const struct vks_style *style, uint32_t colour, const char *text)
{
    char buffer[2 * VKS_UI_TEXT_SIZE];
    const char *fitted =
        vks_draw_text_fit(ui->draw, style, text, box.width, buffer, sizeof(buffer));
    const float width = vks_draw_text_width(ui->draw, style, fitted);
    const float room = box.width - width;
    const float left = align == VKS_ALIGN_LEFT ? 0 : align == VKS_ALIGN_RIGHT ? room : room / 2;
    const float ascent = style->size * 0.7F;
    vks_draw_text(ui->draw, box.x + left, floorf(box.y + (box.height + ascent) / 2 + 0.5F), style,
                  colour, fitted);
    return width;
}

/* The bytes of the longest start of the text, in whole words, that fits. */
static size_t line_length(struct vks_ui *ui, const struct vks_style *style, float width,
                          const char *text)
{
    char line[VKS_UI_TEXT_SIZE];
    size_t fits = 0;
    for (size_t at = 0; text[at] && at < sizeof(line) - 1;) {
        at += strcspn(text + at + 1, " ") + 1;
        at = at < sizeof(line) - 1 ? at : sizeof(line) - 1;
        snprintf(line, at + 1, "%s", text);
        if (fits > 0 && vks_draw_text_width(ui->draw, style, line) > width) {
            break;
        }
        fits = at;
    }
    return fits;
}

unsigned vks_ui_paragraph(struct vks_ui *ui, struct vks_box box, const struct vks_style *style,
                          uint32_t colour, unsigned lines, const char *text)
{
    unsigned count = 0;
    while (*text && count < lines) {
        char line[2 * VKS_UI_TEXT_SIZE];
        const bool last = count + 1 == lines;
        const size_t length = line_length(ui, style, box.width, text);
        snprintf(line, sizeof(line), "%.*s", last ? (int)sizeof(line) - 1 : (int)length, text);
        if (colour != UINT32_MAX) {
            vks_ui_text(ui,
                        (struct vks_box){box.x, box.y + (float)(count * VKS_LINE_HEIGHT), box.width,
                                         VKS_LINE_HEIGHT},
                        VKS_ALIGN_LEFT, style, colour, line);
        }
        text += length;
        text += strspn(text, " ");
        count++;
    }
    return count;
}

void vks_ui_tip(struct vks_ui *ui, uint32_t id, struct vks_box box, const char *text)
{
    if (ui->hot == id && ui->active == 0 && ui->popup.id == 0 && text[0]) {
        if (ui->input.time >= ui->hot_since + tip_after) {
            ui->tip_at = box;
            snprintf(ui->tip, sizeof(ui->tip), "%s", text);
        } else {
            ui->wake = fmin(ui->wake, ui->hot_since + tip_after);
        }
    }
}

/* --- over all else --------------------------------------------------------------------------- */

static void draw_card(struct vks_ui *ui, struct vks_box box)
{
    vks_draw_box(ui->draw, box, 5, VKS_COLOUR_RAISED);
    vks_draw_outline(ui->draw, box, 5, 1, VKS_COLOUR_TRACK);
}

static void draw_tip(struct vks_ui *ui)
{
    if (!ui->tip[0]) {
        return;
    }
    const float most = fminf(ui->width - 16, 296), pad = 9;
    const float wide = vks_draw_text_width(ui->draw, &vks_style_body, ui->tip) + 2 * pad + 1;
    struct vks_box box = {0, 0, fminf(wide, most), 0};
    struct vks_box inner = {0, 0, box.width - 2 * pad, 0};
    const unsigned lines = vks_ui_paragraph(ui, inner, &vks_style_body, UINT32_MAX, 8, ui->tip);
    box.height = (float)(lines * VKS_LINE_HEIGHT) + 12;
    box.x = fminf(ui->tip_at.x, ui->width - box.width - 8);
    box.y = ui->tip_at.y + ui->tip_at.height + 5;
    if (box.y + box.height > ui->height - 4) {
        box.y = fmaxf(ui->tip_at.y - box.height - 5, 4);
    }
    draw_card(ui, box);
    inner.x = box.x + pad;
    inner.y = box.y + 6;
    vks_ui_paragraph(ui, inner, &vks_style_body, VKS_COLOUR_TEXT, lines, ui->tip);
}

static void draw_toast(struct vks_ui *ui)
{
    if (!ui->toast[0] || ui->input.time >= ui->toast_until) {
        ui->toast[0] = '\0';
        return;
    }
    ui->wake = fmin(ui->wake, ui->toast_until);
    const float pad = 12;
    const float most = fminf(ui->width - 24, 460) - 2 * pad;
    const float width = fminf(most, vks_draw_text_width(ui->draw, &vks_style_body, ui->toast) + 1);
    struct vks_box inner = {0, 0, width, 0};
    const unsigned lines = vks_ui_paragraph(ui, inner, &vks_style_body, UINT32_MAX,
                                            ui->height < 60 ? 1 : 4, ui->toast);
    const struct vks_box box = {(ui->width - width) / 2 - pad, 0, width + 2 * pad,
                                (float)(lines * VKS_LINE_HEIGHT) + 12};
    struct vks_box at = box;
    at.y = fmaxf(ui->height - box.height - 12, (ui->height - box.height) / 2);
    draw_card(ui, at);
    inner.x = at.x + pad;
    inner.y = at.y + 6;
    vks_ui_paragraph(ui, inner, &vks_style_body, VKS_COLOUR_BRIGHT, lines, ui->toast);
}

/* The open list: what is chosen there reaches the choice in the next pass. */
static void show_popup(struct vks_ui *ui)
{
    struct vks_popup *popup = &ui->popup;
    enum { ROW = 24 };
    struct vks_box boxes[VKS_MAX_UI_CELLS];
    const size_t count = popup->count < VKS_MAX_UI_CELLS ? popup->count : VKS_MAX_UI_CELLS;
    struct vks_box card = {popup->from.x, popup->from.y + popup->from.height + 4, popup->from.width,
                           (float)count * ROW + 8};
    if (card.y + card.height > ui->height - 4) {
        card.y = fmaxf(popup->from.y - card.height - 4, 4);
    }
    /* All else is out of reach while the list is open. */
    const struct vks_touch outside =
        vks_ui_touch(ui, vks_ui_sub(popup->id, SIZE_MAX - 2), ui->clip, false);
    draw_card(ui, card);
    for (size_t i = 0; i < count; i++) {
        boxes[i] = (struct vks_box){card.x + 4, card.y + 4 + (float)(i * ROW), card.width - 8, ROW};
    }
    const struct vks_cells cells = {popup->id, boxes, count, 1, popup->current};
    const struct vks_cell_event event = vks_ui_cells(ui, &cells);
    for (size_t i = 0; i < count; i++) {
        const bool lit = event.hover == i || (event.hover == SIZE_MAX && event.cursor == i);
        if (lit) {
            vks_draw_box(ui->draw, boxes[i], 3, VKS_COLOUR_TRACK);
        }
        boxes[i].x += 8;
        boxes[i].width -= 16;
        vks_ui_text(ui, boxes[i], VKS_ALIGN_LEFT, &vks_style_body,
                    i == popup->current ? VKS_COLOUR_LIGHT : VKS_COLOUR_TEXT, popup->names[i]);
    }
    if (event.chosen != SIZE_MAX) {
        popup->chosen = event.chosen;
    } else if (outside.pressed) {
        popup->id = 0;
    }
}

/* Ends a pass: open lists and words about the widget under the pointer go over all else. */
static void end(struct vks_ui *ui)
{
    ui->popup.id = ui->popup.seen ? ui->popup.id : 0;
    if (ui->popup.id) {
        show_popup(ui);
    }
    draw_toast(ui);
    draw_tip(ui);
    if (ui->input.released || (!ui->input.down && !ui->input.pressed)) {
        ui->active = 0;
    }
    struct vks_spot *spots = ui->spots[1];
    const size_t capacity = ui->spot_capacity[1];
    ui->spots[1] = ui->spots[0];
    ui->spot_count[1] = ui->spot_count[0];
    ui->spot_capacity[1] = ui->spot_capacity[0];
    ui->spots[0] = spots;
    ui->spot_capacity[0] = capacity;
    /* A widget that has gone has neither the focus nor a text. */
    ui->edit.id = vks_ui_spot(ui, ui->edit.id) ? ui->edit.id : 0;
    ui->focus = vks_ui_spot(ui, ui->focus) ? ui->focus : 0;
}

enum vks_result vks_ui_update(struct vks_ui *ui, const struct vks_ui_input *input,
                              const struct vks_surface *surface, void (*build)(void *user),
                              void *user, struct vks_update *update)
{
    ui->wake = INFINITY;
    for (int pass = 0; pass < 2; pass++) {
        begin(ui, pass == 0 ? input : NULL, surface);
        build(user);
        end(ui);
    }
    update->wake = ui->wake;
    update->count = 0;
    if (ui->failed) {
        ui->failed = false;
        return vks_fail_memory();
    }
    return vks_draw_end(ui->draw, update->rects, &update->count);
}

/* --- cells ----------------------------------------------------------------------------------- */

/* The keys that move among cells. */
static size_t move_cursor(struct vks_ui *ui, const struct vks_cells *cells, size_t at)
{
    static const enum vks_ui_key keys[] = {VKS_UI_LEFT, VKS_UI_RIGHT, VKS_UI_UP,
                                           VKS_UI_DOWN, VKS_UI_HOME,  VKS_UI_END};
    for (size_t i = 0; i < VKS_COUNT(keys); i++) {
        const size_t step = keys[i] == VKS_UI_LEFT || keys[i] == VKS_UI_RIGHT ? 1 : cells->columns;
        if (!vks_ui_take_key(ui, keys[i])) {
            continue;
        }
        if (keys[i] == VKS_UI_HOME || keys[i] == VKS_UI_END) {
            at = keys[i] == VKS_UI_HOME ? 0 : cells->count - 1;
        } else if (keys[i] == VKS_UI_LEFT || keys[i] == VKS_UI_UP) {
            at = at >= step ? at - step : at;
        } else {
            at = at + step < cells->count ? at + step : at;
        }
        ui->reveal = vks_ui_sub(cells->id, at);
    }
    return at;
}

static struct vks_box box_around(const struct vks_cells *cells)
{
    const struct vks_box last = cells->boxes[cells->count - 1];
    struct vks_box around = cells->boxes[0];
    float right = around.x;
    for (size_t i = 0; i < cells->count; i++) {
        right = fmaxf(right, cells->boxes[i].x + cells->boxes[i].width);
    }
    around.width = right - around.x;
    around.height = last.y + last.height - around.y;
    return around;
}

struct vks_cell_event vks_ui_cells(struct vks_ui *ui, const struct vks_cells *cells)
{
    struct vks_cell_event event = {SIZE_MAX, SIZE_MAX, SIZE_MAX, false};
    if (cells->count == 0) {
        return event;
    }
    const struct vks_box around = box_around(cells);
    const bool list = ui->popup.id == cells->id;
    const struct vks_touch whole = vks_ui_touch(ui, cells->id, around, true);
    if (whole.focused || list) {
        const size_t first = cells->current < cells->count ? cells->current : 0;
        ui->cursor = ui->cursor < cells->count ? ui->cursor : first;
        ui->cursor = move_cursor(ui, cells, ui->cursor);
        event.cursor = ui->cursor;
        const bool enter =
            list && (vks_ui_take_key(ui, VKS_UI_ENTER) || vks_ui_take_key(ui, VKS_UI_SPACE));
        if (enter || (whole.clicked && whole.focused && !ui->input.released)) {
            event.chosen = ui->cursor;
            event.again = true;
        }
    }
    for (size_t i = 0; i < cells->count; i++) {
        const struct vks_touch touch =
            vks_ui_touch(ui, vks_ui_sub(cells->id, i), cells->boxes[i], false);
        event.hover = touch.hover ? i : event.hover;
        if (touch.clicked) {
            event.chosen = i;
            event.again = ui->clicks > 1;
        }
    }
    return event;
}

/* --- fields ---------------------------------------------------------------------------------- */

void vks_ui_open_field(struct vks_ui *ui, uint32_t id, const char *value)
{
    ui->edit = (struct vks_edit){.id = id, .all = true};
    snprintf(ui->edit.text, sizeof(ui->edit.text), "%s", value);
    ui->edit.caret = strlen(ui->edit.text);
}

/* The start of the character before or after a byte. */
static size_t beside(const char *text, size_t at, int step)
{
    if (step < 0 ? at == 0 : text[at] == '\0') {
        return at;
    }
    do {
        at = step < 0 ? at - 1 : at + 1;
    } while (((unsigned char)text[at] & 0xc0) == 0x80);
    return at;
}

static void replace(struct vks_edit *edit, size_t from, size_t to, const char *with)
{
    const size_t length = strlen(edit->text), more = strlen(with);
    if (length - (to - from) + more < sizeof(edit->text)) {
        memmove(edit->text + from + more, edit->text + to, length - to + 1);
        memcpy(edit->text + from, with, more);
        edit->caret = from + more;
    }
}

/* Typing. Returns true once the text counts. */
static bool type(struct vks_ui *ui)
{
    struct vks_edit *edit = &ui->edit;
    const size_t end = strlen(edit->text);
    if (ui->input.text[0]) {
        replace(edit, edit->all ? 0 : edit->caret, edit->all ? end : edit->caret, ui->input.text);
        edit->all = false;
    }
    for (size_t i = 0; i < ui->input.key_count; i++) {
        const enum vks_ui_key key = ui->input.keys[i];
        const size_t left = beside(edit->text, edit->caret, -1);
        const size_t right = beside(edit->text, edit->caret, 1);
        if (key == VKS_UI_BACKSPACE || key == VKS_UI_DELETE) {
            const size_t from = edit->all ? 0 : key == VKS_UI_BACKSPACE ? left : edit->caret;
            const size_t to = edit->all                 ? strlen(edit->text)
                              : key == VKS_UI_BACKSPACE ? edit->caret
                                                        : right;
            replace(edit, from, to, "");
        }
        edit->caret = key == VKS_UI_LEFT    ? left
                      : key == VKS_UI_RIGHT ? right
                      : key == VKS_UI_HOME  ? 0
                      : key == VKS_UI_END   ? strlen(edit->text)
                                            : edit->caret;
        edit->all = edit->all && key == VKS_UI_NO_KEY;
        if (key == VKS_UI_ENTER) {
            edit->leaving = true;
        }
    }
    ui->input.key_count = 0;
    ui->input.text[0] = '\0';
    return edit->leaving;
}

static void draw_edit(struct vks_ui *ui, struct vks_box box, const struct vks_style *style)
{
    const struct vks_edit *edit = &ui->edit;
    char before[VKS_UI_TEXT_SIZE];
    snprintf(before, sizeof(before), "%.*s", (int)edit->caret, edit->text);
    const struct vks_box inner = {box.x + 6, box.y + 3, box.width - 12, box.height - 6};
    const float caret = vks_draw_text_width(ui->draw, style, before);
    const float width = vks_draw_text_width(ui->draw, style, edit->text);
    const float shift = fmaxf(caret - inner.width, 0);
    vks_draw_box(ui->draw, box, 4, VKS_COLOUR_SURROUND);
    vks_draw_outline(ui->draw, box, 4, 1, VKS_COLOUR_ACCENT);
    vks_draw_clip(ui->draw, inner);
    if (edit->all && width > 0) {
        vks_draw_box(ui->draw, (struct vks_box){inner.x - shift, inner.y, width, inner.height}, 2,
                     vks_blend(VKS_COLOUR_GROUND, VKS_COLOUR_ACCENT, 0.45F));
    }
    vks_ui_text(ui, (struct vks_box){inner.x - shift, box.y, width + 1, box.height}, VKS_ALIGN_LEFT,
                style, VKS_COLOUR_BRIGHT, edit->text);
    vks_draw_box(ui->draw, (struct vks_box){inner.x + caret - shift, inner.y, 1, inner.height}, 0,
                 VKS_COLOUR_LIGHT);
    vks_draw_unclip(ui->draw);
}

bool vks_ui_field(struct vks_ui *ui, uint32_t id, struct vks_box box, const char *value,
                  const char *shown, bool plain)
{
    const struct vks_touch touch = vks_ui_touch(ui, id, box, !plain);
    const struct vks_style *style = plain ? &vks_style_number : &vks_style_body;
    bool done = false;
    if (touch.clicked && ui->edit.id != id) {
        vks_ui_open_field(ui, id, value);
    } else if (touch.pressed && ui->edit.id == id) {
        ui->edit.all = false;
    }
    if (ui->edit.id == id) {
        done = type(ui);
    }
    if (done) {
        ui->edit.id = 0;
        ui->edit.leaving = false;
        return strcmp(ui->edit.text, value) != 0;
    }
    if (ui->edit.id == id) {
        draw_edit(ui, box, style);
        return false;
    }
    const bool lit = touch.hover || touch.focused;
    if (!plain) {
        vks_draw_box(ui->draw, box, 4, lit ? VKS_COLOUR_RULE : VKS_COLOUR_RAISED);
    }
    const float inset = plain ? 0 : 8;
    vks_ui_text(ui, (struct vks_box){box.x + inset, box.y, box.width - 2 * inset, box.height},
                plain ? VKS_ALIGN_RIGHT : VKS_ALIGN_LEFT, style,
                lit        ? VKS_COLOUR_BRIGHT
                : value[0] ? VKS_COLOUR_TEXT
                           : VKS_COLOUR_FAINT,
                shown);
    if (touch.focused) {
        vks_ui_ring(ui, grown(box, -1), 4);
    }
    return false;
}

/* --- buttons and choices --------------------------------------------------------------------- */

bool vks_ui_toggle(struct vks_ui *ui, uint32_t id, struct vks_box box, bool *on)
{
    const struct vks_touch touch = vks_ui_touch(ui, id, box, true);
    if (touch.clicked) {
        *on = !*on;
    }
    const float height = 16, width = 28;
    const struct vks_box pill = {box.x + box.width - width, box.y + (box.height - height) / 2,
                                 width, height};
    const float knob = *on ? pill.x + width - height / 2 : pill.x + height / 2;
    vks_draw_box(ui->draw, pill, height / 2,
                 !*on          ? (touch.hover ? VKS_COLOUR_FAINT : VKS_COLOUR_TRACK)
                 : touch.hover ? VKS_COLOUR_LIGHT
                               : VKS_COLOUR_ACCENT);
    vks_draw_disc(ui->draw, knob, pill.y + height / 2, 5.5F,
                  *on ? VKS_COLOUR_BRIGHT : VKS_COLOUR_DIM);
    if (touch.focused) {
        vks_ui_ring(ui, pill, height / 2);
    }
    return touch.clicked;
}

bool vks_ui_button(struct vks_ui *ui, uint32_t id, struct vks_box box, const char *text,
                   bool primary)
{
    const struct vks_touch touch = vks_ui_touch(ui, id, box, true);
    const uint32_t ground = primary ? (touch.hover ? VKS_COLOUR_LIGHT : VKS_COLOUR_ACCENT)
                                    : (touch.hover ? VKS_COLOUR_TRACK : VKS_COLOUR_RULE);
    vks_draw_box(ui->draw, box, 5, touch.held ? vks_blend(ground, 0, 0.2F) : ground);
    vks_ui_text(ui, box, VKS_ALIGN_MIDDLE, &vks_style_body,
                primary ? VKS_COLOUR_SURROUND : VKS_COLOUR_BRIGHT, text);
    if (touch.focused) {
        vks_ui_ring(ui, box, 5);
    }
    return touch.clicked;
}

/* Boxes of words next to each other; true if they fit into the box. */
static bool lay_words(struct vks_ui *ui, struct vks_box box, const struct vks_style *style,
                      float pad, const char *const *names, size_t count, struct vks_box *boxes)
{
    float x = box.x;
    for (size_t i = 0; i < count; i++) {
        const float width = ceilf(vks_draw_text_width(ui->draw, style, names[i])) + 2 * pad;
        boxes[i] = (struct vks_box){x, box.y, width, box.height};
        x += width;
    }
    return x <= box.x + box.width;
}

static bool segments(struct vks_ui *ui, const struct vks_cells *cells, struct vks_box box,
                     const char *const *names, size_t *current)
{
    const struct vks_cell_event event = vks_ui_cells(ui, cells);
    vks_draw_box(ui->draw, box, 4, VKS_COLOUR_RAISED);
    for (size_t i = 0; i < cells->count; i++) {
        const bool on = i == *current;
        if (on || event.hover == i) {
            vks_draw_box(ui->draw, cells->boxes[i], 4, on ? VKS_COLOUR_CHOSEN : VKS_COLOUR_RULE);
        }
        vks_ui_text(ui, cells->boxes[i], VKS_ALIGN_MIDDLE, &vks_style_body,
                    on ? VKS_COLOUR_BRIGHT : VKS_COLOUR_DIM, names[i]);
        if (event.cursor == i) {
            vks_ui_ring(ui, grown(cells->boxes[i], -2), 4);
        }
    }
    const bool changed = event.chosen != SIZE_MAX && event.chosen != *current;
    *current = event.chosen != SIZE_MAX ? event.chosen : *current;
    return changed;
}

/* The button that opens a list. */
static bool list_button(struct vks_ui *ui, uint32_t id, struct vks_box box,
                        const char *const *names, size_t count, size_t *current, const char *other)
{
    struct vks_popup *popup = &ui->popup;
    const uint32_t list = vks_ui_sub(id, SIZE_MAX - 1);
    const struct vks_touch touch = vks_ui_touch(ui, id, box, true);
    const bool open = popup->id == list;
    const size_t before = *current;
    if (touch.clicked) {
        *popup = (struct vks_popup){.id = list, .chosen = SIZE_MAX};
        ui->cursor = *current;
    } else if (touch.focused && !open) {
        *current =
            vks_ui_take_key(ui, VKS_UI_RIGHT) && *current + 1 < count ? *current + 1 : *current;
        *current = vks_ui_take_key(ui, VKS_UI_LEFT) && *current > 0 ? *current - 1 : *current;
    }
    if (popup->id == list && popup->chosen < count) {
        *current = popup->chosen;
        popup->id = 0;
    }
    if (popup->id == list) {
        popup->seen = true;
        popup->from = box;
        popup->names = names;
        popup->count = count;
        popup->current = *current;
    }
    vks_draw_box(ui->draw, box, 4, touch.hover || open ? VKS_COLOUR_RULE : VKS_COLOUR_RAISED);
    vks_ui_text(ui, (struct vks_box){box.x + 8, box.y, box.width - 30, box.height}, VKS_ALIGN_LEFT,
                &vks_style_body, touch.hover ? VKS_COLOUR_BRIGHT : VKS_COLOUR_TEXT,
                *current < count ? names[*current] : other);
    const float x = box.x + box.width - 14, y = box.y + box.height / 2;
    vks_ui_chevron(ui, x, y, true, VKS_COLOUR_DIM);
    if (touch.focused) {
        vks_ui_ring(ui, grown(box, -1), 4);
    }
    return *current != before;
}

bool vks_ui_choice(struct vks_ui *ui, uint32_t id, struct vks_box box, const char *const *names,
                   size_t count, size_t *current, const char *other)
{
    struct vks_box boxes[4];
    if (count > VKS_COUNT(boxes) || *current >= count ||
        !lay_words(ui, box, &vks_style_body, 7, names, count, boxes)) {
        return list_button(ui, id, box, names, count, current, other);
    }
    /* The segments share what is left. */
    const struct vks_box last = boxes[count - 1];
    const float more = (box.x + box.width - last.x - last.width) / (float)count;
    for (size_t i = 0; i < count; i++) {
        boxes[i].x += more * (float)i;
        boxes[i].width += more;
    }
    const struct vks_cells cells = {id, boxes, count, count, *current};
    return segments(ui, &cells, box, names, current);
}

bool vks_ui_tabs(struct vks_ui *ui, uint32_t id, struct vks_box box, const char *const *names,
                 size_t count, size_t *current)
{
    struct vks_box boxes[16];
    count = count < VKS_COUNT(boxes) ? count : VKS_COUNT(boxes);
    lay_words(ui, box, &vks_style_bold, 0, names, count, boxes);
    for (size_t i = 1; i < count; i++) {
        boxes[i].x += (float)i * 18;
    }
    const struct vks_cells cells = {id, boxes, count, count, *current};
    const struct vks_cell_event event = vks_ui_cells(ui, &cells);
    for (size_t i = 0; i < count; i++) {
        const bool on = i == *current;
        vks_ui_text(ui, boxes[i], VKS_ALIGN_LEFT, on ? &vks_style_bold : &vks_style_body,
                    on                 ? VKS_COLOUR_BRIGHT
                    : event.hover == i ? VKS_COLOUR_TEXT
                                       : VKS_COLOUR_DIM,
                    names[i]);
        if (on) {
            vks_draw_box(ui->draw,
                         (struct vks_box){boxes[i].x, box.y + box.height - 2, boxes[i].width, 2}, 0,
                         VKS_COLOUR_ACCENT);
        }
        if (event.cursor == i) {
            vks_ui_ring(ui, grown(boxes[i], -2), 4);
        }
    }
    const bool changed = event.chosen != SIZE_MAX && event.chosen != *current;
    *current = event.chosen != SIZE_MAX ? event.chosen : *current;
    return changed;
}

/* --- scrolling ------------------------------------------------------------------------------- */

float vks_ui_scroll_begin(struct vks_ui *ui, uint32_t id, struct vks_box box,
                          struct vks_scroll *scroll)
{
    ui->area.id = id;
    ui->area.box = box;
    ui->area.outer = ui->clip;
    ui->area.scroll = scroll;
    ui->clip = overlap(ui->clip, box);
    vks_draw_clip(ui->draw, box);
    return box.y - scroll->offset;
}

/* Scrolls so far that the place the keyboard has moved to is visible. */
static void reveal(struct vks_ui *ui, struct vks_box box, struct vks_scroll *scroll)
{
    for (size_t i = 0; i < ui->spot_count[0] && ui->reveal; i++) {
        const struct vks_spot *spot = &ui->spots[0][i];
        if (spot->id == ui->reveal) {
            const float room = 12, top = spot->full.y - room;
            const float bottom = spot->full.y + fminf(spot->full.height, box.height / 2) + room;
            scroll->offset += fminf(top - box.y, 0);
            scroll->offset += fmaxf(bottom - box.y - box.height, 0);
            ui->reveal = 0;
        }
    }
}

void vks_ui_scroll_end(struct vks_ui *ui, float content_height)
{
    const struct vks_box box = ui->area.box;
    struct vks_scroll *scroll = ui->area.scroll;
    const float most = fmaxf(content_height - box.height, 0);
    ui->clip = ui->area.outer;
    vks_draw_unclip(ui->draw);
    reveal(ui, box, scroll);
    if (ui->input.wheel != 0 && ui->input.inside && contains(box, ui->x, ui->y)) {
        scroll->offset -= ui->input.wheel * scroll_step;
        ui->input.wheel = 0;
        ui->scrolled_at = ui->input.time;
    }
    if (most > 0) {
        const float length = fmaxf(box.height * box.height / content_height, 24);
        const float run = box.height - length - 4;
        const struct vks_box thumb = {box.x + box.width - 9,
                                      box.y + 2 + run * fminf(scroll->offset / most, 1), 9, length};
        const struct vks_touch touch = vks_ui_touch(ui, ui->area.id, thumb, false);
        if (touch.pressed) {
            ui->drag = (double)(ui->y - thumb.y);
        } else if (touch.held && run > 0) {
            scroll->offset = (ui->y - (float)ui->drag - box.y - 2) / run * most;
        }
        const float wide = touch.hover || touch.held ? 5 : 3;
        vks_draw_box(ui->draw,
                     (struct vks_box){box.x + box.width - wide - 2, thumb.y, wide, length}, 2,
                     touch.hover || touch.held ? VKS_COLOUR_FAINT : VKS_COLOUR_TRACK);
    }
    scroll->offset = fminf(fmaxf(scroll->offset, 0), most);
}

/* SPDX-License-Identifier: MIT */
/* Widgets for numbers: sliders, and planes for two of them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "ui/widgets.h"

static const double tick = 0.02;          /* of a slider's range: a notch, or an arrow */
static const double steps_in_range = 250; /* about: a slider's values are that coarse */

/* --- sliders --------------------------------------------------------------------------------- */

static double limit(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

struct vks_slider vks_option_slider(const struct vks_option *option)
{
    struct vks_slider slider = {.logarithmic = option->logarithmic,
                                .whole = option->type == VKS_OPTION_COUNT,
                                .odd = (option->flags & VKS_OPTION_ODD) != 0,
                                .preset = NAN};
    vks_option_soft_range(option, &slider.low, &slider.high);
    return slider;
}

double vks_slider_fraction(const struct vks_slider *slider, double value)
{
    const double v = limit(value, slider->low, slider->high);
    if (slider->high <= slider->low) {
        return 0;
    }
    return slider->logarithmic ? log(v / slider->low) / log(slider->high / slider->low)
                               : (v - slider->low) / (slider->high - slider->low);
}

/* 1, 2 or 5 times a power of ten, at least x. */
static double nice(double x)
{
    const double power = pow(10, floor(log10(x)));
    const double digits = x / power;
    return power * (digits <= 1 ? 1 : digits <= 2 ? 2 : digits <= 5 ? 5 : 10);
}

double vks_slider_value(const struct vks_slider *slider, double at, bool fine)
{
    at = limit(at, 0, 1);
    const double range = slider->high - slider->low;
    double value = slider->low + at * range;
    double step = nice(range / steps_in_range);
    if (slider->logarithmic) {
        value = slider->low * pow(slider->high / slider->low, at);
        step = pow(10, floor(log10(value)) - 2);
    }
    step = fine ? step / 10 : step;
    if (slider->whole) {
        step = fmax(floor(step), slider->odd ? 2 : 1);
    }
    const double origin = slider->odd ? 1 : 0;
    value = origin + step * floor((value - origin) / step + 0.5);
    /* Without the digits that binary fractions add. */
    char text[32];
    snprintf(text, sizeof(text), "%.9g", limit(value, slider->low, slider->high));
    return strtod(text, NULL);
}

/* The place one notch or more from a value: the value changes, however coarse it is. */
static double value_beside(const struct vks_slider *slider, double value, double notches, bool fine)
{
    double at = vks_slider_fraction(slider, value), moved = value;
    for (int i = 0; i < 60 && moved == value; i++) {
        at += notches * tick * (fine ? 0.1 : 1);
        moved = vks_slider_value(slider, at, fine);
        if (at < 0 || at > 1) {
            break;
        }
    }
    return moved;
}

static double notches_of_keys(struct vks_ui *ui)
{
    static const struct {
        enum vks_ui_key key;
        double notches;
    } rows[] = {{VKS_UI_LEFT, -1},  {VKS_UI_DOWN, -1},    {VKS_UI_RIGHT, 1},
                {VKS_UI_UP, 1},     {VKS_UI_PAGE_UP, 10}, {VKS_UI_PAGE_DOWN, -10},
                {VKS_UI_HOME, -50}, {VKS_UI_END, 50}};
    double notches = 0;
    for (size_t i = 0; i < VKS_COUNT(rows); i++) {
        notches += vks_ui_take_key(ui, rows[i].key) ? rows[i].notches : 0;
    }
    return notches;
}

/* Returns whether the value has changed since the pass before. */
static bool drag_slider(struct vks_ui *ui, const struct vks_slider *slider, struct vks_box track,
                        bool pressed, double *value)
{
    const double last = pressed ? *value : ui->dragged;
    if (pressed) {
        const double under = (ui->x - track.x) / track.width;
        const double knob = vks_slider_fraction(slider, *value);
        /* The knob can be taken without moving it. */
        ui->drag_changes = false;
        ui->drag = fabs(under - knob) * track.width < 8 ? knob : under;
        ui->dragged =
            ui->drag == knob ? *value : vks_slider_value(slider, ui->drag, ui->input.shift);
    } else if (ui->moved != 0) {
        ui->drag += (double)(ui->moved / track.width) * (ui->input.shift ? 0.1 : 1);
        ui->dragged = vks_slider_value(slider, ui->drag, ui->input.shift);
    }
    *value = ui->dragged;
    ui->drag_changes = ui->drag_changes || ui->dragged != last;
    return ui->dragged != last;
}

static void draw_slider(struct vks_ui *ui, const struct vks_slider *slider, struct vks_box track,
                        double value, const struct vks_touch *touch)
{
    const float x = track.x + (float)vks_slider_fraction(slider, value) * track.width;
    const float y = track.y + track.height / 2;
    const bool lit = touch->hover || touch->held;
    if (slider->swing > 0) {
        const double low = limit(slider->centre - slider->swing, 0, 1);
        const double high = limit(slider->centre + slider->swing, 0, 1);
        const float left = track.x + (float)low * track.width;
        vks_draw_box(ui->draw,
                     (struct vks_box){left - 5, y - 6, (float)(high - low) * track.width + 10, 12},
                     6, VKS_COLOUR_CHOSEN);
    }
    vks_draw_box(ui->draw, (struct vks_box){track.x, y - 1.5F, track.width, 3}, 1.5F,
                 VKS_COLOUR_TRACK);
    /* Filled from zero. */
    const float zero = track.x + (float)vks_slider_fraction(slider, 0) * track.width;
    vks_draw_box(ui->draw, (struct vks_box){fminf(zero, x), y - 1.5F, fabsf(x - zero), 3}, 1.5F,
                 lit ? VKS_COLOUR_LIGHT : VKS_COLOUR_ACCENT);
    if (slider->low < 0 && slider->high > 0) {
        vks_draw_box(ui->draw, (struct vks_box){zero - 0.5F, y - 3.5F, 1, 7}, 0, VKS_COLOUR_TRACK);
    }
    if (!isnan(slider->preset) && slider->preset >= slider->low && slider->preset <= slider->high) {
        const float at = track.x + (float)vks_slider_fraction(slider, slider->preset) * track.width;
        vks_draw_box(ui->draw, (struct vks_box){at - 0.5F, y - 5, 1, 10}, 0,
                     at <= x ? VKS_COLOUR_LIGHT : VKS_COLOUR_FAINT);
    }
    vks_draw_disc(ui->draw, x, y, lit ? 6 : 5.5F, VKS_COLOUR_GROUND);
    vks_draw_disc(ui->draw, x, y, lit ? 5.5F : 4.75F, touch->held ? 0xffffff : VKS_COLOUR_BRIGHT);
    if (touch->focused) {
        vks_draw_outline(ui->draw, (struct vks_box){x - 8, y - 8, 16, 16}, 8, 1.5F,
                         VKS_COLOUR_LIGHT);
    }
}

bool vks_ui_slider(struct vks_ui *ui, uint32_t id, struct vks_box box,
                   const struct vks_slider *slider, double *value)
{
    const double before = *value;
    const struct vks_box track = {box.x + 5, box.y, box.width - 10, box.height};
    const struct vks_touch touch = vks_ui_touch(ui, id, box, true);
    bool changed = false;
    if (touch.pressed && ui->input.clicks > 1 && !isnan(slider->preset)) {
        *value = slider->preset;
        ui->drag = vks_slider_fraction(slider, *value);
        ui->dragged = *value;
        ui->drag_changes = false;
        changed = *value != before;
    } else if (touch.held) {
        changed = drag_slider(ui, slider, track, touch.pressed, value);
    } else if (ui->active == id && ui->input.released) {
        *value = ui->dragged;
        changed = ui->drag_changes;
    }
    double notches = touch.focused ? notches_of_keys(ui) : 0;
    if (touch.focused &&
        (vks_ui_take_key(ui, VKS_UI_BACKSPACE) || vks_ui_take_key(ui, VKS_UI_DELETE)) &&
        !isnan(slider->preset)) {
        *value = slider->preset;
        changed = *value != before;
    }
    if (touch.hover) {
        notches += (double)vks_ui_take_wheel(ui);
    }
    if (notches != 0) {
        *value = value_beside(slider, *value, notches, ui->input.shift);
        changed = *value != before;
    }
    draw_slider(ui, slider, track, *value, &touch);
    return changed;
}

/* --- limits ---------------------------------------------------------------------------------- */

static void draw_limit(struct vks_ui *ui, struct vks_box box, float x,
                       const struct vks_touch *touch)
{
    const bool lit = touch->hover || touch->held || touch->focused;
    const uint32_t colour = lit ? VKS_COLOUR_LIGHT : VKS_COLOUR_BRIGHT;
    const float end = box.y + box.height;
    vks_draw_box(ui->draw, (struct vks_box){x - 1.5F, box.y, 3, box.height + 4}, 0,
                 VKS_COLOUR_SURROUND);
    vks_draw_box(ui->draw, (struct vks_box){x - 0.5F, box.y, 1, box.height + 4}, 0, colour);
    vks_draw_triangle(ui->draw, (const float[]){x - 5, end + 9, x + 5, end + 9, x, end + 2},
                      colour);
}

bool vks_ui_limits(struct vks_ui *ui, const uint32_t ids[2], struct vks_box box,
                   const struct vks_slider *slider, double limits[2], bool *again)
{
    static const double apart = 0.01; /* of the box, at least */
    bool changed = false;
    *again = false;
    for (int i = 0; i < 2; i++) {
        const float x = box.x + (float)vks_slider_fraction(slider, limits[i]) * box.width;
        /* A limit at the edge is held beyond it, and two close ones apart from each other. */
        const struct vks_box spot = {i ? x - 3 : x - 9, box.y, 12, box.height + 10};
        const struct vks_touch touch = vks_ui_touch(ui, ids[i], spot, true);
        const double other = vks_slider_fraction(slider, limits[1 - i]);
        double at = vks_slider_fraction(slider, limits[i]);
        const double before = at, notches = touch.focused ? notches_of_keys(ui) : 0;
        if (touch.pressed) {
            ui->drag = at;
            *again = ui->input.clicks > 1;
        } else if (touch.held && ui->moved != 0) {
            ui->drag += (double)(ui->moved / box.width) * (ui->input.shift ? 0.1 : 1);
            at = ui->drag;
        }
        at += notches * tick * (ui->input.shift ? 0.1 : 1);
        at = i ? fmax(at, other + apart) : fmin(at, other - apart);
        if (at != before && (touch.held || notches != 0)) {
            limits[i] = vks_slider_value(slider, at, true);
            changed = true;
        }
        draw_limit(ui, box, x, &touch);
    }
    return changed;
}

/* --- planes ---------------------------------------------------------------------------------- */

static float plane_x(const struct vks_chart_plane *plane, struct vks_box box, double x)
{
    return box.x + box.width * (float)((x - plane->low[0]) / (plane->high[0] - plane->low[0]));
}

static float plane_y(const struct vks_chart_plane *plane, struct vks_box box, double y)
{
    const double part = (y - plane->low[1]) / (plane->high[1] - plane->low[1]);
    return box.y + box.height * (1 - (float)part);
}

/* The nearest dot within a few points of the pointer. */
static size_t dot_near(const struct vks_ui *ui, const struct vks_chart_plane *plane,
                       struct vks_box box)
{
    float best = 6 * 6;
    size_t near = SIZE_MAX;
    for (size_t i = 0; i < plane->count; i++) {
        const float dx = plane_x(plane, box, plane->dots[i].at[0]) - ui->x;
        const float dy = plane_y(plane, box, plane->dots[i].at[1]) - ui->y;
        if (dx * dx + dy * dy < best) {
            best = dx * dx + dy * dy;
            near = i;
        }
    }
    return near;
}

static void draw_plane(struct vks_ui *ui, const struct vks_chart_plane *plane, struct vks_box box,
                       const double at[2], size_t near, bool focused)
{
    enum { PIECES = 48 };
    vks_draw_image(ui->draw, box, 3, plane->ground);
    vks_draw_clip(ui->draw, box);
    for (int i = 0; plane->edge && i < PIECES; i++) {
        const double span = (plane->high[1] - plane->low[1]) / PIECES;
        const double y0 = plane->low[1] + i * span, y1 = y0 + span;
        vks_draw_line(ui->draw, plane_x(plane, box, plane->edge(y0)), plane_y(plane, box, y0),
                      plane_x(plane, box, plane->edge(y1)), plane_y(plane, box, y1), 1,
                      VKS_COLOUR_DIM);
    }
    for (size_t i = 0; i < plane->count; i++) {
        const float x = plane_x(plane, box, plane->dots[i].at[0]);
        const float y = plane_y(plane, box, plane->dots[i].at[1]);
        vks_draw_disc(ui->draw, x, y, i == near ? 4.5F : 3, VKS_COLOUR_SURROUND);
        vks_draw_disc(ui->draw, x, y, i == near ? 3.5F : 2, plane->dots[i].colour);
    }
    const float x = plane_x(plane, box, at[0]), y = plane_y(plane, box, at[1]);
    vks_draw_disc(ui->draw, x, y, 7, VKS_COLOUR_SURROUND);
    vks_draw_disc(ui->draw, x, y, 6, VKS_COLOUR_BRIGHT);
    vks_draw_disc(ui->draw, x, y, 3.5F, VKS_COLOUR_ACCENT);
    vks_draw_unclip(ui->draw);
    if (focused) {
        vks_ui_ring(ui, (struct vks_box){box.x + 1, box.y + 1, box.width - 2, box.height - 2}, 3);
    }
}

/* The point that is held follows the pointer. Returns whether it has moved. */
static bool drag_point(struct vks_ui *ui, const struct vks_chart_plane *plane, struct vks_box box,
                       bool pressed, size_t near)
{
    const double last[] = {ui->held[0], ui->held[1]};
    const double part[] = {(double)((ui->x - box.x) / box.width),
                           1 - (double)((ui->y - box.y) / box.height)};
    if (!pressed && ui->x == ui->held_x && ui->y == ui->held_y) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        const struct vks_slider axis = {plane->low[i], plane->high[i], .preset = NAN};
        ui->held[i] = pressed && near != SIZE_MAX ? plane->dots[near].at[i]
                                                  : vks_slider_value(&axis, part[i], true);
    }
    ui->held_x = ui->x;
    ui->held_y = ui->y;
    return pressed || ui->held[0] != last[0] || ui->held[1] != last[1];
}

/* The arrows move by a hundredth of the plane. */
static bool step_point(struct vks_ui *ui, const struct vks_chart_plane *plane, double at[2])
{
    static const enum vks_ui_key keys[2][2] = {{VKS_UI_LEFT, VKS_UI_RIGHT},
                                               {VKS_UI_DOWN, VKS_UI_UP}};
    bool moved = false;
    for (int i = 0; i < 2; i++) {
        const struct vks_slider axis = {plane->low[i], plane->high[i], .preset = NAN};
        const double step = ui->input.shift ? 0.001 : 0.01;
        const bool back = vks_ui_take_key(ui, keys[i][0]), on = vks_ui_take_key(ui, keys[i][1]);
        if (back != on) {
            at[i] = vks_slider_value(&axis, vks_slider_fraction(&axis, at[i]) + (on ? step : -step),
                                     true);
            moved = true;
        }
    }
    return moved;
}

bool vks_ui_plane(struct vks_ui *ui, uint32_t id, struct vks_box box,
                  const struct vks_chart_plane *plane, double at[2], size_t *near)
{
    const struct vks_touch touch = vks_ui_touch(ui, id, box, true);
    const bool ended = ui->active == id && ui->input.released && !touch.pressed;
    bool changed = ended;
    *near = touch.hover ? dot_near(ui, plane, box) : SIZE_MAX;
    if (touch.held) {
        changed = drag_point(ui, plane, box, touch.pressed, *near);
    } else if (touch.focused) {
        changed = step_point(ui, plane, at);
    }
    if (touch.held || ended) {
        at[0] = ui->held[0];
        at[1] = ui->held[1];
    }
    draw_plane(ui, plane, box, at, *near, touch.focused);
    return changed;
}

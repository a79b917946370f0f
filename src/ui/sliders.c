/* SPDX-License-Identifier: MIT */
/* Widgets for numbers: sliders, and planes for two of them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "ui/widgets.h"

static const double tick = 0.02;          /* of a slider's range: a notch, or an arrow */
static const double tail_seconds = 3;     /* of a point that moves in a plane */
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

/* --- directions ------------------------------------------------------------------------------- */

/* A ball, lit from the point that is `share` of the radius away from its middle. */
static void draw_ball(struct vks_ui *ui, float x, float y, float radius, const double angles[2],
                      float share, bool lit)
{
    enum { SHADES = 12 };
    const double turn = angles[0] * M_PI / 180;
    const float dx = (float)sin(turn) * share, dy = -(float)cos(turn) * share;
    for (int i = 0; i < SHADES; i++) {
        const float part = (float)i / SHADES;
        vks_draw_disc(ui->draw, x + dx * radius * part * 0.9F, y + dy * radius * part * 0.9F,
                      radius * (1 - part), vks_blend(VKS_COLOUR_RAISED, VKS_COLOUR_DIM, part));
    }
    const float mark = radius - 4;
    vks_draw_disc(ui->draw, x + dx * mark, y + dy * mark, 5, VKS_COLOUR_GROUND);
    vks_draw_disc(ui->draw, x + dx * mark, y + dy * mark, 3.5F,
                  lit ? VKS_COLOUR_LIGHT : VKS_COLOUR_ACCENT);
}

bool vks_ui_dial(struct vks_ui *ui, uint32_t id, struct vks_box box, double lowest,
                 double angles[2])
{
    const double step = ui->input.shift ? 1 : 5;
    const float radius = box.height / 2, x = box.x + radius, y = box.y + radius;
    const struct vks_touch touch = vks_ui_touch(ui, id, box, true);
    const bool ended = ui->active == id && ui->input.released && !touch.pressed;
    const bool goes_on = (touch.held && !touch.pressed) || ended; /* from the values held */
    const double before[] = {goes_on ? ui->held[0] : angles[0], goes_on ? ui->held[1] : angles[1]};
    if (touch.held || ended) {
        const double right = (double)(ui->x - x), down = (double)(ui->y - y);
        const double away = fmin(hypot(right, down) / (double)(radius - 4), 1);
        angles[0] =
            away > 0.05 ? fmod(round(atan2(right, -down) * 180 / M_PI) + 360, 360) : angles[0];
        angles[1] = round(90 - away * (90 - lowest));
        ui->held[0] = angles[0];
        ui->held[1] = angles[1];
    } else if (touch.focused) {
        angles[0] += vks_ui_take_key(ui, VKS_UI_RIGHT) ? step : 0;
        angles[0] -= vks_ui_take_key(ui, VKS_UI_LEFT) ? step : 0;
        angles[1] += vks_ui_take_key(ui, VKS_UI_UP) ? step : 0;
        angles[1] -= vks_ui_take_key(ui, VKS_UI_DOWN) ? step : 0;
        angles[0] = fmod(angles[0] + 360, 360);
        angles[1] = limit(angles[1], lowest, 90);
    }
    draw_ball(ui, x, y, radius, angles, (float)((90 - angles[1]) / (90 - lowest)),
              touch.hover || touch.held);
    if (touch.focused) {
        vks_ui_ring(ui, (struct vks_box){box.x - 3, box.y - 3, 2 * radius + 6, 2 * radius + 6},
                    radius + 3);
    }
    return ended || angles[0] != before[0] || angles[1] != before[1];
}

/* --- planes ---------------------------------------------------------------------------------- */

void vks_plane_place(const struct vks_chart_plane *plane, const double at[2], double place[2])
{
    const double x = plane->along ? at[0] - plane->edge(at[1]) : at[0];
    place[0] = (x - plane->low[0]) / (plane->high[0] - plane->low[0]);
    place[1] = (at[1] - plane->low[1]) / (plane->high[1] - plane->low[1]);
}

struct point {
    float x, y;
};

static struct point point_of(const struct vks_chart_plane *plane, struct vks_box box,
                             const double at[2])
{
    double place[2];
    vks_plane_place(plane, at, place);
    return (struct point){box.x + box.width * (float)place[0],
                          box.y + box.height * (1 - (float)place[1])};
}

/* The nearest dot within a few points of the pointer. */
static size_t dot_near(const struct vks_ui *ui, const struct vks_chart_plane *plane,
                       struct vks_box box)
{
    float best = 6 * 6;
    size_t near = SIZE_MAX;
    for (size_t i = 0; i < plane->count; i++) {
        const struct point dot = point_of(plane, box, plane->dots[i].at);
        const float dx = dot.x - ui->x, dy = dot.y - ui->y;
        if (dx * dx + dy * dy < best) {
            best = dx * dx + dy * dy;
            near = i;
        }
    }
    return near;
}

static void draw_edge(struct vks_ui *ui, const struct vks_chart_plane *plane, struct vks_box box)
{
    enum { PIECES = 48 };
    struct point from = {0, 0};
    for (int i = 0; plane->edge && i <= PIECES; i++) {
        const double y = plane->low[1] + i * (plane->high[1] - plane->low[1]) / PIECES;
        const struct point to = point_of(plane, box, (const double[]){plane->edge(y), y});
        if (i > 0) {
            vks_draw_line(ui->draw, from.x, from.y, to.x, to.y, 1, VKS_COLOUR_DIM);
        }
        from = to;
    }
}

/* Where the point was in the last seconds: older parts are darker. */
static void draw_tail(struct vks_ui *ui, const struct vks_chart_plane *plane, struct vks_box box,
                      const double at[2])
{
    struct vks_tail *tail = plane->tail;
    const double now = ui->input.time;
    size_t gone = 0;
    while (gone < tail->count && now - tail->times[gone] > tail_seconds) {
        gone++;
    }
    const double *last = tail->count > 0 ? tail->at[tail->count - 1] : NULL;
    const bool moved = !last || last[0] != at[0] || last[1] != at[1];
    gone = gone == 0 && moved && tail->count == VKS_MAX_TAIL ? 1 : gone;
    tail->count -= gone;
    memmove(tail->at, tail->at + gone, tail->count * sizeof(tail->at[0]));
    memmove(tail->times, tail->times + gone, tail->count * sizeof(tail->times[0]));
    if (moved) {
        tail->at[tail->count][0] = at[0];
        tail->at[tail->count][1] = at[1];
        tail->times[tail->count++] = now;
    }
    for (size_t i = 1; i < tail->count; i++) {
        const struct point a = point_of(plane, box, tail->at[i - 1]);
        const struct point b = point_of(plane, box, tail->at[i]);
        const float age = (float)((now - tail->times[i]) / tail_seconds);
        vks_draw_line(ui->draw, a.x, a.y, b.x, b.y, 2,
                      vks_blend(VKS_COLOUR_LIGHT, VKS_COLOUR_SURROUND, age));
    }
    if (tail->count > 1) {
        ui->wake = fmin(ui->wake, now + 0.05);
    }
}

/* A line with a disc at its end. */
static void draw_path(struct vks_ui *ui, const struct vks_chart_plane *plane, struct vks_box box)
{
    const struct vks_path *path = plane->path;
    struct point to = point_of(plane, box, path->at[0]);
    for (size_t i = 1; i < path->count; i++) {
        const struct point from = to;
        to = point_of(plane, box, path->at[i]);
        vks_draw_line(ui->draw, from.x, from.y, to.x, to.y, 1.4F, VKS_COLOUR_BRIGHT);
    }
    vks_draw_disc(ui->draw, to.x, to.y, 3, VKS_COLOUR_BRIGHT);
}

static void draw_point(struct vks_ui *ui, struct point at, bool ring)
{
    vks_draw_disc(ui->draw, at.x, at.y, 7, VKS_COLOUR_SURROUND);
    vks_draw_disc(ui->draw, at.x, at.y, 6, VKS_COLOUR_BRIGHT);
    vks_draw_disc(ui->draw, at.x, at.y, ring ? 4 : 3.5F,
                  ring ? VKS_COLOUR_SURROUND : VKS_COLOUR_ACCENT);
}

static void draw_plane(struct vks_ui *ui, const struct vks_chart_plane *plane, struct vks_box box,
                       const double at[2], size_t near, bool focused)
{
    vks_draw_image(ui->draw, box, 3, plane->ground);
    vks_draw_clip(ui->draw, box);
    draw_edge(ui, plane, box);
    for (size_t i = 0; i < plane->count; i++) {
        const struct point dot = point_of(plane, box, plane->dots[i].at);
        vks_draw_disc(ui->draw, dot.x, dot.y, i == near ? 4.5F : 3, VKS_COLOUR_SURROUND);
        vks_draw_disc(ui->draw, dot.x, dot.y, i == near ? 3.5F : 2, plane->dots[i].colour);
    }
    for (size_t i = 0; i < plane->label_count; i++) {
        const struct point label = point_of(plane, box, plane->labels[i].at);
        vks_ui_text(ui, (struct vks_box){label.x - 20, label.y - 10, 40, 20}, VKS_ALIGN_MIDDLE,
                    &vks_style_bold, VKS_COLOUR_BRIGHT, plane->labels[i].text);
    }
    if (plane->path && plane->path->count > 0) {
        draw_path(ui, plane, box);
    }
    if (plane->tail) {
        draw_tail(ui, plane, box, at);
    }
    if (plane->other) {
        draw_point(ui, point_of(plane, box, plane->other), !plane->ring);
    }
    draw_point(ui, point_of(plane, box, at), plane->ring);
    vks_draw_unclip(ui->draw);
    if (focused) {
        vks_ui_ring(ui, (struct vks_box){box.x + 1, box.y + 1, box.width - 2, box.height - 2}, 3);
    }
}

/* Where the pointer is in the box, 0 to 1 from the left and from below. */
static double part_x(const struct vks_ui *ui, struct vks_box box)
{
    return (double)((ui->x - box.x) / box.width);
}

static double part_y(const struct vks_ui *ui, struct vks_box box)
{
    return 1 - (double)((ui->y - box.y) / box.height);
}

/* The values at a place, rounded as those of a slider. */
static void values_at(const struct vks_chart_plane *plane, const double place[2], double at[2])
{
    const struct vks_slider across = {plane->low[0], plane->high[0], .preset = NAN};
    const struct vks_slider up = {plane->low[1], plane->high[1], .preset = NAN};
    at[1] = vks_slider_value(&up, place[1], true);
    if (!plane->along) {
        at[0] = vks_slider_value(&across, place[0], true);
        return;
    }
    /* Rounded after the line's x is added. */
    const double x = plane->edge(at[1]) + plane->low[0] +
                     limit(place[0], 0, 1) * (plane->high[0] - plane->low[0]);
    const double width = plane->max_x - plane->min_x;
    const struct vks_slider legal = {plane->min_x, plane->max_x, .preset = NAN};
    at[0] = vks_slider_value(&legal, (x - plane->min_x) / width, true);
}

/* A point at a place of the plane, so far behind the last one. */
static void add_point(struct vks_path *path, const struct vks_chart_plane *plane,
                      const double place[2], double step)
{
    if (path->count == VKS_MAX_PATH) { /* every other point makes room; the ends stay */
        for (size_t i = 1; i <= VKS_MAX_PATH / 2; i++) {
            memcpy(path->at[i], path->at[2 * i - 1], sizeof(path->at[i]));
            path->reach[i] = path->reach[2 * i - 1];
        }
        path->count = VKS_MAX_PATH / 2 + 1;
    }
    values_at(plane, place, path->at[path->count]);
    path->reach[path->count] = path->count > 0 ? path->reach[path->count - 1] + step : 0;
    path->count++;
}

/* The path goes on to the pointer, in pieces that are straight on the screen and in the values. */
static void extend_path(const struct vks_ui *ui, const struct vks_chart_plane *plane,
                        struct vks_box box, struct vks_path *path)
{
    enum { GAP = 2, PIECE = 8 };
    const double end[] = {limit(part_x(ui, box), 0, 1), limit(part_y(ui, box), 0, 1)};
    if (path->count == 0) {
        add_point(path, plane, end, 0);
        return;
    }
    double start[2];
    vks_plane_place(plane, path->at[path->count - 1], start);
    const double across = end[0] - start[0], up = end[1] - start[1];
    const double length = hypot(across * (double)box.width, up * (double)box.height);
    const int pieces = plane->along ? (int)(length / PIECE) + 1 : 1;
    for (int i = 1; i <= pieces && length >= GAP; i++) {
        const double part = (double)i / pieces;
        add_point(path, plane, (const double[]){start[0] + part * across, start[1] + part * up},
                  length / pieces);
    }
}

bool vks_ui_path(struct vks_ui *ui, uint32_t id, struct vks_box box,
                 const struct vks_chart_plane *plane, struct vks_path *path)
{
    if (vks_ui_take_menu(ui, id)) {
        ui->drawn = id;
        path->count = 0;
    }
    if (ui->drawn != id) {
        return false;
    }
    extend_path(ui, plane, box, path);
    ui->drawn = ui->input.menu_down ? id : 0;
    return ui->drawn == 0;
}

/* The point that is held follows the pointer. Returns whether it has moved. */
static bool drag_point(struct vks_ui *ui, const struct vks_chart_plane *plane, struct vks_box box,
                       bool pressed, size_t near)
{
    const double last[] = {ui->held[0], ui->held[1]};
    const double part[] = {part_x(ui, box), part_y(ui, box)};
    if (!pressed && ui->x == ui->held_x && ui->y == ui->held_y) {
        return false;
    }
    if (pressed && near != SIZE_MAX) {
        ui->held[0] = plane->dots[near].at[0];
        ui->held[1] = plane->dots[near].at[1];
    } else {
        values_at(plane, part, ui->held);
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
    double place[2];
    vks_plane_place(plane, at, place);
    for (int i = 0; i < 2; i++) {
        const double step = ui->input.shift ? 0.001 : 0.01;
        const bool back = vks_ui_take_key(ui, keys[i][0]), on = vks_ui_take_key(ui, keys[i][1]);
        place[i] += back == on ? 0 : on ? step : -step;
        moved = moved || back != on;
    }
    if (moved) {
        values_at(plane, place, at);
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

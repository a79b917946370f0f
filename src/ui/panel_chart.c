/* SPDX-License-Identifier: MIT */
/* The chart of two options, with the presets on it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/condition.h"
#include "base/number.h"
#include "ui/panel_private.h"

enum { MAX_LABELS = 32 };

static const struct vks_slider path_periods = {1, 600, .logarithmic = true, .preset = 10};

/* The chart as a widget, without its labels. */
static struct vks_chart_plane plane_of(struct vks_panel *panel)
{
    const struct vks_chart *chart = &panel->base.model->chart;
    const struct vks_option *x = vks_option_find(panel->base.model->options, chart->x);
    const bool along = panel->along;
    return (struct vks_chart_plane){
        .low = {along ? chart->along_low : chart->low[0], chart->low[1]},
        .high = {along ? chart->along_high : chart->high[0], chart->high[1]},
        .dots = panel->dots,
        .count = panel->dot_count,
        .edge = chart->edge,
        .along = along,
        .min_x = x->min,
        .max_x = x->max,
        .tail = &panel->tail,
    };
}

/* The chart's ground: the colours of the presets around their dots, darker beyond the line. */
static void paint_ground(struct vks_panel *panel)
{
    const struct vks_chart_plane plane = plane_of(panel);
    double dots[VKS_MAX_DOTS][2], line[2];
    for (size_t j = 0; j < panel->dot_count; j++) {
        vks_plane_place(&plane, panel->dots[j].at, dots[j]);
    }
    for (int i = 0; i < VKS_CHART_WIDE * VKS_CHART_HIGH; i++) {
        const double x = (i % VKS_CHART_WIDE + 0.5) / VKS_CHART_WIDE;
        const double y = 1 - (i / VKS_CHART_WIDE + 0.5) / VKS_CHART_HIGH;
        double sum[4] = {0}, nearness = 0;
        for (size_t j = 0; j < panel->dot_count; j++) {
            const double dx = dots[j][0] - x, dy = dots[j][1] - y;
            const double square = dx * dx + dy * dy, weight = 1 / (square * square + 1e-5);
            nearness = fmax(nearness, 1 / (1 + 60 * square));
            for (int c = 0; c < 3; c++) {
                sum[c] += weight * (double)(panel->dots[j].colour >> (16 - 8 * c) & 0xff);
            }
            sum[3] += weight;
        }
        line[0] = HUGE_VAL;
        if (plane.edge) {
            const double at = plane.low[1] + y * (plane.high[1] - plane.low[1]);
            vks_plane_place(&plane, (const double[]){plane.edge(at), at}, line);
        }
        const double light = (x > line[0] ? 0.34 : 0.6) * nearness;
        for (int c = 0; c < 3; c++) {
            panel->ground[4 * i + c] = (uint8_t)(sum[3] > 0 ? 13 + light * sum[c] / sum[3] : 13);
        }
    }
    panel->version++;
}

/* The places of the presets on the chart. */
static enum vks_result find_dots(struct vks_panel *panel, const struct vks_option *const axes[2])
{
    const struct vks_preset *presets = vks_model_presets(panel->base.model);
    enum vks_result result = VKS_OK;
    for (size_t i = 0; presets[i].name && i < VKS_MAX_DOTS && result == VKS_OK; i++) {
        struct vks_colormap map;
        struct vks_dot *dot = &panel->dots[panel->dot_count];
        result = vks_settings_preset(&panel->other, presets[i].name);
        if (result == VKS_OK) {
            result = vks_colormap_load(panel->other.common.look.colormap, &map);
        }
        if (result == VKS_OK && vks_option_has_effect(axes[0], &panel->other) &&
            vks_option_has_effect(axes[1], &panel->other)) {
            const uint32_t colour = map.entries[176];
            dot->at[0] = vks_settings_number(&panel->other, axes[0]);
            dot->at[1] = vks_settings_number(&panel->other, axes[1]);
            dot->colour = (colour & 0xff) << 16 | (colour & 0xff00) | (colour >> 16 & 0xff);
            panel->dot_presets[panel->dot_count++] = i;
        }
    }
    return result;
}

/* The words, at the right of a row, show the plane along its line, or as it is. */
static void turn(struct vks_panel *panel, const char *words, struct vks_box row)
{
    struct vks_ui *ui = &panel->ui;
    const float wide = ceilf(vks_draw_text_width(ui->draw, &vks_style_small, words)) + 1;
    const struct vks_box switcher = {row.x + row.width - 34, row.y, 34, row.height};
    const struct vks_box box = {switcher.x - wide - 6, row.y, wide, row.height};
    bool on = panel->along;
    vks_ui_text(ui, box, VKS_ALIGN_LEFT, &vks_style_small, on ? VKS_COLOUR_TEXT : VKS_COLOUR_DIM,
                words);
    if (vks_ui_toggle(ui, vks_ui_id("along"), switcher, &on)) {
        panel->along = on;
        paint_ground(panel);
    }
}

size_t vks_panel_chart_brush(const struct vks_panel *panel, size_t values[2])
{
    const char *const axes[] = {panel->base.model->chart.x, panel->base.model->chart.y};
    for (size_t i = 0; i < panel->data->brush_count; i++) {
        const struct vks_brush_value *rows = panel->data->brushes[i].values;
        size_t found = 0;
        for (size_t j = 0; rows && axes[0] && j < 2 * VKS_STROKE_VALUES; j++) {
            const size_t axis = j % 2, value = j / 2;
            if (rows[value].option && strcmp(rows[value].option, axes[axis]) == 0) {
                values[axis] = value;
                found++;
            }
        }
        if (found == 2) {
            return i;
        }
    }
    return SIZE_MAX;
}

/* Takes the point for the brush, which is chosen then. */
static void give_to_brush(struct vks_panel *panel, size_t index, const size_t values[2],
                          const double at[2])
{
    const struct vks_brush_row *row = &panel->data->brushes[index];
    if (row->lacks) {
        char text[160];
        snprintf(text, sizeof(text), "the brush '%s' needs a run with %s", row->name, row->lacks);
        vks_ui_say(&panel->ui, text, 4);
        return;
    }
    struct vks_brush_state brush = panel->data->brush;
    brush.index = index;
    for (int i = 0; i < 2; i++) {
        brush.values[values[i]] = fmin(at[i], row->values[values[i]].max);
    }
    vks_actions_add(panel->actions, VKS_ACTION_BRUSH)->brush = brush;
}

/* The preset under the pointer, or the values of the point that a drag moves. */
static void draw_words(struct vks_panel *panel, const double at[2], size_t near)
{
    const struct vks_chart *chart = &panel->base.model->chart;
    const struct vks_box row = vks_panel_row(panel, 20);
    char text[160];
    snprintf(text, sizeof(text), "%s%s %.4g \xc2\xb7 %s %.4g",
             panel->chart_brushes ? "brush: " : "", chart->y, at[1], chart->x, at[0]);
    vks_ui_text(&panel->ui, row, VKS_ALIGN_LEFT, &vks_style_small, VKS_COLOUR_DIM,
                near < panel->dot_count
                    ? vks_model_presets(panel->base.model)[panel->dot_presets[near]].name
                    : text);
    if (chart->along) {
        turn(panel, chart->along, row);
    }
}

/* The plane as it is drawn; `labels` and `ground` live as long as it. */
static struct vks_chart_plane drawn_plane(struct vks_panel *panel,
                                          struct vks_plane_label labels[MAX_LABELS],
                                          struct vks_thumb *ground)
{
    const struct vks_chart *chart = &panel->base.model->chart;
    struct vks_chart_plane plane = plane_of(panel);
    *ground = (struct vks_thumb){panel->ground, VKS_CHART_WIDE, VKS_CHART_HIGH, panel->version};
    plane.ground = ground;
    plane.labels = labels;
    for (const struct vks_chart_label *label = chart->labels;
         label && label->text && plane.label_count < MAX_LABELS; label++) {
        labels[plane.label_count++] =
            (struct vks_plane_label){label->text, {label->at[0], label->at[1]}};
    }
    return plane;
}

/* The slider of the time that the path takes, while it is played. */
static void path_row(struct vks_panel *panel)
{
    const struct vks_trip *trip = panel->data->trip;
    if (trip && vks_panel_slider(panel, vks_ui_id("path"), "path", " s", &path_periods,
                                 &panel->path_period)) {
        vks_actions_add(panel->actions, VKS_ACTION_PATH)->period = panel->path_period;
    }
}

/* The right button draws a path, and ends it. */
static void draw_path(struct vks_panel *panel, uint32_t id, struct vks_box box,
                      struct vks_chart_plane *plane)
{
    const struct vks_trip *trip = panel->data->trip;
    if (!panel->chart_brushes && vks_ui_path(&panel->ui, id, box, plane, &panel->path)) {
        const bool is_line = panel->path.count > 1;
        struct vks_action *action = vks_actions_add(panel->actions, VKS_ACTION_PATH);
        action->path = is_line ? &panel->path : NULL;
        action->period = is_line ? panel->path_period : 0;
    }
    plane->path = panel->ui.drawn == id ? &panel->path : trip ? &trip->path : NULL;
}

/* A drag moves the options, or with Alt and in the tab of brushes what the brush paints. */
static void draw_chart(struct vks_panel *panel, const struct vks_option *const axes[2])
{
    const uint32_t id = vks_ui_id("chart");
    size_t near, parts[2] = {0};
    const size_t brush = vks_panel_chart_brush(panel, parts);
    if (panel->ui.active != id) {
        panel->chart_brushes =
            brush != SIZE_MAX && (panel->ui.input.alt || panel->tab == VKS_TAB_BRUSH);
    }
    const bool brushes = panel->chart_brushes;
    const double *painted = panel->data->brush.values;
    const double points[2][2] = {
        {vks_panel_number(panel, axes[0]), vks_panel_number(panel, axes[1])},
        {painted[parts[0]], painted[parts[1]]}};
    const bool both = brush != SIZE_MAX && !panel->data->brushes[brush].lacks;
    struct vks_plane_label labels[MAX_LABELS];
    struct vks_thumb ground;
    struct vks_chart_plane plane = drawn_plane(panel, labels, &ground);
    plane.other = both ? points[!brushes] : NULL;
    plane.ring = brushes;
    plane.tail = brushes ? NULL : plane.tail;
    double at[] = {points[brushes][0], points[brushes][1]};
    const struct vks_box box = vks_panel_row(panel, 2 * VKS_CHART_HIGH);
    draw_path(panel, id, box, &plane);
    const bool moved = vks_ui_plane(&panel->ui, id, box, &plane, at, &near);
    for (int i = 0; i < 2 && moved && !brushes; i++) {
        char text[40];
        vks_panel_set(panel, axes[i], vks_format_real(at[i], text, sizeof(text)),
                      panel->ui.active == id && !panel->ui.input.released);
    }
    if (moved && brushes) {
        give_to_brush(panel, brush, parts, at);
    }
    draw_words(panel, at, near);
    path_row(panel);
}

/* With the dots, which are found when the chart is first drawn. */
static void show_chart(struct vks_panel *panel, const struct vks_option *const axes[2])
{
    if (panel->dot_count == 0) {
        panel->result = find_dots(panel, axes);
        panel->path_period = path_periods.preset;
        paint_ground(panel);
    }
    draw_chart(panel, axes);
}

void vks_panel_chart(struct vks_panel *panel)
{
    const struct vks_model *model = panel->base.model;
    const struct vks_option *const axes[] = {vks_option_find(model->options, model->chart.x),
                                             vks_option_find(model->options, model->chart.y)};
    char title[128];
    if (panel->tab == VKS_TAB_BRUSH) {
        show_chart(panel, axes);
        return;
    }
    snprintf(title, sizeof(title), "%s against %s", model->chart.y, model->chart.x);
    if (vks_panel_place(panel, axes[0]) != VKS_IN_MODEL ||
        vks_panel_place(panel, axes[1]) != VKS_IN_MODEL) {
        return;
    }
    const struct vks_box head = {VKS_MARGIN, panel->y, VKS_CONTENT, 30};
    vks_ui_tip(&panel->ui, vks_panel_group_id(title, VKS_TAB_MODEL), head, model->chart.help);
    if (vks_panel_group(panel, title, true)) {
        show_chart(panel, axes);
    }
}

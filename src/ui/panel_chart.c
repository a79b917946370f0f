/* SPDX-License-Identifier: MIT */
/* The chart of two options, with the presets on it. */
#include <math.h>
#include <stdio.h>

#include "api/condition.h"
#include "base/number.h"
#include "ui/panel_private.h"

enum { MAX_LABELS = 32 };

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

/* The plane, and below it the preset under the pointer or the values. */
static void draw_chart(struct vks_panel *panel, const struct vks_option *const axes[2])
{
    struct vks_ui *ui = &panel->ui;
    const struct vks_chart *chart = &panel->base.model->chart;
    const struct vks_thumb ground = {panel->ground, VKS_CHART_WIDE, VKS_CHART_HIGH, panel->version};
    struct vks_plane_label labels[MAX_LABELS];
    struct vks_chart_plane plane = plane_of(panel);
    plane.ground = &ground;
    plane.labels = labels;
    for (const struct vks_chart_label *label = chart->labels;
         label && label->text && plane.label_count < MAX_LABELS; label++) {
        labels[plane.label_count++] =
            (struct vks_plane_label){label->text, {label->at[0], label->at[1]}};
    }
    char text[160];
    double at[] = {vks_panel_number(panel, axes[0]), vks_panel_number(panel, axes[1])};
    size_t near;
    if (vks_ui_plane(ui, vks_ui_id("chart"), vks_panel_row(panel, 2 * VKS_CHART_HIGH), &plane, at,
                     &near)) {
        for (int i = 0; i < 2; i++) {
            vks_panel_set(panel, axes[i], vks_format_real(at[i], text, sizeof(text)),
                          ui->active == vks_ui_id("chart") && !ui->input.released);
        }
    }
    snprintf(text, sizeof(text), "%s %.4g \xc2\xb7 %s %.4g", chart->y, at[1], chart->x, at[0]);
    const struct vks_box row = vks_panel_row(panel, 20);
    vks_ui_text(ui, row, VKS_ALIGN_LEFT, &vks_style_small, VKS_COLOUR_DIM,
                near < panel->dot_count
                    ? vks_model_presets(panel->base.model)[panel->dot_presets[near]].name
                    : text);
    if (chart->along) {
        turn(panel, chart->along, row);
    }
}

void vks_panel_chart(struct vks_panel *panel)
{
    const struct vks_model *model = panel->base.model;
    const struct vks_option *const axes[] = {vks_option_find(model->options, model->chart.x),
                                             vks_option_find(model->options, model->chart.y)};
    char title[128];
    snprintf(title, sizeof(title), "%s against %s", model->chart.y, model->chart.x);
    if (vks_panel_place(panel, axes[0]) != VKS_IN_MODEL ||
        vks_panel_place(panel, axes[1]) != VKS_IN_MODEL) {
        return;
    }
    const struct vks_box head = {VKS_MARGIN, panel->y, VKS_CONTENT, 30};
    vks_ui_tip(&panel->ui, vks_panel_group_id(title, VKS_TAB_MODEL), head, model->chart.help);
    if (!vks_panel_group(panel, title, true)) {
        return;
    }
    if (panel->dot_count == 0) {
        panel->result = find_dots(panel, axes);
        paint_ground(panel);
    }
    draw_chart(panel, axes);
}

/* SPDX-License-Identifier: MIT */
/* The chart of two options, with the presets on it. */
#include <math.h>
#include <stdio.h>

#include "api/condition.h"
#include "base/number.h"
#include "ui/panel_private.h"

/* The chart's ground: the colours of the presets around their dots, darker beyond the line. */
static void paint_ground(struct vks_panel *panel)
{
    const struct vks_chart *chart = &panel->base.model->chart;
    const double span[] = {chart->high[0] - chart->low[0], chart->high[1] - chart->low[1]};
    for (int i = 0; i < VKS_CHART_WIDE * VKS_CHART_HIGH; i++) {
        const double x = (i % VKS_CHART_WIDE + 0.5) / VKS_CHART_WIDE;
        const double y = 1 - (i / VKS_CHART_WIDE + 0.5) / VKS_CHART_HIGH;
        double sum[4] = {0}, nearness = 0;
        for (size_t j = 0; j < panel->dot_count; j++) {
            const struct vks_dot *dot = &panel->dots[j];
            const double dx = (dot->at[0] - chart->low[0]) / span[0] - x;
            const double dy = (dot->at[1] - chart->low[1]) / span[1] - y;
            const double square = dx * dx + dy * dy, weight = 1 / (square * square + 1e-5);
            nearness = fmax(nearness, 1 / (1 + 60 * square));
            for (int c = 0; c < 3; c++) {
                sum[c] += weight * (double)(dot->colour >> (16 - 8 * c) & 0xff);
            }
            sum[3] += weight;
        }
        const bool beyond =
            chart->edge && chart->low[0] + x * span[0] > chart->edge(chart->low[1] + y * span[1]);
        const double light = (beyond ? 0.34 : 0.6) * nearness;
        for (int c = 0; c < 3; c++) {
            panel->ground[4 * i + c] = (uint8_t)(sum[3] > 0 ? 13 + light * sum[c] / sum[3] : 13);
        }
    }
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

/* The plane, and below it the preset under the pointer or the values. */
static void draw_chart(struct vks_panel *panel, const struct vks_option *const axes[2])
{
    struct vks_ui *ui = &panel->ui;
    const struct vks_chart *chart = &panel->base.model->chart;
    const struct vks_thumb ground = {panel->ground, VKS_CHART_WIDE, VKS_CHART_HIGH, panel->version};
    const struct vks_chart_plane plane = {{chart->low[0], chart->low[1]},
                                          {chart->high[0], chart->high[1]},
                                          &ground,
                                          panel->dots,
                                          panel->dot_count,
                                          chart->edge};
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

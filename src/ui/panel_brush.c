/* SPDX-License-Identifier: MIT */
/* The tab Brush. */
#include <math.h>
#include <stdio.h>

#include "ui/panel_private.h"

/* The words of a brush, below its name. Returns their height; draws unless `colour` is UINT32_MAX.
 */
static float brush_words(struct vks_panel *panel, const struct vks_brush_row *brush,
                         struct vks_box box, bool current, uint32_t colour)
{
    char text[2 * VKS_UI_TEXT_SIZE];
    unsigned lines = vks_ui_paragraph(&panel->ui, box, &vks_style_body, colour, 2, brush->help);
    const bool other = current && !brush->lacks && brush->inverse;
    if (brush->lacks) {
        snprintf(text, sizeof(text), "needs a run with %s", brush->lacks);
    } else if (other) {
        snprintf(text, sizeof(text), "right button: %s", brush->inverse);
    }
    if (brush->lacks || other) {
        box.y += (float)(lines * VKS_LINE_HEIGHT);
        lines += vks_ui_paragraph(&panel->ui, box, &vks_style_body, colour, 2, text);
    }
    return (float)(lines * VKS_LINE_HEIGHT);
}

static void draw_brush(struct vks_panel *panel, const struct vks_brush_row *brush,
                       struct vks_box box, bool current, bool lit)
{
    struct vks_ui *ui = &panel->ui;
    if (current || (lit && !brush->lacks)) {
        vks_draw_box(ui->draw, box, 4, current ? VKS_COLOUR_RULE : VKS_COLOUR_RAISED);
    }
    if (current) {
        vks_draw_box(ui->draw, (struct vks_box){box.x, box.y, 3, box.height}, 1.5F,
                     VKS_COLOUR_ACCENT);
    }
    const struct vks_box name = {box.x + 14, box.y + 5, box.width - 24, 18};
    const struct vks_box words = {box.x + 14, box.y + 23, box.width - 24, 0};
    vks_ui_text(ui, name, VKS_ALIGN_LEFT, &vks_style_bold,
                brush->lacks ? VKS_COLOUR_FAINT
                : current    ? VKS_COLOUR_BRIGHT
                             : VKS_COLOUR_TEXT,
                brush->name);
    brush_words(panel, brush, words, current, brush->lacks ? VKS_COLOUR_FAINT : VKS_COLOUR_DIM);
}

/* Returns whether another brush has been chosen. */
static bool brush_list(struct vks_panel *panel, struct vks_brush_state *brush)
{
    enum { MOST = 16 };
    const struct vks_brush_row *rows = panel->data->brushes;
    struct vks_box boxes[MOST];
    const size_t count = panel->data->brush_count < MOST ? panel->data->brush_count : MOST;
    for (size_t i = 0; i < count; i++) {
        const struct vks_box words = {0, 0, VKS_CONTENT - 24, 0};
        const float high = 32 + brush_words(panel, &rows[i], words, i == brush->index, UINT32_MAX);
        boxes[i] = vks_panel_row(panel, high + 4);
        boxes[i].height = high;
    }
    const struct vks_cells cells = {vks_ui_id("brushes"), boxes, count, 1, brush->index};
    const struct vks_cell_event event = vks_ui_cells(&panel->ui, &cells);
    for (size_t i = 0; i < count; i++) {
        draw_brush(panel, &rows[i], boxes[i], i == brush->index, event.hover == i);
        if (event.cursor == i) {
            vks_ui_ring(&panel->ui,
                        (struct vks_box){boxes[i].x + 2, boxes[i].y + 2, boxes[i].width - 4,
                                         boxes[i].height - 4},
                        2);
        }
    }
    if (event.chosen == SIZE_MAX || event.chosen == brush->index || rows[event.chosen].lacks) {
        return false;
    }
    brush->index = event.chosen;
    return true;
}

/* What the brush paints, if it takes values. Returns whether a slider has changed it. */
static bool brush_values(struct vks_panel *panel, struct vks_brush_state *brush)
{
    const struct vks_brush_value *values = panel->data->brushes[brush->index].values;
    size_t parts[2];
    bool changed = false;
    if (!values || !values[0].option) {
        return false;
    }
    vks_panel_heading(panel, "paints", "");
    if (vks_panel_chart_brush(panel, parts) == brush->index) {
        vks_panel_chart(panel);
    }
    for (size_t i = 0; i < VKS_STROKE_VALUES && values[i].option; i++) {
        const struct vks_option *row =
            vks_option_find(panel->base.model->options, values[i].option);
        const struct vks_slider slider = {row->soft_min, fmin(row->soft_max, values[i].max),
                                          .preset = NAN};
        changed = vks_panel_slider(panel, vks_ui_id(row->name), row->name, NULL, &slider,
                                   &brush->values[i]) ||
                  changed;
    }
    return changed;
}

void vks_panel_brush(struct vks_panel *panel)
{
    static const struct vks_slider radius = {2, 400, .logarithmic = true, .preset = NAN};
    static const struct vks_slider share = {0, 1, .preset = NAN};
    struct vks_brush_state brush = panel->data->brush;
    if (panel->data->brush_count == 0) {
        panel->y += 12;
        vks_ui_paragraph(&panel->ui, vks_panel_row(panel, 40), &vks_style_body, VKS_COLOUR_DIM, 2,
                         "This simulation has no brushes.");
        return;
    }
    vks_panel_heading(panel, "brush", "");
    bool changed = brush_list(panel, &brush);
    changed = brush_values(panel, &brush) || changed;
    vks_panel_heading(panel, "stroke", "");
    changed =
        vks_panel_slider(panel, vks_ui_id("radius"), "radius", NULL, &radius, &brush.radius) ||
        changed;
    changed =
        vks_panel_slider(panel, vks_ui_id("strength"), "strength", NULL, &share, &brush.strength) ||
        changed;
    changed =
        vks_panel_slider(panel, vks_ui_id("soft edge"), "soft edge", NULL, &share, &brush.soft) ||
        changed;
    panel->y += 12;
    vks_ui_paragraph(&panel->ui, vks_panel_row(panel, 2 * VKS_LINE_HEIGHT), &vks_style_body,
                     VKS_COLOUR_DIM, 2,
                     "Paint on the picture. Shift and the wheel change the radius there.");
    if (changed) {
        vks_actions_add(panel->actions, VKS_ACTION_BRUSH)->brush = brush;
    }
}

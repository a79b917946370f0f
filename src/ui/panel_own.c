/* SPDX-License-Identifier: MIT */
/* The presets that a person has saved, in the tab Model. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ui/panel_private.h"

enum { HIGH = 24, SPACE = 8, PAD = 10 };

/* Boxes of the names, in rows. */
static void lay_names(struct vks_panel *panel, const struct vks_own_presets *own,
                      struct vks_box *boxes)
{
    float x = VKS_MARGIN;
    for (size_t i = 0; i < own->count; i++) {
        const float text = vks_draw_text_width(panel->ui.draw, &vks_style_body, own->items[i].name);
        const float star = vks_draw_text_width(panel->ui.draw, &vks_style_body, " *");
        const float wide = fminf(ceilf(text + star) + 2 * PAD, VKS_CONTENT);
        if (i > 0 && x + wide > VKS_MARGIN + VKS_CONTENT) {
            x = VKS_MARGIN;
            panel->y += HIGH + SPACE;
        }
        boxes[i] = (struct vks_box){x, panel->y, wide, HIGH};
        x += wide + SPACE;
    }
    panel->y += HIGH + SPACE;
}

static void names(struct vks_panel *panel, const struct vks_own_presets *own, bool changed)
{
    struct vks_ui *ui = &panel->ui;
    struct vks_box boxes[VKS_MAX_OWN_PRESETS];
    lay_names(panel, own, boxes);
    size_t current = 0;
    while (current < own->count && strcmp(own->items[current].name, panel->base_preset) != 0) {
        current++;
    }
    const struct vks_cells cells = {vks_ui_id("own presets"), boxes, own->count, 4, current};
    const struct vks_cell_event event = vks_ui_cells(ui, &cells);
    for (size_t i = 0; i < own->count; i++) {
        char text[64];
        const bool lit = event.hover == i || event.cursor == i, is_current = i == current;
        snprintf(text, sizeof(text), "%s%s", own->items[i].name, is_current && changed ? " *" : "");
        vks_draw_box(ui->draw, boxes[i], 4, lit ? VKS_COLOUR_RULE : VKS_COLOUR_RAISED);
        if (is_current || event.cursor == i) {
            vks_draw_outline(ui->draw, boxes[i], 4, is_current ? 2 : 1,
                             is_current ? VKS_COLOUR_ACCENT : VKS_COLOUR_TEXT);
        }
        vks_ui_text(ui, boxes[i], VKS_ALIGN_MIDDLE, &vks_style_body,
                    is_current ? VKS_COLOUR_LIGHT
                    : lit      ? VKS_COLOUR_BRIGHT
                               : VKS_COLOUR_TEXT,
                    text);
    }
    if (event.chosen != SIZE_MAX) {
        vks_panel_act(panel, VKS_ACTION_PRESET, own->items[event.chosen].name, ui->input.shift);
    }
}

bool vks_panel_is_own(const struct vks_panel *panel)
{
    const struct vks_own_presets *own = panel->data->own;
    return own && vks_own_preset_find(own, panel->base_preset);
}

void vks_panel_own_presets(struct vks_panel *panel, bool changed)
{
    const struct vks_own_presets *own = panel->data->own;
    struct vks_ui *ui = &panel->ui;
    if (own && own->count > 0) {
        panel->y += 4;
        names(panel, own, changed);
    }
    struct vks_box box = vks_panel_row(panel, HIGH + SPACE);
    box.height = HIGH;
    if (vks_panel_is_own(panel)) {
        const float wide = 72;
        const struct vks_box button = {box.x + box.width - wide, box.y, wide, HIGH};
        if (vks_ui_button(ui, vks_ui_id("delete preset"), button, "Delete", false)) {
            vks_panel_act(panel, VKS_ACTION_DELETE_PRESET, panel->base_preset, false);
        }
        box.width -= wide + SPACE;
    }
    if (vks_ui_field(ui, vks_ui_id("save preset"), box, "", "save as preset: type a name", false) &&
        ui->edit.text[0]) {
        vks_panel_act(panel, VKS_ACTION_SAVE_PRESET, ui->edit.text, false);
    }
}

/* SPDX-License-Identifier: MIT */
/* The tab Look. */
#include <stdint.h>
#include <strings.h>

#include "ui/panel_private.h"

static size_t map_named(const struct vks_panel *panel, const char *name)
{
    size_t at = 0;
    while (at < panel->map_count && strcasecmp(vks_colormap_names[at], name) != 0) {
        at++;
    }
    return at;
}

static void colour_maps(struct vks_panel *panel)
{
    enum { HIGH = 16, STEP = 23, COLUMNS = 2, MAX_MAPS = 64 };
    struct vks_ui *ui = &panel->ui;
    struct vks_box boxes[MAX_MAPS];
    const char *name = panel->data->settings->common.look.colormap;
    const size_t count = panel->map_count < MAX_MAPS ? panel->map_count : MAX_MAPS;
    const size_t current = map_named(panel, name);
    const float wide = (VKS_CONTENT - 10) / (float)COLUMNS;
    vks_panel_heading(panel, "colours", name);
    const float height = vks_panel_lay(boxes, count, COLUMNS, panel->y + 2, wide, STEP);
    for (size_t i = 0; i < count; i++) {
        boxes[i].height = HIGH;
    }
    const struct vks_cells cells = {vks_ui_id("colour maps"), boxes, count, COLUMNS, current};
    const struct vks_cell_event event = vks_ui_cells(ui, &cells);
    for (size_t i = 0; i < count; i++) {
        const struct vks_thumb strip = {(const uint8_t *)panel->maps[i].entries, 256, 1, 0};
        const bool lit = event.hover == i || event.cursor == i;
        vks_draw_image(ui->draw, boxes[i], 3, &strip);
        if (lit || i == current) {
            const struct vks_box ring = {boxes[i].x - 2, boxes[i].y - 2, boxes[i].width + 4,
                                         HIGH + 4};
            vks_draw_outline(ui->draw, ring, 5, i == current ? 2 : 1,
                             i == current ? VKS_COLOUR_ACCENT : VKS_COLOUR_TEXT);
        }
        vks_ui_tip(ui, vks_ui_sub(cells.id, i), boxes[i], vks_colormap_names[i]);
    }
    if (event.chosen != SIZE_MAX) {
        vks_panel_set(panel, VKS_COMMON_ROW(look.colormap), vks_colormap_names[event.chosen],
                      false);
    }
    panel->y += height;
}

void vks_panel_look(struct vks_panel *panel)
{
    colour_maps(panel);
    vks_panel_groups(panel, VKS_IN_LOOK, 4);
}

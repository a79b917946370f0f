/* SPDX-License-Identifier: MIT */
/* The file that was dropped on the window, above all tabs until a person has chosen. */
#include <string.h>

#include "ui/panel_private.h"

void vks_panel_drop(struct vks_panel *panel)
{
    enum { HIGH = 28, SPACE = 8, COLUMNS = 2 };
    const struct vks_drop *drop = panel->data->drop;
    if (!drop || !drop->path) {
        return;
    }
    const char *slash = strrchr(drop->path, '/');
    const float wide = (VKS_CONTENT - SPACE) / (float)COLUMNS;
    vks_panel_heading(panel, "open", slash ? slash + 1 : drop->path);
    for (size_t i = 0; i <= drop->count; i++) {
        const bool last = i == drop->count;
        const struct vks_box box = {VKS_MARGIN + (wide + SPACE) * (float)(i % COLUMNS),
                                    panel->y + (float)(i / COLUMNS * (HIGH + SPACE)), wide, HIGH};
        if (vks_ui_button(&panel->ui, vks_ui_sub(vks_ui_id("drop"), i), box,
                          last ? "not now" : drop->choices[i].words, i == 0)) {
            vks_actions_add(panel->actions, VKS_ACTION_DROP)->index = i;
        }
    }
    panel->y += (float)(drop->count / COLUMNS + 1) * (HIGH + SPACE);
    vks_draw_box(panel->ui.draw, (struct vks_box){VKS_MARGIN, panel->y + 2, VKS_CONTENT, 1}, 0,
                 VKS_COLOUR_RULE);
    panel->y += 6;
}

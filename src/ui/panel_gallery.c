/* SPDX-License-Identifier: MIT */
/* The tab Gallery. */
#include <stdint.h>

#include "ui/panel_private.h"

static void gallery_act(struct vks_panel *panel, enum vks_action_kind kind)
{
    vks_actions_add(panel->actions, kind)->index = panel->selected;
}

static void select_picture(struct vks_panel *panel, size_t index)
{
    panel->selected = index;
    panel->selected_id = panel->data->gallery[index].id;
}

/* The place of the selected picture, which others may have moved. */
static void find_selected(struct vks_panel *panel, size_t count)
{
    const struct vks_gallery_item *items = panel->data->gallery;
    size_t at = 0;
    while (at < count && items[at].id != panel->selected_id) {
        at++;
    }
    panel->selected = at < count ? at : SIZE_MAX;
}

/* A sign in the corner of a video's tile: a disc with a triangle. */
static void video_sign(struct vks_panel *panel, struct vks_box box)
{
    struct vks_draw *draw = panel->ui.draw;
    const float x = box.x + box.width - 15, y = box.y + box.width - 15;
    vks_draw_disc(draw, x, y, 10, VKS_COLOUR_SURROUND);
    for (float i = 0; i < 4; i++) { /* its height shrinks to the right */
        vks_draw_line(draw, x - 3 + 2 * i, y - 4.5F + 1.3F * i, x - 3 + 2 * i, y + 4.5F - 1.3F * i,
                      2, VKS_COLOUR_BRIGHT);
    }
}

static void gallery_grid(struct vks_panel *panel, size_t count)
{
    enum { SIDE = 98, COLUMNS = 3 };
    struct vks_box boxes[VKS_MAX_UI_CELLS];
    const struct vks_panel_data *data = panel->data;
    const float height = vks_panel_lay(boxes, count, COLUMNS, panel->y, SIDE, SIDE + 24);
    const struct vks_cells cells = {vks_ui_id("gallery"), boxes, count, COLUMNS, panel->selected};
    const struct vks_cell_event event = vks_ui_cells(&panel->ui, &cells);
    for (size_t i = 0; i < count; i++) {
        const struct vks_gallery_item *item = &data->gallery[i];
        vks_panel_tile(panel, boxes[i], item->image.rgba ? &item->image : NULL, item->name,
                       i == panel->selected, event.hover == i || event.cursor == i);
        if (item->is_video) {
            video_sign(panel, boxes[i]);
        }
    }
    if (event.cursor != SIZE_MAX && vks_ui_take_key(&panel->ui, VKS_UI_DELETE)) {
        select_picture(panel, event.cursor);
        gallery_act(panel, VKS_ACTION_GALLERY_DELETE);
    }
    if (event.chosen != SIZE_MAX) {
        select_picture(panel, event.chosen);
        gallery_act(panel, event.again ? VKS_ACTION_GALLERY_RETURN : VKS_ACTION_GALLERY_LOOK);
    }
    panel->y += height;
}

/* What makes a larger file of the selected picture's run. */
static void render_buttons(struct vks_panel *panel)
{
    struct vks_box box = vks_panel_row(panel, 36);
    box.height = 28;
    box.width = (VKS_CONTENT - 8) / 2.0F;
    if (vks_ui_button(&panel->ui, vks_ui_id("enlarge"), box, "Render picture 4x", false)) {
        gallery_act(panel, VKS_ACTION_GALLERY_ENLARGE);
    }
    box.x += box.width + 8;
    if (vks_ui_button(&panel->ui, vks_ui_id("video"), box, "Render video 4K", false)) {
        gallery_act(panel, VKS_ACTION_GALLERY_VIDEO);
    }
}

bool vks_panel_loops(const struct vks_panel *panel)
{
    return panel->loops;
}

/* The option of the next videos. */
static void loop_row(struct vks_panel *panel)
{
    const struct vks_box row = vks_panel_row(panel, 24);
    const struct vks_box words = {row.x, row.y, row.width - 40, row.height};
    const struct vks_box box = {row.x + row.width - 34, row.y, 34, row.height};
    vks_ui_text(&panel->ui, words, VKS_ALIGN_LEFT, &vks_style_body,
                panel->loops ? VKS_COLOUR_TEXT : VKS_COLOUR_DIM,
                "Loop new videos (1 s cross-fade)");
    vks_ui_toggle(&panel->ui, vks_ui_id("loops"), box, &panel->loops);
}

void vks_panel_gallery(struct vks_panel *panel)
{
    const struct vks_panel_data *data = panel->data;
    const size_t count =
        data->gallery_count < VKS_MAX_UI_CELLS ? data->gallery_count : VKS_MAX_UI_CELLS;
    find_selected(panel, count);
    panel->y += 8;
    loop_row(panel);
    panel->y += 8;
    if (count == 0) {
        vks_ui_paragraph(&panel->ui, vks_panel_row(panel, 40), &vks_style_body, VKS_COLOUR_DIM, 2,
                         "Saved pictures and videos appear here. Press S to save one.");
    } else {
        gallery_grid(panel, count);
    }
    if (panel->selected != SIZE_MAX) {
        const struct vks_gallery_item *item = &data->gallery[panel->selected];
        vks_ui_paragraph(&panel->ui, vks_panel_row(panel, 2 * VKS_LINE_HEIGHT + 8), &vks_style_body,
                         VKS_COLOUR_TEXT, 2, item->words ? item->words : item->name);
        struct vks_box box = vks_panel_row(panel, 36);
        box.height = 28;
        box.width = 204;
        if (vks_ui_button(&panel->ui, vks_ui_id("return"), box,
                          item->is_video ? "Return to its end" : "Return to this state", true)) {
            gallery_act(panel, VKS_ACTION_GALLERY_RETURN);
        }
        box.x += box.width + 8;
        box.width = VKS_CONTENT - box.width - 8;
        if (vks_ui_button(&panel->ui, vks_ui_id("delete"), box, "Delete", false)) {
            gallery_act(panel, VKS_ACTION_GALLERY_DELETE);
        }
        if (!item->is_video) {
            render_buttons(panel);
        }
    }
    if (vks_ui_button(&panel->ui, vks_ui_id("folder"), vks_panel_row(panel, 28), "Open the folder",
                      false)) {
        gallery_act(panel, VKS_ACTION_GALLERY_FOLDER);
    }
}

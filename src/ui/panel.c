/* SPDX-License-Identifier: MIT */
#include "ui/panel.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "ui/panel_private.h"

enum { BAR = 42 }; /* height of the tabs */

/* --- life ------------------------------------------------------------------------------------ */

static enum vks_result load_maps(struct vks_panel *panel)
{
    while (vks_colormap_names[panel->map_count]) {
        panel->map_count++;
    }
    panel->maps = calloc(panel->map_count, sizeof(*panel->maps));
    enum vks_result result = panel->maps ? VKS_OK : vks_fail_memory();
    for (size_t i = 0; i < panel->map_count && result == VKS_OK; i++) {
        result = vks_colormap_load(vks_colormap_names[i], &panel->maps[i]);
    }
    return result;
}

enum vks_result vks_panel_create(struct vks_panel **made)
{
    struct vks_panel *panel = calloc(1, sizeof(*panel));
    enum vks_result result = panel ? vks_ui_create(&panel->ui) : vks_fail_memory();
    if (result == VKS_OK) {
        result = load_maps(panel);
    }
    if (result != VKS_OK) {
        vks_panel_destroy(panel);
        return result;
    }
    panel->selected = panel->pointed = SIZE_MAX;
    *made = panel;
    return VKS_OK;
}

static void drop_model(struct vks_panel *panel)
{
    if (panel->base.model) {
        vks_settings_free(&panel->base);
    }
    if (panel->other.model) {
        vks_settings_free(&panel->other);
    }
    free(panel->pictures);
    free(panel->pixels);
    free(panel->made);
    free(panel->lacking);
    panel->pictures = NULL;
    panel->pixels = panel->made = NULL;
    panel->lacking = NULL;
    panel->pointed = panel->was_pointed = SIZE_MAX;
    panel->version++;
    panel->pending_count = panel->dot_count = panel->tail.count = 0;
    panel->along = false;
    panel->all_presets = false;
}

void vks_panel_destroy(struct vks_panel *panel)
{
    if (panel) {
        drop_model(panel);
        vks_ui_destroy(&panel->ui);
        free(panel->maps);
        free(panel);
    }
}

const struct vks_canvas *vks_panel_canvas(const struct vks_panel *panel)
{
    return vks_draw_canvas(panel->ui.draw);
}

struct vks_ui *vks_panel_ui(struct vks_panel *panel)
{
    return &panel->ui;
}

void vks_panel_show(struct vks_panel *panel, enum vks_tab tab)
{
    panel->tab = (size_t)tab;
}

void vks_panel_to_top(struct vks_panel *panel)
{
    panel->scroll[panel->tab].offset = 0;
}

enum vks_tab vks_panel_tab(const struct vks_panel *panel)
{
    return (enum vks_tab)panel->tab;
}

struct vks_action *vks_actions_add(struct vks_actions *actions, enum vks_action_kind kind)
{
    /* More than a person can do in one update: the last one is lost. */
    actions->count = actions->count < VKS_MAX_ACTIONS ? actions->count + 1 : VKS_MAX_ACTIONS;
    struct vks_action *action = &actions->items[actions->count - 1];
    *action = (struct vks_action){.kind = kind};
    return action;
}

void vks_panel_act(struct vks_panel *panel, enum vks_action_kind kind, const char *name, bool keep)
{
    struct vks_action *action = vks_actions_add(panel->actions, kind);
    snprintf(action->name, sizeof(action->name), "%s", name);
    action->keep = keep;
}

size_t vks_preset_count(const struct vks_model *model)
{
    const struct vks_preset *presets = vks_model_presets(model);
    size_t count = 0;
    while (presets[count].name) {
        count++;
    }
    return count;
}

size_t vks_preset_named(const struct vks_model *model, const char *name)
{
    const struct vks_preset *presets = vks_model_presets(model);
    size_t at = 0;
    while (presets[at].name && strcmp(presets[at].name, name) != 0) {
        at++;
    }
    return at;
}

/* Takes the values of the preset that the settings came from; of the first one for a name that is
 * none, such as that of a scene. */
static enum vks_result follow(struct vks_panel *panel)
{
    const struct vks_model *model = panel->data->settings->model;
    const char *first = vks_model_presets(model)[0].name;
    const char *preset = panel->data->preset ? panel->data->preset : first;
    enum vks_result result = VKS_OK;
    if (panel->base.model != model) {
        drop_model(panel);
        panel->base_preset[0] = '\0';
        result = vks_settings_init(&panel->base, model);
        result = result == VKS_OK ? vks_settings_init(&panel->other, model) : result;
        result = result == VKS_OK ? vks_panel_find_pictures(panel, model) : result;
    }
    const struct vks_own_presets *saved = panel->data->own;
    const unsigned version = saved ? saved->version : 0;
    if (result == VKS_OK &&
        (strcmp(panel->base_preset, preset) != 0 || panel->own_version != version)) {
        const struct vks_own_preset *own = saved ? vks_own_preset_find(saved, preset) : NULL;
        const bool known = vks_preset_named(model, preset) < vks_preset_count(model);
        result = own ? vks_own_preset_apply(own, &panel->base)
                     : vks_settings_preset(&panel->base, known ? preset : first);
        snprintf(panel->base_preset, sizeof(panel->base_preset), "%s", preset);
        panel->own_version = version;
    }
    return result;
}

/* --- rows ------------------------------------------------------------------------------------ */

struct vks_box vks_panel_row(struct vks_panel *panel, float height)
{
    const struct vks_box row = {VKS_MARGIN, panel->y, VKS_CONTENT, height};
    panel->y += height;
    return row;
}

void vks_panel_heading(struct vks_panel *panel, const char *text, const char *words)
{
    char capitals[128];
    size_t i = 0;
    for (; text[i] && i < sizeof(capitals) - 1; i++) {
        capitals[i] = (char)toupper((unsigned char)text[i]);
    }
    capitals[i] = '\0';
    struct vks_box row = vks_panel_row(panel, 32);
    row.y += 6;
    row.height = 22;
    const float width =
        vks_ui_text(&panel->ui, row, VKS_ALIGN_LEFT, &vks_style_heading, VKS_COLOUR_DIM, capitals);
    row.x += width + 8;
    row.width -= width + 8;
    vks_ui_text(&panel->ui, row, VKS_ALIGN_LEFT, &vks_style_body, VKS_COLOUR_TEXT, words);
}

uint32_t vks_panel_group_id(const char *heading, enum vks_tab tab)
{
    return vks_ui_sub(vks_ui_id(heading), VKS_HEADING_PART + (size_t)tab);
}

bool vks_panel_group(struct vks_panel *panel, const char *text, bool open_at_first)
{
    struct vks_ui *ui = &panel->ui;
    const uint32_t id = vks_panel_group_id(text, (enum vks_tab)panel->tab);
    const struct vks_box box = {VKS_MARGIN, panel->y + 6, VKS_CONTENT, 22};
    const struct vks_touch touch = vks_ui_touch(ui, id, box, true);
    size_t at = 0;
    while (at < panel->turned_count && panel->turned[at].id != id) {
        at++;
    }
    bool open = at < panel->turned_count ? panel->turned[at].open : open_at_first;
    if (touch.clicked && at < VKS_MAX_HEADINGS) {
        open = !open;
        panel->turned[at] = (struct vks_turned){id, open};
        panel->turned_count += at == panel->turned_count;
    }
    const float x = VKS_MARGIN + VKS_CONTENT - 5, y = box.y + 11;
    const uint32_t colour = touch.hover ? VKS_COLOUR_BRIGHT : VKS_COLOUR_FAINT;
    vks_ui_chevron(ui, x, y, open, colour);
    if (touch.focused) {
        vks_ui_ring(ui, (struct vks_box){box.x, box.y + 2, box.width, 18}, 3);
    }
    vks_panel_heading(panel, text, "");
    panel->y -= open ? 0 : 5;
    return open;
}

void vks_panel_tile(struct vks_panel *panel, struct vks_box box, const struct vks_thumb *image,
                    const char *name, bool current, bool lit)
{
    struct vks_ui *ui = &panel->ui;
    const struct vks_box picture = {box.x, box.y, box.width, box.width};
    const struct vks_box label = {box.x, box.y + box.width + 1, box.width, 15};
    if (image) {
        vks_draw_image(ui->draw, picture, 3, image);
    } else {
        vks_draw_box(ui->draw, picture, 3, lit ? VKS_COLOUR_RULE : VKS_COLOUR_RAISED);
    }
    if (current || lit) {
        const struct vks_box ring = {picture.x - 2, picture.y - 2, picture.width + 4,
                                     picture.height + 4};
        vks_draw_outline(ui->draw, ring, 4, current ? 2 : 1,
                         current ? VKS_COLOUR_ACCENT : VKS_COLOUR_TEXT);
    }
    vks_ui_text(ui, label, VKS_ALIGN_LEFT, &vks_style_small,
                current ? VKS_COLOUR_LIGHT
                : lit   ? VKS_COLOUR_BRIGHT
                        : VKS_COLOUR_DIM,
                name);
}

float vks_panel_lay(struct vks_box *boxes, size_t count, size_t columns, float y, float side,
                    float height)
{
    const float step = (VKS_CONTENT - side) / (float)(columns - 1);
    for (size_t i = 0; i < count; i++) {
        boxes[i] = (struct vks_box){VKS_MARGIN + floorf(step * (float)(i % columns)),
                                    y + (float)(i / columns) * height, side, height - 6};
    }
    return (float)((count + columns - 1) / columns) * height;
}

/* --- all of it ------------------------------------------------------------------------------- */

static void tab_bar(struct vks_panel *panel)
{
    char gallery[32];
    const char *const names[VKS_TABS] = {"Model", "Look", "Brush", gallery};
    const struct vks_box bar = {VKS_MARGIN, 4, VKS_CONTENT, BAR - 5};
    const size_t pictures = panel->data->gallery_count;
    snprintf(gallery, sizeof(gallery), pictures ? "Gallery %zu" : "Gallery", pictures);
    vks_draw_box(panel->ui.draw, (struct vks_box){VKS_MARGIN, BAR - 1, VKS_CONTENT, 1}, 0,
                 VKS_COLOUR_RULE);
    vks_ui_tabs(&panel->ui, vks_ui_id("tabs"), bar, names, VKS_TABS, &panel->tab);
}

static void build(void *user)
{
    static void (*const tabs[VKS_TABS])(struct vks_panel *) = {vks_panel_model, vks_panel_look,
                                                               vks_panel_brush, vks_panel_gallery};
    struct vks_panel *panel = user;
    struct vks_ui *ui = &panel->ui;
    tab_bar(panel);
    const struct vks_box body = {0, BAR, ui->width - 1, ui->height - BAR};
    const size_t tab = panel->tab;
    const float top =
        vks_ui_scroll_begin(ui, vks_ui_sub(vks_ui_id("scroll"), tab), body, &panel->scroll[tab]);
    panel->y = top;
    vks_panel_drop(panel);
    tabs[tab](panel);
    vks_ui_scroll_end(ui, panel->y - top + 20);
    vks_draw_box(ui->draw, (struct vks_box){0, 0, 1, ui->height}, 0, VKS_COLOUR_RULE);
}

enum vks_result vks_panel_update(struct vks_panel *panel, const struct vks_panel_data *data,
                                 const struct vks_ui_input *input,
                                 const struct vks_surface *surface, struct vks_actions *actions,
                                 struct vks_update *update)
{
    panel->data = data;
    panel->actions = actions;
    panel->was_pointed = panel->pointed;
    panel->pointed = SIZE_MAX;
    panel->result = follow(panel);
    if (panel->result != VKS_OK) {
        return panel->result;
    }
    const enum vks_result result = vks_ui_update(&panel->ui, input, surface, build, panel, update);
    return result == VKS_OK ? panel->result : result;
}

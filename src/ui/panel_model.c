/* SPDX-License-Identifier: MIT */
/* The tab Model: simulations, presets, the options of the simulation, and those of a new run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "ui/panel_private.h"
#include "ui/pictures.h"

enum {
    THUMB = 72,
    MAX_NAMES = 64,
    SHOWN_PRESETS = 8, /* unless all are shown */
};

/* Seconds until a preset under the pointer runs. */
static const double run_after = 0.5;

/* --- simulations ----------------------------------------------------------------------------- */

/* Boxes of the simulations' names, in a row if that is possible. Returns their number. */
static size_t lay_models(struct vks_panel *panel, struct vks_box boxes[MAX_NAMES])
{
    const struct vks_model *model;
    size_t count = 0;
    float all = 0;
    for (; count < MAX_NAMES && (model = vks_model_at(count)); count++) {
        const float width =
            ceilf(vks_draw_text_width(panel->ui.draw, &vks_style_body, model->name)) + 1;
        boxes[count] = (struct vks_box){0, 0, width, 20};
        all += width;
    }
    const float spare = (VKS_CONTENT - all) / (float)(count > 1 ? count - 1 : 1);
    const float gap = spare < 8 ? 14 : fminf(spare, 20);
    float x = VKS_MARGIN;
    for (size_t i = 0; i < count; i++) {
        if (x + boxes[i].width > VKS_MARGIN + VKS_CONTENT + 1) {
            x = VKS_MARGIN;
            panel->y += 22;
        }
        boxes[i].x = x;
        boxes[i].y = panel->y;
        x += boxes[i].width + gap;
    }
    panel->y += 22;
    return count;
}

static void model_words(struct vks_panel *panel)
{
    struct vks_ui *ui = &panel->ui;
    struct vks_box boxes[MAX_NAMES];
    char tip[2 * VKS_UI_TEXT_SIZE];
    const size_t count = lay_models(panel, boxes);
    size_t current = 0;
    while (current < count && vks_model_at(current) != panel->base.model) {
        current++;
    }
    const struct vks_cells cells = {vks_ui_id("models"), boxes, count, count, current};
    const struct vks_cell_event event = vks_ui_cells(ui, &cells);
    for (size_t i = 0; i < count; i++) {
        vks_ui_text(ui, boxes[i], VKS_ALIGN_LEFT, &vks_style_body,
                    i == current                   ? VKS_COLOUR_LIGHT
                    : vks_model_at(i)->needs_image ? VKS_COLOUR_FAINT
                    : event.hover == i             ? VKS_COLOUR_BRIGHT
                                                   : VKS_COLOUR_DIM,
                    vks_model_at(i)->name);
        if (event.cursor == i) {
            vks_ui_ring(ui, boxes[i], 2);
        }
        snprintf(tip, sizeof(tip), "%s%s", vks_model_at(i)->summary,
                 vks_model_at(i)->needs_image ? "; it starts only with --init image:FILE" : "");
        vks_ui_tip(ui, vks_ui_sub(cells.id, i), boxes[i], tip);
    }
    if (event.chosen != SIZE_MAX && event.chosen != current) {
        vks_panel_act(panel, VKS_ACTION_MODEL, vks_model_at(event.chosen)->name, false);
    }
}

/* --- presets --------------------------------------------------------------------------------- */

/* Reads the pictures of a model from a file that have been made. */
static enum vks_result find_made(struct vks_panel *panel, const struct vks_model *model)
{
    const struct vks_preset *presets = vks_model_presets(model);
    const size_t count = vks_preset_count(model);
    if (!vks_pictures_are_made(model)) {
        return VKS_OK;
    }
    panel->made = calloc(count, VKS_MADE_BYTES);
    panel->lacking = calloc(count, sizeof(*panel->lacking));
    if (!panel->made || !panel->lacking) {
        return vks_fail_memory();
    }
    for (size_t i = 0; i < count; i++) {
        uint8_t *rgba = panel->made + i * VKS_MADE_BYTES;
        panel->lacking[i] = !vks_picture_find(model, presets[i].name, rgba);
        if (!panel->lacking[i]) {
            panel->pictures[i] = (struct vks_thumb){rgba, VKS_MADE_SIDE, VKS_MADE_SIDE, 0};
        }
    }
    return VKS_OK;
}

const char *vks_panel_lacking(const struct vks_panel *panel)
{
    const size_t total = panel->lacking ? vks_preset_count(panel->base.model) : 0;
    const size_t shown = panel->all_presets || total <= SHOWN_PRESETS ? total : SHOWN_PRESETS - 1;
    size_t i = 0;
    while (i < shown && !panel->lacking[i]) {
        i++;
    }
    return i < shown && panel->tab == VKS_TAB_MODEL ? vks_model_presets(panel->base.model)[i].name
                                                    : NULL;
}

void vks_panel_take_picture(struct vks_panel *panel, const char *preset,
                            const struct vks_thumb *picture)
{
    const size_t i = vks_preset_named(panel->base.model, preset);
    uint8_t *rgba = panel->made + i * VKS_MADE_BYTES;
    panel->lacking[i] = false;
    if (picture->rgba) {
        memcpy(rgba, picture->rgba, VKS_MADE_BYTES);
        panel->pictures[i] = (struct vks_thumb){rgba, VKS_MADE_SIDE, VKS_MADE_SIDE, panel->version};
        vks_picture_keep(panel->base.model, preset, rgba);
    }
}

enum vks_result vks_panel_find_pictures(struct vks_panel *panel, const struct vks_model *model)
{
    const struct vks_preset *presets = vks_model_presets(model);
    panel->pictures = calloc(vks_preset_count(model), sizeof(*panel->pictures));
    enum vks_result result = panel->pictures
                                 ? vks_pictures_load(model, panel->pictures, &panel->pixels)
                                 : vks_fail_memory();
    result = result == VKS_OK ? find_made(panel, model) : result;
    for (size_t i = 0; presets[i].name && result == VKS_OK; i++) {
        struct vks_thumb *picture = &panel->pictures[i];
        picture->version = panel->version;
        if (picture->rgba) {
            continue;
        }
        result = vks_settings_preset(&panel->other, presets[i].name);
        for (size_t map = 0; map < panel->map_count && result == VKS_OK; map++) {
            if (strcmp(panel->other.common.look.colormap, vks_colormap_names[map]) == 0) {
                picture->rgba = (const uint8_t *)panel->maps[map].entries;
                picture->width = 256;
                picture->height = 1;
            }
        }
    }
    return result;
}

const char *vks_panel_pointed(const struct vks_panel *panel)
{
    return panel->pointed != SIZE_MAX && panel->ui.input.time >= panel->pointed_since + run_after
               ? vks_model_presets(panel->base.model)[panel->pointed].name
               : NULL;
}

/* The picture of a preset: that of its run, if it runs; NULL if it has none. */
static const struct vks_thumb *picture_of(const struct vks_panel *panel, size_t index)
{
    const struct vks_thumb *live = &panel->data->live;
    const bool runs = live->rgba && index == panel->pointed && vks_panel_pointed(panel);
    return runs ? live : panel->pictures[index].rgba ? &panel->pictures[index] : NULL;
}

/* Notes the preset under the pointer, and wakes the panel when it is to run. */
static void note_pointed(struct vks_panel *panel, size_t index)
{
    struct vks_ui *ui = &panel->ui;
    if (index != panel->was_pointed) {
        panel->pointed_since = ui->input.time;
    }
    panel->pointed = panel->was_pointed = index;
    if (index != SIZE_MAX && ui->input.time < panel->pointed_since + run_after) {
        ui->wake = fmin(ui->wake, panel->pointed_since + run_after);
    }
}

/* The presets that are shown: the first ones, and the current one. */
static size_t list_presets(const struct vks_panel *panel, size_t total, size_t current,
                           size_t shown[VKS_MAX_UI_CELLS])
{
    const bool few = !panel->all_presets && total > SHOWN_PRESETS;
    const size_t count = few                        ? SHOWN_PRESETS - 1
                         : total < VKS_MAX_UI_CELLS ? total
                                                    : VKS_MAX_UI_CELLS;
    for (size_t i = 0; i < count; i++) {
        shown[i] = i;
    }
    if (current < total && current >= count) {
        shown[count - 1] = current;
    }
    return count;
}

/* The last tile: shows all presets, or the first ones again. */
static void more_tile(struct vks_panel *panel, struct vks_box box, bool lit)
{
    char count[24];
    snprintf(count, sizeof(count), "%zu", vks_preset_count(panel->base.model));
    vks_panel_tile(panel, box, NULL, panel->all_presets ? "" : "all presets", false, lit);
    box.height = box.width;
    vks_ui_text(&panel->ui, box, VKS_ALIGN_MIDDLE, &vks_style_body, VKS_COLOUR_TEXT,
                panel->all_presets ? "fewer" : count);
}

static void draw_presets(struct vks_panel *panel, const struct vks_cells *cells,
                         const struct vks_cell_event *event, const size_t *shown, size_t count,
                         bool changed)
{
    const struct vks_preset *presets = vks_model_presets(panel->base.model);
    for (size_t i = 0; i < cells->count; i++) {
        const bool lit = event->hover == i || event->cursor == i;
        char name[80];
        if (i < count) {
            const struct vks_thumb *image = picture_of(panel, shown[i]);
            const bool current = i == cells->current;
            snprintf(name, sizeof(name), "%s%s", presets[shown[i]].name,
                     current && changed ? " *" : "");
            vks_panel_tile(panel, cells->boxes[i], image, name, current, lit);
        } else {
            more_tile(panel, cells->boxes[i], lit);
        }
    }
    const size_t at = event->hover != SIZE_MAX ? event->hover : event->cursor;
    if (at < count) {
        snprintf(panel->hint, sizeof(panel->hint), "%s \xc2\xb7 %s", presets[shown[at]].name,
                 presets[shown[at]].summary);
    }
}

static void preset_grid(struct vks_panel *panel, bool changed)
{
    struct vks_box boxes[VKS_MAX_UI_CELLS + 1];
    size_t shown[VKS_MAX_UI_CELLS];
    const size_t total = vks_preset_count(panel->base.model),
                 current = vks_preset_named(panel->base.model, panel->base_preset);
    const size_t count = list_presets(panel, total, current, shown);
    const size_t tiles = total > SHOWN_PRESETS ? count + 1 : count;
    const float height = vks_panel_lay(boxes, tiles, 4, panel->y, THUMB, THUMB + 24);
    size_t at = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        at = shown[i] == current ? i : at;
    }
    const struct vks_cells cells = {vks_ui_id("presets"), boxes, tiles, 4, at};
    const struct vks_cell_event event = vks_ui_cells(&panel->ui, &cells);
    note_pointed(panel, event.hover < count ? shown[event.hover] : SIZE_MAX);
    draw_presets(panel, &cells, &event, shown, count, changed);
    if (event.chosen < count) {
        vks_panel_act(panel, VKS_ACTION_PRESET,
                      vks_model_presets(panel->base.model)[shown[event.chosen]].name,
                      panel->ui.input.shift);
    } else if (event.chosen != SIZE_MAX) {
        panel->all_presets = !panel->all_presets;
    }
    panel->y += height;
    const struct vks_box words = vks_panel_row(panel, 2 * VKS_LINE_HEIGHT + 6);
    vks_ui_paragraph(&panel->ui, words, &vks_style_body, VKS_COLOUR_DIM, 2, panel->hint);
}

/* --- all of it ------------------------------------------------------------------------------- */

static void new_run(struct vks_panel *panel)
{
    if (!vks_panel_group(panel, "new run", panel->pending_count > 0)) {
        return;
    }
    vks_panel_options(panel, VKS_IN_NEW_RUN);
    panel->y += 8;
    struct vks_box box = vks_panel_row(panel, 28);
    if (vks_ui_button(&panel->ui, vks_ui_id("apply"), box,
                      panel->pending_count ? "Apply: start a new run" : "Start a new run",
                      panel->pending_count > 0)) {
        for (size_t i = 0; i < panel->pending_count; i++) {
            vks_panel_act(panel, VKS_ACTION_PREPARE, panel->pending[i].option->name, false);
            struct vks_action *last = &panel->actions->items[panel->actions->count - 1];
            snprintf(last->text, sizeof(last->text), "%s", panel->pending[i].text);
        }
        vks_actions_add(panel->actions, VKS_ACTION_NEW_RUN);
        panel->pending_count = 0;
    }
}

void vks_panel_model(struct vks_panel *panel)
{
    char title[160];
    const bool changed = vks_panel_changed(panel);
    const struct vks_preset *presets = vks_model_presets(panel->base.model);
    const size_t current = vks_preset_named(panel->base.model, panel->base_preset);
    snprintf(panel->hint, sizeof(panel->hint), "%s",
             presets[current].name     ? presets[current].summary
             : vks_panel_is_own(panel) ? "a preset of your own"
                                       : "");
    panel->y += 10;
    model_words(panel);
    snprintf(title, sizeof(title), "%s / %s%s", panel->base.model->name, panel->base_preset,
             changed ? " *" : "");
    vks_panel_heading(panel, title, "");
    panel->y += 2;
    preset_grid(panel, changed);
    vks_panel_own_presets(panel, changed);
    if (panel->base.model->chart.x) {
        vks_panel_chart(panel);
    }
    vks_panel_groups(panel, VKS_IN_MODEL, 2);
    panel->y += 10;
    if (vks_ui_button(&panel->ui, vks_ui_id("restart"), vks_panel_row(panel, 28),
                      "\xe2\x86\xbb Restart", false)) {
        vks_actions_add(panel->actions, VKS_ACTION_RESTART);
    }
    new_run(panel);
}

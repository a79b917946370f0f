/* SPDX-License-Identifier: MIT */
/* The tab Look. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <strings.h>

#include "base/memory.h"
#include "base/number.h"
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

/* --- the range ------------------------------------------------------------------------------- */

void vks_histogram_make(struct vks_histogram *histogram, const float *values, size_t count,
                        double low, double high, bool symmetric)
{
    size_t counts[VKS_COUNT(histogram->bars)] = {0}, most = 1;
    *histogram = (struct vks_histogram){.range = {symmetric ? -high : low, high}};
    histogram->low = histogram->range[0];
    histogram->high = histogram->range[1];
    for (size_t i = 0; i < count; i++) {
        if (isfinite(values[i])) {
            histogram->low = fmin(histogram->low, (double)values[i]);
            histogram->high = fmax(histogram->high, (double)values[i]);
        }
    }
    const double width = (histogram->high - histogram->low) / VKS_COUNT(counts);
    for (size_t i = 0; i < count && width > 0; i++) {
        const double bar = ((double)values[i] - histogram->low) / width;
        if (bar >= 0 && bar <= VKS_COUNT(counts)) {
            const size_t at = bar < VKS_COUNT(counts) ? (size_t)bar : VKS_COUNT(counts) - 1;
            most = ++counts[at] > most ? counts[at] : most;
        }
    }
    for (size_t i = 0; i < VKS_COUNT(counts); i++) { /* logarithms: small bars are seen, too */
        histogram->bars[i] = log1pf((float)counts[i]) / log1pf((float)most);
    }
}

/* The colour of a value, about: without the tone. */
static uint32_t colour_of(const struct vks_panel *panel, const double range[2], double value)
{
    const struct vks_look *look = &panel->data->settings->common.look;
    const size_t map = map_named(panel, look->colormap);
    double at = fmin(fmax((value - range[0]) / (range[1] - range[0]), 0), 1);
    at = look->values.range.symmetric ? at : pow(at, look->gamma);
    at = look->invert ? 1 - at : at;
    if (map == panel->map_count || value < range[0] || value > range[1]) {
        return VKS_COLOUR_FAINT;
    }
    const uint32_t entry = panel->maps[map].entries[(size_t)(255 * at + 0.5)];
    return (entry & 0xff) << 16 | (entry & 0xff00) | (entry >> 16 & 0xff);
}

static void draw_bars(struct vks_panel *panel, struct vks_box box, const struct vks_slider *axis)
{
    const struct vks_histogram *histogram = panel->data->histogram;
    const size_t count = VKS_COUNT(histogram->bars);
    const double width = (histogram->high - histogram->low) / (double)count;
    struct vks_draw *draw = panel->ui.draw;
    vks_draw_box(draw, box, 3, VKS_COLOUR_SURROUND);
    vks_draw_clip(draw, box);
    for (size_t i = 0; i < count; i++) {
        const double from = histogram->low + (double)i * width;
        const float left = box.x + (float)vks_slider_fraction(axis, from) * box.width;
        const float right = box.x + (float)vks_slider_fraction(axis, from + width) * box.width;
        const float high = histogram->bars[i] * (box.height - 4);
        if (high > 0) {
            vks_draw_box(draw,
                         (struct vks_box){left, box.y + box.height - fmaxf(high, 1), right - left,
                                          fmaxf(high, 1)},
                         0,
                         vks_blend(colour_of(panel, histogram->range, from + width / 2),
                                   VKS_COLOUR_TEXT, 0.15F));
        }
    }
    vks_draw_unclip(draw);
}

static void set_range(struct vks_panel *panel, const double limits[2], bool symmetric, bool more)
{
    char low[32], high[32], text[80];
    vks_format_real(limits[0], low, sizeof(low));
    vks_format_real(limits[1], high, sizeof(high));
    if (symmetric) {
        snprintf(text, sizeof(text), "symmetric:%s", high);
    } else {
        snprintf(text, sizeof(text), "fixed:%s:%s", low, high);
    }
    vks_panel_set(panel, VKS_COMMON_ROW(look.normalize), text, more);
}

/* The values of the picture, with the limits of the range. */
static void range(struct vks_panel *panel)
{
    struct vks_ui *ui = &panel->ui;
    const struct vks_histogram *histogram = panel->data->histogram;
    const struct vks_range *now = &panel->data->settings->common.look.values.range;
    const uint32_t ids[] = {vks_ui_id("range low"), vks_ui_id("range high")};
    char text[80];
    const bool held = ui->active && (ui->active == ids[0] || ui->active == ids[1]);
    if (!held) {
        panel->axis[0] = histogram->low;
        panel->axis[1] = histogram->high;
    }
    const bool fixed = now->mode == VKS_RANGE_FIXED;
    double limits[] = {fixed && !now->symmetric ? now->low : histogram->range[0],
                       fixed ? now->high : histogram->range[1]};
    limits[0] = fixed && now->symmetric ? -now->high : limits[0];
    snprintf(text, sizeof(text), "%.4g to %.4g", limits[0], limits[1]);
    vks_panel_heading(panel, "range", text);
    struct vks_box box = vks_panel_row(panel, 70);
    box.x += 5;
    box.width -= 10;
    box.height = 56;
    const struct vks_slider axis = {panel->axis[0], panel->axis[1], .preset = NAN};
    bool again;
    for (size_t i = 0; i < VKS_COUNT(ids); i++) {
        vks_ui_tip(ui, ids[i], box, "limit of the range; a double click measures it again");
    }
    draw_bars(panel, box, &axis);
    const double before = limits[0];
    if (vks_ui_limits(ui, ids, box, &axis, limits, &again)) {
        limits[1] = now->symmetric && limits[0] != before ? -limits[0] : limits[1];
        set_range(panel, limits, now->symmetric, held);
    } else if (again) {
        vks_panel_set(panel, VKS_COMMON_ROW(look.normalize),
                      now->symmetric ? "symmetric" : "smooth", false);
    }
}

void vks_panel_light(struct vks_panel *panel, const struct vks_option *option, float left)
{
    enum { SIDE = 56 };
    struct vks_ui *ui = &panel->ui;
    const struct vks_light *light = &panel->data->settings->common.look.values.light;
    const uint32_t id = vks_ui_sub(vks_panel_option_id(option), 0);
    double angles[] = {round(light->azimuth * 0x1p-32 * 360),
                       round(light->elevation * 0x1p-32 * 360)};
    char text[32];
    const struct vks_box row = vks_panel_row(panel, SIDE + 8);
    const struct vks_box box = {left, row.y + 3, SIDE, SIDE};
    vks_ui_tip(ui, id, box, "drag the light; at the rim it is low");
    if (vks_ui_dial(ui, id, box, VKS_LOWEST_LIGHT, angles)) {
        snprintf(text, sizeof(text), "%.0f,%.0f", angles[0], angles[1]);
        vks_panel_set(panel, option, text, ui->active == id && !ui->input.released);
    }
}

void vks_panel_look(struct vks_panel *panel)
{
    colour_maps(panel);
    if (panel->data->histogram && panel->data->histogram->high > panel->data->histogram->low) {
        range(panel);
    }
    vks_panel_groups(panel, VKS_IN_LOOK, 4);
}

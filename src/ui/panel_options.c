/* SPDX-License-Identifier: MIT */
/* Options as rows of the panel: their values, places, controls and groups. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/condition.h"
#include "base/memory.h"
#include "base/number.h"
#include "ui/panel_private.h"

/* --- values ---------------------------------------------------------------------------------- */

uint32_t vks_panel_option_id(const struct vks_option *option)
{
    return vks_ui_id(option->name);
}

uint32_t vks_panel_number_id(const struct vks_option *option)
{
    return vks_ui_sub(vks_ui_id(option->name), VKS_NUMBER_PART);
}

uint32_t vks_panel_label_id(const struct vks_option *option)
{
    return vks_ui_sub(vks_ui_id(option->name), VKS_LABEL_PART);
}

uint32_t vks_panel_period_id(const struct vks_option *option)
{
    return vks_ui_sub(vks_ui_id(option->name), VKS_PERIOD_PART);
}

uint32_t vks_panel_share_id(const struct vks_option *option)
{
    return vks_ui_sub(vks_ui_id(option->name), VKS_SHARE_PART);
}

static bool is_common(const struct vks_option *option)
{
    return vks_option_find(vks_common_options, option->name) == option;
}

static struct vks_pending *pending_of(struct vks_panel *panel, const struct vks_option *option)
{
    for (size_t i = 0; i < panel->pending_count; i++) {
        if (panel->pending[i].option == option) {
            return &panel->pending[i];
        }
    }
    return NULL;
}

/* The value as text, of the run or of the one to come. */
static const char *text_of(struct vks_panel *panel, const struct vks_option *option, char *buffer)
{
    const struct vks_pending *pending = pending_of(panel, option);
    return pending ? pending->text
                   : vks_option_get(option, vks_settings_values(panel->data->settings, option),
                                    buffer, VKS_VALUE_SIZE);
}

double vks_panel_number(struct vks_panel *panel, const struct vks_option *option)
{
    const struct vks_pending *pending = pending_of(panel, option);
    return pending ? strtod(pending->text, NULL)
                   : vks_settings_number(panel->data->settings, option);
}

/* True if the value is not that of the preset. */
static bool is_changed(struct vks_panel *panel, const struct vks_option *option)
{
    char first[VKS_VALUE_SIZE], second[VKS_VALUE_SIZE];
    const char *now = text_of(panel, option, first);
    return strcmp(now, vks_option_get(option, vks_settings_values(&panel->base, option), second,
                                      sizeof(second))) != 0;
}

/* What presets do not set. */
static bool is_of_presets(const struct vks_option *option)
{
    return option != VKS_COMMON_ROW(seed) && option != VKS_COMMON_ROW(size) &&
           !(option->flags & VKS_OPTION_UNSAVED);
}

bool vks_panel_changed(struct vks_panel *panel)
{
    const struct vks_option_table tables[] = {panel->base.model->options, vks_common_options};
    for (size_t i = 0; i < VKS_COUNT(tables); i++) {
        for (size_t j = 0; j < tables[i].count; j++) {
            const struct vks_option *option = &tables[i].options[j];
            if (is_of_presets(option) && is_changed(panel, option)) {
                return true;
            }
        }
    }
    return false;
}

void vks_panel_set(struct vks_panel *panel, const struct vks_option *option, const char *text,
                   bool more)
{
    if (option->change != VKS_CHANGE_NEVER) {
        struct vks_action *action = vks_actions_add(panel->actions, VKS_ACTION_SET);
        snprintf(action->name, sizeof(action->name), "%s", option->name);
        snprintf(action->text, sizeof(action->text), "%s", text);
        action->more = more;
        return;
    }
    struct vks_pending *pending = pending_of(panel, option);
    if (!pending && panel->pending_count < VKS_MAX_PENDING) {
        pending = &panel->pending[panel->pending_count++];
        pending->option = option;
    }
    if (pending) {
        snprintf(pending->text, sizeof(pending->text), "%s", text);
    }
}

/* --- places ---------------------------------------------------------------------------------- */

enum vks_panel_part vks_panel_place(const struct vks_panel *panel, const struct vks_option *option)
{
    const struct vks_model *model = panel->base.model;
    const bool common = is_common(option);
    const bool only_start = !vks_model_starts(model)[1] && !model->starts_from_image;
    if ((option->flags & VKS_OPTION_SECRET) || option == VKS_COMMON_ROW(look.colormap) ||
        ((option->flags & VKS_OPTION_VOLUME) && !model->volumes) ||
        (option == VKS_COMMON_ROW(init) && only_start) ||
        !vks_option_has_effect(option, panel->data->settings)) {
        return VKS_NOWHERE;
    }
    if (option->change == VKS_CHANGE_NEVER) {
        return VKS_IN_NEW_RUN;
    }
    return (option->flags & VKS_OPTION_COLOURS) || (common && option >= VKS_COMMON_ROW(look.view))
               ? VKS_IN_LOOK
               : VKS_IN_MODEL;
}

/* --- rows ------------------------------------------------------------------------------------ */

/* "distance from an agent to its sensors (0 to 1000 cells; default 5)", without dashes. */
static const char *tip_of(const struct vks_option *option, char *buffer, size_t size)
{
    char values[600];
    char text[1200];
    snprintf(text, sizeof(text), "%s%s", option->help,
             vks_option_values(option, values, sizeof(values)));
    size_t length = 0;
    for (const char *at = text; *at && length < size - 1; at++) {
        if (at[0] == '-' && at[1] == '-') {
            at++;
            continue;
        }
        buffer[length++] = *at;
    }
    buffer[length] = '\0';
    return buffer;
}

static void draw_label(struct vks_panel *panel, const struct vks_option *option, struct vks_box row,
                       bool lit)
{
    char name[64], label[80];
    snprintf(name, sizeof(name), "%s", option->name);
    for (char *dash = strchr(name, '-'); dash; dash = strchr(dash, '-')) {
        *dash = ' ';
    }
    snprintf(label, sizeof(label), "%s%s", name,
             option->change == VKS_CHANGE_START ? " \xe2\x86\xbb" : "");
    row.width = VKS_LABEL;
    vks_ui_text(&panel->ui, row, VKS_ALIGN_LEFT, &vks_style_body,
                lit ? VKS_COLOUR_BRIGHT : VKS_COLOUR_TEXT, label);
}

/* What stands next to a slider: up to four digits in six places, and the sign of degrees. */
static const char *number_text(const struct vks_option *option, double number, char *buffer,
                               size_t size)
{
    const bool degrees = option->unit && strncmp(option->unit, "deg", 3) == 0;
    const char *unit = degrees ? "\xc2\xb0" : "";
    if (option->type == VKS_OPTION_COUNT) {
        snprintf(buffer, size, "%.0f%s", number, unit);
        return buffer;
    }
    for (int digits = 4; digits > 0; digits--) {
        if (snprintf(buffer, size, "%.*g", digits, number) <= 6) {
            break;
        }
    }
    snprintf(buffer + strlen(buffer), size - strlen(buffer), "%s", unit);
    return buffer;
}

bool vks_panel_slider(struct vks_panel *panel, uint32_t id, const char *text, const char *unit,
                      const struct vks_slider *slider, double *value)
{
    char shown[32];
    const float indent = unit ? 14 : 0;
    const struct vks_box row = vks_panel_row(panel, VKS_ROW);
    vks_ui_text(&panel->ui, (struct vks_box){row.x + indent, row.y, VKS_LABEL - indent, row.height},
                VKS_ALIGN_LEFT, &vks_style_body, unit ? VKS_COLOUR_DIM : VKS_COLOUR_TEXT, text);
    const struct vks_box track = {row.x + VKS_LABEL + VKS_GAP - 5, row.y, VKS_CONTROL + 10,
                                  row.height};
    const bool changed = vks_ui_slider(&panel->ui, id, track, slider, value);
    const float left = row.x + VKS_LABEL + VKS_CONTROL + 2 * VKS_GAP;
    snprintf(shown, sizeof(shown), "%.4g%s", *value, unit ? unit : "");
    vks_ui_text(&panel->ui, (struct vks_box){left, row.y, row.x + row.width - left, row.height},
                VKS_ALIGN_RIGHT, &vks_style_number, unit ? VKS_COLOUR_DIM : VKS_COLOUR_TEXT, shown);
    return changed;
}

static const struct vks_wave *wave_of(const struct vks_panel *panel,
                                      const struct vks_option *option)
{
    const struct vks_panel_data *data = panel->data;
    for (size_t i = 0; i < data->wave_count; i++) {
        if (data->waves[i].option == option) {
            return &data->waves[i];
        }
    }
    return NULL;
}

static void animate(struct vks_panel *panel, const struct vks_option *option, double period,
                    double share)
{
    struct vks_action *action = vks_actions_add(panel->actions, VKS_ACTION_ANIMATE);
    snprintf(action->name, sizeof(action->name), "%s", option->name);
    action->period = period;
    action->share = share;
}

/* The right button starts and stops the wave of an option; below it are the wave's own sliders. */
static void wave_rows(struct vks_panel *panel, const struct vks_option *option,
                      const struct vks_wave *wave)
{
    static const struct vks_slider periods = {1, 600, .logarithmic = true, .preset = 10};
    static const struct vks_slider shares = {1, 50, .preset = 15};
    const uint32_t id = vks_panel_option_id(option);
    const bool menu = vks_ui_take_menu(&panel->ui, id) ||
                      vks_ui_take_menu(&panel->ui, vks_panel_number_id(option));
    if (menu && option->change == VKS_CHANGE_LIVE) {
        animate(panel, option, periods.preset, wave ? 0 : shares.preset / 100);
    }
    if (!wave) {
        return;
    }
    double period = wave->period, share = 100 * wave->share;
    const bool longer =
        vks_panel_slider(panel, vks_panel_period_id(option), "period", " s", &periods, &period);
    const bool wider =
        vks_panel_slider(panel, vks_panel_share_id(option), "amplitude", "%", &shares, &share);
    if (longer || wider) {
        animate(panel, option, period, share / 100);
    }
}

static void number_row(struct vks_panel *panel, const struct vks_option *option, struct vks_box row)
{
    struct vks_ui *ui = &panel->ui;
    const uint32_t id = vks_panel_option_id(option), number_id = vks_panel_number_id(option);
    const struct vks_wave *wave = wave_of(panel, option);
    struct vks_slider slider = vks_option_slider(option);
    char text[VKS_VALUE_SIZE], shown[48];
    double number = vks_panel_number(panel, option);
    const struct vks_box track = {row.x + VKS_LABEL + VKS_GAP - 5, row.y, VKS_CONTROL + 10,
                                  row.height};
    slider.preset = vks_settings_number(&panel->base, option);
    slider.centre = wave ? wave->centre : 0;
    slider.swing = wave ? wave->share : 0;
    /* Enter and digits open the number of the slider that has the focus. */
    if (ui->focus == id && ui->keyboard && !ui->edit.id &&
        (vks_ui_take_key(ui, VKS_UI_ENTER) ||
         (ui->input.text[0] && strchr("0123456789.-", ui->input.text[0])))) {
        vks_ui_open_field(ui, number_id, text_of(panel, option, text));
    }
    if (vks_ui_slider(ui, id, track, &slider, &number)) {
        vks_panel_set(panel, option, vks_format_real(number, text, sizeof(text)),
                      ui->active == id && !ui->input.released);
    }
    const float left = row.x + VKS_LABEL + VKS_CONTROL + 2 * VKS_GAP;
    struct vks_box box = {left, row.y + 1, row.x + row.width - left, row.height - 2};
    if (ui->edit.id == number_id) {
        box.x -= 24;
        box.width += 30;
    }
    if (vks_ui_field(ui, number_id, box, text_of(panel, option, text),
                     number_text(option, number, shown, sizeof(shown)), true)) {
        vks_panel_set(panel, option, ui->edit.text, false);
    }
    wave_rows(panel, option, wave);
}

/* The names that an option may have as its value, if it has such; NULL. */
static const char *const *names_of(struct vks_panel *panel, const struct vks_option *option)
{
    const struct vks_model *model = panel->base.model;
    if (option == VKS_COMMON_ROW(init)) {
        return vks_model_starts(model);
    }
    if (option == VKS_COMMON_ROW(look.view)) {
        size_t count = 0;
        for (; model->views[count].name && count < VKS_MAX_VIEWS; count++) {
            panel->views[count] = model->views[count].name;
        }
        panel->views[count] = NULL;
        return panel->views;
    }
    return option->choices;
}

static void choice_row(struct vks_panel *panel, const struct vks_option *option, struct vks_box box,
                       const char *const *names, const char *value)
{
    size_t count = 0, current = SIZE_MAX;
    for (; names[count]; count++) {
        current = strcmp(names[count], value) == 0 ? count : current;
    }
    if (option == VKS_COMMON_ROW(look.view) && !value[0]) {
        current = 0;
    }
    if (vks_ui_choice(&panel->ui, vks_panel_option_id(option), box, names, count, &current,
                      value[0] ? value : "default")) {
        vks_panel_set(panel, option, names[current], false);
    }
}

static void control(struct vks_panel *panel, const struct vks_option *option, struct vks_box row)
{
    char buffer[VKS_VALUE_SIZE], text[VKS_VALUE_SIZE];
    const uint32_t id = vks_panel_option_id(option);
    const struct vks_box box = {row.x + VKS_LABEL + VKS_GAP, row.y + 1,
                                row.width - VKS_LABEL - VKS_GAP, row.height - 2};
    const char *value = text_of(panel, option, buffer);
    const char *const *choices = names_of(panel, option);
    if (option->type == VKS_OPTION_FLAG) {
        bool on = strcmp(value, "true") == 0;
        if (vks_ui_toggle(&panel->ui, id, box, &on)) {
            vks_panel_set(panel, option, on ? "true" : "false", false);
        }
    } else if (choices) {
        choice_row(panel, option, box, choices, value);
    } else {
        snprintf(text, sizeof(text), "%s", value);
        if (vks_ui_field(&panel->ui, id, box, text, text[0] ? text : "none", false)) {
            vks_panel_set(panel, option, panel->ui.edit.text, false);
        }
    }
    if (option == VKS_COMMON_ROW(look.light)) {
        vks_panel_light(panel, option, box.x);
    }
}

/* Numbers with a range in which dragging is of use. */
static bool has_slider(const struct vks_panel *panel, const struct vks_option *option)
{
    const bool soft = option->soft_min != 0 || option->soft_max != 0;
    return (option->type == VKS_OPTION_REAL || option->type == VKS_OPTION_COUNT) &&
           !vks_option_list(option, vks_settings_values(panel->data->settings, option)) &&
           (soft || option->max - option->min <= 10000);
}

static void option_row(struct vks_panel *panel, const struct vks_option *option)
{
    struct vks_ui *ui = &panel->ui;
    char tip[VKS_UI_TEXT_SIZE * 2];
    const struct vks_box row = vks_panel_row(panel, VKS_ROW);
    const struct vks_box label = {row.x, row.y, VKS_LABEL, row.height};
    const uint32_t label_id = vks_panel_label_id(option);
    const struct vks_touch touch = vks_ui_touch(ui, label_id, label, false);
    draw_label(panel, option, row, touch.hover || is_changed(panel, option));
    if (ui->hot == label_id) {
        tip_of(option, tip, sizeof(tip));
        if (has_slider(panel, option) && option->change == VKS_CHANGE_LIVE) {
            const size_t length = strlen(tip);
            snprintf(tip + length, sizeof(tip) - length, ". Right click on the slider: animate");
        }
        vks_ui_tip(ui, label_id, label, tip);
    }
    if (has_slider(panel, option)) {
        number_row(panel, option, row);
    } else {
        control(panel, option, row);
    }
}

/* --- groups ---------------------------------------------------------------------------------- */

typedef void option_fn(struct vks_panel *panel, const struct vks_option *option, void *user);

/* Calls for the options of a table that are in a group (NULL: in any). Returns their number. */
static size_t each_of_table(struct vks_panel *panel, struct vks_option_table table,
                            const char *group, enum vks_panel_part place, bool at_start,
                            option_fn *call, void *user)
{
    size_t count = 0;
    for (size_t i = 0; i < table.count; i++) {
        const struct vks_option *option = &table.options[i];
        if ((option->change == VKS_CHANGE_START) == at_start &&
            (!group || strcmp(vks_option_heading(table, option), group) == 0) &&
            vks_panel_place(panel, option) == place) {
            call(panel, option, user);
            count++;
        }
    }
    return count;
}

/* The same of both tables: those that take effect at the next start last. */
static size_t each_option(struct vks_panel *panel, const char *group, enum vks_panel_part place,
                          option_fn *call, void *user)
{
    size_t count = 0;
    for (int i = 0; i < 4; i++) {
        count += each_of_table(panel, i % 2 ? panel->base.model->options : vks_common_options,
                               group, place, i >= 2, call, user);
    }
    return count;
}

/* The distinct headings: those of the model first. */
static size_t find_headings(const struct vks_panel *panel, const char *names[VKS_MAX_HEADINGS])
{
    const struct vks_option_table tables[] = {panel->base.model->options, vks_common_options};
    size_t count = 0;
    for (size_t i = 0; i < VKS_COUNT(tables); i++) {
        for (size_t j = 0; j < tables[i].count && count < VKS_MAX_HEADINGS; j++) {
            const char *name = vks_option_heading(tables[i], &tables[i].options[j]);
            bool found = false;
            for (size_t k = 0; k < count && !found; k++) {
                found = strcmp(names[k], name) == 0;
            }
            if (!found) {
                names[count++] = name;
            }
        }
    }
    return count;
}

/* A group matters from the start if the preset sets something in it. */
static void find_used(struct vks_panel *panel, const struct vks_option *option, void *user)
{
    bool *used = user;
    *used = *used || !vks_option_is_default(option, vks_settings_values(&panel->base, option)) ||
            is_changed(panel, option);
}

static void show_option(struct vks_panel *panel, const struct vks_option *option, void *user)
{
    (void)user;
    option_row(panel, option);
}

void vks_panel_groups(struct vks_panel *panel, enum vks_panel_part place, size_t open)
{
    const char *names[VKS_MAX_HEADINGS];
    const size_t count = find_headings(panel, names);
    size_t shown = 0;
    for (size_t i = 0; i < count; i++) {
        bool used = shown < open;
        if (each_option(panel, names[i], place, find_used, &used) == 0) {
            continue;
        }
        shown++;
        if (vks_panel_group(panel, names[i][0] ? names[i] : "options", used)) {
            each_option(panel, names[i], place, show_option, NULL);
        }
    }
}

void vks_panel_options(struct vks_panel *panel, enum vks_panel_part place)
{
    each_option(panel, NULL, place, show_option, NULL);
}

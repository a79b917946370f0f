/* SPDX-License-Identifier: MIT */
#include "ui/panel.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/condition.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "sim/registry.h"
#include "view/colormap.h"

enum {
    MARGIN = 14,
    CONTENT = VKS_PANEL_WIDTH - 2 * MARGIN,
    BAR = 42,      /* height of the tabs */
    ROW = 24,      /* of an option */
    LABEL = 146,   /* width of its name */
    CONTROL = 104, /* of its slider */
    GAP = 6,
    THUMB = 72,
    PREVIEW = 96,             /* pixels: side of the pictures made here */
    CHART_WIDE = CONTENT / 2, /* pixels of the chart's ground */
    CHART_HIGH = 95,
    MAX_DOTS = 128,
    MAX_PENDING = 32,
    MAX_HEADINGS = 48,
    MAX_NAMES = 64,
    SHOWN_PRESETS = 8, /* unless all are shown */
    /* Of an option's widgets, beyond the numbers of cells. */
    LABEL_PART = VKS_MAX_UI_CELLS,
    NUMBER_PART,
    HEADING_PART,
};

/* A value for the next new run. */
struct pending {
    const struct vks_option *option;
    char text[VKS_UI_TEXT_SIZE];
};

/* A group that a person has opened or closed. */
struct turned {
    uint32_t id;
    bool open;
};

struct vks_panel {
    struct vks_ui ui;
    size_t tab;
    struct vks_scroll scroll[VKS_TABS];
    bool all_presets;
    size_t selected; /* picture of the gallery; SIZE_MAX: none */
    uint32_t selected_id;
    struct vks_settings base;  /* as the preset has them; without a model: none yet */
    struct vks_settings other; /* to read other presets with */
    char base_preset[64];
    struct pending pending[MAX_PENDING];
    size_t pending_count;
    struct turned turned[MAX_HEADINGS];
    size_t turned_count;
    const char *views[VKS_MAX_VIEWS + 1]; /* names of the model's, NULL at the end */
    struct vks_colormap *maps;
    size_t map_count;
    uint8_t *previews; /* PREVIEW x PREVIEW pixels per preset, made when they are first shown */
    bool *previewed;
    struct vks_dot dots[MAX_DOTS]; /* of the chart; none: not made yet */
    size_t dot_count, dot_presets[MAX_DOTS];
    uint8_t ground[CHART_WIDE * CHART_HIGH * 4];
    uint32_t version; /* of the previews and the ground */
    /* During an update: */
    const struct vks_panel_data *data;
    struct vks_actions *actions;
    float y;                     /* of the next row */
    char hint[VKS_UI_TEXT_SIZE]; /* words about a preset: that under the pointer */
    enum vks_result result;
};

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
    panel->selected = SIZE_MAX;
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
    free(panel->previews);
    free(panel->previewed);
    panel->previews = NULL;
    panel->version++;
    panel->previewed = NULL;
    panel->pending_count = panel->dot_count = 0;
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

static void act_named(struct vks_panel *panel, enum vks_action_kind kind, const char *name,
                      bool keep)
{
    struct vks_action *action = vks_actions_add(panel->actions, kind);
    snprintf(action->name, sizeof(action->name), "%s", name);
    action->keep = keep;
}

static size_t preset_count(const struct vks_model *model)
{
    const struct vks_preset *presets = vks_model_presets(model);
    size_t count = 0;
    while (presets[count].name) {
        count++;
    }
    return count;
}

/* The index of a preset; past the last one for a name that is none. */
static size_t preset_named(const struct vks_model *model, const char *name)
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
        const size_t count = preset_count(model);
        panel->base_preset[0] = '\0';
        panel->previews = calloc(count, PREVIEW * PREVIEW * 4);
        panel->previewed = calloc(count, sizeof(bool));
        result = panel->previews && panel->previewed ? VKS_OK : vks_fail_memory();
        result = result == VKS_OK ? vks_settings_init(&panel->base, model) : result;
        result = result == VKS_OK ? vks_settings_init(&panel->other, model) : result;
    }
    if (result == VKS_OK && strcmp(panel->base_preset, preset) != 0) {
        const bool known = preset_named(model, preset) < preset_count(model);
        result = vks_settings_preset(&panel->base, known ? preset : first);
        snprintf(panel->base_preset, sizeof(panel->base_preset), "%s", preset);
    }
    return result;
}

/* --- values of options ----------------------------------------------------------------------- */

uint32_t vks_panel_option_id(const struct vks_option *option)
{
    return vks_ui_id(option->name);
}

uint32_t vks_panel_number_id(const struct vks_option *option)
{
    return vks_ui_sub(vks_ui_id(option->name), NUMBER_PART);
}

uint32_t vks_panel_label_id(const struct vks_option *option)
{
    return vks_ui_sub(vks_ui_id(option->name), LABEL_PART);
}

static bool is_common(const struct vks_option *option)
{
    return vks_option_find(vks_common_options, option->name) == option;
}

static struct pending *pending_of(struct vks_panel *panel, const struct vks_option *option)
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
    const struct pending *pending = pending_of(panel, option);
    return pending ? pending->text
                   : vks_option_get(option, vks_settings_values(panel->data->settings, option),
                                    buffer, VKS_VALUE_SIZE);
}

/* A count or a real of settings; of one that follows another, the other's. */
static double number_in(const struct vks_settings *settings, const struct vks_option *option)
{
    const char *values = vks_settings_values(settings, option);
    if (option->same_as && !vks_option_is_set(option, values)) {
        option = vks_option_find(settings->model->options, option->same_as);
    }
    const void *value = values + option->offset;
    return option->type == VKS_OPTION_COUNT ? (double)*(const uint64_t *)value
                                            : *(const double *)value;
}

static double number_of(struct vks_panel *panel, const struct vks_option *option)
{
    const struct pending *pending = pending_of(panel, option);
    return pending ? strtod(pending->text, NULL) : number_in(panel->data->settings, option);
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

static bool any_changed(struct vks_panel *panel)
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

/* A person has set an option. */
static void set(struct vks_panel *panel, const struct vks_option *option, const char *text,
                bool more)
{
    if (option->change != VKS_CHANGE_NEVER) {
        struct vks_action *action = vks_actions_add(panel->actions, VKS_ACTION_SET);
        snprintf(action->name, sizeof(action->name), "%s", option->name);
        snprintf(action->text, sizeof(action->text), "%s", text);
        action->more = more;
        return;
    }
    struct pending *pending = pending_of(panel, option);
    if (!pending && panel->pending_count < MAX_PENDING) {
        pending = &panel->pending[panel->pending_count++];
        pending->option = option;
    }
    if (pending) {
        snprintf(pending->text, sizeof(pending->text), "%s", text);
    }
}

/* --- which options are shown, and where ------------------------------------------------------ */

enum place { IN_MODEL, IN_LOOK, IN_NEW_RUN, NOWHERE };

static bool is_met(const struct vks_settings *settings, const struct vks_option *option)
{
    struct vks_conditions conditions;
    if (!vks_conditions_resolve(settings->model, option, &conditions) ||
        !vks_condition_is_met(&conditions.needs, settings)) {
        return false;
    }
    for (size_t i = 0; conditions.unless[i]; i++) {
        const struct vks_option *other = conditions.unless[i];
        if (vks_option_is_on(other, vks_settings_values(settings, other))) {
            return false;
        }
    }
    return true;
}

static enum place place_of(const struct vks_panel *panel, const struct vks_option *option)
{
    const struct vks_model *model = panel->base.model;
    const bool common = is_common(option);
    const bool only_start = !vks_model_starts(model)[1] && !model->starts_from_image;
    if ((option->flags & VKS_OPTION_SECRET) || option == VKS_COMMON_ROW(look.colormap) ||
        ((option->flags & VKS_OPTION_VOLUME) && !model->volumes) ||
        (option == VKS_COMMON_ROW(init) && only_start) || !is_met(panel->data->settings, option)) {
        return NOWHERE;
    }
    if (option->change == VKS_CHANGE_NEVER) {
        return IN_NEW_RUN;
    }
    return (option->flags & VKS_OPTION_COLOURS) || (common && option >= VKS_COMMON_ROW(look.view))
               ? IN_LOOK
               : IN_MODEL;
}

/* --- rows ------------------------------------------------------------------------------------ */

static struct vks_box next_row(struct vks_panel *panel, float height)
{
    const struct vks_box row = {MARGIN, panel->y, CONTENT, height};
    panel->y += height;
    return row;
}

/* In capitals; `words` stand to its right. */
static void heading(struct vks_panel *panel, const char *text, const char *words)
{
    char capitals[128];
    size_t i = 0;
    for (; text[i] && i < sizeof(capitals) - 1; i++) {
        capitals[i] = (char)toupper((unsigned char)text[i]);
    }
    capitals[i] = '\0';
    struct vks_box row = next_row(panel, 32);
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
    return vks_ui_sub(vks_ui_id(heading), HEADING_PART + (size_t)tab);
}

/* A heading that opens and closes its group. Returns whether it is open. */
static bool turning_heading(struct vks_panel *panel, const char *text, bool open_at_first)
{
    struct vks_ui *ui = &panel->ui;
    const uint32_t id = vks_panel_group_id(text, (enum vks_tab)panel->tab);
    const struct vks_box box = {MARGIN, panel->y + 6, CONTENT, 22};
    const struct vks_touch touch = vks_ui_touch(ui, id, box, true);
    size_t at = 0;
    while (at < panel->turned_count && panel->turned[at].id != id) {
        at++;
    }
    bool open = at < panel->turned_count ? panel->turned[at].open : open_at_first;
    if (touch.clicked && at < MAX_HEADINGS) {
        open = !open;
        panel->turned[at] = (struct turned){id, open};
        panel->turned_count += at == panel->turned_count;
    }
    const float x = MARGIN + CONTENT - 5, y = box.y + 11;
    const uint32_t colour = touch.hover ? VKS_COLOUR_BRIGHT : VKS_COLOUR_FAINT;
    vks_ui_chevron(ui, x, y, open, colour);
    if (touch.focused) {
        vks_ui_ring(ui, (struct vks_box){box.x, box.y + 2, box.width, 18}, 3);
    }
    heading(panel, text, "");
    panel->y -= open ? 0 : 5;
    return open;
}

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
    row.width = LABEL;
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

static struct vks_slider slider_of(const struct vks_panel *panel, const struct vks_option *option)
{
    struct vks_slider slider = {.logarithmic = option->logarithmic,
                                .whole = option->type == VKS_OPTION_COUNT,
                                .odd = (option->flags & VKS_OPTION_ODD) != 0,
                                .preset = number_in(&panel->base, option)};
    vks_option_soft_range(option, &slider.low, &slider.high);
    return slider;
}

static void number_row(struct vks_panel *panel, const struct vks_option *option, struct vks_box row)
{
    struct vks_ui *ui = &panel->ui;
    const uint32_t id = vks_panel_option_id(option), number_id = vks_panel_number_id(option);
    const struct vks_slider slider = slider_of(panel, option);
    char text[VKS_VALUE_SIZE], shown[48];
    double number = number_of(panel, option);
    const struct vks_box track = {row.x + LABEL + GAP - 5, row.y, CONTROL + 10, row.height};
    /* Enter and digits open the number of the slider that has the focus. */
    if (ui->focus == id && ui->keyboard && !ui->edit.id &&
        (vks_ui_take_key(ui, VKS_UI_ENTER) ||
         (ui->input.text[0] && strchr("0123456789.-", ui->input.text[0])))) {
        vks_ui_open_field(ui, number_id, text_of(panel, option, text));
    }
    if (vks_ui_slider(ui, id, track, &slider, &number)) {
        set(panel, option, vks_format_real(number, text, sizeof(text)),
            ui->active == id && !ui->input.released);
    }
    const float left = row.x + LABEL + CONTROL + 2 * GAP;
    struct vks_box box = {left, row.y + 1, row.x + row.width - left, row.height - 2};
    if (ui->edit.id == number_id) {
        box.x -= 24;
        box.width += 30;
    }
    if (vks_ui_field(ui, number_id, box, text_of(panel, option, text),
                     number_text(option, number, shown, sizeof(shown)), true)) {
        set(panel, option, ui->edit.text, false);
    }
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
        set(panel, option, names[current], false);
    }
}

static void control(struct vks_panel *panel, const struct vks_option *option, struct vks_box row)
{
    char buffer[VKS_VALUE_SIZE], text[VKS_VALUE_SIZE];
    const uint32_t id = vks_panel_option_id(option);
    const struct vks_box box = {row.x + LABEL + GAP, row.y + 1, row.width - LABEL - GAP,
                                row.height - 2};
    const char *value = text_of(panel, option, buffer);
    const char *const *choices = names_of(panel, option);
    if (option->type == VKS_OPTION_FLAG) {
        bool on = strcmp(value, "true") == 0;
        if (vks_ui_toggle(&panel->ui, id, box, &on)) {
            set(panel, option, on ? "true" : "false", false);
        }
    } else if (choices) {
        choice_row(panel, option, box, choices, value);
    } else {
        snprintf(text, sizeof(text), "%s", value);
        if (vks_ui_field(&panel->ui, id, box, text, text[0] ? text : "none", false)) {
            set(panel, option, panel->ui.edit.text, false);
        }
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
    const struct vks_box row = next_row(panel, ROW);
    const struct vks_box label = {row.x, row.y, LABEL, row.height};
    const uint32_t label_id = vks_panel_label_id(option);
    const struct vks_touch touch = vks_ui_touch(ui, label_id, label, false);
    draw_label(panel, option, row, touch.hover || is_changed(panel, option));
    if (ui->hot == label_id) {
        vks_ui_tip(ui, label_id, label, tip_of(option, tip, sizeof(tip)));
    }
    if (has_slider(panel, option)) {
        number_row(panel, option, row);
    } else {
        control(panel, option, row);
    }
}

/* --- groups of options ----------------------------------------------------------------------- */

typedef void option_fn(struct vks_panel *panel, const struct vks_option *option, void *user);

/* Calls for the options of a table that are in a group (NULL: in any). Returns their number. */
static size_t each_of_table(struct vks_panel *panel, struct vks_option_table table,
                            const char *group, enum place place, bool at_start, option_fn *call,
                            void *user)
{
    size_t count = 0;
    for (size_t i = 0; i < table.count; i++) {
        const struct vks_option *option = &table.options[i];
        if ((option->change == VKS_CHANGE_START) == at_start &&
            (!group || strcmp(vks_option_heading(table, option), group) == 0) &&
            place_of(panel, option) == place) {
            call(panel, option, user);
            count++;
        }
    }
    return count;
}

/* The same of both tables: those that take effect at the next start last. */
static size_t each_option(struct vks_panel *panel, const char *group, enum place place,
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
static size_t find_headings(const struct vks_panel *panel, const char *names[MAX_HEADINGS])
{
    const struct vks_option_table tables[] = {panel->base.model->options, vks_common_options};
    size_t count = 0;
    for (size_t i = 0; i < VKS_COUNT(tables); i++) {
        for (size_t j = 0; j < tables[i].count && count < MAX_HEADINGS; j++) {
            const char *name = tables[i].options[j].heading;
            bool found = !name;
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

/* The groups of a tab; the first `open` ones are open. */
static void groups(struct vks_panel *panel, enum place place, size_t open)
{
    const char *names[MAX_HEADINGS];
    const size_t count = find_headings(panel, names);
    size_t shown = 0;
    for (size_t i = 0; i < count; i++) {
        bool used = shown < open;
        if (each_option(panel, names[i], place, find_used, &used) == 0) {
            continue;
        }
        shown++;
        if (turning_heading(panel, names[i], used)) {
            each_option(panel, names[i], place, show_option, NULL);
        }
    }
}

/* --- the tab Model --------------------------------------------------------------------------- */

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
    const float spare = (CONTENT - all) / (float)(count > 1 ? count - 1 : 1);
    const float gap = spare < 8 ? 14 : fminf(spare, 20);
    float x = MARGIN;
    for (size_t i = 0; i < count; i++) {
        if (x + boxes[i].width > MARGIN + CONTENT + 1) {
            x = MARGIN;
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
    const size_t count = lay_models(panel, boxes);
    size_t current = 0;
    while (current < count && vks_model_at(current) != panel->base.model) {
        current++;
    }
    const struct vks_cells cells = {vks_ui_id("models"), boxes, count, count, current};
    const struct vks_cell_event event = vks_ui_cells(ui, &cells);
    for (size_t i = 0; i < count; i++) {
        vks_ui_text(ui, boxes[i], VKS_ALIGN_LEFT, &vks_style_body,
                    i == current       ? VKS_COLOUR_LIGHT
                    : event.hover == i ? VKS_COLOUR_BRIGHT
                                       : VKS_COLOUR_DIM,
                    vks_model_at(i)->name);
        if (event.cursor == i) {
            vks_ui_ring(ui, boxes[i], 2);
        }
        vks_ui_tip(ui, vks_ui_sub(cells.id, i), boxes[i], vks_model_at(i)->summary);
    }
    if (event.chosen != SIZE_MAX && event.chosen != current) {
        act_named(panel, VKS_ACTION_MODEL, vks_model_at(event.chosen)->name, false);
    }
}

/* A picture for a preset without one: a pattern of its own in its colours. */
static void make_preview(uint8_t *rgba, const struct vks_colormap *map, uint32_t seed)
{
    const float a = (float)(seed & 0xff) / 40, b = (float)(seed >> 8 & 0xff) / 40;
    const float tight = 5 + (float)(seed >> 16 & 0xff) / 40;
    for (int y = 0; y < PREVIEW; y++) {
        for (int x = 0; x < PREVIEW; x++) {
            const float u = (float)x / PREVIEW - 0.5F, v = (float)y / PREVIEW - 0.5F;
            const float bend = sinf(5 * u + a) + sinf(6 * v + b) + sinf(4 * (u + v) + a - b);
            const float wave = sinf(tight * (cosf(a) * u + sinf(a) * v) + 1.3F * bend);
            const float fine = sinf(2.5F * tight * (u * v + 0.2F * bend));
            const float tone = 0.5F + 0.38F * wave + 0.12F * fine;
            const float shade = 1 - 0.9F * (u * u + v * v);
            const int at = (int)(255 * tone * tone * shade);
            memcpy(rgba + 4 * (y * PREVIEW + x),
                   &map->entries[at < 0     ? 0
                                 : at > 255 ? 255
                                            : at],
                   4);
        }
    }
}

static struct vks_thumb preview_of(struct vks_panel *panel, size_t index)
{
    const struct vks_thumb *given = panel->data->previews;
    if (given && given[index].rgba) {
        return given[index];
    }
    uint8_t *rgba = panel->previews + index * PREVIEW * PREVIEW * 4;
    const char *name = vks_model_presets(panel->base.model)[index].name;
    struct vks_colormap map;
    if (!panel->previewed[index]) {
        panel->result = vks_settings_preset(&panel->other, name);
        if (panel->result == VKS_OK) {
            panel->result = vks_colormap_load(panel->other.common.look.colormap, &map);
        }
        if (panel->result == VKS_OK) {
            make_preview(rgba, &map, vks_ui_id(name));
            panel->previewed[index] = true;
        }
    }
    return (struct vks_thumb){rgba, PREVIEW, PREVIEW, panel->version};
}

static void tile(struct vks_panel *panel, struct vks_box box, const struct vks_thumb *image,
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

/* Boxes in rows of `columns`; returns the height of all. */
static float lay_grid(struct vks_box *boxes, size_t count, size_t columns, float y, float side,
                      float height)
{
    const float step = (CONTENT - side) / (float)(columns - 1);
    for (size_t i = 0; i < count; i++) {
        boxes[i] = (struct vks_box){MARGIN + floorf(step * (float)(i % columns)),
                                    y + (float)(i / columns) * height, side, height - 6};
    }
    return (float)((count + columns - 1) / columns) * height;
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
    snprintf(count, sizeof(count), "%zu", preset_count(panel->base.model));
    tile(panel, box, NULL, panel->all_presets ? "" : "all presets", false, lit);
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
            const struct vks_thumb image = preview_of(panel, shown[i]);
            const bool current = i == cells->current;
            snprintf(name, sizeof(name), "%s%s", presets[shown[i]].name,
                     current && changed ? " *" : "");
            tile(panel, cells->boxes[i], &image, name, current, lit);
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
    const size_t total = preset_count(panel->base.model),
                 current = preset_named(panel->base.model, panel->base_preset);
    const size_t count = list_presets(panel, total, current, shown);
    const size_t tiles = total > SHOWN_PRESETS ? count + 1 : count;
    const float height = lay_grid(boxes, tiles, 4, panel->y, THUMB, THUMB + 24);
    size_t at = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        at = shown[i] == current ? i : at;
    }
    const struct vks_cells cells = {vks_ui_id("presets"), boxes, tiles, 4, at};
    const struct vks_cell_event event = vks_ui_cells(&panel->ui, &cells);
    draw_presets(panel, &cells, &event, shown, count, changed);
    if (event.chosen < count) {
        act_named(panel, VKS_ACTION_PRESET,
                  vks_model_presets(panel->base.model)[shown[event.chosen]].name,
                  panel->ui.input.shift);
    } else if (event.chosen != SIZE_MAX) {
        panel->all_presets = !panel->all_presets;
    }
    panel->y += height;
    const struct vks_box words = next_row(panel, 2 * VKS_LINE_HEIGHT + 6);
    vks_ui_paragraph(&panel->ui, words, &vks_style_body, VKS_COLOUR_DIM, 2, panel->hint);
}

/* The chart's ground: the colours of the presets around their dots, darker beyond the line. */
static void paint_ground(struct vks_panel *panel)
{
    const struct vks_chart *chart = &panel->base.model->chart;
    const double span[] = {chart->high[0] - chart->low[0], chart->high[1] - chart->low[1]};
    for (int i = 0; i < CHART_WIDE * CHART_HIGH; i++) {
        const double x = (i % CHART_WIDE + 0.5) / CHART_WIDE;
        const double y = 1 - (i / CHART_WIDE + 0.5) / CHART_HIGH;
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
    for (size_t i = 0; presets[i].name && i < MAX_DOTS && result == VKS_OK; i++) {
        struct vks_colormap map;
        struct vks_dot *dot = &panel->dots[panel->dot_count];
        result = vks_settings_preset(&panel->other, presets[i].name);
        if (result == VKS_OK) {
            result = vks_colormap_load(panel->other.common.look.colormap, &map);
        }
        if (result == VKS_OK && is_met(&panel->other, axes[0]) && is_met(&panel->other, axes[1])) {
            const uint32_t colour = map.entries[176];
            dot->at[0] = number_in(&panel->other, axes[0]);
            dot->at[1] = number_in(&panel->other, axes[1]);
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
    const struct vks_thumb ground = {panel->ground, CHART_WIDE, CHART_HIGH, panel->version};
    const struct vks_chart_plane plane = {{chart->low[0], chart->low[1]},
                                          {chart->high[0], chart->high[1]},
                                          &ground,
                                          panel->dots,
                                          panel->dot_count,
                                          chart->edge};
    char text[160];
    double at[] = {number_of(panel, axes[0]), number_of(panel, axes[1])};
    size_t near;
    if (vks_ui_plane(ui, vks_ui_id("chart"), next_row(panel, 2 * CHART_HIGH), &plane, at, &near)) {
        for (int i = 0; i < 2; i++) {
            set(panel, axes[i], vks_format_real(at[i], text, sizeof(text)),
                ui->active == vks_ui_id("chart") && !ui->input.released);
        }
    }
    snprintf(text, sizeof(text), "%s %.4g \xc2\xb7 %s %.4g", chart->y, at[1], chart->x, at[0]);
    const struct vks_box row = next_row(panel, 20);
    vks_ui_text(ui, row, VKS_ALIGN_LEFT, &vks_style_small, VKS_COLOUR_DIM,
                near < panel->dot_count
                    ? vks_model_presets(panel->base.model)[panel->dot_presets[near]].name
                    : text);
}

static void chart(struct vks_panel *panel)
{
    const struct vks_model *model = panel->base.model;
    const struct vks_option *const axes[] = {vks_option_find(model->options, model->chart.x),
                                             vks_option_find(model->options, model->chart.y)};
    char title[128];
    snprintf(title, sizeof(title), "%s against %s", model->chart.y, model->chart.x);
    if (place_of(panel, axes[0]) != IN_MODEL || place_of(panel, axes[1]) != IN_MODEL) {
        return;
    }
    const struct vks_box head = {MARGIN, panel->y, CONTENT, 30};
    vks_ui_tip(&panel->ui, vks_panel_group_id(title, VKS_TAB_MODEL), head, model->chart.help);
    if (!turning_heading(panel, title, true)) {
        return;
    }
    if (panel->dot_count == 0) {
        panel->result = find_dots(panel, axes);
        paint_ground(panel);
    }
    draw_chart(panel, axes);
}

static void new_run(struct vks_panel *panel)
{
    if (!turning_heading(panel, "new run", panel->pending_count > 0)) {
        return;
    }
    each_option(panel, NULL, IN_NEW_RUN, show_option, NULL);
    panel->y += 8;
    struct vks_box box = next_row(panel, 28);
    if (vks_ui_button(&panel->ui, vks_ui_id("apply"), box,
                      panel->pending_count ? "Apply: start a new run" : "Start a new run",
                      panel->pending_count > 0)) {
        for (size_t i = 0; i < panel->pending_count; i++) {
            act_named(panel, VKS_ACTION_PREPARE, panel->pending[i].option->name, false);
            struct vks_action *last = &panel->actions->items[panel->actions->count - 1];
            snprintf(last->text, sizeof(last->text), "%s", panel->pending[i].text);
        }
        vks_actions_add(panel->actions, VKS_ACTION_NEW_RUN);
        panel->pending_count = 0;
    }
}

static void model_tab(struct vks_panel *panel)
{
    char title[160];
    const bool changed = any_changed(panel);
    const struct vks_preset *presets = vks_model_presets(panel->base.model);
    const size_t current = preset_named(panel->base.model, panel->base_preset);
    snprintf(panel->hint, sizeof(panel->hint), "%s",
             presets[current].name ? presets[current].summary : "");
    panel->y += 10;
    model_words(panel);
    snprintf(title, sizeof(title), "%s / %s%s", panel->base.model->name, panel->base_preset,
             changed ? " *" : "");
    heading(panel, title, "");
    panel->y += 2;
    preset_grid(panel, changed);
    if (panel->base.model->chart.x) {
        chart(panel);
    }
    groups(panel, IN_MODEL, 2);
    panel->y += 10;
    if (vks_ui_button(&panel->ui, vks_ui_id("restart"), next_row(panel, 28), "\xe2\x86\xbb Restart",
                      false)) {
        vks_actions_add(panel->actions, VKS_ACTION_RESTART);
    }
    new_run(panel);
}

/* --- the tab Look ---------------------------------------------------------------------------- */

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
    const float wide = (CONTENT - 10) / (float)COLUMNS;
    heading(panel, "colours", name);
    const float height = lay_grid(boxes, count, COLUMNS, panel->y + 2, wide, STEP);
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
        set(panel, VKS_COMMON_ROW(look.colormap), vks_colormap_names[event.chosen], false);
    }
    panel->y += height;
}

static void look_tab(struct vks_panel *panel)
{
    colour_maps(panel);
    groups(panel, IN_LOOK, 4);
}

/* --- the tab Brush --------------------------------------------------------------------------- */

/* A slider that is no option's. */
static bool plain_slider(struct vks_panel *panel, const char *text, const struct vks_slider *slider,
                         double *value)
{
    char shown[32];
    const struct vks_box row = next_row(panel, ROW);
    vks_ui_text(&panel->ui, (struct vks_box){row.x, row.y, LABEL, row.height}, VKS_ALIGN_LEFT,
                &vks_style_body, VKS_COLOUR_TEXT, text);
    const struct vks_box track = {row.x + LABEL + GAP - 5, row.y, CONTROL + 10, row.height};
    const bool changed = vks_ui_slider(&panel->ui, vks_ui_id(text), track, slider, value);
    const float left = row.x + LABEL + CONTROL + 2 * GAP;
    snprintf(shown, sizeof(shown), "%.4g", *value);
    vks_ui_text(&panel->ui, (struct vks_box){left, row.y, row.x + row.width - left, row.height},
                VKS_ALIGN_RIGHT, &vks_style_number, VKS_COLOUR_TEXT, shown);
    return changed;
}

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
        const struct vks_box words = {0, 0, CONTENT - 24, 0};
        const float high = 32 + brush_words(panel, &rows[i], words, i == brush->index, UINT32_MAX);
        boxes[i] = next_row(panel, high + 4);
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

static void brush_tab(struct vks_panel *panel)
{
    static const struct vks_slider radius = {2, 400, .logarithmic = true, .preset = NAN};
    static const struct vks_slider share = {0, 1, .preset = NAN};
    struct vks_brush_state brush = panel->data->brush;
    if (panel->data->brush_count == 0) {
        panel->y += 12;
        vks_ui_paragraph(&panel->ui, next_row(panel, 40), &vks_style_body, VKS_COLOUR_DIM, 2,
                         "This simulation has no brushes.");
        return;
    }
    heading(panel, "brush", "");
    bool changed = brush_list(panel, &brush);
    heading(panel, "stroke", "");
    changed = plain_slider(panel, "radius", &radius, &brush.radius) || changed;
    changed = plain_slider(panel, "strength", &share, &brush.strength) || changed;
    changed = plain_slider(panel, "soft edge", &share, &brush.soft) || changed;
    panel->y += 12;
    vks_ui_paragraph(&panel->ui, next_row(panel, 2 * VKS_LINE_HEIGHT), &vks_style_body,
                     VKS_COLOUR_DIM, 2,
                     "Paint on the picture. Shift and the wheel change the radius there.");
    if (changed) {
        vks_actions_add(panel->actions, VKS_ACTION_BRUSH)->brush = brush;
    }
}

/* --- the tab Gallery ------------------------------------------------------------------------- */

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

static void gallery_grid(struct vks_panel *panel, size_t count)
{
    enum { SIDE = 98, COLUMNS = 3 };
    struct vks_box boxes[VKS_MAX_UI_CELLS];
    const struct vks_panel_data *data = panel->data;
    const float height = lay_grid(boxes, count, COLUMNS, panel->y, SIDE, SIDE + 24);
    const struct vks_cells cells = {vks_ui_id("gallery"), boxes, count, COLUMNS, panel->selected};
    const struct vks_cell_event event = vks_ui_cells(&panel->ui, &cells);
    for (size_t i = 0; i < count; i++) {
        const struct vks_gallery_item *item = &data->gallery[i];
        tile(panel, boxes[i], item->image.rgba ? &item->image : NULL, item->name,
             i == panel->selected, event.hover == i || event.cursor == i);
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

static void gallery_tab(struct vks_panel *panel)
{
    const struct vks_panel_data *data = panel->data;
    const size_t count =
        data->gallery_count < VKS_MAX_UI_CELLS ? data->gallery_count : VKS_MAX_UI_CELLS;
    find_selected(panel, count);
    panel->y += 14;
    if (count == 0) {
        vks_ui_paragraph(&panel->ui, next_row(panel, 40), &vks_style_body, VKS_COLOUR_DIM, 2,
                         "Saved pictures appear here. Press S to save one.");
    } else {
        gallery_grid(panel, count);
    }
    if (panel->selected != SIZE_MAX) {
        const struct vks_gallery_item *item = &data->gallery[panel->selected];
        vks_ui_paragraph(&panel->ui, next_row(panel, 2 * VKS_LINE_HEIGHT + 8), &vks_style_body,
                         VKS_COLOUR_TEXT, 2, item->words ? item->words : item->name);
        struct vks_box box = next_row(panel, 36);
        box.height = 28;
        box.width = 204;
        if (vks_ui_button(&panel->ui, vks_ui_id("return"), box, "Return to this state", true)) {
            gallery_act(panel, VKS_ACTION_GALLERY_RETURN);
        }
        box.x += box.width + 8;
        box.width = CONTENT - box.width - 8;
        if (vks_ui_button(&panel->ui, vks_ui_id("delete"), box, "Delete", false)) {
            gallery_act(panel, VKS_ACTION_GALLERY_DELETE);
        }
    }
    if (vks_ui_button(&panel->ui, vks_ui_id("folder"), next_row(panel, 28), "Where is the folder?",
                      false)) {
        gallery_act(panel, VKS_ACTION_GALLERY_FOLDER);
    }
}

/* --- all of it ------------------------------------------------------------------------------- */

static void tab_bar(struct vks_panel *panel)
{
    char gallery[32];
    const char *const names[VKS_TABS] = {"Model", "Look", "Brush", gallery};
    const struct vks_box bar = {MARGIN, 4, CONTENT, BAR - 5};
    const size_t pictures = panel->data->gallery_count;
    snprintf(gallery, sizeof(gallery), pictures ? "Gallery %zu" : "Gallery", pictures);
    vks_draw_box(panel->ui.draw, (struct vks_box){MARGIN, BAR - 1, CONTENT, 1}, 0, VKS_COLOUR_RULE);
    vks_ui_tabs(&panel->ui, vks_ui_id("tabs"), bar, names, VKS_TABS, &panel->tab);
}

static void build(void *user)
{
    static void (*const tabs[VKS_TABS])(struct vks_panel *) = {model_tab, look_tab, brush_tab,
                                                               gallery_tab};
    struct vks_panel *panel = user;
    struct vks_ui *ui = &panel->ui;
    tab_bar(panel);
    const struct vks_box body = {0, BAR, ui->width - 1, ui->height - BAR};
    const size_t tab = panel->tab;
    const float top =
        vks_ui_scroll_begin(ui, vks_ui_sub(vks_ui_id("scroll"), tab), body, &panel->scroll[tab]);
    panel->y = top;
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
    panel->result = follow(panel);
    if (panel->result != VKS_OK) {
        return panel->result;
    }
    const enum vks_result result = vks_ui_update(&panel->ui, input, surface, build, panel, update);
    return result == VKS_OK ? panel->result : result;
}

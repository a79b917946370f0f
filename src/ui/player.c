/* SPDX-License-Identifier: MIT */
#include "ui/player.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/brush.h"
#include "api/condition.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "runs/presets.h"
#include "sim/registry.h"
#include "view/colormap.h"

static const double join_seconds = 1; /* changes of one option within it are undone together */

vks_simulation *vks_player_simulation(const struct vks_player *player)
{
    return vks_grid_simulation(player->grid, 0);
}

static const struct vks_settings *settings_of(const struct vks_player *player)
{
    return vks_simulation_settings(vks_player_simulation(player));
}

/* --- undo ------------------------------------------------------------------------------------ */

static void forget(const struct vks_undo *undo)
{
    json_decref(undo->before);
    json_decref(undo->after);
    json_decref(undo->paint);
}

/* The entries that could be done again. */
static void forget_undone(struct vks_player *player)
{
    for (; player->undone > 0; player->undone--) {
        forget(&player->undo[--player->undo_count]);
    }
}

static struct vks_undo *add_undo(struct vks_player *player)
{
    forget_undone(player);
    if (player->undo_count == VKS_MAX_UNDO) {
        forget(&player->undo[0]);
        memmove(&player->undo[0], &player->undo[1], (VKS_MAX_UNDO - 1) * sizeof(player->undo[0]));
        player->undo_count--;
    }
    struct vks_undo *undo = &player->undo[player->undo_count++];
    *undo = (struct vks_undo){0};
    return undo;
}

static bool has_same_keys(const json_t *a, const json_t *b)
{
    const char *key;
    const json_t *value;
    bool same = json_object_size(a) == json_object_size(b);
    json_object_foreach((json_t *)(uintptr_t)a, key, value)
    {
        same = same && json_object_get(b, key);
    }
    return same;
}

/* Adds an event with these values. After a failure it has taken them; *before: the present ones. */
static enum vks_result add_set(const struct vks_player *player, struct vks_control *control,
                               json_t *values, json_t **before)
{
    const struct vks_event event = vks_event_set(json_incref(values));
    enum vks_result result = vks_log_add(&control->events, &event);
    if (result == VKS_OK) {
        result = vks_settings_read(settings_of(player), values, before);
    }
    if (result != VKS_OK) {
        json_decref(values);
    }
    return result;
}

enum vks_result vks_player_change(struct vks_player *player, struct vks_control *control,
                                  json_t *values, double time)
{
    vks_motions_yield(&player->motions, values);
    json_t *before;
    enum vks_result result = add_set(player, control, values, &before);
    if (result != VKS_OK) {
        return result;
    }
    struct vks_undo *last = player->undo_count > 0 && player->undone == 0
                                ? &player->undo[player->undo_count - 1]
                                : NULL;
    if (last && last->after && time - last->time < join_seconds &&
        has_same_keys(last->after, values)) {
        json_decref(last->after);
        json_decref(before);
    } else {
        last = add_undo(player);
        last->before = before;
    }
    last->after = values;
    last->time = time;
    return VKS_OK;
}

enum vks_result vks_player_drive(struct vks_player *player, struct vks_control *control,
                                 uint32_t motion, json_t *values)
{
    json_t *before;
    enum vks_result result = add_set(player, control, values, &before);
    if (result != VKS_OK) {
        return result;
    }
    size_t at = 0;
    while (at < player->undo_count && player->undo[at].motion != motion) {
        at++;
    }
    struct vks_undo *undo = at < player->undo_count ? &player->undo[at] : add_undo(player);
    if (undo->motion == motion) {
        const bool failed = json_object_update_missing(undo->before, before) != 0 ||
                            json_object_update(undo->after, values) != 0;
        json_decref(before);
        json_decref(values);
        return failed ? vks_fail_memory() : VKS_OK;
    }
    *undo =
        (struct vks_undo){.before = before, .after = values, .motion = motion, .time = -HUGE_VAL};
    return VKS_OK;
}

/* The number of the event in the log with which the first `left` of the strokes began: they are the
 * last ones there. SIZE_MAX: they are not. */
static size_t find_strokes(const struct vks_log *log, const json_t *strokes, size_t left)
{
    size_t found = SIZE_MAX;
    for (size_t i = log->count; i-- > 0 && left > 0;) {
        const json_t *paint = log->events[i].paint;
        const size_t count = json_array_size(paint);
        if (count > left || (count > 0 && !json_equal(json_array_get(paint, 0),
                                                      json_array_get(strokes, left - count)))) {
            break;
        }
        left -= count;
        found = count > 0 ? i : found;
    }
    return found;
}

/* Goes to the state before the strokes, without what followed. */
static void undo_strokes(const struct vks_player *player, struct vks_control *control,
                         const json_t *strokes)
{
    struct vks_log *waiting = &control->events;
    size_t left = json_array_size(strokes);
    while (left > 0 && waiting->count > 0 && waiting->events[waiting->count - 1].paint) {
        const size_t count = json_array_size(waiting->events[waiting->count - 1].paint);
        left -= count < left ? count : left;
        vks_log_cut(waiting, waiting->count - 1);
    }
    const size_t event = find_strokes(player->log, strokes, left);
    if (event != SIZE_MAX) {
        control->seek = control->forget = true;
        control->kept = event;
        control->step = player->log->events[event].step;
    }
}

enum vks_result vks_player_undo(struct vks_player *player, struct vks_control *control)
{
    player->stroking = false;
    if (player->undone == player->undo_count) {
        return VKS_OK;
    }
    struct vks_undo *undo = &player->undo[player->undo_count - ++player->undone];
    undo->time = -HUGE_VAL;
    if (undo->before) {
        vks_motions_yield(&player->motions, undo->before);
        const struct vks_event event = vks_event_set(json_incref(undo->before));
        return vks_log_add(&control->events, &event);
    }
    undo_strokes(player, control, undo->paint);
    return VKS_OK;
}

/* Adds strokes at the present step, as many per event as it takes. */
static enum vks_result paint_again(struct vks_control *control, const json_t *strokes)
{
    const size_t count = json_array_size(strokes);
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < count && result == VKS_OK;) {
        json_t *part = json_array();
        for (size_t n = 0; part && n < VKS_MAX_STROKES && i < count; n++, i++) {
            json_array_append(part, json_array_get(strokes, i));
        }
        const struct vks_event event = {.paint = part ? part : json_null()};
        result = vks_log_add(&control->events, &event);
    }
    return result;
}

enum vks_result vks_player_redo(struct vks_player *player, struct vks_control *control)
{
    if (player->undone == 0) {
        return VKS_OK;
    }
    struct vks_undo *undo = &player->undo[player->undo_count - player->undone--];
    if (undo->paint) {
        return paint_again(control, undo->paint);
    }
    vks_motions_yield(&player->motions, undo->after);
    const struct vks_event event = vks_event_set(json_incref(undo->after));
    return vks_log_add(&control->events, &event);
}

/* --- options --------------------------------------------------------------------------------- */

enum vks_result vks_player_set(struct vks_player *player, struct vks_control *control,
                               const char *name, const char *text, double time)
{
    return vks_player_change(player, control, json_pack("{s:s}", name, text), time);
}

/* A number from -1 to 1. */
static double draw_lots(struct vks_player *player)
{
    player->random = player->random * 1664525U + 1013904223U;
    return (player->random >> 8) * 0x1p-23 - 1;
}

/* A value of the row up to `share` of its useful range away; false if the row is no such number. */
static bool vary(struct vks_player *player, const struct vks_option *row,
                 const struct vks_settings *settings, double share, char *text, size_t size)
{
    const bool whole = row->type == VKS_OPTION_COUNT;
    const double low = row->soft_min, high = row->soft_max;
    const void *values = vks_settings_values(settings, row);
    if (row->change != VKS_CHANGE_LIVE || !(high > low) || vks_option_list(row, values) ||
        (!whole && row->type != VKS_OPTION_REAL) || !vks_option_is_set(row, values)) {
        return false;
    }
    const double now = vks_settings_number(settings, row);
    const double by = share * draw_lots(player);
    double next = row->logarithmic ? now * pow(high / low, by) : now + (high - low) * by;
    next = next < low ? low : next > high ? high : next;
    if (whole) {
        const uint64_t count = (uint64_t)(next + 0.5);
        snprintf(text, size, "%llu",
                 (unsigned long long)((row->flags & VKS_OPTION_ODD) ? count | 1 : count));
    } else {
        snprintf(text, size, "%.4g", next);
    }
    return true;
}

/* Other values for all such rows of the model; NULL if memory ran out. */
static json_t *vary_all(struct vks_player *player, double share)
{
    const struct vks_settings *settings = settings_of(player);
    const struct vks_option_table table = settings->model->options;
    json_t *values = json_object();
    for (size_t i = 0; i < table.count; i++) {
        const struct vks_option *row = &table.options[i];
        char text[64];
        if (vks_option_has_effect(row, settings) &&
            vary(player, row, settings, share, text, sizeof(text)) &&
            json_object_set_new(values, row->name, json_string(text)) != 0) {
            json_decref(values);
            return NULL;
        }
    }
    return values;
}

/* Whether the model takes the values together. */
static bool fit_together(const struct vks_settings *settings, const json_t *values)
{
    struct vks_settings next = {0};
    const bool good = vks_settings_copy(&next, settings) == VKS_OK &&
                      vks_settings_set_values(&next, values) == VKS_OK &&
                      vks_settings_finish(&next) == VKS_OK;
    vks_settings_free(&next);
    return good;
}

enum vks_result vks_player_surprise(struct vks_player *player, struct vks_control *control,
                                    double share, double time)
{
    enum { TRIES = 24 };
    json_t *values = vary_all(player, share);
    for (int i = 1; values && i < TRIES && !fit_together(settings_of(player), values); i++) {
        json_decref(values);
        values = vary_all(player, share * pow(0.8, i));
    }
    return values ? vks_player_change(player, control, values, time) : vks_fail_memory();
}

/* The names of an option's values, and the present one. Returns their number. */
static size_t list_names(const struct vks_settings *settings, const struct vks_option *row,
                         const char *names[64], const char **now)
{
    static char text[VKS_VALUE_SIZE];
    size_t count = 0;
    *now = vks_option_get(row, &settings->common, text, sizeof(text));
    if (row == VKS_COMMON_ROW(look.view)) {
        for (const struct vks_view *view = settings->model->views; view->name && count < 64;
             view++) {
            names[count++] = view->name;
        }
        *now = settings->common.view->name;
    } else {
        for (; vks_colormap_names[count] && count < 64; count++) {
            names[count] = vks_colormap_names[count];
        }
    }
    return count;
}

enum vks_result vks_player_cycle(struct vks_player *player, struct vks_control *control,
                                 const char *name, int step, double time)
{
    const struct vks_option *row = vks_option_find(vks_common_options, name);
    const char *names[64], *now;
    const size_t count = list_names(settings_of(player), row, names, &now);
    size_t at = 0;
    while (at < count && strcmp(names[at], now) != 0) {
        at++;
    }
    at = at == count ? 0 : (at + count + (size_t)(step < 0 ? count - 1 : 1)) % count;
    return vks_player_set(player, control, name, names[at], time);
}

/* --- new runs -------------------------------------------------------------------------------- */

void vks_next_run_free(struct vks_next_run *next)
{
    vks_settings_free(&next->settings);
    vks_log_free(&next->log);
    *next = (struct vks_next_run){0};
}

void vks_player_ask(struct vks_player *player, struct vks_control *control,
                    const struct vks_next_run *next)
{
    vks_next_run_free(&player->next);
    player->next = *next;
    control->quit = true;
}

/* Finishes the settings of a new run, takes them over and asks for it. */
static enum vks_result ask(struct vks_player *player, struct vks_control *control,
                           struct vks_settings *next, const char *preset, bool sized,
                           enum vks_result result)
{
    if (result == VKS_OK) {
        result = vks_settings_finish(next);
    }
    if (result != VKS_OK) {
        vks_settings_free(next);
        return result;
    }
    struct vks_next_run run = {.settings = *next, .sized = sized};
    snprintf(run.preset, sizeof(run.preset), "%s", preset);
    vks_player_ask(player, control, &run);
    return VKS_OK;
}

enum vks_result vks_player_new_model(struct vks_player *player, struct vks_control *control,
                                     const struct vks_model *model, const char *preset)
{
    struct vks_settings next = {0};
    enum vks_result result = vks_settings_init(&next, model);
    if (result == VKS_OK && preset) {
        result = vks_preset_apply(&next, preset);
    }
    return ask(player, control, &next, preset ? preset : vks_model_presets(model)[0].name, true,
               result);
}

enum vks_result vks_player_new_preset(struct vks_player *player, struct vks_control *control,
                                      const char *preset)
{
    struct vks_settings next = {0};
    enum vks_result result = vks_settings_copy(&next, settings_of(player));
    if (result == VKS_OK) {
        result = vks_preset_apply(&next, preset);
    }
    const struct vks_size *old = &settings_of(player)->common.size, *new = &next.common.size;
    const bool sized = result == VKS_OK && (new->width != old->width ||
                                            new->height != old->height || new->depth != old->depth);
    return ask(player, control, &next, preset, sized, result);
}

const char *vks_player_random_preset(struct vks_player *player)
{
    const struct vks_preset *presets = vks_model_presets(settings_of(player)->model);
    size_t count = 0, now = 0;
    for (; presets[count].name; count++) {
        now = strcmp(presets[count].name, player->preset) == 0 ? count : now;
    }
    const double lot = 0.5 + 0.5 * draw_lots(player);
    return presets[count > 1 ? (now + 1 + (size_t)(lot * (double)(count - 1))) % count : now].name;
}

const char *vks_player_next_preset(const struct vks_player *player, int step)
{
    const struct vks_preset *presets = vks_model_presets(settings_of(player)->model);
    size_t count = 0, at = 0;
    for (; presets[count].name; count++) {
        at = strcmp(presets[count].name, player->preset) == 0 ? count : at;
    }
    return presets[(at + (step < 0 ? count - 1 : 1)) % count].name;
}

enum vks_result vks_player_prepare(struct vks_player *player, const char *name, const char *text)
{
    struct vks_settings *next = &player->next.settings;
    if (!next->model) {
        const enum vks_result result = vks_settings_copy(next, settings_of(player));
        if (result != VKS_OK) {
            return result;
        }
    }
    return vks_settings_set(next, name, text);
}

enum vks_result vks_player_new_run(struct vks_player *player, struct vks_control *control)
{
    struct vks_settings next = player->next.settings;
    player->next.settings = (struct vks_settings){0};
    enum vks_result result = next.model ? VKS_OK : vks_settings_copy(&next, settings_of(player));
    return ask(player, control, &next, player->preset, false, result);
}

/* --- the camera ------------------------------------------------------------------------------ */

bool vks_player_has_camera(const struct vks_player *player)
{
    return settings_of(player)->common.look.values.camera.given;
}

enum vks_result vks_player_orbit(struct vks_player *player, struct vks_control *control,
                                 double left, double up, double time)
{
    const struct vks_camera *camera = &settings_of(player)->common.look.values.camera;
    const double unit = 360 / 0x1p32; /* degrees */
    const double elevation = (int32_t)camera->elevation * unit + up;
    const double azimuth = fmod(camera->azimuth * unit + left + 360, 360);
    char text[64];
    snprintf(text, sizeof(text), "%.2f,%.2f", azimuth, fmax(-90, fmin(90, elevation)));
    return vks_player_set(player, control, "camera", text, time);
}

enum vks_result vks_player_approach(struct vks_player *player, struct vks_control *control,
                                    double factor, double time)
{
    const double zoom = settings_of(player)->common.look.zoom * factor;
    char text[32];
    snprintf(text, sizeof(text), "%.4g", fmax(0.01, fmin(1000, zoom)));
    return vks_player_set(player, control, "zoom", text, time);
}

/* --- brushes --------------------------------------------------------------------------------- */

bool vks_player_find(const struct vks_player *player, double x, double y, double *across,
                     double *down)
{
    const struct vks_common *common = &settings_of(player)->common;
    const struct vks_part *part = &common->look.values.part;
    const bool flat = common->size.depth <= 1;
    const bool seen_along_z = !common->look.axis || strcmp(common->look.axis, "z") == 0;
    *across = (part->x + x * part->width / part->out_width) / common->size.width;
    *down = (part->y + y * part->height / part->out_height) / common->size.height;
    return vks_grid_count(player->grid) == 1 && (flat || seen_along_z) &&
           !common->look.values.camera.given;
}

size_t vks_player_brushes(const struct vks_player *player,
                          struct vks_brush_row rows[VKS_MAX_BRUSHES])
{
    const struct vks_settings *settings = settings_of(player);
    size_t count = 0;
    for (const struct vks_brush *brush = settings->model->brushes;
         brush && brush->name && count < VKS_MAX_BRUSHES; brush++) {
        size_t unused;
        const bool usable = vks_brush_find(settings, brush->name, &unused) == VKS_OK;
        rows[count++] = (struct vks_brush_row){brush->name, brush->help, brush->inverse,
                                               usable ? NULL : brush->needs, brush->values};
    }
    return count;
}

void vks_player_press(struct vks_player *player, double across, double down, bool inverse)
{
    player->stroking = player->begins = true;
    player->inverse = inverse;
    player->x = across;
    player->y = down;
}

/* 2^-16, within the limits of strokes. */
static int32_t place(double fraction)
{
    const double value = floor(fraction * 65536 + 0.5);
    return (int32_t)(value < -65536 ? -65536 : value > 131072 ? 131072 : value);
}

static struct vks_stroke stroke_to(const struct vks_player *player,
                                   const struct vks_brush_row *brush, double across, double down)
{
    const struct vks_size size = settings_of(player)->common.size;
    const double side = size.width < size.height ? size.width : size.height;
    const double radius = player->brush.radius / side * 65536;
    struct vks_stroke stroke =
        VKS_STROKE(.brush = brush->name, .x = place(player->x), .y = place(player->y),
                   .x2 = place(across), .y2 = place(down),
                   .radius = (uint32_t)(radius < 1       ? 1
                                        : radius > 32768 ? 32768
                                                         : radius),
                   .soft = (uint32_t)(player->brush.soft * 65536 + 0.5),
                   .strength = (uint32_t)(player->brush.strength * 65536 + 0.5),
                   .inverse = player->inverse);
    for (size_t i = 0; i < VKS_STROKE_VALUES && brush->values[i].option; i++) {
        stroke.values[i] = player->brush.values[i];
    }
    return stroke;
}

/* The entry of the present stroke; a new one also after another change. */
static struct vks_undo *stroke_undo(struct vks_player *player)
{
    struct vks_undo *last = player->undo_count > 0 ? &player->undo[player->undo_count - 1] : NULL;
    if (player->begins || player->undone > 0 || !last || !last->paint) {
        last = add_undo(player);
        last->paint = json_array();
        player->begins = false;
    }
    return last;
}

enum vks_result vks_player_move(struct vks_player *player, struct vks_control *control,
                                double across, double down)
{
    struct vks_brush_row brushes[VKS_MAX_BRUSHES];
    const size_t count = vks_player_brushes(player, brushes);
    if (!player->stroking || player->brush.index >= count || brushes[player->brush.index].lacks) {
        return VKS_OK;
    }
    const struct vks_stroke stroke = stroke_to(player, &brushes[player->brush.index], across, down);
    const struct vks_event event = vks_event_stroke(&stroke);
    const struct vks_undo *undo = stroke_undo(player);
    player->x = across;
    player->y = down;
    if (json_array_append(undo->paint, json_array_get(event.paint, 0)) != 0) {
        json_decref(event.paint);
        return vks_fail_memory();
    }
    return vks_log_add(&control->events, &event);
}

void vks_player_release(struct vks_player *player)
{
    player->stroking = false;
}

enum vks_result vks_player_take_back(struct vks_player *player, struct vks_control *control)
{
    const struct vks_motions *motions = &player->motions;
    const bool moves =
        motions->wave_count > 0 || motions->morph.end || motions->trip.path.count > 0;
    const bool is_last = player->undo_count > 0 && player->undone == 0 && !player->begins &&
                         player->undo[player->undo_count - 1].paint;
    return is_last && !moves ? vks_player_undo(player, control) : VKS_OK;
}

/* --- runs ------------------------------------------------------------------------------------ */

/* Brushes paint what the options of the run are, until a person chooses something else. */
static void set_values(struct vks_player *player, const struct vks_brush_row *brush)
{
    for (size_t i = 0; i < VKS_STROKE_VALUES && brush->values[i].option; i++) {
        double value;
        if (vks_simulation_get_real(vks_player_simulation(player), brush->values[i].option,
                                    &value) == VKS_OK) {
            player->brush.values[i] = fmin(value, brush->values[i].max);
        }
    }
}

void vks_player_begin(struct vks_player *player, struct vks_grid *grid, struct vks_log *log,
                      const char *preset)
{
    vks_motions_end(&player->motions);
    player->undone = player->undo_count;
    forget_undone(player);
    player->grid = grid;
    player->log = log;
    player->stroking = false;
    struct vks_brush_row brushes[VKS_MAX_BRUSHES];
    const size_t count = vks_player_brushes(player, brushes);
    player->brush.index = player->brush.index < count ? player->brush.index : 0;
    for (size_t i = 0; i < count; i++) {
        set_values(player, &brushes[i]);
    }
    snprintf(player->preset, sizeof(player->preset), "%s", preset);
}

void vks_player_free(struct vks_player *player)
{
    vks_motions_end(&player->motions);
    player->undone = player->undo_count;
    forget_undone(player);
    vks_next_run_free(&player->next);
}

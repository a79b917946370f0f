/* SPDX-License-Identifier: MIT */
#include "ui/motion.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/condition.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "runs/presets.h"
#include "sim/registry.h"
#include "ui/player.h"

static const double pi = 3.14159265358979323846;

static const struct vks_settings *settings_of(const struct vks_player *player)
{
    return vks_simulation_settings(vks_player_simulation(player));
}

static enum vks_result put(json_t *values, const char *name, const char *text)
{
    return json_object_set_new(values, name, json_string(text)) == 0 ? VKS_OK : vks_fail_memory();
}

/* --- waves ----------------------------------------------------------------------------------- */

/* Ends a trip that moves the option. */
static void end_trip_of(struct vks_trip *trip, const char *name)
{
    for (int i = 0; i < 2 && trip->path.count > 0; i++) {
        if (strcmp(trip->options[i]->name, name) == 0) {
            trip->path.count = 0;
        }
    }
}

static void drop_wave(struct vks_motions *motions, size_t index)
{
    memmove(&motions->waves[index], &motions->waves[index + 1],
            (--motions->wave_count - index) * sizeof(motions->waves[0]));
}

enum vks_result vks_player_animate(struct vks_player *player, const char *name, double period,
                                   double share)
{
    struct vks_motions *motions = &player->motions;
    const struct vks_settings *settings = settings_of(player);
    void *unused;
    const struct vks_option *option =
        vks_settings_option((struct vks_settings *)(uintptr_t)settings, name, &unused);
    size_t at = 0;
    while (at < motions->wave_count && motions->waves[at].option != option) {
        at++;
    }
    if (at < motions->wave_count && share > 0) {
        motions->waves[at].period = period;
        motions->waves[at].share = share;
    } else if (at < motions->wave_count) {
        drop_wave(motions, at);
    } else if (at == VKS_MAX_WAVES) {
        return vks_fail(VKS_ERROR_USAGE, "at most %d options move at once", VKS_MAX_WAVES);
    } else if (option && share > 0) {
        end_trip_of(&motions->trip, option->name);
        const struct vks_slider slider = vks_option_slider(option);
        motions->waves[motions->wave_count++] = (struct vks_wave){
            .option = option,
            .period = period,
            .share = share,
            .centre = vks_slider_fraction(&slider, vks_settings_number(settings, option)),
            .number = ++motions->number,
        };
    }
    return VKS_OK;
}

/* The event of a wave's next value, if it is another one. */
static enum vks_result advance_wave(struct vks_player *player, struct vks_control *control,
                                    struct vks_wave *wave)
{
    const struct vks_slider slider = vks_option_slider(wave->option);
    char text[VKS_VALUE_SIZE], now[VKS_VALUE_SIZE];
    wave->phase = fmod(wave->phase + 1 / (wave->period * VKS_FRAMES_PER_SECOND), 1);
    const double at = wave->centre + wave->share * sin(2 * pi * wave->phase);
    vks_format_real(vks_slider_value(&slider, at, true), text, sizeof(text));
    if (strcmp(text,
               vks_option_get(wave->option, vks_settings_values(settings_of(player), wave->option),
                              now, sizeof(now))) == 0) {
        return VKS_OK;
    }
    return vks_player_drive(player, control, wave->number,
                            json_pack("{s:s}", wave->option->name, text));
}

/* --- morphs ---------------------------------------------------------------------------------- */

static void end_morph(struct vks_morph *morph)
{
    json_decref(morph->middle);
    json_decref(morph->end);
    *morph = (struct vks_morph){0};
}

/* Adds those values of `to` that differ from the settings', and that a run can take, to an object.
 */
static enum vks_result add_differences(const struct vks_settings *from,
                                       const struct vks_settings *to, json_t *values)
{
    const struct vks_option_table tables[] = {from->model->options, vks_common_options};
    const void *const old[] = {from->own, &from->common}, *const new[] = {to->own, &to->common};
    enum vks_result result = VKS_OK;
    for (size_t t = 0; t < VKS_COUNT(tables); t++) {
        for (size_t i = 0; i < tables[t].count && result == VKS_OK; i++) {
            const struct vks_option *row = &tables[t].options[i];
            char before[VKS_VALUE_SIZE], after[VKS_VALUE_SIZE];
            const char *text = vks_option_get(row, new[t], after, sizeof(after));
            const bool kept = row->change == VKS_CHANGE_NEVER || row == VKS_COMMON_ROW(seed) ||
                              row == VKS_COMMON_ROW(look.crop) ||
                              row == VKS_COMMON_ROW(look.output_size) ||
                              row == VKS_COMMON_ROW(steps_per_frame);
            if (kept || strcmp(vks_option_get(row, old[t], before, sizeof(before)), text) == 0) {
                continue;
            }
            json_t *value =
                vks_option_is_set(row, new[t]) || row->same_as ? json_string(text) : json_null();
            if (json_object_set_new(values, row->name, value) != 0) {
                result = vks_fail_memory();
            }
        }
    }
    return result;
}

/* The values that lead from the settings to a preset. */
static enum vks_result read_preset(const struct vks_settings *from, const char *preset,
                                   struct vks_settings *to, json_t **values)
{
    *values = json_object();
    enum vks_result result = vks_settings_copy(to, from);
    if (result == VKS_OK) {
        result = vks_preset_apply(to, preset);
    }
    return result == VKS_OK ? add_differences(from, to, *values) : result;
}

/* Whether an option moves from one value to the other. */
static bool moves(const struct vks_option *option, const struct vks_settings *from,
                  const struct vks_settings *to)
{
    const void *const values[] = {vks_settings_values(from, option),
                                  vks_settings_values(to, option)};
    bool number = option->change == VKS_CHANGE_LIVE &&
                  (option->type == VKS_OPTION_REAL || option->type == VKS_OPTION_COUNT);
    for (size_t i = 0; number && i < VKS_COUNT(values); i++) {
        number = !vks_option_list(option, values[i]) && vks_option_is_set(option, values[i]);
    }
    return number;
}

/* Parts the values into those that move and the others. */
static enum vks_result part_values(struct vks_morph *morph, const struct vks_settings *from,
                                   struct vks_settings *to, json_t *values)
{
    const char *name;
    json_t *value;
    int failed = 0;
    morph->middle = json_object();
    morph->end = json_object();
    json_object_foreach(values, name, value)
    {
        void *unused;
        const struct vks_option *option = vks_settings_option(to, name, &unused);
        const bool number = morph->count < VKS_MAX_MOVES && moves(option, from, to);
        if (number) {
            morph->moves[morph->count++] = (struct vks_move){
                option, vks_settings_number(from, option), vks_settings_number(to, option)};
        }
        failed |= json_object_set(number ? morph->end : morph->middle, name, value);
    }
    return failed ? vks_fail_memory() : VKS_OK;
}

enum vks_result vks_player_morph(struct vks_player *player, struct vks_control *control,
                                 const char *preset, unsigned frames, double time)
{
    const struct vks_settings *from = settings_of(player);
    struct vks_morph morph = {.frames = frames};
    struct vks_settings to = {0};
    json_t *values;
    enum vks_result result = read_preset(from, preset, &to, &values);
    if (result == VKS_OK && frames > 0) {
        result = part_values(&morph, from, &to, values);
    }
    vks_settings_free(&to);
    if (result != VKS_OK || json_object_size(values) == 0) {
        json_decref(values);
        end_morph(&morph);
        return result;
    }
    snprintf(player->preset, sizeof(player->preset), "%s", preset);
    vks_motions_yield(&player->motions, values);
    if (frames == 0) {
        return vks_player_change(player, control, values, time);
    }
    json_decref(values);
    morph.number = ++player->motions.number;
    player->motions.morph = morph;
    return VKS_OK;
}

/* The value at a part of the way; equal parts of a logarithmic one are equal factors. */
static const char *text_between(const struct vks_move *move, double part, char *text, size_t size)
{
    const struct vks_option *option = move->option;
    const bool octaves = option->logarithmic && move->from > 0 && move->to > 0;
    const double value = octaves ? move->from * pow(move->to / move->from, part)
                                 : move->from + (move->to - move->from) * part;
    if (option->type == VKS_OPTION_COUNT) {
        const unsigned long long whole = (unsigned long long)(value + 0.5);
        snprintf(text, size, "%llu", option->flags & VKS_OPTION_ODD ? whole | 1 : whole);
    } else {
        snprintf(text, size, "%.5g", value);
    }
    return text;
}

static enum vks_result advance_morph(struct vks_player *player, struct vks_control *control)
{
    struct vks_morph *morph = &player->motions.morph;
    const uint32_t number = morph->number;
    const double part = (double)++morph->frame / morph->frames;
    char text[VKS_VALUE_SIZE];
    if (part >= 1) {
        json_t *end = json_incref(morph->end);
        if (morph->middle && json_object_update(end, morph->middle) != 0) {
            json_decref(end);
            return vks_fail_memory();
        }
        end_morph(morph);
        return vks_player_drive(player, control, number, end);
    }
    json_t *values = json_object();
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < morph->count && result == VKS_OK; i++) {
        result = put(values, morph->moves[i].option->name,
                     text_between(&morph->moves[i], part, text, sizeof(text)));
    }
    if (result == VKS_OK && part >= 0.5 && morph->middle) {
        result = json_object_update(values, morph->middle) == 0 ? VKS_OK : vks_fail_memory();
        json_decref(morph->middle);
        morph->middle = NULL;
    }
    if (result != VKS_OK) {
        json_decref(values);
        return result;
    }
    return vks_player_drive(player, control, number, values);
}

/* --- paths ----------------------------------------------------------------------------------- */

enum vks_result vks_player_travel(struct vks_player *player, const struct vks_path *path,
                                  double period)
{
    struct vks_trip *trip = &player->motions.trip;
    const struct vks_chart *chart = &settings_of(player)->model->chart;
    if (!path) {
        trip->period = period;
        trip->path.count = period > 0 ? trip->path.count : 0;
        return VKS_OK;
    }
    json_t *both = json_pack("{s:n,s:n}", chart->x, chart->y);
    if (!both) {
        return vks_fail_memory();
    }
    vks_motions_yield(&player->motions, both);
    json_decref(both);
    const struct vks_option_table table = settings_of(player)->model->options;
    *trip = (struct vks_trip){
        .options = {vks_option_find(table, chart->x), vks_option_find(table, chart->y)},
        .path = *path,
        .period = period,
        .number = ++player->motions.number,
    };
    return VKS_OK;
}

/* Adds to the values that of one of the options at a part of the piece of the path that ends with
 * the point, unless it has it. */
static enum vks_result put_place(const struct vks_player *player, size_t axis, size_t point,
                                 double part, json_t *values)
{
    const struct vks_trip *trip = &player->motions.trip;
    const struct vks_option *option = trip->options[axis];
    char text[VKS_VALUE_SIZE], now[VKS_VALUE_SIZE];
    const struct vks_move move = {option, trip->path.at[point - 1][axis],
                                  trip->path.at[point][axis]};
    text_between(&move, part, text, sizeof(text));
    const void *present = vks_settings_values(settings_of(player), option);
    return strcmp(text, vks_option_get(option, present, now, sizeof(now))) == 0
               ? VKS_OK
               : put(values, option->name, text);
}

static enum vks_result advance_trip(struct vks_player *player, struct vks_control *control)
{
    struct vks_trip *trip = &player->motions.trip;
    const struct vks_path *path = &trip->path;
    trip->done = fmin(trip->done + 1 / (trip->period * VKS_FRAMES_PER_SECOND), 1);
    const double way = trip->done * path->reach[path->count - 1];
    size_t point = 1;
    while (point < path->count - 1 && path->reach[point] < way) {
        point++;
    }
    const double from = path->reach[point - 1];
    const double part = (way - from) / (path->reach[point] - from);
    json_t *values = json_object();
    enum vks_result result = values ? VKS_OK : vks_fail_memory();
    for (size_t axis = 0; axis < 2 && result == VKS_OK; axis++) {
        result = put_place(player, axis, point, part, values);
    }
    trip->path.count = trip->done < 1 ? path->count : 0;
    if (result != VKS_OK || json_object_size(values) == 0) {
        json_decref(values);
        return result;
    }
    return vks_player_drive(player, control, trip->number, values);
}

/* --- all of them ----------------------------------------------------------------------------- */

enum vks_result vks_player_advance(struct vks_player *player, struct vks_control *control)
{
    struct vks_motions *motions = &player->motions;
    enum vks_result result = VKS_OK;
    if (control->seek) {
        vks_motions_end(motions);
    }
    if (!motions->due || control->paused) {
        return VKS_OK;
    }
    motions->due = false;
    for (size_t i = 0; i < motions->wave_count && result == VKS_OK; i++) {
        result = advance_wave(player, control, &motions->waves[i]);
    }
    if (result == VKS_OK && motions->trip.path.count > 0) {
        result = advance_trip(player, control);
    }
    return result == VKS_OK && motions->morph.end ? advance_morph(player, control) : result;
}

void vks_motions_yield(struct vks_motions *motions, const json_t *values)
{
    end_morph(&motions->morph);
    for (int i = 0; i < 2 && motions->trip.path.count > 0; i++) {
        if (json_object_get(values, motions->trip.options[i]->name)) {
            motions->trip.path.count = 0;
        }
    }
    for (size_t i = motions->wave_count; i-- > 0;) {
        if (json_object_get(values, motions->waves[i].option->name)) {
            drop_wave(motions, i);
        }
    }
}

void vks_motions_end(struct vks_motions *motions)
{
    end_morph(&motions->morph);
    motions->trip.path.count = 0;
    motions->wave_count = 0;
    motions->due = false;
}

/* SPDX-License-Identifier: MIT */
/* Running a simulation, and changing its options meanwhile. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "api/rank.h"

vks_context *vks_simulation_context(const vks_simulation *simulation)
{
    return simulation->context;
}

const struct vks_settings *vks_simulation_settings(const vks_simulation *simulation)
{
    return &simulation->settings;
}

struct vks_graph *vks_simulation_graph(const vks_simulation *simulation)
{
    return simulation->graph;
}

struct vks_graph *vks_simulation_picture(const vks_simulation *simulation)
{
    return simulation->picture;
}

enum vks_result vks_simulation_alive(const vks_simulation *simulation)
{
    return !simulation->dead
               ? VKS_OK
               : vks_fail(VKS_ERROR_GPU, "a restart or a change of options has failed; the "
                                         "simulation can only be destroyed");
}

enum vks_result vks_simulation_run(vks_simulation *simulation, uint64_t steps)
{
    if (!simulation) {
        return vks_fail_null(__func__);
    }
    const enum vks_result alive = vks_simulation_alive(simulation);
    simulation->drawn = simulation->drawn && steps == 0;
    return alive == VKS_OK ? vks_graph_run(simulation->graph, steps) : alive;
}

enum vks_result vks_simulation_wait(vks_simulation *simulation)
{
    if (!simulation) {
        return vks_fail_null(__func__);
    }
    enum vks_result result = vks_simulation_alive(simulation);
    if (result == VKS_OK) {
        result = vks_graph_wait(simulation->graph);
    }
    for (size_t i = 0; i < VKS_COUNT(simulation->values) && result == VKS_OK; i++) {
        result = simulation->values[i] ? vks_graph_wait(simulation->values[i]) : VKS_OK;
    }
    return result == VKS_OK ? vks_graph_wait(simulation->picture) : result;
}

uint64_t vks_simulation_steps(const vks_simulation *simulation)
{
    return simulation && !simulation->dead ? vks_graph_steps(simulation->graph) : 0;
}

enum vks_result vks_simulation_update(vks_simulation *simulation)
{
    struct vks_declaration steps = {0}, picture = {0};
    if (simulation->owner) {
        return vks_simulation_update_picture(simulation);
    }
    vks_declare_steps(&simulation->settings, &steps);
    vks_declare_picture(&simulation->settings, simulation->planes, &simulation->bands, &steps,
                        &picture);
    enum vks_result result = picture.result;
    if (result == VKS_OK) {
        result = vks_graph_update(simulation->graph, &steps);
    }
    if (result == VKS_OK) {
        result = vks_graph_update(simulation->picture, &picture);
    }
    if (result == VKS_OK) {
        result = vks_rank_update_values(simulation);
    }
    vks_declaration_free(&steps);
    vks_declaration_free(&picture);
    return result;
}

enum vks_result vks_simulation_update_picture(vks_simulation *simulation)
{
    struct vks_declaration picture = {0};
    vks_declare_picture(&simulation->settings, simulation->planes, &simulation->bands,
                        vks_graph_declaration(simulation->graph), &picture);
    enum vks_result result = vks_graph_update(simulation->picture, &picture);
    if (result == VKS_OK) {
        result = vks_rank_update_values(simulation);
    }
    vks_declaration_free(&picture);
    return result;
}

enum vks_result vks_simulation_use(vks_simulation *simulation, struct vks_settings *settings)
{
    struct vks_settings before = simulation->settings;
    simulation->drawn = false;
    simulation->settings = *settings;
    enum vks_result result = vks_simulation_update(simulation);
    if (result == VKS_OK) {
        result = vks_simulation_fill(simulation, true);
    }
    result = vks_rank_agree(simulation, result);
    if (result != VKS_OK) { /* back: the graphs' declarations may point into the settings */
        struct vks_error why;
        vks_error_keep(result, &why);
        simulation->settings = before;
        if (vks_simulation_update(simulation) != VKS_OK ||
            vks_simulation_fill(simulation, true) != VKS_OK) {
            simulation->dead = true;
        }
        return vks_fail_again(&why);
    }
    vks_settings_free(&before);
    *settings = (struct vks_settings){0};
    return VKS_OK;
}

enum vks_result vks_simulation_reload(vks_simulation *simulation)
{
    enum vks_result result = vks_simulation_alive(simulation);
    simulation->drawn = false;
    if (result == VKS_OK && !simulation->owner) {
        result = vks_graph_reload(simulation->graph);
    }
    if (result == VKS_OK) {
        result = vks_graph_reload(simulation->picture);
    }
    for (size_t i = 0; i < VKS_COUNT(simulation->values) && result == VKS_OK; i++) {
        result = simulation->values[i] ? vks_graph_reload(simulation->values[i]) : VKS_OK;
    }
    for (size_t i = 0; i < VKS_MAX_BRUSHES && result == VKS_OK; i++) {
        result = simulation->brushes[i] ? vks_graph_reload(simulation->brushes[i]) : VKS_OK;
    }
    return result;
}

/* A new value for an option: a text, a real or a count; or new values for several. */
struct change {
    const char *name; /* NULL: several */
    const char *text; /* NULL: a number */
    const double *real;
    const uint64_t *count;
    const json_t *values;
};

/* Undoes the choice of a value. */
static enum vks_result unset(struct vks_settings *settings, const char *name)
{
    json_t *none = json_pack("{s:n}", name);
    const enum vks_result result =
        none ? vks_settings_set_values(settings, none) : vks_fail_memory();
    json_decref(none);
    return result;
}

static enum vks_result apply(const struct change *change, struct vks_settings *settings)
{
    void *structure;
    if (change->values) {
        return vks_settings_set_values(settings, change->values);
    }
    if (change->text && !change->text[0]) {
        const struct vks_option *option = vks_settings_option(settings, change->name, &structure);
        if (option && option->type == VKS_OPTION_TEXT && !option->default_text) {
            return unset(settings, change->name);
        }
    }
    if (change->text) {
        return vks_settings_set(settings, change->name, change->text);
    }
    const struct vks_option *option = vks_settings_find(settings, change->name, &structure);
    if (option) {
        vks_settings_note(settings, option);
    }
    return !option        ? VKS_ERROR_USAGE
           : change->real ? vks_option_set_real(option, structure, *change->real)
                          : vks_option_set_count(option, structure, *change->count);
}

/* Checks that with other settings each plane of a frame has the layout that it has now. */
static enum vks_result check_layout(const vks_simulation *simulation,
                                    const struct vks_settings *settings)
{
    const struct vks_look *now = &simulation->settings.common.look, *next = &settings->common.look;
    const unsigned arrays = vks_plane_bit(VKS_PLANE_CELLS) | vks_plane_bit(VKS_PLANE_ITEMS);
    uint32_t width, height, next_width, next_height;
    vks_picture_size(&simulation->settings, &width, &height);
    vks_picture_size(settings, &next_width, &next_height);
    const bool same_planes = vks_look_value_planes(now) == vks_look_value_planes(next);
    const bool same_view = settings->common.view == simulation->settings.common.view;
    if (width != next_width || height != next_height) {
        return vks_fail(VKS_ERROR_USAGE, "it changes the size of the pictures from %ux%u to %ux%u",
                        width, height, next_width, next_height);
    }
    return (same_planes || !vks_has_plane(simulation->planes, VKS_PLANE_VALUES)) &&
                   (same_view || !(simulation->planes & arrays))
               ? VKS_OK
               : vks_fail(VKS_ERROR_USAGE, "it changes the arrays that files of this run hold");
}

/* Puts the names of the options before the message of a failure. */
static enum vks_result fail_together(const json_t *values, enum vks_result result)
{
    char names[512] = "";
    const char *name;
    const json_t *value;
    json_object_foreach((json_t *)(uintptr_t)values, name, value)
    {
        const size_t length = strlen(names);
        snprintf(names + length, sizeof(names) - length, "%s'%s'", length ? ", " : "", name);
    }
    return vks_fail(result, "%s: %s", names, vks_error_text());
}

static enum vks_result set(vks_simulation *simulation, const struct change *change)
{
    struct vks_settings settings = {0};
    const enum vks_result alive = vks_simulation_alive(simulation);
    if (alive != VKS_OK) {
        return alive;
    }
    enum vks_result result = vks_settings_copy(&settings, &simulation->settings);
    if (result == VKS_OK) {
        result = apply(change, &settings);
    }
    const bool applied = result == VKS_OK; /* else the message names the option */
    if (result == VKS_OK) {
        result = vks_settings_finish(&settings);
    }
    if (result == VKS_OK && change->text) {
        result = vks_settings_check_image(&settings, change->name);
    }
    const char *name;
    const json_t *value;
    json_object_foreach((json_t *)(uintptr_t)change->values, name, value)
    {
        result = result == VKS_OK ? vks_settings_check_image(&settings, name) : result;
    }
    if (result == VKS_OK &&
        strcmp(settings.common.requested.name, simulation->settings.common.requested.name) != 0) {
        result = vks_fail(VKS_ERROR_USAGE, "it needs a new simulation");
    }
    if (result == VKS_OK && change->values) {
        result = check_layout(simulation, &settings);
    }
    if (result == VKS_OK) {
        result = vks_simulation_use(simulation, &settings);
    }
    vks_settings_free(&settings);
    if (result == VKS_OK) {
        return result;
    }
    if (change->values) {
        return applied && !vks_error_last()->option[0] ? fail_together(change->values, result)
                                                       : result;
    }
    if (strcmp(vks_error_last()->option, change->name) == 0) {
        return result;
    }
    void *structure;
    const struct vks_option *option =
        vks_settings_option(&simulation->settings, change->name, &structure);
    return change->text && !(option && (option->flags & VKS_OPTION_SECRET))
               ? vks_fail(result, "'%s' = '%s': %s", change->name, change->text, vks_error_text())
               : vks_fail(result, "'%s': %s", change->name, vks_error_text());
}

enum vks_result vks_simulation_set(vks_simulation *simulation, const char *name, const char *value)
{
    if (!simulation || !name || !value) {
        return vks_fail_null(__func__);
    }
    return set(simulation, &(struct change){.name = name, .text = value});
}

enum vks_result vks_simulation_set_values(vks_simulation *simulation, const json_t *values)
{
    return set(simulation, &(struct change){.values = values});
}

enum vks_result vks_simulation_set_real(vks_simulation *simulation, const char *name, double value)
{
    if (!simulation || !name) {
        return vks_fail_null(__func__);
    }
    return set(simulation, &(struct change){.name = name, .real = &value});
}

enum vks_result vks_simulation_set_count(vks_simulation *simulation, const char *name,
                                         uint64_t value)
{
    if (!simulation || !name) {
        return vks_fail_null(__func__);
    }
    return set(simulation, &(struct change){.name = name, .count = &value});
}

enum vks_result vks_simulation_get(vks_simulation *simulation, const char *name, char *text,
                                   size_t size)
{
    if (!simulation || !name || !text) {
        return vks_fail_null(__func__);
    }
    void *structure;
    const struct vks_option *option = vks_settings_find(&simulation->settings, name, &structure);
    if (!option) {
        return VKS_ERROR_USAGE;
    }
    char number[VKS_VALUE_SIZE];
    const char *value = option->flags & VKS_OPTION_SECRET
                            ? ""
                            : vks_option_get(option, structure, number, sizeof(number));
    const size_t length = strlen(value);
    if (length >= size) {
        return vks_fail_option(VKS_ERROR_USAGE, name, "needs %zu bytes for its text, not %zu",
                               length + 1, size);
    }
    memcpy(text, value, length + 1);
    return VKS_OK;
}

enum vks_result vks_simulation_get_real(vks_simulation *simulation, const char *name, double *value)
{
    if (!simulation || !name || !value) {
        return vks_fail_null(__func__);
    }
    void *structure;
    struct vks_settings *settings = &simulation->settings;
    const struct vks_option *option = vks_settings_find(settings, name, &structure);
    if (!option) {
        return VKS_ERROR_USAGE;
    }
    /* The model's options as the simulation has them: followers have their values. */
    const char *at = (structure == settings->own ? (const char *)settings->resolved : structure);
    at += option->offset;
    if (option->type == VKS_OPTION_REAL) {
        memcpy(value, at, sizeof(*value));
        return VKS_OK;
    }
    if (option->type == VKS_OPTION_COUNT) {
        *value = (double)*(const uint64_t *)(const void *)at;
        return VKS_OK;
    }
    return vks_fail_option(VKS_ERROR_USAGE, name, "is not a number");
}

enum vks_result vks_simulation_restart(vks_simulation *simulation, uint32_t seed)
{
    if (!simulation) {
        return vks_fail_null(__func__);
    }
    struct vks_state_file state = {0};
    const enum vks_result alive = vks_simulation_alive(simulation);
    if (alive != VKS_OK) {
        return alive;
    }
    const bool from_file = simulation->origin.state_path && seed == simulation->origin.seed;
    vks_snapshot *before = NULL;
    enum vks_result result =
        vks_settings_check_images(&simulation->settings, NULL, from_file, true);
    if (result == VKS_OK && !from_file) {
        result = vks_check_start(NULL, &simulation->settings, 0);
    }
    if (result == VKS_OK && from_file) {
        result =
            vks_state_file_open(&state, simulation->origin.state_path, simulation->settings.model);
    }
    if (result == VKS_OK && from_file) { /* whose arrays may be damaged */
        result = vks_simulation_snapshot(simulation, VKS_SNAPSHOT_DEVICE, &before);
    }
    if (result == VKS_OK) {
        simulation->drawn = false;
        simulation->settings.common.seed = seed;
        result = vks_simulation_update(simulation);
        if (result == VKS_OK) {
            result = vks_simulation_start(simulation, from_file ? &state : NULL);
        }
        result = vks_simulation_end_attempt(simulation, before, result);
    }
    vks_state_file_close(&state);
    return result;
}

/* SPDX-License-Identifier: MIT */
/* Scene files: docs/scenes.md. */
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/log.h"
#include "formula/formula.h"
#include "frames/sink.h"
#include "reload/reload.h"
#include "tool/outputs.h"
#include "base/option_json.h"
#include "tool/cli.h"

/* Keys that are not options: the simulation, the version of vksim that wrote the file, what is done
 * to the run, the shaders that it had instead of the built-in ones, and its formula or the digest
 * of its folder or plug-in. */
static const char *const other_keys[] = {"simulation", "vksim",   "events", "changed-shaders",
                                         "formula",    "shaders", "plugin"};

enum { MAX_BYTES = 1 << 28 }; /* of a scene file: hours of events */

/* --- reading --------------------------------------------------------------------------------- */

/* A scene file, or a picture or video that holds its scene. */
static enum vks_result read_text(const char *path, char **text, size_t *size)
{
    const bool is_picture = vks_sink_holds_scene(path);
    const enum vks_result result =
        is_picture ? vks_sink_scene(path, text) : vks_read_file(path, MAX_BYTES, text, size);
    if (result == VKS_OK && is_picture) {
        *size = strlen(*text);
    }
    return result;
}

static enum vks_result load(const char *path, json_t **scene)
{
    char *text;
    size_t size = 0;
    json_error_t error;
    const enum vks_result result = read_text(path, &text, &size);
    if (result != VKS_OK) {
        return result;
    }
    *scene = vks_json_load(text, size, JSON_REJECT_DUPLICATES, &error);
    free(text);
    if (!*scene) {
        return vks_fail(VKS_ERROR_USAGE, "'%s' is not a scene file: line %d: %s", path, error.line,
                        error.text);
    }
    if (!json_is_object(*scene)) {
        json_decref(*scene);
        *scene = NULL;
        return vks_fail(VKS_ERROR_USAGE, "'%s' is not a scene file: it must hold one JSON object",
                        path);
    }
    return VKS_OK;
}

/* Warns of a run that had other shaders. */
static enum vks_result check_shaders(const struct vks_cli *cli)
{
    const json_t *changed = json_object_get(cli->scene_object, "changed-shaders");
    const char *first = json_string_value(json_array_get(changed, 0));
    const size_t count = json_array_size(changed);
    if (changed && (!json_is_array(changed) || (count > 0 && !first))) {
        return vks_fail(VKS_ERROR_USAGE, "'%s': \"changed-shaders\" must be a list of names",
                        cli->scene);
    }
    if (count > 0) {
        vks_message(VKS_LOG_WARNING,
                    "'%s' is of a run with changed shaders (%s%s), which this one does not repeat",
                    cli->scene, first, count > 1 ? " and others" : "");
    } else if (changed) {
        vks_message(VKS_LOG_WARNING,
                    "'%s' is of a run with --hot-reload, which may have changed its shaders",
                    cli->scene);
    }
    return VKS_OK;
}

enum vks_result vks_scene_read(struct vks_cli *cli)
{
    enum vks_result result = load(cli->scene, &cli->scene_object);
    if (result == VKS_OK) {
        result = check_shaders(cli);
    }
    if (result != VKS_OK) {
        return result;
    }
    if (json_object_get(cli->scene_object, "frames") &&
        json_object_get(cli->scene_object, "steps")) {
        return vks_fail(VKS_ERROR_USAGE,
                        "'%s' has both \"steps\" and \"frames\"; one of them "
                        "follows from the other",
                        cli->scene);
    }
    const bool by_steps = vks_cli_given(cli, VKS_CLI_ROW(steps)) == VKS_GIVEN ||
                          vks_call_has(cli->call, VKS_COMMON_ROW(steps_per_frame)->name);
    const bool by_time = vks_cli_given(cli, VKS_CLI_ROW(frame_time)) == VKS_GIVEN;
    /* A scene with a collage may also be shown in a window or run without output. */
    const bool written = cli->headless && !vks_outputs_are_none(cli);
    for (size_t i = 0; i < vks_cli_options.count && result == VKS_OK; i++) {
        const struct vks_option *option = &vks_cli_options.options[i];
        const json_t *value = json_object_get(cli->scene_object, option->name);
        const bool is_layered =
            option == VKS_CLI_ROW(preset); /* applied with the simulation's options */
        const bool is_ignored = (option == VKS_CLI_ROW(collage) && !written) ||
                                (option == VKS_CLI_ROW(frame_time) && by_steps) ||
                                (option == VKS_CLI_ROW(steps) && by_time);
        if (value && (option->flags & VKS_OPTION_IN_SCENE) && !is_layered && !is_ignored &&
            !vks_cli_overrides(cli, option)) {
            vks_cli_mark(cli, option, VKS_GIVEN_BY_SCENE);
            result = vks_option_from_json(option, cli, value, cli->scene);
        }
    }
    return result;
}

json_t *vks_scene_peek(const char *path)
{
    json_t *scene = NULL;
    return load(path, &scene) == VKS_OK ? scene : NULL;
}

enum vks_result vks_scene_text(const struct vks_cli *cli, const char *key, const char **text)
{
    const json_t *value = json_object_get(cli->scene_object, key);
    *text = json_string_value(value);
    return !value || *text
               ? VKS_OK
               : vks_fail(VKS_ERROR_USAGE, "'%s': \"%s\" must be a string", cli->scene, key);
}

enum vks_result vks_scene_apply(const struct vks_cli *cli, struct vks_settings *settings)
{
    const char *known[VKS_CLI_ROWS + VKS_COUNT(other_keys) + 1] = {NULL};
    size_t count = 0;
    for (size_t i = 0; i < vks_cli_options.count; i++) {
        if (vks_cli_options.options[i].flags & VKS_OPTION_IN_SCENE) {
            known[count++] = vks_cli_options.options[i].name;
        }
    }
    memcpy(&known[count], other_keys, sizeof(other_keys));
    if (json_object_get(cli->scene_object, "vksim")) { /* written by vksim, with all options */
        const enum vks_result result = vks_settings_stretch_images(settings, cli->scene_object);
        if (result != VKS_OK) {
            return result;
        }
    }
    return vks_settings_from_json(settings, cli->scene_object, known, cli->scene);
}

enum vks_result vks_scene_events(struct vks_cli *cli)
{
    return vks_log_read(json_object_get(cli->scene_object, "events"), cli->scene, &cli->events);
}

bool vks_scene_varies(const struct vks_cli *cli)
{
    return vks_cli_given(cli, VKS_CLI_ROW(vary_across)) == VKS_GIVEN_BY_SCENE ||
           vks_cli_given(cli, VKS_CLI_ROW(vary_down)) == VKS_GIVEN_BY_SCENE ||
           vks_cli_given(cli, VKS_CLI_ROW(grid)) == VKS_GIVEN_BY_SCENE;
}

/* --- writing --------------------------------------------------------------------------------- */

/* Removes options that a varied preset may set: in the scene they would override it. */
static void remove_varied(const struct vks_cli *cli, json_t *scene)
{
    const char *name;
    json_t *value;
    void *next;
    if (!vks_axis_is_preset(&cli->vary.across) && !vks_axis_is_preset(&cli->vary.down)) {
        return;
    }
    json_object_foreach_safe(scene, next, name, value)
    {
        const bool is_kept = strcmp(name, "size") == 0 || strcmp(name, "seed") == 0;
        const bool overrides = vks_call_has(cli->call, name) ||
                               (vks_scene_varies(cli) && json_object_get(cli->scene_object, name));
        if (!is_kept && !overrides) {
            json_object_del(scene, name);
        }
    }
}

/* Adds the tool's options, except the preset, whose options are already there, and those of
 * --frames and --steps which follow from the other or from the end of time. */
static enum vks_result add_own(const struct vks_cli *cli, json_t *scene)
{
    const struct vks_option *follows =
        vks_cli_given(cli, VKS_CLI_ROW(steps)) ? VKS_CLI_ROW(frames) : VKS_CLI_ROW(steps);
    enum vks_result result = VKS_OK;
    for (size_t i = 0; i < vks_cli_options.count && result == VKS_OK; i++) {
        const struct vks_option *option = &vks_cli_options.options[i];
        if ((option->flags & VKS_OPTION_IN_SCENE) && option != VKS_CLI_ROW(preset) &&
            option != follows && !(cli->until_end && option == VKS_CLI_ROW(frames))) {
            result = vks_options_to_json((struct vks_option_table){option, 1}, cli, scene);
        }
    }
    return result;
}

/* Adds the options that have no value, which a preset may have when the scene is read. */
static enum vks_result add_unset(const struct vks_settings *settings, json_t *scene)
{
    const struct vks_option_table tables[] = {settings->model->options, vks_common_options};
    const void *const values[] = {settings->own, &settings->common};
    for (size_t t = 0; t < VKS_COUNT(tables); t++) {
        for (size_t i = 0; i < tables[t].count; i++) {
            const struct vks_option *option = &tables[t].options[i];
            if (!(option->flags & VKS_OPTION_UNSAVED) && !option->same_as &&
                !vks_option_is_set(option, values[t]) &&
                json_object_set_new(scene, option->name, json_null()) != 0) {
                return vks_fail_memory();
            }
        }
    }
    return VKS_OK;
}

/* Adds the shaders that differ from the built-in ones. `before`: the run, which has not begun, may
 * change more of them, so that the list is there even if it is empty. */
static enum vks_result add_shaders(const struct vks_cli *cli, bool before, json_t *scene)
{
    json_t *names = cli->carried  ? json_pack("[s]", "formulas")
                    : cli->reload ? vks_reload_changed(cli->reload, before ? 0 : cli->reload_run)
                                  : NULL;
    if ((!cli->reload && !cli->carried) || (names && json_array_size(names) == 0 && !before)) {
        json_decref(names);
        return VKS_OK;
    }
    return json_object_set_new(scene, "changed-shaders", names) == 0 ? VKS_OK : vks_fail_memory();
}

/* Adds what the run of a fresh start computes. */
static enum vks_result add_settings(const struct vks_cli *cli, json_t *scene)
{
    enum vks_result result = vks_settings_to_json(&cli->settings, scene);
    if (result == VKS_OK) {
        result = add_unset(&cli->settings, scene);
    }
    if (result == VKS_OK) {
        result = vks_formula_embed(cli->settings.model, scene);
    }
    remove_varied(cli, scene);
    return result;
}

enum vks_result vks_scene_make(const struct vks_cli *cli, const struct vks_log *events,
                               json_t **made)
{
    json_t *scene = cli->resumed ? json_deep_copy(cli->scene_object) : json_object();
    *made = scene;
    enum vks_result result = !scene         ? vks_fail_memory()
                             : cli->resumed ? VKS_OK
                                            : add_settings(cli, scene);
    json_object_del(scene, "events");
    for (size_t i = 0; i < vks_cli_options.count; i++) { /* of a resumed run */
        json_object_del(scene, vks_cli_options.options[i].name);
    }
    if (result == VKS_OK) {
        result = add_own(cli, scene);
    }
    if (result == VKS_OK &&
        (json_object_set_new(scene, "simulation", json_string(cli->settings.model->name)) != 0 ||
         json_object_set_new(scene, "vksim", json_string(VKS_VERSION)) != 0 ||
         (events->count > 0 && json_object_set_new(scene, "events", vks_log_json(events)) != 0))) {
        result = vks_fail_memory();
    }
    return result;
}

enum { TEXT_FLAGS = JSON_SORT_KEYS | JSON_ENSURE_ASCII };

/* Sets *text to the scene as a heap string, and releases it. */
static enum vks_result write_scene(json_t *scene, enum vks_result result, size_t flags, char **text)
{
    *text = result == VKS_OK ? vks_json_dump(scene, flags | TEXT_FLAGS) : NULL;
    json_decref(scene);
    if (*text) {
        vks_shorten_reals(*text);
    }
    return result == VKS_OK && !*text ? vks_fail_memory() : result;
}

/* What a file of a scene holds. */
struct page {
    char *text;     /* without the events */
    json_t *events; /* NULL: none */
};

/* Prints the events, one per line, as the last key of the scene. */
static enum vks_result print_page(FILE *out, const void *user)
{
    const struct page *page = user;
    const size_t count = json_array_size(page->events);
    const char *between = ",\n  \"events\": [\n    ";
    fprintf(out, "%.*s", (int)(strlen(page->text) - strlen("\n}")), page->text);
    for (size_t i = 0; i < count; i++, between = ",\n    ") {
        char *event = vks_json_dump(json_array_get(page->events, i), TEXT_FLAGS);
        if (!event) {
            return vks_fail_memory();
        }
        vks_shorten_reals(event);
        fprintf(out, "%s%s", between, event);
        free(event);
    }
    fputs(count > 0 ? "\n  ]\n}" : "\n}", out);
    return VKS_OK;
}

/* Writes the scene, which it releases, to a file. */
static enum vks_result save(json_t *scene, enum vks_result result, const char *path)
{
    struct page page = {.events = json_incref(json_object_get(scene, "events"))};
    json_object_del(scene, "events");
    result = write_scene(scene, result, JSON_INDENT(2), &page.text);
    if (result == VKS_OK) {
        result = vks_print_file(path, true, print_page, &page);
    }
    json_decref(page.events);
    free(page.text);
    return result;
}

enum vks_result vks_scene_key(const struct vks_cli *cli, char key[33])
{
    json_t *scene;
    char *text;
    enum vks_result result = vks_scene_make(cli, &cli->events, &scene);
    result = write_scene(scene, result, JSON_COMPACT, &text);
    if (result == VKS_OK) {
        vks_digest_of(text, strlen(text), key);
    }
    free(text);
    return result;
}

enum vks_result vks_scene_save(const struct vks_cli *cli)
{
    json_t *scene;
    const enum vks_result result = vks_scene_make(cli, &cli->events, &scene);
    return save(scene, result, cli->save_scene);
}

enum vks_result vks_scene_record(const struct vks_cli *cli, const struct vks_log *events,
                                 uint64_t steps)
{
    json_t *scene;
    enum vks_result result = vks_scene_make(cli, events, &scene);
    if (result == VKS_OK) {
        result = add_shaders(cli, false, scene);
    }
    if (result == VKS_OK && !cli->by_time) { /* as long as it was */
        json_object_del(scene, "frames");
        if (json_object_set_new(scene, "steps", json_integer((json_int_t)steps)) != 0) {
            result = vks_fail_memory();
        }
    }
    return save(scene, result, cli->record_events);
}

enum vks_result vks_scene_origin(const struct vks_cli *cli, const struct vks_log *events,
                                 bool collage, char **text)
{
    json_t *scene;
    enum vks_result result = vks_scene_make(cli, events, &scene);
    if (result == VKS_OK) {
        json_object_del(scene, "steps");
        json_object_del(scene, "frames");
        result = add_shaders(cli, cli->headless, scene);
    }
    if (result == VKS_OK && !collage) {
        json_object_del(scene, "collage");
    }
    return write_scene(scene, result, JSON_COMPACT, text);
}

/* SPDX-License-Identifier: MIT */
#include "runs/presets.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "formula/formula.h"
#include "sim/registry.h"

enum { MAX_BYTES = 1 << 20 }; /* of a file */

static const char end[] = ".json";

/* --- files ----------------------------------------------------------------------------------- */

/* The folder, a heap string. */
static enum vks_result find_folder(char **folder)
{
    char *configuration = NULL;
    const enum vks_result result = vks_user_folder("XDG_CONFIG_HOME", ".config", &configuration);
    *folder = result == VKS_OK ? vks_format("%s/vksim/presets", configuration) : NULL;
    free(configuration);
    return result == VKS_OK && !*folder ? vks_fail_memory() : result;
}

/* The names that files get: they are fit for any disk, lists of --vary and command lines. */
static bool is_name(const char *name)
{
    const size_t length = strlen(name);
    bool good = length > 0 && length < VKS_PRESET_NAME_SIZE && isalnum((unsigned char)name[0]) &&
                name[length - 1] != ' ';
    for (const char *at = name; *at; at++) {
        good = good && (isalnum((unsigned char)*at) || strchr(" -_.", *at));
    }
    return good;
}

/* The path of a preset, a heap string. */
static enum vks_result find_path(const char *name, char **path)
{
    char *folder = NULL;
    const enum vks_result result = find_folder(&folder);
    *path = result == VKS_OK ? vks_format("%s/%s%s", folder, name, end) : NULL;
    free(folder);
    return result == VKS_OK && !*path ? vks_fail_memory() : result;
}

/* *scene: a new reference to an object with the name of a simulation. */
static enum vks_result read_scene(const char *path, json_t **scene)
{
    char *text = NULL;
    size_t size;
    json_error_t error = {.line = 1, .text = "not a preset"};
    const enum vks_result result = vks_read_regular_file(path, MAX_BYTES, &text, &size);
    if (result != VKS_OK) {
        return result;
    }
    *scene = vks_json_load(text, size, JSON_REJECT_DUPLICATES, &error);
    free(text);
    if (!json_is_string(json_object_get(*scene, "simulation"))) {
        const bool parsed = *scene != NULL;
        json_decref(*scene);
        *scene = NULL;
        return vks_fail(VKS_ERROR_FILE, "'%s' is not a preset: %s", path,
                        parsed ? "it names no \"simulation\"" : error.text);
    }
    return VKS_OK;
}

static bool is_of(const json_t *scene, const struct vks_model *model)
{
    return strcmp(json_string_value(json_object_get(scene, "simulation")), model->name) == 0;
}

static bool is_built_in(const struct vks_model *model, const char *name)
{
    const struct vks_preset *preset = vks_model_presets(model);
    while (preset->name && strcmp(preset->name, name) != 0) {
        preset++;
    }
    return preset->name != NULL;
}

/* The preset of a name that is not built in. *found: there is such a file. Free its path and its
 * scene. */
static enum vks_result load(const char *name, struct vks_own_preset *preset, bool *found)
{
    *found = false;
    *preset = (struct vks_own_preset){.path = NULL};
    if (!is_name(name)) {
        return VKS_OK;
    }
    const enum vks_result result = find_path(name, &preset->path);
    if (result == VKS_ERROR_FILE) { /* no home, no presets */
        return VKS_OK;
    }
    strcpy(preset->name, name);
    *found = result == VKS_OK && access(preset->path, F_OK) == 0;
    return *found ? read_scene(preset->path, &preset->scene) : result;
}

static void free_preset(struct vks_own_preset *preset)
{
    free(preset->path);
    json_decref(preset->scene);
    *preset = (struct vks_own_preset){.path = NULL};
}

/* --- lists ----------------------------------------------------------------------------------- */

/* Adds a file if it is a preset of the model. */
static enum vks_result add(struct vks_own_presets *presets, const struct vks_model *model,
                           const char *file)
{
    struct vks_own_preset preset;
    const size_t length = strlen(file);
    bool found = false;
    if (!vks_has_extension(file, end) || presets->count == VKS_MAX_OWN_PRESETS) {
        return VKS_OK;
    }
    char *name = vks_format("%.*s", (int)(length - strlen(end)), file);
    enum vks_result result = name ? load(name, &preset, &found) : vks_fail_memory();
    free(name);
    if (result == VKS_OK && found && is_of(preset.scene, model) &&
        !is_built_in(model, preset.name)) {
        presets->items[presets->count++] = preset;
        return VKS_OK;
    }
    if (result == VKS_ERROR_FILE) {
        vks_message(VKS_LOG_WARNING, "%s", vks_error_text());
        result = VKS_OK;
    }
    free_preset(&preset);
    return result;
}

static int by_name(const void *a, const void *b)
{
    const struct vks_own_preset *left = a, *right = b;
    return strcmp(left->name, right->name);
}

enum vks_result vks_own_presets_list(struct vks_own_presets *presets, const struct vks_model *model)
{
    char *folder = NULL;
    enum vks_result result = find_folder(&folder);
    vks_own_presets_free(presets);
    DIR *files = result == VKS_OK ? opendir(folder) : NULL;
    const struct dirent *entry;
    while (files && result == VKS_OK && (entry = readdir(files))) {
        result = add(presets, model, entry->d_name);
    }
    if (files) {
        closedir(files);
    }
    presets->version++;
    qsort(presets->items, presets->count, sizeof(presets->items[0]), by_name);
    free(folder);
    return result == VKS_ERROR_FILE ? VKS_OK : result; /* no home, no presets */
}

void vks_own_presets_free(struct vks_own_presets *presets)
{
    while (presets->count > 0) {
        free_preset(&presets->items[--presets->count]);
    }
}

const struct vks_own_preset *vks_own_preset_find(const struct vks_own_presets *presets,
                                                 const char *name)
{
    for (size_t i = 0; i < presets->count; i++) {
        if (strcmp(presets->items[i].name, name) == 0) {
            return &presets->items[i];
        }
    }
    return NULL;
}

/* --- settings -------------------------------------------------------------------------------- */

enum vks_result vks_own_preset_apply(const struct vks_own_preset *preset,
                                     struct vks_settings *settings)
{
    static const char *const known[] = {"simulation", "vksim",  "formula",
                                        "shaders",    "plugin", NULL};
    enum vks_result result = vks_settings_clear(settings);
    if (result == VKS_OK) {
        result = vks_settings_from_json(settings, preset->scene, known, preset->path);
    }
    settings->preset_view = true;
    return result;
}

enum vks_result vks_preset_apply(struct vks_settings *settings, const char *name)
{
    struct vks_own_preset preset;
    bool found = false;
    if (is_built_in(settings->model, name)) {
        return vks_settings_preset(settings, name);
    }
    enum vks_result result = load(name, &preset, &found);
    if (result == VKS_OK && !found) {
        result = vks_settings_preset(settings, name); /* says that there is none */
    } else if (result == VKS_OK && !is_of(preset.scene, settings->model)) {
        const char *model = json_string_value(json_object_get(preset.scene, "simulation"));
        result = vks_fail(VKS_ERROR_USAGE, "the preset '%s' is of %s, not of %s", name, model,
                          settings->model->name);
    } else if (result == VKS_OK) {
        result = vks_own_preset_apply(&preset, settings);
    }
    free_preset(&preset);
    return result;
}

enum vks_result vks_own_preset_formula(const char *name, const struct vks_model **model)
{
    struct vks_own_preset preset;
    bool found = false;
    *model = NULL;
    const bool read = load(name, &preset, &found) == VKS_OK && found;
    const enum vks_result result =
        read ? vks_formula_take(preset.scene, preset.path, model) : VKS_OK;
    free_preset(&preset);
    return result;
}

const struct vks_model *vks_own_preset_model(const char *name)
{
    struct vks_own_preset preset;
    const struct vks_model *model = NULL;
    bool found = false;
    if (load(name, &preset, &found) == VKS_OK && found) {
        for (size_t i = 0; !model && vks_model_at(i); i++) {
            model = is_of(preset.scene, vks_model_at(i)) ? vks_model_at(i) : NULL;
        }
    }
    free_preset(&preset);
    return model;
}

bool vks_preset_exists(const struct vks_model *model, const char *name)
{
    return is_built_in(model, name) || vks_own_preset_model(name) == model;
}

/* --- saving ---------------------------------------------------------------------------------- */

/* Whether presets of the model say how large it is. */
static bool sets_size(const struct vks_model *model)
{
    const struct vks_preset *preset = vks_model_presets(model);
    bool found = false;
    for (; preset->name; preset++) {
        const char *options = preset->options ? preset->options : "";
        found = found || strncmp(options, "size=", 5) == 0 || strstr(options, " size=");
    }
    return found;
}

/* The preset as text, a heap string. */
static enum vks_result describe(const struct vks_settings *settings, char **text)
{
    json_t *scene = json_object();
    enum vks_result result = scene ? vks_settings_to_json(settings, scene) : vks_fail_memory();
    json_object_del(scene, VKS_COMMON_ROW(seed)->name);
    if (!sets_size(settings->model)) {
        json_object_del(scene, VKS_COMMON_ROW(size)->name);
    }
    if (result == VKS_OK &&
        (json_object_set_new(scene, "simulation", json_string(settings->model->name)) != 0 ||
         json_object_set_new(scene, "vksim", json_string(VKS_VERSION)) != 0)) {
        result = vks_fail_memory();
    }
    if (result == VKS_OK) {
        result = vks_formula_embed(settings->model, scene);
    }
    char *dump = result == VKS_OK ? vks_json_dump(scene, JSON_INDENT(2) | JSON_SORT_KEYS) : NULL;
    json_decref(scene);
    if (dump) {
        vks_shorten_reals(dump);
    }
    *text = dump ? vks_format("%s\n", dump) : NULL;
    free(dump);
    return result == VKS_OK && !*text ? vks_fail_memory() : result;
}

enum vks_result vks_own_preset_save(const struct vks_settings *settings, const char *name,
                                    bool replace)
{
    char *folder = NULL, *path = NULL, *text = NULL;
    if (!is_name(name)) {
        return vks_fail(VKS_ERROR_USAGE,
                        "'%s' cannot be the name of a preset, which has up to %d letters, digits, "
                        "spaces, dots and dashes and begins with a letter or digit",
                        name, VKS_PRESET_NAME_SIZE - 1);
    }
    enum vks_result result = find_folder(&folder);
    const int error = result == VKS_OK ? vks_make_folders(folder) : 0;
    if (error) {
        result = vks_fail_write(folder, error);
    }
    if (result == VKS_OK) {
        result = find_path(name, &path);
    }
    const bool taken = result == VKS_OK && !replace && access(path, F_OK) == 0;
    if (result == VKS_OK && (is_built_in(settings->model, name) || taken)) {
        result = vks_fail(VKS_ERROR_EXISTS, "there is a preset '%s' already", name);
    }
    if (result == VKS_OK) {
        result = describe(settings, &text);
    }
    if (result == VKS_OK) {
        result = vks_write_file(path, replace, text, strlen(text));
    }
    free(text);
    free(path);
    free(folder);
    return result;
}

/* SPDX-License-Identifier: MIT */
/* What the models are and have, as data. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <vksim/vksim.h>

#include "api/model_check.h"
#include "api/settings.h"
#include "api/simulation.h"
#include "api/sized.h"
#include "base/error.h"
#include "base/file.h"
#include "formula/find.h"
#include "formula/formula.h"
#include "formula/plugin.h"
#include "graph/agree.h"
#include "sim/registry.h"
#include "view/colormap.h"

const char *vks_model_name(size_t index)
{
    const struct vks_model *model = vks_model_at(index);
    return model ? model->name : NULL;
}

const char *vks_model_summary(const char *name)
{
    const struct vks_model *model = vks_model_find(name);
    return model ? model->summary : NULL;
}

const char *vks_model_preset(const char *name, size_t index, const char **summary)
{
    const struct vks_model *model = vks_model_find(name);
    const struct vks_preset *presets = model ? vks_model_presets(model) : NULL;
    for (size_t i = 0; presets && presets[i].name; i++) {
        if (i == index) {
            if (summary) {
                *summary = presets[i].summary;
            }
            return presets[i].name;
        }
    }
    return NULL;
}

const char *vks_model_view(const char *name, size_t index, const char **help)
{
    const struct vks_model *model = vks_model_find(name);
    for (size_t i = 0; model && model->views[i].name; i++) {
        if (i == index) {
            if (help) {
                *help = model->views[i].help;
            }
            return model->views[i].name;
        }
    }
    return NULL;
}

const char *vks_model_init(const char *name, size_t index)
{
    const struct vks_model *model = vks_model_find(name);
    const char *const *starts = model ? vks_model_starts(model) : NULL;
    for (size_t i = 0; starts && starts[i]; i++) {
        if (i == index) {
            return starts[i];
        }
    }
    return NULL;
}

const char *vks_colormap_name(size_t index)
{
    for (size_t i = 0; vks_colormap_names[i]; i++) {
        if (i == index) {
            return vks_colormap_names[i];
        }
    }
    return NULL;
}

bool vks_model_option(const char *name, size_t index, struct vks_option_info *info)
{
    const struct vks_model *model = info ? vks_model_find(name) : NULL;
    if (!model) {
        return false;
    }
    struct vks_option_table table = model->options;
    if (index >= table.count) {
        index -= table.count;
        table = vks_common_options;
    }
    if (index >= table.count) {
        return false;
    }
    const struct vks_option *option = &table.options[index];
    double low, high;
    vks_option_soft_range(option, &low, &high);
    const struct vks_option_info known = {
        .name = option->name,
        .help = option->help,
        .unit = option->unit ? option->unit : "",
        .default_text = option->default_text,
        .same_as = option->same_as,
        .choices = option->choices,
        .min = option->min,
        .max = option->max,
        .type = option->type,
        .change = option->change,
        .heading = vks_option_heading(table, option),
        .soft_min = low,
        .soft_max = high,
        .logarithmic = option->logarithmic,
    };
    return vks_give_sized(info, &known, sizeof(known)) == VKS_OK;
}

/* --- models from files -----------------------------------------------------------------------  */

/* Whether passes and shaders agree, so that a mistake is one of the model's file. */
static enum vks_result check_passes(const struct vks_declaration *declaration)
{
    enum vks_result result = declaration->result;
    for (size_t i = 0; i < declaration->pass_count && result == VKS_OK; i++) {
        const struct vks_pass *pass = &declaration->passes[i];
        const struct vks_shader *shader = vks_shader_find(pass->shader);
        result = shader ? vks_check_agreement(declaration, pass, shader)
                        : vks_fail(VKS_ERROR_USAGE, "pass '%s': there is no shader '%s'",
                                   pass->name, pass->shader);
    }
    return result;
}

static enum vks_result check_declaration(const struct vks_settings *settings)
{
    struct vks_declaration steps = {0}, picture = {0};
    vks_declare_steps(settings, &steps);
    enum vks_result result = check_passes(&steps);
    if (result == VKS_OK) {
        vks_declare_picture(settings, 0, NULL, &steps, &picture);
        result = check_passes(&picture);
    }
    vks_declaration_free(&picture);
    vks_declaration_free(&steps);
    return result;
}

/* Checks the values that presets set and, unless shaders are generated, what the first declares. */
static enum vks_result check_presets(const struct vks_model *model)
{
    enum vks_result result = VKS_OK;
    for (const struct vks_preset *preset = vks_model_presets(model);
         preset->name && result == VKS_OK; preset++) {
        struct vks_settings settings = {0};
        result = vks_settings_init(&settings, model);
        if (result == VKS_OK) {
            result = vks_settings_preset(&settings, preset->name);
        }
        if (result == VKS_OK && preset == vks_model_presets(model) && !vks_is_formula(model)) {
            result = vks_settings_finish(&settings);
            result = result == VKS_OK ? check_declaration(&settings) : result;
        }
        vks_settings_free(&settings);
    }
    return result;
}

enum vks_result vks_model_admit(const struct vks_model **model)
{
    const struct vks_model *new = *model;
    for (size_t i = 0; vks_model_at(i); i++) {
        if (vks_formula_equal(vks_model_at(i), new)) {
            *model = vks_model_at(i);
            vks_formula_free(new);
            return VKS_OK;
        }
    }
    enum vks_result result = check_presets(new);
    if (result == VKS_OK) {
        result = vks_model_register(new);
    }
    if (result == VKS_OK) {
        return VKS_OK;
    }
    vks_formula_free(new);
    return result == VKS_ERROR_INTERNAL ? vks_fail(VKS_ERROR_USAGE, "%s", vks_error_text())
                                        : result;
}

/* Whether the model may take the place of the old one. */
static enum vks_result check_renewed(const struct vks_model *old, const struct vks_model *new)
{
    enum vks_result result =
        strcmp(old->name, new->name) == 0
            ? check_presets(new)
            : vks_fail(VKS_ERROR_USAGE, "its name is '%s' now; start vksim again", new->name);
    return result == VKS_OK
               ? VKS_OK
               : vks_fail(result, "'%s': %s", vks_formula_file(new, 0), vks_error_text());
}

enum vks_result vks_model_renew(const struct vks_model *old, const struct vks_model **model)
{
    const struct vks_model *new = NULL;
    enum vks_result result = vks_formula_load(vks_formula_file(old, 0), &new);
    *model = old;
    if (result != VKS_OK) {
        return result;
    }
    const bool same = vks_formula_equal(old, new);
    result = same ? VKS_OK : check_renewed(old, new);
    if (same || result != VKS_OK) {
        vks_formula_free(new);
        return result;
    }
    vks_formula_succeed(new, old);
    vks_model_replace(old, new);
    *model = new;
    return VKS_OK;
}

/* --- plug-ins --------------------------------------------------------------------------------- */

static enum vks_result register_models(struct vks_loaded_plugin *plugin)
{
    const struct vks_model *const *models = plugin->models;
    enum vks_result result = VKS_OK;
    size_t done = 0;
    while (result == VKS_OK && models[done]) {
        result = vks_model_check(models[done], (struct vks_option_table){0});
        if (result == VKS_OK) {
            result = check_presets(models[done]);
        }
        if (result == VKS_OK) {
            result = vks_model_register(models[done]);
            done += result == VKS_OK;
        }
    }
    plugin->registered = result == VKS_OK;
    while (result != VKS_OK && done > 0) {
        vks_model_forget(models[--done]);
    }
    return result;
}

static enum vks_result admit_plugin(const char *path, const struct vks_model **model)
{
    struct vks_loaded_plugin *plugin;
    enum vks_result result = vks_plugin_load(path, &plugin);
    if (result != VKS_OK) {
        return result;
    }
    if (!plugin->registered) {
        result = register_models(plugin);
    }
    if (result != VKS_OK) {
        struct vks_error error;
        vks_error_keep(result, &error); /* texts of the plug-in go with it */
        vks_plugin_unload(plugin);
        return vks_fail(result == VKS_ERROR_INTERNAL ? VKS_ERROR_USAGE : result, "'%s': %s", path,
                        error.text);
    }
    *model = plugin->models[0];
    return VKS_OK;
}

enum vks_result vks_plugin_admit(const char *path, const struct vks_model **model)
{
    static pthread_mutex_t admitting = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&admitting);
    const enum vks_result result = admit_plugin(path, model);
    pthread_mutex_unlock(&admitting);
    return result;
}

/* --- both ------------------------------------------------------------------------------------- */

/* Adds the model of the text, or of the file if that is NULL. */
static enum vks_result add(const char *text, const char *path, const char **name)
{
    const struct vks_model *model = NULL;
    enum vks_result result =
        text ? vks_formula_parse(text, strlen(text), path, &model) : vks_formula_load(path, &model);
    if (result == VKS_OK) {
        result = vks_model_admit(&model);
        result = result == VKS_OK ? result : vks_fail(result, "'%s': %s", path, vks_error_text());
    }
    *name = result == VKS_OK ? model->name : NULL;
    return result;
}

static enum vks_result load(const char *path, const char **name)
{
    const struct vks_model *model = NULL;
    if (!vks_has_extension(path, ".so")) {
        return add(NULL, path, name);
    }
    const enum vks_result result = vks_plugin_admit(path, &model);
    *name = model ? model->name : NULL;
    return result;
}

enum vks_result vks_model_load(const char *word, const char **name)
{
    if (!word || !name) {
        return vks_fail_null(__func__);
    }
    const struct vks_model *known = vks_model_known(word);
    if (known) {
        *name = known->name;
        return VKS_OK;
    }
    char *found = vks_find_model_file(word);
    const bool is_path = found || strpbrk(word, "./");
    *name = NULL;
    const enum vks_result result = is_path                ? load(found ? found : word, name)
                                   : vks_model_find(word) ? VKS_OK
                                                          : VKS_ERROR_USAGE;
    free(found);
    return result;
}

enum vks_result vks_model_parse(const char *text, const char **name)
{
    return text && name ? add(text, "formula", name) : vks_fail_null(__func__);
}

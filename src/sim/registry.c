/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "base/option.h"
#include "graph/model.h"
#include "sim/registry.h"

#define VKS_MODEL(name) extern const struct vks_model vks_model_##name;
#include "sim/registry.def"
#undef VKS_MODEL

static const struct vks_model *const models[] = {
#define VKS_MODEL(name) &vks_model_##name,
#include "sim/registry.def"
#undef VKS_MODEL
};

enum { REGISTERED = 64 };
static const struct vks_model *registered[REGISTERED];
static _Atomic size_t registered_count; /* grows after the entry is there */
static pthread_mutex_t registering = PTHREAD_MUTEX_INITIALIZER;

const struct vks_model *vks_model_at(size_t index)
{
    if (index < VKS_COUNT(models)) {
        return models[index];
    }
    index -= VKS_COUNT(models);
    return index < registered_count ? registered[index] : NULL;
}

const struct vks_model *vks_model_known(const char *name)
{
    size_t i = 0;
    while (vks_model_at(i) && strcmp(vks_model_at(i)->name, name) != 0) {
        i++;
    }
    return vks_model_at(i);
}

static enum vks_result add(const struct vks_model *model)
{
    if (vks_model_known(model->name)) {
        return vks_fail(VKS_ERROR_USAGE, "there is a simulation '%s' already", model->name);
    }
    if (registered_count == REGISTERED) {
        return vks_fail(VKS_ERROR_USAGE, "there are more than %d simulations from files",
                        REGISTERED);
    }
    registered[registered_count] = model;
    registered_count++;
    return VKS_OK;
}

enum vks_result vks_model_register(const struct vks_model *model)
{
    pthread_mutex_lock(&registering);
    const enum vks_result result = add(model);
    pthread_mutex_unlock(&registering);
    return result;
}

void vks_model_replace(const struct vks_model *before, const struct vks_model *model)
{
    pthread_mutex_lock(&registering);
    for (size_t i = 0; i < registered_count; i++) {
        registered[i] = registered[i] == before ? model : registered[i];
    }
    pthread_mutex_unlock(&registering);
}

void vks_model_forget(const struct vks_model *model)
{
    if (registered_count > 0 && registered[registered_count - 1] == model) {
        registered_count--;
    }
}

const struct vks_model *vks_model_find(const char *name)
{
    const char *names[VKS_COUNT(models) + REGISTERED + 1] = {NULL};
    name = name ? name : "";
    const struct vks_model *known = vks_model_known(name);
    if (known) {
        return known;
    }
    for (size_t i = 0; vks_model_at(i); i++) {
        names[i] = vks_model_at(i)->name;
    }
    char list[512], near[128];
    vks_fail(VKS_ERROR_USAGE, "there is no simulation '%s'%s; there are: %s", name,
             vks_did_you_mean(name, names, near, sizeof(near)),
             vks_join(names, list, sizeof(list)));
    return NULL;
}

const struct vks_preset *vks_model_presets(const struct vks_model *model)
{
    static const struct vks_preset only[] = {
        {"default", "every option at its default", ""},
        {NULL, NULL, NULL},
    };
    return model->presets ? model->presets : only;
}

const char *const *vks_model_starts(const struct vks_model *model)
{
    static const char *const only[] = {"default", NULL};
    return model->starts ? model->starts : only;
}

/* Lists the simulations for which `has` is true. */
static const char *join_owners(bool (*has)(const struct vks_model *model, const char *name),
                               const char *name, char *buffer, size_t size)
{
    const char *owners[16] = {NULL};
    size_t count = 0;
    for (size_t i = 0; vks_model_at(i) && count + 1 < VKS_COUNT(owners); i++) {
        if (has(vks_model_at(i), name)) {
            owners[count++] = vks_model_at(i)->name;
        }
    }
    return vks_join(owners, buffer, size);
}

static bool has_preset(const struct vks_model *model, const char *name)
{
    const struct vks_preset *preset = vks_model_presets(model);
    while (preset->name && strcmp(preset->name, name) != 0) {
        preset++;
    }
    return preset->name != NULL;
}

static bool has_option(const struct vks_model *model, const char *name)
{
    return vks_option_find(model->options, name) != NULL;
}

static bool has_view(const struct vks_model *model, const char *name)
{
    const struct vks_view *view = model->views;
    while (view->name && strcmp(view->name, name) != 0) {
        view++;
    }
    return view->name != NULL;
}

const char *vks_preset_owners(const char *name, char *buffer, size_t size)
{
    return join_owners(has_preset, name, buffer, size);
}

const char *vks_option_owners(const char *name, char *buffer, size_t size)
{
    return join_owners(has_option, name, buffer, size);
}

const struct vks_preset *vks_preset_find(const struct vks_model *model, const char *name)
{
    const struct vks_preset *presets = vks_model_presets(model);
    const char *names[128] = {NULL};
    for (size_t i = 0; presets[i].name; i++) {
        if (strcmp(presets[i].name, name) == 0) {
            return &presets[i];
        }
        if (i + 1 < VKS_COUNT(names)) {
            names[i] = presets[i].name;
        }
    }
    const char *near[4] = {NULL};
    char list[256], owners[256];
    if (vks_preset_owners(name, owners, sizeof(owners))[0]) {
        vks_fail(VKS_ERROR_USAGE,
                 "%s has no preset '%s', which belongs to %s: vksim %.*s --preset %s", model->name,
                 name, owners, (int)strcspn(owners, ","), owners, name);
    } else {
        vks_nearest_few(name, names, near, VKS_COUNT(near) - 1);
        vks_fail(VKS_ERROR_USAGE, "%s has no preset '%s'; the nearest are %s; --list has all",
                 model->name, name, vks_join(near, list, sizeof(list)));
    }
    return NULL;
}

const struct vks_view *vks_view_find(const struct vks_model *model, const char *name)
{
    const char *names[VKS_MAX_VIEWS + 1] = {NULL};
    for (size_t i = 0; model->views[i].name; i++) {
        if (!name || strcmp(model->views[i].name, name) == 0) {
            return &model->views[i];
        }
        names[i] = model->views[i].name;
    }
    char list[512], near[128], owners[256] = "";
    join_owners(has_view, name, owners, sizeof(owners));
    vks_join(names, list, sizeof(list));
    if (owners[0]) {
        vks_fail_option(VKS_ERROR_USAGE, "view", "'%s' is a view of %s; those of %s are: %s", name,
                        owners, model->name, list);
    } else {
        vks_fail_option(VKS_ERROR_USAGE, "view", "'%s' is not a view of %s, whose views are: %s%s",
                        name, model->name, list, vks_did_you_mean(name, names, near, sizeof(near)));
    }
    return NULL;
}

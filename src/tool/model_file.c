/* SPDX-License-Identifier: MIT */
#include "tool/model_file.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "api/state.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "formula/find.h"
#include "formula/formula.h"
#include "runs/presets.h"
#include "sim/registry.h"
#include "tool/cli.h"
#include "tool/resume.h"

/* The path of the file of a simulation that a scene or a state names, to be freed; NULL if it is
 * known, or is not found by its name. */
static char *find_named(const json_t *object)
{
    const char *name = json_string_value(json_object_get(object, "simulation"));
    const bool is_name =
        name && name[0] && !name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-")];
    return is_name && !vks_model_known(name) ? vks_search_model(name) : NULL;
}

static enum vks_result take(const json_t *object, const char *path, struct vks_held_model *held)
{
    const enum vks_result result = vks_formula_take(object, path, &held->formula);
    held->path = result == VKS_OK && !held->formula ? find_named(object) : NULL;
    return result;
}

static enum vks_result take_from_state(const char *path, struct vks_held_model *held)
{
    struct vks_state_file file;
    enum vks_result result = VKS_OK;
    if (vks_state_file_open(&file, path, NULL) == VKS_OK) {
        result = take(file.header, path, held);
    }
    vks_state_file_close(&file);
    return result;
}

enum vks_result vks_find_held_model(const char *option, const char *file,
                                    struct vks_held_model *held)
{
    struct stat info;
    struct vks_error before;
    enum vks_result result = VKS_OK;
    const bool is_regular = stat(file, &info) == 0 && S_ISREG(info.st_mode);
    *held = (struct vks_held_model){0};
    vks_error_keep(VKS_OK, &before);
    if (strcmp(option, "preset") == 0) {
        result = vks_own_preset_formula(file, &held->formula);
    } else if (strcmp(option, "scene") == 0 && is_regular) {
        json_t *scene = vks_scene_peek(file);
        result = take(scene, file, held);
        json_decref(scene);
    } else if (strcmp(option, "load-state") == 0 && is_regular) {
        result = take_from_state(file, held);
    } else if (strcmp(option, "resume") == 0 || strcmp(option, "resume-or-start") == 0) {
        char *newest = vks_checkpoint_newest(file);
        result = newest ? take_from_state(newest, held) : VKS_OK;
        free(newest);
    }
    return result == VKS_OK ? vks_fail_again(&before) : result;
}

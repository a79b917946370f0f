/* SPDX-License-Identifier: MIT */
#include "tool/model_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/state.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "formula/formula.h"
#include "runs/presets.h"
#include "tool/cli.h"

/* The path, to be freed, if there is such a file; NULL: there is none. Takes over the text. */
static char *if_exists(char *path)
{
    if (path && access(path, F_OK) != 0) {
        free(path);
        path = NULL;
    }
    return path;
}

/* The path of NAME.json or NAME/model.json in a folder, to be freed, if there is such a file; NULL:
 * there is none, or memory ran out. */
static char *file_in(const char *folder, size_t length, const char *name)
{
    char *path = if_exists(vks_format("%.*s/%s.json", (int)length, folder, name));
    return path ? path : if_exists(vks_format("%.*s/%s/model.json", (int)length, folder, name));
}

/* Looks in the folders of VKSIM_MODEL_PATH, which are separated by colons, then in the user's. */
static char *search(const char *name)
{
    const char *folders = vks_environment("VKSIM_MODEL_PATH"),
               *data = vks_environment("XDG_DATA_HOME");
    const char *home = vks_environment("HOME");
    char *path = NULL;
    for (const char *at = folders; at && *at && !path;) {
        const size_t length = strcspn(at, ":");
        path = length > 0 ? file_in(at, length, name) : NULL;
        at += length + (at[length] == ':');
    }
    const bool has_data = data && data[0] == '/';
    const char *base = has_data ? data : home && home[0] == '/' ? home : NULL;
    char *own = base && !path
                    ? vks_format("%s%s/vksim/models", base, has_data ? "" : "/.local/share")
                    : NULL;
    if (own) {
        path = file_in(own, strlen(own), name);
    }
    free(own);
    return path;
}

enum vks_result vks_load_model_file(const char *word, const struct vks_model **model)
{
    char *path = vks_has_extension(word, ".json") ? vks_strdup(word)
                                                  : if_exists(vks_format("%s/model.json", word));
    path = path || strchr(word, '/') ? path : search(word);
    *model = NULL;
    if (!path) {
        return VKS_OK;
    }
    const enum vks_result result = vks_formula_load(path, model);
    free(path);
    return result;
}

static enum vks_result take_from_state(const char *path, const struct vks_model **model)
{
    struct vks_state_file file;
    enum vks_result result = VKS_OK;
    if (vks_state_file_open(&file, path, NULL) == VKS_OK) {
        result = vks_formula_take(file.header, path, model);
    }
    vks_state_file_close(&file);
    return result;
}

enum vks_result vks_load_held_model(const char *option, const char *file,
                                    const struct vks_model **model)
{
    struct stat info;
    struct vks_error before;
    enum vks_result result = VKS_OK;
    const bool is_regular = stat(file, &info) == 0 && S_ISREG(info.st_mode);
    *model = NULL;
    vks_error_keep(VKS_OK, &before);
    if (strcmp(option, "preset") == 0) {
        result = vks_own_preset_formula(file, model);
    } else if (strcmp(option, "scene") == 0 && is_regular) {
        result = vks_scene_formula(file, model);
    } else if (strcmp(option, "load-state") == 0 && is_regular) {
        result = take_from_state(file, model);
    }
    return result == VKS_OK ? vks_fail_again(&before) : result;
}

/* SPDX-License-Identifier: MIT */
#include "tool/model_file.h"

#include <dirent.h>
#include <jansson.h>
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
#include "sim/registry.h"
#include "tool/cli.h"
#include "tool/resume.h"

/* The path, to be freed, if there is such a file; NULL: there is none. Takes over the text. */
static char *if_exists(char *path)
{
    if (path && access(path, F_OK) != 0) {
        free(path);
        path = NULL;
    }
    return path;
}

/* The path of NAME.json, NAME/model.json or libNAME.so in a folder, to be freed, if there is such a
 * file; NULL: there is none, or memory ran out. */
static char *file_in(const char *folder, size_t length, const void *user)
{
    const char *name = user;
    char *path = if_exists(vks_format("%.*s/%s.json", (int)length, folder, name));
    path = path ? path : if_exists(vks_format("%.*s/%s/model.json", (int)length, folder, name));
    return path ? path : if_exists(vks_format("%.*s/lib%s.so", (int)length, folder, name));
}

/* The folder of the models that come with the program, to be freed: that of an installation, or the
 * source's if the program is in a folder of it. NULL: there is none. */
static char *program_models(void)
{
    static const char *const places[] = {VKS_MODELS_FOLDER, "../models"};
    char *program = realpath("/proc/self/exe", NULL);
    char *folder = program ? vks_folder_of(program) : NULL, *found = NULL;
    for (size_t i = 0; i < VKS_COUNT(places) && folder && !found; i++) {
        found = if_exists(places[i][0] == '/' ? vks_strdup(places[i])
                                              : vks_format("%s/%s", folder, places[i]));
    }
    free(folder);
    free(program);
    return found;
}

/* Calls look(folder, length, user) for the folders of VKSIM_MODEL_PATH, which are separated by
 * colons, the user's and the program's, until one returns other than NULL: that. */
static char *in_folders(char *(*look)(const char *folder, size_t length, const void *user),
                        const void *user)
{
    const char *folders = vks_environment("VKSIM_MODEL_PATH"),
               *data = vks_environment("XDG_DATA_HOME");
    const char *home = vks_environment("HOME");
    char *found = NULL;
    for (const char *at = folders; at && *at && !found;) {
        const size_t length = strcspn(at, ":");
        found = length > 0 ? look(at, length, user) : NULL;
        at += length + (at[length] == ':');
    }
    const bool has_data = data && data[0] == '/';
    const char *base = has_data ? data : home && home[0] == '/' ? home : NULL;
    char *own =
        base ? vks_format("%s%s/vksim/models", base, has_data ? "" : "/.local/share") : NULL;
    char *program = program_models();
    found = found || !own ? found : look(own, strlen(own), user);
    found = found || !program ? found : look(program, strlen(program), user);
    free(program);
    free(own);
    return found;
}

static char *search(const char *name)
{
    return in_folders(file_in, name);
}

struct listing {
    void (*print)(const char *name, const char *summary);
};

static void list_model(const char *path, const char *name, const struct listing *listing)
{
    struct stat info;
    if (vks_has_extension(path, ".so")) { /* listing it does not run its code */
        listing->print(name, path);
        return;
    }
    json_t *model = stat(path, &info) == 0 && S_ISREG(info.st_mode)
                        ? json_load_file(path, JSON_REJECT_DUPLICATES, NULL)
                        : NULL;
    const char *summary = json_string_value(json_object_get(model, "summary"));
    if (json_is_object(model)) {
        listing->print(name, summary ? summary : "");
    }
    json_decref(model);
}

/* Turns the name of a file into that of its model: NAME.json and libNAME.so into NAME. */
static void name_of(char *name)
{
    const size_t end = strlen(name), before = strlen("lib");
    if (vks_has_extension(name, ".json")) {
        name[end - strlen(".json")] = '\0';
    } else if (vks_has_extension(name, ".so") && strncmp(name, "lib", before) == 0) {
        name[end - strlen(".so")] = '\0';
        memmove(name, name + before, strlen(name + before) + 1);
    }
}

/* Lists the models that are found in this folder, and not in one before it. */
static char *list_folder(const char *folder, size_t length, const void *user)
{
    struct dirent **entries = NULL;
    char *path = vks_format("%.*s", (int)length, folder);
    const int count = path ? scandir(path, &entries, NULL, alphasort) : 0;
    for (int i = 0; i < count; i++) {
        char *name = entries[i]->d_name;
        name_of(name);
        char *here = name[0] == '.' ? NULL : file_in(folder, length, name);
        char *first = here ? search(name) : NULL;
        if (first && strcmp(first, here) == 0) {
            list_model(here, name, user);
        }
        free(first);
        free(here);
        free(entries[i]);
    }
    free(entries);
    free(path);
    return NULL;
}

void vks_list_model_files(void (*print)(const char *name, const char *summary))
{
    free(in_folders(list_folder, &(struct listing){print}));
}

char *vks_find_model_file(const char *word)
{
    const bool named = vks_has_extension(word, ".json") || vks_has_extension(word, ".so");
    char *path = named ? vks_strdup(word) : if_exists(vks_format("%s/model.json", word));
    return path || strchr(word, '/') ? path : search(word);
}

/* The path of the file of a simulation that a scene or a state names, to be freed; NULL if it is
 * known, or is not found by its name. */
static char *find_named(const json_t *object)
{
    const char *name = json_string_value(json_object_get(object, "simulation"));
    const bool is_name =
        name && name[0] && !name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-")];
    return is_name && !vks_model_known(name) ? search(name) : NULL;
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

/* SPDX-License-Identifier: MIT */
#include "formula/find.h"

#include <dirent.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/installed.h"

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

/* The folder of the models that come with vksim, to be freed: that of a wheel, of an installation,
 * or of the source if this is in a build's folder. NULL: there is none. */
static char *own_models(void)
{
    static const char *const program[] = {VKS_MODELS_FROM_PROGRAM, "../models", NULL},
                             *const library[] = {"models", VKS_MODELS_FROM_LIBRARY, "../../models",
                                                 NULL};
    return vks_installed_find(&(struct vks_installed){program, library});
}

/* Calls look(folder, length, user) for the folders of VKSIM_MODEL_PATH, which are separated by
 * colons, the user's and vksim's own, until one returns other than NULL: that. */
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
    char *with_vksim = own_models();
    found = found || !own ? found : look(own, strlen(own), user);
    found = found || !with_vksim ? found : look(with_vksim, strlen(with_vksim), user);
    free(with_vksim);
    free(own);
    return found;
}

char *vks_search_model(const char *name)
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
        char *first = here ? vks_search_model(name) : NULL;
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
    return path || strchr(word, '/') ? path : vks_search_model(word);
}

/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* dladdr1() */
#include "base/installed.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"

/* The path of the library, or of the program that this is linked into, to be freed; NULL if it is
 * unknown. */
static char *own_path(bool *is_library)
{
    static const char here;
    Dl_info info;
    void *map = NULL;
    const char *name =
        dladdr1(&here, &info, &map, RTLD_DL_LINKMAP) ? ((struct link_map *)map)->l_name : "";
    *is_library = name[0] != '\0'; /* the program's is empty */
    return realpath(*is_library ? name : "/proc/self/exe", NULL);
}

char *vks_installed_find(const struct vks_installed *places)
{
    bool is_library = false;
    char *object = own_path(&is_library), *folder = object ? vks_folder_of(object) : NULL;
    char *found = NULL;
    const char *const *place = is_library ? places->from_library : places->from_program;
    for (; *place && folder && !found; place++) {
        found = (*place)[0] == '/' ? vks_strdup(*place) : vks_format("%s/%s", folder, *place);
        if (found && access(found, F_OK) != 0) {
            free(found);
            found = NULL;
        }
    }
    free(folder);
    free(object);
    return found;
}

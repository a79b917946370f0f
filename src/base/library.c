/* SPDX-License-Identifier: MIT */
#include "base/library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { MAX_LIBRARIES = 4 };

static void *find(void *const *handles, size_t count, const char *name)
{
    void *address = NULL;
    for (size_t i = 0; i < count && !address; i++) {
        address = dlsym(handles[i], name);
    }
    return address;
}

static bool open_all(const struct vks_library *library, void **handles, size_t *count, char *why,
                     size_t size)
{
    for (*count = 0; *count < MAX_LIBRARIES && library->names[*count]; (*count)++) {
        handles[*count] = dlopen(library->names[*count], RTLD_LAZY | RTLD_LOCAL);
        if (!handles[*count]) {
            snprintf(why, size, "%s", dlerror());
            return false;
        }
    }
    return true;
}

static bool fill_table(const struct vks_library *library, void *const *handles, size_t count,
                       char *why, size_t size)
{
    for (size_t i = 0; i < library->function_count; i++) {
        const struct vks_library_function *function = &library->functions[i];
        void *address = find(handles, count, function->name);
        if (!address) {
            snprintf(why, size, "%s has no %s", library->names[0], function->name);
            return false;
        }
        memcpy((char *)library->table + function->offset, &address, sizeof(address));
    }
    return true;
}

/* On failure, the table is empty and nothing stays open. */
static bool load(const struct vks_library *library, char *why, size_t size)
{
    void *handles[MAX_LIBRARIES];
    size_t count = 0;
    if (open_all(library, handles, &count, why, size) &&
        fill_table(library, handles, count, why, size)) {
        return true;
    }
    for (size_t i = 0; i < library->function_count; i++) {
        memset((char *)library->table + library->functions[i].offset, 0, sizeof(void *));
    }
    while (count > 0) {
        dlclose(handles[--count]);
    }
    return false;
}

bool vks_library_load(struct vks_library *library, char *why, size_t size)
{
    static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&loading);
    library->loaded = library->loaded || load(library, why, size);
    const bool loaded = library->loaded;
    pthread_mutex_unlock(&loading);
    return loaded;
}

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

static bool load(const struct vks_library *library, char *why, size_t size)
{
    void *handles[MAX_LIBRARIES];
    size_t count = 0;
    for (; count < MAX_LIBRARIES && library->names[count]; count++) {
        handles[count] = dlopen(library->names[count], RTLD_LAZY | RTLD_LOCAL);
        if (!handles[count]) {
            snprintf(why, size, "%s", dlerror());
            return false;
        }
    }
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

bool vks_library_load(struct vks_library *library, char *why, size_t size)
{
    static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&loading);
    library->loaded = library->loaded || load(library, why, size);
    const bool loaded = library->loaded;
    pthread_mutex_unlock(&loading);
    return loaded;
}

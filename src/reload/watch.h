/* SPDX-License-Identifier: MIT */
/* Watches the files of a folder of shaders. */
#ifndef VKS_RELOAD_WATCH_H
#define VKS_RELOAD_WATCH_H

#include <stddef.h>

#include <vksim/result.h>

struct vks_watch_folders {
    int fd; /* readable when something has changed */
    struct {
        int id;
        char *name; /* relative to the folder; "" for the folder itself */
    } * folders;
    size_t count, capacity;
};

/* Watches the folder and the folders in it. */
enum vks_result vks_watch_folders_open(struct vks_watch_folders *watch, const char *folder);
void vks_watch_folders_close(struct vks_watch_folders *watch);
/* Reads what has changed without waiting and calls `changed` with each file, relative to the
 * folder; with NULL if some may have been missed. */
void vks_watch_folders_read(const struct vks_watch_folders *watch,
                            void (*changed)(void *user, const char *file), void *user);

#endif

/* SPDX-License-Identifier: MIT */
#include "reload/watch.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"

/* Editors write a file in place, or another one that they rename. */
static const uint32_t mask = IN_CLOSE_WRITE | IN_MOVED_TO;

static enum vks_result add(struct vks_watch_folders *watch, const char *folder, const char *name)
{
    char *path = vks_format("%s/%s", folder, name), *copy = vks_strdup(name);
    void *grown = vks_grow(watch->folders, sizeof(*watch->folders), watch->count, &watch->capacity);
    enum vks_result result = path && copy && grown ? VKS_OK : vks_fail_memory();
    watch->folders = grown ? grown : watch->folders;
    const int id = result == VKS_OK ? inotify_add_watch(watch->fd, path, mask | IN_ONLYDIR) : -1;
    if (result == VKS_OK && id < 0 && errno != ENOTDIR) {
        result = vks_fail(VKS_ERROR_FILE, "cannot watch '%s': %s", path, vks_errno_text(errno));
    }
    if (id >= 0) {
        watch->folders[watch->count].id = id;
        watch->folders[watch->count++].name = copy;
        copy = NULL;
    }
    free(copy);
    free(path);
    return result;
}

enum vks_result vks_watch_folders_open(struct vks_watch_folders *watch, const char *folder)
{
    *watch = (struct vks_watch_folders){.fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC)};
    DIR *all = watch->fd >= 0 ? opendir(folder) : NULL;
    if (!all) {
        const int error = errno;
        vks_watch_folders_close(watch);
        return vks_fail(VKS_ERROR_FILE, "cannot watch '%s': %s", folder, vks_errno_text(error));
    }
    enum vks_result result = add(watch, folder, "");
    for (const struct dirent *entry; result == VKS_OK && (entry = readdir(all)) != NULL;) {
        result = entry->d_name[0] != '.' ? add(watch, folder, entry->d_name) : VKS_OK;
    }
    closedir(all);
    if (result != VKS_OK) {
        vks_watch_folders_close(watch);
    }
    return result;
}

void vks_watch_folders_close(struct vks_watch_folders *watch)
{
    for (size_t i = 0; i < watch->count; i++) {
        free(watch->folders[i].name);
    }
    free(watch->folders);
    if (watch->fd >= 0) {
        close(watch->fd);
    }
    *watch = (struct vks_watch_folders){.fd = -1};
}

static void report(const struct vks_watch_folders *watch, const struct inotify_event *event,
                   void (*changed)(void *user, const char *file), void *user)
{
    const char *folder = NULL;
    for (size_t i = 0; i < watch->count; i++) {
        folder = watch->folders[i].id == event->wd ? watch->folders[i].name : folder;
    }
    char *file = folder && event->len > 0
                     ? vks_format("%s%s%s", folder, folder[0] ? "/" : "", event->name)
                     : NULL;
    changed(user, file);
    free(file);
}

void vks_watch_folders_read(const struct vks_watch_folders *watch,
                            void (*changed)(void *user, const char *file), void *user)
{
    _Alignas(struct inotify_event) char buffer[4096];
    for (;;) {
        const ssize_t got = read(watch->fd, buffer, sizeof(buffer));
        if (got <= 0) {
            return;
        }
        for (ssize_t at = 0; at < got;) {
            const struct inotify_event *event =
                (const struct inotify_event *)(const void *)(buffer + at);
            report(watch, event, changed, user);
            at += (ssize_t)sizeof(*event) + event->len;
        }
    }
}

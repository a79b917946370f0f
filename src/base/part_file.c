/* SPDX-License-Identifier: MIT */
#include "base/part_file.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"

/* --- what a signal handler removes ----------------------------------------------------------- */

/* A thread frees a name only after taking it out of the list and then seeing that no handler is
 * reading the list. Files beyond MAX_PARTS are not listed. */
enum { MAX_PARTS = 1024 };
static _Atomic(char *) parts[MAX_PARTS];
static atomic_bool removing;

static void add_part(char *path)
{
    for (size_t i = 0; i < MAX_PARTS; i++) {
        char *empty = NULL;
        if (atomic_compare_exchange_strong(&parts[i], &empty, path)) {
            return;
        }
    }
}

/* Once a handler removes the part files, the process is about to end, and none may be created. */
static void stop_if_removing(const char *path)
{
    if (atomic_load(&removing)) {
        if (path) {
            unlink(path);
        }
        for (;;) {
            pause();
        }
    }
}

/* Takes the name out of the list and frees it. */
static void free_part(char *path)
{
    for (size_t i = 0; path && i < MAX_PARTS; i++) {
        char *found = path;
        if (atomic_compare_exchange_strong(&parts[i], &found, NULL)) {
            break;
        }
    }
    stop_if_removing(NULL);
    free(path);
}

void vks_part_files_remove(void)
{
    atomic_store(&removing, true);
    for (size_t i = 0; i < MAX_PARTS; i++) {
        const char *path = atomic_load(&parts[i]);
        if (path) {
            unlink(path);
        }
    }
}

/* --- what killed processes have left --------------------------------------------------------- */

/* The part files in the folders that were searched. */
static struct {
    pthread_mutex_t mutex;
    char **folders; /* what precedes the names of files: "", or it ends in a slash */
    size_t folder_count, folder_capacity;
    char **paths;
    size_t count, capacity;
} left = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* Length of TARGET in TARGET.part-PID or TARGET.part-PID-N; 0 for another name. */
static size_t target_length(const char *name)
{
    static const char mark[] = ".part-";
    size_t length = strlen(name), digits = 0;
    for (int numbers = 0; numbers < 2; numbers++) {
        while (length > digits && isdigit((unsigned char)name[length - 1 - digits])) {
            digits++;
        }
        length -= digits;
        if (digits == 0 || length == 0) {
            return 0;
        }
        if (length > strlen(mark) &&
            memcmp(name + length - strlen(mark), mark, strlen(mark)) == 0) {
            return length - strlen(mark);
        }
        if (name[length - 1] != '-') {
            return 0;
        }
        length--;
        digits = 0;
    }
    return 0;
}

/* Removes a part file if no process has locked it; with `look`, only says whether it would. */
static bool remove_left(const char *path, bool look)
{
    struct stat info;
    const int fd = vks_open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0);
    if (fd < 0) {
        return false;
    }
    const bool dead = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() &&
                      flock(fd, LOCK_EX | LOCK_NB) == 0;
    const bool removed = dead && (look || unlink(path) == 0);
    close(fd);
    return removed;
}

/* Adds a text to a list, which owns it then. False if memory ran out. */
static bool add(char ***list, size_t *count, size_t *capacity, char *text)
{
    char **grown = text ? vks_grow(*list, sizeof(*grown), *count, capacity) : NULL;
    if (!grown) {
        free(text);
        return false;
    }
    *list = grown;
    grown[(*count)++] = text;
    return true;
}

/* Lists what is left in a folder, once. Where memory or rights do not suffice, files stay. */
static void search(const char *target)
{
    const char *slash = strrchr(target, '/');
    const size_t length = slash ? (size_t)(slash - target) + 1 : 0;
    for (size_t i = 0; i < left.folder_count; i++) {
        if (strlen(left.folders[i]) == length && memcmp(left.folders[i], target, length) == 0) {
            return;
        }
    }
    char *folder = vks_format("%.*s", (int)length, target);
    if (!add(&left.folders, &left.folder_count, &left.folder_capacity, folder)) {
        return;
    }
    DIR *entries = opendir(length > 0 ? folder : ".");
    const struct dirent *entry;
    while (entries && (entry = readdir(entries))) {
        char *path =
            target_length(entry->d_name) > 0 ? vks_format("%s%s", folder, entry->d_name) : NULL;
        if (path && remove_left(path, true)) {
            add(&left.paths, &left.count, &left.capacity, path);
        } else {
            free(path);
        }
    }
    if (entries) {
        closedir(entries);
    }
}

/* Warns about the paths from that index on. */
static void warn_about_left(size_t first)
{
    if (first < left.count) {
        char others[64] = "";
        const char *path = left.paths[first], *slash = strrchr(path, '/');
        const char *name = slash ? slash + 1 : path;
        if (left.count - first > 1) {
            snprintf(others, sizeof(others), " (and %zu others in this folder)",
                     left.count - first - 1);
        }
        vks_message(
            VKS_LOG_WARNING,
            "'%s' is a part of a file whose writing was killed%s; it is removed when '%.*s' "
            "is written again",
            path, others, (int)target_length(name), name);
    }
}

/* Removes what is left of the target, and warns about other files when the folder is a new one. */
static void remove_left_of(const char *target)
{
    const size_t length = strlen(target);
    pthread_mutex_lock(&left.mutex);
    const size_t before = left.count;
    search(target);
    size_t kept = 0, known = 0; /* known: those kept that were listed before */
    for (size_t i = 0; i < left.count; i++) {
        char *path = left.paths[i];
        const bool same = target_length(path) == length && memcmp(path, target, length) == 0;
        if (same && remove_left(path, false)) {
            free(path);
        } else {
            left.paths[kept++] = path;
            known += i < before;
        }
    }
    left.count = kept;
    warn_about_left(known);
    pthread_mutex_unlock(&left.mutex);
}

/* --- a part file ----------------------------------------------------------------------------- */

/* The descriptor of a new, empty file of that name, locked where the file system can; -1 with errno
 * set on failure. */
static int create(const char *path)
{
    struct stat info;
    const int fd = vks_open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) {
        return -1;
    }
    /* Another process may have taken it for one that is left. */
    const bool lost = flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (lost || (fstat(fd, &info) == 0 && info.st_nlink == 0)) {
        close(fd);
        errno = EEXIST;
        return -1;
    }
    return fd;
}

bool vks_part_file_create(const char *target, struct vks_part_file *part)
{
    *part = (struct vks_part_file){0};
    remove_left_of(target);
    /* The name may be taken by a killed run with the same PID (likely in containers) or by another
     * thread. */
    for (unsigned attempt = 1; attempt <= 100; attempt++) {
        char *path = attempt == 1 ? vks_format("%s.part-%ld", target, (long)getpid())
                                  : vks_format("%s.part-%ld-%u", target, (long)getpid(), attempt);
        if (!path) {
            errno = ENOMEM;
            return false;
        }
        stop_if_removing(NULL);
        const int fd = create(path);
        if (fd >= 0) {
            add_part(path);
            stop_if_removing(path);
            *part = (struct vks_part_file){path, fd + 1, false};
            return true;
        }
        const int error = errno;
        free(path);
        errno = error;
        if (error != EEXIST) {
            return false;
        }
    }
    return false;
}

/* --- part files that outlast the process ----------------------------------------------------- */

bool vks_part_file_keep(const char *target, struct vks_part_file *part)
{
    char *path = part->kept ? NULL : vks_format("%s.part", target);
    if (part->kept || !path) {
        return part->kept;
    }
    int error = access(path, F_OK) != 0 || remove_left(path, false) ? 0 : EBUSY;
    if (error == 0 && rename(part->path, path) != 0) {
        error = errno;
    }
    if (error != 0) {
        free(path);
        errno = error;
        return false;
    }
    free_part(part->path);
    part->path = path;
    part->kept = true;
    return true;
}

bool vks_part_file_reopen(const char *target, struct vks_part_file *part)
{
    char *path = vks_format("%s.part", target);
    const int fd = path ? vks_open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0) : -1;
    int error = path ? errno : ENOMEM;
    if (fd >= 0) {
        error = flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK ? EBUSY : 0;
    }
    if (fd >= 0 && error == 0) {
        *part = (struct vks_part_file){path, fd + 1, true};
        return true;
    }
    if (fd >= 0) {
        close(fd);
    }
    free(path);
    *part = (struct vks_part_file){0};
    errno = error;
    return false;
}

void vks_part_file_close(struct vks_part_file *part)
{
    if (part->lock > 0) {
        close(part->lock - 1);
    }
    free_part(part->path);
    *part = (struct vks_part_file){0};
}

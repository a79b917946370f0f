/* SPDX-License-Identifier: MIT */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/profile.h"

const char *vks_errno_text(int error)
{
    switch (error) {
    case ENOSPC:
        return "no space left on the disk";
    case EDQUOT:
        return "no space left in the disk quota";
    case EFBIG:
        return "the file would be larger than the limit of the file system or of 'ulimit -f'";
    case EACCES:
    case EPERM:
        return "permission denied";
    case EROFS:
        return "the file system is read-only";
    case ENOENT:
        return "there is no such file or folder";
    case ENOTDIR:
        return "a part of the path is not a folder";
    case EISDIR:
        return "it is a folder";
    case ENAMETOOLONG:
        return "the name is too long";
    case EPIPE:
        return "the reader closed the pipe";
    default:
        return strerror(error);
    }
}

enum vks_result vks_fail_write(const char *path, int error)
{
    return vks_fail(VKS_ERROR_FILE, "cannot write '%s': %s", path, vks_errno_text(error));
}

bool vks_has_extension(const char *path, const char *extension)
{
    const size_t length = strlen(path), tail = strlen(extension);
    return length >= tail && strcasecmp(path + length - tail, extension) == 0;
}

int vks_write_all(int fd, const void *data, size_t size)
{
    const char *at = data;
    while (size > 0) {
        ssize_t written = write(fd, at, size);
        if (written >= 0) {
            at += written;
            size -= (size_t)written;
        } else if (errno == EAGAIN) {
            /* Standard output may be non-blocking, set by a program that shares it. */
            struct pollfd ready = {.fd = fd, .events = POLLOUT};
            if (poll(&ready, 1, -1) < 0 && errno != EINTR) {
                return errno;
            }
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

/* The folder of `path`, to be freed; NULL if memory ran out. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash) {
        return vks_strdup(".");
    }
    /* The root folder keeps its slash. */
    size_t length = slash == path ? 1 : (size_t)(slash - path);
    char *folder = malloc(length + 1);
    if (folder) {
        memcpy(folder, path, length);
        folder[length] = '\0';
    }
    return folder;
}

bool vks_is_same_file(const char *a, const char *b)
{
    struct stat first, second;
    const bool has_first = stat(a, &first) == 0, has_second = stat(b, &second) == 0;
    if (has_first && has_second) {
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
    }
    if (has_first || has_second || strcmp(a, b) == 0) {
        return strcmp(a, b) == 0;
    }
    const char *slash_a = strrchr(a, '/'), *slash_b = strrchr(b, '/');
    if (strcmp(slash_a ? slash_a + 1 : a, slash_b ? slash_b + 1 : b) != 0) {
        return false;
    }
    char *folder_a = folder_of(a), *folder_b = folder_of(b);
    const bool same = folder_a && folder_b && stat(folder_a, &first) == 0 &&
                      stat(folder_b, &second) == 0 && first.st_dev == second.st_dev &&
                      first.st_ino == second.st_ino;
    free(folder_a);
    free(folder_b);
    return same;
}

static enum vks_result check_folder(const char *path)
{
    char *folder = folder_of(path);
    if (!folder) {
        return vks_fail_memory();
    }
    enum vks_result result = VKS_OK;
    struct stat info;
    int error = stat(folder, &info) == 0 ? 0 : errno;
    if (error == ENOENT) {
        result = vks_fail(VKS_ERROR_FILE,
                          "cannot write '%s': the folder '%s' does not exist; create it first",
                          path, folder);
    } else if (error != 0) {
        result = vks_fail_write(path, error);
    } else if (!S_ISDIR(info.st_mode)) {
        result = vks_fail(VKS_ERROR_FILE, "cannot write '%s': '%s' is not a folder", path, folder);
    } else if (access(folder, W_OK | X_OK) != 0) {
        result =
            vks_fail(VKS_ERROR_FILE, "cannot write '%s': the folder '%s' cannot be written to (%s)",
                     path, folder, vks_errno_text(errno));
    }
    free(folder);
    return result;
}

enum vks_result vks_fail_exists(const char *path)
{
    return vks_fail_hint(VKS_ERROR_EXISTS, VKS_HINT_OVERWRITE,
                         "'%s' exists already; choose another name or allow overwriting", path);
}

static enum vks_result check_path(const char *path, bool overwrite)
{
    size_t length = strlen(path);
    if (length == 0) {
        return vks_fail(VKS_ERROR_FILE, "the name of a file to write is empty");
    }
    struct stat info;
    bool exists = stat(path, &info) == 0;
    if (path[length - 1] == '/' || (exists && S_ISDIR(info.st_mode))) {
        return vks_fail(VKS_ERROR_FILE, "cannot write '%s': it is a folder; name a file in it",
                        path);
    }
    if (exists && !S_ISREG(info.st_mode)) {
        /* A rename would put a file in the place of, say, /dev/null. */
        return vks_fail(VKS_ERROR_FILE, "cannot write '%s': it is a device or a pipe, not a file",
                        path);
    }
    enum vks_result result = check_folder(path);
    /* A dangling link counts as an existing file. */
    if (result == VKS_OK && !overwrite && lstat(path, &info) == 0) {
        result = vks_fail_exists(path);
    }
    return result;
}

/* Creates the part file; errno tells why if NULL. */
static char *create_part(const char *path)
{
    /* The name may be taken by a killed run with the same PID (likely in containers) or by another
     * thread. */
    for (unsigned attempt = 1; attempt <= 100; attempt++) {
        char *part = attempt == 1 ? vks_format("%s.part-%ld", path, (long)getpid())
                                  : vks_format("%s.part-%ld-%u", path, (long)getpid(), attempt);
        if (!part) {
            errno = ENOMEM;
            return NULL;
        }
        int fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0) {
            close(fd);
            return part;
        }
        int error = errno;
        free(part);
        errno = error;
        if (error != EEXIST && error != EINTR) {
            return NULL;
        }
    }
    return NULL;
}

enum vks_result vks_atomic_file_begin(struct vks_atomic_file *file, const char *path,
                                      bool overwrite)
{
    *file = (struct vks_atomic_file){0};
    enum vks_result result = check_path(path, overwrite);
    if (result != VKS_OK) {
        return result;
    }
    char *copy = vks_strdup(path);
    if (!copy) {
        return vks_fail_memory();
    }
    char *part = create_part(path);
    if (!part) {
        /* The folder exists, so it is a special one such as /proc. */
        result = errno == ENOENT
                     ? vks_fail(VKS_ERROR_FILE,
                                "cannot write '%s': no files can be created in its folder", path)
                     : vks_fail_write(path, errno);
        free(copy);
        return result;
    }
    *file = (struct vks_atomic_file){.path = copy, .part = part, .overwrite = overwrite};
    return VKS_OK;
}

/* 0 or an errno. */
static int sync_file(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return errno;
    }
    int error = 0;
    /* EINVAL, ENOTSUP: the file system does not support sync. */
    if (fsync(fd) != 0 && errno != EINVAL && errno != ENOTSUP) {
        error = errno;
    }
    if (close(fd) != 0 && errno != EINTR && error == 0) {
        error = errno;
    }
    return error;
}

enum vks_result vks_atomic_file_commit(struct vks_atomic_file *file)
{
    enum vks_result result = VKS_OK;
    bool keep = false;
    struct stat info;
    vks_phase_begin(VKS_PHASE_WRITE);
    int error = file->unsynced ? 0 : sync_file(file->part);
    vks_phase_end();
    if (error != 0) {
        result = vks_fail_write(file->path, error);
    } else if (!file->overwrite && lstat(file->path, &info) == 0) {
        keep = true;
        result = vks_fail(VKS_ERROR_EXISTS,
                          "'%s' was created by another program meanwhile; this run's file is '%s'",
                          file->path, file->part);
    } else if (rename(file->part, file->path) != 0) {
        result = vks_fail_write(file->path, errno);
    } else {
        keep = true; /* renamed */
    }
    if (keep) {
        free(file->part);
        file->part = NULL;
    }
    vks_atomic_file_abort(file);
    return result;
}

void vks_atomic_file_abort(struct vks_atomic_file *file)
{
    if (file->part) {
        unlink(file->part);
    }
    free(file->part);
    free(file->path);
    *file = (struct vks_atomic_file){0};
}

static enum vks_result fail_read(const char *path, int error)
{
    return vks_fail(VKS_ERROR_FILE, "cannot read '%s': %s", path, vks_errno_text(error));
}

static enum vks_result read_all(int fd, const char *path, size_t max, char **text, size_t *size)
{
    char *bytes = NULL;
    size_t used = 0;
    size_t capacity = 0;
    enum vks_result result = VKS_OK;
    for (;;) {
        /* One byte for the NUL, and at least one to detect more than `max`. */
        if (capacity - used < 2) {
            size_t wanted = capacity ? capacity * 2 : 4096;
            char *moved = wanted > capacity ? realloc(bytes, wanted) : NULL;
            if (!moved) {
                result = vks_fail_memory();
                break;
            }
            bytes = moved;
            capacity = wanted;
        }
        ssize_t count = read(fd, bytes + used, capacity - used - 1);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0) {
            result = fail_read(path, errno);
            break;
        }
        if (count == 0) {
            break;
        }
        used += (size_t)count;
        if (used > max) {
            result =
                vks_fail(VKS_ERROR_FILE, "'%s' is too long: the limit is %zu bytes", path, max);
            break;
        }
    }
    if (result != VKS_OK) {
        free(bytes);
        return result;
    }
    bytes[used] = '\0';
    *text = bytes;
    if (size) {
        *size = used;
    }
    return VKS_OK;
}

enum vks_result vks_read_file(const char *path, size_t max, char **text, size_t *size)
{
    int fd = -1;
    do {
        fd = open(path, O_RDONLY | O_CLOEXEC);
    } while (fd < 0 && errno == EINTR);
    if (fd < 0) {
        return fail_read(path, errno);
    }
    enum vks_result result = read_all(fd, path, max, text, size);
    close(fd);
    return result;
}

enum vks_result vks_write_file(const char *path, bool overwrite, const void *data, size_t size)
{
    struct vks_atomic_file file;
    enum vks_result result = vks_atomic_file_begin(&file, path, overwrite);
    if (result != VKS_OK) {
        return result;
    }
    int fd = open(file.part, O_WRONLY | O_CLOEXEC);
    int error = fd < 0 ? errno : vks_write_all(fd, data, size);
    if (fd >= 0 && close(fd) != 0 && error == 0) {
        error = errno;
    }
    if (error != 0) {
        vks_atomic_file_abort(&file);
        return vks_fail_write(path, error);
    }
    return vks_atomic_file_commit(&file);
}

enum vks_result vks_print_file(const char *path, bool overwrite,
                               enum vks_result (*print)(FILE *out, const void *user),
                               const void *user)
{
    struct vks_atomic_file file;
    enum vks_result result = vks_atomic_file_begin(&file, path, overwrite);
    if (result != VKS_OK) {
        return result;
    }
    FILE *out = fopen(file.part, "we");
    if (!out) {
        result = vks_fail_write(path, errno);
    } else {
        result = print(out, user);
        const bool failed = fflush(out) != 0 || ferror(out);
        const int error = errno;
        if ((fclose(out) != 0 || failed) && result == VKS_OK) {
            result = vks_fail_write(path, failed ? error : errno);
        }
    }
    if (result != VKS_OK) {
        vks_atomic_file_abort(&file);
        return result;
    }
    return vks_atomic_file_commit(&file);
}

/* SPDX-License-Identifier: MIT */
/* Files that appear under their names once they are complete. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/part_file.h"
#include "base/profile.h"

/* --- the name -------------------------------------------------------------------------------- */

/* The folder of the target must exist and be writable. */
static enum vks_result check_folder(const char *path, const char *target)
{
    char *folder = vks_folder_of(target);
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

static enum vks_result check_path(const char *path, const char *target, bool overwrite)
{
    const size_t length = strlen(path);
    struct stat info;
    bool exists = stat(path, &info) == 0;
    if (path[length - 1] == '/' || (exists && S_ISDIR(info.st_mode))) {
        return vks_fail(VKS_ERROR_FILE, "cannot write '%s': it is a folder; name a file in it",
                        path);
    }
    if (exists && !S_ISREG(info.st_mode)) {
        /* A rename would replace, say, /dev/null by a file. */
        return vks_fail(VKS_ERROR_FILE, "cannot write '%s': it is a device or a pipe, not a file",
                        path);
    }
    enum vks_result result = check_folder(path, target);
    /* A dangling link counts as an existing file. */
    if (result == VKS_OK && !overwrite && lstat(path, &info) == 0) {
        result = vks_fail_exists(path);
    }
    return result;
}

static void free_file(struct vks_atomic_file *file)
{
    vks_part_file_close(&file->part);
    free(file->target);
    free(file->path);
    *file = (struct vks_atomic_file){0};
}

static enum vks_result set_names(struct vks_atomic_file *file, const char *path, bool overwrite)
{
    file->overwrite = overwrite;
    file->path = vks_strdup(path);
    file->target = vks_follow_links(path);
    if (!file->target && errno == EPERM) {
        return vks_fail(VKS_ERROR_FILE,
                        "cannot write '%s': it is a symbolic link that another user made in a "
                        "folder that everyone can write to",
                        path);
    }
    if (!file->target && errno != ENOMEM) {
        return vks_fail_write(path, errno);
    }
    return file->path && file->target ? VKS_OK : vks_fail_memory();
}

static enum vks_result create_part(struct vks_atomic_file *file)
{
    const char *path = file->path;
    if (vks_part_file_create(file->target, &file->part)) {
        return VKS_OK;
    }
    /* The folder exists, so it is a special one such as /proc. */
    return errno == ENOENT
               ? vks_fail(VKS_ERROR_FILE,
                          "cannot write '%s': no files can be created in its folder", path)
               : vks_fail_write(path, errno);
}

enum vks_result vks_atomic_file_begin(struct vks_atomic_file *file, const char *path,
                                      bool overwrite)
{
    *file = (struct vks_atomic_file){0};
    enum vks_result result = path[0] != '\0'
                                 ? set_names(file, path, overwrite)
                                 : vks_fail(VKS_ERROR_FILE, "the name of a file to write is empty");
    if (result == VKS_OK) {
        result = check_path(path, file->target, overwrite);
    }
    if (result == VKS_OK) {
        result = create_part(file);
    }
    if (result != VKS_OK) {
        free_file(file);
    }
    return result;
}

/* Gives the part file the permissions of the file that it will replace. */
static void keep_mode(const struct vks_atomic_file *file)
{
    struct stat info;
    if (file->overwrite && stat(file->target, &info) == 0) {
        (void)chmod(file->part.path, info.st_mode & 0777); /* some file systems have none */
    }
}

/* --- incomplete results ---------------------------------------------------------------------- */

/* NAME.partial.EXT, to be freed; NULL if memory ran out. */
static char *partial_name(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    const size_t length = dot && dot != name ? (size_t)(dot - path) : strlen(path);
    return vks_format("%.*s.partial%s", (int)length, path, path + length);
}

enum vks_result vks_partial_path(const char *path, char **partial)
{
    struct stat info;
    char *target = vks_follow_links(path);
    const bool exists = target && lstat(target, &info) == 0;
    *partial = exists ? partial_name(target) : vks_strdup(path);
    free(target);
    if (*partial && exists) {
        vks_message(
            VKS_LOG_WARNING,
            "the run ended early, so '%s' is kept, and the partial result is written to '%s'", path,
            *partial);
    }
    return *partial ? VKS_OK : vks_fail_memory();
}

enum vks_result vks_atomic_file_keep_old(struct vks_atomic_file *file)
{
    struct stat info;
    if (!file->path || !file->overwrite || lstat(file->target, &info) != 0) {
        return VKS_OK;
    }
    char *path;
    keep_mode(file);
    const enum vks_result result = vks_partial_path(file->path, &path);
    char *target = result == VKS_OK ? vks_strdup(path) : NULL;
    if (!target) {
        free(path);
        return vks_fail_memory();
    }
    free(file->path);
    free(file->target);
    file->path = path;
    file->target = target;
    return VKS_OK;
}

/* --- the end --------------------------------------------------------------------------------- */

static int sync_path(const char *path, int flags)
{
    int fd = vks_open(path, flags | O_CLOEXEC, 0);
    if (fd < 0) {
        return errno;
    }
    int error;
    do {
        error = fsync(fd) == 0 ? 0 : errno;
    } while (error == EINTR);
    if (error == EINVAL || error == ENOTSUP) {
        error = 0; /* the file system does not support it */
    }
    if (close(fd) != 0 && errno != EINTR && error == 0) {
        error = errno;
    }
    return error;
}

int vks_sync_file(const char *path)
{
    return sync_path(path, O_RDONLY);
}

/* The new name outlasts a power failure once its folder is on the disk, too. A folder that cannot
 * be read cannot be synced. */
int vks_sync_folder_of(const char *path)
{
    char *folder = vks_folder_of(path);
    const int error = folder ? sync_path(folder, O_RDONLY | O_DIRECTORY) : ENOMEM;
    free(folder);
    return error == EACCES ? 0 : error;
}

enum vks_result vks_atomic_file_commit(struct vks_atomic_file *file)
{
    enum vks_result result = VKS_OK;
    bool keep = false;
    struct stat info;
    vks_phase_begin(VKS_PHASE_WRITE);
    int error = file->unsynced ? 0 : vks_sync_file(file->part.path);
    vks_phase_end();
    keep_mode(file);
    if (error != 0) {
        result = vks_fail_write(file->path, error);
    } else if (!file->overwrite && lstat(file->path, &info) == 0) {
        keep = true;
        result = vks_fail(VKS_ERROR_EXISTS,
                          "another program has created '%s' meanwhile; this run's file is '%s'",
                          file->path, file->part.path);
    } else if (rename(file->part.path, file->target) != 0) {
        result = vks_fail_write(file->path, errno);
    } else {
        keep = true; /* renamed */
        vks_phase_begin(VKS_PHASE_WRITE);
        error = file->unsynced ? 0 : vks_sync_folder_of(file->target);
        vks_phase_end();
        result = error != 0 ? vks_fail_write(file->path, error) : VKS_OK;
    }
    if (keep) {
        free_file(file);
    }
    vks_atomic_file_abort(file);
    return result;
}

void vks_atomic_file_abort(struct vks_atomic_file *file)
{
    if (file->part.path && !file->part.kept) {
        unlink(file->part.path);
    }
    free_file(file);
}

/* --- files that a later process continues ---------------------------------------------------- */

enum { HEAD_BYTES = 128, TAIL_BYTES = 64 << 10 };

/* The digest of the last bytes before `end`. False with errno set if they cannot be read. */
static bool digest_tail(int fd, uint64_t end, char hex[33])
{
    const uint64_t after_head = end > HEAD_BYTES ? end - HEAD_BYTES : 0;
    const size_t size = after_head < TAIL_BYTES ? (size_t)after_head : TAIL_BYTES;
    char *bytes = malloc(TAIL_BYTES);
    ssize_t count = bytes ? 0 : -1;
    for (size_t at = 0; count >= 0 && at < size; at += (size_t)count) {
        do {
            count = pread(fd, bytes + at, size - at, (off_t)(end - size + at));
        } while (count < 0 && errno == EINTR);
        if (count == 0) {
            errno = EIO;
            count = -1;
        }
    }
    if (count >= 0) {
        vks_digest_of(bytes, size, hex);
    }
    free(bytes);
    return count >= 0;
}

enum vks_result vks_file_describe(const char *path, json_t *position)
{
    char hex[33];
    struct stat info;
    const int fd = vks_open(path, O_RDONLY | O_CLOEXEC, 0);
    const bool read =
        fd >= 0 && fstat(fd, &info) == 0 && digest_tail(fd, (uint64_t)info.st_size, hex);
    const enum vks_result result = read ? VKS_OK : vks_fail_write(path, errno);
    if (fd >= 0) {
        close(fd);
    }
    if (result != VKS_OK) {
        return result;
    }
    const bool set =
        json_object_set_new(position, "bytes", json_integer((json_int_t)info.st_size)) == 0 &&
        json_object_set_new(position, "digest", json_string(hex)) == 0;
    return set ? VKS_OK : vks_fail_memory();
}

/* What is wrong with a file that should begin with what the position describes; NULL: nothing. */
static const char *find_fault(const char *path, const json_t *position)
{
    char hex[33];
    struct stat info;
    const uint64_t bytes = vks_json_count(position, "bytes");
    const char *expected = json_string_value(json_object_get(position, "digest"));
    const int fd = vks_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
    const char *what = NULL;
    if (fd < 0) {
        what = errno == ENOENT ? "is missing" : "cannot be read";
    } else if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        what = "is not a file";
    } else if ((uint64_t)info.st_size < bytes) {
        what = "is shorter than it was";
    } else if (!digest_tail(fd, bytes, hex)) {
        what = "cannot be read";
    } else if (!expected || strcmp(hex, expected) != 0) {
        what = "has been changed";
    }
    if (fd >= 0) {
        close(fd);
    }
    return what;
}

enum vks_result vks_file_verify(const char *output, const char *path, const json_t *position)
{
    const char *fault = find_fault(path, position);
    return fault ? vks_fail(VKS_ERROR_FILE, "cannot continue '%s': '%s' %s", output, path, fault)
                 : VKS_OK;
}

static enum vks_result fail_busy(const char *path, int error)
{
    return error == EBUSY
               ? vks_fail(VKS_ERROR_FILE, "cannot write '%s': another process is writing it", path)
               : vks_fail_write(path, error);
}

enum vks_result vks_atomic_file_hold(struct vks_atomic_file *file, json_t *position)
{
    vks_phase_begin(VKS_PHASE_WRITE);
    int error = vks_sync_file(file->part.path);
    const bool is_new = !file->part.kept;
    if (error == 0 && !vks_part_file_keep(file->target, &file->part)) {
        error = errno;
    }
    if (error == 0 && is_new) {
        error = vks_sync_folder_of(file->target);
    }
    vks_phase_end();
    return error == 0 ? vks_file_describe(file->part.path, position) : fail_busy(file->path, error);
}

/* Opens the part file that was held at the position. */
static enum vks_result reopen_part(struct vks_atomic_file *file, const json_t *position)
{
    char *part = vks_format("%s.part", file->target);
    struct stat info;
    if (!part) {
        return vks_fail_memory();
    }
    /* The run may have been killed after the file was complete. */
    const bool complete = lstat(part, &info) != 0 && lstat(file->target, &info) == 0;
    enum vks_result result = vks_file_verify(file->path, complete ? file->target : part, position);
    if (result == VKS_OK && complete) {
        const int error = rename(file->target, part) == 0 ? vks_sync_folder_of(part) : errno;
        result = error != 0 ? vks_fail_write(file->path, error) : VKS_OK;
    }
    if (result == VKS_OK && !vks_part_file_reopen(file->target, &file->part)) {
        result = fail_busy(file->path, errno);
    }
    if (result == VKS_OK && truncate(part, (off_t)vks_json_count(position, "bytes")) != 0) {
        result = vks_fail_write(file->path, errno);
    }
    free(part);
    return result;
}

enum vks_result vks_atomic_file_resume(struct vks_atomic_file *file, const char *path,
                                       bool overwrite, const json_t *position)
{
    if (!position) {
        return vks_atomic_file_begin(file, path, overwrite);
    }
    *file = (struct vks_atomic_file){0};
    enum vks_result result = set_names(file, path, overwrite);
    if (result == VKS_OK) {
        result = reopen_part(file, position);
    }
    if (result == VKS_OK) {
        result = check_path(path, file->target, overwrite);
    }
    if (result != VKS_OK) {
        free_file(file);
    }
    return result;
}

/* --- small files ----------------------------------------------------------------------------- */

enum vks_result vks_write_file(const char *path, bool overwrite, const void *data, size_t size)
{
    struct vks_atomic_file file;
    enum vks_result result = vks_atomic_file_begin(&file, path, overwrite);
    if (result != VKS_OK) {
        return result;
    }
    int fd = vks_open(file.part.path, O_WRONLY | O_CLOEXEC, 0);
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
    int fd = vks_open(file.part.path, O_WRONLY | O_CLOEXEC, 0);
    FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!out) {
        result = vks_fail_write(path, errno);
        if (fd >= 0) {
            close(fd);
        }
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

/* SPDX-License-Identifier: MIT */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/task.h"

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
    case ELOOP:
        return "its symbolic links form a loop";
    default:
        return strerror(error);
    }
}

enum vks_result vks_fail_write(const char *path, int error)
{
    return error == ENOMEM
               ? vks_fail_memory()
               : vks_fail(VKS_ERROR_FILE, "cannot write '%s': %s", path, vks_errno_text(error));
}

bool vks_has_extension(const char *path, const char *extension)
{
    const size_t length = strlen(path), tail = strlen(extension);
    return length >= tail && strcasecmp(path + length - tail, extension) == 0;
}

/* What follows the prefix; NULL if that is empty, or for a text without it. */
static const char *after(const char *prefix, const char *text)
{
    const size_t length = strlen(prefix);
    return strncmp(text, prefix, length) == 0 && text[length] ? text + length : NULL;
}

const char *vks_image_file(const char *text)
{
    return after("image:", text);
}

const char *vks_points_of(const char *text)
{
    return after("points:", text);
}

const char *vks_map_file(const char *text, size_t length, size_t *file_length)
{
    const char *equals = memchr(text, '=', length), *colon = text + length;
    for (int colons = 0; colons < 2 && equals; colons++) { /* the last two */
        do {
            colon--;
        } while (colon > equals && *colon != ':');
    }
    if (!equals || colon <= equals + 1) {
        return NULL;
    }
    *file_length = (size_t)(colon - equals - 1);
    return equals + 1;
}

int vks_open(const char *path, int flags, unsigned mode)
{
    int fd;
    do {
        fd = open(path, flags, mode);
    } while (fd < 0 && errno == EINTR);
    return fd;
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

char *vks_folder_of(const char *path)
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

/* LINK's content, to be freed; NULL with errno set. */
static char *read_link(const char *link)
{
    char text[PATH_MAX];
    const ssize_t length = readlink(link, text, sizeof(text) - 1);
    if (length < 0) {
        return NULL;
    }
    text[length] = '\0';
    const char *slash = strrchr(link, '/');
    char *path = text[0] == '/' || !slash ? vks_strdup(text)
                                          : vks_format("%.*s/%s", (int)(slash - link), link, text);
    errno = path ? 0 : ENOMEM;
    return path;
}

const char *vks_environment(const char *name)
{
    return getauxval(AT_SECURE) == 0 ? getenv(name) : NULL;
}

enum vks_result vks_user_folder(const char *variable, const char *fallback, char **folder)
{
    const char *own = vks_environment(variable), *home = vks_environment("HOME");
    const bool has_own = own && own[0] == '/';
    if (!has_own && !(home && home[0] == '/')) {
        return vks_fail(VKS_ERROR_FILE, "HOME names no folder");
    }
    *folder = has_own ? vks_strdup(own) : vks_format("%s/%s", home, fallback);
    return *folder ? VKS_OK : vks_fail_memory();
}

int vks_make_folders(const char *path)
{
    struct stat info;
    if (mkdir(path, 0700) == 0) {
        return 0;
    }
    const int error = errno;
    if (error == EEXIST) {
        return stat(path, &info) == 0 && S_ISDIR(info.st_mode) ? 0 : ENOTDIR;
    }
    char *above = error == ENOENT ? vks_folder_of(path) : NULL;
    const bool is_top = !above || strcmp(above, path) == 0 || strcmp(above, ".") == 0;
    const int above_error = is_top ? error : vks_make_folders(above);
    free(above);
    return above_error ? above_error : mkdir(path, 0700) == 0 || errno == EEXIST ? 0 : errno;
}

/* EPERM if anyone could have planted the link: it belongs to another user, in a folder such as /tmp
 * where all users may create files. The rule is that of Linux' fs.protected_symlinks, which does
 * not cover links that a program follows itself. 0, or another errno. */
static int check_planted(const char *link, const struct stat *info)
{
    struct stat about;
    char *folder = vks_folder_of(link);
    const int error = !folder ? ENOMEM : stat(folder, &about) == 0 ? 0 : errno;
    free(folder);
    return error == 0 && (about.st_mode & S_ISVTX) && (about.st_mode & S_IWOTH) &&
                   info->st_uid != geteuid() && info->st_uid != about.st_uid
               ? EPERM
               : error;
}

char *vks_follow_links(const char *path)
{
    enum { MAX_LINKS = 40 }; /* the system's limit */
    struct stat info;
    char *at = vks_strdup(path);
    errno = at ? 0 : ENOMEM;
    for (unsigned links = 0; at && lstat(at, &info) == 0 && S_ISLNK(info.st_mode); links++) {
        const int planted = check_planted(at, &info);
        char *next = links < MAX_LINKS && planted == 0 ? read_link(at) : NULL;
        const int error = planted != 0 ? planted : links < MAX_LINKS ? errno : ELOOP;
        free(at);
        at = next;
        errno = error;
    }
    return at;
}

/* True if neither exists, but both would have the same name in the same folder. */
static bool is_same_name(const char *a, const char *b)
{
    struct stat first, second;
    const char *slash_a = strrchr(a, '/'), *slash_b = strrchr(b, '/');
    if (strcmp(slash_a ? slash_a + 1 : a, slash_b ? slash_b + 1 : b) != 0) {
        return false;
    }
    char *folder_a = vks_folder_of(a), *folder_b = vks_folder_of(b);
    const bool same = folder_a && folder_b && stat(folder_a, &first) == 0 &&
                      stat(folder_b, &second) == 0 && first.st_dev == second.st_dev &&
                      first.st_ino == second.st_ino;
    free(folder_a);
    free(folder_b);
    return same;
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
    char *target_a = vks_follow_links(a), *target_b = vks_follow_links(b);
    const bool same = target_a && target_b && is_same_name(target_a, target_b);
    free(target_a);
    free(target_b);
    return same;
}

static enum vks_result fail_read(const char *path, int error)
{
    if (error == EINTR) {
        return vks_fail(VKS_INTERRUPTED, "interrupted while waiting for '%s'", path);
    }
    return vks_fail(VKS_ERROR_FILE, "cannot read '%s': %s", path, vks_errno_text(error));
}

static enum vks_result fail_length(const char *path, size_t max)
{
    return vks_fail(VKS_ERROR_FILE, "'%s' is too long: the limit is %zu bytes", path, max);
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
        if (count < 0 && errno == EINTR && !vks_interrupted()) {
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
            result = fail_length(path, max);
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

/* The descriptor, or -1 with the failure in *result. */
static int open_to_read(const char *path, int flags, enum vks_result *result)
{
    int fd;
    do {
        fd = open(path, O_RDONLY | O_CLOEXEC | flags);
    } while (fd < 0 && errno == EINTR && !vks_interrupted());
    *result = fd < 0 ? fail_read(path, errno) : VKS_OK;
    return fd;
}

enum vks_result vks_read_file(const char *path, size_t max, char **text, size_t *size)
{
    enum vks_result result;
    const int fd = open_to_read(path, 0, &result);
    if (fd >= 0) {
        result = read_all(fd, path, max, text, size);
        close(fd);
    }
    return result;
}

enum vks_result vks_read_ready_file(const char *path, size_t max, char **text, size_t *size)
{
    enum vks_result result;
    const int fd = open_to_read(path, O_NONBLOCK, &result); /* reading waits for a writer */
    if (fd >= 0) {
        result = fcntl(fd, F_SETFL, 0) == 0 ? read_all(fd, path, max, text, size)
                                            : fail_read(path, errno);
        close(fd);
    }
    return result;
}

enum vks_result vks_open_regular(const char *path, FILE **file)
{
    enum vks_result result;
    struct stat info;
    const int fd = open_to_read(path, O_NONBLOCK, &result);
    *file = NULL;
    if (fd < 0) {
        return result;
    }
    if (fstat(fd, &info) == 0 && !S_ISREG(info.st_mode)) {
        close(fd);
        return vks_fail(VKS_ERROR_FILE, "cannot read '%s': it is not a regular file", path);
    }
    *file = fdopen(fd, "rb");
    if (!*file) {
        result = fail_read(path, errno);
        close(fd);
    }
    return result;
}

enum vks_result vks_read_regular_file(const char *path, size_t max, char **text, size_t *size)
{
    enum vks_result result;
    struct stat info;
    const int fd = open_to_read(path, O_NONBLOCK, &result);
    if (fd < 0) {
        return result;
    }
    if (fstat(fd, &info) != 0) {
        result = fail_read(path, errno);
    } else if (!S_ISREG(info.st_mode)) {
        result = vks_fail(VKS_ERROR_FILE, "cannot read '%s': it is not a regular file", path);
    } else if ((uintmax_t)info.st_size > max) {
        result = fail_length(path, max);
    } else {
        result = read_all(fd, path, max, text, size);
    }
    close(fd);
    return result;
}

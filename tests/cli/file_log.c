/* SPDX-License-Identifier: MIT */
/* Preloaded by test_power.py: what a process does to the files below the folder FILES_OF. Appends
 * it to the file FILES_LOG, with the data, in the order in which it happened; kills the process
 * before operation number FILES_KILL. With FILES_UNSYNCED=folders, syncs of folders do nothing.
 *
 * A record is a line "OPERATION INODE OFFSET SIZE" and SIZE bytes: data, or names relative to
 * FILES_OF, of which those of a rename are separated by a NUL. What is written to standard output
 * is a "mark". */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#define VISIBLE __attribute__((visibility("default")))
/* The function of that name behind this one. */
#define NEXT(name) ((__typeof__(&(name)))(uintptr_t)dlsym(RTLD_NEXT, #name))

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* Every operation lies between enter() and leave(), so the order of records is that of operations.
 */
static void enter(void)
{
    pthread_mutex_lock(&mutex);
}

static void leave(void)
{
    pthread_mutex_unlock(&mutex);
}

/* Before an operation on a file of the folder. */
static void count_operation(void)
{
    static unsigned long operations;
    const char *last = getenv("FILES_KILL");
    if (last && ++operations == strtoul(last, NULL, 10)) {
        kill(getpid(), SIGKILL);
    }
}

static void put(const char *operation, ino_t inode, off_t offset, const void *data, size_t size)
{
    const char *log = getenv("FILES_LOG");
    const int fd = log ? (int)syscall(SYS_openat, AT_FDCWD, log,
                                      O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600)
                       : -1;
    char head[128];
    const int length = snprintf(head, sizeof(head), "%s %lu %ld %zu\n", operation,
                                (unsigned long)inode, (long)offset, size);
    if (fd >= 0) {
        const bool whole = syscall(SYS_write, fd, head, (size_t)length) == length &&
                           syscall(SYS_write, fd, data, size) == (long)size;
        if (!whole) {
            abort();
        }
        syscall(SYS_close, fd);
    }
}

/* The path relative to the folder, in `name`; NULL if it is elsewhere. */
static const char *relative(int folder, const char *path, char name[4096])
{
    const char *root = getenv("FILES_OF");
    char link[64], base[2048] = "";
    if (!root || !path) {
        return NULL;
    }
    snprintf(link, sizeof(link), folder == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d",
             folder);
    if (path[0] != '/' && readlink(link, base, sizeof(base) - 1) < 0) {
        return NULL;
    }
    snprintf(name, 4096, "%s%s%s", base, path[0] == '/' ? "" : "/", path);
    const size_t length = strlen(root);
    return strncmp(name, root, length) == 0 && name[length] == '/' ? name + length + 1 : NULL;
}

/* The name of an open file or folder ("" for the folder itself); NULL if it is elsewhere or has no
 * name any more. */
static const char *name_of(int fd, char name[4096])
{
    char link[64], path[2048] = "";
    const char *root = getenv("FILES_OF");
    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    if (!root || readlink(link, path, sizeof(path) - 1) < 0 || strstr(path, " (deleted)")) {
        return NULL;
    }
    return strcmp(path, root) == 0 ? "" : relative(AT_FDCWD, path, name);
}

/* --- opening --------------------------------------------------------------------------------- */

static int open_logged(int folder, const char *path, int flags, mode_t mode)
{
    char buffer[4096];
    struct stat info;
    const char *name = relative(folder, path, buffer);
    if (!name || !(flags & (O_CREAT | O_TRUNC))) {
        return (int)syscall(SYS_openat, folder, path, flags | O_LARGEFILE, mode);
    }
    enter();
    const bool is_new = fstatat(folder, path, &info, AT_SYMLINK_NOFOLLOW) != 0;
    count_operation();
    const int fd = (int)syscall(SYS_openat, folder, path, flags | O_LARGEFILE, mode);
    if (fd >= 0 && fstat(fd, &info) == 0 && is_new) {
        put("create", info.st_ino, 0, name, strlen(name));
    } else if (fd >= 0 && (flags & O_TRUNC)) {
        put("truncate", info.st_ino, 0, "", 0);
    }
    leave();
    return fd;
}

#define MODE(last)                                                  \
    va_list list;                                                   \
    va_start(list, last);                                           \
    const mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0; \
    va_end(list)

VISIBLE int open(const char *path, int flags, ...)
{
    MODE(flags);
    return open_logged(AT_FDCWD, path, flags, mode);
}

VISIBLE int openat(int folder, const char *path, int flags, ...)
{
    MODE(flags);
    return open_logged(folder, path, flags, mode);
}

/* --- data ------------------------------------------------------------------------------------ */

/* Writes at the offset, or, if it is negative, at the current position. */
static ssize_t write_logged(int fd, const void *data, size_t size, off_t offset)
{
    char buffer[4096];
    struct stat info;
    const bool is_file = fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
    const bool ours = is_file && name_of(fd, buffer);
    const int flags = is_file ? fcntl(fd, F_GETFL) : 0;
    if (!ours && fd != STDOUT_FILENO) {
        return offset < 0 ? syscall(SYS_write, fd, data, size)
                          : syscall(SYS_pwrite64, fd, data, size, offset);
    }
    enter();
    if (ours) {
        count_operation();
    }
    const off_t at = offset >= 0        ? offset
                     : flags & O_APPEND ? lseek(fd, 0, SEEK_END)
                                        : lseek(fd, 0, SEEK_CUR);
    const ssize_t count = offset < 0 ? syscall(SYS_write, fd, data, size)
                                     : syscall(SYS_pwrite64, fd, data, size, offset);
    if (count > 0) {
        put(ours ? "write" : "mark", ours ? info.st_ino : 0, ours ? at : 0, data, (size_t)count);
    }
    leave();
    return count;
}

VISIBLE ssize_t write(int fd, const void *data, size_t size)
{
    return write_logged(fd, data, size, -1);
}

VISIBLE ssize_t pwrite(int fd, const void *data, size_t size, off_t offset)
{
    return write_logged(fd, data, size, offset);
}

VISIBLE int ftruncate(int fd, off_t length)
{
    char buffer[4096];
    struct stat info;
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || !name_of(fd, buffer)) {
        return (int)syscall(SYS_ftruncate, fd, length);
    }
    enter();
    count_operation();
    const int result = (int)syscall(SYS_ftruncate, fd, length);
    if (result == 0) {
        put("truncate", info.st_ino, length, "", 0);
    }
    leave();
    return result;
}

VISIBLE int truncate(const char *path, off_t length)
{
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    const int result = fd < 0 ? -1 : ftruncate(fd, length);
    if (fd >= 0) {
        syscall(SYS_close, fd);
    }
    return result;
}

/* glibc's own functions do not call write() by its name. */
static ssize_t write_cookie(void *cookie, const char *data, size_t size)
{
    const ssize_t count = write((int)(intptr_t)cookie, data, size);
    return count < 0 ? 0 : count;
}

static int close_cookie(void *cookie)
{
    return close((int)(intptr_t)cookie);
}

VISIBLE FILE *fdopen(int fd, const char *mode)
{
    char buffer[4096];
    const cookie_io_functions_t functions = {.write = write_cookie, .close = close_cookie};
    return mode[0] != 'r' && name_of(fd, buffer)
               ? fopencookie((void *)(intptr_t)fd, mode, functions)
               : NEXT(fdopen)(fd, mode);
}

/* --- syncs ----------------------------------------------------------------------------------- */

VISIBLE int fsync(int fd)
{
    char buffer[4096];
    struct stat info;
    const char *name = name_of(fd, buffer), *unsynced = getenv("FILES_UNSYNCED");
    if (!name || fstat(fd, &info) != 0) {
        return (int)syscall(SYS_fsync, fd);
    }
    enter();
    count_operation();
    /* The tests need no disk: the log says what would be on it. */
    if (S_ISREG(info.st_mode)) {
        put("sync", info.st_ino, 0, name, strlen(name));
    } else if (!unsynced || strcmp(unsynced, "folders") != 0) {
        put("sync_folder", info.st_ino, 0, name, strlen(name));
    }
    leave();
    return 0;
}

/* --- names ----------------------------------------------------------------------------------- */

VISIBLE int rename(const char *from, const char *to)
{
    char buffers[2][4096], names[8192];
    const char *a = relative(AT_FDCWD, from, buffers[0]), *b = relative(AT_FDCWD, to, buffers[1]);
    if (!a || !b) {
        return (int)syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
    }
    enter();
    count_operation();
    const int result = (int)syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
    if (result == 0) {
        const size_t length = strlen(a) + 1;
        memcpy(names, a, length);
        memcpy(names + length, b, strlen(b));
        put("rename", 0, 0, names, length + strlen(b));
    }
    leave();
    return result;
}

static int remove_logged(int folder, const char *path, int flags)
{
    char buffer[4096];
    const char *name = relative(folder, path, buffer);
    if (!name) {
        return (int)syscall(SYS_unlinkat, folder, path, flags);
    }
    enter();
    count_operation();
    const int result = (int)syscall(SYS_unlinkat, folder, path, flags);
    if (result == 0) {
        put(flags & AT_REMOVEDIR ? "rmdir" : "unlink", 0, 0, name, strlen(name));
    }
    leave();
    return result;
}

VISIBLE int unlink(const char *path)
{
    return remove_logged(AT_FDCWD, path, 0);
}

VISIBLE int unlinkat(int folder, const char *path, int flags)
{
    return remove_logged(folder, path, flags);
}

VISIBLE int rmdir(const char *path)
{
    return remove_logged(AT_FDCWD, path, AT_REMOVEDIR);
}

VISIBLE int mkdir(const char *path, mode_t mode)
{
    char buffer[4096];
    const char *name = relative(AT_FDCWD, path, buffer);
    enter();
    if (name) {
        count_operation();
    }
    const int result = (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
    if (name && result == 0) {
        put("mkdir", 0, 0, name, strlen(name));
    }
    leave();
    return result;
}

/* SPDX-License-Identifier: MIT */
/* A file that appears under its name only once it is complete. */
#ifndef VKS_BASE_FILE_H
#define VKS_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <jansson.h>

#include "base/part_file.h"

struct vks_atomic_file {
    char *path;   /* final name, for messages */
    char *target; /* the file that it leads to: `path` without symbolic links */
    struct vks_part_file part;
    bool overwrite; /* commit may replace an existing file */
    bool unsynced;  /* set after begin: commit does not wait for the disk (one still of many) */
};

/* Checks that `path` can be created: its folder exists and is writable, it is not a folder, pipe or
 * device, and it does not exist unless `overwrite`; else VKS_ERROR_EXISTS or VKS_ERROR_FILE.
 * Creates an empty `part` file. Symbolic links are followed, also to a file that does not exist
 * yet. On failure *file is zeroed. */
enum vks_result vks_atomic_file_begin(struct vks_atomic_file *file, const char *path,
                                      bool overwrite);
/* Marks the content as incomplete: an existing target is then kept, and the file gets the name
 * NAME.partial.EXT next to it, as vks_partial_path() describes. Call it before commit. */
enum vks_result vks_atomic_file_keep_old(struct vks_atomic_file *file);
/* Syncs and renames the part file and syncs the folder; the file gets the permissions of a file
 * that it replaces; removes it on failure, unless another program has taken the name in the
 * meantime and `overwrite` is not set: then it remains and the message names it. Frees the names.
 */
enum vks_result vks_atomic_file_commit(struct vks_atomic_file *file);
/* Removes the part file, unless it is kept, and frees the names; a zeroed structure is fine. */
void vks_atomic_file_abort(struct vks_atomic_file *file);

/* Syncs the part file and keeps it (vks_part_file_keep()), so that a later process can continue it.
 * Adds to *position the members of vks_file_describe(). What has been written to it must be
 * flushed. */
enum vks_result vks_atomic_file_hold(struct vks_atomic_file *file, json_t *position);
/* Like vks_atomic_file_begin(), for a part file that an earlier process has held at that position:
 * cuts it to the length that it had. If it has become the complete file meanwhile, it is taken back
 * from there. VKS_ERROR_FILE if it is missing, is shorter, or ends differently there. NULL: there
 * is none, and this is vks_atomic_file_begin(). */
enum vks_result vks_atomic_file_resume(struct vks_atomic_file *file, const char *path,
                                       bool overwrite, const json_t *position);

/* Adds to the object "bytes", the length of the file, and "digest", of its last 64 KiB; the first
 * 128 bytes do not count, because a header may change at the end. VKS_ERROR_FILE if it cannot be
 * read. */
enum vks_result vks_file_describe(const char *path, json_t *position);
/* VKS_ERROR_FILE, which says why `output` cannot be continued, unless the file begins with what the
 * position describes. */
enum vks_result vks_file_verify(const char *output, const char *path, const json_t *position);

/* Wait until the file, or the folder that it is in, is on the disk. Return 0 or an errno. */
int vks_sync_file(const char *path);
int vks_sync_folder_of(const char *path);

/* The path for an incomplete result, to be freed: `path` itself, or if that exists already,
 * NAME.partial.EXT next to it, with a message that says so. */
enum vks_result vks_partial_path(const char *path, char **partial);

/* Like open(), but tries again after signals. */
int vks_open(const char *path, int flags, unsigned mode);
/* Opens a regular file for reading. VKS_ERROR_FILE if it is missing or something else, which is not
 * waited for. */
enum vks_result vks_open_regular(const char *path, FILE **file);

/* True if the name ends in the extension (".png"), in upper or lower case. */
bool vks_has_extension(const char *path, const char *extension);
/* FILE of an option's text "image:FILE", or what follows "points:"; NULL for another text. */
const char *vks_image_file(const char *text);
const char *vks_points_of(const char *text);
/* FILE of "OPTION=FILE:LOW:HIGH", a text of `length` bytes, and its length; NULL for another text.
 */
const char *vks_map_file(const char *text, size_t length, size_t *file_length);

/* The folder of the path, to be freed; NULL if memory ran out. */
char *vks_folder_of(const char *path);

/* Makes the folder and those above it that are missing, for this user alone. Returns 0 or an errno.
 */
int vks_make_folders(const char *path);

/* The value of a variable of the environment. NULL if it is not set, and in programs that run with
 * the rights of another user (setuid), because their caller sets it. */
const char *vks_environment(const char *name);

/* A folder of the user's, a heap string: an absolute path in the variable of the environment, else
 * `fallback` in HOME. VKS_ERROR_FILE without either. */
enum vks_result vks_user_folder(const char *variable, const char *fallback, char **folder);

/* The file that the path leads to through symbolic links, whether it exists or not, to be freed;
 * NULL with errno set: EPERM for a link in a folder with the sticky bit that all users may write
 * to, if neither this user nor the folder's owner owns the link. Links among the folders of the
 * path are not resolved. */
char *vks_follow_links(const char *path);

/* True if both name the same existing file or folder, or if neither exists and a file created by
 * one name would be found by the other. */
bool vks_is_same_file(const char *a, const char *b);

/* Writes everything, despite signals and short writes. Returns 0 or an errno. */
int vks_write_all(int fd, const void *data, size_t size);

/* A readable errno without a full stop: "no space left on the disk". */
const char *vks_errno_text(int error);

/* Returns VKS_ERROR_FILE with the message "cannot write 'PATH': ..." for an errno, and for ENOMEM
 * what vks_fail_memory() does. */
enum vks_result vks_fail_write(const char *path, int error);

/* Returns VKS_ERROR_EXISTS with the message that the output file exists. */
enum vks_result vks_fail_exists(const char *path);

/* Writes a small file: begin, write, commit. */
enum vks_result vks_write_file(const char *path, bool overwrite, const void *data, size_t size);

/* Begins the file, calls `print` and commits. `print` need not check for errors of writing. */
enum vks_result vks_print_file(const char *path, bool overwrite,
                               enum vks_result (*print)(FILE *out, const void *user),
                               const void *user);

/* Reads the whole file into a NUL-terminated string, to be freed; `size` (may be NULL) is its
 * length. VKS_ERROR_FILE if it cannot be read or is longer than `max` bytes. Pipes are fine;
 * VKS_INTERRUPTED after vks_interrupt() while it waits for one. */
enum vks_result vks_read_file(const char *path, size_t max, char **text, size_t *size);
/* The same, but does not wait until a program opens a pipe for writing: one without is empty. */
enum vks_result vks_read_ready_file(const char *path, size_t max, char **text, size_t *size);
/* The same for files that only vksim writes, such as caches: VKS_ERROR_FILE for anything but a
 * regular file of at most `max` bytes, of which nothing is read. */
enum vks_result vks_read_regular_file(const char *path, size_t max, char **text, size_t *size);

#endif

/* SPDX-License-Identifier: MIT */
/* A file that appears under its name only when it is whole. */
#ifndef VKS_BASE_FILE_H
#define VKS_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include <vksim/result.h>

struct vks_atomic_file {
    char *path;     /* final name */
    char *part;     /* where it is written: PATH's folder, name.part-PID (or -PID-N, if taken) */
    bool overwrite; /* commit may replace an existing file */
    bool unsynced;  /* set after begin: commit does not wait for the disk (one still of many) */
};

/* Checks that `path` can become a file: its folder exists and is writable, it is not a folder, pipe
 * or device itself, and it does not exist yet unless `overwrite`. VKS_ERROR_EXISTS or
 * VKS_ERROR_FILE with a sentence otherwise. Creates an empty `part` file. On failure *file is
 * zeroed. */
enum vks_result vks_atomic_file_begin(struct vks_atomic_file *file, const char *path,
                                      bool overwrite);
/* Syncs the part file and renames it; removes it on failure. Only if another program has taken the
 * name meanwhile and there is no `overwrite`, the part file stays and the sentence names it. Frees
 * the names. */
enum vks_result vks_atomic_file_commit(struct vks_atomic_file *file);
/* Removes the part file and frees the names; a zeroed structure is fine. */
void vks_atomic_file_abort(struct vks_atomic_file *file);

/* True if the name ends in ".png", say, in any letter case. */
bool vks_has_extension(const char *path, const char *extension);

/* True if both name the same existing file or folder, or are the same text. */
bool vks_is_same_file(const char *a, const char *b);

/* Writes all of it, across signals and short writes. 0, or the errno that stopped it. */
int vks_write_all(int fd, const void *data, size_t size);

/* What an errno means to a person, without a full stop: "no space left on the disk". */
const char *vks_errno_text(int error);

/* Returns VKS_ERROR_FILE with the sentence "cannot write 'PATH': ..." for an errno. */
enum vks_result vks_fail_write(const char *path, int error);

/* Returns VKS_ERROR_EXISTS with the message that the file to be written exists. */
enum vks_result vks_fail_exists(const char *path);

/* A small file in one go: begin, write, commit. */
enum vks_result vks_write_file(const char *path, bool overwrite, const void *data, size_t size);

/* The whole file as a NUL-terminated heap string, the caller's; `size` (NULL is fine) gets its
 * length. VKS_ERROR_FILE if it cannot be read or is longer than `most` bytes. Pipes are fine. */
enum vks_result vks_read_file(const char *path, size_t most, char **text, size_t *size);

#endif

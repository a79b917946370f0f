/* SPDX-License-Identifier: MIT */
/* Names of outputs with one file per frame: one %d or %0Nd in the last component of a path is
 * replaced by the frame number, and %% by a percent sign. */
#ifndef VKS_FRAMES_NUMBERED_H
#define VKS_FRAMES_NUMBERED_H

#include <stdbool.h>
#include <stdint.h>

#include <vksim/result.h>

struct vks_numbered {
    char *folder; /* with a trailing slash, or "" */
    char *before, *after;
    int digits; /* minimum number of digits; 0: `before` is the whole name */
};

/* Splits a path. VKS_ERROR_USAGE for any other directive. Free with vks_numbered_free(); zeroed on
 * failure. */
enum vks_result vks_numbered_parse(const char *path, struct vks_numbered *names);
void vks_numbered_free(struct vks_numbered *names);

/* The path of frame `number`, a heap string; NULL when memory ran out. */
char *vks_numbered_path(const struct vks_numbered *names, uint64_t number);

/* VKS_ERROR_FILE if a file of one of the first `frames` frames exists (0: of any frame). A folder
 * that cannot be listed passes: each file is checked when it is written. */
enum vks_result vks_numbered_check_new(const struct vks_numbered *names, uint64_t frames);

/* True if `path` may be the file of some frame of `pattern`: the numbers match, and the folders are
 * the same. False if the pattern has no number. */
bool vks_numbered_matches(const char *pattern, const char *path);
/* True if both are patterns, and may name the same file for two frames. */
bool vks_numbered_overlap(const char *a, const char *b);

#endif

/* SPDX-License-Identifier: MIT */
/* Notices when the files of a model of formulas are saved. */
#ifndef VKS_RELOAD_FOLLOW_H
#define VKS_RELOAD_FOLLOW_H

#include "formula/formula.h"

enum { VKS_FOLLOWED_FILES = 8 };

/* What tells that a file is another one. */
struct vks_file_stamp {
    long long seconds, nanoseconds, bytes, inode; /* all 0: there is no file */
};

/* Zero at first. */
struct vks_follow {
    double time; /* of the last look */
    struct vks_file_stamp known[VKS_FOLLOWED_FILES], last[VKS_FOLLOWED_FILES];
};

/* Whether a path is the file of the model, and the model is one of formulas. */
bool vks_follow_is(const struct vks_model *model, const char *path);
/* Begins to follow the files of a model, as they are now. */
void vks_follow_begin(struct vks_follow *follow, const struct vks_model *model);
/* To be called often, with a clock in seconds: whether a file has changed since the last time that
 * this was true, or since the beginning, and is no longer being written. */
bool vks_follow_poll(struct vks_follow *follow, const struct vks_model *model, double now);

#endif

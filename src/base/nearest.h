/* SPDX-License-Identifier: MIT */
/* Lists of names in messages. */
#ifndef VKS_BASE_NEAREST_H
#define VKS_BASE_NEAREST_H

#include <stddef.h>

/* The candidate nearest to `word` by edit distance, or NULL when none is near. `next` walks the
 * candidates: called with 0, 1, 2 ... until it returns NULL. */
const char *vks_nearest(const char *word, const char *(*next)(void *user, size_t index),
                        void *user);

/* The `count` names of a NULL-terminated list that are nearest to `word`, the nearest first,
 * however far they are; NULL where the list has fewer. */
void vks_nearest_few(const char *word, const char *const *list, const char **found, size_t count);

/* " (did you mean 'x'?)" for the nearest of a NULL-terminated list, or "". Returns `buffer`. */
const char *vks_did_you_mean(const char *word, const char *const *list, char *buffer, size_t size);

/* "a, b, c" into `buffer`, cut with "..." if it does not fit. Returns `buffer`. */
const char *vks_join(const char *const *list, char *buffer, size_t size);

#endif

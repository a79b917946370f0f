/* SPDX-License-Identifier: MIT */
#include "base/nearest.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

const char *vks_join(const char *const *list, char *buffer, size_t size)
{
    size_t used = 0;
    buffer[0] = '\0';
    for (size_t i = 0; list[i]; i++) {
        int wrote = snprintf(buffer + used, size - used, "%s%s", i ? ", " : "", list[i]);
        if (wrote < 0 || (size_t)wrote >= size - used) {
            if (size >= 4) {
                memcpy(buffer + size - 4, "...", 4);
            }
            break;
        }
        used += (size_t)wrote;
    }
    return buffer;
}

/* Edits (insert, delete, replace, swap of neighbours) from one word to the other. */
static size_t edit_distance(const char *a, const char *b)
{
    enum { most = 64 };
    size_t n = strlen(a), m = strlen(b);
    if (n >= most || m >= most) {
        return SIZE_MAX; /* near to nothing */
    }
    size_t rows[3][most];
    size_t *before = rows[0], *last = rows[1], *here = rows[2];
    for (size_t j = 0; j <= m; j++) {
        last[j] = j;
        before[j] = 0;
    }
    for (size_t i = 1; i <= n; i++) {
        here[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t best = last[j - 1] + (a[i - 1] != b[j - 1]);
            best = last[j] + 1 < best ? last[j] + 1 : best;
            best = here[j - 1] + 1 < best ? here[j - 1] + 1 : best;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 1 < best) {
                best = before[j - 2] + 1;
            }
            here[j] = best;
        }
        size_t *spare = before;
        before = last;
        last = here;
        here = spare;
    }
    return last[m];
}

/* A beginning is as near as a typing slip. */
static size_t distance_of(const char *word, const char *candidate)
{
    const size_t distance = edit_distance(word, candidate);
    const bool begins = strlen(word) >= 3 && strncmp(word, candidate, strlen(word)) == 0;
    return begins && distance > 1 ? 1 : distance;
}

const char *vks_nearest(const char *word, const char *(*next)(void *user, size_t index), void *user)
{
    const char *best = NULL;
    size_t least = 1 + strlen(word) / 3;
    for (size_t i = 0;; i++) {
        const char *candidate = next(user, i);
        if (!candidate) {
            return best;
        }
        const size_t distance = distance_of(word, candidate);
        if (distance <= least) {
            if (!best || distance < least) {
                best = candidate;
            }
            least = distance;
        }
    }
}

void vks_nearest_few(const char *word, const char *const *list, const char **found, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        found[i] = NULL;
    }
    for (size_t i = 0; list[i]; i++) {
        size_t at = count;
        while (at > 0 &&
               (!found[at - 1] || distance_of(word, list[i]) < distance_of(word, found[at - 1]))) {
            at--;
        }
        for (size_t k = count; k > at + 1; k--) {
            found[k - 1] = found[k - 2];
        }
        if (at < count) {
            found[at] = list[i];
        }
    }
}

static const char *next_in_list(void *user, size_t index)
{
    const char *const *list = user;
    return list[index];
}

const char *vks_did_you_mean(const char *word, const char *const *list, char *buffer, size_t size)
{
    /* The callback takes a plain pointer; the list is only read. */
    const char *near = vks_nearest(word, next_in_list, (void *)(uintptr_t)list);
    if (near) {
        snprintf(buffer, size, " (did you mean '%s'?)", near);
    } else {
        buffer[0] = '\0';
    }
    return buffer;
}

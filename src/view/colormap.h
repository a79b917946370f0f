/* SPDX-License-Identifier: MIT */
/* Colour maps of 256 entries: built-in ones, and the user's own from files. */
#ifndef VKS_VIEW_COLORMAP_H
#define VKS_VIEW_COLORMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vksim/result.h>

struct vks_colormap {
    uint32_t entries[256]; /* red in the low byte, then green, blue, alpha (255) */
    bool discrete;         /* distinct colours: not interpolated */
};

/* Uses of maps, for --list. */
enum vks_colormap_group {
    VKS_COLORMAP_SEQUENTIAL, /* from low to high */
    VKS_COLORMAP_DIVERGING,  /* from the middle to either end, for values of both signs */
    VKS_COLORMAP_CYCLIC,     /* the ends meet */
    VKS_COLORMAP_DISCRETE,   /* a few distinct colours */
    VKS_COLORMAP_LANDSCAPE,  /* a field as terrain, with edges between its types */
    VKS_COLORMAP_GROUPS
};

/* The names that vks_colormap_load() knows, NULL-terminated, group by group. */
extern const char *const vks_colormap_names[];
/* "sequential", ... */
extern const char *const vks_colormap_group_names[VKS_COLORMAP_GROUPS];
/* Of the map with that position in vks_colormap_names. */
enum vks_colormap_group vks_colormap_group(size_t map);

/* `text` if it is a file; NULL if it is the name of a map. */
const char *vks_colormap_file(const char *text);

/* Loads the map named `text`, in upper or lower case, reversed with the suffix "_r"; otherwise the
 * file `text`:
 * - a PNG image, detected by content: the middle row or, if it is higher than wide, the middle
 *   column, from left to right or top to bottom; alpha is ignored. 256 pixels are the entries; with
 *   another number n (2 or more) entry i is at i (n - 1) / 255 and is interpolated linearly in
 *   integers, rounded down.
 * - otherwise text: 256 rows of red, green and blue, separated by a comma, semicolon or spaces. If
 *   no number is over 1 they are fractions, and a byte is floor(x 255); otherwise they must be
 *   integers from 0 to 255. Empty rows, comments starting with '#', and one row of words before the
 *   first numbers are ignored.
 * `text` is the value of --colormap in messages. VKS_ERROR_USAGE if it is neither a map nor a file
 * (with the most similar map), VKS_ERROR_FILE if the file cannot be read or is not a map. *map is
 * set on success only. */
enum vks_result vks_colormap_load(const char *text, struct vks_colormap *map);

#endif

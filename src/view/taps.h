/* SPDX-License-Identifier: MIT */
/* What a line (a column or a row) of a resized field is made of: the weights that
 * shaders/view/resample.glsl sums by. Means when lines become fewer, Lanczos when they become more;
 * docs/pictures.md. Pure functions, the same on every machine. */
#ifndef VKS_VIEW_TAPS_H
#define VKS_VIEW_TAPS_H

#include <stdint.h>

/* Of a field's `side` lines, `length` from line `from` on become `size`. None is 0. */
struct vks_resized_axis {
    uint32_t side, from, length, size;
};

/* The field's lines that resized line i is made of. Those of a mean lie in the part; Lanczos looks
 * over its edge, so that a part is cut out of the whole as that would be. */
void vks_taps_of(const struct vks_resized_axis *axis, uint32_t i, uint32_t *first, uint32_t *count);
/* Upper bound of *count. */
uint32_t vks_max_taps(const struct vks_resized_axis *axis);

/* The table of an axis: `size` first lines, `size` counts, then the weights as the bits of float32,
 * the first of every resized line before the second ones. Those of a line add up to 1. */
uint64_t vks_taps_words(const struct vks_resized_axis *axis);
void vks_fill_taps(const struct vks_resized_axis *axis, uint32_t *words); /* zeroed */

#endif

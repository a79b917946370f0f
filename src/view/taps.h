/* SPDX-License-Identifier: MIT */
/* Filter taps of the lines (columns or rows) of a resized field, for shaders/view/resample.glsl:
 * means for fewer lines, Lanczos for more; docs/pictures.md. Pure functions, identical on every
 * machine. */
#ifndef VKS_VIEW_TAPS_H
#define VKS_VIEW_TAPS_H

#include <stdint.h>

/* `length` of a field's `side` lines, from line `from` on, are resized to `size`. None is 0. */
struct vks_resized_axis {
    uint32_t side, from, length, size;
};

/* The field's lines that contribute to resized line i. Those of a mean are inside the part; Lanczos
 * includes lines beyond it, so that cropping equals resizing the whole and cutting. */
void vks_taps_of(const struct vks_resized_axis *axis, uint32_t i, uint32_t *first, uint32_t *count);
/* Upper bound of *count. */
uint32_t vks_max_taps(const struct vks_resized_axis *axis);

/* The table of an axis: `size` first lines, `size` counts, then the weights as bits of float32, the
 * first weight of every resized line before the second ones. The weights of a line sum to 1. */
uint64_t vks_taps_words(const struct vks_resized_axis *axis);
void vks_fill_taps(const struct vks_resized_axis *axis, uint32_t *words); /* zeroed */

#endif

/* SPDX-License-Identifier: MIT */
/* A palette for a whole animation, and dithering with it. Computed on the CPU with the C library,
 * so the results may differ between machines. */
#ifndef VKS_FRAMES_QUANTISE_H
#define VKS_FRAMES_QUANTISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A histogram of colours, in 64 steps per channel. */
struct vks_colour_counts;

struct vks_colour_counts *vks_colour_counts_create(void);         /* NULL when memory ran out */
void vks_colour_counts_destroy(struct vks_colour_counts *counts); /* NULL is fine */
/* Adds a colour that occurred `times` times. */
void vks_colour_count(struct vks_colour_counts *counts, const uint8_t rgb[3], uint64_t times);

/* Chooses up to `max` (at most 256) colours with the smallest perceived error for the histogram.
 * Returns their number, 0 when memory ran out. */
size_t vks_palette_make(const struct vks_colour_counts *counts, size_t max,
                        uint8_t palette[256][3]);

/* A colour dithered from two of a palette: `second` in `share` of 64 pixels. */
struct vks_mixture {
    uint8_t first, second, share;
};

/* A palette and its colours in OKLab. */
struct vks_mixer {
    size_t count;
    uint8_t palette[256][3];
    float looks[256][3];
};

/* `mixer->palette` and `count` are set; fills the rest. */
void vks_mixer_prepare(struct vks_mixer *mixer);
/* The mixture that best approximates `rgb` with two colours close to each other. */
struct vks_mixture vks_mixer_find(const struct vks_mixer *mixer, const uint8_t rgb[3]);
/* Whether a change between two colours of the palette is invisible. */
bool vks_mixer_alike(const struct vks_mixer *mixer, size_t one, size_t other);
/* The colour of the pixel at (x, y): ordered dithering, which does not flicker. */
uint8_t vks_mixture_at(const struct vks_mixture *mixture, uint32_t x, uint32_t y);

#endif

/* SPDX-License-Identifier: MIT */
/* A palette for a whole animation, and how its colours are mixed from it. Computed by the host: not
 * promised to be the same bytes on every machine. */
#ifndef VKS_FRAMES_QUANTISE_H
#define VKS_FRAMES_QUANTISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Colours counted in 64 steps a channel. */
struct vks_colour_counts;

struct vks_colour_counts *vks_colour_counts_create(void);         /* NULL when memory ran out */
void vks_colour_counts_destroy(struct vks_colour_counts *counts); /* NULL is fine */
/* A colour that came `times` times. */
void vks_colour_count(struct vks_colour_counts *counts, const uint8_t rgb[3], uint64_t times);

/* Up to `most` (at most 256) colours that serve what was counted best, by how different they look;
 * how many are used is returned, 0 when memory ran out. */
size_t vks_palette_make(const struct vks_colour_counts *counts, size_t most,
                        uint8_t palette[256][3]);

/* A colour as a mixture of two of a palette: `second` in `share` of 64 pixels. */
struct vks_mixture {
    uint8_t first, second, share;
};

/* A palette with what finding a mixture needs. */
struct vks_mixer {
    size_t count;
    uint8_t palette[256][3];
    float looks[256][3];
};

/* `mixer->palette` and `count` are set; fills the rest. */
void vks_mixer_prepare(struct vks_mixer *mixer);
/* The two colours that lie nearest to each other and to `rgb`, mixed. */
struct vks_mixture vks_mixer_find(const struct vks_mixer *mixer, const uint8_t rgb[3]);
/* Whether two colours of the palette look the same when one follows the other. */
bool vks_mixer_alike(const struct vks_mixer *mixer, size_t one, size_t other);
/* Which of the two the pixel at (x, y) gets: an ordered pattern that stands still in time. */
uint8_t vks_mixture_at(const struct vks_mixture *mixture, uint32_t x, uint32_t y);

#endif

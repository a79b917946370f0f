/* SPDX-License-Identifier: MIT */
/* Colour maps of 256 entries. */
#ifndef VKS_OUT_COLORMAP_H
#define VKS_OUT_COLORMAP_H

#include <stddef.h>
#include <stdint.h>

/* Names for the option table, NULL-terminated; the position is the map. */
extern const char *const vks_colormap_names[];

/* The map with that position: 256 words, red in the low byte, alpha 255. Exact: linear
 * interpolation of anchors in double, then floor(x 255). */
void vks_colormap_fill(size_t map, uint32_t palette[256]);

#endif

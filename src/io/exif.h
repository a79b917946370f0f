/* SPDX-License-Identifier: MIT */
/* The orientation in an image's Exif data. */
#ifndef VKS_IO_EXIF_H
#define VKS_IO_EXIF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vksim/result.h>

/* The orientation, 1 to 8, in Exif data that begin with their TIFF header; 1 (upright) if there is
 * none, or if the data are damaged. Any bytes are fine. */
unsigned vks_exif_orientation(const uint8_t *tiff, size_t size);

/* True if an image with that orientation is stored with width and height swapped. */
bool vks_exif_is_turned(unsigned orientation);

/* Turns and mirrors heap pixels [*height][*width], stored with that orientation, so that they are
 * upright, and swaps width and height where needed. On failure nothing changes. */
enum vks_result vks_exif_apply(unsigned orientation, uint32_t **pixels, uint32_t *width,
                               uint32_t *height);

#endif

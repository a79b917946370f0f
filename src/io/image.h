/* SPDX-License-Identifier: MIT */
/* Images from outside: PNG and JPEG. */
#ifndef VKS_IO_IMAGE_H
#define VKS_IO_IMAGE_H

#include <stdint.h>

#include <vksim/result.h>

/* Reads a PNG or JPEG (told by content, not name), takes the brightness
 * L = (299 R + 587 G + 114 B) / 1000 (alpha over black, 16 bit PNG through its high byte; gamma,
 * colour profiles and Exif orientation are ignored), divides by 255, resizes to width x height
 * (1 or more) with a separable Lanczos (a = 3) filter, widened by the scale when shrinking, edges
 * renormalised, and clips to [0, 1]. At the image's own size that is L / 255 itself, and an even
 * image stays even. *brightness is a heap array [height][width], the caller's; NULL on failure.
 * Exact: brightness is summed in whole numbers, the weights come from this module's own sine in
 * double, sums run in a fixed order, so equal pixels give the same bytes on every machine. The
 * pixels of a PNG are exact too. Those of a JPEG are what the installed libjpeg decodes, with its
 * accurate integer transform: the JPEG standard leaves their last bits open, so another libjpeg may
 * give others; convert to PNG where that matters.
 * VKS_ERROR_FILE: missing, no regular file, truncated, damaged, neither PNG nor JPEG, a CMYK JPEG,
 * over 65535 pixels a side or 2^28 pixels in all. */
enum vks_result vks_image_brightness(const char *path, uint32_t width, uint32_t height,
                                     float **brightness);

/* The pixels themselves, row 0 at the top, four bytes each: red, green, blue, alpha (16 bit through
 * its high byte, grey and palettes as their colours, no alpha as 255). A heap array
 * [height][width][4], the caller's; NULL on failure. Takes and refuses what the function above
 * does. */
enum vks_result vks_image_rgba(const char *path, uint32_t *width, uint32_t *height, uint8_t **rgba);

/* The same in another size, 1 or more a side: resized like a brightness, colours weighted by their
 * alpha, which is straight, and rounded to the nearest byte; where alpha is 0 colours are 0. Only
 * `rows` of its rows from row `first` on: an array [rows][width][4]. */
enum vks_result vks_image_resized(const char *path, uint32_t width, uint32_t height, uint32_t first,
                                  uint32_t rows, uint8_t **rgba);

#endif

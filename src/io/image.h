/* SPDX-License-Identifier: MIT */
/* Input images: PNG and JPEG. */
#ifndef VKS_IO_IMAGE_H
#define VKS_IO_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#include <vksim/result.h>

/* Images are upright: the Exif orientation of a JPEG or PNG is applied. Gamma and colour profiles
 * are ignored. */

/* How an image is fitted to another aspect ratio: COVER fills everything and cuts two opposite
 * edges evenly, CONTAIN shows the whole image centred on black, STRETCH distorts the image. */
enum vks_image_fit { VKS_IMAGE_COVER, VKS_IMAGE_CONTAIN, VKS_IMAGE_STRETCH };
extern const char *const vks_image_fit_names[]; /* NULL-terminated, by enum vks_image_fit */

/* Reads a PNG or JPEG (detected by content), takes the brightness L = (299 R + 587 G + 114 B) /
 * 1000 (alpha over black, 16 bit PNG through its high byte), divides by 255, resizes to width x
 * height (1 or more) with a separable Lanczos (a = 3) filter, widened by the scale when shrinking,
 * edges renormalised, and clips to [0, 1]. At the image's own size the result is exactly L / 255,
 * and a uniform image stays uniform, except for cells of VKS_IMAGE_CONTAIN with their centre
 * outside the image, which are 0. With equal aspect ratios all fits are the same.
 * *brightness is a heap array [height][width], to be freed; NULL on failure. Exact: brightness is
 * summed in integers, weights use this module's own sine in double, and sums have a fixed order, so
 * equal pixels give identical bytes on every machine. The pixels of a PNG are exact, too. Those of
 * a JPEG are decoded by the installed libjpeg with its accurate integer transform; the JPEG
 * standard does not define their last bits, so libraries may differ. Convert to PNG where that
 * matters. VKS_ERROR_FILE: missing, not a regular file, truncated, damaged, neither PNG nor JPEG, a
 * CMYK JPEG, over 65535 pixels wide or high, or over 2^28 pixels. */
enum vks_result vks_image_brightness(const char *path, uint32_t width, uint32_t height,
                                     enum vks_image_fit fit, float **brightness);

/* The size of the upright image, without decoding it. Errors as above, except that damage after the
 * header may go unnoticed. */
enum vks_result vks_image_size(const char *path, uint32_t *width, uint32_t *height);

/* The pixels, row 0 at the top, four bytes each: red, green, blue, alpha (high byte of 16 bits,
 * grey and palettes as colours, 255 without alpha). A heap array [height][width][4], to be freed;
 * NULL on failure. Errors as above. */
enum vks_result vks_image_rgba(const char *path, uint32_t *width, uint32_t *height, uint8_t **rgba);

/* The same of an image in memory, which `name` names in messages. */
enum vks_result vks_image_decode(const void *bytes, size_t size, const char *name, uint32_t *width,
                                 uint32_t *height, uint8_t **rgba);

/* The same as vks_image_rgba(), resized like a brightness (stretched) to 1 or more pixels each way.
 * Colours are weighted by alpha (straight, not premultiplied) and rounded to the nearest byte; they
 * are 0 where alpha is 0. Only `rows` rows from row `first` on: an array [rows][width][4]. */
enum vks_result vks_image_resized(const char *path, uint32_t width, uint32_t height, uint32_t first,
                                  uint32_t rows, uint8_t **rgba);

#endif

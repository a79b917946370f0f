/* SPDX-License-Identifier: MIT */
/* Resizing of one channel, and its filter. */
#ifndef VKS_IO_RESIZE_H
#define VKS_IO_RESIZE_H

#include <stdint.h>

#include <vksim/result.h>

enum { VKS_LANCZOS_RADIUS = 3 }; /* the a of Lanczos */

/* The Lanczos filter at x, in double with this module's own sine: identical on every machine; 1 at
 * 0, exactly 0 at other integers and from the radius on. */
double vks_lanczos(double x);

/* Resizes `pixels` [height][width], integers in units of 1/`full`, to `resized`
 * [new_height][new_width] with a separable Lanczos (a = 3) filter and clips to [0, 1]; see
 * io/image.h. The filter is widened by the scale when shrinking; weights outside the image are
 * dropped and the others normalised. All sizes are 1 or more. Only computes `rows` rows from row
 * `first` on. Only fails if memory runs out. */
enum vks_result vks_resize(const uint32_t *pixels, uint32_t width, uint32_t height, double full,
                           float *resized, uint32_t new_width, uint32_t new_height, uint32_t first,
                           uint32_t rows);

/* A rectangle in pixels; may reach beyond the image. */
struct vks_window {
    double x, y, width, height;
};

/* The same, of a window instead of the whole image. Pixels around the window contribute to its
 * edge; results whose centre is outside the image are 0. */
enum vks_result vks_resize_window(const uint32_t *pixels, uint32_t width, uint32_t height,
                                  double full, float *resized, uint32_t new_width,
                                  uint32_t new_height, uint32_t first, uint32_t rows,
                                  const struct vks_window *window);

#endif

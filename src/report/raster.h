/* SPDX-License-Identifier: MIT */
/* Pictures of SVG as PNG. rsvg-convert (librsvg) draws them, as a program of its own, so that vksim
 * neither needs nor loads its libraries. */
#ifndef VKS_REPORT_RASTER_H
#define VKS_REPORT_RASTER_H

#include <stdbool.h>

#include <vksim/result.h>

/* VKS_ERROR_USAGE with a message if there is no rsvg-convert. */
enum vks_result vks_raster_available(void);

/* Draws the SVG at twice its size. The file is complete or not there. */
enum vks_result vks_raster_write(const char *path, bool overwrite, const char *svg);

#endif

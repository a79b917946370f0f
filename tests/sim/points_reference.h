/* SPDX-License-Identifier: MIT */
/* Points counted on a picture (docs/pictures.md) in plain C: the values that every device must
 * produce. */
#ifndef VKS_TESTS_SIM_POINTS_REFERENCE_H
#define VKS_TESTS_SIM_POINTS_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct points_reference {
    uint32_t width, height, depth; /* of the box, in cells */
    size_t count;
    const uint32_t *z, *y, *x;                        /* positions; z may be NULL in a flat box */
    const float *tint[3];                             /* one field or three: of soft points */
    char axis;                                        /* 'x', 'y', 'z'; 0: a camera */
    uint32_t part_x, part_y, part_width, part_height; /* in cells of the plane */
    double azimuth, elevation, spin, zoom;            /* of a camera; angles in degrees */
    uint32_t step;                                    /* of the spin */
    uint32_t picture_width, picture_height;
};

/* The number of points per pixel, as float32. */
void points_count(const struct points_reference *points, float *values);

/* Values of soft points, as float32, and their tints. */
void points_splat(const struct points_reference *points, float *values, uint32_t *tints);

#endif

/* SPDX-License-Identifier: MIT */
/* A volume seen by a camera (docs/pictures.md) in plain C: the values that every device must
 * produce. */
#ifndef VKS_TESTS_SIM_RAYS_REFERENCE_H
#define VKS_TESTS_SIM_RAYS_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

struct rays_reference {
    uint32_t width, height, depth; /* of the volume, in cells */
    const float *cells;
    double azimuth, elevation, spin, zoom; /* angles in degrees */
    uint32_t step;                         /* of the spin */
    bool column;                           /* else soft */
    uint32_t picture_width, picture_height;
};

void rays_cast(const struct rays_reference *rays, float *values);

#endif

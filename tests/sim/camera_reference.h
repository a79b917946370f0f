/* SPDX-License-Identifier: MIT */
/* Cameras of pictures (docs/pictures.md), for the references of points and of rays. */
#ifndef VKS_TESTS_SIM_CAMERA_REFERENCE_H
#define VKS_TESTS_SIM_CAMERA_REFERENCE_H

#include <math.h>
#include <stdint.h>

#include "base/exact.h"

/* Degrees as a binary angle. */
static inline uint32_t camera_angle(double degrees)
{
    const double full = fmod(degrees, 360) / 360;
    return (uint32_t)(int64_t)floor((full - floor(full)) * 4294967296.0 + 0.5);
}

/* Pixels per cell of a box with these sides, for the sine and cosine of the elevation. */
static inline double camera_scale(const uint32_t sides[3], const uint32_t picture[2], vks_vec2 tilt,
                                  double zoom)
{
    const double w = sides[0], h = sides[1], d = sides[2];
    const double wide = sqrt(w * w + h * h);
    const double high = wide * fabs((double)tilt.x) + d * (double)tilt.y;
    return zoom * fmin(picture[0] / wide, picture[1] / high);
}

#endif

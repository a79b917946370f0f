/* SPDX-License-Identifier: MIT */
/* Error bounds of kernels that are not exact, from the precision that Vulkan requires of float32
 * (docs/ladder/softmax.md has the derivations). */
#ifndef VKS_LADDER_KERNELS_BOUND_H
#define VKS_LADDER_KERNELS_BOUND_H

#include <math.h>

#include "ladder/ladder.h"

/* A unit in the last place of float32 is at most this share of a number. The rounding mode is the
 * driver's choice, so an addition or a multiplication may be wrong by one unit. */
#define VKS_ULP 0x1p-23

/* What is smaller may become zero. Divisors beyond 2^126 count, too, whose reciprocals do. */
#define VKS_UNDERFLOW 0x1p-118

/* The expected value of an element that is stored as `element`, where float32 arithmetic is wrong
 * by at most `relative` of it. Rounding to float16 adds 2^-10, and may make zero of what is below
 * its smallest normal number. */
static inline struct vks_expected vks_expected_rounded(double value, double relative,
                                                       enum vks_element element)
{
    const double size = fabs(value);
    double bound = size * relative + VKS_UNDERFLOW;
    if (element == VKS_F16) {
        bound += size * 0x1p-10 + fmin(size, 0x1p-14);
    }
    return (struct vks_expected){.value = value, .bound = bound};
}

#endif

// SPDX-License-Identifier: MIT
// The binomial weights over which a picture of headings is smoothed, along each axis.
#ifndef VKS_PHYSARUM_HEADINGS_GLSL
#define VKS_PHYSARUM_HEADINGS_GLSL

#include "physarum/params.h"

VKS_CONSTANTS(physarum_params);

// Of tap i of PHYSARUM_HEADING_TAPS: 1, 8, 28, 56, 70, ... of 256.
float heading_weight(uint i)
{
    uint from_end = min(i, PHYSARUM_HEADING_TAPS - 1u - i);
    return from_end == 0u   ? 1.0f
           : from_end == 1u ? 8.0f
           : from_end == 2u ? 28.0f
           : from_end == 3u ? 56.0f
                            : 70.0f;
}

// What leads from a coordinate to that of its first tap, modulo the side.
uint heading_back(uint side)
{
    return PHYSARUM_HEADING_TAPS / 2u * (side - 1u);
}
#endif

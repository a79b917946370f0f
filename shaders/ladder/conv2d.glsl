// SPDX-License-Identifier: MIT
// Convolution with a square filter, or correlation, which does not mirror it: element (x, y) is the
// sum of weight (i, j) * source (x + i - SIDE / 2, y + j - SIDE / 2). Beyond the matrix is zero.
#ifndef VKS_LADDER_CONV2D_GLSL
#define VKS_LADDER_CONV2D_GLSL

#include "lib/pass.glsl"
#include "ladder/access.glsl"
#include "ladder/rung.h"

VKS_CONSTANTS(rung_params);

layout(constant_id = 0) const uint SIDE = 3u;
const uint HALF = SIDE / 2u;

// Coordinates below 0 wrap, so one comparison finds both ends.
bool is_inside(uint x, uint y)
{
    return x < constants.width && y < constants.height;
}

#endif

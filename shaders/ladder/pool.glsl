// SPDX-License-Identifier: MIT
// Pooling: element (x, y) is the maximum or the mean of the WINDOW x WINDOW elements of the source
// from (x * STRIDE, y * STRIDE) on.
#ifndef VKS_LADDER_POOL_GLSL
#define VKS_LADDER_POOL_GLSL

#include "lib/pass.glsl"
#include "ladder/access.glsl"
#include "ladder/pool_params.h"

VKS_CONSTANTS(pool_params);

layout(constant_id = 0) const uint WINDOW = 2u;
layout(constant_id = 1) const uint STRIDE = 2u;
layout(constant_id = 2) const bool IS_MEAN = false;

const float nothing = IS_MEAN ? 0.0 : -3.40282347e38;

vec4 join(vec4 a, vec4 b)
{
    return IS_MEAN ? a + b : max(a, b);
}

float join(float a, float b)
{
    return IS_MEAN ? a + b : max(a, b);
}

vec4 finish(vec4 joined)
{
    return IS_MEAN ? joined / float(WINDOW * WINDOW) : joined;
}

#endif

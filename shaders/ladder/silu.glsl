// SPDX-License-Identifier: MIT
// SiLU, x / (1 + exp(-x)), as IEEE arithmetic evaluates it: NaN at NaN and at -infinity, whose
// quotient is -infinity / infinity, infinity at infinity.
#ifndef VKS_LADDER_SILU_GLSL
#define VKS_LADDER_SILU_GLSL

#include "lib/pass.glsl"
#include "ladder/rung.h"

VKS_CONSTANTS(rung_params);

vec4 silu(vec4 x)
{
    return x / (1.0 + exp(-x));
}

#endif

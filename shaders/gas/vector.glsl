// SPDX-License-Identifier: MIT
// Vectors of three axes. docs/sims/gas.md.
#ifndef VKS_GAS_VECTOR_GLSL
#define VKS_GAS_VECTOR_GLSL

#include "lib/exact.glsl"

vec3 flush(vec3 v)
{
    return vec3(vks_flush(v.x), vks_flush(v.y), vks_flush(v.z));
}

float square(vec3 v)
{
    precise vec3 squares = v * v;
    precise float sum = squares.x + squares.y;
    sum = sum + squares.z;
    return sum;
}
#endif

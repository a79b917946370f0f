// SPDX-License-Identifier: MIT
// What the field passes share: where the field ends, and the last of its arithmetic.
#ifndef VKS_PHYSARUM_FIELD_GLSL
#define VKS_PHYSARUM_FIELD_GLSL
#include "lib/exact.glsl"
#include "physarum/params.h"

layout(constant_id = 2) const uint boundary = PHYSARUM_PERIODIC;

VKS_CONSTANTS(physarum_params);

// A coordinate that is outside by at most the largest radius, 31, brought back into the side.
uint wrap(int at, uint side)
{
    return (uint(at) + 64u * side) % side;
}

// T of the next step from D and the sum of the square around it.
float diffused(float d, float sum)
{
    precise float mean = sum * constants.inverse_area;
    precise float kept = constants.sharp * d;
    precise float blurred = constants.blurred * mean;
    precise float t = kept + blurred;
    t = constants.keep * t;
    return vks_flush(t);
}
#endif

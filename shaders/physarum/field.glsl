// SPDX-License-Identifier: MIT
// What the field passes share: the trail with this step's deposits, and where the field ends.
#ifndef VKS_PHYSARUM_FIELD_GLSL
#define VKS_PHYSARUM_FIELD_GLSL
#include "lib/exact.glsl"
#include "physarum/params.h"

layout(constant_id = 2) const uint boundary = PHYSARUM_PERIODIC;

VKS_CONSTANTS(physarum_params);

layout(std430, set = 0, binding = 0) readonly buffer trail
{
    float trails[];
};
layout(std430, set = 0, binding = 1) readonly buffer deposits
{
    uint counts[];
};

// D: the trail of a cell and what its agents left.
float deposited(uint index)
{
    precise float d = trails[index] + float(counts[index]) * constants.deposit;
    return d;
}

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

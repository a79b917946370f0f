// SPDX-License-Identifier: MIT
// The trail with this step's deposits, one cell at a time.
#ifndef VKS_PHYSARUM_CELLS_GLSL
#define VKS_PHYSARUM_CELLS_GLSL
#include "physarum/field.glsl"

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

#endif

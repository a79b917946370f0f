// SPDX-License-Identifier: MIT
// The trail with this step's deposits, one cell at a time.
#ifndef VKS_PHYSARUM_CELLS_GLSL
#define VKS_PHYSARUM_CELLS_GLSL
#include "physarum/field.glsl"

VKS_FIELD(0, readonly, trail, float, trails);
VKS_FIELD(1, readonly, deposits, uint, counts);

// D: the trail of a cell plus its agents' deposits.
float deposited(uint index)
{
    precise float d = VKS_AT(trails, index) + float(VKS_AT(counts, index)) * constants.deposit;
    return d;
}

#endif

// SPDX-License-Identifier: MIT
// Drops on still water.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "drop.glsl"

VKS_FIELD(0, writeonly, surface, float, heights);

void main()
{
    uvec3 size = uvec3(constants.width, constants.height, 1u);
    uvec3 cell = vks_cell(size);
    if (!vks_inside(cell, size)) {
        return;
    }
    precise float sum = 0.0f;
    for (uint i = 0u; i < constants.drops; i++) {
        uvec3 drop = constants.middle == 1u ? size / 2u : random_cell(size, i);
        sum = sum + drop_at(cell, size, drop);
    }
    VKS_AT(heights, vks_index(cell, size)) = sum;
}

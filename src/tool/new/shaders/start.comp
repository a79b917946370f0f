// SPDX-License-Identifier: MIT
// Piles in random cells.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/grid.glsl"
#include "lib/exact.glsl"
#include "constants.glsl"

VKS_FIELD(0, writeonly, amount, float, amounts);

void main()
{
    uvec3 size = uvec3(constants.width, constants.height, 1u);
    uvec3 cell = vks_cell(size);
    if (!vks_inside(cell, size)) {
        return;
    }
    uint near = 0u;
    for (uint i = 0u; i < constants.piles; i++) {
        uvec4 words = vks_random(constants.seed, i, 0u, 0u);
        ivec2 away = ivec2(cell.xy) - ivec2(vks_high(words.x, size.x), vks_high(words.y, size.y));
        near += away.x * away.x + away.y * away.y < 25 ? 1u : 0u;
    }
    VKS_AT(amounts, vks_index(cell, size)) = float(near);
}

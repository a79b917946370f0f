// SPDX-License-Identifier: MIT
// Drops on still water: each a bump (1 - (d / radius)^2)^2 about its centre.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/grid.glsl"
#include "lib/exact.glsl"
#include "waves/params.h"

layout(constant_id = 0) const uint start = WAVES_DROPS;

VKS_CONSTANTS(waves_start);

layout(std430, set = 0, binding = 0) writeonly buffer surface
{
    float heights[];
};

// How far two coordinates are apart where the edges meet.
uint apart(uint a, uint b, uint side)
{
    uint d = a > b ? a - b : b - a;
    return min(d, side - d);
}

void main()
{
    uvec3 size = uvec3(constants.width, constants.height, constants.depth);
    uvec3 cell = vks_cell(size);
    if (!vks_inside(cell, size)) {
        return;
    }
    precise float sum = 0.0f;
    for (uint i = 0u; i < constants.drops; i++) {
        uvec3 drop = size / 2u;
        if (start == WAVES_DROPS) {
            uvec4 r = vks_random(constants.seed, i, 0u, 0u);
            drop.x = vks_high(r.x, size.x);
            drop.y = vks_high(r.y, size.y);
        }
        uint dx = apart(cell.x, drop.x, size.x);
        uint dy = apart(cell.y, drop.y, size.y);
        uint square = dx * dx + dy * dy;
        if (square < constants.radius * constants.radius) {
            precise float share = 1.0f - float(square) * constants.inverse_area;
            precise float bump = share * share;
            sum = sum + bump;
        }
    }
    heights[vks_index(cell, size)] = sum;
}

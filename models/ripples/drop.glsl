// SPDX-License-Identifier: MIT
// A drop: a bump (1 - (d / radius)^2)^2 about its centre, on a pool whose edges meet.
#include "lib/grid.glsl"
#include "lib/exact.glsl"
#include "constants.glsl"

// How far two coordinates are apart where the edges meet.
uint apart(uint a, uint b, uint side)
{
    uint d = a > b ? a - b : b - a;
    return min(d, side - d);
}

// The height that the drop of a number adds to a cell.
float drop_at(uvec3 cell, uvec3 size, uvec3 drop)
{
    uint dx = apart(cell.x, drop.x, size.x);
    uint dy = apart(cell.y, drop.y, size.y);
    uint square = dx * dx + dy * dy;
    if (square >= constants.radius * constants.radius) {
        return 0.0f;
    }
    precise float share = 1.0f - float(square) * constants.inverse_area;
    precise float bump = share * share;
    return bump;
}

// A random cell, for a number.
uvec3 random_cell(uvec3 size, uint number)
{
    uvec4 words = vks_random(constants.seed, number, 0u, 0u);
    return uvec3(vks_high(words.x, size.x), vks_high(words.y, size.y), 0u);
}

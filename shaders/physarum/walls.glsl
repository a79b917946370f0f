// SPDX-License-Identifier: MIT
// Cells that agents and trail cannot enter: docs/sims/physarum.md, "Walls".
#ifndef VKS_PHYSARUM_WALLS_GLSL
#define VKS_PHYSARUM_WALLS_GLSL
#include "lib/exact.glsl"
#include "physarum/constants.glsl"

// Of the whole field: rows of ceil(width / 32) words, a bit per cell.
VKS_FIELD(12, readonly, walls, uint, wall_words);

// The row of the whole field that is that one of the fields, or is beside them.
uint whole_row(int row)
{
    uint at = uint(row) + constants.first;
    return min(min(at, at + constants.side), at - constants.side);
}

// Whether there is a wall in that row of the whole field and that column.
bool is_wall(uint row, uint column)
{
    uint word = VKS_AT(wall_words, row * ((constants.width + 31u) / 32u) + (column >> 5));
    return ((word >> (column & 31u)) & 1u) == 1u;
}
#endif

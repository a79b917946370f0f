// SPDX-License-Identifier: MIT
//
// Cells of a grid and their periodic neighbours. Sizes and cells are (x, y, z); a flat grid has
// size.z 1, and x is contiguous in memory.
#ifndef VKS_LIB_GRID_GLSL
#define VKS_LIB_GRID_GLSL

#include "lib/pass.glsl"

// The cell of the invocation in a pass over the grid, which declares no items: W x (D H)
// invocations. May be outside, see vks_inside().
uvec3 vks_cell(uvec3 size)
{
    uint row = vks_row();
    return uvec3(gl_GlobalInvocationID.x, row % size.y, row / size.y);
}

bool vks_inside(uvec3 cell, uvec3 size)
{
    return cell.x < size.x && cell.z < size.z;
}

// The cell with that index, for one-dimensional passes over the cells.
uvec3 vks_cell_at(uint index, uvec3 size)
{
    uint line = index / size.x;
    return uvec3(index - line * size.x, line % size.y, line / size.y);
}

uint vks_index(uvec3 cell, uvec3 size)
{
    return (cell.z * size.y + cell.y) * size.x + cell.x;
}

// Neighbours of a coordinate on a periodic axis.
uint vks_before(uint at, uint side)
{
    return at == 0u ? side - 1u : at - 1u;
}

uint vks_after(uint at, uint side)
{
    return at + 1u == side ? 0u : at + 1u;
}

#endif

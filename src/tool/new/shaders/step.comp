// SPDX-License-Identifier: MIT
// What stays in a cell and what its four neighbours send.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/grid.glsl"
#include "lib/exact.glsl"
#include "constants.glsl"

VKS_FIELD(0, readonly, amount, float, amounts);
VKS_FIELD(1, writeonly, amount_next, float, amounts_next);

// The sum of the two neighbours of a cell along an axis: 0 is x, 1 is y. Edges meet.
float neighbour_sum(uvec3 cell, uvec3 size, uint axis)
{
    uvec3 before = cell;
    uvec3 after = cell;
    before[axis] = vks_before(cell[axis], size[axis]);
    after[axis] = vks_after(cell[axis], size[axis]);
    precise float sum =
        VKS_AT(amounts, vks_index(before, size)) + VKS_AT(amounts, vks_index(after, size));
    return sum;
}

void main()
{
    uvec3 size = uvec3(constants.width, constants.height, 1u);
    uvec3 cell = vks_cell(size);
    if (!vks_inside(cell, size)) {
        return;
    }
    uint i = vks_index(cell, size);
    precise float around = neighbour_sum(cell, size, 0u) + neighbour_sum(cell, size, 1u);
    precise float next = constants.stays * VKS_AT(amounts, i) + constants.moves * around;
    VKS_AT(amounts_next, i) = vks_flush(next);
}

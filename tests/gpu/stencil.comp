// SPDX-License-Identifier: MIT
// A number of each cell from itself and its six neighbours, each with a weight of its own; cells
// are found from the pass over the grid or from items.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/grid.glsl"
#include "stencil.h"

layout(constant_id = 0) const bool by_item = false;

VKS_CONSTANTS(stencil_params);

layout(std430, set = 0, binding = 0) readonly buffer cells
{
    uint values[];
};
layout(std430, set = 0, binding = 1) writeonly buffer cells_next
{
    uint next[];
};

uint value(uint x, uint y, uint z, uvec3 size)
{
    return values[vks_index(uvec3(x, y, z), size)];
}

void main()
{
    uvec3 size = uvec3(constants.width, constants.height, constants.depth);
    uvec3 c = by_item ? vks_cell_at(vks_item(), size) : vks_cell(size);
    if (!vks_inside(c, size)) {
        return;
    }
    uint sum = 3u * value(c.x, c.y, c.z, size);
    sum += 5u * value(vks_before(c.x, size.x), c.y, c.z, size);
    sum += 7u * value(vks_after(c.x, size.x), c.y, c.z, size);
    sum += 11u * value(c.x, vks_before(c.y, size.y), c.z, size);
    sum += 13u * value(c.x, vks_after(c.y, size.y), c.z, size);
    sum += 17u * value(c.x, c.y, vks_before(c.z, size.z), size);
    sum += 19u * value(c.x, c.y, vks_after(c.z, size.z), size);
    next[vks_index(c, size)] = sum;
}

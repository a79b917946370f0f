// SPDX-License-Identifier: MIT
// The tile of each agent: the sort key. Also counts the agents of each tile, the first step of the
// sort.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "physarum_3d/place.glsl"

VKS_FIELD(0, readonly, z, uint, zs);
VKS_FIELD(1, readonly, y, uint, ys);
VKS_FIELD(2, readonly, x, uint, xs);
VKS_FIELD(3, writeonly, tile, uint, tiles);
layout(std430, set = 0, binding = 4) buffer counts
{
    uint counted[]; // 0 before each sort
};
VKS_FIELD(5, writeonly, slots, uint, ranks);

#include "core/count.glsl"

layout(constant_id = 0) const bool one_by_one = false;

uint tile_of(uvec3 place)
{
    uvec3 at = cell_of(place) / PHYSARUM_3D_TILE;
    uvec3 sides = (grid_sides() + (PHYSARUM_3D_TILE - 1u)) / PHYSARUM_3D_TILE;
    return (at.x * sides.y + at.y) * sides.z + at.z;
}

void main()
{
    uint i = vks_item();
    bool present = i < constants.agents;
    uint number =
        present ? tile_of(uvec3(VKS_AT(zs, i), VKS_AT(ys, i), VKS_AT(xs, i))) : SORT_NO_ITEM;
    uint rank = rank_in(number, gl_LocalInvocationID.x, one_by_one);
    if (present) {
        VKS_AT(tiles, i) = number;
        VKS_AT(ranks, i) = rank;
    }
}

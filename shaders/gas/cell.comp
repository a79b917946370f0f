// SPDX-License-Identifier: MIT
// The cell that each particle is in, numbered tile by tile: the sort key. docs/architecture.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "gas/tile.glsl"

VKS_FIELD(0, readonly, z, uint, zs);
VKS_FIELD(1, readonly, y, uint, ys);
VKS_FIELD(2, readonly, x, uint, xs);
VKS_FIELD(3, writeonly, cell, uint, cells);

void main()
{
    uint i = vks_item();
    if (i >= constants.particles) {
        return;
    }
    uvec3 at =
        uvec3(vks_high(VKS_AT(zs, i), constants.depth), vks_high(VKS_AT(ys, i), constants.height),
              vks_high(VKS_AT(xs, i), constants.width));
    uvec3 sides = uvec3(tile_z, tile_y, tile_x);
    uvec3 tile = at / sides;
    uvec3 within = at - tile * sides;
    VKS_AT(cells, i) =
        tile_number(tile) * tile_cells + (within.x * tile_y + within.y) * tile_x + within.z;
}

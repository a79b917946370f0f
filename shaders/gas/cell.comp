// SPDX-License-Identifier: MIT
// The cell that each particle is in: the sort key. Clears the counts of particles per cell. Later
// steps do both in gas/move. docs/sims/gas-kernels.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "gas/tile.glsl"

VKS_FIELD(0, readonly, z, uint, zs);
VKS_FIELD(1, readonly, y, uint, ys);
VKS_FIELD(2, readonly, x, uint, xs);
VKS_FIELD(3, writeonly, cell, uint, cells);
layout(std430, set = 0, binding = 4) writeonly buffer counts
{
    uint counted[];
};

void main()
{
    uint i = vks_item();
    if (i >= constants.particles) {
        return;
    }
    VKS_AT(cells, i) = sort_key(uvec3(VKS_AT(zs, i), VKS_AT(ys, i), VKS_AT(xs, i)));
    for (uint bin = i; bin < tile_count() * tile_cells; bin += constants.particles) {
        counted[bin] = 0u;
    }
}

// SPDX-License-Identifier: MIT
// The cell that each particle of one of several ranks is in: the sort key. Also counts the
// particles of each cell, the first step of the sort. docs/sims/gas-kernels.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#define GAS_RANKS
#include "gas/tile.glsl"
#include "gas/present.glsl"

VKS_FIELD(0, readonly, z, uint, zs);
VKS_FIELD(1, readonly, y, uint, ys);
VKS_FIELD(2, readonly, x, uint, xs);
VKS_FIELD(3, writeonly, cell, uint, cells);
layout(std430, set = 0, binding = 4) buffer counts
{
    uint counted[]; // 0 before each sort
};
VKS_FIELD(5, writeonly, slots, uint, ranks);
#include "core/count.glsl"

layout(constant_id = 0) const bool one_by_one = false;

void main()
{
    uint i = vks_item();
    uint key = SORT_NO_ITEM; // not a particle
    if (i < PARTICLES) {
        key = sort_key(uvec3(VKS_AT(zs, i), VKS_AT(ys, i), VKS_AT(xs, i)));
    }
    uint rank = rank_in(key, gl_LocalInvocationID.x, one_by_one);
    if (i < constants.particles) {
        VKS_AT(cells, i) = key;
        VKS_AT(ranks, i) = rank;
    }
}

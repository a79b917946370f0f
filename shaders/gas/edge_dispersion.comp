// SPDX-License-Identifier: MIT
// Particles on several ranks: the dispersion's deposits on the row after the own ones, as
// gas/edge_sums. docs/sims/gas.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#define TILE_AMOUNTS 1u
#include "gas/node.glsl"
#include "lib/fixed.glsl"
#include "gas/gather.glsl"
#include "gas/edge.glsl"

VKS_FIELD(0, , sum_dispersion, uvec2, sums_dispersion);
VKS_FIELD(1, writeonly, edge_dispersion, uvec2, sums_edge);

void main()
{
    uint i = vks_item();
    if (i >= row_nodes()) {
        return;
    }
    uint node = edge_node(i);
    TileNode here = tile_node_of(node);
    uvec2 sums[1] = uvec2[1](uvec2(0u));
    if (is_marked(here.number)) {
        sums[0] = VKS_AT(sums_dispersion, node);
        VKS_AT(sums_dispersion, node) = uvec2(0u);
    }
    add_tiles(here, sums);
    VKS_AT(sums_edge, i) = sums[0];
}

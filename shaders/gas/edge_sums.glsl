// SPDX-License-Identifier: MIT
// Particles on several ranks: the deposits on the row after the own ones, which is the first of the
// rank after this one. They are cleared. TILE_AMOUNTS: includes the sums of tiles.
// docs/sims/gas.md.
#include "gas/node_sums.glsl"
#include "gas/edge.glsl"

VKS_FIELD(6, writeonly, edge_sums, uvec2, sums_edge);

void main()
{
    uint i = vks_item();
    if (i >= row_nodes()) {
        return;
    }
    uint node = edge_node(i);
    uvec2 sums[GAS_AMOUNTS] =
        uvec2[GAS_AMOUNTS](uvec2(0u), uvec2(0u), uvec2(0u), uvec2(0u), uvec2(0u));
#ifdef TILE_AMOUNTS
    add_all(tile_node_of(node), node, sums);
#else
    add_own(node, sums);
#endif
    for (uint k = 0u; k < GAS_AMOUNTS; k++) {
        VKS_AT(sums_edge, k * row_nodes() + i) = sums[k];
    }
}

// SPDX-License-Identifier: MIT
// The sums of the deposits on a node. TILE_AMOUNTS: those of tiles, too. docs/sims/gas.md.
#ifndef VKS_GAS_NODE_SUMS_GLSL
#define VKS_GAS_NODE_SUMS_GLSL

#include "gas/node.glsl"
#include "lib/fixed.glsl"
#ifdef TILE_AMOUNTS
#include "gas/gather.glsl"
#endif

VKS_FIELD(0, , sum_mass, uvec2, sums_mass);
VKS_FIELD(1, , sum_momentum_z, uvec2, sums_momentum_z);
VKS_FIELD(2, , sum_momentum_y, uvec2, sums_momentum_y);
VKS_FIELD(3, , sum_momentum_x, uvec2, sums_momentum_x);
VKS_FIELD(4, , sum_heat, uvec2, sums_heat);
// Adds and clears the deposits on a node. Most nodes have none even if their tile is marked.
void add_own(uint node, inout uvec2 sums[GAS_AMOUNTS])
{
    uvec2 own[GAS_AMOUNTS] =
        uvec2[GAS_AMOUNTS](VKS_AT(sums_mass, node), VKS_AT(sums_momentum_z, node),
                           VKS_AT(sums_momentum_y, node), VKS_AT(sums_momentum_x, node),
                           VKS_AT(sums_heat, node));
    uvec2 any_bits = uvec2(0u);
    for (uint k = 0u; k < GAS_AMOUNTS; k++) {
        sums[k] = vks_fixed_add(sums[k], own[k]);
        any_bits |= own[k];
    }
    if (any_bits != uvec2(0u)) {
        VKS_AT(sums_mass, node) = uvec2(0u);
        VKS_AT(sums_momentum_z, node) = uvec2(0u);
        VKS_AT(sums_momentum_y, node) = uvec2(0u);
        VKS_AT(sums_momentum_x, node) = uvec2(0u);
        VKS_AT(sums_heat, node) = uvec2(0u);
    }
}

#ifdef TILE_AMOUNTS
void add_all(TileNode here, uint node, inout uvec2 sums[GAS_AMOUNTS])
{
    if (is_marked(here.number)) {
        add_own(node, sums);
    }
    add_tiles(here, sums);
}
#endif
#endif

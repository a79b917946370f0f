// SPDX-License-Identifier: MIT
// Gathers a node's sums from the surrounding tiles, as stored by gas/tile_sums.glsl.
// docs/sims/gas-kernels.md.
#ifndef VKS_GAS_GATHER_GLSL
#define VKS_GAS_GATHER_GLSL

#extension GL_EXT_control_flow_attributes : require
#include "gas/tile_node.glsl"

VKS_CLOCK;
VKS_FIELD(11, readonly, tile_sums, uvec2, sums_tile);
layout(std430, set = 0, binding = 21) readonly buffer marks
{
    uint tile_marks[];
};

// True if a tile's nodes also have direct additions.
bool is_marked(uint tile)
{
    return tile_marks[tile] == first_step + step_in_batch + 1u;
}

// The preceding tile along an axis, and the place of its last node.
uvec2 before_of(uint tile, uint side, uint cells, uint tiles)
{
    return tile > 0u ? uvec2(tile - 1u, cells) : uvec2(tiles - 1u, side - (tiles - 1u) * cells);
}

// Adds a tile's sums and, for a first node along x, those of the preceding tile. All reads come
// first, because memory is slow.
#define ADD_ROW(by_z, by_y)                                                                        \
    if ((!by_z || (here.at.x == 0u && tile_z > 1u)) &&                                             \
        (!by_y || (here.at.y == 0u && tile_y > 1u))) {                                             \
        uint row = tile_number(uvec3(by_z ? z.x : here.tile.x, by_y ? y.x : here.tile.y, 0u));     \
        uint start = (by_z ? z.y : here.at.x) * tile_plane + (by_y ? y.y : here.at.y) * tile_width;\
        uint own = (row + here.tile.z) * TILE_AMOUNTS * tile_nodes + start + here.at.z;            \
        uint other = (row + x.x) * TILE_AMOUNTS * tile_nodes + start + x.y;                        \
        uvec2 parts[TILE_AMOUNTS], more[TILE_AMOUNTS];                                             \
        [[unroll]] for (uint k = 0u; k < TILE_AMOUNTS; k++) {                                      \
            parts[k] = VKS_AT(sums_tile, own + k * tile_nodes);                                    \
            more[k] = uvec2(0u);                                                                   \
        }                                                                                          \
        if (is_first) {                                                                            \
            [[unroll]] for (uint k = 0u; k < TILE_AMOUNTS; k++) {                                  \
                more[k] = VKS_AT(sums_tile, other + k * tile_nodes);                               \
            }                                                                                      \
        }                                                                                          \
        [[unroll]] for (uint k = 0u; k < TILE_AMOUNTS; k++) {                                      \
            sums[k] = vks_fixed_add(sums[k], parts[k]);                                            \
            sums[k] = vks_fixed_add(sums[k], more[k]);                                             \
        }                                                                                          \
    }

// Adds up the sums of the tiles around a node: its own one and, for the first nodes of a tile,
// those of preceding tiles.
void add_tiles(TileNode here, inout uvec2 sums[TILE_AMOUNTS])
{
    uvec2 z = before_of(here.tile.x, constants.depth, tile_z, constants.tiles_z);
    uvec2 y = before_of(here.tile.y, constants.height, tile_y, constants.tiles_y);
    uvec2 x = before_of(here.tile.z, constants.width, tile_x, constants.tiles_x);
    bool is_first = here.at.z == 0u && tile_x > 1u;
    ADD_ROW(false, false)
    ADD_ROW(false, true)
    ADD_ROW(true, false)
    ADD_ROW(true, true)
}
#endif

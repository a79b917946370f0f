// SPDX-License-Identifier: MIT
// Gathers a node's sums from the surrounding tiles, as stored by gas/tile_sums.glsl.
// docs/architecture.md.
#ifndef VKS_GAS_GATHER_GLSL
#define VKS_GAS_GATHER_GLSL

#include "gas/tile.glsl"

VKS_CLOCK;
VKS_FIELD(11, readonly, tile_sums, uvec2, sums_tile);
layout(std430, set = 0, binding = 21) readonly buffer marks
{
    uint tile_marks[];
};

// True if a node also has direct additions.
bool is_marked(uint node)
{
    return tile_marks[tile_of(node)] == first_step + step_in_batch + 1u;
}

// The tile of a coordinate's cell and the place in it; for a tile's first node also those in the
// preceding tile.
struct Touch {
    uint tile, at;
    uint tile_before, at_before;
    bool both;
};

Touch touch_of(uint at, uint side, uint tile, uint tiles)
{
    Touch touch;
    touch.tile = at / tile;
    touch.at = at - touch.tile * tile;
    touch.both = touch.at == 0u && side > 1u;
    touch.tile_before = vks_before(touch.tile, tiles);
    touch.at_before = touch.tile == 0u ? side - (tiles - 1u) * tile : tile;
    return touch;
}

// Adds up the sums of the tiles around a node.
void add_tiles(uint node, inout uvec2 sums[TILE_AMOUNTS])
{
    uvec3 cell = vks_cell_at(node, grid_size());
    Touch z = touch_of(cell.z, constants.depth, tile_z, constants.tiles_z);
    Touch y = touch_of(cell.y, constants.height, tile_y, constants.tiles_y);
    Touch x = touch_of(cell.x, constants.width, tile_x, constants.tiles_x);
    for (uint i = 0u; i < 8u; i++) {
        bool by_z = (i & 4u) != 0u;
        bool by_y = (i & 2u) != 0u;
        bool by_x = (i & 1u) != 0u;
        if ((by_z && !z.both) || (by_y && !y.both) || (by_x && !x.both)) {
            continue;
        }
        uint tile = tile_number(uvec3(by_z ? z.tile_before : z.tile, by_y ? y.tile_before : y.tile,
                                      by_x ? x.tile_before : x.tile));
        uint local = (by_z ? z.at_before : z.at) * tile_plane +
                     (by_y ? y.at_before : y.at) * tile_width + (by_x ? x.at_before : x.at);
        for (uint k = 0u; k < TILE_AMOUNTS; k++) {
            sums[k] = vks_fixed_add(
                sums[k], VKS_AT(sums_tile, (tile * TILE_AMOUNTS + k) * tile_nodes + local));
        }
    }
}
#endif

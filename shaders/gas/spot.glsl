// SPDX-License-Identifier: MIT
// Passes over nodes with a workgroup per tile. docs/architecture.md.
#ifndef VKS_GAS_SPOT_GLSL
#define VKS_GAS_SPOT_GLSL

#include "gas/tile.glsl"

// The node of an invocation in a pass with a workgroup per tile: the lower corner of one of the
// tile's cells. Workgroups have an invocation per cell.
struct Spot {
    uvec3 tile, at; // the tile's place among tiles and the cell's in the tile, along z, y, x
    uint number;    // of the tile
    uvec3 cell;     // x, y, z
    bool inside;
};

Spot spot_of(uint t)
{
    uint number = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint row = number / constants.tiles_x;
    Spot spot;
    spot.number = number;
    spot.tile = uvec3(row / constants.tiles_y, row % constants.tiles_y,
                      number - row * constants.tiles_x);
    spot.at = uvec3(t / (tile_y * tile_x), t / tile_x % tile_y, t % tile_x);
    spot.cell = (spot.tile * uvec3(tile_z, tile_y, tile_x) + spot.at).zyx;
    spot.inside = number < tile_count() && t < tile_cells && spot.cell.x < constants.width &&
                  spot.cell.y < constants.height && spot.cell.z < constants.depth;
    return spot;
}

#endif

// SPDX-License-Identifier: MIT
// Passes over nodes with a workgroup per tile. docs/sims/gas-kernels.md.
#ifndef VKS_GAS_TILE_NODE_GLSL
#define VKS_GAS_TILE_NODE_GLSL

#extension GL_EXT_control_flow_attributes : require
#include "gas/tile.glsl"

// The node of an invocation in a pass with a workgroup per tile: the lower corner of one of the
// tile's cells. Workgroups have an invocation per cell.
struct TileNode {
    uvec3 tile, at; // the tile's place among tiles and the cell's in the tile, along z, y, x
    uint number;    // of the tile
    uvec3 cell;     // x, y, z
    bool inside;
};

TileNode tile_node_at(uint t)
{
    uint number = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint row = number / constants.tiles_x;
    TileNode here;
    here.number = number;
    here.tile = uvec3(row / constants.tiles_y, row % constants.tiles_y,
                      number - row * constants.tiles_x);
    here.at = uvec3(t / (tile_y * tile_x), t / tile_x % tile_y, t % tile_x);
    here.cell = (here.tile * uvec3(tile_z, tile_y, tile_x) + here.at).zyx;
    here.inside = number < tile_count() && t < tile_cells && here.cell.x < constants.width &&
                  here.cell.y < constants.height && here.cell.z < constants.depth;
    return here;
}

#endif

// SPDX-License-Identifier: MIT
// Particles by tiles of nodes: the particles of a tile are contiguous in memory, and a workgroup
// sums their deposits in shared memory. docs/sims/gas-kernels.md.
#ifndef VKS_GAS_TILE_GLSL
#define VKS_GAS_TILE_GLSL

#define GAS_TILED

// Cells of a tile along each axis.
layout(constant_id = 2) const uint tile_z = 8u;
layout(constant_id = 3) const uint tile_y = 8u;
layout(constant_id = 4) const uint tile_x = 8u;

#include "gas/particle.glsl"
#include "lib/fixed.glsl"

const uint tile_cells = tile_z * tile_y * tile_x;
// Nodes of a tile: those around its cells. Along an inert axis tiles are one cell and one node
// wide.
const uint tile_width = tile_x + (tile_x > 1u ? 1u : 0u);
const uint tile_plane = tile_width * (tile_y + (tile_y > 1u ? 1u : 0u));
const uint tile_nodes = tile_plane * (tile_z + (tile_z > 1u ? 1u : 0u));

uint tile_count()
{
    return constants.tiles_z * constants.tiles_y * constants.tiles_x;
}

// Number of the tile at a place among tiles, along z, y, x.
uint tile_number(uvec3 place)
{
    return (place.x * constants.tiles_y + place.y) * constants.tiles_x + place.z;
}

// The tile with the cell whose lower corner is this node.
uint tile_of(uint node)
{
    return tile_number(vks_cell_at(node, grid_size()).zyx / uvec3(tile_z, tile_y, tile_x));
}

// The cell of a position, numbered tile by tile.
uint sort_key(uvec3 position)
{
    uvec3 at = place_of(position).lower;
    uvec3 sides = uvec3(tile_z, tile_y, tile_x);
    uvec3 tile = at / sides;
    uvec3 within = at - tile * sides;
    return tile_number(tile) * tile_cells + (within.x * tile_y + within.y) * tile_x + within.z;
}

// First cell of a tile, along z, y, x.
uvec3 tile_origin(uint tile)
{
    uint row = tile / constants.tiles_x;
    return uvec3(row / constants.tiles_y, row % constants.tiles_y, tile - row * constants.tiles_x) *
           uvec3(tile_z, tile_y, tile_x);
}

// Index of a particle's lower corner among the nodes of a tile; tile_nodes if its cell is outside.
uint tile_corner(Place place, uvec3 origin)
{
    uvec3 at = place.lower - origin; // wraps to large numbers
    return at.x < tile_z && at.y < tile_y && at.z < tile_x
               ? at.x * tile_plane + at.y * tile_width + at.z
               : tile_nodes;
}

// Distance from there to another corner.
uint corner_step(uint corner)
{
    return ((corner & 4u) != 0u ? tile_plane : 0u) + ((corner & 2u) != 0u ? tile_width : 0u) +
           (corner & 1u);
}

// A tile's node at one of the tile's corners.
uint last_node(uint corner)
{
    return ((corner & 4u) != 0u ? tile_nodes - tile_plane : 0u) +
           ((corner & 2u) != 0u ? tile_plane - tile_width : 0u) +
           ((corner & 1u) != 0u ? tile_width - 1u : 0u);
}

// The grid's node of a tile's node.
uint node_of(uvec3 origin, uint local)
{
    uvec3 at =
        origin + uvec3(local / tile_plane, (local % tile_plane) / tile_width, local % tile_width);
    uvec3 sides = uvec3(constants.depth, constants.height, constants.width);
    at = uvec3(at.x >= sides.x ? at.x - sides.x : at.x, at.y >= sides.y ? at.y - sides.y : at.y,
               at.z >= sides.z ? at.z - sides.z : at.z);
    return vks_index(at.zyx, grid_size());
}
#endif

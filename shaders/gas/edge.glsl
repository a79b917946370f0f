// SPDX-License-Identifier: MIT
// Nodes of the row after the own ones. docs/sims/gas.md.
#ifndef VKS_GAS_EDGE_GLSL
#define VKS_GAS_EDGE_GLSL

uint edge_node(uint i)
{
    return (slab_begin + slab_rows) * row_nodes() + i;
}

#ifdef TILE_AMOUNTS
// The tile's node that is the lower corner of a cell.
TileNode tile_node_of(uint node)
{
    TileNode here;
    here.cell = vks_cell_at(node, grid_size());
    uvec3 tile = uvec3(tile_z, tile_y, tile_x);
    here.tile = here.cell.zyx / tile;
    here.at = here.cell.zyx - here.tile * tile;
    here.number = tile_number(here.tile);
    here.inside = true;
    return here;
}
#endif
#endif

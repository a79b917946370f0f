// SPDX-License-Identifier: MIT
// The particles of a workgroup when they are sorted by tiles. docs/sims/gas-kernels.md.
#ifndef VKS_GAS_CROWD_GLSL
#define VKS_GAS_CROWD_GLSL

#include "gas/tile.glsl"

layout(constant_id = 5) const uint crowd_size = 4096u; // max particles per workgroup

layout(std430, set = 0, binding = 20) readonly buffer starts
{
    uint cell_starts[]; // start of each cell's particles at the last sort; last: their number
};

// The start of a tile's particles; for the tile after the last one, their number.
uint start_of(uint tile)
{
    return cell_starts[tile * tile_cells];
}

bool is_sorted()
{
    return slab_side > 0u || start_of(tile_count()) == constants.particles;
}

// The particles of a workgroup: those of one tile, in [from, to).
struct Crowd {
    uint tile;
    uint from, to;
    bool first; // the first crowd of a tile, which may be empty
};

// One workgroup per tile takes its first particles. Others, which come first because they may take
// longer, take the rest of crowded tiles, one crowd each; before the first sort they take all
// particles, which then belong to no tile.
Crowd crowd_of(uint group)
{
    uint tiles = tile_count();
    uint crowds = (constants.particles + crowd_size - 1u) / crowd_size;
    if (group >= crowds) {
        uint tile = group - crowds;
        if (tile >= tiles) {
            return Crowd(0u, 0u, 0u, false);
        }
        uint from = start_of(tile);
        return Crowd(tile, from, min(start_of(tile + 1u), from + crowd_size), true);
    }
    uint from = group * crowd_size;
    uint to = min(from + crowd_size, constants.particles);
    if (from >= to) {
        return Crowd(0u, 0u, 0u, false);
    }
    if (!is_sorted()) {
        return Crowd(0u, from, to, false);
    }
    // Finds the tile with the particle `from`.
    uint low = 0u;
    uint high = tiles;
    while (high - low > 1u) {
        uint middle = (low + high) / 2u;
        if (start_of(middle) <= from) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return Crowd(low, max(from, start_of(low) + crowd_size), min(to, start_of(low + 1u)), false);
}
#endif

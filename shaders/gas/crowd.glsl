// SPDX-License-Identifier: MIT
// Which particles a workgroup takes when they are sorted by tiles. docs/architecture.md.
#ifndef VKS_GAS_CROWD_GLSL
#define VKS_GAS_CROWD_GLSL

#include "gas/tile.glsl"

layout(std430, set = 0, binding = 20) readonly buffer starts
{
    uint tile_starts[]; // of each tile's particles as they were sorted; the last is their number
};

// The particles that a workgroup takes: those of one tile, `from` up to before `to`.
struct Crowd {
    uint tile;
    uint from, to;
    bool first; // the first GAS_CROWD of a tile, if there are any; every tile has this crowd
};

// One workgroup per tile takes its first particles. Others take the rest of crowded tiles, GAS_CROWD at
// a time; where particles have never been sorted, they take all, of no tile.
Crowd crowd_of(uint group)
{
    uint tiles = tile_count();
    if (group < tiles) {
        uint from = tile_starts[group];
        return Crowd(group, from, min(tile_starts[group + 1u], from + GAS_CROWD), true);
    }
    uint from = (group - tiles) * GAS_CROWD;
    uint to = min(from + GAS_CROWD, constants.particles);
    if (from >= to) {
        return Crowd(0u, 0u, 0u, false);
    }
    if (tile_starts[tiles] != constants.particles) {
        return Crowd(0u, from, to, false);
    }
    // The tile that has the particle `from`.
    uint low = 0u;
    uint high = tiles;
    while (high - low > 1u) {
        uint middle = (low + high) / 2u;
        if (tile_starts[middle] <= from) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return Crowd(low, max(from, tile_starts[low] + GAS_CROWD), min(to, tile_starts[low + 1u]),
                 false);
}
#endif

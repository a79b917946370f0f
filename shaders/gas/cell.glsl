// SPDX-License-Identifier: MIT
// The cell that each particle is in: the sort key. Clears the counts of particles per cell. Later
// steps do both in gas/move. GAS_RANKS: this pass does it in each step, once particles have moved
// from rank to rank, and a sort has cleared the counts. docs/sims/gas-kernels.md.
#include "gas/tile.glsl"
#include "gas/present.glsl"

VKS_FIELD(0, readonly, z, uint, zs);
VKS_FIELD(1, readonly, y, uint, ys);
VKS_FIELD(2, readonly, x, uint, xs);
VKS_FIELD(3, writeonly, cell, uint, cells);
#ifndef GAS_RANKS
layout(std430, set = 0, binding = 4) writeonly buffer counts
{
    uint counted[];
};
#endif

void main()
{
    uint i = vks_item();
    if (i >= constants.particles) {
        return;
    }
    uint last = tile_count() * tile_cells; // where there are no particles in memory
    VKS_AT(cells, i) =
        i < PARTICLES ? sort_key(uvec3(VKS_AT(zs, i), VKS_AT(ys, i), VKS_AT(xs, i))) : last;
#ifndef GAS_RANKS
    for (uint bin = i; bin < last; bin += constants.particles) {
        counted[bin] = 0u;
    }
#endif
}

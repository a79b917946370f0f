// SPDX-License-Identifier: MIT
// The agents in each cell, for a picture of them.
#include "lib/pass.glsl"
#include "lib/exact.glsl"
#include "physarum/rank_rows.glsl"

VKS_FIELD(0, readonly, position, uvec2, positions); // (y, x)
VKS_FIELD(1, , agent_counts, uint, counts);
VKS_FIELD(2, readonly, species, uint, species_words); // with `only`

layout(constant_id = 0) const uint only = 0u; // the number of a species, from 1 on; 0: all

void main()
{
    uint i = vks_item();
    if (i < AGENTS && (only == 0u || (VKS_AT(species_words, i) & 255u) + 1u == only)) {
        uvec2 place = VKS_AT(positions, i);
        uint row = local_row(vks_high(place.x, PLACE_ROWS));
        uint column = vks_high(place.y, constants.width);
        atomicAdd(VKS_AT(counts, row * constants.width + column), 1u);
    }
}

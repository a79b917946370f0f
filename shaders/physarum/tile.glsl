// SPDX-License-Identifier: MIT
// The tile of each agent, numbered along a Hilbert curve: the sort key. With several species, those
// of a group of tiles follow each other. Also counts the agents of each key, the first step of the
// sort.
#include "lib/pass.glsl"
#include "lib/exact.glsl"
#include "physarum/rank_rows.glsl"

VKS_FIELD(0, readonly, position, uvec2, positions); // (y, x)
VKS_FIELD(1, writeonly, tile, uint, tiles);
layout(std430, set = 0, binding = 2) buffer counts
{
    uint counted[]; // 0 before each sort
};
VKS_FIELD(3, writeonly, slots, uint, ranks);
VKS_FIELD(4, readonly, species, uint, species_words); // with several kinds

#include "core/count.glsl"

layout(constant_id = 0) const bool one_by_one = false;
layout(constant_id = 1) const uint kinds = 1u; // species

// The number of a tile along a Hilbert curve, whose squares of 2^curve_bits tiles follow each other
// along the longer side of the field.
uint along_curve(uint x, uint y)
{
    uint number = x >> constants.curve_bits;
    for (uint bit = constants.curve_bits; bit-- > 0u;) {
        bool right = ((x >> bit) & 1u) == 1u;
        bool down = ((y >> bit) & 1u) == 1u;
        number = (number << 2) | (down ? (right ? 2u : 1u) : (right ? 3u : 0u));
        if (!down) { // these quarters are transposed, the last one also rotated by 180 degrees
            uint other = right ? ~x : x;
            x = right ? ~y : y;
            y = other;
        }
    }
    return number;
}

uint tile_of(uvec2 place)
{
    uint row = local_row(vks_high(place.x, PLACE_ROWS)) / PHYSARUM_TILE;
    uint column = vks_high(place.y, constants.width) / PHYSARUM_TILE;
    bool wide = constants.width >= constants.height;
    return along_curve(wide ? column : row, wide ? row : column);
}

void main()
{
    uint i = vks_item();
    bool present = i < constants.agents;
    uint number = i < AGENTS ? tile_of(VKS_AT(positions, i)) : SORT_NO_ITEM;
    if (i < AGENTS && kinds > 1u) {
        uint group = number / PHYSARUM_GROUP;
        number += (group * (kinds - 1u) + (VKS_AT(species_words, i) & 255u)) * PHYSARUM_GROUP;
    }
    uint rank = rank_in(number, gl_LocalInvocationID.x, one_by_one);
    if (present) {
        VKS_AT(tiles, i) = number;
        VKS_AT(ranks, i) = rank;
    }
}

// SPDX-License-Identifier: MIT
// Places the agents: docs/sims/physarum.md, "Initial conditions".
#include "lib/pass.glsl"
#include "lib/exact.glsl"
#include "physarum/params.h"

layout(constant_id = 2) const uint start = PHYSARUM_RANDOM;
layout(constant_id = 3) const uint kinds = 1u; // species
layout(constant_id = 4) const uint species_start = PHYSARUM_MIXED;

VKS_CONSTANTS(physarum_start_params);

VKS_FIELD(0, writeonly, position, uvec2, positions); // (y, x)
VKS_FIELD(1, writeonly, heading, uint, headings);
VKS_FIELD(2, writeonly, species, uint, species_words); // with several kinds
#ifdef PHYSARUM_RANKS
VKS_FIELD(3, , agents_alive, uint, alive);
VKS_FIELD(4, writeonly, agents_number, uint, numbers);
#endif

// The first position in the cell of `position`.
uint snap(uint position, uint side)
{
    return position - (position * side) / side;
}

// Compacts the even bits of a word.
uint even_bits(uint word)
{
    word &= 0x55555555u;
    word = (word | (word >> 1)) & 0x33333333u;
    word = (word | (word >> 2)) & 0x0f0f0f0fu;
    word = (word | (word >> 4)) & 0x00ff00ffu;
    return (word | (word >> 8)) & 0x0000ffffu;
}

// A random place in agent i's block of the Z-order curve.
uvec2 place_in_block(uint i, uvec4 r)
{
    uint k = constants.block_bits;
    if (k == 0u) {
        return r.xy;
    }
    uint along = i * constants.order_high + vks_high(i, constants.order_low);
    uint block = along >> (32u - 2u * k);
    uvec2 corner = uvec2(even_bits(block >> 1), even_bits(block)) << (32u - k);
    return corner + (r.xy >> k);
}

void main()
{
    uint i = vks_item();
    if (i >= constants.agents) {
        return;
    }
    uvec4 r = vks_random(constants.seed, i, 0u, 0u);
    uvec2 place = uvec2(0x80000000u);
    uint direction = r.z;
    if (start == PHYSARUM_RANDOM) {
        place = place_in_block(i, r);
        place = uvec2(snap(place.x, constants.height), snap(place.y, constants.width));
    } else if (start != PHYSARUM_POINT) {
        precise float share = 1.0f;
        if (start == PHYSARUM_DISC) {
            precise float area = float(r.y >> 8) * 5.9604644775390625e-8f;
            share = vks_sqrt(area);
        }
        vec2 sc = vks_sincos(r.x);
        precise float y = share * constants.radius_y;
        precise float x = share * constants.radius_x;
        place += uvec2(vks_displacement(sc.x, y), vks_displacement(sc.y, x));
        direction = r.x + 0x80000000u;
    }
    uint at = i;
#ifdef PHYSARUM_RANKS
    if (vks_high(place.x, constants.height) - constants.first >= constants.rows) {
        return; // another rank's
    }
    at = atomicAdd(VKS_AT(alive, 0u), 1u);
    if (at >= constants.room) {
        return; // there is too little room: these passes run again, with more
    }
    VKS_AT(numbers, at) = i;
#endif
    VKS_AT(positions, at) = place;
    VKS_AT(headings, at) = direction;
    if (kinds > 1u) {
        uint key = species_start == PHYSARUM_BANDS    ? place.y
                   : species_start == PHYSARUM_WEDGES ? r.x
                                                      : r.w;
        uint number = 0u;
        for (uint k = 0u; k < constants.bounds; k++) {
            number += key >= constants.first_key[k] ? 1u : 0u;
        }
        VKS_AT(species_words, at) = number;
    }
}

// SPDX-License-Identifier: MIT
// The agents of each cell and the sum of their directions, in integers, for a picture of headings.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "lib/exact.glsl"
#include "physarum/params.h"

VKS_CONSTANTS(physarum_params);

VKS_FIELD(0, readonly, position, uvec2, positions); // (y, x)
VKS_FIELD(1, readonly, heading, uint, headings);
VKS_FIELD(2, , heading_sums, uint, sums); // planes of counts, cosines and sines
VKS_FIELD(3, readonly, species, uint, species_words); // with `only`

layout(constant_id = 0) const uint only = 0u; // the number of a species, from 1 on; 0: all

// In units of 1 / PHYSARUM_HEADING_UNIT, two's complement.
uint whole(float x)
{
    precise float scaled = x * PHYSARUM_HEADING_UNIT + 0.5f;
    return uint(int(floor(scaled)));
}

void main()
{
    uint i = vks_item();
    if (i < constants.agents && (only == 0u || (VKS_AT(species_words, i) & 255u) + 1u == only)) {
        uvec2 place = VKS_AT(positions, i);
        uint cells = constants.width * constants.height;
        uint cell = vks_high(place.x, constants.height) * constants.width +
                    vks_high(place.y, constants.width);
        vec2 direction = vks_sincos(VKS_AT(headings, i));
        atomicAdd(VKS_AT(sums, cell), 1u);
        atomicAdd(VKS_AT(sums, cells + cell), whole(direction.y));
        atomicAdd(VKS_AT(sums, 2u * cells + cell), whole(direction.x));
    }
}

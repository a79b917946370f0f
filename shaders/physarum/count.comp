// SPDX-License-Identifier: MIT
// The agents in each cell, for a picture of them.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "lib/exact.glsl"
#include "physarum/params.h"

VKS_CONSTANTS(physarum_params);

VKS_FIELD(0, readonly, position, uvec2, positions); // (y, x)
VKS_FIELD(1, , agent_counts, uint, counts);

void main()
{
    uint i = vks_item();
    if (i < constants.agents) {
        uvec2 place = VKS_AT(positions, i);
        uint row = vks_high(place.x, constants.height);
        uint column = vks_high(place.y, constants.width);
        atomicAdd(VKS_AT(counts, row * constants.width + column), 1u);
    }
}

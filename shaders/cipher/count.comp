// SPDX-License-Identifier: MIT
// The first pass of a step backward: counts the agents in each cell, whose deposits it takes back.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "cipher/cipher.glsl"

VKS_FIELD(0, readonly, position, uvec2, positions); // (y, x)
VKS_FIELD(1, readonly, moment, uint, moments);
VKS_FIELD(2, , counts, uint, agents_in);

void main()
{
    uint i = vks_item();
    if (i >= constants.agents || VKS_AT(moments, 0u) == 0u) {
        return;
    }
    uvec2 place = VKS_AT(positions, i);
    uint row = vks_high(place.x, constants.height);
    uint column = vks_high(place.y, constants.width);
    atomicAdd(VKS_AT(agents_in, row * constants.width + column), 1u);
}

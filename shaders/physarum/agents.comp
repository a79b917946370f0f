// SPDX-License-Identifier: MIT
#version 460
#extension GL_GOOGLE_include_directive : require
#include "physarum/agents.glsl"

void main()
{
    uint i = vks_item();
    if (i < constants.agents) {
        uvec2 place = VKS_AT(positions, i);
        uint direction = VKS_AT(headings, i);
        uvec2 at = advance(i, place, direction);
        if ((skip & 4u) == 0u || direction == 12345u) {
            VKS_AT(positions, i) = place;
            VKS_AT(headings, i) = direction;
        }
        if ((skip & 1u) == 0u || at.x == 123456u) {
            deposit_one(at);
        }
    }
}

// SPDX-License-Identifier: MIT
#version 460
#extension GL_GOOGLE_include_directive : require
#include "physarum/agents.glsl"

void main()
{
    uint i = vks_item();
    if (i < constants.agents) {
        uvec2 at = advance(i, VKS_AT(positions, i), VKS_AT(headings, i));
        if ((skip & 1u) == 0u || at.x == 123456u) {
            deposit(at.x, at.y >> 2, 1u << (8u * (at.y & 3u)));
        }
    }
}

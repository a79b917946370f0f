// SPDX-License-Identifier: MIT
// Places the agents and fills their registers with jitter: docs/sims/cipher.md, "The start".
#version 460
#extension GL_GOOGLE_include_directive : require
#include "cipher/cipher.glsl"

VKS_FIELD(0, writeonly, position, uvec2, positions); // (y, x)
VKS_FIELD(1, writeonly, heading, uint, headings);
VKS_FIELD(2, writeonly, register, uint, registers);

void main()
{
    uint i = vks_item();
    if (i >= constants.agents) {
        return;
    }
    uvec4 r = keyed(i, 0xffffffffu, 1u);
    VKS_AT(positions, i) = r.xy;
    VKS_AT(headings, i) = r.z;
    for (uint k = 0u; k < constants.registers; k++) {
        uint turn = vks_high(keyed(i, k, 2u).x, 2u * constants.jitter + 1u) - constants.jitter;
        VKS_AT(registers, k * constants.agents + i) = turn;
    }
}

// SPDX-License-Identifier: MIT
// Particles on several ranks: adds the energy of all of them to the clockwork. docs/sims/gas.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "gas/node.glsl"
#include "lib/fixed.glsl"

layout(std430, set = 0, binding = 0) buffer clockwork
{
    uint clock_words[];
};
layout(std430, set = 0, binding = 1) buffer energy_part
{
    uvec2 energy; // of all ranks
};

void main()
{
    if (vks_item() > 0u) {
        return;
    }
    uvec2 before = uvec2(clock_words[CLOCK_ENERGY], clock_words[CLOCK_ENERGY + 1]);
    uvec2 after = vks_fixed_add(before, energy);
    clock_words[CLOCK_ENERGY] = after.x;
    clock_words[CLOCK_ENERGY + 1] = after.y;
    energy = uvec2(0u);
}

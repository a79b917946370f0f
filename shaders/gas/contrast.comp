// SPDX-License-Identifier: MIT
// Density above the mean: what gravity is made from. docs/sims/gas.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "gas/node.glsl"

VKS_FIELD(0, readonly, density, float, densities);
VKS_FIELD(1, writeonly, contrast, float, contrasts);
layout(std430, set = 0, binding = 2) readonly buffer clockwork
{
    uint clock_words[];
};

void main()
{
    uint node = vks_item();
    if (node >= constants.width * constants.height * constants.depth) {
        return;
    }
    precise float above = VKS_AT(densities, node) - uintBitsToFloat(clock_words[CLOCK_MEAN]);
    VKS_AT(contrasts, node) = vks_flush(above);
}

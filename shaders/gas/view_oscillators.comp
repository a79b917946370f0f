// SPDX-License-Identifier: MIT
// Nodes, for pictures: energy of the tracers' oscillators per volume. docs/sims/gas.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "gas/amount.glsl"

VKS_FIELD(0, , sum_oscillators, uvec2, sums_oscillators);
VKS_FIELD(1, writeonly, displayed, float, displayed_values);

void main()
{
    uint node = vks_item();
    if (node >= constants.width * constants.height * constants.depth) {
        return;
    }
    VKS_AT(displayed_values, node) = amount_of(VKS_AT(sums_oscillators, node));
    VKS_AT(sums_oscillators, node) = uvec2(0u);
}

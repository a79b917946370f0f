// SPDX-License-Identifier: MIT
// Nodes: subtracts the energy that the oscillators have taken. docs/sims/gas.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "gas/amount.glsl"

VKS_FIELD(0, , energy, float, energies);
VKS_FIELD(1, , internal, float, internals);
VKS_FIELD(2, , sum_gain, uvec2, sums_gain);
layout(std430, set = 0, binding = 3) readonly buffer step_values
{
    float step_value[];
};

void main()
{
    uint node = vks_item();
    if (node >= constants.width * constants.height * constants.depth ||
        step_value[STEP_DT] == 0.0f) { // all sums are 0 then
        return;
    }
    float taken = amount_of(VKS_AT(sums_gain, node));
    VKS_AT(sums_gain, node) = uvec2(0u);
    precise float e = VKS_AT(energies, node) - taken;
    precise float heat = VKS_AT(internals, node) - taken;
    VKS_AT(energies, node) = vks_flush(e);
    VKS_AT(internals, node) = max(0.0f, vks_flush(heat));
}

// SPDX-License-Identifier: MIT
// Nodes: the share of the requests of surrounding oscillators that leaves at least half of the
// heat; below 0 without gas. docs/sims/gas.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "gas/amount.glsl"

VKS_FIELD(0, readonly, density, float, densities);
VKS_FIELD(1, readonly, momentum_z, float, momenta_z);
VKS_FIELD(2, readonly, momentum_y, float, momenta_y);
VKS_FIELD(3, readonly, momentum_x, float, momenta_x);
VKS_FIELD(4, readonly, energy, float, energies);
VKS_FIELD(5, readonly, internal, float, internals);
VKS_FIELD(6, , sum_gain, uvec2, sums_gain);
VKS_FIELD(7, writeonly, allotted_share, float, allotted_shares);
layout(std430, set = 0, binding = 8) readonly buffer clockwork
{
    uint clock_words[];
};

void main()
{
    uint node = vks_item();
    if (node >= constants.width * constants.height * constants.depth) {
        return;
    }
    float r = VKS_AT(densities, node);
    float requested = amount_of(VKS_AT(sums_gain, node));
    VKS_AT(sums_gain, node) = uvec2(0u);
    precise float share = 1.0f;
    if (!(r > vacuum_of(uintBitsToFloat(clock_words[CLOCK_MEAN])))) {
        share = -1.0f;
    } else if (requested > 0.0f) {
        vec3 m = vec3(VKS_AT(momenta_z, node), VKS_AT(momenta_y, node), VKS_AT(momenta_x, node));
        float e = VKS_AT(energies, node);
        float heat = heat_of(thermal_of(m, velocity_of(r, m), e), e, VKS_AT(internals, node));
        precise float spare = 0.5f * min(heat, e);
        if (spare < requested) {
            share = spare * vks_reciprocal(requested);
            share = vks_flush(share);
        }
    }
    VKS_AT(allotted_shares, node) = share;
}

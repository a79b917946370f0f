// SPDX-License-Identifier: MIT
// Tracers: an amount of each to the nodes around it, as particles deposit. docs/sims/gas.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "gas/amount.glsl"
#include "gas/share_out.glsl"

layout(constant_id = 0) const bool gains_only = false; // amounts below 0 are left out

VKS_FIELD(0, readonly, z, uint, zs);
VKS_FIELD(1, readonly, y, uint, ys);
VKS_FIELD(2, readonly, x, uint, xs);
VKS_FIELD(3, readonly, gain, float, gains);
VKS_FIELD(4, , sum_gain, uvec2, sums_gain);

void main()
{
    uint i = vks_item();
    if (i >= constants.particles) {
        return;
    }
    float amount = VKS_AT(gains, i);
    if (amount == 0.0f || (gains_only && amount < 0.0f)) {
        return;
    }
    Place place = place_of(uvec3(VKS_AT(zs, i), VKS_AT(ys, i), VKS_AT(xs, i)));
    uint nodes[8];
    float weights[8];
    uint nearest = nearest_corner(place);
    for (uint corner = 0u; corner < 8u; corner++) {
        nodes[corner] = corner_node(place, corner);
        weights[corner] = corner_weight(place, corner);
    }
    float scale = vks_power_of_two(amount_exponent());
    DEPOSIT(sums_gain, amount, scale);
}

// SPDX-License-Identifier: MIT
// Tracers: deposits an amount of each on the surrounding nodes. docs/sims/gas.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "gas/amount.glsl"
#include "gas/distribute.glsl"

layout(constant_id = 0) const bool gains_only = false; // skip amounts below 0

VKS_FIELD(0, readonly, z, uint, zs);
VKS_FIELD(1, readonly, y, uint, ys);
VKS_FIELD(2, readonly, x, uint, xs);
VKS_FIELD(3, readonly, gain, float, gains);
VKS_FIELD(4, , sum_gain, uvec2, sums_gain);

#define TO_NODE(corner, limbs)                                                          \
    {                                                                                   \
        uvec2 units = vks_from_limbs(limbs);                                            \
        if ((units.x | units.y) != 0u) {                                                \
            VKS_FIXED_ATOMIC_ADD(VKS_AT(sums_gain, corner_node(place, corner)), units); \
        }                                                                               \
    }

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
    precise float top = amount * vks_top_scale(amount_exponent());
    DISTRIBUTE(place, top, TO_NODE);
}

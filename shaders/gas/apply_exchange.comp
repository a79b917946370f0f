// SPDX-License-Identifier: MIT
// Tracers: the energy that each oscillator takes, as far as all surrounding nodes allot it.
// docs/sims/gas.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "gas/particle.glsl"

VKS_FIELD(0, readonly, z, uint, zs);
VKS_FIELD(1, readonly, y, uint, ys);
VKS_FIELD(2, readonly, x, uint, xs);
VKS_FIELD(3, readonly, mass, float, masses);
VKS_FIELD(4, , oscillator, float, oscillators);
VKS_FIELD(5, , gain, float, gains);
VKS_FIELD(6, readonly, allotted_share, float, allotted_shares);

// The smallest share that surrounding nodes allot.
float share_at(Place place)
{
    float share = 1.0f;
    for (uint corner = 0u; corner < 8u; corner++) {
        if (!is_left_out(corner) && corner_weight(place, corner) > 0.0f) {
            share = min(share, VKS_AT(allotted_shares, corner_node(place, corner)));
        }
    }
    return share;
}

void main()
{
    uint i = vks_item();
    if (i >= constants.particles) {
        return;
    }
    float request = VKS_AT(gains, i);
    if (request == 0.0f) {
        return;
    }
    float share = share_at(place_of(uvec3(VKS_AT(zs, i), VKS_AT(ys, i), VKS_AT(xs, i))));
    precise float gain = share < 0.0f ? 0.0f : request * (request > 0.0f ? share : 1.0f);
    gain = vks_flush(gain);
    float m = VKS_AT(masses, i);
    float before = VKS_AT(oscillators, i);
    precise float after = gain * vks_reciprocal(m);
    after = before + after;
    after = max(0.0f, vks_flush(after));
    // The change that the store can represent: its rounding must not take more from a node than
    // there is.
    precise float taken = after - before;
    taken = m * vks_flush(taken);
    taken = vks_flush(taken);
    precise float max_taken = 1.5f * abs(gain);
    bool fits = abs(taken) <= max_taken;
    VKS_AT(oscillators, i) = fits ? after : before;
    VKS_AT(gains, i) = fits ? taken : 0.0f;
}

// SPDX-License-Identifier: MIT
// Particles, first pass: mass, momentum and heat to the eight nodes around each particle, in fixed
// point, so that no unit is lost and the order never shows. docs/sims/gas.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "gas/particle.glsl"
#include "lib/fixed.glsl"
#include "gas/share_out.glsl"

layout(constant_id = 0) const bool with_momentum = true;
layout(constant_id = 1) const bool with_heat = true;

VKS_FIELD(0, readonly, z, uint, zs);
VKS_FIELD(1, readonly, y, uint, ys);
VKS_FIELD(2, readonly, x, uint, xs);
VKS_FIELD(3, readonly, vz, float, vzs);
VKS_FIELD(4, readonly, vy, float, vys);
VKS_FIELD(5, readonly, vx, float, vxs);
VKS_FIELD(6, readonly, mass, float, masses);
VKS_FIELD(7, readonly, heat, float, heats);
layout(std430, set = 0, binding = 8) readonly buffer clockwork
{
    uint clock_words[];
};
VKS_FIELD(9, , sum_mass, uvec2, sums_mass);
VKS_FIELD(10, , sum_momentum_z, uvec2, sums_momentum_z);
VKS_FIELD(11, , sum_momentum_y, uvec2, sums_momentum_y);
VKS_FIELD(12, , sum_momentum_x, uvec2, sums_momentum_x);
VKS_FIELD(13, , sum_heat, uvec2, sums_heat);

void main()
{
    uint i = vks_item();
    if (i >= constants.particles) {
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
    float m = VKS_AT(masses, i);
    float mass_scale = vks_power_of_two(int(clock_words[CLOCK_MASS_UNIT]));
    float energy_scale = vks_power_of_two(int(clock_words[CLOCK_ENERGY_UNIT]));
    float momentum_scale = vks_power_of_two(int(clock_words[CLOCK_MOMENTUM_UNIT]));
    DEPOSIT(sums_mass, m, mass_scale);
    if (with_momentum) {
        precise vec3 momentum = vec3(VKS_AT(vzs, i), VKS_AT(vys, i), VKS_AT(vxs, i)) * m;
        momentum = flush(momentum);
        DEPOSIT(sums_momentum_z, momentum.x, momentum_scale);
        DEPOSIT(sums_momentum_y, momentum.y, momentum_scale);
        DEPOSIT(sums_momentum_x, momentum.z, momentum_scale);
    }
    if (with_heat) {
        precise float hot = m * VKS_AT(heats, i);
        hot = vks_flush(hot);
        DEPOSIT(sums_heat, hot, energy_scale);
    }
}

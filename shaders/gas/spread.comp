// SPDX-License-Identifier: MIT
// Particles: the energy of their motion relative to the nodes, which the nodes' velocities lack.
// docs/sims/gas.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "gas/particle.glsl"
#include "lib/fixed.glsl"

VKS_FIELD(0, readonly, z, uint, zs);
VKS_FIELD(1, readonly, y, uint, ys);
VKS_FIELD(2, readonly, x, uint, xs);
VKS_FIELD(3, readonly, vz, float, vzs);
VKS_FIELD(4, readonly, vy, float, vys);
VKS_FIELD(5, readonly, vx, float, vxs);
VKS_FIELD(6, readonly, mass, float, masses);
VKS_FIELD(7, readonly, density, float, densities);
VKS_FIELD(8, readonly, velocity_z, float, velocities_z);
VKS_FIELD(9, readonly, velocity_y, float, velocities_y);
VKS_FIELD(10, readonly, velocity_x, float, velocities_x);
layout(std430, set = 0, binding = 11) readonly buffer clockwork
{
    uint clock_words[];
};
VKS_FIELD(12, , sum_dispersion, uvec2, sums_dispersion);

void main()
{
    uint i = vks_item();
    if (i >= constants.particles) {
        return;
    }
    Place place = place_of(uvec3(VKS_AT(zs, i), VKS_AT(ys, i), VKS_AT(xs, i)));
    vec3 v = vec3(VKS_AT(vzs, i), VKS_AT(vys, i), VKS_AT(vxs, i));
    precise float half_mass = 0.5f * VKS_AT(masses, i);
    float scale = vks_power_of_two(int(clock_words[CLOCK_ENERGY_UNIT]));
    for (uint corner = 0u; corner < 8u; corner++) {
        uint node = corner_node(place, corner);
        if (is_left_out(corner) || VKS_AT(densities, node) == 0.0f) {
            continue;
        }
        precise float part = corner_weight(place, corner) * half_mass;
        part = vks_flush(part);
        precise vec3 way = v - vec3(VKS_AT(velocities_z, node), VKS_AT(velocities_y, node),
                                    VKS_AT(velocities_x, node));
        part = part * square(flush(way));
        uvec2 units = vks_fixed(part, scale);
        if ((units.x | units.y) != 0u) {
            VKS_FIXED_ATOMIC_ADD(VKS_AT(sums_dispersion, node), units);
        }
    }
}

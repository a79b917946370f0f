// SPDX-License-Identifier: MIT
// The energy of particles' motion relative to the nodes, which the nodes' velocities do not
// contain. docs/sims/gas.md.
#ifndef VKS_GAS_DISPERSION_GLSL
#define VKS_GAS_DISPERSION_GLSL

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

// The values of a particle for this pass.
struct Mover {
    Place place;
    vec3 v;
    float half_mass;
};

Mover mover_at(uint i)
{
    precise float half_mass = 0.5f * VKS_AT(masses, i);
    return Mover(place_of(uvec3(VKS_AT(zs, i), VKS_AT(ys, i), VKS_AT(xs, i))),
                 vec3(VKS_AT(vzs, i), VKS_AT(vys, i), VKS_AT(vxs, i)), half_mass);
}

// Velocity and density of a node.
vec4 node_at(uint node)
{
    return vec4(VKS_AT(velocities_z, node), VKS_AT(velocities_y, node), VKS_AT(velocities_x, node),
                VKS_AT(densities, node));
}

// A particle's contribution to the node at a corner with a weight, in limbs of fixed point.
ivec3 part_of(Mover mover, float weight, vec4 node)
{
    precise float part = weight * mover.half_mass;
    part = vks_flush(part);
    precise vec3 relative = mover.v - node.xyz;
    part = part * square(flush(relative));
    precise float top = part * vks_top_scale(int(clock_words[CLOCK_ENERGY_UNIT]));
    return vks_limbs(node.w > 0.0f ? top : 0.0f);
}

void add_to_node(uint amount, uint node, uvec2 part)
{
    if ((part.x | part.y) != 0u) {
        VKS_FIXED_ATOMIC_ADD(VKS_AT(sums_dispersion, node), part);
    }
}

void add_to_nodes(Mover mover)
{
    for (uint corner = 0u; corner < 8u; corner++) {
        if (!is_left_out(corner)) {
            uint node = corner_node(mover.place, corner);
            float weight = corner_weight(mover.place, corner);
            add_to_node(0u, node, vks_from_limbs(part_of(mover, weight, node_at(node))));
        }
    }
}
#endif

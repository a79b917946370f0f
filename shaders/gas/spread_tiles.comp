// SPDX-License-Identifier: MIT
// What gas/spread does, by tiles. docs/architecture.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "gas/crowd.glsl"

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

shared uint low_words[tile_nodes];
shared uint high_words[tile_nodes];

void spread(uint i, uvec3 origin, bool in_tile)
{
    Place place = place_of(uvec3(VKS_AT(zs, i), VKS_AT(ys, i), VKS_AT(xs, i)));
    uint corner_slot = in_tile ? tile_corner(place, origin) : tile_nodes;
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
        if ((units.x | units.y) == 0u) {
            continue;
        }
        if (corner_slot == tile_nodes) {
            VKS_FIXED_ATOMIC_ADD(VKS_AT(sums_dispersion, node), units);
            continue;
        }
        uint slot = corner_slot + corner_step(corner);
        uint before = atomicAdd(low_words[slot], units.x);
        uint high = units.y + (before + units.x < before ? 1u : 0u);
        if (high != 0u) {
            atomicAdd(high_words[slot], high);
        }
    }
}

void main()
{
    uint t = gl_LocalInvocationID.x;
    Crowd crowd = crowd_of(gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x);
    if (crowd.from >= crowd.to) {
        return;
    }
    for (uint i = t; i < tile_nodes; i += gl_WorkGroupSize.x) {
        low_words[i] = 0u;
        high_words[i] = 0u;
    }
    barrier();
    uvec3 origin = tile_origin(crowd.tile);
    bool is_sorted = tile_starts[tile_count()] == constants.particles;
    for (uint i = crowd.from + t; i < crowd.to; i += gl_WorkGroupSize.x) {
        spread(i, origin, is_sorted);
    }
    barrier();
    for (uint i = t; i < tile_nodes; i += gl_WorkGroupSize.x) {
        uvec2 sum = uvec2(low_words[i], high_words[i]);
        if ((sum.x | sum.y) != 0u) {
            VKS_FIXED_ATOMIC_ADD(VKS_AT(sums_dispersion, node_of(origin, i)), sum);
        }
    }
}

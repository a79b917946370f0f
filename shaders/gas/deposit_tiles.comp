// SPDX-License-Identifier: MIT
// What gas/deposit does, by tiles: a tile's first workgroup leaves the sums of its nodes in "tile_sums",
// others add theirs to the nodes. Particles that have left their tile since they were sorted add to the
// nodes directly. docs/architecture.md.
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
VKS_FIELD(14, writeonly, tile_sums, uvec2, sums_tile);

// Of every amount and node of the tile.
shared uint low_words[GAS_AMOUNTS * tile_nodes];
shared uint high_words[GAS_AMOUNTS * tile_nodes];

void add_to_node(uint amount, uint node, uvec2 part)
{
    if (amount == 0u) {
        VKS_FIXED_ATOMIC_ADD(VKS_AT(sums_mass, node), part);
    } else if (amount == 1u) {
        VKS_FIXED_ATOMIC_ADD(VKS_AT(sums_momentum_z, node), part);
    } else if (amount == 2u) {
        VKS_FIXED_ATOMIC_ADD(VKS_AT(sums_momentum_y, node), part);
    } else if (amount == 3u) {
        VKS_FIXED_ATOMIC_ADD(VKS_AT(sums_momentum_x, node), part);
    } else {
        VKS_FIXED_ATOMIC_ADD(VKS_AT(sums_heat, node), part);
    }
}

void add_to_tile(uint slot, uvec2 part)
{
    uint before = atomicAdd(low_words[slot], part.x);
    uint high = part.y + (before + part.x < before ? 1u : 0u);
    if (high != 0u) {
        atomicAdd(high_words[slot], high);
    }
}

// A corner's part of an amount, or for the nearest corner, which is last, the rest.
#define DEPOSIT(k, sums, amount, scale, rest)                                                      \
    {                                                                                              \
        uvec2 part = rest;                                                                         \
        if (turn < 8u) {                                                                           \
            precise float weighted = (amount)*weight;                                              \
            part = vks_fixed(weighted, scale);                                                     \
            rest = vks_fixed_subtract(rest, part);                                                 \
        }                                                                                          \
        if (!strays) {                                                                             \
            add_to_tile((k)*tile_nodes + slot, part);                                              \
        } else if ((part.x | part.y) != 0u) {                                                      \
            VKS_FIXED_ATOMIC_ADD(VKS_AT(sums, node), part);                                        \
        }                                                                                          \
    }

void deposit(uint i, uvec3 origin, bool in_tile)
{
    Place place = place_of(uvec3(VKS_AT(zs, i), VKS_AT(ys, i), VKS_AT(xs, i)));
    uint corner_slot = in_tile ? tile_corner(place, origin) : tile_nodes;
    bool strays = corner_slot == tile_nodes;
    uint nearest = nearest_corner(place);
    float mass_scale = vks_power_of_two(int(clock_words[CLOCK_MASS_UNIT]));
    float momentum_scale = vks_power_of_two(int(clock_words[CLOCK_MOMENTUM_UNIT]));
    float energy_scale = vks_power_of_two(int(clock_words[CLOCK_ENERGY_UNIT]));
    float m = VKS_AT(masses, i);
    precise vec3 momentum = vec3(VKS_AT(vzs, i), VKS_AT(vys, i), VKS_AT(vxs, i)) * m;
    momentum = flush(momentum);
    precise float hot = m * VKS_AT(heats, i);
    hot = vks_flush(hot);
    uvec2 rest_mass = vks_fixed(m, mass_scale);
    uvec2 rest_z = vks_fixed(momentum.x, momentum_scale);
    uvec2 rest_y = vks_fixed(momentum.y, momentum_scale);
    uvec2 rest_x = vks_fixed(momentum.z, momentum_scale);
    uvec2 rest_heat = vks_fixed(hot, energy_scale);
    for (uint turn = 0u; turn < 9u; turn++) {
        uint corner = turn < 8u ? turn : nearest;
        if (is_left_out(corner) || turn == nearest) {
            continue;
        }
        float weight = corner_weight(place, corner);
        uint slot = corner_slot + corner_step(corner);
        uint node = strays ? corner_node(place, corner) : 0u;
        DEPOSIT(0u, sums_mass, m, mass_scale, rest_mass);
        DEPOSIT(1u, sums_momentum_z, momentum.x, momentum_scale, rest_z);
        DEPOSIT(2u, sums_momentum_y, momentum.y, momentum_scale, rest_y);
        DEPOSIT(3u, sums_momentum_x, momentum.z, momentum_scale, rest_x);
        DEPOSIT(4u, sums_heat, hot, energy_scale, rest_heat);
    }
}

void main()
{
    uint t = gl_LocalInvocationID.x;
    Crowd crowd = crowd_of(gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x);
    if (crowd.from >= crowd.to && !crowd.first) {
        return;
    }
    for (uint i = t; i < GAS_AMOUNTS * tile_nodes; i += gl_WorkGroupSize.x) {
        low_words[i] = 0u;
        high_words[i] = 0u;
    }
    barrier();
    uvec3 origin = tile_origin(crowd.tile);
    bool is_sorted = tile_starts[tile_count()] == constants.particles;
    for (uint i = crowd.from + t; i < crowd.to; i += gl_WorkGroupSize.x) {
        deposit(i, origin, is_sorted);
    }
    barrier();
    for (uint i = t; i < GAS_AMOUNTS * tile_nodes; i += gl_WorkGroupSize.x) {
        uvec2 sum = uvec2(low_words[i], high_words[i]);
        if (crowd.first) {
            VKS_AT(sums_tile, crowd.tile * (GAS_AMOUNTS * tile_nodes) + i) = sum;
        } else if ((sum.x | sum.y) != 0u) {
            uint amount = i / tile_nodes;
            add_to_node(amount, node_of(origin, i - amount * tile_nodes), sum);
        }
    }
}

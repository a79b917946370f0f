// SPDX-License-Identifier: MIT
// The deposits of particles on the nodes: mass, momentum and heat. docs/sims/gas.md.
#ifndef VKS_GAS_DEPOSIT_GLSL
#define VKS_GAS_DEPOSIT_GLSL

#include "gas/distribute.glsl"

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

Place place_at(uint i)
{
    return place_of(uvec3(VKS_AT(zs, i), VKS_AT(ys, i), VKS_AT(xs, i)));
}

// One of the amounts 0 to 4 (mass, momentum along z, y, x, and heat) in units of 2^42.
float top_of(uint i, uint amount)
{
    float m = VKS_AT(masses, i);
    precise float carried = m;
    uint unit = CLOCK_MASS_UNIT;
    if (amount == 4u) {
        carried = m * VKS_AT(heats, i);
        unit = CLOCK_ENERGY_UNIT;
    } else if (amount > 0u) {
        carried = m * (amount == 1u   ? VKS_AT(vzs, i)
                       : amount == 2u ? VKS_AT(vys, i)
                                      : VKS_AT(vxs, i));
        unit = CLOCK_MOMENTUM_UNIT;
    }
    precise float top = vks_flush(carried) * vks_top_scale(int(clock_words[unit]));
    return top;
}

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

#define TO_NODE(corner, limbs)                                      \
    {                                                               \
        uvec2 units = vks_from_limbs(limbs);                        \
        if ((units.x | units.y) != 0u) {                            \
            add_to_node(amount, corner_node(place, corner), units); \
        }                                                           \
    }

void deposit_on_nodes(uint i, Place place, uint amount)
{
    float top = top_of(i, amount);
    DISTRIBUTE(place, top, TO_NODE);
}
#endif

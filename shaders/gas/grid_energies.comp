// SPDX-License-Identifier: MIT
// Kinetic and internal energy of the grid's nodes. docs/sims/gas.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "gas/reduce_energies.glsl"

VKS_FIELD(1, readonly, density, float, densities);
VKS_FIELD(2, readonly, momentum_z, float, momenta_z);
VKS_FIELD(3, readonly, momentum_y, float, momenta_y);
VKS_FIELD(4, readonly, momentum_x, float, momenta_x);
VKS_FIELD(5, readonly, energy, float, energies);
layout(std430, set = 0, binding = 6) readonly buffer clockwork
{
    uint clock_words[];
};

void main()
{
    uint node = vks_item();
    float motion = 0.0f;
    float thermal = 0.0f;
    if (node < node_count() && is_own(vks_cell_at(node, grid_size()))) {
        float r = VKS_AT(densities, node);
        bool has_gas = r > vacuum_of(uintBitsToFloat(clock_words[CLOCK_MEAN]));
        vec3 m = vec3(VKS_AT(momenta_z, node), VKS_AT(momenta_y, node), VKS_AT(momenta_x, node));
        vec3 u = has_gas ? velocity_of(r, m) : vec3(0.0f);
        float e = VKS_AT(energies, node);
        precise float rest = thermal_of(m, u, e);
        thermal = vks_flush(rest);
        rest = e - thermal;
        motion = vks_flush(rest);
    }
    reduce(SUM_KINETIC, motion, node_bits());
    reduce(SUM_HEAT, thermal, node_bits());
}

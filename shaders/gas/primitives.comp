// SPDX-License-Identifier: MIT
// Grid, for pictures: velocities and pressure of the current state. docs/sims/gas.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "gas/node.glsl"

VKS_FIELD(0, readonly, density, float, densities);
VKS_FIELD(1, readonly, momentum_z, float, momenta_z);
VKS_FIELD(2, readonly, momentum_y, float, momenta_y);
VKS_FIELD(3, readonly, momentum_x, float, momenta_x);
VKS_FIELD(4, readonly, energy, float, energies);
VKS_FIELD(5, readonly, internal, float, internals);
VKS_FIELD(6, writeonly, velocity_z, float, velocities_z);
VKS_FIELD(7, writeonly, velocity_y, float, velocities_y);
VKS_FIELD(8, writeonly, velocity_x, float, velocities_x);
VKS_FIELD(9, writeonly, pressure, float, pressures);
layout(std430, set = 0, binding = 10) readonly buffer clockwork
{
    uint clock_words[];
};

void main()
{
    uint node = vks_item();
    if (node >= constants.width * constants.height * constants.depth) {
        return;
    }
    float r = VKS_AT(densities, node);
    bool has_gas = r > vacuum_of(uintBitsToFloat(clock_words[CLOCK_MEAN]));
    vec3 m = vec3(VKS_AT(momenta_z, node), VKS_AT(momenta_y, node), VKS_AT(momenta_x, node));
    vec3 u = has_gas ? velocity_of(r, m) : vec3(0.0f);
    float e = VKS_AT(energies, node);
    VKS_AT(velocities_z, node) = u.x;
    VKS_AT(velocities_y, node) = u.y;
    VKS_AT(velocities_x, node) = u.z;
    VKS_AT(pressures, node) =
        has_gas ? pressure_of(thermal_of(m, u, e), e, VKS_AT(internals, node)) : 0.0f;
}

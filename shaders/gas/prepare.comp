// SPDX-License-Identifier: MIT
// Grid, first pass of a step: synchronises the internal energy, computes velocities, pressure and
// the limits of dt. docs/sims/gas.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "gas/node.glsl"

VKS_FIELD(0, readonly, density, float, densities);
VKS_FIELD(1, readonly, momentum_z, float, momenta_z);
VKS_FIELD(2, readonly, momentum_y, float, momenta_y);
VKS_FIELD(3, readonly, momentum_x, float, momenta_x);
VKS_FIELD(4, readonly, energy, float, energies);
VKS_FIELD(5, , internal, float, internals);
VKS_FIELD(6, writeonly, velocity_z, float, velocities_z);
VKS_FIELD(7, writeonly, velocity_y, float, velocities_y);
VKS_FIELD(8, writeonly, velocity_x, float, velocities_x);
VKS_FIELD(9, writeonly, pressure, float, pressures);
layout(std430, set = 0, binding = 10) readonly buffer clockwork
{
    uint clock_words[];
};
layout(std430, set = 0, binding = 11) buffer limits
{
    uint maxima[];
};

#include "gas/end.glsl"
#include "gas/reduce_max.glsl"

// Bits of |u| + c along z, y, x, and of conductivity / density.
uvec4 limits_of(float r, vec3 u, float p, float mean)
{
    float c = sound_of(r, p);
    precise vec3 rate = abs(u) + vec3(c);
    precise float thick = 0.01f * mean;
    precise float diffusivity = constants.conductivity * vks_reciprocal(r);
    return floatBitsToUint(vec4(rate, r >= vks_flush(thick) ? vks_flush(diffusivity) : 0.0f));
}

uvec4 prepared(uvec3 cell)
{
    uint node = vks_index(cell, grid_size());
    float mean = uintBitsToFloat(clock_words[CLOCK_MEAN]);
    float r = VKS_AT(densities, node);
    float e = VKS_AT(energies, node);
    float highest = e;
    for (uint axis = 0u; axis < 3u; axis++) {
        if (is_active(axis)) {
            uvec2 neighbours = neighbours_of(cell, axis);
            highest =
                max(highest, max(VKS_AT(energies, neighbours.x), VKS_AT(energies, neighbours.y)));
        }
    }
    bool has_gas = r > vacuum_of(mean);
    vec3 m = vec3(VKS_AT(momenta_z, node), VKS_AT(momenta_y, node), VKS_AT(momenta_x, node));
    vec3 u = has_gas ? velocity_of(r, m) : vec3(0.0f);
    float thermal = thermal_of(m, u, e);
    float heat = synchronised(thermal, VKS_AT(internals, node), highest);
    float p = has_gas ? pressure_of(thermal, e, heat) : 0.0f;
    if (time_left() != uvec2(0u)) { // otherwise the step changes nothing
        VKS_AT(internals, node) = heat;
    }
    VKS_AT(velocities_z, node) = u.x;
    VKS_AT(velocities_y, node) = u.y;
    VKS_AT(velocities_x, node) = u.z;
    VKS_AT(pressures, node) = p;
    return has_gas && is_own(cell) ? limits_of(r, u, p, mean) : uvec4(0u);
}

void main()
{
    uvec3 cell = vks_cell(grid_size());
    reduce_max(LIMIT_RATE, 4u, vks_inside(cell, grid_size()) ? prepared(cell) : uvec4(0u));
}

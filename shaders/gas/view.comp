// SPDX-License-Identifier: MIT
// The displayed field of the gas, from density, velocity, and heat or pressure of the nodes.
// docs/sims/gas.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "gas/node.glsl"

layout(constant_id = 0) const uint view = GAS_TEMPERATURE;
layout(constant_id = 1) const bool has_pressure = false; // "hot" is the pressure, not the heat

VKS_FIELD(0, readonly, density, float, densities);
VKS_FIELD(1, readonly, velocity_z, float, velocities_z);
VKS_FIELD(2, readonly, velocity_y, float, velocities_y);
VKS_FIELD(3, readonly, velocity_x, float, velocities_x);
VKS_FIELD(4, readonly, hot, float, hots);
VKS_FIELD(5, writeonly, displayed, float, displayed_values);

float heat_at(uint node)
{
    precise float heat = VKS_AT(hots, node);
    if (has_pressure) {
        heat = heat * constants.inverse_g1;
    }
    return vks_flush(heat);
}

// Vorticity of a flat box, negative for rotation from y towards x.
float vorticity(uvec3 cell)
{
    uvec2 across = neighbours_of(cell, 2u);
    uvec2 down = neighbours_of(cell, 1u);
    precise float along_y = VKS_AT(velocities_y, across.y) - VKS_AT(velocities_y, across.x);
    precise float along_x = VKS_AT(velocities_x, down.y) - VKS_AT(velocities_x, down.x);
    precise float turn = along_y - along_x;
    turn = turn * constants.half_per_h;
    return turn;
}

float value(uvec3 cell, uint node)
{
    float r = VKS_AT(densities, node);
    vec3 u = vec3(VKS_AT(velocities_z, node), VKS_AT(velocities_y, node),
                  VKS_AT(velocities_x, node));
    precise float result = 0.0f;
    switch (view) {
    case GAS_PRESSURE:
        result = constants.g1 * heat_at(node);
        break;
    case GAS_SPEED:
        result = vks_sqrt(vks_flush(square(u)));
        break;
    case GAS_VORTICITY:
        result = vorticity(cell);
        break;
    case GAS_HEAT:
        result = heat_at(node);
        break;
    default:
        result = r >= VKS_TINY ? heat_at(node) * vks_reciprocal(r) : 0.0f;
    }
    return vks_flush(result);
}

void main()
{
    uvec3 size = grid_size();
    uvec3 cell = vks_cell(size);
    if (!vks_inside(cell, size)) {
        return;
    }
    uint node = vks_index(cell, size);
    VKS_AT(displayed_values, node) = value(cell, node);
}

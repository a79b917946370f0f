// SPDX-License-Identifier: MIT
// Tracers move with the mean of the velocities before and after the grid's step, and adopt velocity
// and heat of the gas at their new place. docs/sims/gas.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "gas/tracer.glsl"

VKS_FIELD(0, , z, uint, zs);
VKS_FIELD(1, , y, uint, ys);
VKS_FIELD(2, , x, uint, xs);
VKS_FIELD(3, , vz, float, vzs);
VKS_FIELD(4, , vy, float, vys);
VKS_FIELD(5, , vx, float, vxs);
VKS_FIELD(6, writeonly, heat, float, heats);
VKS_FIELD(7, readonly, energy, float, energies);
VKS_FIELD(8, readonly, internal, float, internals);
layout(std430, set = 0, binding = 9) readonly buffer step_values
{
    float step_value[];
};

// Thermal energy per volume around a place, from nodes with gas.
float heat_around(Place place, float vacuum)
{
    precise float sum = 0.0f;
    for (uint corner = 0u; corner < 8u; corner++) {
        uint node = corner_node(place, corner);
        float r = VKS_AT(densities, node);
        if (is_left_out(corner) || !(r > vacuum)) {
            continue;
        }
        vec3 m = momentum_at(node);
        float e = VKS_AT(energies, node);
        float heat = heat_of(thermal_of(m, velocity_of(r, m), e), e, VKS_AT(internals, node));
        precise float part = heat * corner_weight(place, corner);
        sum = sum + part;
    }
    return sum;
}

void main()
{
    uint i = vks_item();
    if (i >= constants.particles || step_value[STEP_DT] == 0.0f) {
        return;
    }
    uvec3 from = uvec3(VKS_AT(zs, i), VKS_AT(ys, i), VKS_AT(xs, i));
    vec3 before = vec3(VKS_AT(vzs, i), VKS_AT(vys, i), VKS_AT(vxs, i));
    float lambda = step_value[STEP_LAMBDA];
    vec3 after = gas_velocity(advected(from, before, lambda), before);
    precise vec3 mean = before + after;
    mean = mean * 0.5f;
    uvec3 position = advected(from, flush(mean), lambda);
    VKS_AT(zs, i) = position.x;
    VKS_AT(ys, i) = position.y;
    VKS_AT(xs, i) = position.z;
    float vacuum = vacuum_now();
    Place place = place_of(position);
    vec4 gas = gas_around(place, vacuum);
    if (gas.x > vacuum && gas.x > 0.0f) {
        vec3 v = velocity_of(gas.x, gas.yzw);
        VKS_AT(vzs, i) = v.x;
        VKS_AT(vys, i) = v.y;
        VKS_AT(vxs, i) = v.z;
        precise float heat = heat_around(place, vacuum) * vks_reciprocal(gas.x);
        VKS_AT(heats, i) = vks_flush(heat);
    }
}

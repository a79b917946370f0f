// SPDX-License-Identifier: MIT
// Tracers: the gas of the grid at a place, and the motion of a tracer in it. docs/sims/gas.md.
#ifndef VKS_GAS_TRACER_GLSL
#define VKS_GAS_TRACER_GLSL

#include "gas/particle.glsl"

VKS_FIELD(20, readonly, density, float, densities);
VKS_FIELD(21, readonly, momentum_z, float, momenta_z);
VKS_FIELD(22, readonly, momentum_y, float, momenta_y);
VKS_FIELD(23, readonly, momentum_x, float, momenta_x);
layout(std430, set = 0, binding = 24) readonly buffer clockwork
{
    uint clock_words[];
};

float vacuum_now()
{
    return vacuum_of(uintBitsToFloat(clock_words[CLOCK_MEAN]));
}

vec3 momentum_at(uint node)
{
    return vec3(VKS_AT(momenta_z, node), VKS_AT(momenta_y, node), VKS_AT(momenta_x, node));
}

// Density and momentum around a place, from nodes with gas.
vec4 gas_around(Place place, float vacuum)
{
    precise vec4 sum = vec4(0.0f);
    for (uint corner = 0u; corner < 8u; corner++) {
        uint node = corner_node(place, corner);
        if (is_left_out(corner) || !(VKS_AT(densities, node) > vacuum)) {
            continue;
        }
        float weight = corner_weight(place, corner);
        precise vec4 part = vec4(VKS_AT(densities, node), momentum_at(node)) * weight;
        sum = sum + part;
    }
    return vec4(vks_flush(sum.x), sum.yzw);
}

// Velocity of the gas at a place; in vacuum the tracer's own.
vec3 gas_velocity(uvec3 position, vec3 own)
{
    float vacuum = vacuum_now();
    vec4 gas = gas_around(place_of(position), vacuum);
    return gas.x > vacuum && gas.x > 0.0f ? velocity_of(gas.x, gas.yzw) : own;
}
#endif

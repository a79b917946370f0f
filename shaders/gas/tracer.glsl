// SPDX-License-Identifier: MIT
// Tracers: the gas of the grid at a place, and the way of a tracer in it. docs/sims/gas.md.
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

// Density and momentum of the nodes with gas around a place.
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
vec3 carried(uvec3 position, vec3 own)
{
    float vacuum = vacuum_now();
    vec4 gas = gas_around(place_of(position), vacuum);
    return gas.x > vacuum && gas.x > 0.0f ? velocity_of(gas.x, gas.yzw) : own;
}

// Where a velocity leads in a step.
uvec3 led(uvec3 position, vec3 velocity, float lambda)
{
    precise vec3 lengths =
        vec3(constants.per_side_z, constants.per_side_y, constants.per_side_x) * lambda;
    lengths = flush(lengths);
    uvec3 way = uvec3(vks_displacement(velocity.x, lengths.x),
                      vks_displacement(velocity.y, lengths.y),
                      vks_displacement(velocity.z, lengths.z));
    return position + uvec3(constants.depth > 1u ? way.x : 0u, constants.height > 1u ? way.y : 0u,
                            constants.width > 1u ? way.z : 0u);
}
#endif

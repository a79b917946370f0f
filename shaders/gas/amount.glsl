// SPDX-License-Identifier: MIT
// Units for amounts of the tracers, chosen so that the total is below 2^62 units. docs/sims/gas.md.
#ifndef VKS_GAS_AMOUNT_GLSL
#define VKS_GAS_AMOUNT_GLSL

#include "gas/particle.glsl"
#include "gas/unit.glsl"
#include "lib/fixed.glsl"

layout(std430, set = 0, binding = 20) readonly buffer extent
{
    float lowest;
    float highest;
};

// Exponent of the unit: amounts are up to twice the measured max.
int amount_exponent()
{
    float largest = max(abs(lowest), abs(highest));
    return min(59 - int(constants.bits) - exponent_of(largest), 126);
}

// A node's amount per volume.
float amount_of(uvec2 units)
{
    precise float amount = vks_from_fixed(units, vks_power_of_two(-amount_exponent()));
    amount = amount * constants.per_h3;
    return vks_flush(amount);
}
#endif

// SPDX-License-Identifier: MIT
// Sums for --watch: first the max magnitude of every amount, then its sum in units that depend on
// the max. docs/sims/gas.md.
#ifndef VKS_GAS_ENERGY_SUMS_GLSL
#define VKS_GAS_ENERGY_SUMS_GLSL

#include "gas/node.glsl"
#include "gas/unit.glsl"
#include "lib/fixed.glsl"

layout(std430, set = 0, binding = 0) buffer energy_sums
{
    uvec2 sums[SUM_COUNT];
    uint max_bits[SUM_COUNT]; // bits of floats that are not negative
};

uint node_count()
{
    return constants.width * constants.height * constants.depth;
}

// Exponent of the unit of a sum of `count` values.
int sum_exponent(uint amount, uint count)
{
    int bits = count > 1u ? findMSB(count - 1u) + 1 : 0;
    return min(60 - bits - exponent_of(uintBitsToFloat(max_bits[amount])), 126);
}
#endif

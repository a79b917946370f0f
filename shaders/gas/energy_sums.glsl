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

// Of the number of nodes of the whole box minus one.
uint node_bits()
{
    uint count = slab_side > 0u ? row_nodes() * slab_side : node_count();
    return count > 1u ? uint(findMSB(count - 1u)) + 1u : 0u;
}

// Exponent of the unit of a sum of up to 2^bits values.
int sum_exponent(uint amount, uint bits)
{
    return min(60 - int(bits) - exponent_of(uintBitsToFloat(max_bits[amount])), 126);
}
#endif

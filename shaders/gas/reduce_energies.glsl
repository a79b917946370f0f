// SPDX-License-Identifier: MIT
// Adds amounts of all items or nodes to "energy_sums".
#ifndef VKS_GAS_REDUCE_ENERGIES_GLSL
#define VKS_GAS_REDUCE_ENERGIES_GLSL

#include "gas/energy_sums.glsl"
#include "lib/fold.glsl"

layout(constant_id = 0) const bool summing = false; // else find the max

shared uvec2 folded[256];

uvec2 combined(uvec2 a, uvec2 b)
{
    return summing ? vks_fixed_add(a, b) : max(a, b);
}

// All invocations of the workgroup must call it, with the value of their item, one of up to 2^bits.
void reduce(uint amount, float value, uint bits)
{
    uint t = gl_LocalInvocationIndex;
    folded[t] = summing ? vks_fixed(value, vks_power_of_two(sum_exponent(amount, bits)))
                       : uvec2(floatBitsToUint(abs(value)), 0u);
    VKS_FOLD(folded, combined);
    if (t == 0u) {
        if (summing) {
            VKS_FIXED_ATOMIC_ADD(sums[amount], folded[0]);
        } else {
            atomicMax(max_bits[amount], folded[0].x);
        }
    }
    barrier();
}
#endif

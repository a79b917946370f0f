// SPDX-License-Identifier: MIT
// Adds amounts of all items or nodes to the tally.
#ifndef VKS_GAS_ADD_UP_GLSL
#define VKS_GAS_ADD_UP_GLSL

#include "gas/tally.glsl"
#include "lib/fold.glsl"

layout(constant_id = 0) const bool add_up = false; // else find the max

shared uvec2 folded[256];

uvec2 combined(uvec2 a, uvec2 b)
{
    return add_up ? vks_fixed_add(a, b) : max(a, b);
}

// All invocations of the workgroup must call it, with the value of their item, one of `count`.
void add_to(uint amount, float value, uint count)
{
    uint t = gl_LocalInvocationIndex;
    folded[t] = add_up ? vks_fixed(value, vks_power_of_two(tally_exponent(amount, count)))
                       : uvec2(floatBitsToUint(abs(value)), 0u);
    VKS_FOLD(folded, combined);
    if (t == 0u) {
        if (add_up) {
            VKS_FIXED_ATOMIC_ADD(sums[amount], folded[0]);
        } else {
            atomicMax(max_bits[amount], folded[0].x);
        }
    }
    barrier();
}
#endif

// SPDX-License-Identifier: MIT
// Units of fixed point. docs/sims/gas.md.
#ifndef VKS_GAS_UNIT_GLSL
#define VKS_GAS_UNIT_GLSL

#include "lib/exact.glsl"

// 2^e <= a < 2^(e + 1) for the result e; -60 for 0.
int exponent_of(float a)
{
    return a == 0.0f ? -60 : int(floatBitsToUint(a) >> 23) - 127;
}

// Exponent of the finest unit for which a total of `a`, not below 0, is at most 2^61 units.
int unit_for(float a)
{
    int max_exponent = (floatBitsToUint(a) & 0x7fffffu) == 0u ? 61 : 60;
    return min(max_exponent - exponent_of(a), 126);
}

// Finest unit of momentum for a total mass and a bound on twice the energy.
int momentum_unit_for(float total, float bound)
{
    precise float twice = 2.0f * total;
    precise float product = vks_sqrt(vks_flush(twice)) * vks_sqrt(bound);
    return unit_for(max(vks_flush(product), VKS_TINY));
}
#endif

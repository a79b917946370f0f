// SPDX-License-Identifier: MIT
// The time at which the gas stops. docs/sims/gas.md. The shader declares clock_words[].
#ifndef VKS_GAS_END_GLSL
#define VKS_GAS_END_GLSL

#include "lib/fixed.glsl"

layout(std430, set = 0, binding = 12) readonly buffer end_time
{
    uvec2 end; // in units of 2^-40, low and high word; the largest number: none
};

bool is_below(uvec2 a, uvec2 b)
{
    return a.y < b.y || (a.y == b.y && a.x < b.x);
}

// Units until the end; 0 at the end and after it.
uvec2 time_left()
{
    uvec2 now = uvec2(clock_words[CLOCK_TIME], clock_words[CLOCK_TIME + 1]);
    return is_below(now, end) ? vks_fixed_subtract(end, now) : uvec2(0u);
}
#endif

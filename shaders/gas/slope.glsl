// SPDX-License-Identifier: MIT
// Slopes between nodes, monotonized central. docs/sims/gas.md.
#ifndef VKS_GAS_SLOPE_GLSL
#define VKS_GAS_SLOPE_GLSL

float limited(float a, float b)
{
    precise float middle = a + b;
    middle = 0.5f * middle;
    precise float twice_a = 2.0f * a;
    precise float twice_b = 2.0f * b;
    if (a > 0.0f && b > 0.0f) {
        return min(middle, min(twice_a, twice_b));
    }
    if (a < 0.0f && b < 0.0f) {
        return max(middle, max(twice_a, twice_b));
    }
    return 0.0f;
}

float slope(float before, float here, float after)
{
    precise float a = here - before;
    precise float b = after - here;
    return limited(a, b);
}
#endif

// SPDX-License-Identifier: MIT
// Slopes between nodes, monotonized central. docs/sims/gas.md.
#ifndef VKS_GAS_SLOPE_GLSL
#define VKS_GAS_SLOPE_GLSL

float limited(float a, float b)
{
    precise float middle = a + b;
    middle = 0.5f * middle;
    precise float high = max(2.0f * min(a, b), 0.0f);
    precise float low = min(2.0f * max(a, b), 0.0f);
    return min(max(middle, low), high);
}

float slope(float before, float here, float after)
{
    precise float a = here - before;
    precise float b = after - here;
    return limited(a, b);
}

// The slope of a velocity: changes that are `small` against the speed of sound are not limited.
float velocity_slope(float before, float here, float after, float small)
{
    precise float a = here - before;
    precise float b = after - here;
    precise float middle = a + b;
    middle = 0.5f * middle;
    precise float high = small;
    precise float low = -small;
    if (a > 0.0f && b > 0.0f) {
        high = 2.0f * min(a, b);
        high = small + high;
    }
    if (a < 0.0f && b < 0.0f) {
        low = 2.0f * max(a, b);
        low = low - small;
    }
    return min(max(middle, low), high);
}

// Small for a speed of sound.
float small_of(float sound)
{
    precise float small = 0.03125f * sound;
    return vks_flush(small);
}
#endif

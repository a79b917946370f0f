// SPDX-License-Identifier: MIT
// Ranges of values that can be displayed. docs/pictures.md.
#ifndef VKS_VIEW_RANGE_GLSL
#define VKS_VIEW_RANGE_GLSL

// False if all values are nearly equal.
bool has_range(float min_value, float max_value)
{
    precise float extent = max_value - min_value;
    return extent > 1e-6f;
}
#endif

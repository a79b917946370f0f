// SPDX-License-Identifier: MIT
// Which ranges of values are worth showing. docs/pictures.md.
#ifndef VKS_VIEW_RANGE_GLSL
#define VKS_VIEW_RANGE_GLSL

// Whether values from `min_value` to `max_value` are.
bool has_range(float min_value, float max_value)
{
    precise float extent = max_value - min_value;
    return extent > 1e-6f;
}
#endif

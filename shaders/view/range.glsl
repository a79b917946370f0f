// SPDX-License-Identifier: MIT
// Which ranges of values are worth showing. docs/pictures.md.
#ifndef VKS_VIEW_RANGE_GLSL
#define VKS_VIEW_RANGE_GLSL

// Whether values from `least` to `most` are.
bool has_range(float least, float most)
{
    precise float extent = most - least;
    return extent > 1e-6f;
}
#endif

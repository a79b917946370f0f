// SPDX-License-Identifier: MIT
// The buffers of a pass of a radix sort. ITEM is the type in which items are read.
#ifndef VKS_LADDER_SORT_BUFFERS_GLSL
#define VKS_LADDER_SORT_BUFFERS_GLSL

layout(std430, set = 0, binding = 0) readonly buffer keys
{
    ITEM key[];
};
layout(std430, set = 0, binding = 1) readonly buffer values
{
    ITEM value[];
};
layout(std430, set = 0, binding = 2) readonly buffer starts
{
    uint start[]; // per digit and tile: the place of the first
};
layout(std430, set = 0, binding = 3) writeonly buffer moved_keys
{
    uint moved_key[];
};
layout(std430, set = 0, binding = 4) writeonly buffer moved_values
{
    uint moved_value[];
};

#endif

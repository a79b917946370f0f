// SPDX-License-Identifier: MIT
// One level of a range: each group of 256 reduces 4096 items to their min and max, by a tree that
// is the same on every device. Invocation t takes its group's items t, t + 256, ... t + 15 x 256 in
// that order, then halves of the group are combined: t with t + 128, t + 64, ... t + 1. (-0 and 0
// compare equal, so the order matters.)
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "lib/cell.glsl"
#include "lib/fold.glsl"
#include "core/reduce.h"

layout(constant_id = 2) const bool pairs = false; // the items are results of the previous level

VKS_CONSTANTS(reduce_params);

VKS_FIELD(0, readonly, items, uint, values); // floats, or halves
layout(std430, set = 0, binding = 1) writeonly buffer partials
{
    float results[];
};

shared vec2 folded[256];

vec2 combine(vec2 a, vec2 b)
{
    return vec2(b.x < a.x ? b.x : a.x, b.y > a.y ? b.y : a.y);
}

vec2 item(uint index)
{
    if (pairs) {
        return uintBitsToFloat(uvec2(VKS_AT(values, 2u * index), VKS_AT(values, 2u * index + 1u)));
    }
    return vec2(VKS_CELL(values, constants.first + index));
}

void main()
{
    uint t = gl_LocalInvocationID.x;
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    // The groups of the last row may be past the items and write nothing.
    uint first = group * REDUCE_ITEMS;
    bool past = group > (constants.count - 1u) / REDUCE_ITEMS; // `first` may have wrapped
    uint count = past ? 0u : min(constants.count - first, REDUCE_ITEMS);
    // An invocation without an item uses the group's first, which changes nothing.
    vec2 value = vec2(0.0f);
    if (count > 0u) {
        value = item(first + (t < count ? t : 0u));
    }
    for (uint i = t + 256u; i < count; i += 256u) {
        value = combine(value, item(first + i));
    }
    folded[t] = value;
    VKS_FOLD(folded, combine);
    if (t == 0u && count > 0u) {
        results[2u * group] = folded[0].x;
        results[2u * group + 1u] = folded[0].y;
    }
}

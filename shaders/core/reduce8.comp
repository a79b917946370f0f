// SPDX-License-Identifier: MIT
// The first level of a range on software drivers, whose shared memory is as slow as other memory:
// core/reduce with groups of 8 instead of 256 invocations, and the same tree. Items are float32,
// four at a time, and their number and that of the first are multiples of four. An invocation folds
// the fours that are 8 apart, as core/reduce folds the halves of its group, and only the rest
// through shared memory.
#version 460
#extension GL_GOOGLE_include_directive : require
#define VKS_TEXELS
#include "lib/pass.glsl"
#include "lib/fold.glsl"
#include "core/reduce.h"

VKS_CONSTANTS(reduce_params);

VKS_INPUT(0, items, vec4, fours)
layout(std430, set = 0, binding = 1) writeonly buffer partials
{
    vec2 results[];
};

const uint group_fours = REDUCE_ITEMS / 4u;
const uint row = 64u; // fours that are this far apart are folded first

struct extremes {
    vec4 low, high;
};

shared extremes folded[8];

extremes combine(extremes a, extremes b)
{
    return extremes(mix(a.low, b.low, lessThan(b.low, a.low)),
                    mix(a.high, b.high, greaterThan(b.high, a.high)));
}

// Fours q, q + 64, ... of the group, of which there are `count`.
extremes column(uint first, uint q, uint count)
{
    vec4 value = VKS_IN(fours, first + (q < count ? q : 0u));
    value = q < count ? value : value.xxxx;
    extremes all = extremes(value, value);
    for (uint i = q + row; i < count; i += row) {
        value = VKS_IN(fours, first + i);
        all = combine(all, extremes(value, value));
    }
    return all;
}

extremes two_columns(uint first, uint q, uint count)
{
    return combine(column(first, q, count), column(first, q + row / 2u, count));
}

extremes four_columns(uint first, uint q, uint count)
{
    return combine(two_columns(first, q, count), two_columns(first, q + row / 4u, count));
}

void main()
{
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint all = constants.count / 4u;
    // The groups of the last row may be past the items and write nothing.
    bool past = group > (all - 1u) / group_fours;
    uint first = past ? 0u : group * group_fours;
    uint count = min(all - first, group_fours);
    first += constants.first / 4u;
    uint t = gl_LocalInvocationID.x;
    folded[t] = combine(four_columns(first, t, count), four_columns(first, t + row / 8u, count));
    VKS_FOLD(folded, combine);
    if (t == 0u && !past) {
        vec4 low = folded[0].low;
        vec4 high = folded[0].high;
        low.xy = mix(low.xy, low.zw, lessThan(low.zw, low.xy));
        high.xy = mix(high.xy, high.zw, greaterThan(high.zw, high.xy));
        results[group] = vec2(low.y < low.x ? low.y : low.x, high.y > high.x ? high.y : high.x);
    }
}

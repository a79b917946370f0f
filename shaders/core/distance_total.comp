// SPDX-License-Identifier: MIT
// Adds up what the groups have found of each quantity: one group per quantity.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "lib/fixed.glsl"
#include "lib/fold.glsl"
#include "core/distance.h"

VKS_CONSTANTS(distance_params);

layout(std430, set = 0, binding = 0) readonly buffer partials
{
    uvec2 sums[];
};
layout(std430, set = 0, binding = 1) writeonly buffer distances
{
    uvec2 totals[];
};

shared uvec2 folded[256];

void main()
{
    uint t = gl_LocalInvocationID.x;
    uvec2 sum = uvec2(0u);
    for (uint i = t; i < constants.items; i += 256u) {
        sum = vks_fixed_add(sum, sums[gl_WorkGroupID.x * constants.items + i]);
    }
    folded[t] = sum;
    VKS_FOLD(folded, vks_fixed_add);
    if (t == 0u) {
        totals[gl_WorkGroupID.x] = folded[0];
    }
}

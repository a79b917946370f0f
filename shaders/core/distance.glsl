// SPDX-License-Identifier: MIT
// Sums of a pass that compares two fields: each quantity has a row of `sums`, with a 64-bit integer
// per group, which core/distance_total adds up.
#ifndef VKS_CORE_DISTANCE_GLSL
#define VKS_CORE_DISTANCE_GLSL

#include "lib/fixed.glsl"
#include "lib/fold.glsl"
#include "core/distance.h"

layout(std430, set = 0, binding = 2) writeonly buffer partials
{
    uvec2 sums[];
};

shared uvec2 folded[256];

// The group's sum of a quantity. All invocations call it.
void put_sum(uint quantity, uvec2 value)
{
    folded[gl_LocalInvocationIndex] = value;
    VKS_FOLD(folded, vks_fixed_add);
    if (gl_LocalInvocationIndex == 0u) {
        sums[quantity * gl_NumWorkGroups.x + gl_WorkGroupID.x] = folded[0];
    }
    barrier();
}

#endif

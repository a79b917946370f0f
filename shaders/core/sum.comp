// SPDX-License-Identifier: MIT
// Sum of a field in 64-bit fixed point: one number per group, which a second dispatch of a single
// group adds up. Integer sums do not depend on the order, so neither the number of groups nor the
// assignment of items matters.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "lib/fixed.glsl"
#include "lib/fold.glsl"
#include "core/sum.h"

layout(constant_id = 2) const bool halves = false; // the items: IEEE halves
layout(constant_id = 3) const bool pairs = false;  // the items: sums of the groups; else float32

VKS_CONSTANTS(sum_params);

VKS_FIELD(0, readonly, items, uvec4, values);
layout(std430, set = 0, binding = 1) writeonly buffer partials
{
    uvec2 sums[];
};

shared uvec2 folded[256];

// Four words; 0, which adds nothing, before the first and past the last.
uvec4 load(uint four)
{
    uint first = 4u * four;
    if (constants.end >= 4u && first <= constants.end - 4u && first >= constants.first) {
        return VKS_AT(values, four);
    }
    uvec4 words = uvec4(0u);
    for (uint i = 0u; i < 4u; i++) {
        if (first + i >= constants.first && first + i < constants.end) {
            words[i] = VKS_AT(values, four)[i];
        }
    }
    return words;
}

// A value in units of the sum. The limit keeps it in the range of vks_fixed().
uvec2 units_of(float value)
{
    return vks_fixed(clamp(value, -constants.limit, constants.limit), constants.scale);
}

uvec2 fixed_of(uint word)
{
    if (halves) {
        return vks_fixed_add(units_of(vks_from_half(word & 0xffffu)),
                             units_of(vks_from_half(word >> 16)));
    }
    return units_of(uintBitsToFloat(word));
}

uvec2 sum_of(uvec4 words)
{
    if (pairs) {
        return vks_fixed_add(words.xy, words.zw);
    }
    return vks_fixed_add(vks_fixed_add(fixed_of(words.x), fixed_of(words.y)),
                         vks_fixed_add(fixed_of(words.z), fixed_of(words.w)));
}

void main()
{
    uint t = gl_LocalInvocationID.x;
    uint fours = constants.end / 4u + (constants.end % 4u > 0u ? 1u : 0u);
    uint four = constants.first / 4u + gl_WorkGroupID.x * 256u + t;
    uvec2 sum = uvec2(0u);
    for (; four < fours; four += gl_NumWorkGroups.x * 256u) {
        sum = vks_fixed_add(sum, sum_of(load(four)));
    }
    folded[t] = sum;
    VKS_FOLD(folded, vks_fixed_add);
    if (t == 0u) {
        sums[gl_WorkGroupID.x] = folded[0];
    }
}

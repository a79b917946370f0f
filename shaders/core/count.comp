// SPDX-License-Identifier: MIT
// First pass of a counting sort: how many items each bin has, and each item's rank.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "core/sort.h"

VKS_CONSTANTS(sort_params);

VKS_FIELD(0, readonly, keys, uint, key);
layout(std430, set = 0, binding = 1) buffer counts
{
    uint counted[]; // initially 0
};
VKS_FIELD(2, writeonly, slots, uint, ranks);

#include "core/count.glsl"

layout(constant_id = 0) const bool one_by_one = false;

void main()
{
    uint i = vks_item();
    bool present = i < constants.count;
    uint bin = present ? min(VKS_AT(key, i), constants.bins - 1u) : SORT_NO_ITEM;
    uint rank = rank_in(bin, gl_LocalInvocationID.x, one_by_one);
    if (present) {
        VKS_AT(ranks, i) = rank;
    }
}

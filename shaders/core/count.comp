// SPDX-License-Identifier: MIT
// First pass of a counting sort: how many items each bin has, and each item's rank, its number
// within its bin. The order within a bin is unspecified.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "core/sort.h"

VKS_CONSTANTS(sort_params);

VKS_FIELD(0, readonly, keys, uint, key);
layout(std430, set = 0, binding = 1) buffer counts
{
    uint counted[]; // all 0 at first
};
VKS_FIELD(2, writeonly, slots, uint, rank);

void main()
{
    uint i = vks_item();
    if (i < constants.count) {
        VKS_AT(rank, i) = atomicAdd(counted[min(VKS_AT(key, i), constants.bins - 1u)], 1u);
    }
}

// SPDX-License-Identifier: MIT
// First pass of a counting sort: how many items each bin has, and each item's rank, its number
// within its bin. The order within a bin is whatever the device makes it.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "core/sort.h"

VKS_CONSTANTS(sort_params);

layout(std430, set = 0, binding = 0) readonly buffer keys
{
    uint key[];
};
layout(std430, set = 0, binding = 1) buffer counts
{
    uint counted[]; // all 0 at first
};
layout(std430, set = 0, binding = 2) writeonly buffer slots
{
    uint rank[];
};

void main()
{
    uint i = vks_item();
    if (i < constants.count) {
        rank[i] = atomicAdd(counted[min(key[i], constants.bins - 1u)], 1u);
    }
}

// SPDX-License-Identifier: MIT
// Third pass of a counting sort, after the scan of the counts: each item's slot is the start of its
// bin plus its rank. Moves the items' numbers there and clears the counts for the next sort.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "core/sort.h"

VKS_CONSTANTS(sort_params);

VKS_FIELD(0, readonly, keys, uint, key);
layout(std430, set = 0, binding = 1) readonly buffer starts
{
    uint start[];
};
layout(std430, set = 0, binding = 2) writeonly buffer counts
{
    uint counted[];
};
VKS_FIELD(3, , slots, uint, slot); // the rank, then the slot
VKS_FIELD(4, readonly, numbers, uint, number);
VKS_FIELD(5, writeonly, numbers_next, uint, number_next);

void main()
{
    uint i = vks_item();
    if (i >= constants.count) {
        return;
    }
    uint to = start[min(VKS_AT(key, i), constants.bins - 1u)] + VKS_AT(slot, i);
    VKS_AT(slot, i) = to;
    VKS_AT(number_next, to) = VKS_AT(number, i);
    for (uint bin = i; bin < constants.bins; bin += constants.count) {
        counted[bin] = 0u;
    }
}

// SPDX-License-Identifier: MIT
// Third pass of a counting sort, after the scan of the counts: each item's slot is where its bin
// starts plus its rank. The items' numbers move there; the counts become 0 for the next sort.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "core/sort.h"

VKS_CONSTANTS(sort_params);

layout(std430, set = 0, binding = 0) readonly buffer keys
{
    uint key[];
};
layout(std430, set = 0, binding = 1) readonly buffer starts
{
    uint start[];
};
layout(std430, set = 0, binding = 2) writeonly buffer counts
{
    uint counted[];
};
layout(std430, set = 0, binding = 3) buffer slots
{
    uint slot[]; // the rank, then the slot
};
layout(std430, set = 0, binding = 4) readonly buffer numbers
{
    uint number[];
};
layout(std430, set = 0, binding = 5) writeonly buffer numbers_next
{
    uint number_next[];
};

void main()
{
    uint i = vks_item();
    if (i >= constants.count) {
        return;
    }
    uint to = start[min(key[i], constants.bins - 1u)] + slot[i];
    slot[i] = to;
    number_next[to] = number[i];
    for (uint bin = i; bin < constants.bins; bin += constants.count) {
        counted[bin] = 0u;
    }
}

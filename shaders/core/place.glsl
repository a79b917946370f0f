// SPDX-License-Identifier: MIT
// Last pass of a counting sort, after the scan of the counts: each item moves to its slot, the
// start of its bin plus its rank.
#ifndef VKS_CORE_PLACE_GLSL
#define VKS_CORE_PLACE_GLSL

#include "lib/pass.glsl"
#include "core/sort.h"

VKS_CONSTANTS(sort_params);

VKS_FIELD(0, readonly, keys, uint, key);
VKS_FIELD(18, readonly, slots, uint, rank);
layout(std430, set = 0, binding = 19) readonly buffer starts
{
    uint start[];
};

uint slot_of(uint i)
{
    return start[min(VKS_AT(key, i), constants.bins - 1u)] + VKS_AT(rank, i);
}
#endif

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

layout(constant_id = 1) const bool skips = false; // places without an item

// Where an item goes; false: there is none.
bool find_slot(uint i, out uint slot)
{
    uint bin = VKS_AT(key, i);
    bool found = !skips || bin != SORT_NO_ITEM;
    slot = found ? start[min(bin, constants.bins - 1u)] + VKS_AT(rank, i) : 0u;
    return found;
}
#endif

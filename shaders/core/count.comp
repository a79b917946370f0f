// SPDX-License-Identifier: MIT
// First pass of a counting sort: how many items each bin has, and each item's rank, its number
// within its bin. The order within a bin is unspecified.
//
// Recently sorted items have few bins per workgroup, so a group first counts in its own hash table
// and then adds each of its bins once. Otherwise the atomics of neighbours would contend.
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
VKS_FIELD(2, writeonly, slots, uint, rank);

#define TABLE_BITS 9
#define TABLE_SIZE 512u // twice as many as items
#define FREE 0xffffffffu

shared uint table_bin[TABLE_SIZE];
shared uint table_count[TABLE_SIZE];

void main()
{
    uint t = gl_LocalInvocationID.x;
    uint i = vks_item();
    for (uint entry = t; entry < TABLE_SIZE; entry += gl_WorkGroupSize.x) {
        table_bin[entry] = FREE;
        table_count[entry] = 0u;
    }
    barrier();
    uint entry = 0u;
    uint own = 0u;
    if (i < constants.count) {
        uint bin = min(VKS_AT(key, i), constants.bins - 1u);
        entry = (bin * 2654435769u) >> (32 - TABLE_BITS);
        uint found = atomicCompSwap(table_bin[entry], FREE, bin);
        while (found != FREE && found != bin) {
            entry = (entry + 1u) & (TABLE_SIZE - 1u);
            found = atomicCompSwap(table_bin[entry], FREE, bin);
        }
        own = atomicAdd(table_count[entry], 1u);
    }
    barrier();
    for (uint each = t; each < TABLE_SIZE; each += gl_WorkGroupSize.x) {
        if (table_bin[each] != FREE) {
            table_count[each] = atomicAdd(counted[table_bin[each]], table_count[each]);
        }
    }
    barrier();
    if (i < constants.count) {
        VKS_AT(rank, i) = table_count[entry] + own;
    }
}

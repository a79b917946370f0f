// SPDX-License-Identifier: MIT
//
// Counts items per bin, first step of a counting sort: adds each item to its bin in the buffer
// "counts" and returns its rank, its number within its bin. The order within a bin is unspecified.
//
// Recently sorted items have few bins per workgroup, so a group first counts in its own hash table
// and then adds each of its bins once. Otherwise the atomics of neighbours would contend. A group
// has at most 256 invocations, which number their bins from `t`.
#ifndef VKS_CORE_COUNT_GLSL
#define VKS_CORE_COUNT_GLSL
#include "core/sort.h"

#define TABLE_BITS 9
#define TABLE_SIZE 512u // twice as many as items

shared uint table_bin[TABLE_SIZE];
shared uint table_count[TABLE_SIZE];

// The rank of an item in its bin. All invocations of the workgroup must call it; those without an
// item have bin SORT_NO_ITEM. one_by_one: without the hash table, for software drivers, whose
// shared memory is ordinary memory.
uint rank_in(uint bin, uint t, bool one_by_one)
{
    if (one_by_one) {
        return bin == SORT_NO_ITEM ? 0u : atomicAdd(counted[bin], 1u);
    }
    for (uint entry = t; entry < TABLE_SIZE; entry += gl_WorkGroupSize.x) {
        table_bin[entry] = SORT_NO_ITEM;
        table_count[entry] = 0u;
    }
    barrier();
    uint entry = 0u;
    uint own = 0u;
    if (bin != SORT_NO_ITEM) {
        entry = (bin * 2654435769u) >> (32 - TABLE_BITS);
        uint found = atomicCompSwap(table_bin[entry], SORT_NO_ITEM, bin);
        while (found != SORT_NO_ITEM && found != bin) {
            entry = (entry + 1u) & (TABLE_SIZE - 1u);
            found = atomicCompSwap(table_bin[entry], SORT_NO_ITEM, bin);
        }
        own = atomicAdd(table_count[entry], 1u);
    }
    barrier();
    for (uint each = t; each < TABLE_SIZE; each += gl_WorkGroupSize.x) {
        if (table_bin[each] != SORT_NO_ITEM) {
            table_count[each] = atomicAdd(counted[table_bin[each]], table_count[each]);
        }
    }
    barrier();
    return table_count[entry] + own;
}
#endif

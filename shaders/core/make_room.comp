// SPDX-License-Identifier: MIT
// After an exchange between ranks: the places in memory that are free for items that arrive, and
// the own items beyond the new end of memory, which move to others of these places. There are as
// many places as items.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "core/migrate.glsl"

VKS_FIELD(0, readonly, place, uvec2, places);
VKS_FIELD(1, , alive, uint, counts);
VKS_FIELD(2, writeonly, free, uint, free_places);
VKS_FIELD(3, writeonly, moved, uint, moved_items);

shared uint group_counts[2];
shared uint group_starts[2];

void main()
{
    uint i = vks_item(), lane = gl_LocalInvocationID.x;
    uint end = VKS_AT(counts, MIGRATE_ALIVE), was = VKS_AT(counts, MIGRATE_WAS);
    bool is_of[2] = bool[2](false, false);
    uint ranks[2];
    if (lane < 2u) {
        group_counts[lane] = 0u;
    }
    barrier();
    if (i < max(end, was)) {
        bool own = i < was && own_row(VKS_AT(places, i)) < constants.rows;
        is_of = bool[2](!own && i < end, own && i >= end);
    }
    for (uint k = 0u; k < 2u; k++) {
        if (is_of[k]) {
            ranks[k] = atomicAdd(group_counts[k], 1u);
        }
    }
    barrier();
    if (lane < 2u && group_counts[lane] > 0u) {
        group_starts[lane] = atomicAdd(VKS_AT(counts, MIGRATE_FREE + lane), group_counts[lane]);
    }
    barrier();
    if (is_of[0]) {
        VKS_AT(free_places, group_starts[0] + ranks[0]) = i;
    }
    if (is_of[1]) {
        VKS_AT(moved_items, group_starts[1] + ranks[1]) = i;
    }
}

// SPDX-License-Identifier: MIT
// After an exchange between ranks: the places in memory that are free for items that arrive, and
// the own items beyond the new end of memory, which move to others of these places. There are as
// many places as items.
#include "core/migrate.glsl"

VKS_FIELD(0, readonly, place, PLACE, places);
VKS_FIELD(1, , alive, uint, counts);
VKS_FIELD(2, readonly, dropped, uint, dropped_places);
VKS_FIELD(3, writeonly, free, uint, free_places);
VKS_FIELD(4, writeonly, moved, uint, moved_items);

shared uint group_counts[2]; // free places, and items that move
shared uint group_starts[2];

void main()
{
    uint i = vks_item(), lane = gl_LocalInvocationID.x;
    uint end = VKS_AT(counts, MIGRATE_ALIVE), was = VKS_AT(counts, MIGRATE_WAS);
    uint dropped = i < VKS_AT(counts, MIGRATE_DROPPED_BEFORE) ? VKS_AT(dropped_places, i) : end;
    bool added = was + i < end; // to the end of memory
    bool moves = end + i < was && own_row(VKS_AT(places, end + i)) < constants.rows;
    uint frees = (dropped < end ? 1u : 0u) + (added ? 1u : 0u);
    uint free_rank = 0u, moved_rank = 0u;
    if (lane < 2u) {
        group_counts[lane] = 0u;
    }
    barrier();
    if (frees > 0u) {
        free_rank = atomicAdd(group_counts[0], frees);
    }
    if (moves) {
        moved_rank = atomicAdd(group_counts[1], 1u);
    }
    barrier();
    if (lane < 2u && group_counts[lane] > 0u) {
        group_starts[lane] = atomicAdd(VKS_AT(counts, MIGRATE_FREE + lane), group_counts[lane]);
    }
    barrier();
    uint at = group_starts[0] + free_rank;
    if (dropped < end) {
        VKS_AT(free_places, at) = dropped;
        at++;
    }
    if (added) {
        VKS_AT(free_places, at) = was + i;
    }
    if (moves) {
        VKS_AT(moved_items, group_starts[1] + moved_rank) = end + i;
    }
}

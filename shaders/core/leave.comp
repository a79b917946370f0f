// SPDX-License-Identifier: MIT
// Before an exchange between ranks: own items move to the front of memory, and copies of those in
// the neighbours' halos to messages. Copies of the neighbours' items are dropped. Each workgroup
// keeps its items together, so that most neighbours in memory remain neighbours.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "core/migrate.glsl"

VKS_FIELD(0, readonly, place, uvec2, places);
VKS_FIELD(1, writeonly, place_next, uvec2, places_next);
#define PAIR(number, in_binding, out_binding)                                                      \
    VKS_FIELD(in_binding, readonly, items_##number, uint, from_##number);                          \
    VKS_FIELD(out_binding, writeonly, items_##number##_next, uint, to_##number)
PAIR(0, 2, 3);
PAIR(1, 4, 5);
PAIR(2, 6, 7);
PAIR(3, 8, 9);
VKS_FIELD(10, , alive, uint, counts);
VKS_FIELD(11, writeonly, to_before, uint, sent_before);
VKS_FIELD(12, writeonly, to_after, uint, sent_after);

shared uint group_counts[3]; // own items, and copies for both neighbours
shared uint group_starts[3];

#define KEEP(number)                                                                               \
    if (fields > number) {                                                                         \
        VKS_AT(to_##number, at) = words[number];                                                   \
    }

void main()
{
    uint i = vks_item(), lane = gl_LocalInvocationID.x;
    uint count = min(VKS_AT(counts, MIGRATE_ALIVE), constants.room);
    if (i - lane >= count) {
        return; // the whole workgroup
    }
    if (lane < 3u) {
        group_counts[lane] = 0u;
    }
    barrier();
    uvec2 place = uvec2(0u);
    bool is_own[3] = bool[3](false, false, false);
    uint ranks[3];
    uint words[4];
    if (i < count) {
        place = VKS_AT(places, i);
        uint row = vks_high(place.x, constants.side) - constants.first; // large above the slab
        bool own = row < constants.rows;
        is_own = bool[3](own, own && row < constants.before,
                         own && row >= constants.rows - constants.after);
        words[0] = VKS_AT(from_0, i);
        words[1] = fields > 1u ? VKS_AT(from_1, i) : 0u;
        words[2] = fields > 2u ? VKS_AT(from_2, i) : 0u;
        words[3] = fields > 3u ? VKS_AT(from_3, i) : 0u;
    }
    for (uint k = 0u; k < 3u; k++) {
        if (is_own[k]) {
            ranks[k] = atomicAdd(group_counts[k], 1u);
        }
    }
    barrier();
    if (lane < 3u && group_counts[lane] > 0u) {
        group_starts[lane] = atomicAdd(VKS_AT(counts, MIGRATE_OWN + lane), group_counts[lane]);
    }
    barrier();
    if (is_own[0]) {
        uint at = group_starts[0] + ranks[0];
        VKS_AT(places_next, at) = place;
        KEEP(0)
        KEEP(1)
        KEEP(2)
        KEEP(3)
    }
    for (uint k = 1u; k < 3u; k++) {
        uint slot = is_own[k] ? group_starts[k] + ranks[k] : constants.message_room;
        if (slot < constants.message_room) {
            uint at = slot * (2u + fields);
            for (uint f = 0u; f < 2u + fields; f++) {
                uint word = f == 0u ? place.x : f == 1u ? place.y : words[f - 2u];
                if (k == 1u) {
                    VKS_AT(sent_before, at + f) = word;
                } else {
                    VKS_AT(sent_after, at + f) = word;
                }
            }
        }
    }
}

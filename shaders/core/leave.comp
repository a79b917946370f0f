// SPDX-License-Identifier: MIT
// Before an exchange between ranks: copies of the own items in the neighbours' halos to messages,
// and the places in memory of those that are not own.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "core/migrate.glsl"

VKS_FIELD(0, readonly, place, uvec2, places);
VKS_FIELD(1, readonly, items_0, uint, words_0);
VKS_FIELD(2, readonly, items_1, uint, words_1);
VKS_FIELD(3, readonly, items_2, uint, words_2);
VKS_FIELD(4, readonly, items_3, uint, words_3);
VKS_FIELD(5, , alive, uint, counts);
VKS_FIELD(6, writeonly, to_before, uint, sent_before);
VKS_FIELD(7, writeonly, to_after, uint, sent_after);
VKS_FIELD(8, writeonly, dropped, uint, dropped_places);

const uint PER_LANE = 4u; // items

shared uint group_counts[3]; // copies for both neighbours, and items that are not own
shared uint group_starts[3];

uint word_of(uint i, uvec2 place, uint word)
{
    return word == 0u   ? place.x
           : word == 1u ? place.y
           : word == 2u ? VKS_AT(words_0, i)
           : word == 3u ? VKS_AT(words_1, i)
           : word == 4u ? VKS_AT(words_2, i)
                        : VKS_AT(words_3, i);
}

// Bits of what an item is: its number in group_counts.
uint kinds_of(uint i)
{
    uint row = own_row(VKS_AT(places, i));
    uint before = row < constants.before ? 1u : 0u;
    uint after = row < constants.rows && row >= constants.rows - constants.after ? 2u : 0u;
    return row < constants.rows ? before | after : 4u;
}

void main()
{
    uint lane = gl_LocalInvocationID.x, group = gl_WorkGroupSize.x;
    uint first = (vks_item() - lane) * PER_LANE + lane;
    uint count = VKS_AT(counts, MIGRATE_ALIVE);
    uint kinds[PER_LANE];
    uint starts[3] = uint[3](0u, 0u, 0u);
    if (lane < 3u) {
        group_counts[lane] = 0u;
    }
    barrier();
    for (uint n = 0u; n < PER_LANE; n++) {
        uint i = first + n * group;
        kinds[n] = i < count ? kinds_of(i) : 0u;
        for (uint k = 0u; k < 3u; k++) {
            starts[k] += (kinds[n] >> k) & 1u;
        }
    }
    for (uint k = 0u; k < 3u; k++) {
        if (starts[k] > 0u) {
            starts[k] = atomicAdd(group_counts[k], starts[k]);
        }
    }
    barrier();
    if (lane < 3u && group_counts[lane] > 0u) {
        group_starts[lane] = atomicAdd(VKS_AT(counts, MIGRATE_BEFORE + lane), group_counts[lane]);
    }
    barrier();
    for (uint n = 0u; n < PER_LANE; n++) {
        uint i = first + n * group;
        for (uint k = 0u; k < 3u; k++) {
            if (((kinds[n] >> k) & 1u) == 0u) {
                continue;
            }
            uint slot = group_starts[k] + starts[k]++;
            if (k == 2u) {
                if (slot < constants.moved_room) {
                    VKS_AT(dropped_places, slot) = i;
                }
            } else if (slot < constants.message_room) {
                uvec2 place = VKS_AT(places, i);
                uint at = slot * (2u + fields);
                for (uint word = 0u; word < 2u + fields; word++) {
                    if (k == 0u) {
                        VKS_AT(sent_before, at + word) = word_of(i, place, word);
                    } else {
                        VKS_AT(sent_after, at + word) = word_of(i, place, word);
                    }
                }
            }
        }
    }
}

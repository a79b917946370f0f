// SPDX-License-Identifier: MIT
// Before an exchange between ranks: copies of the own items in the neighbours' halos to messages.
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

shared uint group_counts[3]; // copies for both neighbours, and what is not own
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

void main()
{
    uint i = vks_item(), lane = gl_LocalInvocationID.x;
    bool is_of[3] = bool[3](false, false, false);
    uint ranks[3];
    uvec2 place = uvec2(0u);
    if (lane < 3u) {
        group_counts[lane] = 0u;
    }
    barrier();
    if (i < VKS_AT(counts, MIGRATE_ALIVE)) {
        place = VKS_AT(places, i);
        uint row = own_row(place);
        bool own = row < constants.rows;
        is_of = bool[3](own && row < constants.before,
                        own && row >= constants.rows - constants.after, !own);
    }
    for (uint k = 0u; k < 3u; k++) {
        if (is_of[k]) {
            ranks[k] = atomicAdd(group_counts[k], 1u);
        }
    }
    barrier();
    if (lane < 3u && group_counts[lane] > 0u) {
        group_starts[lane] = atomicAdd(VKS_AT(counts, MIGRATE_BEFORE + lane), group_counts[lane]);
    }
    barrier();
    for (uint k = 0u; k < 2u; k++) {
        uint slot = is_of[k] ? group_starts[k] + ranks[k] : constants.message_room;
        if (slot < constants.message_room) {
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

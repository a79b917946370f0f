// SPDX-License-Identifier: MIT
// Before an exchange between ranks: copies of the own items in the neighbours' halos to messages
// or, where items move, of those that are not own any more; and the places in memory of these.
#include "core/migrate.glsl"

layout(constant_id = 1) const bool moves = false;

VKS_FIELD(0, readonly, place, PLACE, places);
VKS_FIELD(1, readonly, items_0, uint, words_0);
VKS_FIELD(2, readonly, items_1, uint, words_1);
VKS_FIELD(3, readonly, items_2, uint, words_2);
VKS_FIELD(4, readonly, items_3, uint, words_3);
#ifdef MIGRATE_WORD_PLACE
VKS_FIELD(9, readonly, items_4, uint, words_4);
VKS_FIELD(10, readonly, items_5, uint, words_5);
VKS_FIELD(11, readonly, items_6, uint, words_6);
VKS_FIELD(12, readonly, items_7, uint, words_7);
VKS_FIELD(13, readonly, items_8, uint, words_8);
VKS_FIELD(14, readonly, items_9, uint, words_9);
#endif
VKS_FIELD(5, , alive, uint, counts);
VKS_FIELD(6, writeonly, to_before, uint, sent_before);
VKS_FIELD(7, writeonly, to_after, uint, sent_after);
VKS_FIELD(8, writeonly, dropped, uint, dropped_places);

const uint PER_LANE = 16u; // items

shared uint group_counts[3]; // copies for both neighbours, and items that are not own
shared uint group_starts[3];

uint field_of(uint i, uint field)
{
    switch (field) {
    case 0u:
        return VKS_AT(words_0, i);
    case 1u:
        return VKS_AT(words_1, i);
    case 2u:
        return VKS_AT(words_2, i);
#ifdef MIGRATE_WORD_PLACE
    case 4u:
        return VKS_AT(words_4, i);
    case 5u:
        return VKS_AT(words_5, i);
    case 6u:
        return VKS_AT(words_6, i);
    case 7u:
        return VKS_AT(words_7, i);
    case 8u:
        return VKS_AT(words_8, i);
    case 9u:
        return VKS_AT(words_9, i);
#endif
    default:
        return VKS_AT(words_3, i);
    }
}

uint word_of(uint i, PLACE place, uint word)
{
#ifdef MIGRATE_WORD_PLACE
    return word == 0u ? place : field_of(i, word - 1u);
#else
    return word < 2u ? place[word] : field_of(i, word - 2u);
#endif
}

// Bits of what an item is: its number in group_counts.
uint kinds_of(uint i)
{
    uint row = own_row(VKS_AT(places, i));
    if (moves) {
        uint around = min(row, row + constants.side); // from the first own row on
        bool after = around - constants.rows < constants.after;
        bool before = constants.side - around <= constants.before;
        return row < constants.rows ? 0u : 4u | (after ? 2u : before ? 1u : 8u);
    }
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
        if ((kinds[n] & 8u) != 0u) {
            atomicMax(VKS_AT(counts, MIGRATE_LOST), 1u);
        }
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
    if ((group_counts[0] | group_counts[1] | group_counts[2]) == 0u) {
        return;
    }
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
                PLACE place = VKS_AT(places, i);
                uint at = slot * (PLACE_WORDS + fields);
                for (uint word = 0u; word < PLACE_WORDS + fields; word++) {
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

// SPDX-License-Identifier: MIT
// After an exchange between ranks: fills the free places in memory with the items that arrive, and
// with own ones.
#include "core/migrate.glsl"

VKS_FIELD(0, , place, PLACE, places);
VKS_FIELD(1, , items_0, uint, words_0);
VKS_FIELD(2, , items_1, uint, words_1);
VKS_FIELD(3, , items_2, uint, words_2);
VKS_FIELD(4, , items_3, uint, words_3);
#ifdef MIGRATE_WORD_PLACE
VKS_FIELD(10, , items_4, uint, words_4);
VKS_FIELD(11, , items_5, uint, words_5);
VKS_FIELD(12, , items_6, uint, words_6);
VKS_FIELD(13, , items_7, uint, words_7);
VKS_FIELD(14, , items_8, uint, words_8);
VKS_FIELD(16, , items_9, uint, words_9);
#endif
VKS_FIELD(5, readonly, alive, uint, counts);
VKS_FIELD(6, readonly, from_before, uint, received_before);
VKS_FIELD(7, readonly, from_after, uint, received_after);
VKS_FIELD(8, readonly, free, uint, free_places);
VKS_FIELD(9, readonly, moved, uint, moved_items);

uint word_of(bool before, uint slot, uint word)
{
    uint at = slot * (PLACE_WORDS + fields) + word;
    return before ? VKS_AT(received_before, at) : VKS_AT(received_after, at);
}

#define FILL(number)                                                                               \
    if (fields > number) {                                                                         \
        VKS_AT(words_##number, at) = moves                                                         \
                                         ? VKS_AT(words_##number, from)                            \
                                         : word_of(before, slot, PLACE_WORDS + number);            \
    }

void main()
{
    uint i = vks_item();
    if (i >= VKS_AT(counts, MIGRATE_FREE)) {
        return;
    }
    uint from_before = VKS_AT(counts, MIGRATE_FROM_BEFORE);
    uint arrive = from_before + VKS_AT(counts, MIGRATE_FROM_AFTER);
    uint at = VKS_AT(free_places, i);
    bool before = i < from_before, moves = i >= arrive;
    uint slot = before ? i : i - from_before;
    uint from = moves ? VKS_AT(moved_items, i - arrive) : 0u; // not one of the free places
#ifdef MIGRATE_WORD_PLACE
    VKS_AT(places, at) = moves ? VKS_AT(places, from) : word_of(before, slot, 0u);
#else
    VKS_AT(places, at) = moves ? VKS_AT(places, from)
                               : uvec2(word_of(before, slot, 0u), word_of(before, slot, 1u));
#endif
    FILL(0)
    FILL(1)
    FILL(2)
    FILL(3)
#ifdef MIGRATE_WORD_PLACE
    FILL(4)
    FILL(5)
    FILL(6)
    FILL(7)
    FILL(8)
    FILL(9)
#endif
}

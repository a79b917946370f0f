// SPDX-License-Identifier: MIT
// After an exchange between ranks: copies of the neighbours' items follow the own ones.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "core/migrate.glsl"

VKS_FIELD(0, writeonly, place, uvec2, places);
VKS_FIELD(1, writeonly, items_0, uint, to_0);
VKS_FIELD(2, writeonly, items_1, uint, to_1);
VKS_FIELD(3, writeonly, items_2, uint, to_2);
VKS_FIELD(4, writeonly, items_3, uint, to_3);
VKS_FIELD(5, readonly, alive, uint, counts);
VKS_FIELD(6, readonly, from_before, uint, received_before);
VKS_FIELD(7, readonly, from_after, uint, received_after);

#define TAKE(number)                                                                               \
    if (fields > number) {                                                                         \
        VKS_AT(to_##number, at) = word_of(before, slot, 2u + number);                              \
    }

uint word_of(bool before, uint slot, uint word)
{
    uint at = slot * (2u + fields) + word;
    return before ? VKS_AT(received_before, at) : VKS_AT(received_after, at);
}

void main()
{
    uint i = vks_item();
    uint from_before = VKS_AT(counts, MIGRATE_FROM_BEFORE);
    uint at = VKS_AT(counts, MIGRATE_KEPT) + i;
    if (i < from_before + VKS_AT(counts, MIGRATE_FROM_AFTER)) {
        bool before = i < from_before;
        uint slot = before ? i : i - from_before;
        VKS_AT(places, at) = uvec2(word_of(before, slot, 0u), word_of(before, slot, 1u));
        TAKE(0)
        TAKE(1)
        TAKE(2)
        TAKE(3)
    }
}

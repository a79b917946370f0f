// SPDX-License-Identifier: MIT
// Moves the elements of a field to their slots; ELEMENT is their type.
#include "lib/pass.glsl"
#include "core/sort.h"

VKS_CONSTANTS(items_params);

VKS_FIELD(0, readonly, slots, uint, slot);
VKS_FIELD(1, readonly, items, ELEMENT, from);
VKS_FIELD(2, writeonly, items_next, ELEMENT, to);

void main()
{
    uint i = vks_item();
    if (i < constants.count) {
        uint at = VKS_AT(slot, i);
        VKS_AT(to, at) = VKS_AT(from, i);
    }
}

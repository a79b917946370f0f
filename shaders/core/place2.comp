// SPDX-License-Identifier: MIT
// Moves the elements of a field of pairs to their slots in a sort.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "core/place.glsl"

VKS_FIELD(1, readonly, items, uvec2, from);
VKS_FIELD(2, writeonly, items_next, uvec2, to);

void main()
{
    uint i = vks_item();
    uint at;
    if (i < constants.count && find_slot(i, at)) {
        VKS_AT(to, at) = VKS_AT(from, i);
    }
}

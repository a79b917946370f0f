// SPDX-License-Identifier: MIT
// A field of items, one word each, in order of number, for outputs that hold items.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "view/params.h"

layout(constant_id = 0) const bool numbered = false; // else the items are in that order

VKS_FIELD(0, readonly, field, uint, words);
VKS_FIELD(1, readonly, numbers, uint, item_numbers);
VKS_FIELD(2, writeonly, copies, uint, results);

VKS_CONSTANTS(cells_params);

void main()
{
    uint i = vks_item();
    if (i < constants.count) {
        uint number = numbered ? VKS_AT(item_numbers, i) : i;
        VKS_AT(results, number) = VKS_AT(words, i);
    }
}

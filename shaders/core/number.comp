// SPDX-License-Identifier: MIT
// Numbers the items in the order in which they are stored.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "core/sort.h"

VKS_CONSTANTS(items_params);

VKS_FIELD(0, writeonly, numbers, uint, number);

void main()
{
    uint i = vks_item();
    if (i < constants.count) {
        VKS_AT(number, i) = i;
    }
}

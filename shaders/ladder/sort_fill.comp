// SPDX-License-Identifier: MIT
// Fills the items to sort: keys, and the numbers of the items as values.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "ladder/sort.h"

VKS_CONSTANTS(sort_rung_params);

layout(std430, set = 0, binding = 0) writeonly buffer source
{
    uint key[];
};
layout(std430, set = 0, binding = 1) writeonly buffer source_values
{
    uint value[];
};

void main()
{
    uint item = vks_item();
    if (item < constants.count) {
        key[item] = SORT_KEY(item, constants.count, constants.addend);
        value[item] = item;
    }
}

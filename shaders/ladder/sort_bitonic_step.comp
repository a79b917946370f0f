// SPDX-License-Identifier: MIT
// One step of a bitonic network between items that are too far apart for a tile.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "ladder/access.glsl"
#include "ladder/sort.h"

VKS_CONSTANTS(sort_rung_params);

layout(std430, set = 0, binding = 2) buffer result
{
    uint sorted_key[];
};
layout(std430, set = 0, binding = 3) buffer result_values
{
    uint sorted_value[];
};

void main()
{
    uint item = vks_item(), apart = constants.apart;
    uint low, high;
    if (apart == 0u) {
        uint start = item / (constants.span / 2u) * constants.span;
        uint place = item % (constants.span / 2u);
        low = start + place;
        high = start + constants.span - 1u - place;
    } else {
        low = item / apart * 2u * apart + item % apart;
        high = low + apart;
    }
    if (high < constants.count) { // or the second is padding, which stays behind
        uint a = LOAD(sorted_key, low), b = LOAD(sorted_key, high);
        if (a > b) {
            uint value = LOAD(sorted_value, low);
            STORE(sorted_key, low, b);
            STORE(sorted_key, high, a);
            STORE(sorted_value, low, LOAD(sorted_value, high));
            STORE(sorted_value, high, value);
        }
    }
}

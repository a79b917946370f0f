// SPDX-License-Identifier: MIT
// Sorts tiles of 2048 items by a bitonic network in shared memory: sorted sequences of 1, 2, 4
// items and so on are merged. The first comparison of a merge mirrors the second sequence, which
// makes the two bitonic. Which items are compared does not depend on the keys, and all pairs of a
// step are independent: no atomic operations and no prefix sums, but log2(n)^2 / 2 steps.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "ladder/access.glsl"
#include "ladder/sort.h"
#include "ladder/bitonic.glsl"

VKS_CONSTANTS(sort_rung_params);

layout(std430, set = 0, binding = 0) readonly buffer source
{
    uint key[];
};
layout(std430, set = 0, binding = 1) readonly buffer source_values
{
    uint value[];
};
layout(std430, set = 0, binding = 2) writeonly buffer result
{
    uint sorted_key[];
};
layout(std430, set = 0, binding = 3) writeonly buffer result_values
{
    uint sorted_value[];
};

void main()
{
    uint lane = gl_LocalInvocationID.x, first = first_of_tile();
    for (uint i = lane; i < SORT_TILE; i += 256u) {
        bool is_item = first + i < constants.count;
        SHARED_STORE(tile_key, i, is_item ? LOAD(key, first + i) : 0xffffffffu);
        SHARED_STORE(tile_value, i, is_item ? LOAD(value, first + i) : 0u);
    }
    BARRIER();
    for (uint span = 2u; span <= SORT_TILE; span *= 2u) {
        for (uint i = lane; i < SORT_TILE / 2u; i += 256u) {
            uint start = i / (span / 2u) * span, place = i % (span / 2u);
            exchange(start + place, start + span - 1u - place);
        }
        BARRIER();
        merge_tile(span / 2u);
    }
    for (uint i = lane; i < SORT_TILE && first + i < constants.count; i += 256u) {
        STORE(sorted_key, first + i, SHARED_LOAD(tile_key, i));
        STORE(sorted_value, first + i, SHARED_LOAD(tile_value, i));
    }
}

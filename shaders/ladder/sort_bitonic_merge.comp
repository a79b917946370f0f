// SPDX-License-Identifier: MIT
// The last steps of a merge in a bitonic network, between items of the same tile of 2048: one pass
// over memory instead of eleven.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "ladder/access.glsl"
#include "ladder/sort.h"
#include "ladder/bitonic.glsl"

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
    uint lane = gl_LocalInvocationID.x, first = first_of_tile();
    for (uint i = lane; i < SORT_TILE; i += 256u) {
        bool is_item = first + i < constants.count;
        SHARED_STORE(tile_key, i, is_item ? LOAD(sorted_key, first + i) : 0xffffffffu);
        SHARED_STORE(tile_value, i, is_item ? LOAD(sorted_value, first + i) : 0u);
    }
    BARRIER();
    merge_tile(SORT_TILE);
    for (uint i = lane; i < SORT_TILE && first + i < constants.count; i += 256u) {
        STORE(sorted_key, first + i, SHARED_LOAD(tile_key, i));
        STORE(sorted_value, first + i, SHARED_LOAD(tile_value, i));
    }
}

// SPDX-License-Identifier: MIT
// Moves items to the place of their digit of 8 bits: half the passes. 256 digits are too many for
// counters per lane, so a subgroup shares them: eight votes tell each lane which lanes have the
// same digit, and a lane's rank is the number of those before it.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "lib/pass.glsl"
#include "ladder/access.glsl"
#include "ladder/sort.h"

layout(constant_id = 0) const uint items = 16u; // per lane
layout(constant_id = 1) const uint lanes = 256u;
layout(constant_id = 2) const uint subgroups = 8u; // at most
layout(constant_id = 3) const bool paired = true;  // keys have values
VKS_CONSTANTS(sort_rung_params);
#define ITEM uint
#include "ladder/sort_buffers.glsl"
#include "ladder/radix8.glsl"

void main()
{
    uint lane = gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
    uint tile = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (tile >= constants.tiles) {
        return;
    }
    uint start_of_tile = tile * items * lanes, end = constants.count - start_of_tile;
    uint first = gl_SubgroupID * gl_SubgroupSize * items + gl_SubgroupInvocationID;
    uint own[items], starts[range], place[items], to[items];
    [[unroll]] for (uint i = 0u; i < items; i++) {
        uint at = first + i * gl_SubgroupSize;
        own[i] = at < end ? LOAD(key, start_of_tile + at) : 0xffffffffu;
    }
    load_starts(lane, tile, starts);
    place_items(own, lane, starts, place);
    [[unroll]] for (uint i = 0u; i < items; i++) {
        SHARED_STORE(stage, place[i], own[i]);
        uint at = first + i * gl_SubgroupSize;
        own[i] = paired && at < end ? LOAD(value, start_of_tile + at) : 0u;
    }
    BARRIER();
    [[unroll]] for (uint i = 0u; i < items; i++) {
        uint item = SHARED_LOAD(stage, lane + i * lanes);
        to[i] = lane + i * lanes + SHARED_LOAD(bases, item >> constants.shift & 255u);
        if (lane + i * lanes < end) {
            STORE(moved_key, to[i], item);
        }
    }
    if (!paired) {
        return;
    }
    BARRIER();
    [[unroll]] for (uint i = 0u; i < items; i++) {
        SHARED_STORE(stage, place[i], own[i]);
    }
    BARRIER();
    [[unroll]] for (uint i = 0u; i < items; i++) {
        if (lane + i * lanes < end) {
            STORE(moved_value, to[i], SHARED_LOAD(stage, lane + i * lanes));
        }
    }
}

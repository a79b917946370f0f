// SPDX-License-Identifier: MIT
// Counts the digits of 8 bits in tiles of keys, in four copies for fewer conflicts. Counts of the
// same digit are neighbours, as in ladder/sort_radix4_count.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "lib/pass.glsl"
#include "ladder/access.glsl"
#include "ladder/sort.h"

layout(constant_id = 0) const uint items = 16u; // per lane
layout(constant_id = 1) const uint lanes = 256u;

VKS_CONSTANTS(sort_rung_params);

layout(std430, set = 0, binding = 0) readonly buffer keys
{
    uint key[];
};
layout(std430, set = 0, binding = 1) writeonly buffer counts
{
    uint count[];
};

shared uint counter[256 * 4];

void main()
{
    uint lane = gl_LocalInvocationID.x;
    uint tile = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    for (uint i = lane; i < 1024u; i += lanes) {
        SHARED_STORE(counter, i, 0u);
    }
    BARRIER();
    uint first = tile * lanes * items + lane;
    [[unroll]] for (uint i = 0u; i < items; i++) {
        if (tile < constants.tiles && first + i * lanes < constants.count) {
            uint digit = LOAD(key, first + i * lanes) >> constants.shift & 255u;
            atomicAdd(SHARED_ATOMIC(counter, digit * 4u + lane % 4u), 1u);
        }
    }
    BARRIER();
    for (uint digit = lane; digit < 256u && tile < constants.tiles; digit += lanes) {
        uint sum = 0u;
        for (uint i = 0u; i < 4u; i++) {
            sum += SHARED_LOAD(counter, digit * 4u + (lane / 8u + i) % 4u);
        }
        STORE(count, digit * constants.tiles + tile, sum);
    }
}

// SPDX-License-Identifier: MIT
// Counts the digits of 4 bits in tiles of 2048 keys. Counts of the same digit are neighbours, so
// that one scan of all counts gives each tile the place of its first key with that digit.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "ladder/access.glsl"
#include "ladder/sort.h"

VKS_CONSTANTS(sort_rung_params);

layout(std430, set = 0, binding = 0) readonly buffer keys
{
    uint key[];
};
layout(std430, set = 0, binding = 1) writeonly buffer counts
{
    uint count[];
};

shared uint counter[16 * 16]; // 16 copies, for fewer conflicts

void main()
{
    uint lane = gl_LocalInvocationID.x;
    uint tile = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    SHARED_STORE(counter, lane, 0u);
    BARRIER();
    uint end = tile < constants.tiles ? min(constants.count - tile * SORT_TILE, SORT_TILE) : 0u;
    for (uint i = lane; i < end; i += 256u) {
        uint digit = LOAD(key, tile * SORT_TILE + i) >> constants.shift & 15u;
        atomicAdd(SHARED_ATOMIC(counter, digit * 16u + lane % 16u), 1u);
    }
    BARRIER();
    if (lane < 16u && tile < constants.tiles) {
        uint sum = 0u;
        for (uint i = 0u; i < 16u; i++) {
            sum += SHARED_LOAD(counter, lane * 16u + (lane + i) % 16u);
        }
        STORE(count, lane * constants.tiles + tile, sum);
    }
}

// SPDX-License-Identifier: MIT
// Adds up a vector: the same tree, but the lanes that still work are the first ones. Whole
// subgroups finish early, and neighbouring lanes access neighbouring words of shared memory.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "ladder/access.glsl"
#include "ladder/rung.h"

VKS_CONSTANTS(rung_params);

layout(std430, set = 0, binding = 0) readonly buffer source
{
    uint from[];
};
layout(std430, set = 0, binding = 2) buffer result
{
    uint total[];
};

shared uint tile[256];

void main()
{
    uint item = vks_item();
    uint lane = gl_LocalInvocationID.x;
    SHARED_STORE(tile, lane, item < constants.width ? LOAD(from, item) : 0u);
    barrier();
    for (uint half_count = 128u; half_count > 0u; half_count /= 2u) {
        if (lane < half_count) {
            SHARED_STORE(tile, lane,
                         SHARED_LOAD(tile, lane) + SHARED_LOAD(tile, lane + half_count));
        }
        barrier();
    }
    if (lane == 0u) {
        uint sum = SHARED_LOAD(tile, 0u);
        atomicAdd(ATOMIC(total, 0u), sum);
    }
}

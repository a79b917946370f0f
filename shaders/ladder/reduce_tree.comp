// SPDX-License-Identifier: MIT
// Adds up a vector: 256 words are added in a tree in shared memory, then one atomic addition per
// workgroup. In each level the lanes that still work are further apart, so every subgroup stays
// busy with few active lanes.
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
    for (uint apart = 1u; apart < 256u; apart *= 2u) {
        if (lane % (2u * apart) == 0u) {
            SHARED_STORE(tile, lane, SHARED_LOAD(tile, lane) + SHARED_LOAD(tile, lane + apart));
        }
        barrier();
    }
    if (lane == 0u) {
        uint sum = SHARED_LOAD(tile, 0u);
        atomicAdd(ATOMIC(total, 0u), sum);
    }
}

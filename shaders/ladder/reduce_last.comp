// SPDX-License-Identifier: MIT
// Adds up a vector: every workgroup writes its sum, and the one that finishes last adds up the
// sums. No group waits for another, and the total needs no atomic addition, so it could also be a
// float.
#version 460
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "ladder/access.glsl"
#include "ladder/group_sum.glsl"
#include "ladder/rung.h"

VKS_CONSTANTS(rung_params);

layout(std430, set = 0, binding = 0) readonly buffer source
{
    uvec4 from[];
};
layout(std430, set = 0, binding = 2) buffer result
{
    uint total[];
};
layout(std430, set = 0, binding = 1) coherent buffer partial
{
    uint finished;
    uint sums[];
};

shared bool is_last;

void main()
{
    uint groups = constants.lanes / gl_WorkGroupSize.x;
    uint own = 0u;
    for (uint i = vks_item(); i < constants.source_pitch / 4u; i += constants.lanes) {
        uvec4 words = LOAD(from, i);
        own += words.x + words.y + words.z + words.w;
    }
    uint sum = group_sum(own);
    if (gl_LocalInvocationID.x == 0u) {
        STORE(sums, gl_WorkGroupID.x, sum);
        memoryBarrierBuffer(); // the sum is visible before the count
        is_last = atomicAdd(finished, 1u) == groups - 1u;
    }
    barrier();
    if (is_last) {
        memoryBarrierBuffer();
        own = 0u;
        for (uint i = gl_LocalInvocationID.x; i < groups; i += gl_WorkGroupSize.x) {
            own += LOAD(sums, i);
        }
        sum = group_sum(own);
        if (gl_LocalInvocationID.x == 0u) {
            STORE(total, 0u, LOAD(total, 0u) + sum);
            finished = 0u; // for the next dispatch
        }
    }
}

// SPDX-License-Identifier: MIT
// Minimum and maximum of floats: every workgroup writes its extremes, and the one that finishes
// last combines them. The result needs neither an initial value nor an atomic operation.
#version 460
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "ladder/access.glsl"
#include "ladder/order.glsl"
#include "ladder/group_extremes.glsl"
#include "ladder/rung.h"

VKS_CONSTANTS(rung_params);

layout(std430, set = 0, binding = 0) readonly buffer source
{
    uvec4 from[]; // the bits of floats
};
layout(std430, set = 0, binding = 1) writeonly buffer result
{
    uint most[2];
};
layout(std430, set = 0, binding = 2) coherent buffer partial
{
    uint finished;
    uint unused;
    uvec2 extremes[];
};

shared bool is_last;
void main()
{
    uint lane = gl_LocalInvocationID.x, groups = constants.lanes / gl_WorkGroupSize.x;
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uvec2 own = uvec2(0u);
    for (uint i = vks_item(); 4u * i < constants.width; i += constants.lanes) {
        own = max(own, extremes_of_four(LOAD(from, i), constants.width - 4u * i));
    }
    own = group_extremes(own);
    if (lane == 0u) {
        STORE(extremes, group, own);
        memoryBarrierBuffer(); // the extremes are visible before the count
        is_last = atomicAdd(finished, 1u) == groups - 1u;
    }
    BARRIER();
    if (is_last) {
        memoryBarrierBuffer();
        own = uvec2(0u);
        for (uint i = lane; i < groups; i += gl_WorkGroupSize.x) {
            own = max(own, LOAD(extremes, i));
        }
        own = group_extremes(own);
        if (lane == 0u) {
            STORE(most, 0, own.x);
            STORE(most, 1, own.y);
            finished = 0u; // for the next dispatch
        }
    }
}

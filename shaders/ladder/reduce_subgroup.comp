// SPDX-License-Identifier: MIT
// Adds up a vector: the lanes of a subgroup add up their words through registers, without shared
// memory and barriers. Only the sums of the subgroups meet in shared memory.
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
    uint from[];
};
layout(std430, set = 0, binding = 2) buffer result
{
    uint total[];
};

void main()
{
    uint item = vks_item();
    uint own = item < constants.width ? LOAD(from, item) : 0u;
    uint sum = group_sum(own);
    if (gl_LocalInvocationID.x == 0u) {
        atomicAdd(ATOMIC(total, 0u), sum);
    }
}

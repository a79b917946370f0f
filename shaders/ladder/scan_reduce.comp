// SPDX-License-Identifier: MIT
// First of three dispatches of prefix sums: the sum of each tile of 4096 words.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "lib/pass.glsl"
#include "ladder/access.glsl"
#include "ladder/group_sum.glsl"
#include "ladder/scan.h"

VKS_CONSTANTS(scan_rung_params);

layout(std430, set = 0, binding = 0) readonly buffer words
{
    uvec4 from[];
};
layout(std430, set = 0, binding = 1) writeonly buffer totals
{
    uint total[];
};

#include "ladder/scan_tile.glsl"

void main()
{
    uint lane = gl_LocalInvocationID.x;
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint own = 0u;
    for (uint row = 0u; row < 4u; row++) {
        own += sum_four(load_four(group * (SCAN_TILE / 4u) + row * 256u + lane));
    }
    uint sum = group_sum(own);
    if (lane == 0u && group * SCAN_TILE < constants.count) {
        STORE(total, group, sum);
    }
}

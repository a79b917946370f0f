// SPDX-License-Identifier: MIT
// Adds up a vector: as many lanes as fill the device, each adds up many words in a register before
// the lanes meet. The tree and its barriers run once per workgroup instead of once per 256 words.
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

void main()
{
    uint own = 0u;
    for (uint i = vks_item(); i < constants.source_pitch / 4u; i += constants.lanes) {
        uvec4 words = LOAD(from, i);
        own += words.x + words.y + words.z + words.w;
    }
    uint sum = group_sum(own);
    if (gl_LocalInvocationID.x == 0u) {
        atomicAdd(ATOMIC(total, 0u), sum);
    }
}

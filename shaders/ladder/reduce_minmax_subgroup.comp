// SPDX-License-Identifier: MIT
// Minimum and maximum of floats: subgroups combine their lanes through registers, as integers,
// because subgroupMin() of floats does not define the result for NaN.
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
    uint from[]; // the bits of floats
};
layout(std430, set = 0, binding = 1) buffer result
{
    uint most[2];
};

void main()
{
    uint item = vks_item();
    uvec2 own = item < constants.width ? extremes_of(LOAD(from, item)) : uvec2(0u);
    own = group_extremes(own);
    if (gl_LocalInvocationID.x == 0u) {
        atomicMax(ATOMIC(most, 0), own.x);
        atomicMax(ATOMIC(most, 1), own.y);
    }
}

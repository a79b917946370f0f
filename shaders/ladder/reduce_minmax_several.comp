// SPDX-License-Identifier: MIT
// Minimum and maximum of floats: as many lanes as fill the device, each with many floats in
// registers, 16 bytes per access. The lanes meet once per workgroup instead of once per 256 floats.
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
layout(std430, set = 0, binding = 1) buffer result
{
    uint most[2];
};

void main()
{
    uvec2 own = uvec2(0u);
    for (uint i = vks_item(); 4u * i < constants.width; i += constants.lanes) {
        own = max(own, extremes_of_four(LOAD(from, i), constants.width - 4u * i));
    }
    own = group_extremes(own);
    if (gl_LocalInvocationID.x == 0u) {
        atomicMax(ATOMIC(most, 0), own.x);
        atomicMax(ATOMIC(most, 1), own.y);
    }
}

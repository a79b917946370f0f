// SPDX-License-Identifier: MIT
// Transposes a matrix: one workgroup per row. Its lanes read neighbouring words, but write words
// that are a whole row of the result apart: every word is a separate transfer.
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
layout(std430, set = 0, binding = 2) writeonly buffer result
{
    uint to[];
};

void main()
{
    uint y = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (y >= constants.height) {
        return;
    }
    for (uint x = gl_LocalInvocationID.x; x < constants.width; x += gl_WorkGroupSize.x) {
        STORE(to, x * constants.result_pitch + y, LOAD(from, y * constants.source_pitch + x));
    }
}

// SPDX-License-Identifier: MIT
// RMS norm of one vector, first of two dispatches, with loads of 16 bytes. The padding behind the
// vector is zero and adds nothing.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "ladder/element.glsl"
#include "ladder/rmsnorm.glsl"
#include "ladder/row.glsl"

layout(std430, set = 0, binding = 0) readonly buffer source
{
    ELEMENT4 from[];
};

layout(std430, set = 0, binding = 3) writeonly buffer partial
{
    float sums[]; // one per workgroup
};

void main()
{
    float squares = 0.0;
    for (uint i = vks_item(); i < constants.source_pitch / 4u; i += constants.lanes) {
        vec4 x = VALUE4(LOAD(from, i));
        squares += dot(x, x);
    }
    float sum = group_sum(squares);
    if (gl_LocalInvocationID.x == 0u) {
        STORE(sums, gl_WorkGroupID.x, sum);
    }
}

// SPDX-License-Identifier: MIT
// RMS norm of one vector, second dispatch, with accesses of 16 bytes.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "ladder/element.glsl"
#include "ladder/rmsnorm.glsl"
#include "ladder/row.glsl"

layout(std430, set = 0, binding = 0) readonly buffer source
{
    ELEMENT4 from[];
};
layout(std430, set = 0, binding = 1) readonly buffer weight
{
    ELEMENT4 weights[];
};
layout(std430, set = 0, binding = 2) writeonly buffer result
{
    ELEMENT4 to[];
};

layout(std430, set = 0, binding = 3) readonly buffer partial
{
    float sums[]; // one per workgroup
};

void main()
{
    float squares = 0.0;
    for (uint i = gl_LocalInvocationID.x; i < constants.lanes / 256u; i += 256u) {
        squares += LOAD(sums, i);
    }
    float factor = norm_factor(group_sum(squares), constants.width);
    for (uint i = vks_item(); i < constants.source_pitch / 4u; i += constants.lanes) {
        vec4 x = VALUE4(LOAD(from, i));
        STORE(to, i, ELEMENT4(x * factor * VALUE4(LOAD(weights, i))));
    }
}

// SPDX-License-Identifier: MIT
// RMS norm of one vector, first of two dispatches: many workgroups add up squares, each into an
// element of its own. One workgroup alone would use one multiprocessor of the device.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "ladder/element.glsl"
#include "ladder/rmsnorm.glsl"
#include "ladder/row.glsl"

layout(std430, set = 0, binding = 0) readonly buffer source
{
    ELEMENT from[];
};

layout(std430, set = 0, binding = 3) writeonly buffer partial
{
    float sums[]; // one per workgroup
};

void main()
{
    float squares = 0.0;
    for (uint i = vks_item(); i < constants.width; i += constants.lanes) {
        float x = VALUE(LOAD(from, i));
        squares += x * x;
    }
    float sum = group_sum(squares);
    if (gl_LocalInvocationID.x == 0u) {
        STORE(sums, gl_WorkGroupID.x, sum);
    }
}

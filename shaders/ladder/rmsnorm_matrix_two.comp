// SPDX-License-Identifier: MIT
// RMS norm over rows: one workgroup per row, two passes over it, for the sum of squares and for the
// results. The row is read twice, with accesses of 4 bytes.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "ladder/element.glsl"
#include "ladder/rmsnorm.glsl"
#include "ladder/row.glsl"

layout(std430, set = 0, binding = 0) readonly buffer source
{
    ELEMENT from[];
};
layout(std430, set = 0, binding = 1) readonly buffer weight
{
    ELEMENT weights[];
};
layout(std430, set = 0, binding = 2) writeonly buffer result
{
    ELEMENT to[];
};

void main()
{
    uint row = row_of_group();
    uint lane = gl_LocalInvocationID.x;
    if (row >= constants.height) {
        return;
    }
    uint at = row * constants.source_pitch;
    float squares = 0.0;
    for (uint i = lane; i < constants.width; i += 256u) {
        float x = VALUE(LOAD(from, at + i));
        squares += x * x;
    }
    float factor = norm_factor(group_sum(squares), constants.width);
    for (uint i = lane; i < constants.width; i += 256u) {
        float x = VALUE(LOAD(from, at + i));
        STORE(to, at + i, ELEMENT(x * factor * VALUE(LOAD(weights, i))));
    }
}

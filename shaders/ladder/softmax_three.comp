// SPDX-License-Identifier: MIT
// Softmax over rows, exp(x - max) / sum of exp(x - max): one workgroup per row, three passes over
// it, for the maximum, for the sum and for the quotients. Without subtracting the maximum, exp()
// would overflow from 89 on. The row is read three times.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "ladder/element.glsl"
#include "ladder/softmax.glsl"

layout(std430, set = 0, binding = 0) readonly buffer source
{
    ELEMENT from[];
};
layout(std430, set = 0, binding = 1) writeonly buffer result
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
    float top = lowest;
    for (uint i = lane; i < constants.width; i += 256u) {
        top = max(top, VALUE(LOAD(from, at + i)));
    }
    top = group_max(top);
    float sum = 0.0;
    for (uint i = lane; i < constants.width; i += 256u) {
        sum += exponential(VALUE(LOAD(from, at + i)) - top);
    }
    sum = group_sum(sum);
    for (uint i = lane; i < constants.width; i += 256u) {
        STORE(to, at + i, ELEMENT(exponential(VALUE(LOAD(from, at + i)) - top) / sum));
    }
}

// SPDX-License-Identifier: MIT
// Softmax over rows: maximum and sum in one pass. A lane keeps the maximum so far and the sum
// relative to it; when the maximum grows, the sum is scaled. Two lanes' pairs merge likewise. The
// row is read twice instead of three times, for some more arithmetic.
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
    vec2 part = vec2(lowest, 0.0);
    for (uint i = lane; i < constants.width; i += 256u) {
        float x = VALUE(LOAD(from, at + i));
        float top = max(part.x, x);
        part = vec2(top, part.y * exponential(part.x - top) + exponential(x - top));
    }
    part = merge_group(part);
    for (uint i = lane; i < constants.width; i += 256u) {
        STORE(to, at + i, ELEMENT(exponential(VALUE(LOAD(from, at + i)) - part.x) / part.y));
    }
}

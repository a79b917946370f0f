// SPDX-License-Identifier: MIT
// Convolution, first of two dispatches: the filter is the product of a column and a row, so rows
// are filtered first. SIDE multiplications per element and dispatch replace SIDE * SIDE; the price
// is an intermediate buffer, which is written and read.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "ladder/conv2d_weights.glsl"

layout(std430, set = 0, binding = 0) readonly buffer source
{
    float from[];
};
layout(std430, set = 0, binding = 1) writeonly buffer middle
{
    float to[];
};

void main()
{
    uvec2 at = gl_GlobalInvocationID.xy;
    if (!is_inside(at.x, at.y)) {
        return;
    }
    float sum = 0.0;
    [[unroll]] for (uint i = 0u; i < SIDE; i++) {
        uint x = at.x + i - HALF;
        if (is_inside(x, at.y)) {
            sum += across(i) * LOAD(from, at.y * constants.source_pitch + x);
        }
    }
    STORE(to, at.y * constants.source_pitch + at.x, sum);
}

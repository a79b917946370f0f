// SPDX-License-Identifier: MIT
// Convolution: side and weights are constants of the pipeline, so the loops unroll and a weight is
// part of its instruction. Half of the loads and the whole loop are gone.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "ladder/conv2d_weights.glsl"

layout(std430, set = 0, binding = 0) readonly buffer source
{
    float from[];
};
layout(std430, set = 0, binding = 2) writeonly buffer result
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
    [[unroll]] for (uint j = 0u; j < SIDE; j++) {
        [[unroll]] for (uint i = 0u; i < SIDE; i++) {
            uint x = at.x + i - HALF;
            uint y = at.y + j - HALF;
            if (is_inside(x, y)) {
                sum += across(i) * down(j) * LOAD(from, y * constants.source_pitch + x);
            }
        }
    }
    STORE(to, at.y * constants.result_pitch + at.x, sum);
}

// SPDX-License-Identifier: MIT
// Convolution, second dispatch: columns of the filtered rows.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "ladder/conv2d_weights.glsl"

layout(std430, set = 0, binding = 1) readonly buffer middle
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
    [[unroll]] for (uint i = 0u; i < SIDE; i++) {
        uint y = at.y + i - HALF;
        if (is_inside(at.x, y)) {
            sum += down(i) * LOAD(from, y * constants.source_pitch + at.x);
        }
    }
    STORE(to, at.y * constants.result_pitch + at.x, sum);
}

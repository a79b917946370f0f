// SPDX-License-Identifier: MIT
// Convolution: one element per lane, which reads the filter and its neighbourhood from memory.
// Caches serve most of it, but each multiplication comes with two loads, two comparisons and the
// computation of their addresses.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "ladder/conv2d.glsl"

layout(std430, set = 0, binding = 0) readonly buffer source
{
    float from[];
};
layout(std430, set = 0, binding = 1) readonly buffer weight
{
    float weights[];
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
    for (uint j = 0u; j < SIDE; j++) {
        for (uint i = 0u; i < SIDE; i++) {
            uint x = at.x + i - HALF;
            uint y = at.y + j - HALF;
            if (is_inside(x, y)) {
                sum += LOAD(weights, j * SIDE + i) * LOAD(from, y * constants.source_pitch + x);
            }
        }
    }
    STORE(to, at.y * constants.result_pitch + at.x, sum);
}

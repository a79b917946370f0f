// SPDX-License-Identifier: MIT
// Pooling: one element of the result per lane, which reads its window with accesses of 4 bytes.
// Neighbouring lanes are STRIDE elements apart, so that one access of a subgroup touches STRIDE
// times as many sectors.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "ladder/pool.glsl"

layout(std430, set = 0, binding = 0) readonly buffer source
{
    float from[];
};
layout(std430, set = 0, binding = 1) writeonly buffer result
{
    float to[];
};

void main()
{
    uvec2 at = gl_GlobalInvocationID.xy;
    if (at.x >= constants.width || at.y >= constants.height) {
        return;
    }
    float joined = nothing;
    for (uint j = 0u; j < WINDOW; j++) {
        uint first = (at.y * STRIDE + j) * constants.source_pitch + at.x * STRIDE;
        for (uint i = 0u; i < WINDOW; i++) {
            joined = join(joined, LOAD(from, first + i));
        }
    }
    STORE(to, at.y * constants.result_pitch + at.x, finish(vec4(joined)).x);
}

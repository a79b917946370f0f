// SPDX-License-Identifier: MIT
// RMS norm over rows: the row in registers, with accesses of 16 bytes, a quarter of the memory
// instructions. The padding behind a row is zero and adds nothing to the sum of squares.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "ladder/element.glsl"
#include "ladder/rmsnorm.glsl"
#include "ladder/row.glsl"

layout(constant_id = 0) const uint FOURS = 8u;

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

void main()
{
    uint row = row_of_group();
    uint lane = gl_LocalInvocationID.x;
    if (row >= constants.height) {
        return;
    }
    uint fours = (constants.width + 3u) / 4u;
    uint at = row * (constants.source_pitch / 4u);
    vec4 x[FOURS];
    [[unroll]] for (uint k = 0u; k < FOURS; k++) {
        uint i = lane + 256u * k;
        x[k] = i < fours ? VALUE4(LOAD(from, at + i)) : vec4(0.0);
    }
    float squares = 0.0;
    [[unroll]] for (uint k = 0u; k < FOURS; k++) {
        squares += dot(x[k], x[k]);
    }
    for (uint i = lane + 256u * FOURS; i < fours; i += 256u) {
        vec4 more = VALUE4(LOAD(from, at + i));
        squares += dot(more, more);
    }
    float factor = norm_factor(group_sum(squares), constants.width);
    [[unroll]] for (uint k = 0u; k < FOURS; k++) {
        uint i = lane + 256u * k;
        if (i < fours) {
            STORE(to, at + i, ELEMENT4(x[k] * factor * VALUE4(LOAD(weights, i))));
        }
    }
    for (uint i = lane + 256u * FOURS; i < fours; i += 256u) {
        vec4 more = VALUE4(LOAD(from, at + i));
        STORE(to, at + i, ELEMENT4(more * factor * VALUE4(LOAD(weights, i))));
    }
}

// SPDX-License-Identifier: MIT
// RMS norm over rows: the row in registers, and subgroups also add up through registers, so one
// barrier of nine remains.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "ladder/element.glsl"
#include "ladder/rmsnorm_row.glsl"

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
    uint row = row_of_lane();
    uint lane = lane_of_row();
    uint fours = row < constants.height ? (constants.width + 3u) / 4u : 0u;
    uint at = row * (constants.source_pitch / 4u);
    vec4 x[FOURS];
    [[unroll]] for (uint k = 0u; k < FOURS; k++) {
        uint i = lane + LANES * k;
        x[k] = i < fours ? VALUE4(LOAD(from, at + i)) : vec4(0.0);
    }
    float squares = 0.0;
    [[unroll]] for (uint k = 0u; k < FOURS; k++) {
        squares += dot(x[k], x[k]);
    }
    for (uint i = lane + LANES * FOURS; i < fours; i += LANES) {
        vec4 more = VALUE4(LOAD(from, at + i));
        squares += dot(more, more);
    }
    float factor = norm_factor(row_sum(squares), constants.width);
    [[unroll]] for (uint k = 0u; k < FOURS; k++) {
        uint i = lane + LANES * k;
        if (i < fours) {
            STORE(to, at + i, ELEMENT4(x[k] * factor * VALUE4(LOAD(weights, i))));
        }
    }
    for (uint i = lane + LANES * FOURS; i < fours; i += LANES) {
        vec4 more = VALUE4(LOAD(from, at + i));
        STORE(to, at + i, ELEMENT4(more * factor * VALUE4(LOAD(weights, i))));
    }
}

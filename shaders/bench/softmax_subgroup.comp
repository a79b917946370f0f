// SPDX-License-Identifier: MIT
// Softmax over rows: the row in registers, and subgroups merge through registers, too, so that one
// barrier is left of eight. LANES lanes share a row, and a workgroup has one row or more: the last
// rung tunes both, and with them FOURS, the registers of a lane.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "bench/element.glsl"
#include "bench/softmax_row.glsl"

layout(std430, set = 0, binding = 0) readonly buffer source
{
    ELEMENT4 from[];
};
layout(std430, set = 0, binding = 1) writeonly buffer result
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
    float top = lowest;
    [[unroll]] for (uint k = 0u; k < FOURS; k++) {
        uint i = lane + LANES * k;
        x[k] = i < fours ? without_padding(VALUE4(LOAD(from, at + i)), i) : vec4(MISSING);
    }
    [[unroll]] for (uint k = 0u; k < FOURS; k++) {
        top = max(top, max_of(x[k]));
    }
    vec2 part = vec2(top, 0.0);
    [[unroll]] for (uint k = 0u; k < FOURS; k++) {
        x[k] = exponential(x[k] - top);
        part.y += sum_of(x[k]);
    }
    for (uint i = lane + LANES * FOURS; i < fours; i += LANES) {
        part = add(part, without_padding(VALUE4(LOAD(from, at + i)), i));
    }
    part = merge_row(part);
    float scale = exponential(top - part.x) / part.y;
    [[unroll]] for (uint k = 0u; k < FOURS; k++) {
        if (lane + LANES * k < fours) {
            STORE(to, at + lane + LANES * k, ELEMENT4(x[k] * scale));
        }
    }
    for (uint i = lane + LANES * FOURS; i < fours; i += LANES) {
        STORE(to, at + i, ELEMENT4(exponential(VALUE4(LOAD(from, at + i)) - part.x) / part.y));
    }
}

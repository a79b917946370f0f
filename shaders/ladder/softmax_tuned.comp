// SPDX-License-Identifier: MIT
// Softmax over rows: a workgroup computes EACH rows one after the other and loads the next one
// before it computes the current one, to keep memory busy all the time. That takes twice the
// registers. LANES, rows per workgroup and EACH are tuned.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "ladder/element.glsl"
#include "ladder/softmax_row.glsl"

layout(constant_id = 2) const uint EACH = 2u;

layout(std430, set = 0, binding = 0) readonly buffer source
{
    ELEMENT4 from[];
};
layout(std430, set = 0, binding = 1) writeonly buffer result
{
    ELEMENT4 to[];
};

void load(out vec4 x[FOURS], uint row, uint lane)
{
    uint at = min(row, constants.height - 1u) * (constants.source_pitch / 4u);
    [[unroll]] for (uint k = 0u; k < FOURS; k++) {
        x[k] = VALUE4(LOAD(from, at + min(lane + LANES * k, (constants.width - 1u) / 4u)));
    }
}

void main()
{
    uint lane = lane_of_row();
    uint rows = gl_WorkGroupSize.x / LANES;
    uint row = row_of_group() * EACH * rows + lane_of_group() / LANES;
    vec4 x[FOURS], next[FOURS];
    load(next, row, lane);
    for (uint n = 0u; n < EACH; n++, row += rows) {
        uint fours = row < constants.height ? (constants.width + 3u) / 4u : 0u;
        uint at = row * (constants.source_pitch / 4u);
        [[unroll]] for (uint k = 0u; k < FOURS; k++) { x[k] = next[k]; }
        if (n + 1u < EACH) { load(next, row + rows, lane); }
        vec2 part = exponentials(x, lane);
        float top = part.x;
        for (uint i = lane + LANES * FOURS; i < fours; i += LANES) {
            part = add(part, without_padding(VALUE4(LOAD(from, at + i)), i));
        }
        part = merge_row(part, n % 2u);
        float scale = exp(top - part.x) / part.y;
        [[unroll]] for (uint k = 0u, i = lane; k < FOURS; k++, i += LANES) {
            if (i < fours) { STORE(to, at + i, ELEMENT4(x[k] * scale)); }
        }
        for (uint i = lane + LANES * FOURS; i < fours; i += LANES) {
            STORE(to, at + i, ELEMENT4(exp(VALUE4(LOAD(from, at + i)) - part.x) / part.y));
        }
    }
}

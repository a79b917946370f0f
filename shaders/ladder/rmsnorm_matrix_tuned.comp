// SPDX-License-Identifier: MIT
// RMS norm over rows: a workgroup normalises EACH rows one after the other, so its lanes load the
// weights once and also keep them in registers. In the other rungs, every row loads them from a
// cache, which is as many bytes as the row itself. LANES, rows per workgroup and EACH are tuned.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "ladder/element.glsl"
#include "ladder/rmsnorm_row.glsl"

layout(constant_id = 2) const uint EACH = 1u;

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
    uint lane = lane_of_row();
    uint rows = gl_WorkGroupSize.x / LANES;
    vec4 x[FOURS], w[FOURS];
    [[unroll]] for (uint k = 0u, i = lane; k < FOURS; k++, i += LANES) {
        w[k] = 4u * i < constants.width ? VALUE4(LOAD(weights, i)) : vec4(0.0);
    }
    for (uint n = 0u; n < EACH; n++) {
        uint row = (row_of_group() * EACH + n) * rows + lane_of_group() / LANES;
        uint fours = row < constants.height ? (constants.width + 3u) / 4u : 0u;
        uint at = row * (constants.source_pitch / 4u);
        float squares = 0.0;
        [[unroll]] for (uint k = 0u, i = lane; k < FOURS; k++, i += LANES) {
            x[k] = i < fours ? VALUE4(LOAD(from, at + i)) : vec4(0.0);
        }
        [[unroll]] for (uint k = 0u; k < FOURS; k++) { squares += dot(x[k], x[k]); }
        for (uint i = lane + LANES * FOURS; i < fours; i += LANES) {
            vec4 more = VALUE4(LOAD(from, at + i));
            squares += dot(more, more);
        }
        float factor = norm_factor(row_sum(squares), constants.width);
        [[unroll]] for (uint k = 0u, i = lane; k < FOURS; k++, i += LANES) {
            if (i < fours) { STORE(to, at + i, ELEMENT4(x[k] * factor * w[k])); }
        }
        for (uint i = lane + LANES * FOURS; i < fours; i += LANES) {
            vec4 more = VALUE4(LOAD(from, at + i)) * factor;
            STORE(to, at + i, ELEMENT4(more * VALUE4(LOAD(weights, i))));
        }
        BARRIER(); // before the next sum
    }
}

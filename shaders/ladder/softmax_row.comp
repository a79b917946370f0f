// SPDX-License-Identifier: MIT
// Softmax over rows: the row stays in registers, FOURS vectors of four per lane, all loaded before
// the first is used. It is read once. Each lane computes its exponentials once, relative to its own
// maximum, and scales them when the row's maximum is known. The part of a row that does not fit the
// registers is read twice.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "ladder/element.glsl"

const uint LANES = 256u;
layout(constant_id = 0) const uint FOURS = 8u;
#include "ladder/softmax_registers.glsl"

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
    uint row = row_of_group();
    uint lane = gl_LocalInvocationID.x;
    uint fours = (constants.width + 3u) / 4u;
    uint at = row * (constants.source_pitch / 4u);
    if (row >= constants.height) {
        return;
    }
    vec4 x[FOURS];
    [[unroll]] for (uint k = 0u; k < FOURS; k++) {
        x[k] = VALUE4(LOAD(from, at + min(lane + LANES * k, fours - 1u)));
    }
    vec2 part = exponentials(x, lane);
    float top = part.x;
    for (uint i = lane + LANES * FOURS; i < fours; i += LANES) {
        part = add(part, without_padding(VALUE4(LOAD(from, at + i)), i));
    }
    part = merge_group(part);
    float scale = exp(top - part.x) / part.y;
    [[unroll]] for (uint k = 0u; k < FOURS; k++) {
        uint i = lane + LANES * k;
        if (i < fours) {
            STORE(to, at + i, ELEMENT4(x[k] * scale));
        }
    }
    for (uint i = lane + LANES * FOURS; i < fours; i += LANES) {
        STORE(to, at + i, ELEMENT4(exp(VALUE4(LOAD(from, at + i)) - part.x) / part.y));
    }
}

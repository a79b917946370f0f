// SPDX-License-Identifier: MIT
// Softmax over rows: the row stays in registers, FOURS vectors of four per lane, all loaded before
// the first is used. It is read once. Each lane computes its exponentials once, relative to its own
// maximum, and scales them when the row's maximum is known. What is too long for the registers is
// read twice.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "bench/element.glsl"
#include "bench/softmax.glsl"

layout(constant_id = 0) const uint FOURS = 8u;

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
    uint at = row * constants.source_pitch / 4u;
    if (row >= constants.height) {
        return;
    }
    vec4 x[FOURS];
    float top = lowest;
    [[unroll]] for (uint k = 0u; k < FOURS; k++) {
        uint i = lane + 256u * k;
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
    for (uint i = lane + 256u * FOURS; i < fours; i += 256u) {
        part = add(part, without_padding(VALUE4(LOAD(from, at + i)), i));
    }
    part = merge_group(part);
    float scale = exponential(top - part.x) / part.y;
    [[unroll]] for (uint k = 0u; k < FOURS; k++) {
        if (lane + 256u * k < fours) {
            STORE(to, at + lane + 256u * k, ELEMENT4(x[k] * scale));
        }
    }
    for (uint i = lane + 256u * FOURS; i < fours; i += 256u) {
        STORE(to, at + i, ELEMENT4(exponential(VALUE4(LOAD(from, at + i)) - part.x) / part.y));
    }
}

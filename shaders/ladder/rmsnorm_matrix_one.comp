// SPDX-License-Identifier: MIT
// RMS norm over rows: the row stays in registers, ITEMS elements per lane, and is read once. All
// its loads are issued before the first result is needed. The part of a row that does not fit the
// registers is read twice.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "ladder/element.glsl"
#include "ladder/rmsnorm.glsl"
#include "ladder/row.glsl"

layout(constant_id = 0) const uint ITEMS = 32u;

layout(std430, set = 0, binding = 0) readonly buffer source
{
    ELEMENT from[];
};
layout(std430, set = 0, binding = 1) readonly buffer weight
{
    ELEMENT weights[];
};
layout(std430, set = 0, binding = 2) writeonly buffer result
{
    ELEMENT to[];
};

void main()
{
    uint row = row_of_group();
    uint lane = gl_LocalInvocationID.x;
    if (row >= constants.height) {
        return;
    }
    uint at = row * constants.source_pitch;
    float x[ITEMS];
    [[unroll]] for (uint k = 0u; k < ITEMS; k++) {
        uint i = lane + 256u * k;
        x[k] = i < constants.width ? VALUE(LOAD(from, at + i)) : 0.0;
    }
    float squares = 0.0;
    [[unroll]] for (uint k = 0u; k < ITEMS; k++) {
        squares += x[k] * x[k];
    }
    for (uint i = lane + 256u * ITEMS; i < constants.width; i += 256u) {
        float more = VALUE(LOAD(from, at + i));
        squares += more * more;
    }
    float factor = norm_factor(group_sum(squares), constants.width);
    [[unroll]] for (uint k = 0u; k < ITEMS; k++) {
        uint i = lane + 256u * k;
        if (i < constants.width) {
            STORE(to, at + i, ELEMENT(x[k] * factor * VALUE(LOAD(weights, i))));
        }
    }
    for (uint i = lane + 256u * ITEMS; i < constants.width; i += 256u) {
        float more = VALUE(LOAD(from, at + i));
        STORE(to, at + i, ELEMENT(more * factor * VALUE(LOAD(weights, i))));
    }
}

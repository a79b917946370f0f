// SPDX-License-Identifier: MIT
// RMS norm of one vector, second dispatch, from the end to the beginning: the first dispatch read
// the end last, so it is still in the cache and is not read from memory again.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "ladder/element.glsl"
#include "ladder/row.glsl"

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

layout(std430, set = 0, binding = 3) readonly buffer partial
{
    uint finished;
    float factor;
    float sums[];
};

void main()
{
    uint fours = constants.source_pitch / 4u;
    uint i = fours - 1u - vks_item(); // wraps beyond the beginning;
    if (i < fours) {
        STORE(to, i, ELEMENT4(VALUE4(LOAD(from, i)) * factor * VALUE4(LOAD(weights, i))));
    }
}

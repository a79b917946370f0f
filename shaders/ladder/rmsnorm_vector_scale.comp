// SPDX-License-Identifier: MIT
// RMS norm of one vector, second dispatch: every workgroup adds up the sums of all, which costs
// less than a third dispatch, and scales its elements. No workgroup may wait for another, so the
// vector is read twice.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "ladder/element.glsl"
#include "ladder/rmsnorm.glsl"
#include "ladder/row.glsl"

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

layout(std430, set = 0, binding = 3) readonly buffer partial
{
    float sums[]; // one per workgroup
};

void main()
{
    float squares = 0.0;
    for (uint i = gl_LocalInvocationID.x; i < constants.lanes / 256u; i += 256u) {
        squares += LOAD(sums, i);
    }
    float factor = norm_factor(group_sum(squares), constants.width);
    for (uint i = vks_item(); i < constants.width; i += constants.lanes) {
        float x = VALUE(LOAD(from, i));
        STORE(to, i, ELEMENT(x * factor * VALUE(LOAD(weights, i))));
    }
}

// SPDX-License-Identifier: MIT
// The filter of the convolutions: the outer product of a column and a row.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "ladder/rung.h"

VKS_CONSTANTS(rung_params);

layout(constant_id = 0) const uint SIDE = 3u;

layout(std430, set = 0, binding = 0) readonly buffer across
{
    float row[];
};
layout(std430, set = 0, binding = 1) readonly buffer down
{
    float column[];
};
layout(std430, set = 0, binding = 2) writeonly buffer weight
{
    float weights[];
};

void main()
{
    uint item = vks_item();
    if (item < SIDE * SIDE) {
        weights[item] = column[item / SIDE] * row[item % SIDE];
    }
}

// SPDX-License-Identifier: MIT
// Minimum and maximum of floats: two atomic maxima of integers per lane (ladder/order.glsl).
// Devices need not have atomic operations on floats, and all lanes share two words.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "ladder/access.glsl"
#include "ladder/order.glsl"
#include "ladder/rung.h"

VKS_CONSTANTS(rung_params);

layout(std430, set = 0, binding = 0) readonly buffer source
{
    uint from[]; // the bits of floats
};
layout(std430, set = 0, binding = 1) buffer result
{
    uint most[2];
};

void main()
{
    uint item = vks_item();
    if (item < constants.width) {
        uvec2 own = extremes_of(LOAD(from, item));
        atomicMax(ATOMIC(most, 0), own.x);
        atomicMax(ATOMIC(most, 1), own.y);
    }
}

// SPDX-License-Identifier: MIT
// Adds up a vector: one atomic addition per lane. All of them go to one word, where the device does
// them one after another.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "ladder/access.glsl"
#include "ladder/rung.h"

VKS_CONSTANTS(rung_params);

layout(std430, set = 0, binding = 0) readonly buffer source
{
    uint from[];
};
layout(std430, set = 0, binding = 2) buffer result
{
    uint total[];
};

void main()
{
    uint item = vks_item();
    if (item < constants.width) {
        uint word = LOAD(from, item);
        atomicAdd(ATOMIC(total, 0u), word);
    }
}

// SPDX-License-Identifier: MIT
// Adds what the items have left to the ground.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "lib/exact.glsl"
#include "selftest/wander.h"

VKS_CONSTANTS(wander_params);

layout(std430, set = 0, binding = 0) buffer ground
{
    uint grounds[];
};
layout(std430, set = 0, binding = 1) buffer left
{
    uint lefts[];
};

void main()
{
    uint i = vks_item();
    if (i < constants.side * constants.side) {
        grounds[i] = grounds[i] * 3u + lefts[i];
        lefts[i] = 0u;
    }
}

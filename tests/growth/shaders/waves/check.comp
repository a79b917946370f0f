// SPDX-License-Identifier: MIT
// Sets a word when the water has uncovered the ground somewhere.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "lib/exact.glsl"
#include "waves/params.h"

VKS_CONSTANTS(waves_params);

layout(std430, set = 0, binding = 0) readonly buffer surface
{
    float heights[];
};
layout(std430, set = 0, binding = 1) buffer dry
{
    uint word;
};

void main()
{
    uint x = gl_GlobalInvocationID.x;
    uint y = gl_GlobalInvocationID.y;
    if (x >= constants.width || y >= constants.height) {
        return;
    }
    if (heights[y * constants.width + x] < constants.bottom) {
        atomicMax(word, 1u);
    }
}

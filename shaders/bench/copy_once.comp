// SPDX-License-Identifier: MIT
// Copies one buffer to another, 16 bytes per invocation: the fastest way through large ones.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "bench/bench.h"

VKS_CONSTANTS(bench_params);

layout(std430, set = 0, binding = 0) readonly buffer source
{
    uvec4 from[];
};
layout(std430, set = 0, binding = 1) writeonly buffer result
{
    uvec4 to[];
};

void main()
{
    uint item = vks_item();
    if (item < constants.count) {
        to[item] = from[item];
    }
}

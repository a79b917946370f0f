// SPDX-License-Identifier: MIT
// Fills a buffer with the words that the other kernels expect.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "bench/bench.h"

VKS_CONSTANTS(bench_params);

layout(std430, set = 0, binding = 0) writeonly buffer source
{
    uvec4 to[];
};

void main()
{
    uint item = vks_item();
    if (item < constants.count) {
        to[item] = (4u * item + uvec4(0u, 1u, 2u, 3u)) * constants.factor + constants.addend;
    }
}

// SPDX-License-Identifier: MIT
// Adds to one word and does nothing else, so that dispatches can be counted.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "bench/bench.h"

VKS_CONSTANTS(bench_params);

layout(std430, set = 0, binding = 1) buffer result
{
    uint counter;
};

void main()
{
    if (vks_item() == 0u) {
        counter += constants.addend;
    }
}

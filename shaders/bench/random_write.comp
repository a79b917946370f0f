// SPDX-License-Identifier: MIT
// Eight writes of 4 bytes per invocation and round, each in another part of the buffer.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "lib/pass.glsl"
#include "bench/bench.h"

VKS_CONSTANTS(bench_params);

layout(std430, set = 0, binding = 1) writeonly buffer result
{
    uint to[];
};

void main()
{
    uint item = vks_item();
    uint mask = constants.count - 1u;
    if (item >= constants.invocations) {
        return;
    }
    for (uint k = 0u; k < constants.repeat; k++) {
        uint i = item + 8u * k * constants.invocations;
        [[unroll]] for (uint u = 0u; u < 8u; u++) {
            uint w = BENCH_SCATTER(i + u * constants.invocations, mask, constants.shift);
            to[w] = constants.factor * w + constants.addend;
        }
    }
}

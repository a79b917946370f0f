// SPDX-License-Identifier: MIT
// One atomic addition per invocation and round: to the word of 2^n neighbouring invocations, or to
// a pseudo-random one.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "bench/bench.h"

layout(constant_id = 0) const bool scatter = false;

VKS_CONSTANTS(bench_params);

layout(std430, set = 0, binding = 1) buffer result
{
    uint counts[];
};

void main()
{
    uint item = vks_item();
    uint mask = constants.count - 1u;
    if (item >= constants.invocations) {
        return;
    }
    for (uint k = 0u; k < constants.repeat; k++) {
        if (scatter) {
            uint i = item + k * constants.invocations;
            atomicAdd(counts[BENCH_SCATTER(i, mask, constants.shift)], constants.addend);
        } else {
            uint i = (item >> constants.shift) + k * constants.stride;
            atomicAdd(counts[i & mask], constants.addend);
        }
    }
}

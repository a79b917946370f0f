// SPDX-License-Identifier: MIT
// Copies one buffer to another, 64 bytes per invocation and round: four reads, then four writes, in
// the buffer's four quarters.
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
    uint quarter = constants.count / 4u;
    uint mask = constants.count - 1u;
    if (item >= constants.invocations) {
        return;
    }
    for (uint k = 0u; k < constants.repeat; k++) {
        uint i = (item + k * constants.stride) & mask;
        uint j = (i + quarter) & mask;
        uint l = (j + quarter) & mask;
        uint m = (l + quarter) & mask;
        uvec4 a = from[i];
        uvec4 b = from[j];
        uvec4 c = from[l];
        uvec4 d = from[m];
        to[i] = a;
        to[j] = b;
        to[l] = c;
        to[m] = d;
    }
}

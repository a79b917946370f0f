// SPDX-License-Identifier: MIT
// Reads a buffer, 64 bytes per invocation and round, and writes its sum at the end.
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
    uint sums[];
};

void main()
{
    uint item = vks_item();
    uint quarter = constants.count / 4u;
    uint mask = constants.count - 1u;
    uvec4 sum = uvec4(0u);
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
        sum += a + b;
        sum += c + d;
    }
    sums[item] = sum.x + sum.y + sum.z + sum.w;
}

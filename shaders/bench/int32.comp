// SPDX-License-Identifier: MIT
// 256 multiply-adds of int32 per invocation and round, in eight independent chains.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "bench/rounds.glsl"

VKS_CONSTANTS(bench_params);

layout(std430, set = 0, binding = 1) writeonly buffer result
{
    uint sums[];
};

void main()
{
    uint item = vks_item();
    uint factor = constants.factor;
    uint addend = constants.addend;
    uvec4 x = item + uvec4(0u, 1u, 2u, 3u);
    uvec4 y = x + 4u;
    for (uint k = 0u; k < constants.repeat; k++) {
        TIMES32(x = x * factor + addend; y = y * factor + addend;)
    }
    x += y;
    if (item < constants.invocations) {
        sums[item] = x.x + x.y + x.z + x.w;
    }
}

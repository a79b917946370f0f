// SPDX-License-Identifier: MIT
// 256 additions of int32 per invocation and round. Each adds the result of the one before, which no
// compiler shortens.
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
    uvec4 x = item + uvec4(0u, 1u, 2u, 3u);
    uvec4 y = uvec4(constants.addend);
    for (uint k = 0u; k < constants.repeat; k++) {
        TIMES32(x += y; y += x;)
    }
    if (item < constants.invocations) {
        sums[item] = x.x + x.y + x.z + x.w;
    }
}

// SPDX-License-Identifier: MIT
// 128 shuffles of 4 bytes per invocation and round, in four independent chains: neighbours swap
// their values and add one. After an odd number of swaps each has its neighbour's value.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "bench/rounds.glsl"

VKS_CONSTANTS(bench_params);

layout(std430, set = 0, binding = 1) writeonly buffer result
{
    uint sums[];
};

void main()
{
    uint item = vks_item();
    uint parity = gl_SubgroupInvocationID & 1u;
    uint addend = constants.addend;
    uvec4 x = subgroupShuffleXor(parity + uvec4(0u, 1u, 2u, 3u), 1u) + addend;
    for (uint k = 0u; k < constants.repeat; k++) {
        TIMES32(x = subgroupShuffleXor(x, 1u) + addend;)
    }
    x += parity;
    if (item < constants.invocations) {
        sums[item] = x.x + x.y + x.z + x.w;
    }
}

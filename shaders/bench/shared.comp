// SPDX-License-Identifier: MIT
// Reads shared memory, 256 bytes per invocation and round: neighbouring invocations read
// neighbouring 16 bytes, at constant offsets, so that no addresses are computed in between.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "bench/rounds.glsl"

VKS_CONSTANTS(bench_params);

layout(std430, set = 0, binding = 1) writeonly buffer result
{
    uint sums[];
};

shared uvec4 tile[1024];

void main()
{
    uint item = vks_item();
    uint lane = gl_LocalInvocationID.x;
    for (uint i = lane; i < 1024u; i += 256u) {
        tile[i] = (4u * i + uvec4(0u, 1u, 2u, 3u)) * constants.factor + constants.addend;
    }
    barrier();
    uvec4 sum = uvec4(0u);
    for (uint k = 0u; k < constants.repeat; k++) {
        uint at = lane + ((96u * k) & 255u);
        TIMES16(sum += tile[at]; at += 32u;)
    }
    if (item < constants.invocations) {
        sums[item] = sum.x + sum.y + sum.z + sum.w;
    }
}

// SPDX-License-Identifier: MIT
// Writes a buffer, 64 bytes per invocation and round.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "bench/bench.h"

VKS_CONSTANTS(bench_params);

layout(std430, set = 0, binding = 1) writeonly buffer result
{
    uvec4 to[];
};

void main()
{
    uint item = vks_item();
    uint quarter = constants.count / 4u;
    uint mask = constants.count - 1u;
    uvec4 first = uvec4(0u, 1u, 2u, 3u) * constants.factor + constants.addend;
    uint apart = 4u * constants.factor;
    if (item >= constants.invocations) {
        return;
    }
    for (uint k = 0u; k < constants.repeat; k++) {
        uint i = (item + k * constants.stride) & mask;
        uint j = (i + quarter) & mask;
        uint l = (j + quarter) & mask;
        uint m = (l + quarter) & mask;
        to[i] = first + i * apart;
        to[j] = first + j * apart;
        to[l] = first + l * apart;
        to[m] = first + m * apart;
    }
}

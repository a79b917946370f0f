// SPDX-License-Identifier: MIT
// 256 additions of float32 per invocation and round, in eight independent chains; `precise`, so
// that no compiler merges two of them. Every value is a small integer.
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
    vec4 addend = vec4(float(constants.addend));
    precise vec4 x = float(item & 255u) + vec4(0.0, 1.0, 2.0, 3.0);
    precise vec4 y = x + 4.0;
    for (uint k = 0u; k < constants.repeat; k++) {
        TIMES32(x = x + addend; y = y + addend;)
    }
    x += y;
    if (item < constants.invocations) {
        sums[item] = uint(x.x + x.y + x.z + x.w);
    }
}

// SPDX-License-Identifier: MIT
// 8192 fused multiply-adds of float16 per invocation and round, in eight independent chains of
// pairs. Integers up to 2048 are exact: every round counts to 512, adds that to a total and starts
// from 0 again.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#include "bench/rounds.glsl"

VKS_CONSTANTS(bench_params);

layout(std430, set = 0, binding = 1) writeonly buffer result
{
    uint sums[];
};

void main()
{
    uint item = vks_item();
    f16vec2 factor = f16vec2(float(constants.factor));
    f16vec2 addend = f16vec2(float(constants.addend));
    f16vec2 whole = f16vec2(float(512u * constants.addend));
    f16vec2 x[8];
    uint total = 0u;
    [[unroll]] for (uint c = 0u; c < 8u; c++) {
        x[c] = f16vec2(0.0);
    }
    for (uint k = 0u; k < constants.repeat; k++) {
        for (uint l = 0u; l < 16u; l++) {
            TIMES32(x[0] = fma(x[0], factor, addend); x[1] = fma(x[1], factor, addend);
                    x[2] = fma(x[2], factor, addend); x[3] = fma(x[3], factor, addend);
                    x[4] = fma(x[4], factor, addend); x[5] = fma(x[5], factor, addend);
                    x[6] = fma(x[6], factor, addend); x[7] = fma(x[7], factor, addend);)
        }
        [[unroll]] for (uint c = 0u; c < 8u; c++) {
            total += uint(float(x[c].x)) + uint(float(x[c].y));
            x[c] -= whole;
        }
    }
    if (item < constants.invocations) {
        sums[item] = total;
    }
}

// SPDX-License-Identifier: MIT
// Products of cooperative matrices in registers: eight independent sums per subgroup, so that no
// product waits for the one before. All elements are equal small integers, so that the sums are
// exact.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "bench/rounds.glsl"
#include "bench/matrix.glsl"

VKS_CONSTANTS(bench_params);

layout(std430, set = 0, binding = 1) writeonly buffer result
{
    float sums_data[];
};

#define MULTIPLY(i) sums[i] = coopMatMulAdd(a[(i) / 4u], b[(i) % 4u], sums[i]);

void main()
{
    LEFT_MATRIX a[2];
    RIGHT_MATRIX b[4];
    a[0] = a[1] = LEFT_MATRIX(float(constants.factor));
    b[0] = b[1] = b[2] = b[3] = RIGHT_MATRIX(float(constants.addend));
    SUM_MATRIX sums[8];
    [[unroll]] for (uint i = 0u; i < 8u; i++) {
        sums[i] = SUM_MATRIX(float(i));
    }
    for (uint k = 0u; k < constants.repeat; k++) {
        TIMES16(MULTIPLY(0u) MULTIPLY(1u) MULTIPLY(2u) MULTIPLY(3u) MULTIPLY(4u) MULTIPLY(5u)
                    MULTIPLY(6u) MULTIPLY(7u))
    }
    [[unroll]] for (uint i = 1u; i < 8u; i++) {
        sums[0] += sums[i];
    }
    uint subgroup = vks_item() / gl_SubgroupSize;
    coopMatStore(sums[0], sums_data, subgroup * M * N, N, gl_CooperativeMatrixLayoutRowMajor);
}

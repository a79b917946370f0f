// SPDX-License-Identifier: MIT
// Multiplies matrices of float16 with sums of float32 by cooperative matrices: a subgroup computes
// one of them, say 16 x 16 elements, and the device's matrix unit multiplies. Operands come
// straight from memory, so each is loaded for a single multiplication, and the loads determine the
// time. Where a matrix extends beyond the edge, its elements go through shared memory, with zeros
// outside.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "ladder/gemm_matrix.glsl"

shared uvec4 stage[M * K / 8u + K * N / 8u + M * N / 4u];

void main()
{
    const uint right_stage = M * K / 8u, sum_stage = right_stage + K * N / 8u;
    uint lane = gl_LocalInvocationIndex;
    uvec2 first = gl_WorkGroupID.xy * uvec2(N, M);
    LEFT_MATRIX a;
    RIGHT_MATRIX b;
    SUM_MATRIX sum = SUM_MATRIX(0.0);
    for (uint k = 0u; k < constants.depth; k += K) {
        if (whole || (first.y + M <= constants.rows && k + K <= constants.depth &&
                      first.x + N <= constants.right_pitch)) {
            coopMatLoad(a, left_eights, (first.y * constants.left_pitch + k) / 8u,
                        constants.left_pitch / 8u, gl_CooperativeMatrixLayoutRowMajor);
            coopMatLoad(b, right_eights, (k * constants.right_pitch + first.x) / 8u,
                        constants.right_pitch / 8u, gl_CooperativeMatrixLayoutRowMajor);
        } else {
            for (uint i = lane; i < M * K / 8u; i += gl_WorkGroupSize.x) {
                stage[i] = load_left(first.y + i / (K / 8u), k + i % (K / 8u) * 8u);
            }
            for (uint i = lane; i < K * N / 8u; i += gl_WorkGroupSize.x) {
                stage[right_stage + i] = load_right(k + i / (N / 8u), first.x + i % (N / 8u) * 8u);
            }
            barrier();
            coopMatLoad(a, stage, 0u, K / 8u, gl_CooperativeMatrixLayoutRowMajor);
            coopMatLoad(b, stage, right_stage, N / 8u, gl_CooperativeMatrixLayoutRowMajor);
            barrier();
        }
        sum = coopMatMulAdd(a, b, sum);
    }
    if (is_inside(first.y, first.x)) {
        coopMatStore(sum, result_fours, (first.y * constants.result_pitch + first.x) / 4u,
                     constants.result_pitch / 4u, gl_CooperativeMatrixLayoutRowMajor);
    } else {
        coopMatStore(sum, stage, sum_stage, N / 4u, gl_CooperativeMatrixLayoutRowMajor);
        barrier();
        for (uint i = lane; i < M * N / 4u; i += gl_WorkGroupSize.x) {
            store_result(first.y + i / (N / 4u), first.x + i % (N / 4u) * 4u, stage[sum_stage + i]);
        }
    }
}

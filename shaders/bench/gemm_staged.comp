// SPDX-License-Identifier: MIT
// Multiplies matrices of float16 by cooperative matrices: a workgroup stages tiles in shared
// memory, and each subgroup computes 4 x 4 matrices of the result, so that an operand serves four
// multiplications. Rows in shared memory are padded by 16 bytes, which spreads them over the banks.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "bench/gemm_matrix.glsl"
#include "bench/gemm_blocks.glsl"

void main()
{
    uint lane = gl_LocalInvocationIndex;
    uvec2 first = gl_WorkGroupID.xy * uvec2(COLUMNS, ROWS);
    uvec2 own = uvec2(gl_SubgroupID % subgroups_x * tiles_x * N,
                      gl_SubgroupID / subgroups_x * tiles_y * M);
    uvec4 left_next[LEFT_LOADS], right_next[RIGHT_LOADS];
    SUM_MATRIX sums[tiles_y * tiles_x];
    [[unroll]] for (uint i = 0u; i < tiles_y * tiles_x; i++) {
        sums[i] = SUM_MATRIX(0.0);
    }
    for (uint k = 0u; k < constants.depth; k += depth) {
        LOAD_TILES(k);
        STORE_TILES(0u);
        barrier();
        [[unroll]] for (uint l = 0u; l < depth; l += K) {
            LEFT_MATRIX a[tiles_y];
            [[unroll]] for (uint i = 0u; i < tiles_y; i++) {
                coopMatLoad(a[i], tiles, (own.y + i * M) * LEFT_PITCH + l / 8u, LEFT_PITCH,
                            gl_CooperativeMatrixLayoutRowMajor);
            }
            [[unroll]] for (uint j = 0u; j < tiles_x; j++) {
                RIGHT_MATRIX b;
                coopMatLoad(b, tiles, LEFT + l * RIGHT_PITCH + (own.x + j * N) / 8u, RIGHT_PITCH,
                            gl_CooperativeMatrixLayoutRowMajor);
                [[unroll]] for (uint i = 0u; i < tiles_y; i++) {
                    sums[i * tiles_x + j] = coopMatMulAdd(a[i], b, sums[i * tiles_x + j]);
                }
            }
        }
        barrier();
    }
    [[unroll]] for (uint i = 0u; i < tiles_y; i++) {
        [[unroll]] for (uint j = 0u; j < tiles_x; j++) {
            store_sums(sums[i * tiles_x + j], first.y + own.y + i * M, first.x + own.x + j * N);
        }
    }
}

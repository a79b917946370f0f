// SPDX-License-Identifier: MIT
// Multiplies matrices of float16 by cooperative matrices: the staged rung with all its sizes as
// constants, for the tuner, and with the next tiles loaded before the multiplications of the
// current ones, which hide that latency.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "bench/gemm_matrix.glsl"
#include "bench/gemm_blocks.glsl"

void main()
{
    uint lane = gl_LocalInvocationIndex, current = 0u;
    uvec2 first = gl_WorkGroupID.xy * uvec2(COLUMNS, ROWS);
    uvec2 own = uvec2(gl_SubgroupID % subgroups_x * tiles_x * N,
                      gl_SubgroupID / subgroups_x * tiles_y * M);
    uvec4 left_next[LEFT_LOADS], right_next[RIGHT_LOADS];
    SUM_MATRIX sums[tiles_y * tiles_x];
    [[unroll]] for (uint i = 0u; i < tiles_y * tiles_x; i++) {
        sums[i] = SUM_MATRIX(0.0);
    }
    LOAD_TILES(0u);
    STORE_TILES();
    barrier();
    for (uint k = 0u; k < constants.depth; k += depth) {
        bool more = k + depth < constants.depth;
        if (more) {
            LOAD_TILES(k + depth);
        }
        [[unroll]] for (uint l = 0u; l < depth; l += K) {
            uint from_left = current * TILES + own.y * LEFT_PITCH + l / 8u;
            uint from_right = current * TILES + LEFT + l * RIGHT_PITCH + own.x / 8u;
            LEFT_MATRIX a[tiles_y];
            [[unroll]] for (uint i = 0u; i < tiles_y; i++) {
                coopMatLoad(a[i], tiles, from_left + i * M * LEFT_PITCH, LEFT_PITCH,
                            gl_CooperativeMatrixLayoutRowMajor);
            }
            [[unroll]] for (uint j = 0u; j < tiles_x; j++) {
                RIGHT_MATRIX b;
                coopMatLoad(b, tiles, from_right + j * (N / 8u), RIGHT_PITCH,
                            gl_CooperativeMatrixLayoutRowMajor);
                [[unroll]] for (uint i = 0u; i < tiles_y; i++) {
                    sums[i * tiles_x + j] = coopMatMulAdd(a[i], b, sums[i * tiles_x + j]);
                }
            }
        }
        if (buffers == 1u) {
            barrier();
        }
        if (more) {
            current = buffers - 1u - current;
            STORE_TILES();
        }
        barrier();
    }
    [[unroll]] for (uint i = 0u; i < tiles_y * tiles_x; i++) {
        store_sums(sums[i], first.y + own.y + i / tiles_x * M, first.x + own.x + i % tiles_x * N);
    }
}

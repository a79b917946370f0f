// SPDX-License-Identifier: MIT
// Multiplies matrices of float16 by cooperative matrices: the staged rung with all its sizes as
// constants, for the tuner. The next tiles are loaded before the multiplications of the current
// ones, which hides that latency. The index of a buffer is constant in each copy of the loop.
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
    LOAD_TILES(0u);
    STORE_TILES(0u);
    barrier();
    for (uint k = 0u; k < constants.depth;) {
        [[unroll]] for (uint current = 0u; current < buffers; current++, k += depth) {
            bool more = k + depth < constants.depth;
            if (more) {
                LOAD_TILES(k + depth);
            }
            if (k < constants.depth) {
                MULTIPLY(current * TILES);
            }
            if (buffers == 1u) {
                barrier();
            }
            if (more) {
                STORE_TILES(buffers - 1u - current);
            }
            barrier();
        }
    }
    [[unroll]] for (uint i = 0u; i < tiles_y * tiles_x; i++) {
        store_sums(sums[i], first.y + own.y + i / tiles_x * M, first.x + own.x + i % tiles_x * N);
    }
}

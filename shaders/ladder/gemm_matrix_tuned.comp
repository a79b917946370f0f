// SPDX-License-Identifier: MIT
// Multiplies matrices of float16 by cooperative matrices: the staged rung with all its sizes as
// constants, for the tuner. The next tiles are loaded before the multiplications of the current
// ones. Rows of the left matrix are read 128 bytes at a time, the length of a cache line: with a
// depth of 32 that is two steps, of which the second is kept in registers.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "ladder/gemm_matrix.glsl"
#include "ladder/gemm_blocks.glsl"
#include "ladder/gemm_lines.glsl"

void main()
{
    uint lane = gl_LocalInvocationIndex;
    uvec2 first = gl_WorkGroupID.xy * uvec2(COLUMNS, ROWS);
    uvec2 own = uvec2(gl_SubgroupID % subgroups_x * tiles_x * N,
                      gl_SubgroupID / subgroups_x * tiles_y * M);
    uvec4 left_next[LINE_LOADS], right_next[RIGHT_LOADS];
    SUM_MATRIX sums[tiles_y * tiles_x];
    [[unroll]] for (uint i = 0u; i < tiles_y * tiles_x; i++) {
        sums[i] = SUM_MATRIX(0.0);
    }
    LOAD_LINES(0u);
    LOAD_RIGHT(0u);
    STORE_LINES(0u);
    STORE_RIGHT();
    barrier();
    [[dont_unroll]] for (uint k = LINE; k < constants.depth; k += LINE) {
        SECOND_STEP(k - depth);
        LOAD_LINES(k);
        LOAD_RIGHT(k);
        MULTIPLY();
        barrier();
        STORE_LINES(0u);
        STORE_RIGHT();
        barrier();
    }
    SECOND_STEP((constants.depth - 1u) / LINE * LINE + depth);
    MULTIPLY();
    barrier();
    [[unroll]] for (uint i = 0u; i < tiles_y * tiles_x; i++) {
        store_sums(sums[i], first.y + own.y + i / tiles_x * M, first.x + own.x + i % tiles_x * N);
    }
}

// SPDX-License-Identifier: MIT
// Multiplies matrices of float16 by cooperative matrices: a workgroup stages tiles in shared
// memory, and each subgroup computes 4 x 4 matrices of the result, so that an operand serves four
// multiplications.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "ladder/gemm_matrix.glsl"
#include "ladder/gemm_blocks.glsl"

const uint LEFT_LOADS = ROWS * depth / 8u / lanes;

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
        [[unroll]] for (uint i = 0u; i < LEFT_LOADS; i++) {
            uint item = lane + i * lanes;
            left_next[i] =
                load_left(first.y + item / (depth / 8u), k + item % (depth / 8u) * 8u);
        }
        LOAD_RIGHT(k);
        [[unroll]] for (uint i = 0u; i < LEFT_LOADS; i++) {
            uint item = lane + i * lanes;
            tiles[item / (depth / 8u) * LEFT_PITCH + item % (depth / 8u)] = left_next[i];
        }
        STORE_RIGHT();
        barrier();
        MULTIPLY();
        barrier();
    }
    [[unroll]] for (uint i = 0u; i < tiles_y * tiles_x; i++) {
        store_sums(sums[i], first.y + own.y + i / tiles_x * M, first.x + own.x + i % tiles_x * N);
    }
}

// SPDX-License-Identifier: MIT
// Multiplies matrices: each lane keeps 8 x 8 sums in registers. Per step along the depth it loads
// eight elements of each tile from shared memory for 64 multiply-adds, so arithmetic takes most of
// the time. A workgroup computes 128 x 128 elements. All accesses are of 16 bytes; rows of the left
// tile are padded from 16 to 20 elements, so that the four rows that a subgroup reads at a time are
// in different banks.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "ladder/gemm.glsl"

shared vec4 left_tile[128 * 5];  // 128 rows of 16 elements
shared vec4 right_tile[16 * 32]; // 16 rows of 128

void main()
{
    uint lane = gl_LocalInvocationIndex; // of 16 x 16, in subgroups of 8 x 4
    uint x = lane % 8u + lane / 32u % 2u * 8u, y = lane / 8u % 4u + lane / 64u * 4u;
    uvec2 first = gl_WorkGroupID.xy * 128u;
    vec4 sums[8][2];
    [[unroll]] for (uint i = 0u; i < 8u; i++) {
        sums[i][0] = sums[i][1] = vec4(0.0);
    }
    for (uint k = 0u; k < constants.depth; k += 16u) {
        [[unroll]] for (uint j = 0u; j < 2u; j++) {
            uint i = lane + 256u * j;
            vec4 from_left = load_left(first.y + i / 4u, k + i % 4u * 4u);
            SHARED_STORE(left_tile, i / 4u * 5u + i % 4u, from_left);
            SHARED_STORE(right_tile, i, load_right(k + i / 32u, first.x + i % 32u * 4u));
        }
        BARRIER();
        [[unroll]] for (uint l = 0u; l < 4u; l++) {
            vec4 from_left[8];
            [[unroll]] for (uint i = 0u; i < 8u; i++) {
                from_left[i] = SHARED_LOAD(left_tile, (y + 16u * i) * 5u + l);
            }
            [[unroll]] for (uint c = 0u; c < 4u; c++) {
                vec4 b0 = SHARED_LOAD(right_tile, (4u * l + c) * 32u + x);
                vec4 b1 = SHARED_LOAD(right_tile, (4u * l + c) * 32u + x + 16u);
                [[unroll]] for (uint i = 0u; i < 8u; i++) {
                    sums[i][0] = fma(vec4(from_left[i][c]), b0, sums[i][0]);
                    sums[i][1] = fma(vec4(from_left[i][c]), b1, sums[i][1]);
                }
                COMPUTE(64u);
            }
        }
        BARRIER();
    }
    [[unroll]] for (uint i = 0u; i < 8u; i++) {
        uint row = first.y + y + 16u * i;
        store_result(row, first.x + 4u * x, sums[i][0]);
        store_result(row, first.x + 4u * x + 64u, sums[i][1]);
    }
}

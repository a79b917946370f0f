// SPDX-License-Identifier: MIT
// Multiplies matrices: the register tiles with two buffers in shared memory, of half the depth. The
// next tiles are loaded from memory before the sums of the current ones, which hides that latency,
// and are stored into the other buffer afterwards: one barrier per step instead of two. Rows of 8
// elements need no padding: four of them are in different banks.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "ladder/gemm.glsl"

shared vec4 left_tile[2 * 128 * 2];
shared vec4 right_tile[2 * 8 * 32];

void main()
{
    uint lane = gl_LocalInvocationIndex;
    uint x = lane % 8u + lane / 32u % 2u * 8u, y = lane / 8u % 4u + lane / 64u * 4u;
    uint current = 0u;
    uvec2 first = gl_WorkGroupID.xy * 128u;
    vec4 sums[8][2];
    [[unroll]] for (uint i = 0u; i < 8u; i++) {
        sums[i][0] = sums[i][1] = vec4(0.0);
    }
    vec4 next_left = load_left(first.y + lane / 2u, lane % 2u * 4u);
    vec4 next_right = load_right(lane / 32u, first.x + lane % 32u * 4u);
    for (uint k = 0u; k < constants.depth; k += 8u) {
        SHARED_STORE(left_tile, current * 256u + lane, next_left);
        SHARED_STORE(right_tile, current * 256u + lane, next_right);
        BARRIER();
        if (k + 8u < constants.depth) {
            next_left = load_left(first.y + lane / 2u, k + 8u + lane % 2u * 4u);
            next_right = load_right(k + 8u + lane / 32u, first.x + lane % 32u * 4u);
        }
        [[unroll]] for (uint l = 0u; l < 2u; l++) {
            vec4 from_left[8];
            [[unroll]] for (uint i = 0u; i < 8u; i++) {
                from_left[i] = SHARED_LOAD(left_tile, current * 256u + (y + 16u * i) * 2u + l);
            }
            [[unroll]] for (uint c = 0u; c < 4u; c++) {
                uint at = current * 256u + (4u * l + c) * 32u + x;
                vec4 b0 = SHARED_LOAD(right_tile, at), b1 = SHARED_LOAD(right_tile, at + 16u);
                [[unroll]] for (uint i = 0u; i < 8u; i++) {
                    sums[i][0] = fma(vec4(from_left[i][c]), b0, sums[i][0]);
                    sums[i][1] = fma(vec4(from_left[i][c]), b1, sums[i][1]);
                }
                COMPUTE(64u);
            }
        }
        current = 1u - current;
    }
    [[unroll]] for (uint i = 0u; i < 8u; i++) {
        uint row = first.y + y + 16u * i;
        store_result(row, first.x + 4u * x, sums[i][0]);
        store_result(row, first.x + 4u * x + 64u, sums[i][1]);
    }
}

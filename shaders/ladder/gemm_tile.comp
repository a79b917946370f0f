// SPDX-License-Identifier: MIT
// Multiplies matrices: tiles of 32 x 32 elements in shared memory. The workgroup loads an element
// once and uses it 32 times. Now the loads from shared memory determine the time: five for four
// products.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "ladder/element.glsl"
#include "ladder/gemm_scalar.glsl"

shared float left_tile[32 * 32];
shared float right_tile[32 * 32];

void main()
{
    uvec2 at = gl_LocalInvocationID.xy; // of 32 x 8 lanes, each with four rows
    uvec2 first = gl_WorkGroupID.xy * 32u;
    uint column = first.x + at.x;
    vec4 sum = vec4(0.0);
    for (uint k = 0u; k < constants.depth; k += 32u) {
        [[unroll]] for (uint i = at.y; i < 32u; i += 8u) {
            uint row = first.y + i;
            float a = 0.0, b = 0.0;
            if (row < constants.rows && k + at.x < constants.depth) {
                a = VALUE(LOAD(left_data, row * constants.left_pitch + k + at.x));
            }
            if (k + i < constants.depth && column < constants.columns) {
                b = VALUE(LOAD(right_data, (k + i) * constants.right_pitch + column));
            }
            SHARED_STORE(left_tile, i * 32u + at.x, a);
            SHARED_STORE(right_tile, i * 32u + at.x, b);
        }
        BARRIER();
        for (uint l = 0u; l < 32u; l++) {
            float b = SHARED_LOAD(right_tile, l * 32u + at.x);
            [[unroll]] for (uint i = 0u; i < 4u; i++) {
                sum[i] = fma(SHARED_LOAD(left_tile, (at.y + 8u * i) * 32u + l), b, sum[i]);
            }
            COMPUTE(4u);
        }
        BARRIER();
    }
    [[unroll]] for (uint i = 0u; i < 4u; i++) {
        uint row = first.y + at.y + 8u * i;
        if (row < constants.rows && column < constants.columns) {
            STORE(sums, row * constants.result_pitch + column, sum[i]);
        }
    }
}

// SPDX-License-Identifier: MIT
// Multiplies matrices: the tuned rung with the left tile transposed in shared memory, so that one
// load fetches four rows of a step instead of four steps of a row. A lane then needs a quarter of
// the registers for its left operands, which leaves room for more sums or more lanes.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "ladder/gemm.glsl"
#define TRANSPOSED
#include "ladder/gemm_sizes.glsl"

#define MULTIPLY_TILES(buffer)                                                                     \
    [[unroll]] for (uint l = 0u; l < depth; l++) {                                                 \
        vec4 from_left[lane_rows / 4u];                                                            \
        [[unroll]] for (uint i = 0u; i < lane_rows / 4u; i++) {                                    \
            from_left[i] =                                                                         \
                SHARED_LOAD(left_tile, (buffer)*LEFT + l * PITCH + y + i * lanes_y);               \
        }                                                                                          \
        MULTIPLY(buffer, l, from_left[i / 4u][i % 4u]);                                            \
    }

void main()
{
    uint lane = gl_LocalInvocationIndex;
    uint x = lane % 8u + lane / 32u % (lanes_x / 8u) * 8u;
    uint y = lane / 8u % 4u + lane / 32u / (lanes_x / 8u) * 4u;
    uvec2 first = gl_WorkGroupID.xy * uvec2(COLUMNS, ROWS);
    vec4 sums[lane_rows * FOURS], left_next[LEFT_LOADS], right_next[RIGHT_LOADS];
    [[unroll]] for (uint i = 0u; i < lane_rows * FOURS; i++) {
        sums[i] = vec4(0.0);
    }
    MULTIPLY_MATRICES();
    [[unroll]] for (uint i = 0u; i < lane_rows * FOURS; i++) {
        uint row = first.y + 4u * (y + i / FOURS / 4u * lanes_y) + i / FOURS % 4u;
        store_result(row, first.x + 4u * (x + i % FOURS * lanes_x), sums[i]);
    }
}

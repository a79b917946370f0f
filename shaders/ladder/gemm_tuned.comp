// SPDX-License-Identifier: MIT
// Multiplies matrices: the double-buffered rung with all its sizes, and one or two buffers, as
// constants for the tuner. A lane's rows and columns are spread over the tile, so that 8 x 4 lanes
// read neighbouring words.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "ladder/gemm.glsl"
#include "ladder/gemm_sizes.glsl"

#define MULTIPLY_TILES(buffer)                                                                     \
    [[unroll]] for (uint l = 0u; l < depth; l += 4u) {                                             \
        vec4 from_left[lane_rows];                                                                 \
        [[unroll]] for (uint i = 0u; i < lane_rows; i++) {                                         \
            uint at = (y + i * lanes_y) * PITCH + l / 4u;                                          \
            from_left[i] = SHARED_LOAD(left_tile, (buffer)*LEFT + at);                             \
        }                                                                                          \
        [[unroll]] for (uint c = 0u; c < 4u; c++) {                                                \
            MULTIPLY(buffer, l + c, from_left[i][c]);                                              \
        }                                                                                          \
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
        uint column = first.x + 4u * (x + i % FOURS * lanes_x);
        store_result(first.y + y + i / FOURS * lanes_y, column, sums[i]);
    }
}

// SPDX-License-Identifier: MIT
// Sizes of the tuned rungs of gemm, and how their lanes move tiles. A workgroup of lanes_x x
// lanes_y lanes computes a tile of ROWS x COLUMNS, in steps of `depth`. With TRANSPOSED, the left
// tile has a row per step along the depth.
#ifndef VKS_LADDER_GEMM_SIZES_GLSL
#define VKS_LADDER_GEMM_SIZES_GLSL

layout(constant_id = 0) const uint lanes_x = 16u; // a multiple of 8
layout(constant_id = 1) const uint lanes_y = 16u; // a multiple of 4
layout(constant_id = 2) const uint lane_rows = 8u;
layout(constant_id = 3) const uint lane_columns = 8u; // a multiple of 4
layout(constant_id = 4) const uint depth = 8u;        // a multiple of 4
layout(constant_id = 5) const uint pad = 1u;          // 2: rows of the left tile are padded
layout(constant_id = 6) const uint buffers = 2u;

const uint LANES = lanes_x * lanes_y;
const uint ROWS = lanes_y * lane_rows;
const uint COLUMNS = lanes_x * lane_columns;
const uint FOURS = lane_columns / 4u;         // of a lane and row
#ifdef TRANSPOSED
const uint PITCH = ROWS / 4u + pad - 1u; // of the left tile, in fours
const uint LEFT = depth * PITCH;         // fours in a buffer
#else
const uint PITCH = depth / 4u + pad - 1u;
const uint LEFT = ROWS * PITCH;
#endif
const uint RIGHT = depth * COLUMNS / 4u;
const uint LEFT_LOADS = ROWS * depth / 4u / LANES; // fours that a lane moves
const uint RIGHT_LOADS = RIGHT / LANES;

#define LOAD_TILES(k)                                                                              \
    [[unroll]] for (uint i = 0u; i < LEFT_LOADS; i++) {                                            \
        uint item = lane + i * LANES;                                                              \
        left_next[i] =                                                                             \
            load_left(first.y + item / (depth / 4u), (k) + item % (depth / 4u) * 4u);              \
    }                                                                                              \
    [[unroll]] for (uint i = 0u; i < RIGHT_LOADS; i++) {                                           \
        uint item = lane + i * LANES;                                                              \
        right_next[i] =                                                                            \
            load_right((k) + item / (COLUMNS / 4u), first.x + item % (COLUMNS / 4u) * 4u);         \
    }

#define STORE_LEFT(buffer, row, k, fours)                                                          \
    SHARED_STORE(left_tile, (buffer)*LEFT + (row) * PITCH + (k) / 4u, fours)
#ifdef TRANSPOSED
#undef STORE_LEFT
#define STORE_LEFT(buffer, row, k, fours)                                                          \
    [[unroll]] for (uint c = 0u; c < 4u; c++) {                                                    \
        left_tile[(buffer)*LEFT + ((k) + c) * PITCH + (row) / 4u][(row) % 4u] = fours[c];          \
    }
#endif

// Stores them in the buffer of that number.
#define STORE_TILES(buffer)                                                                        \
    [[unroll]] for (uint i = 0u; i < LEFT_LOADS; i++) {                                            \
        uint item = lane + i * LANES;                                                              \
        STORE_LEFT(buffer, item / (depth / 4u), item % (depth / 4u) * 4u, left_next[i]);           \
    }                                                                                              \
    [[unroll]] for (uint i = 0u; i < RIGHT_LOADS; i++) {                                           \
        SHARED_STORE(right_tile, (buffer)*RIGHT + lane + i * LANES, right_next[i]);                \
    }

// Adds the products of step `l` to the lane's sums; `a` is the element of its row i, `buffer` the
// number of the buffer.
#define MULTIPLY(buffer, l, a)                                                                     \
    [[unroll]] for (uint j = 0u; j < FOURS; j++) {                                                 \
        vec4 b = SHARED_LOAD(right_tile,                                                           \
                             (buffer)*RIGHT + (l) * (COLUMNS / 4u) + x + j * lanes_x);             \
        [[unroll]] for (uint i = 0u; i < lane_rows; i++) {                                         \
            sums[i * FOURS + j] = fma(vec4(a), b, sums[i * FOURS + j]);                            \
        }                                                                                          \
    }

// All steps along the depth: the next tiles are loaded before MULTIPLY_TILES(buffer), and stored
// after it. The last tiles are multiplied after the loop, so that its body has no condition and
// the compiler can interleave loads and arithmetic.
#define MULTIPLY_MATRICES()                                                                        \
    uint current = 0u;                                                                             \
    LOAD_TILES(0u);                                                                                \
    STORE_TILES(0u);                                                                               \
    BARRIER();                                                                                     \
    [[dont_unroll]] for (uint k = depth; k < constants.depth; k += depth) {                        \
        LOAD_TILES(k);                                                                             \
        MULTIPLY_TILES(current);                                                                   \
        if (buffers == 1u) {                                                                       \
            BARRIER();                                                                             \
        } else {                                                                                   \
            current = 1u - current;                                                                \
        }                                                                                          \
        STORE_TILES(current);                                                                      \
        BARRIER();                                                                                 \
    }                                                                                              \
    MULTIPLY_TILES(current)

shared vec4 left_tile[buffers * LEFT];
shared vec4 right_tile[buffers * RIGHT];

#endif

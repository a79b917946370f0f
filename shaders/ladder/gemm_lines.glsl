// SPDX-License-Identifier: MIT
// The left tile of gemm in float16, whose rows are read LINE elements, 128 bytes, at a time: the
// eights (vectors of eight elements) of one step (a depth of 64) or of two (32). Eight lanes share
// a line. They swap its halves in every other load, so that each lane has equally many eights of
// both steps, and the rows of one store are four apart, which spreads them over the banks.
#ifndef VKS_LADDER_GEMM_LINES_GLSL
#define VKS_LADDER_GEMM_LINES_GLSL

const uint LINE = 64u;
const uint LINE_LOADS = ROWS * LINE / 8u / lanes; // even

// The row of load `i` of a lane, and the index of its eight in the line.
#define LINE_ROW(i) (lane / 8u % 4u + lane / 32u * 8u + (i) % 2u * 4u + (i) / 2u * (lanes / 4u))
#define LINE_EIGHT(i) ((lane + (i) % 2u * 4u) % 8u)

#define LOAD_LINES(k)                                                                              \
    [[unroll]] for (uint i = 0u; i < LINE_LOADS; i++) {                                            \
        left_next[i] = load_left(first.y + LINE_ROW(i), (k) + LINE_EIGHT(i) * 8u);                 \
    }

// Stores the eights of a step, 0 or 1.
#define STORE_LINES(step)                                                                          \
    if (depth == LINE) {                                                                           \
        [[unroll]] for (uint i = 0u; i < LINE_LOADS; i++) {                                        \
            tiles[LINE_ROW(i) * LEFT_PITCH + LINE_EIGHT(i)] = left_next[i];                        \
        }                                                                                          \
    } else {                                                                                       \
        uint odd = (lane / 4u + (step)) % 2u;                                                      \
        [[unroll]] for (uint i = 0u; i < LINE_LOADS; i += 2u) {                                    \
            tiles[(LINE_ROW(i) + 4u * odd) * LEFT_PITCH + lane % 4u] =                             \
                odd == 0u ? left_next[i] : left_next[i + 1u];                                      \
        }                                                                                          \
    }

// Multiplies the first half of the lines and stores the second, with the right tile of row k.
#define SECOND_STEP(k)                                                                             \
    if (depth < LINE) {                                                                            \
        LOAD_RIGHT(k);                                                                             \
        MULTIPLY();                                                                                \
        barrier();                                                                                 \
        STORE_LINES(1u);                                                                           \
        STORE_RIGHT();                                                                             \
        barrier();                                                                                 \
    }

#endif

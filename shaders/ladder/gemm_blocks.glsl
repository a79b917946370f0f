// SPDX-License-Identifier: MIT
// Sizes of the rungs of gemm that stage tiles for cooperative matrices, and how lanes move these.
// A workgroup of subgroups_x x subgroups_y subgroups computes ROWS x COLUMNS elements, in steps of
// `depth`; each subgroup has tiles_x x tiles_y matrices. The defaults are those of the rung that
// is not tuned.
#ifndef VKS_LADDER_GEMM_BLOCKS_GLSL
#define VKS_LADDER_GEMM_BLOCKS_GLSL

layout(constant_id = 0) const uint subgroups_x = 2u;
layout(constant_id = 1) const uint subgroups_y = 2u;
layout(constant_id = 2) const uint tiles_x = 4u;
layout(constant_id = 3) const uint tiles_y = 4u;
layout(constant_id = 4) const uint depth = 32u;  // a multiple of K
layout(constant_id = 5) const uint lanes = 128u; // of the workgroup

const uint ROWS = subgroups_y * tiles_y * M;
const uint COLUMNS = subgroups_x * tiles_x * N;
// Rows in shared memory are padded by eight elements, 16 bytes, which spreads them over the banks.
const uint LEFT_PITCH = depth / 8u + 1u; // in eights
const uint RIGHT_PITCH = COLUMNS / 8u + 1u;
const uint LEFT = ROWS * LEFT_PITCH;
const uint RIGHT_LOADS = depth * COLUMNS / 8u / lanes; // eights that a lane moves

#define LOAD_RIGHT(k)                                                                              \
    [[unroll]] for (uint i = 0u; i < RIGHT_LOADS; i++) {                                           \
        uint item = lane + i * lanes;                                                              \
        right_next[i] =                                                                            \
            load_right((k) + item / (COLUMNS / 8u), first.x + item % (COLUMNS / 8u) * 8u);         \
    }

#define STORE_RIGHT()                                                                              \
    [[unroll]] for (uint i = 0u; i < RIGHT_LOADS; i++) {                                           \
        uint item = lane + i * lanes;                                                              \
        tiles[LEFT + item / (COLUMNS / 8u) * RIGHT_PITCH + item % (COLUMNS / 8u)] = right_next[i]; \
    }

// Multiplies the tiles and adds to `sums`.
#define MULTIPLY()                                                                                 \
    [[unroll]] for (uint l = 0u; l < depth; l += K) {                                              \
        LEFT_MATRIX a[tiles_y];                                                                    \
        [[unroll]] for (uint i = 0u; i < tiles_y; i++) {                                           \
            coopMatLoad(a[i], tiles, (own.y + i * M) * LEFT_PITCH + l / 8u, LEFT_PITCH,            \
                        gl_CooperativeMatrixLayoutRowMajor);                                       \
        }                                                                                          \
        [[unroll]] for (uint j = 0u; j < tiles_x; j++) {                                           \
            RIGHT_MATRIX b;                                                                        \
            coopMatLoad(b, tiles, LEFT + l * RIGHT_PITCH + (own.x + j * N) / 8u, RIGHT_PITCH,      \
                        gl_CooperativeMatrixLayoutRowMajor);                                       \
            [[unroll]] for (uint i = 0u; i < tiles_y; i++) {                                       \
                sums[i * tiles_x + j] = coopMatMulAdd(a[i], b, sums[i * tiles_x + j]);             \
            }                                                                                      \
        }                                                                                          \
    }

shared uvec4 tiles[LEFT + depth * RIGHT_PITCH];

// Writes a matrix of sums at a row and column of the result; through shared memory where it goes
// beyond the edge. All lanes of the subgroup call it, after a barrier.
void store_sums(SUM_MATRIX sums, uint row, uint column)
{
    if (is_inside(row, column)) {
        coopMatStore(sums, result_fours, (row * constants.result_pitch + column) / 4u,
                     constants.result_pitch / 4u, gl_CooperativeMatrixLayoutRowMajor);
        return;
    }
    uint stage = gl_SubgroupID * (M * N / 4u);
    coopMatStore(sums, tiles, stage, N / 4u, gl_CooperativeMatrixLayoutRowMajor);
    subgroupBarrier();
    for (uint i = gl_SubgroupInvocationID; i < M * N / 4u; i += gl_SubgroupSize) {
        store_result(row + i / (N / 4u), column + i % (N / 4u) * 4u, tiles[stage + i]);
    }
    subgroupBarrier();
}

#endif

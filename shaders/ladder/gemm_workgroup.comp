// SPDX-License-Identifier: MIT
// Multiplies matrices of float16 by cooperative matrices of a whole workgroup: the driver chooses
// how tiles go through shared memory and which subgroup multiplies what. Tensor layouts describe
// the matrices in memory; those with zeros beyond the edges are slower, so they are used only where
// needed.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_NV_cooperative_matrix2 : require
#include "ladder/gemm_tensor.glsl"

layout(constant_id = 0) const uint tile_rows = 128u;
layout(constant_id = 1) const uint tile_columns = 128u;
layout(constant_id = 2) const uint depth = 32u;

#define SUMS coopmat<float, gl_ScopeWorkgroup, tile_rows, tile_columns, gl_MatrixUseAccumulator>
#define LEFT coopmat<float16_t, gl_ScopeWorkgroup, tile_rows, depth, gl_MatrixUseA>
#define RIGHT coopmat<float16_t, gl_ScopeWorkgroup, depth, tile_columns, gl_MatrixUseB>

// `beyond`: what elements beyond the edges are.
#define MULTIPLY(beyond)                                                                           \
    LAYOUT(beyond, left_layout, constants.rows, constants.depth, constants.left_pitch & ~7u);      \
    LAYOUT(beyond, right_layout, constants.depth, constants.columns, constants.right_pitch & ~7u); \
    [[dont_unroll]] for (uint k = 0u; k < constants.depth; k += depth) {                           \
        LEFT a;                                                                                    \
        RIGHT b;                                                                                   \
        coopMatLoadTensorNV(a, left_data, 0u,                                                      \
                            sliceTensorLayoutNV(left_layout, row, tile_rows, k & ~7u, depth));     \
        coopMatLoadTensorNV(b, right_data, 0u,                                                     \
                            sliceTensorLayoutNV(right_layout, k, depth, column, tile_columns));    \
        sums = coopMatMulAdd(a, b, sums);                                                          \
    }

void main()
{
    uint row = gl_WorkGroupID.y * tile_rows, column = gl_WorkGroupID.x * tile_columns;
    SUMS sums = SUMS(0.0);
    if (whole) {
        MULTIPLY(UNDEFINED)
    } else {
        MULTIPLY(ZEROS)
    }
    LAYOUT(ZEROS, result_layout, constants.rows, constants.columns, constants.result_pitch & ~3u);
    coopMatStoreTensorNV(sums, sums_data, 0u, sliceTensorLayoutNV(result_layout, row, tile_rows,
                                                                  column, tile_columns));
}

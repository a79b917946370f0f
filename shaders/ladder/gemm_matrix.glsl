// SPDX-License-Identifier: MIT
// The matrices of gemm in float16 for cooperative matrices: inputs eight elements at a time, the
// result four. Elements beyond a matrix are zeros: in memory behind the end of a row, and here
// beyond the last row.
#ifndef VKS_LADDER_GEMM_MATRIX_GLSL
#define VKS_LADDER_GEMM_MATRIX_GLSL

#include "lib/pass.glsl"
#include "ladder/gemm.h"
#include "bench/matrix.glsl"

VKS_CONSTANTS(gemm_params);

layout(std430, set = 0, binding = 0) readonly buffer left
{
    uvec4 left_eights[];
};
layout(std430, set = 0, binding = 1) readonly buffer right
{
    uvec4 right_eights[];
};
layout(std430, set = 0, binding = 2) writeonly buffer result
{
    vec4 result_fours[];
};

// True: no tile of the dispatch goes beyond a matrix.
layout(constant_id = 23) const bool whole = false;

uvec4 load_left(uint row, uint k)
{
    uvec4 eights = uvec4(0u);
    if (whole || (row < constants.rows && k < constants.left_pitch)) {
        eights = left_eights[(row * constants.left_pitch + k) / 8u];
    }
    return eights;
}

uvec4 load_right(uint k, uint column)
{
    uvec4 eights = uvec4(0u);
    if (whole || (k < constants.depth && column < constants.right_pitch)) {
        eights = right_eights[(k * constants.right_pitch + column) / 8u];
    }
    return eights;
}

void store_result(uint row, uint column, uvec4 fours)
{
    if (row < constants.rows && column < constants.result_pitch) {
        result_fours[(row * constants.result_pitch + column) / 4u] = uintBitsToFloat(fours);
    }
}

// True if the matrix of sums at that place is within the result.
bool is_inside(uint row, uint column)
{
    return whole || (row + M <= constants.rows && column + N <= constants.result_pitch);
}

#endif

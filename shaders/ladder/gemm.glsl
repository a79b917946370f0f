// SPDX-License-Identifier: MIT
// The matrices of gemm in float32, four elements at a time. Elements beyond a matrix are zeros: in
// memory behind the end of a row, and here beyond the last row.
#ifndef VKS_LADDER_GEMM_GLSL
#define VKS_LADDER_GEMM_GLSL

#include "lib/pass.glsl"
#include "ladder/access.glsl"
#include "ladder/gemm.h"

VKS_CONSTANTS(gemm_params);

layout(std430, set = 0, binding = 0) readonly buffer left
{
    vec4 left_fours[];
};
layout(std430, set = 0, binding = 1) readonly buffer right
{
    vec4 right_fours[];
};
layout(std430, set = 0, binding = 2) writeonly buffer result
{
    vec4 result_fours[];
};

// True: no tile of the dispatch goes beyond a matrix.
layout(constant_id = 20) const bool whole = false;

vec4 load_left(uint row, uint k)
{
    vec4 fours = vec4(0.0);
    if (whole || (row < constants.rows && k < constants.left_pitch)) {
        fours = LOAD(left_fours, (row * constants.left_pitch + k) / 4u);
    }
    return fours;
}

vec4 load_right(uint k, uint column)
{
    vec4 fours = vec4(0.0);
    if (whole || (k < constants.depth && column < constants.right_pitch)) {
        fours = LOAD(right_fours, (k * constants.right_pitch + column) / 4u);
    }
    return fours;
}

void store_result(uint row, uint column, vec4 fours)
{
    if (whole || (row < constants.rows && column < constants.result_pitch)) {
        STORE(result_fours, (row * constants.result_pitch + column) / 4u, fours);
    }
}

#endif

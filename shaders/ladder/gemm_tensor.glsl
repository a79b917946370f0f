// SPDX-License-Identifier: MIT
// The matrices of gemm in float16 as tensors.
#ifndef VKS_LADDER_GEMM_TENSOR_GLSL
#define VKS_LADDER_GEMM_TENSOR_GLSL

#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#include "lib/pass.glsl"
#include "ladder/gemm.h"

VKS_CONSTANTS(gemm_params);

layout(std430, set = 0, binding = 0) readonly buffer left
{
    float16_t left_data[];
};
layout(std430, set = 0, binding = 1) readonly buffer right
{
    float16_t right_data[];
};
layout(std430, set = 0, binding = 2) writeonly buffer result
{
    float sums_data[];
};

// True: no tile of the dispatch goes beyond a matrix.
layout(constant_id = 20) const bool whole = false;

// The layout of a matrix in memory, whose elements beyond the edges are undefined or zeros.
#define UNDEFINED gl_CooperativeMatrixClampModeUndefinedNV
#define ZEROS gl_CooperativeMatrixClampModeConstantNV
#define LAYOUT(beyond, name, rows, columns, pitch)                                                 \
    tensorLayoutNV<2, beyond> name = setTensorLayoutStrideNV(                                      \
        setTensorLayoutDimensionNV(createTensorLayoutNV(2, beyond), rows, columns), pitch, 1u)

#endif

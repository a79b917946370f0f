// SPDX-License-Identifier: MIT
// The matrices of gemm in float32 or float16, one element at a time. Include ladder/element.glsl
// first.
#ifndef VKS_LADDER_GEMM_SCALAR_GLSL
#define VKS_LADDER_GEMM_SCALAR_GLSL

#include "lib/pass.glsl"
#include "ladder/access.glsl"
#include "ladder/gemm.h"

VKS_CONSTANTS(gemm_params);

layout(std430, set = 0, binding = 0) readonly buffer left
{
    ELEMENT left_data[];
};
layout(std430, set = 0, binding = 1) readonly buffer right
{
    ELEMENT right_data[];
};
layout(std430, set = 0, binding = 2) writeonly buffer result
{
    float sums[];
};

#endif

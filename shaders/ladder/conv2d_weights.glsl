// SPDX-License-Identifier: MIT
// The filter as specialization constants: weight (i, j) is across(i) * down(j), integers from -7 to
// 8, packed into four bits each. When the pipeline is compiled and the loops are unrolled, all of
// this is known, and what remains is a number that is part of an instruction.
#ifndef VKS_LADDER_CONV2D_WEIGHTS_GLSL
#define VKS_LADDER_CONV2D_WEIGHTS_GLSL

#include "ladder/conv2d.glsl"

layout(constant_id = 1) const uint ACROSS_LOW = 0u; // the first eight
layout(constant_id = 2) const uint ACROSS_HIGH = 0u;
layout(constant_id = 3) const uint DOWN_LOW = 0u;
layout(constant_id = 4) const uint DOWN_HIGH = 0u;

float across(uint i)
{
    return float(int(((i < 8u ? ACROSS_LOW : ACROSS_HIGH) >> (i % 8u * 4u)) & 15u) - 7);
}

float down(uint j)
{
    return float(int(((j < 8u ? DOWN_LOW : DOWN_HIGH) >> (j % 8u * 4u)) & 15u) - 7);
}

#endif

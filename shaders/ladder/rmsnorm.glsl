// SPDX-License-Identifier: MIT
// RMS norm: x / sqrt(mean(x^2) + epsilon) * weight.
#ifndef VKS_LADDER_RMSNORM_GLSL
#define VKS_LADDER_RMSNORM_GLSL

const float epsilon = 1e-5; // RMSNORM_EPSILON of src/ladder/rmsnorm.c

// The factor of all elements of a row, from the sum of their squares.
float norm_factor(float squares, uint count)
{
    return inversesqrt(squares / float(count) + epsilon);
}

#endif

// SPDX-License-Identifier: MIT
// Cooperative matrices of subgroups: products of float16 with sums of float32.
#ifndef VKS_BENCH_MATRIX_GLSL
#define VKS_BENCH_MATRIX_GLSL

#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require

// Of a matrix, as the device has them: M x K times K x N.
layout(constant_id = 20) const uint M = 16u;
layout(constant_id = 21) const uint N = 16u;
layout(constant_id = 22) const uint K = 16u;

#define LEFT_MATRIX coopmat<float16_t, gl_ScopeSubgroup, M, K, gl_MatrixUseA>
#define RIGHT_MATRIX coopmat<float16_t, gl_ScopeSubgroup, K, N, gl_MatrixUseB>
#define SUM_MATRIX coopmat<float, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator>

#endif

// SPDX-License-Identifier: MIT
// Compiles where glslc knows cooperative matrices of workgroups and tensor layouts.
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_NV_cooperative_matrix2 : require

void main()
{
    tensorLayoutNV<2> plain = createTensorLayoutNV(2);
    coopmat<float16_t, gl_ScopeWorkgroup, 32, 32, gl_MatrixUseA> a =
        coopmat<float16_t, gl_ScopeWorkgroup, 32, 32, gl_MatrixUseA>(0.0);
}

// SPDX-License-Identifier: MIT
// Multiplies matrices: one dot product per lane. Each element of the inputs is read thousands of
// times, mostly from caches, and two loads serve one multiply-add, so the loads determine the time.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "ladder/element.glsl"
#include "ladder/gemm_scalar.glsl"

void main()
{
    uint column = gl_GlobalInvocationID.x;
    uint row = gl_GlobalInvocationID.y;
    if (column >= constants.columns || row >= constants.rows) {
        return;
    }
    float sum = 0.0;
    for (uint k = 0u; k < constants.depth; k++) {
        sum = fma(VALUE(LOAD(left_data, row * constants.left_pitch + k)),
                  VALUE(LOAD(right_data, k * constants.right_pitch + column)), sum);
        COMPUTE(1u);
    }
    STORE(sums, row * constants.result_pitch + column, sum);
}

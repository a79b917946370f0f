// SPDX-License-Identifier: MIT
// The whole solution on a grid with one axis, from real numbers to real numbers.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "core/fft_solve.glsl"
#include "core/fft_source.glsl"

VKS_FIELD(2, writeonly, target, float, targets);

void main()
{
    if (!begin()) {
        return;
    }
    read_source();
    solve();
    [[unroll]] for (uint i = 0u; i < 1u << value_bits; i++) {
        uint cell = output_cell(i, true);
        VKS_AT(targets, cell) = vks_flush(x[i].x);
    }
}

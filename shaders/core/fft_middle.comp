// SPDX-License-Identifier: MIT
// FFT along the last axis, division by the symbol, and the inverse along the same axis, in place.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "core/fft_solve.glsl"

VKS_FIELD(1, , scratch, vec2, waves);

void main()
{
    if (!begin()) {
        return;
    }
    [[unroll]] for (uint i = 0u; i < 1u << value_bits; i++) {
        uint cell = input_cell(i);
        x[i] = VKS_AT(waves, cell);
    }
    solve();
    [[unroll]] for (uint i = 0u; i < 1u << value_bits; i++) {
        uint cell = output_cell(i, true);
        VKS_AT(waves, cell) = flushed(x[i]);
    }
}

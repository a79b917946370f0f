// SPDX-License-Identifier: MIT
// FFT along the first axis: from real numbers to waves.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "core/fft_source.glsl"

VKS_FIELD(2, writeonly, scratch, vec2, waves);

void main()
{
    if (!begin()) {
        return;
    }
    read_source();
    transform(false, false);
    [[unroll]] for (uint i = 0u; i < 1u << value_bits; i++) {
        uint cell = output_cell(i, false);
        VKS_AT(waves, cell) = flushed(x[i]);
    }
}

// SPDX-License-Identifier: MIT
// FFT or its inverse along an axis that is neither the first nor the last, in place.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "core/fft.glsl"

layout(constant_id = 11) const bool inverse = false;

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
    transform(inverse, false);
    [[unroll]] for (uint i = 0u; i < 1u << value_bits; i++) {
        uint cell = output_cell(i, false);
        VKS_AT(waves, cell) = flushed(x[i]);
    }
}

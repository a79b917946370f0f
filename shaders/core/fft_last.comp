// SPDX-License-Identifier: MIT
// Inverse FFT along the first axis, run last: from waves to real numbers.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "core/fft.glsl"

VKS_FIELD(1, readonly, scratch, vec2, waves);
VKS_FIELD(2, writeonly, target, float, targets);

void main()
{
    if (!begin()) {
        return;
    }
    [[unroll]] for (uint i = 0u; i < 1u << value_bits; i++) {
        uint cell = input_cell(i);
        x[i] = VKS_AT(waves, cell);
    }
    transform(true, false);
    [[unroll]] for (uint i = 0u; i < 1u << value_bits; i++) {
        uint cell = output_cell(i, false);
        VKS_AT(targets, cell) = vks_flush(x[i].x);
    }
}

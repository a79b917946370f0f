// SPDX-License-Identifier: MIT
// Inverse FFT along the columns, then along the rows of planes: from waves to real numbers.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "core/fft_plane.glsl"

VKS_FIELD(1, readonly, scratch, vec2, waves);
VKS_FIELD(2, writeonly, target, float, targets);

void main()
{
    if (!has_plane()) {
        return;
    }
    take_rows(false);
    [[unroll]] for (uint i = 0u; i < 1u << value_bits; i++) {
        uint cell = plane_input(i);
        x[i] = VKS_AT(waves, cell);
    }
    transform_again(true, false, false);
    cross();
    transform_again(true, false, true);
    [[unroll]] for (uint i = 0u; i < 1u << value_bits; i++) {
        uint cell = plane_output(i);
        VKS_AT(targets, cell) = vks_flush(x[i].x);
    }
}

// SPDX-License-Identifier: MIT
// FFT along the rows, then along the columns of planes: from real numbers to waves.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "core/fft_plane.glsl"

VKS_FIELD(1, readonly, source, float, sources);
VKS_FIELD(2, writeonly, scratch, vec2, waves);
VKS_FIELD(4, readonly, mean, uint, mean_words); // not read if constants.mean_word is FFT_NO_WORD

void main()
{
    if (!has_plane()) {
        return;
    }
    float mean = constants.mean;
    if (constants.mean_word != FFT_NO_WORD) {
        mean = uintBitsToFloat(VKS_AT(mean_words, constants.mean_word));
    }
    take_rows(true);
    [[unroll]] for (uint i = 0u; i < 1u << value_bits; i++) {
        uint cell = plane_input(i);
        precise float value = VKS_AT(sources, cell) - mean;
        x[i] = vec2(vks_flush(value), 0.0f);
    }
    transform_again(false, false, false);
    cross();
    transform_again(false, false, true);
    [[unroll]] for (uint i = 0u; i < 1u << value_bits; i++) {
        uint cell = plane_output(i);
        VKS_AT(waves, cell) = flushed(x[i]);
    }
}

// SPDX-License-Identifier: MIT
//
// The source of an FFT: real numbers minus their mean.
#ifndef VKS_CORE_FFT_SOURCE_GLSL
#define VKS_CORE_FFT_SOURCE_GLSL

#include "core/fft.glsl"

VKS_FIELD(1, readonly, source, float, sources);
VKS_FIELD(4, readonly, mean, uint, mean_words); // not read if constants.mean_word is FFT_NO_WORD

void read_source()
{
    float mean = constants.mean;
    if (constants.mean_word != FFT_NO_WORD) {
        mean = uintBitsToFloat(VKS_AT(mean_words, constants.mean_word));
    }
    [[unroll]] for (uint i = 0u; i < 1u << value_bits; i++) {
        uint cell = input_cell(i);
        precise float value = VKS_AT(sources, cell) - mean;
        x[i] = vec2(vks_flush(value), 0.0f);
    }
}

#endif

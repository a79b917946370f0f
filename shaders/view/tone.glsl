// SPDX-License-Identifier: MIT
// What colours are made from: a value normalised, with gamma and contrast. docs/pictures.md.
#ifndef VKS_VIEW_TONE_GLSL
#define VKS_VIEW_TONE_GLSL

#include "lib/exact.glsl"

float clip(float x)
{
    return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}

// From 0 to 1. `scale` is 1 / (high - low) or 0.
float normalised(float value, float low, float scale)
{
    precise float above = value - low;
    above = above * scale;
    return clip(above);
}

float toned(float value, float low, float scale, float gamma, float contrast)
{
    precise float tone = normalised(value, low, scale);
    if (gamma == 0.5f) {
        tone = vks_sqrt(tone);
    } else if (gamma != 1.0f) {
        tone = vks_pow(tone, gamma);
    }
    if (contrast != 1.0f) {
        precise float centred = tone - 0.5f;
        tone = centred * contrast + 0.5f;
    }
    return clip(tone);
}

// Whether values from `least` to `most` are worth showing.
bool has_range(float least, float most)
{
    precise float extent = most - least;
    return extent > 1e-6f;
}
#endif

// SPDX-License-Identifier: MIT
// Tones: normalised values, with gamma and contrast. docs/pictures.md.
#ifndef VKS_VIEW_TONE_GLSL
#define VKS_VIEW_TONE_GLSL

#include "lib/exact.glsl"
#include "view/params.h"

layout(constant_id = 9) const bool logarithmic = false;
layout(constant_id = 10) const uint curve = TONE_LINEAR; // software drivers compute all branches
// The range is symmetric about 0: levels are of magnitudes, and the middle tone is 0.
layout(constant_id = 11) const bool symmetric = false;

#define TONE_LARGEST 1152921504606846976.0f // 2^60: limit of vks_log2()

float clip(float x)
{
    return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}

// The measured value: itself, or its logarithm from `low` (at least 2^-60) on.
float measured(float value, float low)
{
    if (!logarithmic) {
        return value;
    }
    float clamped = value > low ? value : low;
    return vks_log2(clamped < TONE_LARGEST ? clamped : TONE_LARGEST);
}

// The place of a magnitude from 0 to 1 in the symmetric range.
float on_side(float magnitude, bool negative)
{
    precise float half_range = 0.5f * magnitude;
    precise float place = negative ? 0.5f - half_range : 0.5f + half_range;
    return place;
}

// From 0 to 1. `levels` are LEVEL_FIRST, LEVEL_BASE and LEVEL_SCALE.
float normalised(float value, vec3 levels)
{
    precise float above = measured(symmetric ? abs(value) : value, levels.x) - levels.y;
    above = above * levels.z;
    above = clip(above);
    return symmetric ? on_side(above, value < 0.0f) : above;
}

// What glows and hides the background: a tone or, of a symmetric range, its distance from the
// middle.
float strength(float tone)
{
    precise float distance = abs(tone - 0.5f) * 2.0f;
    return symmetric ? distance : tone;
}

// The tone of a normalised value.
float curved(float value, float gamma, float contrast)
{
    precise float tone = strength(value);
    if (curve == TONE_ROOT) {
        tone = vks_sqrt(tone);
    } else if (curve == TONE_POWER) {
        tone = vks_pow(tone, gamma);
    }
    tone = symmetric ? on_side(tone, value < 0.5f) : tone;
    if (contrast != 1.0f) {
        precise float centred = tone - 0.5f;
        tone = centred * contrast + 0.5f;
    }
    return clip(tone);
}

float toned(float value, vec3 levels, float gamma, float contrast)
{
    return curved(normalised(value, levels), gamma, contrast);
}

// Of the buffer member `float level[]` of "view_level".
#define TONE_LEVELS vec3(level[LEVEL_FIRST], level[LEVEL_BASE], level[LEVEL_SCALE])

#endif

// SPDX-License-Identifier: MIT
// A field as a picture: normalised, gamma, contrast, colour map of 256 entries. docs/pictures.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "lib/exact.glsl"
#include "view/params.h"

VKS_CONSTANTS(view_params);

layout(std430, set = 0, binding = 0) readonly buffer shown
{
    float values[];
};
layout(std430, set = 0, binding = 1) readonly buffer view_level
{
    float level[];
};
layout(std430, set = 0, binding = 2) readonly buffer palette
{
    uint colours[]; // 256, RGBA8 with red in the low byte
};
layout(std430, set = 0, binding = 3) writeonly buffer picture
{
    uint pixels[];
};

float clip(float x)
{
    return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}

void main()
{
    uint i = vks_item();
    if (i >= constants.width * constants.height) {
        return;
    }
    precise float value = values[i] - level[0];
    value = clip(value * level[2]);
    if (constants.gamma == 0.5f) {
        value = vks_sqrt(value);
    } else if (constants.gamma != 1.0f) {
        value = vks_pow(value, constants.gamma);
    }
    if (constants.contrast != 1.0f) {
        precise float centred = value - 0.5f;
        value = centred * constants.contrast + 0.5f;
    }
    precise float entry = clip(value) * 255.0f;
    pixels[i] = colours[uint(entry)];
}

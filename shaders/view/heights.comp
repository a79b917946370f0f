// SPDX-License-Identifier: MIT
// Heights of 16 bits: the normalised values of a picture, before gamma. Of a mix of several planes
// the largest.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "view/params.h"
#include "view/tone.glsl"

layout(constant_id = 0) const uint planes = 1u;

VKS_FIELD(0, readonly, displayed, float, cells);
layout(std430, set = 0, binding = 1) readonly buffer view_level
{
    float level[];
};
VKS_FIELD(2, writeonly, heights, uint, results);

VKS_CONSTANTS(heights_params);

void main()
{
    uint i = vks_item();
    if (i >= constants.pixels) {
        return;
    }
    precise float most = 0.0f;
    for (uint plane = 0u; plane < planes; plane++) {
        uint at = plane * constants.plane + constants.origin + i;
        most = max(most, normalised(VKS_AT(cells, at), TONE_LEVELS));
    }
    precise float height = most * 65535.0f + 0.5f;
    VKS_AT(results, i) = uint(height);
}

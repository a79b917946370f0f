// SPDX-License-Identifier: MIT
// The range of tints: two standard deviations on either side of the mean code of the points.
// Clears the sums for the next frame. docs/pictures.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "lib/fixed.glsl"
#include "view/params.h"

layout(std430, set = 0, binding = 0) buffer view_tint_sums
{
    uvec2 sums[];
};
layout(std430, set = 0, binding = 1) writeonly buffer view_tint
{
    float range[];
};

void main()
{
    if (vks_item() > 0u) {
        return;
    }
    float count = vks_from_fixed(sums[TINT_COUNT], 1.0f);
    float sum = vks_from_fixed(sums[TINT_SUM], 1.0f);
    float squares = vks_from_fixed(sums[TINT_SQUARES], 1.0f);
    float mean = count > 0.0f ? vks_divide(sum, count) : 0.0f;
    float square = count > 0.0f ? vks_divide(squares, count) : 0.0f;
    precise float variance = square - mean * mean;
    precise float reach = 2.0f * vks_sqrt(max(variance, 0.0f));
    reach = max(reach, TINT_REACH);
    precise float low = mean - reach;
    precise float scale = (0.5f * TINT_LEVELS) * vks_reciprocal(reach);
    range[TINT_LOW] = vks_flush(low);
    range[TINT_SCALE] = scale;
    for (uint i = 0u; i < TINT_SUMS; i++) {
        sums[i] = uvec2(0u);
    }
}

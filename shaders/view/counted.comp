// SPDX-License-Identifier: MIT
// Converts the counts of points to float32, rounded to nearest above 2^24, and clears them for the
// next frame.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "view/params.h"

VKS_CONSTANTS(counted_params);

VKS_FIELD(0, , view_counts, uint, counts);
VKS_FIELD(1, writeonly, values, float, results);

void main()
{
    uint i = vks_item();
    if (i >= constants.pixels) {
        return;
    }
    uint count = VKS_AT(counts, i);
    precise float high = float(count >> 16) * 65536.0f;
    precise float value = high + float(count & 0xffffu);
    VKS_AT(results, i) = value;
    VKS_AT(counts, i) = 0u;
}

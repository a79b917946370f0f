// SPDX-License-Identifier: MIT
// F dt and k dt of every cell, in multiples of 2^-24: F increases to the top, k to the right.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "gray_scott/params.h"

VKS_CONSTANTS(gray_scott_rates);

VKS_FIELD(0, writeonly, feed_rate, float, feeds);
VKS_FIELD(1, writeonly, kill_rate, float, kills);

float rounded(float rate)
{
    precise float units = floor(rate * 16777216.0f + 0.5f);
    precise float result = units * 5.9604644775390625e-8f;
    return result;
}

void main()
{
    uint x = gl_GlobalInvocationID.x;
    uint row = gl_GlobalInvocationID.y;
    if (x >= constants.width || row >= constants.rows) {
        return;
    }
    uint y = (constants.first + row) % constants.height;
    precise float up = float(constants.height - 1u - y) * constants.per_row;
    precise float across = float(x) * constants.per_column;
    precise float feed = constants.feed + constants.feed_rise * up;
    precise float kill = constants.kill + constants.kill_rise * across;
    VKS_AT(feeds, row * constants.width + x) = rounded(feed);
    VKS_AT(kills, row * constants.width + x) = rounded(kill);
}

// SPDX-License-Identifier: MIT
// Values and tints of pixels from the sums of points, smoothed with the weights 1, 2, 1 along
// either axis. docs/pictures.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "lib/fixed.glsl"
#include "view/params.h"

VKS_CONSTANTS(splatted_params);

VKS_FIELD(0, readonly, view_sums, uvec4, sums);
VKS_FIELD(1, writeonly, values, float, results);
VKS_FIELD(2, writeonly, view_tints, uint, tints);

// Pairs of 64-bit numbers.
uvec4 add(uvec4 a, uvec4 b)
{
    return uvec4(vks_fixed_add(a.xy, b.xy), vks_fixed_add(a.zw, b.zw));
}

// a + 2 b + c
uvec4 smoothed(uvec4 a, uvec4 b, uvec4 c)
{
    uvec4 twice = uvec4(b.x << 1, (b.y << 1) | (b.x >> 31), b.z << 1, (b.w << 1) | (b.z >> 31));
    return add(twice, add(a, c));
}

void show(uint at, uvec4 sum)
{
    float weight = vks_from_fixed(sum.xy, 9.5367431640625e-7f); // 2^-20
    float product = vks_from_fixed(sum.zw, 9.5367431640625e-7f);
    precise float tint = weight > 0.0f ? vks_divide(product, weight) : 0.0f;
    tint = tint * TINT_WIDER + 0.5f;
    VKS_AT(results, at) = weight;
    VKS_AT(tints, at) = uint(min(tint, 65535.0f));
}

void main()
{
    uint x = gl_GlobalInvocationID.x;
    uint first = gl_GlobalInvocationID.y * SPLATTED_ROWS;
    if (x >= constants.width) {
        return;
    }
    uvec4 above = uvec4(0u); // of the sums, smoothed across
    uvec4 middle = uvec4(0u);
    uint end = min(first + SPLATTED_ROWS, constants.rows) + 2u;
    for (uint row = first; row < end; row++) {
        uint at = row * (constants.width + 2u) + x;
        uvec4 below = smoothed(VKS_AT(sums, at), VKS_AT(sums, at + 1u), VKS_AT(sums, at + 2u));
        if (row >= first + 2u) {
            show((row - 2u) * constants.width + x, smoothed(above, middle, below));
        }
        above = middle;
        middle = below;
    }
}

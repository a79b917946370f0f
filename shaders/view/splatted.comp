// SPDX-License-Identifier: MIT
// Values and tints of pixels from the sums of points, smoothed with the weights 1, 2, 1 along
// either axis. docs/pictures.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "lib/fixed.glsl"
#include "view/params.h"

VKS_CONSTANTS(splatted_params);

VKS_FIELD(0, readonly, view_sums, uvec2, sums);
VKS_FIELD(1, writeonly, values, float, results);
VKS_FIELD(2, writeonly, view_tints, uint, tints);

uvec2 shifted(uvec2 a, uint bits)
{
    return uvec2(a.x << bits, bits == 0u ? a.y : (a.y << bits) | (a.x >> (32u - bits)));
}

void main()
{
    uint x = gl_GlobalInvocationID.x;
    uint y = gl_GlobalInvocationID.y;
    if (x >= constants.width || y >= constants.rows) {
        return;
    }
    uvec2 weight = uvec2(0u);
    uvec2 product = uvec2(0u);
    for (uint i = 0u; i < 9u; i++) {
        uint bits = uint(i % 3u == 1u) + uint(i / 3u == 1u);
        uint at = 2u * ((y + i / 3u) * (constants.width + 2u) + x + i % 3u);
        weight = vks_fixed_add(weight, shifted(VKS_AT(sums, at), bits));
        product = vks_fixed_add(product, shifted(VKS_AT(sums, at + 1u), bits));
    }
    float total = vks_from_fixed(weight, 9.5367431640625e-7f); // 2^-20
    float tinted = vks_from_fixed(product, 9.5367431640625e-7f);
    precise float tint = total > 0.0f ? vks_divide(tinted, total) : 0.0f;
    tint = tint * TINT_WIDER + 0.5f;
    uint at = y * constants.width + x;
    VKS_AT(results, at) = total;
    VKS_AT(tints, at) = uint(min(tint, 65535.0f));
}

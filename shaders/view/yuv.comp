// SPDX-License-Identifier: MIT
// RGB to planar YUV 4:2:0, BT.709, limited range, in integers: 8 x 2 pixels per invocation. The
// planes have the coded size (a multiple of 8 x 2), the last column and row repeated.
//
// Weights are those of ITU-R BT.709 (0.2126, 0.7152, 0.0722) scaled to 219/255 and 224/255, in
// 2^-16, rounded so that grey has no chroma and white is 235.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "view/params.h"

VKS_CONSTANTS(view_params);

layout(std430, set = 0, binding = 0) readonly buffer picture
{
    uint pixels[];
};
layout(std430, set = 0, binding = 1) writeonly buffer planes
{
    uint bytes[]; // four per word: Y, then U, then V
};

ivec3 pixel(uint x, uint y)
{
    x = min(x, constants.width - 1u);
    y = min(y, constants.height - 1u);
    uint p = pixels[y * constants.width + x];
    return ivec3(p & 0xffu, (p >> 8) & 0xffu, (p >> 16) & 0xffu);
}

uint luma(ivec3 c)
{
    return uint(1081344 + 11966 * c.r + 40254 * c.g + 4064 * c.b) >> 16;
}

// Blue and red difference of the sum of four pixels.
uvec2 chroma(ivec3 c)
{
    int u = -6596 * c.r - 22189 * c.g + 28785 * c.b;
    int v = 28785 * c.r - 26145 * c.g - 2640 * c.b;
    const int offset = (128 << 18) + (1 << 17);
    return uvec2(uint(u + offset) >> 18, uint(v + offset) >> 18);
}

void main()
{
    uint x = gl_GlobalInvocationID.x * 8u;
    uint y = gl_GlobalInvocationID.y * 2u;
    if (x >= constants.coded_width || y >= constants.coded_height) {
        return;
    }
    uint us = 0u;
    uint vs = 0u;
    uint lines[4] = uint[4](0u, 0u, 0u, 0u); // two words of each of the two rows
    for (uint i = 0u; i < 4u; i++) {
        ivec3 a = pixel(x + 2u * i, y);
        ivec3 b = pixel(x + 2u * i + 1u, y);
        ivec3 c = pixel(x + 2u * i, y + 1u);
        ivec3 d = pixel(x + 2u * i + 1u, y + 1u);
        uint shift = (2u * i & 3u) * 8u;
        lines[i >> 1] |= (luma(a) << shift) | (luma(b) << (shift + 8u));
        lines[2u + (i >> 1)] |= (luma(c) << shift) | (luma(d) << (shift + 8u));
        uvec2 uv = chroma(a + b + c + d);
        us |= uv.x << (8u * i);
        vs |= uv.y << (8u * i);
    }
    uint row = constants.coded_width / 4u; // words
    uint luma_words = row * constants.coded_height;
    bytes[y * row + x / 4u] = lines[0];
    bytes[y * row + x / 4u + 1u] = lines[1];
    bytes[(y + 1u) * row + x / 4u] = lines[2];
    bytes[(y + 1u) * row + x / 4u + 1u] = lines[3];
    uint at = (y / 2u) * (row / 2u) + x / 8u;
    bytes[luma_words + at] = us;
    bytes[luma_words + luma_words / 4u + at] = vs;
}

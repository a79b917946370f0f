// SPDX-License-Identifier: MIT
// As view/yuv.comp, from 16 to 10 bits: each sample is in the low bits of a half word.
//
// Weights are scaled to 876/65535 and 896/65535, in 2^-22 for luma and, for the sum of four pixels,
// 2^-21 for chroma, rounded so that grey has no chroma and white is 940. No sum leaves 32 bits.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "view/params.h"

VKS_CONSTANTS(view_params);

layout(std430, set = 0, binding = 0) readonly buffer picture16
{
    uvec2 pixels[]; // R and G, B and A
};
layout(std430, set = 0, binding = 1) writeonly buffer planes
{
    uint samples[]; // two to a word: Y, then U, then V
};

uvec3 pixel(uint x, uint y)
{
    x = min(x, constants.width - 1u);
    y = min(y, constants.height - 1u);
    uvec2 p = pixels[y * constants.width + x];
    return uvec3(p.x & 0xffffu, p.x >> 16, p.y & 0xffffu);
}

uint luma(uvec3 c)
{
    const uint offset = (64u << 22) + (1u << 21);
    return (offset + 11919u * c.r + 40098u * c.g + 4048u * c.b) >> 22;
}

// Blue and red difference of the sum of four pixels.
uvec2 chroma(uvec3 sum)
{
    ivec3 c = ivec3(sum);
    const int offset = (512 << 21) + (1 << 20);
    return uvec2(offset - 821 * c.r - 2763 * c.g + 3584 * c.b,
                 offset + 3584 * c.r - 3255 * c.g - 329 * c.b) >>
           21u;
}

void main()
{
    uint x = gl_GlobalInvocationID.x * 8u;
    uint y = gl_GlobalInvocationID.y * 2u;
    if (x >= constants.coded_width || y >= constants.coded_height) {
        return;
    }
    uint row = constants.coded_width / 2u; // words
    uint luma_words = row * constants.coded_height;
    uint at = (y / 2u) * (row / 2u) + x / 4u;
    for (uint i = 0u; i < 2u; i++) {
        uint us = 0u;
        uint vs = 0u;
        for (uint j = 0u; j < 2u; j++) {
            uint column = x + 4u * i + 2u * j;
            uvec3 a = pixel(column, y);
            uvec3 b = pixel(column + 1u, y);
            uvec3 c = pixel(column, y + 1u);
            uvec3 d = pixel(column + 1u, y + 1u);
            samples[y * row + column / 2u] = luma(a) | luma(b) << 16;
            samples[(y + 1u) * row + column / 2u] = luma(c) | luma(d) << 16;
            uvec2 uv = chroma(a + b + c + d);
            us |= uv.x << (16u * j);
            vs |= uv.y << (16u * j);
        }
        samples[luma_words + at + i] = us;
        samples[luma_words + luma_words / 4u + at + i] = vs;
    }
}

// SPDX-License-Identifier: MIT
// Bloom, first pass: the glow of blocks of pixels. High values glow in the colour of lower ones,
// that of their flanks, because the end of a map is often white. Large blocks are sampled at 8 x 8
// evenly spread pixels. docs/pictures.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "view/mix.glsl"
#include "view/params.h"
#include "view/tint.glsl"
#include "view/tone.glsl"

VKS_CONSTANTS(glow_params);

VKS_FIELD(0, readonly, displayed, float, values);
layout(std430, set = 0, binding = 1) readonly buffer view_level
{
    float level[];
};
layout(std430, set = 0, binding = 2) readonly buffer palette
{
    uint colours[];
};
layout(std430, set = 0, binding = 3) writeonly buffer glow
{
    uvec2 blocks[]; // red and green, blue: 16 bits each
};
VKS_FIELD(4, readonly, view_tints, uint, tints);

// 0 up to the middle tone, then quadratic up to 65535.
uint shine(float tone)
{
    precise float over = tone * 2.0f - 1.0f;
    over = clip(over);
    precise float share = over * over * 65535.0f;
    return uint(share);
}

// The entry whose colour is that of the flanks of a line of entry `top`: nearer to the low end of
// the map or, of a symmetric range, to its middle.
uint flank(uint top)
{
    if (!symmetric) {
        return top * 9u / 16u;
    }
    return top < 128u ? 127u - (127u - top) * 9u / 16u : 128u + (top - 128u) * 9u / 16u;
}

// A pixel of the planes so far.
struct mixture {
    float highest; // normalised value
    float tone; // strength()
    uvec3 colour;
};

void add_plane(inout mixture pixel, uint plane, uint at)
{
    uint cell = plane * constants.plane + at;
    float height = normalised(VKS_AT(values, cell), TONE_LEVELS);
    float tone = curved(height, constants.gamma, constants.contrast);
    precise float place = tone * 255.0f;
    uint entry = tinted ? tint_place(VKS_AT(tints, at)).x : flank(uint(place));
    uint colour = colours[plane * PALETTE_WORDS + entry];
    uvec3 parts = uvec3(colour & 0xffu, (colour >> 8) & 0xffu, (colour >> 16) & 0xffu);
    pixel.colour = mixed(pixel.colour, parts, height > pixel.highest);
    pixel.highest = max(pixel.highest, height);
    pixel.tone = max(pixel.tone, strength(tone));
}

void main()
{
    uint x = gl_GlobalInvocationID.x;
    uint y = constants.first + gl_GlobalInvocationID.y;
    if (x >= constants.glow_width || gl_GlobalInvocationID.y >= constants.rows) {
        return;
    }
    uint side = 1u << constants.shift;
    uint stride = max(side >> 3, 1u);
    uint end_x = min((x + 1u) << constants.shift, constants.width);
    uint end_y = min((y + 1u) << constants.shift, constants.height);
    uvec3 sum = uvec3(0u); // below 2^30: 64 pixels of 255 x 65535
    uint count = 0u;
    for (uint py = (y << constants.shift) + (stride >> 1); py < end_y; py += stride) {
        for (uint px = (x << constants.shift) + (stride >> 1); px < end_x; px += stride) {
            uint at = (py - constants.origin) * constants.width + px;
            mixture pixel = mixture(-1.0f, 0.0f, uvec3(0u));
            uint plane = 0u;
            do {
                add_plane(pixel, plane, at);
                plane++;
            } while (plane < planes);
            if (planes > 1u) {
                pixel.colour = min(pixel.colour, uvec3(255u));
            }
            sum += pixel.colour * shine(pixel.tone);
            count++;
        }
    }
    // A block at the edge may lack some samples.
    uvec3 mean = (sum / max(count, 1u)) >> 8;
    blocks[y * constants.glow_width + x] = uvec2(mean.r | (mean.g << 16), mean.b);
}

// SPDX-License-Identifier: MIT
// RGB to planar YUV 4:2:0, BT.709, limited range, in integers: 8 x 2 pixels per invocation. The
// planes have the coded size (a multiple of 8 x 2), the last column and row repeated.
//
// Weights are those of ITU-R BT.709 (0.2126, 0.7152, 0.0722) scaled to 219/255 and 224/255, in
// 2^-16, rounded so that grey has no chroma and white is 235.
#include "lib/pass.glsl"
#include "view/params.h"

VKS_CONSTANTS(view_params);

layout(constant_id = 2) const bool whole = false; // the picture has the coded size

VKS_INPUT(0, picture, uvec4, fours) // of pixels
VKS_INPUT_WORDS(0, picture_pixels, fours, pixels)
layout(std430, set = 0, binding = 1) writeonly buffer planes
{
    uint bytes[]; // four per word: Y, then U, then V
};
layout(std430, set = 0, binding = 1) writeonly buffer planes_pairs
{
    uvec2 pairs[];
};

uint pixel(uint x, uint y)
{
    return VKS_IN(pixels, y * constants.width + min(x, constants.width - 1u));
}

// Four pixels from x on, a multiple of four.
uvec4 four_pixels(uint x, uint y)
{
    if (whole) {
        return VKS_IN(fours, (y * constants.width + x) / 4u);
    }
    y = min(y, constants.height - 1u);
    return uvec4(pixel(x, y), pixel(x + 1u, y), pixel(x + 2u, y), pixel(x + 3u, y));
}

ivec3 channels(uint p)
{
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

// Two words of luma and two samples of each chroma.
struct block {
    uint top, bottom, us, vs;
};

block block_of(uvec4 upper, uvec4 lower)
{
    ivec3 a = channels(upper.x), b = channels(upper.y), c = channels(upper.z),
          d = channels(upper.w);
    ivec3 e = channels(lower.x), f = channels(lower.y), g = channels(lower.z),
          h = channels(lower.w);
    uvec2 left = chroma(a + b + e + f);
    uvec2 right = chroma(c + d + g + h);
    return block(luma(a) | luma(b) << 8 | luma(c) << 16 | luma(d) << 24,
                 luma(e) | luma(f) << 8 | luma(g) << 16 | luma(h) << 24, left.x | right.x << 8,
                 left.y | right.y << 8);
}

// Returns `word`: the condition is always true. llvmpipe stores one invocation at a time, and LLVM
// sinks arithmetic that only a store needs into that loop. It does not sink a selection, so the
// arithmetic stays outside, where it is done for all invocations at once.
uint at_once(uint word)
{
    return constants.width > 0u ? word : 1u;
}

void main()
{
    uint x = gl_GlobalInvocationID.x * 8u;
    uint y = gl_GlobalInvocationID.y * 2u;
    if (x >= constants.coded_width || y >= constants.coded_height) {
        return;
    }
    block left = block_of(four_pixels(x, y), four_pixels(x, y + 1u));
    block right = block_of(four_pixels(x + 4u, y), four_pixels(x + 4u, y + 1u));
    uint row = constants.coded_width / 4u; // words
    uint luma_words = row * constants.coded_height;
    pairs[(y * row + x / 4u) / 2u] = uvec2(at_once(left.top), at_once(right.top));
    pairs[((y + 1u) * row + x / 4u) / 2u] = uvec2(at_once(left.bottom), at_once(right.bottom));
    uint at = (y / 2u) * (row / 2u) + x / 8u;
    bytes[luma_words + at] = at_once(left.us | right.us << 16);
    bytes[luma_words + luma_words / 4u + at] = at_once(left.vs | right.vs << 16);
}

// SPDX-License-Identifier: MIT
// A colour over pixels of a finished picture, with straight alpha. docs/pictures.md, Masks.
#ifndef VKS_VIEW_OVER_GLSL
#define VKS_VIEW_OVER_GLSL

// Over a colour whose channels have up to 16 bits. `share`: of the own colour in the result.
uint over(uint channel, uint own, uint share)
{
    return (channel * (65536u - share) + own * share + 32768u) >> 16;
}

// The share of a covering colour in that of a pixel with this alpha of 16 bits: where the picture
// is transparent, only the covering one has a colour.
uint share_of_colour(uint alpha, uint cover)
{
    uint result = over(alpha, 65535u, cover);
    return min(65535u * cover / max(result, 1u), 65536u);
}

// An opaque colour, RGBA8 with red in the low byte, that covers a pixel by `cover` / 65536.
uint vks_over(uint pixel, uint own, uint cover)
{
    uint share = share_of_colour((pixel >> 24) * 257u, cover);
    return over(pixel & 0xffu, own & 0xffu, share) |
           (over((pixel >> 8) & 0xffu, (own >> 8) & 0xffu, share) << 8) |
           (over((pixel >> 16) & 0xffu, (own >> 16) & 0xffu, share) << 16) |
           (over(pixel >> 24, 255u, cover) << 24);
}

// The same for a pixel of 16 bits per channel.
uvec2 vks_over_deep(uvec2 pixel, uint own, uint cover)
{
    uint share = share_of_colour(pixel.y >> 16, cover);
    return uvec2(over(pixel.x & 0xffffu, (own & 0xffu) * 257u, share) |
                     (over(pixel.x >> 16, ((own >> 8) & 0xffu) * 257u, share) << 16),
                 over(pixel.y & 0xffffu, ((own >> 16) & 0xffu) * 257u, share) |
                     (over(pixel.y >> 16, 65535u, cover) << 16));
}
#endif

// SPDX-License-Identifier: MIT
// Colours of points with a quantity: the hue is that of the quantity, the shade that of the tone.
// docs/pictures.md.
#ifndef VKS_VIEW_TINT_GLSL
#define VKS_VIEW_TINT_GLSL

layout(constant_id = 7) const bool tinted = false;

// Entry of the map and, in 1/65535, the share of the next one, for a tint of 16 bits.
uvec2 tint_place(uint tint)
{
    uint place = tint * 255u;
    return uvec2(place / 65535u, place % 65535u);
}

// A hue from black over itself towards white, which the brightest tones approach halfway.
uvec3 shaded(uvec3 hue, float tone)
{
    precise float share = tone * 65536.0f;
    uint s = uint(share);
    uint over = s > 32768u ? 2u * s - 65536u : 0u;
    over = over > 65535u ? 65535u : over;
    uint white = ((over * over) >> 16) >> 1;
    uvec3 colour = (hue * min(s + (s >> 1), 65536u)) >> 16;
    return colour + (((65535u - colour) * white) >> 16);
}
#endif

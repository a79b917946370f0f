// SPDX-License-Identifier: MIT
// A field as a picture with hillshade, bloom and background. docs/pictures.md. Channels are 16-bit
// integers; shares are in 1/65536. PAINT_16: also outputs 16 bits per channel, with colours between
// the map's entries.
#include "lib/pass.glsl"
#include "view/mix.glsl"
#include "view/params.h"
#include "view/tint.glsl"
#include "view/tone.glsl"

layout(constant_id = 2) const bool relief = false;
layout(constant_id = 3) const bool glows = false;
layout(constant_id = 4) const uint background = BACKGROUND_NONE;

VKS_CONSTANTS(paint_params);

VKS_FIELD(0, readonly, displayed, float, values);
layout(std430, set = 0, binding = 1) readonly buffer view_level
{
    float level[];
};
layout(std430, set = 0, binding = 2) readonly buffer palette
{
    uint colours[];
};
layout(std430, set = 0, binding = 3) readonly buffer glow_tight
{
    uvec2 tight_blocks[];
};
layout(std430, set = 0, binding = 4) readonly buffer glow_wide
{
    uvec2 wide_blocks[];
};
layout(std430, set = 0, binding = 5) readonly buffer background_image
{
    uint background_pixels[];
};
layout(std430, set = 0, binding = 6) writeonly buffer picture
{
    uint pixels[];
};
VKS_FIELD(8, readonly, view_tints, uint, tints);
#ifdef PAINT_16
layout(std430, set = 0, binding = 7) writeonly buffer picture16
{
    uvec2 deep_pixels[];
};
#endif

// The normalised values of a workgroup's 32 x 8 pixels and their neighbours; these heights smoothed
// across, and then down.
const uint TILE_WIDTH = 32u + 2u * RELIEF_ROWS;
const uint TILE_HEIGHT = 8u + 2u * RELIEF_ROWS;
const uint SMOOTH_WIDTH = 34u;
const uint SMOOTH_HEIGHT = 10u;
shared float tile[TILE_WIDTH * TILE_HEIGHT];
shared float half_smooth[SMOOTH_WIDTH * TILE_HEIGHT];
shared float heights[SMOOTH_WIDTH * SMOOTH_HEIGHT];

// The mean of seven values with binomial weights.
float binomial(float a, float b, float c, float middle, float d, float e, float f)
{
    precise float near = c + d;
    precise float far = b + e;
    precise float farthest = a + f;
    precise float sum = 20.0f * middle + 15.0f * near + 6.0f * far + farthest;
    sum = sum * 0.015625f;
    return sum;
}

void fill_tile()
{
    int left = int(gl_WorkGroupID.x * 32u) - RELIEF_ROWS;
    int top = int(constants.first + gl_WorkGroupID.y * 8u) - RELIEF_ROWS;
    // Values exist for only so many rows below the band.
    int last = int(min(constants.first + constants.rows + RELIEF_ROWS, constants.height) - 1u);
    for (uint i = gl_LocalInvocationIndex; i < TILE_WIDTH * TILE_HEIGHT; i += 256u) {
        int x = clamp(left + int(i % TILE_WIDTH), 0, int(constants.width) - 1);
        uint y = uint(clamp(top + int(i / TILE_WIDTH), 0, last)) - constants.origin;
        uint at = y * constants.width + uint(x);
        float height = 0.0f;
        uint plane = 0u;
        do {
            height = max(height, normalised(VKS_AT(values, at), TONE_LEVELS));
            at += constants.plane;
            plane++;
        } while (plane < planes);
        tile[i] = height;
    }
    barrier();
    for (uint i = gl_LocalInvocationIndex; i < SMOOTH_WIDTH * TILE_HEIGHT; i += 256u) {
        uint at = i / SMOOTH_WIDTH * TILE_WIDTH + i % SMOOTH_WIDTH + RELIEF_SMOOTH;
        half_smooth[i] = binomial(tile[at - 3u], tile[at - 2u], tile[at - 1u], tile[at],
                                  tile[at + 1u], tile[at + 2u], tile[at + 3u]);
    }
    barrier();
    for (uint i = gl_LocalInvocationIndex; i < SMOOTH_WIDTH * SMOOTH_HEIGHT; i += 256u) {
        heights[i] = binomial(half_smooth[i], half_smooth[i + SMOOTH_WIDTH],
                              half_smooth[i + 2u * SMOOTH_WIDTH],
                              half_smooth[i + 3u * SMOOTH_WIDTH],
                              half_smooth[i + 4u * SMOOTH_WIDTH],
                              half_smooth[i + 5u * SMOOTH_WIDTH],
                              half_smooth[i + 6u * SMOOTH_WIDTH]);
    }
    barrier();
}

// To the power of 64.
float highlight(float cosine)
{
    precise float power = clip(cosine);
    for (uint i = 0u; i < 6u; i++) {
        power = power * power;
    }
    return vks_flush(power);
}

// Hillshade: the light, 65536 on level ground, and the highlight, up to 65536.
uvec2 light()
{
    uint at = (gl_LocalInvocationID.y + 1u) * SMOOTH_WIDTH + gl_LocalInvocationID.x + 1u;
    uint up = at - SMOOTH_WIDTH;
    uint down = at + SMOOTH_WIDTH;
    // Sobel differences.
    precise float x = (heights[up + 1u] - heights[up - 1u]) +
                      (heights[down + 1u] - heights[down - 1u]) +
                      2.0f * (heights[at + 1u] - heights[at - 1u]);
    precise float y = (heights[down - 1u] - heights[up - 1u]) +
                      (heights[down + 1u] - heights[up + 1u]) +
                      2.0f * (heights[down] - heights[up]);
    x = x * constants.relief_x;
    y = y * constants.relief_y;
    precise float towards = (x * constants.light_x + y * constants.light_y) + 1.0f;
    precise float steep = 1.0f + x * x + y * y;
    float upright = vks_reciprocal(vks_sqrt(steep));
    precise float lit = towards > 0.0f ? towards * upright : 0.0f;
    // Shadows keep some of the sky's light, and white stays white.
    lit = lit < 1.0f ? 0.25f + 0.75f * lit : min(lit, 1.5f);
    precise float share = lit * 65536.0f + 0.5f;
    precise float cosine = constants.half_z - (x * constants.half_x + y * constants.half_y);
    cosine = cosine * upright;
    // More than on level ground.
    precise float shine = highlight(cosine) - highlight(constants.half_z);
    shine = clip(shine * constants.gloss) * 65536.0f + 0.5f;
    return uvec2(uint(share), uint(shine));
}

uvec3 channels(uint colour)
{
    return uvec3(colour & 0xffu, (colour >> 8) & 0xffu, (colour >> 16) & 0xffu) * 257u;
}

uvec3 block_of(uvec2 word)
{
    return uvec3(word.x & 0xffffu, word.x >> 16, word.y);
}

// The weighted sum of both glows at a block, clamped to 20 bits.
uvec3 glow_of_block(uint x, uint y)
{
    uint at = y * constants.glow_width + x;
    uvec3 sum = block_of(tight_blocks[at]) * constants.tight +
                block_of(wide_blocks[at]) * constants.wide;
    return min(sum >> 8, uvec3(0xfffffu));
}

// Interpolates linearly between the centres of blocks; at most a half, which strong glows
// approach.
uvec3 glow_at(uint x, uint y)
{
    uint bits = constants.glow_shift + 1u;
    uint whole = 1u << bits;
    int place_x = int(2u * x + 1u) - int(whole >> 1);
    int place_y = int(2u * y + 1u) - int(whole >> 1);
    uint share_x = uint(place_x) & (whole - 1u);
    uint share_y = uint(place_y) & (whole - 1u);
    uint left = uint(max(place_x >> bits, 0));
    uint top = uint(max(place_y >> bits, 0));
    uint right = uint(min((place_x >> bits) + 1, int(constants.glow_width) - 1));
    uint bottom = uint(min((place_y >> bits) + 1, int(constants.glow_height) - 1));
    uvec3 upper = (glow_of_block(left, top) * (whole - share_x) +
                   glow_of_block(right, top) * share_x) >>
                  bits;
    uvec3 lower = (glow_of_block(left, bottom) * (whole - share_x) +
                   glow_of_block(right, bottom) * share_x) >>
                  bits;
    uvec3 sum = (upper * (whole - share_y) + lower * share_y) >> bits;
    return 32768u - 1073741824u / (32768u + sum); // s / (1 + 2 s), in 65536ths
}

// The share of the background that a tone hides: 0 up to 0.1, 65536 from 0.6 on.
uint cover_of(float tone)
{
    precise float s = tone * 2.0f - 0.2f;
    s = clip(s);
    precise float share = s * s * (3.0f - 2.0f * s) * 65536.0f + 0.5f;
    return uint(share);
}

// A colour over the background, straight alpha.
uvec4 laid(uvec3 colour, uint cover, uint under)
{
    uint alpha = (under >> 24) * 257u;
    uint rest = 65536u - cover;
    if (alpha < 65535u) {
        rest = (rest * alpha) >> 16;
    }
    uint all = cover + rest;
    uvec3 sum = colour * cover + channels(under) * rest;
    return all == 0u ? uvec4(0u) : uvec4(sum / all, all - (all >> 16));
}

// A colour of the map, 16 bits per channel, with hillshade, glow and background.
uvec4 finished(uvec3 colour, uvec2 lit, uvec3 glow, uint cover, uint i)
{
    if (relief) {
        // Light is stronger than shadow, but white stays white and black black.
        uvec3 room = (colour * (65535u - colour)) >> 16; // at most 16384
        colour = lit.x > 65536u ? colour + ((room * (lit.x - 65536u)) >> 15)
                                : (colour * lit.x) >> 16;
        colour += ((65535u - colour) * lit.y) >> 16;
    }
    if (glows) {
        colour += ((65535u - colour) * glow) >> 16;
    }
    if (background == BACKGROUND_NONE) {
        return uvec4(colour, 65535u);
    }
    if (background == BACKGROUND_TRANSPARENT) {
        return uvec4(colour, cover - (cover >> 16));
    }
    uint behind = background == BACKGROUND_IMAGE ? background_pixels[i] : constants.background;
    return laid(colour, cover, behind);
}

// A pixel of the planes so far.
struct mixture {
    float highest; // normalised value
    float tone; // strength()
    uvec3 colour;
    uvec3 deep; // PAINT_16: between the map's entries
};

void add_plane(inout mixture pixel, uint plane, uint at, vec3 levels)
{
    uint cell = plane * constants.plane + at;
    float height = normalised(VKS_AT(values, cell), levels);
    float tone = curved(height, constants.gamma, constants.contrast);
    precise float place = tone * 255.0f;
    uint first = plane * PALETTE_WORDS;
    uint entry = uint(place);
    uvec3 here = channels(colours[first + entry]);
    pixel.colour = mixed(pixel.colour, here, height > pixel.highest);
#ifdef PAINT_16
    precise float share = (place - float(entry)) * 65536.0f;
    uint to_next = colours[first + PALETTE_DISCRETE] != 0u ? 0u : uint(share);
    uvec3 next = channels(colours[first + min(entry + 1u, 255u)]);
    pixel.deep = mixed(pixel.deep, (here * (65536u - to_next) + next * to_next) >> 16,
                     height > pixel.highest);
#endif
    pixel.highest = max(pixel.highest, height);
    pixel.tone = max(pixel.tone, strength(tone));
}

// The only plane, in the colour of a tint.
void add_tinted(inout mixture pixel, uint at, vec3 levels)
{
    float height = normalised(VKS_AT(values, at), levels);
    float tone = curved(height, constants.gamma, constants.contrast);
    uvec2 place = tint_place(VKS_AT(tints, at));
    uvec3 hue = channels(colours[place.x]);
    if (colours[PALETTE_DISCRETE] == 0u) {
        uvec3 next = channels(colours[min(place.x + 1u, 255u)]);
        hue = (hue * (65535u - place.y) + next * place.y) / 65535u;
    }
    hue = shaded(hue, tone);
    pixel = mixture(height, strength(tone), hue, hue);
}

void main()
{
    uint x = gl_GlobalInvocationID.x;
    uint line = gl_GlobalInvocationID.y; // of the band
    uint y = constants.first + line;
    if (relief) {
        fill_tile();
    }
    if (x >= constants.width || line >= constants.rows) {
        return;
    }
    uint i = line * constants.width + x;
    vec3 levels = TONE_LEVELS;
    uint at = (y - constants.origin) * constants.width + x;
    mixture pixel = mixture(-1.0f, 0.0f, uvec3(0u), uvec3(0u));
    uint plane = 0u;
    do {
        if (tinted) {
            add_tinted(pixel, at, levels);
        } else {
            add_plane(pixel, plane, at, levels);
        }
        plane++;
    } while (plane < planes);
    if (planes > 1u) {
        pixel.colour = min(pixel.colour, uvec3(65535u));
        pixel.deep = min(pixel.deep, uvec3(65535u));
    }
    uvec2 lit = relief ? light() : uvec2(65536u, 0u);
    uvec3 glow = uvec3(0u);
    uint cover = cover_of(pixel.tone);
    if (glows) {
        glow = glow_at(x, y);
        // The glow also shows on the background.
        cover += ((65536u - cover) * max(glow.r, max(glow.g, glow.b))) >> 16;
    }
    uvec4 shallow = finished(pixel.colour, lit, glow, cover, i) >> 8;
    pixels[i] = shallow.r | (shallow.g << 8) | (shallow.b << 16) | (shallow.a << 24);
#ifdef PAINT_16
    uvec4 deep = finished(pixel.deep, lit, glow, cover, i);
    deep_pixels[i] = uvec2(deep.r | (deep.g << 16), deep.b | (deep.a << 16));
#endif
}

// SPDX-License-Identifier: MIT
// A field as a picture: normalised, gamma, contrast, colour map of 256 entries. docs/pictures.md.
// VIEW_FALLBACK: draws the second field if the first has no range. VIEW_FOURS: an invocation draws
// four pixels of a picture whose width is a multiple of four, else one.
#include "lib/pass.glsl"
#include "lib/cell.glsl"
#include "view/params.h"
#ifdef VIEW_FALLBACK
#include "view/range.glsl"
#endif
#include "view/tone.glsl"

#ifdef VIEW_FOURS
#define PIXELS uvec4
#define AT_ONCE 4u
#else
#define PIXELS uint
#define AT_ONCE 1u
#endif

VKS_CONSTANTS(view_params);

layout(std430, set = 0, binding = 1) readonly buffer view_level
{
    float level[];
};
VKS_INPUT(2, palette, uint, colours) // 256, RGBA8 with red in the low byte
layout(std430, set = 0, binding = 3) writeonly buffer picture
{
    PIXELS pixels[];
};
#ifdef VIEW_FOURS
VKS_INPUT(0, displayed, uvec4, cells)
VKS_INPUT_PAIRS(0, displayed_halves, cells, halves)
#else
VKS_FIELD(0, readonly, displayed, uint, cells);
#endif
#ifdef VIEW_FALLBACK
#ifdef VIEW_FOURS
VKS_INPUT(4, fallback, uvec4, cells_fallback)
VKS_INPUT_PAIRS(4, fallback_halves, cells_fallback, halves_fallback)
#else
VKS_FIELD(4, readonly, fallback, uint, cells_fallback);
#endif
layout(std430, set = 0, binding = 5) readonly buffer view_range
{
    float first_range[];
};
#endif

// The values of AT_ONCE cells, of float32 or of halves.
#ifdef VIEW_FOURS
#define VALUES vec4
#define VALUES_OF(floats, halves, i)                                                               \
    (half_cells ? from_halves(VKS_IN(halves, i)) : uintBitsToFloat(VKS_IN(floats, i)))

vec4 from_halves(uvec2 words)
{
    return vec4(vks_from_half(words.x & 0xffffu), vks_from_half(words.x >> 16),
                vks_from_half(words.y & 0xffffu), vks_from_half(words.y >> 16));
}
#else
#define VALUES float
#define VALUES_OF(floats, halves, i) VKS_CELL(floats, i)
#endif

bool first_has_range()
{
#ifdef VIEW_FALLBACK
    return has_range(first_range[0], first_range[1]);
#else
    return true;
#endif
}

VALUES values_of(uint i, bool first)
{
#ifdef VIEW_FALLBACK
    if (!first) {
        return VALUES_OF(cells_fallback, halves_fallback, i);
    }
#endif
    return VALUES_OF(cells, halves, i);
}

// Index into the palette.
uint entry_of(float value, vec3 levels)
{
    float tone = toned(value, levels, constants.gamma, constants.contrast);
    precise float entry = tone * 255.0f;
    return uint(entry);
}

void main()
{
    // Loaded before any branch, because software drivers load once for all invocations only there.
    vec3 levels = TONE_LEVELS;
    bool first = first_has_range();
    uint i = vks_item();
    if (i >= constants.width * constants.height / AT_ONCE) {
        return;
    }
    VALUES values = values_of(constants.origin / AT_ONCE + i, first);
#ifdef VIEW_FOURS
    uvec4 entries = uvec4(entry_of(values.x, levels), entry_of(values.y, levels),
                          entry_of(values.z, levels), entry_of(values.w, levels));
    pixels[i] = uvec4(VKS_IN(colours, entries.x), VKS_IN(colours, entries.y),
                      VKS_IN(colours, entries.z), VKS_IN(colours, entries.w));
#else
    pixels[i] = VKS_IN(colours, entry_of(values, levels));
#endif
}

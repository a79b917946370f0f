// SPDX-License-Identifier: MIT
// A field as a picture: normalised, gamma, contrast, colour map of 256 entries. docs/pictures.md.
// VIEW_FALLBACK: draws the second field if the first has no range.
#include "lib/pass.glsl"
#include "lib/cell.glsl"
#include "view/params.h"
#ifdef VIEW_FALLBACK
#include "view/range.glsl"
#endif
#include "view/tone.glsl"

VKS_CONSTANTS(view_params);

VKS_FIELD(0, readonly, displayed, uint, cells);
layout(std430, set = 0, binding = 1) readonly buffer view_level
{
    float level[];
};
layout(std430, set = 0, binding = 2) readonly buffer palette
{
    uint colours[]; // 256, RGBA8 with red in the low byte
};
layout(std430, set = 0, binding = 3) writeonly buffer picture
{
    uint pixels[];
};
#ifdef VIEW_FALLBACK
VKS_FIELD(4, readonly, fallback, uint, cells_fallback);
layout(std430, set = 0, binding = 5) readonly buffer view_range
{
    float first_range[];
};
#endif

float value_of(uint i)
{
#ifdef VIEW_FALLBACK
    if (!has_range(first_range[0], first_range[1])) {
        return VKS_CELL(cells_fallback, i);
    }
#endif
    return VKS_CELL(cells, i);
}

void main()
{
    uint i = vks_item();
    if (i >= constants.width * constants.height) {
        return;
    }
    float tone = toned(value_of(constants.origin + i), TONE_LEVELS, constants.gamma,
                       constants.contrast);
    precise float entry = tone * 255.0f;
    pixels[i] = colours[uint(entry)];
}

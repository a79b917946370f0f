// SPDX-License-Identifier: MIT
// Draws the panels of an annotation over a finished picture: one invocation per pixel of a panel.
// docs/pictures.md. ANNOTATE_16: also in the picture of 16 bits per channel.
#include "lib/pass.glsl"
#include "view/over.glsl"
#include "view/params.h"
#include "view/tone.glsl"

VKS_CONSTANTS(annotate_params);

layout(std430, set = 0, binding = 0) readonly buffer annotation_table
{
    uint table[];
};
layout(std430, set = 0, binding = 1) readonly buffer annotation_columns
{
    uint columns[];
};
layout(std430, set = 0, binding = 2) readonly buffer palette
{
    uint colours[];
};
layout(std430, set = 0, binding = 3) buffer picture
{
    uint pixels[];
};
#ifdef ANNOTATE_16
layout(std430, set = 0, binding = 4) buffer picture16
{
    uvec2 deep_pixels[];
};
#endif

// Shares of 255 as shares of 65536.
uint share_of(uint byte)
{
    return (byte * 65536u + 127u) / 255u;
}

// How much of the pixel (x, y) of a panel its shape covers, of 255.
uint shape(uint x, uint y, uint width, uint height)
{
    uint across = min(x, width - 1u - x);
    uint down = min(y, height - 1u - y);
    uint radius = constants.radius;
    bool corner = across < radius && down < radius;
    return corner ? table[constants.corners_at + down * radius + across] : 255u;
}

// Index into the colour map at a place of the bar.
uint entry_at(uint column)
{
    precise float place = (float(column) + 0.5f) * vks_reciprocal(float(constants.bar_width));
    precise float tone = (place - 0.5f) * constants.contrast + 0.5f;
    tone = clip(tone) * 255.0f;
    return uint(tone);
}

// How much of the pixel the text and the lines of the panel cover, of 255.
uint ink(uint word, uint x)
{
    uint line = (word >> ROW_LINE_SHIFT) & ROW_LINE;
    uint column = columns[line * constants.stride + x];
    uint glyphs = word & ROW_GLYPHS;
    bool lined = (word & ROW_TICKS) != 0u && (column & COLUMN_TICK) != 0u;
    bool scaled = (word & ROW_SCALE) != 0u && x - constants.scale_x < constants.scale_width;
    uint atlas = column & COLUMN_ATLAS;
    bool framed = (word & ROW_FRAME) != 0u &&
                  x - (constants.bar_x - constants.frame) < constants.bar_width +
                                                                2u * constants.frame;
    uint cover = lined || scaled ? 255u : (framed ? 90u : 0u);
    if (glyphs > 0u && atlas > 0u) {
        uint at = (glyphs - 1u) * constants.atlas_width + atlas - 1u;
        cover = max(cover, table[constants.atlas_at + at]);
    }
    return cover;
}

void draw(uint i, uint colour, uint cover)
{
    pixels[i] = vks_over(pixels[i], colour, cover);
#ifdef ANNOTATE_16
    deep_pixels[i] = vks_over_deep(deep_pixels[i], colour, cover);
#endif
}

void main()
{
    uint x = gl_GlobalInvocationID.x;
    uint row = gl_GlobalInvocationID.y;
    if (row >= constants.rows) {
        return;
    }
    uint word = table[constants.rows_at + row];
    uint panel = (word >> ROW_PANEL_SHIFT) & ROW_PANEL;
    uint at = TABLE_PANELS + panel * PANEL_WORDS;
    uint width = table[at + PANEL_WIDTH];
    if (panel == PANEL_TIME) {
        width = min(width, columns[LINES * constants.stride]);
    }
    uint line = row - table[at + PANEL_ROWS];
    uint y = table[at + PANEL_Y] + line;
    if (x >= width || y < constants.first || y >= constants.end) {
        return;
    }
    uint i = (y - constants.first) * constants.width + table[at + PANEL_X] + x;
    uint cover = shape(x, line, width, table[at + PANEL_HEIGHT]);
    draw(i, constants.shade, share_of(cover) * (constants.share >> 1) >> 15);
    if ((word & ROW_BAR) != 0u && x - constants.bar_x < constants.bar_width) {
        uint first = ((word >> ROW_PLANE_SHIFT) & ROW_PLANE) * PALETTE_WORDS;
        draw(i, colours[first + entry_at(x - constants.bar_x)], 65536u);
        return;
    }
    uint covered = ink(word, x);
    if (covered > 0u) {
        draw(i, constants.ink, share_of(covered));
    }
}

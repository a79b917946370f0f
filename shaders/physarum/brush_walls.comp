// SPDX-License-Identifier: MIT
// Builds walls, or removes them: docs/sims/physarum.md, "Brushes".
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "physarum/constants.glsl"
#define VKS_STROKES 2
#include "lib/stroke.glsl"

VKS_FIELD(0, , walls, uint, wall_words); // rows of ceil(width / 32) words, a bit per cell
VKS_FIELD(1, readonly, open_cell, uvec2, open_cells); // a position in the first cell that is open

void main()
{
    uint i = vks_item();
    uint words = (constants.width + 31u) / 32u;
    if (i >= words * constants.height) {
        return;
    }
    uint row = i / words, first = 32u * (i - row * words);
    uvec2 open = VKS_AT(open_cells, 0u); // stays open, so that there always is one
    uvec2 kept =
        uvec2(vks_high(open.y, constants.width), vks_high(open.x, constants.height));
    uint word = VKS_AT(wall_words, i);
    for (uint bit = 0u; bit < 32u && first + bit < constants.width; bit++) {
        uvec3 cell = uvec3(first + bit, row, 0u);
        for (uint k = 0u; k < vks_stroke_count(); k++) {
            if (vks_stroke_weight(k, vks_stroke_place(cell)) > 0.0f) {
                word = vks_stroke_is_inverse(k) ? word & ~(1u << bit)
                       : cell.xy != kept        ? word | (1u << bit)
                                                : word;
            }
        }
    }
    VKS_AT(wall_words, i) = word;
}

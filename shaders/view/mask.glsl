// SPDX-License-Identifier: MIT
// Draws the cells of a field of bits over a finished picture, in one colour, as far as they cover
// each pixel. docs/pictures.md. MASK_16: also in the picture of 16 bits per channel.
#include "lib/pass.glsl"
#include "view/over.glsl"
#include "view/params.h"

VKS_CONSTANTS(mask_params);

VKS_FIELD(0, readonly, mask, uint, words); // `stride` words per row, a bit per cell
layout(std430, set = 0, binding = 1) buffer picture
{
    uint pixels[];
};
#ifdef MASK_16
layout(std430, set = 0, binding = 2) buffer picture16
{
    uvec2 deep_pixels[];
};
#endif

bool is_set(uint row, uint column)
{
    uint word = VKS_AT(words, row * constants.stride + (column >> 5));
    return ((word >> (column & 31u)) & 1u) != 0u;
}

// The place of the side between cells `cell` - 1 and `cell` of the part in pixel `at`, in 1/4096 of
// the pixel. Neither product needs more than 32 bits: the difference is below a side of the part or
// of the picture.
uint place(uint cell, uint at, uint length, uint size)
{
    int from = int(cell * size - at * length);
    return from <= 0 ? 0u : min(uint(from) * 4096u / length, 4096u);
}

// The share of the pixel that is covered, in 1/65536.
uint covered(uint x, uint y)
{
    uint left = x * constants.part_width / constants.width;
    uint top = y * constants.part_height / constants.height;
    uint sum = 0u;
    uint row = top;
    uint above = place(row, y, constants.part_height, constants.height);
    do {
        uint below = place(row + 1u, y, constants.part_height, constants.height);
        uint across = 0u;
        uint column = left;
        uint before = place(column, x, constants.part_width, constants.width);
        do {
            uint after = place(column + 1u, x, constants.part_width, constants.width);
            across += is_set(constants.y + row, constants.x + column) ? after - before : 0u;
            before = after;
            column++;
        } while (before < 4096u);
        sum += across * (below - above);
        above = below;
        row++;
    } while (above < 4096u);
    return (sum + 128u) >> 8;
}

void main()
{
    uint x = gl_GlobalInvocationID.x;
    uint line = gl_GlobalInvocationID.y;
    if (x >= constants.width || line >= constants.rows) {
        return;
    }
    uint cover = covered(x, constants.first + line);
    if (cover == 0u) {
        return;
    }
    uint i = line * constants.width + x;
    pixels[i] = vks_over(pixels[i], constants.colour, cover);
#ifdef MASK_16
    deep_pixels[i] = vks_over_deep(deep_pixels[i], constants.colour, cover);
#endif
}

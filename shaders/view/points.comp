// SPDX-License-Identifier: MIT
// Counts points per pixel, seen along an axis of their box. Positions are fractions of the sides in
// 2^-32. docs/pictures.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "lib/exact.glsl"
#include "view/params.h"

VKS_CONSTANTS(points_params);

VKS_FIELD(0, readonly, point_across, uint, acrosses);
VKS_FIELD(1, readonly, point_down, uint, downs);
VKS_FIELD(2, , view_counts, uint, counts);

// The pixel along one axis; `size` or more outside the part, which is `length` of the `side` cells,
// from `from` on.
uint pixel(uint position, uint side, uint from, uint length, uint size)
{
    uint cell = vks_high(position, side) - from;
    uint share = position * side; // position in the cell, in 2^-32
    return cell < length ? (cell * size + vks_high(share, size)) / length : size;
}

void main()
{
    uint i = vks_item();
    if (i >= constants.count) {
        return;
    }
    uint column = pixel(VKS_AT(acrosses, i), constants.columns, constants.x, constants.part_width,
                        constants.width);
    uint row = pixel(VKS_AT(downs, i), constants.rows, constants.y, constants.part_height,
                     constants.height) -
               constants.first;
    if (column < constants.width && row < constants.values) {
        atomicAdd(VKS_AT(counts, row * constants.width + column), 1u);
    }
}

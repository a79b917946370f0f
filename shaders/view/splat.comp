// SPDX-License-Identifier: MIT
// Distributes points, and their tints, over the four pixels around each, in integers.
// docs/pictures.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "lib/fixed.glsl"
#include "view/params.h"
#include "view/turned.glsl"

VKS_CONSTANTS(splat_params);

VKS_FIELD(0, readonly, point_z, uint, zs);
VKS_FIELD(1, readonly, point_y, uint, ys);
VKS_FIELD(2, readonly, point_x, uint, xs);
layout(std430, set = 0, binding = 3) readonly buffer view_camera
{
    int lengths[];
};
VKS_FIELD(4, readonly, point_tint, uint, codes);
layout(std430, set = 0, binding = 5) readonly buffer view_tint
{
    float range[];
};
VKS_FIELD(6, , view_sums, uvec2, sums); // of weights and of weights times tints

// The distance from the middle of the first pixel, in 1/256 pixels. Places outside stay outside.
int place_of(uvec2 distance, uint middle)
{
    int from_first = int(distance.y) + int(middle) - (1 << (constants.shift - 1u));
    return constants.shift >= 8u
               ? from_first >> (constants.shift - 8u)
               : clamp(from_first, -0x2000000, 0x1ffffff) << (8u - constants.shift);
}

void main()
{
    uint i = vks_item();
    if (i >= constants.count) {
        return;
    }
    ivec3 position = ivec3(uvec3(VKS_AT(xs, i), VKS_AT(ys, i), VKS_AT(zs, i)) - 0x80000000u);
    int across = place_of(TURNED_ACROSS(position, lengths), constants.middle_x);
    int down = place_of(TURNED_DOWN(position, lengths, constants.down_z), constants.middle_y);
    precise float above = float(VKS_AT(codes, i)) - range[TINT_LOW];
    above = above * range[TINT_SCALE] + 0.5f;
    uint tint = uint(clamp(above, 0.0f, TINT_LEVELS));
    uvec2 column = uvec2(256 - (across & 255), across & 255);
    uvec2 row = uvec2(256 - (down & 255), down & 255);
    uint left = uint((across >> 8) + 1);
    uint top = uint((down >> 8) + 1) - constants.first;
    for (uint corner = 0u; corner < 4u; corner++) {
        uint x = left + (corner & 1u);
        uint y = top + (corner >> 1);
        uint weight = column[corner & 1u] * row[corner >> 1];
        if (x < constants.columns && y < constants.rows && weight > 0u) {
            uint at = 2u * (y * constants.columns + x);
            VKS_FIXED_ATOMIC_ADD(VKS_AT(sums, at), uvec2(weight, 0u));
            VKS_FIXED_ATOMIC_ADD(VKS_AT(sums, at + 1u), uvec2(weight * tint, 0u));
        }
    }
}

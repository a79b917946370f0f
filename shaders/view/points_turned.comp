// SPDX-License-Identifier: MIT
// Counts points per pixel of a rotated box, in integers, so that a picture is sharp at every zoom.
// docs/pictures.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "lib/fixed.glsl"
#include "view/params.h"
#include "view/turned.glsl"

VKS_CONSTANTS(camera_params);

VKS_FIELD(0, readonly, point_z, uint, zs);
VKS_FIELD(1, readonly, point_y, uint, ys);
VKS_FIELD(2, readonly, point_x, uint, xs);
layout(std430, set = 0, binding = 3) readonly buffer view_camera
{
    int lengths[];
};
VKS_FIELD(4, , view_counts, uint, counts);

// The pixel at that distance from the middle of a picture with `size` pixels; below 0 or at least
// `size` if outside.
uint pixel(uvec2 distance, uint size)
{
    int middle = int(size << (constants.shift - 1u));
    return uint((int(distance.y) + middle) >> constants.shift);
}

void main()
{
    uint i = vks_item();
    if (i >= constants.count) {
        return;
    }
    ivec3 position = ivec3(uvec3(VKS_AT(xs, i), VKS_AT(ys, i), VKS_AT(zs, i)) - 0x80000000u);
    uint column = pixel(TURNED_ACROSS(position, lengths), constants.width);
    uint row = pixel(TURNED_DOWN(position, lengths, constants.down_z), constants.height);
    if (column < constants.width && row < constants.height) {
        row -= constants.first;
        if (row < constants.values) {
            atomicAdd(VKS_AT(counts, row * constants.width + column), 1u);
        }
    }
}

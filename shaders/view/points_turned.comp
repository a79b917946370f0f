// SPDX-License-Identifier: MIT
// Counts points per pixel of a rotated box, in integers, so that a picture is sharp at every zoom.
// docs/pictures.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "lib/fixed.glsl"
#include "view/params.h"

VKS_CONSTANTS(camera_params);

VKS_FIELD(0, readonly, point_z, uint, zs);
VKS_FIELD(1, readonly, point_y, uint, ys);
VKS_FIELD(2, readonly, point_x, uint, xs);
layout(std430, set = 0, binding = 3) readonly buffer view_camera
{
    int lengths[];
};
VKS_FIELD(4, , view_counts, uint, counts);

// A fraction of a length, in 2^-32 of its unit. `position` is relative to the middle of the side.
uvec2 part_of(int position, int length)
{
    int high, low;
    imulExtended(position, length, high, low);
    return uvec2(low, high);
}

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
    uvec2 across = vks_fixed_add(part_of(position.x, lengths[CAMERA_ACROSS_X]),
                                 part_of(position.y, lengths[CAMERA_ACROSS_Y]));
    uvec2 down = vks_fixed_add(vks_fixed_add(part_of(position.x, lengths[CAMERA_DOWN_X]),
                                             part_of(position.y, lengths[CAMERA_DOWN_Y])),
                               part_of(position.z, int(constants.down_z)));
    uint column = pixel(across, constants.width);
    uint row = pixel(down, constants.height);
    if (column < constants.width && row < constants.height) {
        row -= constants.first;
        if (row < constants.values) {
            atomicAdd(VKS_AT(counts, row * constants.width + column), 1u);
        }
    }
}

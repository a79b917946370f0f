// SPDX-License-Identifier: MIT
// Points of a box that a camera sees, in integers: distances from the middle of the box on the
// picture, in units of camera_params and 2^-32 of them. Positions are relative to the middles of
// the sides. docs/pictures.md.
#ifndef VKS_VIEW_TURNED_GLSL
#define VKS_VIEW_TURNED_GLSL

// A fraction of a length.
uvec2 part_of(int position, int length)
{
    int high, low;
    imulExtended(position, length, high, low);
    return uvec2(low, high);
}

#define TURNED_ACROSS(position, lengths)                      \
    vks_fixed_add(part_of(position.x, lengths[CAMERA_ACROSS_X]), \
                  part_of(position.y, lengths[CAMERA_ACROSS_Y]))
#define TURNED_DOWN(position, lengths, down_z)                               \
    vks_fixed_add(vks_fixed_add(part_of(position.x, lengths[CAMERA_DOWN_X]), \
                                part_of(position.y, lengths[CAMERA_DOWN_Y])), \
                  part_of(position.z, int(down_z)))
#endif

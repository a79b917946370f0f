// SPDX-License-Identifier: MIT
// Projects the sides of a box for the camera at the drawn step. docs/pictures.md.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "lib/exact.glsl"
#include "view/params.h"

VKS_CONSTANTS(camera_params);
VKS_CLOCK;

layout(std430, set = 0, binding = 0) writeonly buffer view_camera
{
    int lengths[];
};

int turned(float length, float share)
{
    precise float seen = length * share;
    seen = floor(seen + 0.5f);
    return int(seen);
}

void main()
{
    if (vks_item() > 0u) {
        return;
    }
    vec2 turn = vks_sincos(constants.azimuth + constants.spin * first_step);
    lengths[CAMERA_ACROSS_X] = turned(constants.across_x, turn.y);
    lengths[CAMERA_ACROSS_Y] = turned(constants.across_y, turn.x);
    lengths[CAMERA_DOWN_X] = turned(constants.down_x, -turn.x);
    lengths[CAMERA_DOWN_Y] = turned(constants.down_y, turn.y);
}

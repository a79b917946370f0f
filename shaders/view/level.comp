// SPDX-License-Identifier: MIT
// The range that a frame is drawn with: the frame's own, a fixed one, or one that follows.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "lib/exact.glsl"
#include "view/params.h"

layout(constant_id = 2) const uint mode = VIEW_FRAME;

VKS_CONSTANTS(view_params);

layout(std430, set = 0, binding = 0) readonly buffer view_range
{
    float frame_range[]; // least, most
};
layout(std430, set = 0, binding = 1) buffer view_level
{
    float level[]; // low, high, 1 / (high - low) or 0, 1 once there was a frame
};

void main()
{
    if (vks_item() > 0u) {
        return;
    }
    precise float low = constants.low;
    precise float high = constants.high;
    if (mode == VIEW_FRAME || (mode == VIEW_SMOOTH && level[3] == 0.0f)) {
        low = frame_range[0];
        high = frame_range[1];
    } else if (mode == VIEW_SMOOTH) {
        precise float to_low = frame_range[0] - level[0];
        precise float to_high = frame_range[1] - level[1];
        low = level[0] + constants.follow * to_low;
        high = level[1] + constants.follow * to_high;
        low = vks_flush(low);
        high = vks_flush(high);
    }
    precise float extent = high - low;
    level[0] = low;
    level[1] = high;
    level[2] = extent > 1e-6f ? vks_reciprocal(extent) : 0.0f;
    // A start with nothing to see is no range to follow.
    level[3] = extent > 1e-6f ? 1.0f : 0.0f;
}

// SPDX-License-Identifier: MIT
// One step of the wave equation: the velocity follows the curvature, the surface the velocity.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "lib/exact.glsl"
#include "waves/params.h"

VKS_CONSTANTS(waves_params);

layout(std430, set = 0, binding = 0) readonly buffer surface
{
    float heights[];
};
layout(std430, set = 0, binding = 1) buffer velocity
{
    float velocities[];
};
layout(std430, set = 0, binding = 2) writeonly buffer surface_next
{
    float heights_next[];
};

void main()
{
    uint x = gl_GlobalInvocationID.x;
    uint y = gl_GlobalInvocationID.y;
    if (x >= constants.width || y >= constants.height) {
        return;
    }
    uint line = y * constants.width;
    uint above = (y == 0u ? constants.height - 1u : y - 1u) * constants.width;
    uint below = (y + 1u == constants.height ? 0u : y + 1u) * constants.width;
    uint left = x == 0u ? constants.width - 1u : x - 1u;
    uint right = x + 1u == constants.width ? 0u : x + 1u;
    float h = heights[line + x];
    precise float across = heights[line + left] + heights[line + right];
    precise float down = heights[above + x] + heights[below + x];
    precise float curvature = (across + down) - 4.0f * h;
    precise float v = velocities[line + x] + constants.pull * curvature;
    v = vks_flush(constants.keep * v);
    precise float next = h + v;
    velocities[line + x] = v;
    heights_next[line + x] = vks_flush(next);
}

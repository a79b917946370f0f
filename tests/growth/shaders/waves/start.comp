// SPDX-License-Identifier: MIT
// Drops on still water: each a bump (1 - (d / radius)^2)^2 about its place.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "lib/exact.glsl"
#include "waves/params.h"

layout(constant_id = 0) const uint start = WAVES_DROPS;

VKS_CONSTANTS(waves_params);

layout(std430, set = 0, binding = 0) writeonly buffer surface
{
    float heights[];
};

// How far two coordinates are apart where the edges meet.
uint apart(uint a, uint b, uint side)
{
    uint d = a > b ? a - b : b - a;
    return min(d, side - d);
}

void main()
{
    uint x = gl_GlobalInvocationID.x;
    uint y = gl_GlobalInvocationID.y;
    if (x >= constants.width || y >= constants.height) {
        return;
    }
    precise float sum = 0.0f;
    for (uint i = 0u; i < constants.drops; i++) {
        uint at_x = constants.width / 2u;
        uint at_y = constants.height / 2u;
        if (start == WAVES_DROPS) {
            uvec4 r = vks_random(constants.seed, i, 0u, 0u);
            at_x = vks_high(r.x, constants.width);
            at_y = vks_high(r.y, constants.height);
        }
        uint dx = apart(x, at_x, constants.width);
        uint dy = apart(y, at_y, constants.height);
        uint square = dx * dx + dy * dy;
        if (square < constants.radius * constants.radius) {
            precise float share = 1.0f - float(square) * constants.inverse_area;
            precise float bump = share * share;
            sum = sum + bump;
        }
    }
    heights[y * constants.width + x] = sum;
}

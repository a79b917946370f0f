// SPDX-License-Identifier: MIT
// Removes the trail in walls, before the first step.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "physarum/walls.glsl"

VKS_FIELD(0, , trail, float, trails);

layout(constant_id = 0) const uint planes = 1u;

void main()
{
    uint x = gl_GlobalInvocationID.x, y = gl_GlobalInvocationID.y;
    if (x >= constants.width || y >= constants.height) {
        return;
    }
    bool closed = is_wall(whole_row(int(y)), x);
    for (uint plane = 0u; plane < planes; plane++) {
        uint at = (plane * constants.height + y) * constants.width + x;
        float trail = VKS_AT(trails, at);
        VKS_AT(trails, at) = closed ? 0.0f : trail;
    }
}

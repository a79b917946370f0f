// SPDX-License-Identifier: MIT
// The field's pass with few agents.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "physarum/words.glsl"

VKS_FIELD(7, writeonly, trail_next, float, trails_next);

void main()
{
    uint x = gl_GlobalInvocationID.x;
    uint y = gl_GlobalInvocationID.y;
    if (x < constants.width && y < constants.height) {
        VKS_AT(trails_next, y * constants.width + x) = next_trail(y, x);
    }
}

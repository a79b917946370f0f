// SPDX-License-Identifier: MIT
// Transposes a matrix: one workgroup per block of 32 columns and 8 rows. Reads stay coalesced, and
// the 8 rows write neighbouring words, which the cache can combine before they go to memory.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "ladder/access.glsl"
#include "ladder/rung.h"

VKS_CONSTANTS(rung_params);

layout(std430, set = 0, binding = 0) readonly buffer source
{
    uint from[];
};
layout(std430, set = 0, binding = 2) writeonly buffer result
{
    uint to[];
};

void main()
{
    uint x = gl_GlobalInvocationID.x;
    uint y = gl_GlobalInvocationID.y;
    if (x < constants.width && y < constants.height) {
        STORE(to, x * constants.result_pitch + y, LOAD(from, y * constants.source_pitch + x));
    }
}

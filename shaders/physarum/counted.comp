// SPDX-License-Identifier: MIT
// Converts the counts of agents to float32 for the picture, and clears them for the next one.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "physarum/params.h"

VKS_CONSTANTS(physarum_params);

VKS_FIELD(0, , agent_counts, uint, counts);
VKS_FIELD(1, writeonly, agents, float, displayed_counts);

void main()
{
    uint x = gl_GlobalInvocationID.x;
    uint y = gl_GlobalInvocationID.y;
    if (x < constants.width && y < constants.height) {
        uint i = y * constants.width + x;
        VKS_AT(displayed_counts, i) = float(VKS_AT(counts, i));
        VKS_AT(counts, i) = 0u;
    }
}

// SPDX-License-Identifier: MIT
// The field's pass of a step and the agents' pass of the next: agents compute the trail where they
// sense it, so that they need not wait for the field.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "physarum/words.glsl"

float trail_at(uint row, uint column)
{
    return next_trail(row, column);
}

#define PHYSARUM_TRAIL
#include "physarum/agents_words.glsl"

VKS_FIELD(7, writeonly, trail_next, float, trails_next);

void main()
{
    // Whole workgroups for the agents come first, because an agent takes longer than a cell.
    uint lanes = gl_WorkGroupSize.x;
    uint agents = (constants.agents + lanes - 1u) / lanes * lanes;
    uint i = vks_item();
    if (i < agents) {
        if (i < constants.agents) {
            step_agent(i);
        }
    } else if (i - agents < constants.width * constants.height) {
        uint index = i - agents;
        uint y = index / constants.width;
        VKS_AT(trails_next, index) = next_trail(y, index - y * constants.width);
    }
}

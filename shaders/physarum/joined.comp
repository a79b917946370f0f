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

layout(constant_id = 7) const uint per_group = 32u; // agents of a workgroup

void main()
{
    // The workgroups with agents come first, because an agent takes longer than a cell.
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint groups = (constants.agents + per_group - 1u) / per_group;
    uint lane = gl_LocalInvocationID.x;
    if (group >= groups) {
        move_column((group - groups) * gl_WorkGroupSize.x + lane);
    } else if (lane < per_group && group * per_group + lane < constants.agents) {
        step_agent(group * per_group + lane);
    }
}

// SPDX-License-Identifier: MIT
// Rows of a matrix of which each has LANES lanes, whole subgroups. A workgroup has one row or more.
#ifndef VKS_LADDER_SUBGROUP_ROW_GLSL
#define VKS_LADDER_SUBGROUP_ROW_GLSL

#include "ladder/row.glsl"

layout(constant_id = 0) const uint LANES = 256u;
layout(constant_id = 1) const uint FOURS = 8u; // vectors of four that a lane keeps in registers

// Subgroups are numbered within the workgroup; that they are consecutive invocations is not
// guaranteed, so lanes are counted by subgroup.
uint lane_of_group()
{
    uint lanes = gl_SubgroupSize;
    uint subgroup = gl_SubgroupID;
    return subgroup * lanes + gl_SubgroupInvocationID;
}

uint row_of_lane()
{
    return row_of_group() * (gl_WorkGroupSize.x / LANES) + lane_of_group() / LANES;
}

uint lane_of_row()
{
    return lane_of_group() % LANES;
}

// The row's subgroups: the number of the first, and how many.
uvec2 subgroups_of_row()
{
    uint lanes = gl_SubgroupSize;
    return uvec2(lane_of_group() / LANES * (LANES / lanes), LANES / lanes);
}

#endif

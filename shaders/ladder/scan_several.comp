// SPDX-License-Identifier: MIT
// Exclusive prefix sums in three dispatches whatever the size: the sums of tiles of 4096 words
// (ladder/scan_reduce), the scan of these sums by one workgroup (ladder/scan_sums), and this one,
// the scan of each tile from its start. A lane keeps 16 words in registers, and subgroup operations
// replace the rounds. 12 bytes per word are moved, where 8 would suffice.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "lib/pass.glsl"
#include "ladder/access.glsl"
#include "ladder/group_scan.glsl"
#include "ladder/scan.h"

VKS_CONSTANTS(scan_rung_params);

layout(std430, set = 0, binding = 0) readonly buffer words
{
    uvec4 from[];
};
layout(std430, set = 0, binding = 1) readonly buffer starts
{
    uint start[];
};
layout(std430, set = 0, binding = 2) writeonly buffer sums
{
    uvec4 to[];
};

#include "ladder/scan_tile.glsl"

void main()
{
    uint tile = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (tile * SCAN_TILE < constants.count) { // the groups of the last row may be past the tiles
        scan_tile(tile, LOAD(start, tile));
    }
}

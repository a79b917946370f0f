// SPDX-License-Identifier: MIT
// Second of three dispatches of prefix sums: one workgroup scans the sums of all tiles, one tile
// of sums after another.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "lib/pass.glsl"
#include "ladder/access.glsl"
#include "ladder/group_scan.glsl"
#include "ladder/scan.h"

VKS_CONSTANTS(scan_rung_params);

layout(std430, set = 0, binding = 0) readonly buffer totals
{
    uvec4 from[];
};
layout(std430, set = 0, binding = 1) writeonly buffer starts
{
    uvec4 to[];
};

#include "ladder/scan_tile.glsl"

void main()
{
    uint before = 0u;
    for (uint tile = 0u; tile * SCAN_TILE < constants.count; tile++) {
        before += scan_tile(tile, before);
    }
}

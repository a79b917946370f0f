// SPDX-License-Identifier: MIT
// Adds the sum of all words before a group to each of the group's prefix sums.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/pass.glsl"
#include "ladder/access.glsl"
#include "ladder/scan.h"

VKS_CONSTANTS(scan_rung_params);

layout(std430, set = 0, binding = 0) readonly buffer starts
{
    uint start[];
};
layout(std430, set = 0, binding = 1) buffer sums
{
    uint sum[];
};

void main()
{
    uint item = vks_item();
    if (item < constants.count) {
        STORE(sum, item, LOAD(sum, item) + LOAD(start, item / constants.reach));
    }
}

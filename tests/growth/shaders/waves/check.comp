// SPDX-License-Identifier: MIT
// Sets a word when the water has uncovered the ground somewhere.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/grid.glsl"
#include "lib/exact.glsl"
#include "waves/params.h"

VKS_CONSTANTS(waves_params);

layout(std430, set = 0, binding = 0) readonly buffer surface
{
    float heights[];
};
layout(std430, set = 0, binding = 1) buffer dry
{
    uint word;
};

void main()
{
    uvec3 size = uvec3(constants.width, constants.height, constants.depth);
    uvec3 cell = vks_cell(size);
    if (!vks_inside(cell, size)) {
        return;
    }
    if (heights[vks_index(cell, size)] < constants.bottom) {
        atomicMax(word, 1u);
    }
}

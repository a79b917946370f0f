// SPDX-License-Identifier: MIT
// One step of the wave equation: the velocity follows the curvature, the surface the velocity.
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
layout(std430, set = 0, binding = 1) buffer velocity
{
    float velocities[];
};
layout(std430, set = 0, binding = 2) writeonly buffer surface_next
{
    float heights_next[];
};

// Sum of the two neighbours of a cell along an axis: 0 is x, 1 is y, 2 is z.
float neighbour_sum(uvec3 cell, uvec3 size, uint axis)
{
    uvec3 before = cell;
    uvec3 after = cell;
    before[axis] = vks_before(cell[axis], size[axis]);
    after[axis] = vks_after(cell[axis], size[axis]);
    precise float sum = heights[vks_index(before, size)] + heights[vks_index(after, size)];
    return sum;
}

void main()
{
    uvec3 size = uvec3(constants.width, constants.height, constants.depth);
    uvec3 cell = vks_cell(size);
    if (!vks_inside(cell, size)) {
        return;
    }
    uint i = vks_index(cell, size);
    float h = heights[i];
    precise float around = neighbour_sum(cell, size, 0u) + neighbour_sum(cell, size, 1u);
    float neighbours = 4.0f;
    precise float curvature = around - neighbours * h;
    precise float v = velocities[i] + constants.pull * curvature;
    v = vks_flush(constants.keep * v);
    precise float next = h + v;
    velocities[i] = v;
    heights_next[i] = vks_flush(next);
}

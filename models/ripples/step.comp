// SPDX-License-Identifier: MIT
// One step of the wave equation: the velocity follows the curvature, the surface the velocity.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "drop.glsl"

VKS_CLOCK;
VKS_FIELD(0, readonly, surface, float, heights);
VKS_FIELD(1, , velocity, float, velocities);
VKS_FIELD(2, writeonly, surface_next, float, heights_next);

// The sum of the two neighbours of a cell along an axis: 0 is x, 1 is y.
float neighbour_sum(uvec3 cell, uvec3 size, uint axis)
{
    uvec3 before = cell;
    uvec3 after = cell;
    before[axis] = vks_before(cell[axis], size[axis]);
    after[axis] = vks_after(cell[axis], size[axis]);
    precise float sum = VKS_AT(heights, vks_index(before, size)) +
                        VKS_AT(heights, vks_index(after, size));
    return sum;
}

void main()
{
    uvec3 size = uvec3(constants.width, constants.height, 1u);
    uvec3 cell = vks_cell(size);
    if (!vks_inside(cell, size)) {
        return;
    }
    uint i = vks_index(cell, size);
    uint step = first_step + step_in_batch;
    float h = VKS_AT(heights, i);
    precise float around = neighbour_sum(cell, size, 0u) + neighbour_sum(cell, size, 1u);
    float neighbours = 4.0f;
    precise float curvature = around - neighbours * h;
    precise float v = VKS_AT(velocities, i) + constants.pull * curvature;
    v = vks_flush(constants.keep * v);
    precise float next = h + v;
    if (constants.rain > 0u && step % constants.rain == 0u) {
        next = next + drop_at(cell, size, random_cell(size, 1000u + step));
    }
    VKS_AT(velocities, i) = v;
    VKS_AT(heights_next, i) = vks_flush(next);
}

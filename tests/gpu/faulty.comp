// SPDX-License-Identifier: MIT
// A step of the model of test_check.c: correct, or with a fault that vksim check finds.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/grid.glsl"
#include "faulty.h"

layout(constant_id = 0) const uint fault = FAULTY_NONE;

VKS_CONSTANTS(faulty_params);
VKS_CLOCK;

layout(std430, set = 0, binding = 0) buffer cells
{
    float values[];
};
layout(std430, set = 0, binding = 1) buffer hidden
{
    float extra[];
};

void main()
{
    uvec3 size = uvec3(constants.width, constants.height, 1u);
    uvec3 c = vks_cell(size);
    if (!vks_inside(c, size)) {
        return;
    }
    uint i = vks_index(c, size);
    uint step = first_step + (fault == FAULTY_BATCH ? 0u : step_in_batch);
    precise float value = 0.5 * values[i] + float((i + step) % 7u);
    if (fault == FAULTY_RACE) {
        value += 0.25 * values[vks_index(uvec3(vks_after(c.x, size.x), c.yz), size)];
    }
    if (fault == FAULTY_GROUP) {
        value += float(gl_LocalInvocationID.y);
    }
    precise float count = extra[i] + 1.0;
    extra[i] = count;
    if (fault == FAULTY_FILE) {
        value += count;
    }
    values[i] = value;
}
